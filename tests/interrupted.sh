# Sourced by tests that interrupt a whole run at many moments: the run, the moments, and what must be true afterwards.

# crash_matrix [SCHEDULE]: MATRIX.json and its source, two cells that compile within seconds; a member of "schedule".
crash_matrix() {
	tiny_tarball tiny.tar.gz 6
	cat >MATRIX.json <<-END
	{
	  "mymatrix": 1, "title": "tiny",
	  "sources": { "tiny": { "tarball": "tiny.tar.gz" } },
	  "toolchains": { "gcc": { "family": "gcc", "cc": "gcc", "cxx": "g++" } },
	  "flags": { "O1": { "*": "-O1" }, "O2": { "*": "-O2" } },
	  "matrix": { "source": ["tiny"], "toolchain": ["gcc"], "bits": ["native"], "flags": ["O1", "O2"] },
	  "suites": [ { "name": "tiny", "suite": "sql-bench", "passes": 3, "scale": 0.0002, "tests": ["connect"] } ],
	  "schedule": { ${1:-} },
	  "compare": [ { "axis": "flags", "baseline": "O1", "candidate": "O2" } ]
	}
	END
}

facts() { python3 "$MM_SOURCE/tests/report-facts.py" "$1/runs/1/report.json"; }

# whatever still runs out of this folder: servers, compilers, cmake, ninja
ours() {
	local pid
	for pid in $(pgrep -x 'mariadbd|cmake|ninja|gcc|g\+\+|cc1plus|cc1|as|ld|mymatrix|mymatrix-cc|mm-guardian' || true); do
		case $(readlink "/proc/$pid/cwd" || true) in "$PWD" | "$PWD"/*) echo "$pid" ;; esac
	done
}
all_gone() { [ -z "$(ours)" ]; }

# undisturbed WORK: how it would be. Its facts into ./expected, its milliseconds into $whole.
undisturbed() {
	local began
	began=$(date +%s%N)
	expect 0 "$MYMATRIX" run --quiet --work "$1"
	whole=$((($(date +%s%N) - began) / 1000000))
	facts "$1" >expected
}

# moments COUNT: that many seconds within the run, into ./delays. The early stages are short: half of the points fall into
# the first third.
moments() {
	python3 - "$1" "$whole" "${MYMATRIX_SEED:-1}" >delays <<-'END'
	import random, sys
	count, whole, seed = map(int, sys.argv[1:])
	draw = random.Random(seed)
	for _ in range(count):
	    print("%.3f" % (draw.uniform(0.02, whole / 1000 / 3) if draw.random() < 0.5 else draw.uniform(0.02, whole / 1000)))
	END
}

# record_of BUILD.JSON: its digest and path. The stamp of the server is only a memory of what was compared.
record_of() { grep -v '"server_stamp"' "$1" | md5sum | sed "s|-|$1|"; }

# remember_builds WORK: those that are finished now are to stay as they are.
remember_builds() {
	local build
	for build in "$1"/builds/*/build.json; do
		[ ! -e "$build" ] || grep -qsF "$build" built || record_of "$build" >>built
	done
}

# check_whole WORK: its run is complete, and as if nothing had happened.
check_whole() {
	facts "$1" | diff - expected || fail "the report differs after $interrupted interruptions"
	[ "$(ls "$1/runs")" = 1 ] || fail "a second run was begun"
	[ ! -e built ] || cut -c35- built | while read -r build; do record_of "$build"; done | cmp -s - built ||
		fail "a finished build was made again"
	[ "$(find "$1/runs/1/passes" -name 'tiny-0?.json' | wc -l)" = 6 ]
}
