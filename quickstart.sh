#!/bin/bash
# From a bare Debian 12 machine to a result. Installs what is missing, builds mymatrix, then:
#
#   ./quickstart.sh run        builds MariaDB twice from source and compares -O2 with -O3 (MATRIX.json)
#   ./quickstart.sh packages   compares Debian's i386 and amd64 packages of MariaDB, without compiling it
#   ./quickstart.sh test       builds with warnings as errors and runs every test
#   ./quickstart.sh build      only builds mymatrix
#
# Further words go to mymatrix (run, packages) or to ctest (test). Nothing outside this folder changes but the
# packages that are installed; sources and packages come through a private apt state in the work folder, from the
# mirrors that this machine's own apt is set up with. What apt, cmake and the compiler say goes to quickstart.log there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=${MYMATRIX_WORK:-$here/.mymatrix}
case $work in /*) ;; *) work=$PWD/$work ;; esac
apt_state=$work/apt
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

build_needs="gcc g++ cmake ninja-build pkg-config libarchive-dev libgit2-dev libjansson-dev libssl-dev libmariadb-dev"
source_needs="dpkg-dev patch bison libfmt-dev libpcre2-dev zlib1g-dev libncurses-dev libaio-dev liburing-dev libcrypt-dev perl"
test_needs="make autoconf automake libtool bison libcmocka-dev mariadb-server-core mariadb-client-core clang python3 procps libdbi-perl libdbd-mysql-perl libdbd-mariadb-perl sysbench zstd xz-utils bzip2 slurm-wlm munge mandoc zsh fish"

log=$work/quickstart.log

say() { printf 'quickstart: %s\n' "$*" >&2; }
die() { say "$*"; exit 5; }

# hushed COMMAND …: what it says goes to the log.
hushed() {
	mkdir -p "$work"
	"$@" >>"$log" 2>&1
}

# quietly COMMAND …: the same, and the end of it is shown when it fails.
quietly() {
	local before
	mkdir -p "$work"
	before=$(($(cat "$log" 2>/dev/null | wc -l) + 1))
	hushed "$@" && return
	tail -n "+$before" "$log" | tail -n 25 >&2
	return 1
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null; then sudo "$@"; else
		die "must be root to install packages: run as root once, or install by hand: $*"
	fi
}

# Installs those of the named packages that are missing. A mirror can be in the middle of an update: try again.
install_missing() {
	local missing=() package attempt
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
	done
	[ ${#missing[@]} = 0 ] && return
	say "installing ${missing[*]}"
	for attempt in 1 2 3; do
		# one broken index of another repository must not stop us: what counts is whether the packages come
		hushed as_root apt-get update -q || say "apt-get update reported an error, going on (see $log)"
		quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "${missing[@]}" && return
		[ $attempt = 3 ] || { say "attempt $attempt failed, trying again"; sleep $((attempt * 5)); }
	done
	die "cannot install ${missing[*]}: see apt's messages above, all of them in $log"
}

build_mymatrix() {
	# shellcheck disable=SC2086
	install_missing $build_needs ${1:-}
	[ -x "$here/build/mymatrix" ] || say "building mymatrix, a minute or two"
	# shellcheck disable=SC2086
	quietly cmake -S "$here" -B "$here/build" -G Ninja ${2:-} || die "cannot configure mymatrix: all of it in $log"
	quietly cmake --build "$here/build" || die "cannot build mymatrix: all of it in $log"
}

# Debian's repositories as the machine's own apt knows them: "URI suite component", one a line.
debian_repositories() {
	apt-get indextargets --format '$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)' 'Created-By: Packages' |
		sed -n 's/^Debian|\(.*\)|\(.*\)|\(.*\)$/\1 \2 \3/p' | sort -u
}

apt_private() { # apt_private COMMAND …: apt with a state, cache and sources of its own
	local command=$1
	shift
	"$command" -q -o Dir::Etc::sourcelist="$apt_state/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State="$apt_state" -o Dir::State::status="$apt_state/status" -o Dir::Cache="$apt_state/cache" \
		-o APT::Architectures::=amd64 -o APT::Architectures::=i386 -o APT::Sandbox::User=root "$@"
}

open_private_apt() {
	local options="arch=amd64,i386" repositories
	[ -r $keyring ] && options="$options signed-by=$keyring"
	mkdir -p "$apt_state/lists/partial" "$apt_state/cache/archives/partial"
	: >"$apt_state/status"
	repositories=$(debian_repositories)
	if [ -z "$repositories" ]; then # a machine whose lists were never fetched
		hushed as_root apt-get update -q || true
		repositories=$(debian_repositories)
	fi
	[ -n "$repositories" ] || die "this machine's apt names no Debian repository: see 'apt-get indextargets'"
	while read -r line; do
		printf 'deb [%s] %s\ndeb-src [%s] %s\n' "$options" "$line" "$options" "$line"
	done <<<"$repositories" >"$apt_state/sources.list"
	local attempt
	for attempt in 1 2 3; do
		hushed apt_private apt-get update && return
		[ $attempt = 3 ] || sleep $((attempt * 2))
	done
	say "apt-get update reported errors, going on with what came (see $log)"
}

# Prints "version sha256 file" of the upstream tarball of each mariadb source package that the index names, newest first.
source_versions() {
	apt_private apt-cache showsrc --only-source mariadb | awk '
		/^Version:/ { version = $2 }
		/^Checksums-Sha256:/ { sums = 1; next }
		/^[^ ]/ { sums = 0 }
		sums && $3 ~ /\.orig\.tar\.[a-z0-9]+$/ { print version, $1, $3 }' | sort -rV -u
}

# Leaves the path of a verified MariaDB source tarball in $tarball. The newest version that the index names can be
# missing on the mirror for a while: then the one before is taken.
get_source() {
	local downloads=$work/downloads version sum file
	mkdir -p "$downloads"
	if [ -s "$downloads/tarball" ] && (cd "$downloads" && sha256sum --status -c tarball); then
		tarball=$downloads/$(awk '{ print $2 }' "$downloads/tarball")
		return
	fi
	install_missing dpkg-dev
	open_private_apt
	while read -r version sum file; do
		say "getting the MariaDB $version source"
		(cd "$downloads" && quietly apt_private apt-get source --download-only --tar-only --only-source "mariadb=$version") ||
			{ say "the mirror does not have $version"; continue; }
		printf '%s  %s\n' "$sum" "$file" >"$downloads/tarball"
		(cd "$downloads" && sha256sum --status -c tarball) || die "'$downloads/$file' is not what the signed index says: remove it"
		tarball=$downloads/$file
		return
	done < <(source_versions)
	die "no MariaDB source tarball could be had from this machine's Debian mirrors"
}

# The libraries that the server needs: unpacked beside it, so that the machine needs no i386 architecture and both
# cells run on libraries of their own.
package_libraries="libc6 libgcc-s1 libstdc++6 libpcre2-8-0 libcrypt1 liburing2 libaio1 libnuma1 libsystemd0 zlib1g libssl3
	libcap2 libgcrypt20 liblz4-1 liblzma5 libzstd1 libgpg-error0 libsnappy1v5 libbz2-1.0 liblzo2-2 libfmt9"

versions_of() { # versions_of PACKAGE ARCHITECTURE
	apt_private apt-cache madison "$1:$2" | awk -F '|' '{ gsub(/ /, "", $2); print $2 }' | sort -u
}

# Downloads PACKAGE for both architectures in the newest version that both offer and that really comes.
get_package() {
	local package=$1 folder=$2 version architecture
	compgen -G "$folder/${package}_*_i386.deb" >/dev/null && compgen -G "$folder/${package}_*_amd64.deb" >/dev/null && return
	for version in $(comm -12 <(versions_of "$package" i386) <(versions_of "$package" amd64) | sort -rV); do
		rm -f "$folder/${package}"_*.deb
		(cd "$folder" && for architecture in i386 amd64; do
			quietly apt_private apt-get download "$package:$architecture=$version" || exit 1
		done) && return
		say "the mirror does not have $package $version for both architectures"
	done
	rm -f "$folder/${package}"_*.deb
	die "package '$package' cannot be had for both i386 and amd64"
}

source_entry() { # source_entry FOLDER ARCHITECTURE BITS
	local first=1 file
	printf '    "debian-%s": { "bits": %s, "packages": [' "$2" "$3"
	for file in "$1"/*_"$2".deb; do
		[ $first = 1 ] || printf ','
		first=0
		printf '\n      "%s"' "$(basename "$file")"
	done
	printf ' ] }'
}

write_packages_matrix() {
	local folder=$1
	{
		printf '{\n  "mymatrix": 1,\n  "title": "Debian MariaDB packages: 32-bit against 64-bit",\n  "sources": {\n'
		source_entry "$folder" i386 32
		printf ',\n'
		source_entry "$folder" amd64 64
		cat <<-'END'

		  },
		  "matrix": { "source": ["debian-i386", "debian-amd64"] },
		  "suites": [ { "name": "classic", "suite": "sql-bench", "edition": "5.0", "passes": 10, "scale": 0.05 } ],
		  "schedule": { "seed": 1, "control": true, "datadir": "/dev/shm", "cpus": { "server": "0", "client": "0" } },
		  "compare": [ { "baseline": "debian-i386", "candidate": "debian-amd64" } ]
		}
		END
	} >"$folder/MATRIX.json"
}

command=${1:-help}
[ $# = 0 ] || shift
case $command in
run)
	build_mymatrix "$source_needs" -DMM_TESTS=OFF
	get_source
	# where MATRIX.json looks for it, so that 'mymatrix status', 'logs', 'report' … work without further words
	mkdir -p "$here/sources"
	ln -sfn "$tarball" "$here/sources/mariadb.orig.tar.gz"
	exec "$here/build/mymatrix" run --work "$work" "$@" "$here/MATRIX.json"
	;;
packages)
	build_mymatrix "" -DMM_TESTS=OFF
	folder=$work/packages
	mkdir -p "$folder"
	say "getting the packages of both architectures"
	open_private_apt
	for package in mariadb-server-core $package_libraries; do
		get_package "$package" "$folder"
	done
	write_packages_matrix "$folder"
	exec "$here/build/mymatrix" run --work "$work/packages-work" "$@" "$folder/MATRIX.json"
	;;
test)
	build_mymatrix "$source_needs $test_needs" -DMM_TESTS=ON
	get_source
	export MM_MARIADB_TARBALL=$tarball
	exec ctest --test-dir "$here/build" --output-on-failure --no-tests=error "$@"
	;;
build)
	build_mymatrix "" -DMM_TESTS=OFF
	say "built $here/build/mymatrix"
	;;
*)
	sed -n '2,11s/^# \{0,1\}//p' "$0"
	[ "$command" = help ] || exit 2
	;;
esac
