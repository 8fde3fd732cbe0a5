#!/bin/bash
# Run the tests of reclaimctl on this machine, a booted patched kernel (KTAP).
#
# usage: selftests/loader/run_tests.sh [TEST...]
#
# TEST is a name like test_apply, also without test_; all of them by default.
# RECLAIMCTL=FILE tests this program instead of build/bin/reclaimctl, e.g. one under ASan.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
cd "$here/../.."
build=${RECLAIM_BUILD:-$PWD/build}
export RECLAIM_BUILD=$build
case ${1:-} in
-h | --help) sed -n '4,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
bail() {
	echo "Bail out! $*"
	exit 1
}
[ "$(id -u)" = 0 ] || bail "not root: run it with sudo, or in a VM: selftests/vm/run -- $0"
[ -e /sys/fs/cgroup/memory.reclaim_ext ] ||
	bail "kernel $(uname -r) has no memory.reclaim_ext: use the VM: selftests/vm/run -- $0"
[ -x "$build/bin/reclaimctl" ] || bail "$build/bin/reclaimctl is missing: run make reclaimctl"
command -v jq >/dev/null || bail "jq is missing: apt-get install jq"

tests=("$@")
if [ ${#tests[@]} = 0 ]; then
	for f in "$here"/test_*.sh; do tests+=("$(basename "$f" .sh)"); done
fi
out=$(mktemp)
trap 'rm -f "$out"' EXIT
n=0 failed=0
echo "KTAP version 1"
echo "1..${#tests[@]}"
for t in "${tests[@]}"; do
	t=test_${t#test_}
	n=$((n + 1)) began=$SECONDS rc=0
	[ -x "$here/$t.sh" ] || bail "no test '$t'"
	"$here/$t.sh" 2>&1 | tee "$out" | sed -u 's/^/    /' || rc=$?
	# the plan comes last: one that ended early has none
	if [ "$rc" != 0 ] || ! grep -q '^1\.\.[1-9]' "$out" || grep -q '^not ok' "$out"; then
		echo "not ok $n $t"
		failed=1
	else
		echo "# $((SECONDS - began)) s"
		echo "ok $n $t"
	fi
done
exit $failed
