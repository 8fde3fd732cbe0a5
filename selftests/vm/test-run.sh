#!/bin/bash
# Test of selftests/vm/run: each of its statuses, and what the guest offers (TAP).
set -euo pipefail

cd "$(dirname "$0")/../.."
vm=${VM_RUN:-selftests/vm/run}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0

# expect STATUS NAME TEXT RUN_ARGUMENT...: status, and TEXT in stdout or stderr.
expect() {
	local want=$1 name=$2 text=$3 rc=0
	shift 3
	"$vm" "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	n=$((n + 1))
	if [ "$rc" = "$want" ] && { [ -z "$text" ] || grep -q -e "$text" "$tmp/out" "$tmp/err"; }; then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		echo "# wanted status $want and '$text', got status $rc and:"
		cat "$tmp/out" "$tmp/err" | sed 's/^/# /'
		failed=1
	fi
}
check() {
	local name=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n $name"
	else
		echo "not ok $n $name"
		failed=1
	fi
}

echo TAP version 13
echo 1..17
expect 0 "a command that succeeds" '^hello$' -- echo hello
expect 7 "exit status passes through" '' -- bash -c 'exit 7'
expect 127 "a command that isn't there" '' -- /nonexistent/command
expect 3 "stdout and stderr" '' -- bash -c 'echo to-out; echo to-err >&2; echo by-name >/dev/stderr; exit 3'
check "stdout comes alone" test "$(cat "$tmp/out")" = to-out
check "stderr comes alone" test "$(cat "$tmp/err")" = $'to-err\nby-name'
expect 0 "arguments keep their shape" "^<a b><it's><\\\$x \"q\">" -- printf '<%s>' 'a b' "it's" "\$x \"q\"" ''
# shellcheck disable=SC2016 # expanded in the guest
expect 0 "the guest offers what it promises" '^all there$' -- bash -ec '
	t() { "$@" || { echo "missing: $*"; exit 1; }; }
	t test -x selftests/vm/run
	t grep -qw memory /sys/fs/cgroup/cgroup.subtree_control
	t test "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs
	t test "$(stat -f -c %T /sys/fs/bpf)" = bpf_fs
	t test -d /sys/kernel/debug/bdi
	t test -e /sys/kernel/tracing/trace_pipe
	t test "$(cat /sys/block/ram0/size)" -ge 614400
	t test -b /dev/zram0
	t test "$(cat /sys/kernel/mm/lru_gen/enabled)" != 0x0000
	t test "$(nproc)" = 2
	t test "$(awk "/MemTotal/ {print int(\$2 / 1024)}" /proc/meminfo)" -ge 1800
	t test "$(id -u)" = 0
	t unshare -U true
	t touch /etc/only-in-the-guest
	t mkfs.ext4 -q /dev/ram0
	echo all there'
check "the host keeps its files" test ! -e /etc/only-in-the-guest
# shellcheck disable=SC2016
expect 0 "a file reaches the host" '' --out "$tmp/share" -- bash -c 'echo result >"$RECLAIM_OUT/file"'
check "the file is there" grep -qx result "$tmp/share/file"
expect 202 "time-out" 'time-out' --timeout 6 -- sleep 1000
expect 203 "a bug report in the log" 'BUG: test' -- bash -c 'echo "BUG: test" >/dev/kmsg'
expect 203 "a panic" 'Kernel panic' -- bash -c 'echo c >/proc/sysrq-trigger'
expect 204 "no end marker" 'no end marker' -- bash -c 'echo o >/proc/sysrq-trigger; sleep 60'
expect 201 "a boot that fails" 'boot failed' --append 'rdinit=/bin/true' -- true
expect 200 "wrong usage" 'unknown option' --no-such-option -- true
exit $failed
