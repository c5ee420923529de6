# Sourced by test scripts: a small vocabulary.

fail() { echo "FAILED: $*" >&2; exit 1; }

# expect STATUS COMMAND …: runs it, output in ./out and ./err, and checks the exit status.
expect() {
	local wanted=$1 got=0
	shift
	"$@" >out 2>err </dev/null || got=$?
	[ "$got" = "$wanted" ] || { sed 's/^/  err: /' err; fail "exit status $got instead of $wanted: $*"; }
}

# err_has TEXT: the last command wrote exactly one line starting "mymatrix:", and it holds TEXT.
err_has() {
	[ "$(grep -c '^mymatrix: ' err)" = 1 ] || { cat err; fail "not one error line"; }
	grep '^mymatrix: ' err | grep -qF -- "$1" || { cat err; fail "the error does not say '$1'"; }
}

# make_prefix FOLDER: an installed MariaDB of its own, from the one that the system has.
make_prefix() {
	mkdir -p "$1/bin" "$1/share"
	cp "$(PATH=$PATH:/usr/sbin command -v mariadbd)" "$1/bin/mariadbd"
	cp -r /usr/share/mysql "$1/share/mysql"
}

# two_prefixes_matrix: MATRIX.json for prefixes "old" and "new" with a tiny suite.
two_prefixes_matrix() {
	cat >MATRIX.json <<-'END'
	{
	  "mymatrix": 1,
	  "sources": { "old": { "prefix": "old" }, "new": { "prefix": "new" } },
	  "matrix": { "source": ["old", "new"] },
	  "suites": [ { "name": "tiny", "suite": "sql-bench", "passes": 3, "scale": 0.0005, "tests": ["connect", "insert"] } ],
	  "compare": [ { "baseline": "old", "candidate": "new" } ]
	}
	END
}

# servers_gone: no server process runs out of this scratch folder.
servers_gone() {
	local pid
	for pid in $(pgrep -x mariadbd || true) $(pgrep -x mysqld || true); do
		case $(tr '\0' ' ' <"/proc/$pid/cmdline") in *"$PWD"*) return 1 ;; esac
	done
}
no_servers() { servers_gone || fail "a server is still running"; }

# wait_for TEST-COMMAND …: up to 60 s, then gives up.
wait_for() {
	local i
	for i in $(seq 600); do
		"$@" 2>/dev/null && return
		sleep 0.1
	done
	fail "never came true: $*"
}
