#!/bin/bash
# Run the tests of reclaim_ext on this machine, a booted patched kernel (KTAP).
#
# usage: selftests/reclaim_ext/run_tests.sh [--part K/N] [TEST...]
#
# --part K/N: of these tests only each N-th, beginning with the K-th, so that N
# machines can share them.
#
# TEST is a name like test_attach (also without test_); all of them by default.
# One program alone, or a part of its tests:
#   build/selftests/test_attach ["words of a name"...]
#
# RECLAIM_TEST_SCALE=F   times F as many rounds where a test has many (default 1,
#                        0.1 on a kernel with KASAN or lockdep)
# RECLAIM_TEST_DISK=DEV  scratch disk of at least 150 MB, is formatted (/dev/ram0)
# RECLAIM_TEST_ZRAM=DEV  zram device, is reset and used as swap (/dev/zram0)
set -euo pipefail

# In this order: the last one uses up what cannot be given back before a reboot.
# Every second one is in the other half of `--part K/2`, which take as long.
all=(test_stress test_hooks test_attach test_cookies test_deny test_kfuncs test_exit
	test_bpftool test_errors test_decide test_fail test_formats)

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
cd "$here/../.."
build=${RECLAIM_BUILD:-$PWD/build}
export RECLAIM_BUILD=$build

case ${1:-} in
-h | --help) sed -n '3,17s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac

bail() {
	echo "Bail out! $*"
	exit 1
}

part=1/1
if [ "${1:-}" = --part ]; then
	part=${2:-}
	shift $(($# > 1 ? 2 : 1))
	if ! [[ $part =~ ^[1-9][0-9]*/[1-9][0-9]*$ ]] || [ "${part%/*}" -gt "${part#*/}" ]; then
		bail "--part '$part': it is K/N, 1/2 for the first half"
	fi
fi
tests=()
for t in "$@"; do
	t=test_${t#test_}
	[[ " ${all[*]} " == *" $t "* ]] || bail "no test '$t': there are ${all[*]}"
	tests+=("$t")
done
[ ${#tests[@]} -gt 0 ] || tests=("${all[@]}")
mine=()
for ((i = ${part%/*} - 1; i < ${#tests[@]}; i += ${part#*/})); do
	mine+=("${tests[i]}")
done
[ ${#mine[@]} -gt 0 ] || bail "--part $part: there are only ${#tests[@]} tests"
tests=("${mine[@]}")

# A test program that the list above doesn't have would never run.
for f in "$here"/test_*.c "$here"/test_*.sh; do
	t=$(basename "$f")
	t=${t%.*}
	[[ " ${all[*]} " == *" $t "* ]] || bail "$f is not in the list of run_tests.sh: add it"
done

# --- what this machine must have --------------------------------------------

[ "$(id -u)" = 0 ] || bail "not root: run it with sudo, or in a VM: selftests/vm/run -- $0"
[ "$(stat -f -c %T /sys/fs/cgroup 2>/dev/null)" = cgroup2fs ] ||
	bail "no cgroup2 at /sys/fs/cgroup: boot with systemd.unified_cgroup_hierarchy=1 or mount it there"
grep -qw memory /sys/fs/cgroup/cgroup.controllers ||
	bail "the memory controller is not in /sys/fs/cgroup/cgroup.controllers: remove cgroup_disable=memory or unmount cgroup v1"
grep -qw memory /sys/fs/cgroup/cgroup.subtree_control ||
	bail "the memory controller is off: echo +memory >/sys/fs/cgroup/cgroup.subtree_control"
[ -e /sys/fs/cgroup/memory.reclaim_ext ] ||
	bail "kernel $(uname -r) has no memory.reclaim_ext: boot one with the series and CONFIG_RECLAIM_EXT=y (make kernel), or use the VM: selftests/vm/run -- $0"
[ "$(stat -f -c %T /sys/fs/bpf 2>/dev/null)" = bpf_fs ] ||
	bail "no bpffs at /sys/fs/bpf: mount -t bpf bpf /sys/fs/bpf"
[ -r /sys/kernel/debug/lru_gen ] ||
	bail "no /sys/kernel/debug/lru_gen: mount -t debugfs debugfs /sys/kernel/debug"
[ -d /sys/kernel/tracing/instances ] ||
	bail "no tracefs at /sys/kernel/tracing: mount -t tracefs tracefs /sys/kernel/tracing"
if grep -L '^policy none$' /sys/fs/cgroup/memory.reclaim_ext | grep -q .; then
	bail "the root cgroup has a policy: detach it first (bpftool link show)"
fi
PATH=$PATH:/usr/sbin:/sbin
for tool in mke2fs mkswap; do
	command -v "$tool" >/dev/null || bail "$tool is missing: apt-get install e2fsprogs util-linux"
done

# What tries locks and memory is an order of magnitude slower.
if [ -z "${RECLAIM_TEST_SCALE:-}" ] && zcat /proc/config.gz 2>/dev/null |
	grep -Eq '^CONFIG_(KASAN|PROVE_LOCKING)=y'; then
	RECLAIM_TEST_SCALE=0.1
fi
export RECLAIM_TEST_SCALE=${RECLAIM_TEST_SCALE:-1}

# --- run --------------------------------------------------------------------

out=$(mktemp)
trap 'rm -f "$out"' EXIT
n=0 failed=0
echo "KTAP version 1"
echo "1..${#tests[@]}"
for t in "${tests[@]}"; do
	n=$((n + 1))
	program=$build/selftests/$t
	[ ! -e "$here/$t.sh" ] || program=$here/$t.sh
	if [ ! -x "$program" ]; then
		echo "# $program is missing: run make selftests-build"
		echo "not ok $n $t"
		failed=1
		continue
	fi
	began=$SECONDS rc=0
	"$program" 2>&1 | tee "$out" | sed -u 's/^/    /' || rc=$?
	# Every test of the plan must have said how it went.
	plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$out" | head -n 1)
	results=$(grep -cE '^(not )?ok ' "$out" || true)
	bad=$(grep -c '^not ok ' "$out" || true)
	if [ "$rc" != 0 ] || [ "$bad" != 0 ] || [ "${plan:-0}" = 0 ] || [ "$results" != "$plan" ]; then
		echo "# status $rc, $results of ${plan:-no} results, $bad failed, $((SECONDS - began)) s"
		echo "not ok $n $t"
		failed=1
	else
		echo "# $((SECONDS - began)) s"
		echo "ok $n $t"
	fi
done
exit $failed
