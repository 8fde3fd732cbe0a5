# Shared by the scripts in this folder: paths, messages, ccache (sourced, not run).
# shellcheck shell=bash disable=SC2034 # used by the scripts that source this
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
top=$(dirname "$here")
build=${RECLAIM_BUILD:-$top/build}
mkdir -p "$build/log"
build=$(cd "$build" && pwd -P)
tree=${RECLAIM_TREE:-$build/linux}
patches=$here/patches
jobs=${JOBS:-$(nproc)}
me=$(basename "$0" .sh)

# shellcheck source=kernel/BASE
. "$here/BASE"

say() { echo "$me: $*"; }
die() {
	echo "$me: $*" >&2
	exit 1
}

# git that behaves the same on every machine and needs no identity of the user's.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_NOSYSTEM=1
tgit() {
	git -C "$tree" -c safe.directory="$tree" -c gc.auto=0 -c core.abbrev=12 \
		-c core.fileMode=true -c core.autocrlf=false -c advice.detachedHead=false "$@"
}
base_tag=reclaim-ext-base

# A cache that survives `make clean` and other clones: paths below build/ are
# hashed as relative ones. Depend mode saves the preprocessor run of each miss, a fifth
# of the processor time of a cold build.
export CCACHE_BASEDIR=$build CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-10G}
cc=${KERNEL_CC:-gcc}
hostcc=gcc
if command -v ccache >/dev/null; then
	cc="ccache $cc"
	hostcc="ccache $hostcc"
fi
# Nothing of the time, the host or the clone in the kernel's identity.
export KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 2026'
export KBUILD_BUILD_USER=build KBUILD_BUILD_HOST=reclaim-ext KBUILD_BUILD_VERSION=1
kmake() { make -C "$tree" CC="$cc" HOSTCC="$hostcc" LOCALVERSION= "$@"; }

minutes() { printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }

# progress WHAT LOG EXPECTED_LINES COMMAND...: run COMMAND with its output in LOG
# and say every 20 s how far it is; on failure show what went wrong.
progress() {
	local what=$1 log=$2 expect=$3 began=$SECONDS pid rc=0 n t next=20
	shift 3
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	# A job in the background doesn't get the terminal's Ctrl-C.
	# shellcheck disable=SC2064
	trap "kill $pid 2>/dev/null; wait $pid; exit 130" INT TERM HUP
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.5
		t=$((SECONDS - began))
		[ "$t" -ge "$next" ] || continue
		next=$((t + 20))
		n=$(wc -l <"$log")
		if [ "$n" -lt "$expect" ] && [ "$n" -gt 0 ]; then
			say "$what: $n of about $expect steps ($((n * 100 / expect)) %)" \
				"after $(minutes $t), about $(minutes $((t * (expect - n) / n))) left"
		else
			say "$what: $n steps after $(minutes $t), nearly done"
		fi
	done
	wait "$pid" || rc=$?
	trap - INT TERM HUP
	if [ "$rc" -ne 0 ]; then
		grep -nE 'error|Error|undefined reference' "$log" | head -20 >&2 || true
		tail -n 15 "$log" >&2
		die "$what failed; the whole log: $log"
	fi
}

# Version of a kernel tree or of its Makefile's text on standard input.
makefile_version() {
	awk -F' *= *' '$1=="VERSION"{v=$2} $1=="PATCHLEVEL"{p=$2} $1=="SUBLEVEL"{s=$2}
		END {print v "." p "." s}'
}
