# shellcheck shell=bash
# What the tests of reclaimctl share: run it, look at its answer, count (KTAP).

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
build=${RECLAIM_BUILD:-$(cd "$here/../.." && pwd -P)/build}
# shellcheck disable=SC2034 # used by the tests
bpftool=$build/bin/bpftool ctl=${RECLAIMCTL:-$build/bin/reclaimctl}
pins=/sys/fs/bpf/reclaimctl
base=/sys/fs/cgroup/reclaimctl.$$
# shellcheck disable=SC2034 # used by the tests
rel=/reclaimctl.$$
tmp=$(mktemp -d)

# shellcheck disable=SC2317 # called by the trap
clean() {
	rm -rf "$tmp" "${pins:?}"/reclaimctl%2E$$*
	find "$base" -depth -type d -exec rmdir {} + 2>/dev/null || true
}
trap clean EXIT
mkdir "$base"
echo +memory >"$base/cgroup.subtree_control"

n=0 failed=0
result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		sed 's/^/# /' "$tmp/out" | head -n 40
		echo "not ok $n $2"
		failed=1
	fi
}
is() { # NAME GOT WANTED
	echo "got '$2', wanted '$3'" >"$tmp/out"
	if [ "$2" = "$3" ]; then result 0 "$1"; else result 1 "$1"; fi
}
# As grep -qE, without a process: they are slow to start in the VM.
has_line() { # PATTERN FILE
	local line
	while IFS= read -r line; do
		[[ ! $line =~ $1 ]] || return 0
	done <"$2"
	return 1
}
# run STATUS NAME PATTERN ARGUMENT...: reclaimctl's status, and a line of what it says.
run() {
	local want=$1 name=$2 pattern=$3 rc=0
	shift 3
	"$ctl" "$@" >"$tmp/out" 2>&1 </dev/null || rc=$?
	[ "$rc" != "$want" ] || [ -z "$pattern" ] || has_line "$pattern" "$tmp/out" || rc=missing
	if [ "$rc" != "$want" ]; then
		echo "wanted $want and '$pattern', got $rc" >>"$tmp/out"
		result 1 "$name"
	else
		result 0 "$name"
	fi
}
# json NAME FILTER ARGUMENT...: the jq filter must be true of the answer.
json() {
	local name=$1 filter=$2 rc=0
	shift 2
	"$ctl" "$@" --json >"$tmp/out" 2>"$tmp/err" </dev/null || true
	jq -e "(.schema == 1) and ($filter)" "$tmp/out" >/dev/null 2>>"$tmp/err" || rc=1
	[ "$rc" = 0 ] || cat "$tmp/err" >>"$tmp/out"
	result "$rc" "$name"
}
# The policy that the kernel says is in force.
in_force() { # POLICY CGROUP
	local line=''
	read -r line <"$2/memory.reclaim_ext" || true
	is "${2#/sys/fs/cgroup}: the kernel says" "$line" "policy $1"
}
pin_of() { # CGROUP
	printf '%s/%s' "$pins" "$(printf %s "${1#/sys/fs/cgroup/}" | sed 's/\./%2E/g; s,/,%2F,g')"
}
finish() {
	echo "1..$n"
	exit "$failed"
}
