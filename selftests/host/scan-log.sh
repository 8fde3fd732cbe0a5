#!/bin/bash
# Test of selftests/vm/scan-log: finds every kind of kernel bug, passes clean logs.
set -euo pipefail

scan=$(cd "$(dirname "$0")/../vm" && pwd)/scan-log
n=0 failed=0
result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
	fi
}
noise='[    0.000000] Linux version 7.3.4 (build@host) (gcc) #1 SMP
[    0.523110] kasan: KernelAddressSanitizer initialized (generic)
[    0.623110] rcu: Hierarchical RCU implementation.
[    0.733110] Lock dependency validator: Copyright (c) 2006 Red Hat, Inc., Ingo Molnar
[    0.833110] Kernel command line: console=ttyS0 panic=-1 oops=panic
[    1.234567] ram0: detected capacity change from 0 to 819200'

# finds NAME LINE: the line, between harmless ones, is found and printed.
finds() {
	local out rc=0
	out=$(printf '%s\n%s\n%s\n' "$noise" "$2" "$noise" | "$scan") || rc=$?
	if [ "$rc" = 1 ] && [ "$out" = "$2" ]; then
		result 0 "finds $1"
	else
		echo "# status $rc, printed: $out"
		result 1 "finds $1"
	fi
}
# passes NAME LINE
passes() {
	local out rc=0
	out=$(printf '%s\n%s\n' "$noise" "$2" | "$scan" -) || rc=$?
	if [ "$rc" = 0 ] && [ -z "$out" ]; then
		result 0 "passes $1"
	else
		echo "# status $rc, printed: $out"
		result 1 "passes $1"
	fi
}

echo TAP version 13
echo 1..33
finds "BUG: unable to handle" '[   10.1] BUG: unable to handle page fault for address: ffff888100000000'
finds "null pointer" '[   10.1] BUG: kernel NULL pointer dereference, address: 0000000000000008'
finds "kernel BUG at" '[   10.1] kernel BUG at mm/vmscan.c:1234!'
finds "slab corruption" '[   10.1] BUG kmalloc-64 (Not tainted): Poison overwritten'
finds "bad page state" '[   10.1] BUG: Bad page state in process reader  pfn:12345'
finds "sleeping while atomic" '[   10.1] BUG: sleeping function called from invalid context at kernel/locking/mutex.c:283'
finds "scheduling while atomic" '[   10.1] BUG: scheduling while atomic: reader/77/0x00000002'
finds "soft lockup" '[   10.1] watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [reader:77]'
finds "workqueue lockup" '[   10.1] BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 31s!'
finds "hard lockup" '[   10.1] NMI watchdog: Watchdog detected hard LOCKUP on cpu 0'
finds "WARN_ON, with CPU" '[   10.1] WARNING: CPU: 0 PID: 1 at mm/vmscan.c:99 shrink_lruvec+0x1/0x2'
finds "WARN_ON, newer" '[   10.1] WARNING: mm/vmscan.c:99 at shrink_lruvec+0x1/0x2, CPU#0: reader/77'
finds "lockdep circular" '[   10.1] WARNING: possible circular locking dependency detected'
finds "lockdep irq inversion" '[   10.1] WARNING: inconsistent lock state'
finds "suspicious RCU usage" '[   10.1] WARNING: suspicious RCU usage'
finds "lockdep key" '[   10.1] INFO: trying to register non-static key.'
finds "lockdep out of memory" '[   10.1] BUG: MAX_LOCKDEP_CHAINS too low!'
finds "KASAN" '[   10.1] BUG: KASAN: slab-use-after-free in reclaim_ext_detach+0x11/0x22'
finds "UBSAN" '[   10.1] UBSAN: array-index-out-of-bounds in mm/workingset.c:77:3'
finds "list corruption" '[   10.1] list_del corruption. prev->next should be ffff, but was dead'
finds "refcount" '[   10.1] refcount_t: underflow; use-after-free.'
finds "debug objects" '[   10.1] ODEBUG: free active (active state 0) object: ffff888 object type: work_struct'
finds "RCU stall, own" '[   60.1] rcu: INFO: rcu_preempt self-detected stall on CPU'
finds "RCU stall, other" '[   60.1] rcu: INFO: rcu_sched detected stalls on CPUs/tasks: { 0 }'
finds "RCU stall, tasks" '[   60.1] rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 0-... }'
finds "hung task" '[  243.1] INFO: task reader:77 blocked for more than 120 seconds.'
finds "oops" '[   10.1] Oops: Oops: 0000 [#1] SMP NOPTI'
finds "general protection" '[   10.1] Oops: general protection fault, probably for non-canonical address 0xdead: 0000'
finds "panic" '[   10.1] Kernel panic - not syncing: Fatal exception'
passes "a clean log" '[   10.1] reclaim-vm: end 1 0'
passes "an OOM kill of a memcg" '[   10.1] reader invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0
[   10.1] Call Trace:
[   10.1]  dump_header+0x4a/0x240
[   10.2] Memory cgroup out of memory: Killed process 77 (reader) total-vm:5284kB'
passes "words that only look alike" '[   10.1] DEBUG: all well; kernel.panic_on_warn = 0; PM: debug_warnings off'
# A missing log is not a clean one.
if "$scan" /nonexistent/console.log 2>/dev/null; then
	result 1 "refuses a log that isn't there"
else
	result 0 "refuses a log that isn't there"
fi
exit $failed
