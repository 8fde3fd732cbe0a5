#!/bin/bash
# Test of reclaimctl with 1,000 memcgs: time, processor and memory (KTAP).
# shellcheck disable=SC2154 # lib.sh sets them
set -euo pipefail
# shellcheck source=selftests/loader/lib.sh
. "$(dirname "$0")/lib.sh"

count=${RECLAIM_SCALE_COUNT:-1000}
echo "KTAP version 1"
for ((i = 0; i < count; i++)); do echo "$base/g$i"; done | xargs mkdir
{
	printf 'version: 1\ncgroups:\n'
	for ((i = 0; i < count; i++)); do printf '  %s/g%d: {policy: refault_distance}\n' "$rel" "$i"; done
} >"$tmp/f.yaml"

ms() { echo $((${EPOCHREALTIME/./} / 1000)); }
below() { # NAME GOT LIMIT UNIT
	echo "# $1: $2 $4, at most $3"
	echo "$2 $4, at most $3" >"$tmp/out"
	if [ "$2" -le "$3" ]; then result 0 "$1"; else result 1 "$1"; fi
}
# What the kernel itself uses, without caches of file systems.
kernel_kb() {
	awk '/^(SUnreclaim|Percpu|KernelStack|PageTables|VmallocUsed):/ {n += $2} END {print n}' /proc/meminfo
}

began=$(ms)
run 0 "apply attaches all" "^$count of $count cgroups changed" apply "$tmp/f.yaml"
below "time of apply" $(($(ms) - began)) 10000 ms
began=$(ms)
run 0 "apply again" "^0 of $count cgroups changed" apply "$tmp/f.yaml"
echo "# $(($(ms) - began)) ms"
began=$(ms)
run 0 "status" "refault_distance" status
took=$(($(ms) - began))
is "all of them are in it" "$(grep -c '"refault_distance" attached' "$tmp/out")" "$count"
below "time of status" "$took" 1000 ms

# processor time of top, after the first round
"$ctl" top -i 2 -n 8 >"$tmp/top" 2>&1 &
top=$!
for ((i = 0; i < 300; i++)); do
	[ ! -s "$tmp/top" ] || break
	sleep 0.1
done
t0=$(awk '{print $14 + $15}' "/proc/$top/stat" 2>/dev/null || echo 0)
sleep 8
t1=$(awk '{print $14 + $15}' "/proc/$top/stat" 2>/dev/null || echo 0)
kill $top 2>/dev/null || true
wait $top 2>/dev/null || true
below "processor of top, per mille" $(((t1 - t0) * 1000 / (8 * $(getconf CLK_TCK)))) 50 "per mille"

sed 's/policy: .*}/policy: none}/' "$tmp/f.yaml" >"$tmp/none.yaml"
began=$(ms)
run 0 "apply detaches all" "^$count of $count cgroups changed" apply "$tmp/none.yaml"
echo "# $(($(ms) - began)) ms"

# the second time, so that what is allocated once is there
sleep 1
echo 3 >/proc/sys/vm/drop_caches
before=$(kernel_kb)
run 0 "apply attaches all again" "^$count of $count cgroups changed" apply "$tmp/f.yaml"
sleep 1
echo 3 >/proc/sys/vm/drop_caches
used=$((($(kernel_kb) - before) * 1024 / count))
below "kernel memory of an attached memcg" "$used" 4096 bytes
run 0 "apply detaches all" "^$count of $count cgroups changed" apply "$tmp/none.yaml"
is "no pins" "$(find "$pins" -type f | wc -l)" 0
finish
