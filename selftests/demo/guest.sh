#!/bin/bash
# The demo's part in the VM: reads in a small memory cgroup while policies come and go.
#
# Writes to the folder $RECLAIM_OUT: facts.json, rounds.jsonl (a line per round
# of the reader that runs through all phases), phases.jsonl (which rounds belong
# to which phase), zipf.jsonl, status.txt. report.sh makes the report of them.
set -euo pipefail

build=build rounds=5 zipf_reads=1000000
while [ $# -gt 0 ]; do
	case $1 in
	--build) build=$2 ;;
	--rounds) rounds=$2 ;;
	--zipf-reads) zipf_reads=$2 ;;
	*)
		echo "guest.sh: unknown option '$1'" >&2
		exit 2
		;;
	esac
	shift 2
done

out=${RECLAIM_OUT:?run this through selftests/demo/run.sh}
[ "${RECLAIM_VM:-}" = 1 ] || {
	echo "guest.sh: this formats /dev/ram0 and drops caches: for the VM only" >&2
	exit 2
}
bpftool=$build/bin/bpftool
policies=$build/policies
pins=/sys/fs/bpf/demo
blocks=32768 round_reads=$((4 * 32768))
disk=/mnt/demo
cgroups=/sys/fs/cgroup
main_max=$((100 << 20)) zipf_max=$((54 << 20))

reader_pid=''
# shellcheck disable=SC2317 # called by the trap
cleanup() {
	[ -z "$reader_pid" ] || kill -KILL "$reader_pid" 2>/dev/null || true
}
trap cleanup EXIT

say() { printf '[%5.1f s] %s\n' "$(cut -d' ' -f1 /proc/uptime)" "$*" >&2; }
fail() {
	say "failed: $*"
	exit 1
}

# --- disk, file, cgroups -----------------------------------------------------

say "making a file of $((blocks / 256)) MiB on a RAM disk"
work=$(mktemp -d)
# On tmpfs, charged to the root cgroup: the reader's own pages are nobody's refaults.
cp "$build/bench/reader" "$work/reader"
reader=$work/reader
mkdir -p "$disk" "$pins"
/sbin/mke2fs -q -t ext4 -O ^has_journal -U 00000000-0000-4000-8000-000000000001 \
	-E hash_seed=00000000-0000-4000-8000-000000000002,lazy_itable_init=0,nodiscard -F /dev/ram0
echo 128 >/sys/block/ram0/queue/read_ahead_kb
mount -t ext4 /dev/ram0 "$disk"
if [ -e /sys/kernel/mm/transparent_hugepage/enabled ]; then
	echo never >/sys/kernel/mm/transparent_hugepage/enabled
fi
"$reader" --create --blocks "$blocks" "$disk/file"
sync

# new_cgroup NAME BYTES: without swap
new_cgroup() {
	mkdir "$cgroups/$1"
	echo "$2" >"$cgroups/$1/memory.max"
	if [ -e "$cgroups/$1/memory.swap.max" ]; then
		echo 0 >"$cgroups/$1/memory.swap.max"
	fi
	sync
	echo 3 >/proc/sys/vm/drop_caches
}

# in_cgroup NAME COMMAND...
in_cgroup() {
	echo "$BASHPID" >"$cgroups/$1/cgroup.procs"
	shift
	exec "$@"
}

register() { # POLICY CGROUP
	"$bpftool" struct_ops register "$policies/$1.bpf.o" "$pins" cgroup "$cgroups/$2" >&2
	# Pinned under the name of the map, of which the kernel keeps 15 letters.
	link=$(echo "$pins"/*)
}
replace() { # POLICY
	"$bpftool" struct_ops replace "$link" "$policies/$1.bpf.o" >&2
}
detach() {
	"$bpftool" link detach pinned "$link" >&2
	rm "$link"
}
status() { # TITLE CGROUP
	{
		echo "== $1"
		cat "$cgroups/$2/memory.reclaim_ext"
		echo
		"$bpftool" map dump name counters 2>/dev/null || true
	} >>"$out/status.txt"
}

# effective POLICY CGROUP: that policy, or none if empty, must be what the kernel names
effective() {
	local file=$cgroups/$2/memory.reclaim_ext
	[ -e "$file" ] || fail "no $file: this kernel has no reclaim_ext"
	if [ -n "$1" ]; then
		grep -qw "$1" "$file" || fail "$file doesn't name $1: $(head -3 "$file")"
	fi
}

jq -n --arg kernel "$(uname -r)" --argjson cpus "$(nproc)" --argjson blocks "$blocks" \
	--argjson round_reads "$round_reads" --argjson max "$main_max" --argjson zipf_max "$zipf_max" --argjson rounds "$rounds" \
	'{kernel: $kernel, cpus: $cpus, file_bytes: ($blocks * 4096), round_reads: $round_reads, memory_max: $max,
	  zipf_memory_max: $zipf_max, rounds: $rounds}' >"$out/facts.json"
: >"$out/phases.jsonl"
: >"$out/zipf.jsonl"
: >"$out/status.txt"

# --- policies under a reader that never stops ----------------------------------

log=$work/rounds.jsonl
lines() { wc -l <"$log"; }

# Waits until the reader has written that many lines.
wait_lines() {
	while [ "$(lines)" -lt "$1" ]; do
		[ -d "/proc/$reader_pid" ] || fail "the reader ended"
		sleep 0.2
	done
}

phase=0
# run_phase POLICY ATTACHED METHOD: measures what has just been set up. The round
# that was under way belongs to both sides, the next one warms up.
run_phase() {
	local first
	# Reading in one fixed order has several steady states. Every phase starts from
	# a cgroup without page cache, so that none inherits that of the one before.
	echo "$main_max" >"$cgroups/demo/memory.reclaim" 2>/dev/null || true
	first=$(lines)
	phase=$((phase + 1))
	say "phase $phase of 5: $1 ($3), $rounds rounds of $round_reads reads after one to warm up"
	wait_lines $((first + 2 + rounds))
	jq -nc --arg policy "$1" --argjson attached "$2" --arg method "$3" \
		--argjson first "$first" --argjson rounds "$rounds" \
		'{policy: $policy, attached: $attached, method: $method, first: $first,
		  measured: ($first + 2), end: ($first + 2 + $rounds)}' >>"$out/phases.jsonl"
	status "phase $phase: $1 ($3)" demo
}

new_cgroup demo "$main_max"
: >"$log"
in_cgroup demo "$reader" --engine mmap --pattern shuffle --blocks "$blocks" --reads "$round_reads" --continuous \
	--cgroup "$cgroups/demo" "$disk/file" >"$log" &
reader_pid=$!

effective '' demo
run_phase stock false "no policy"
register refault_distance demo
effective refault_distance demo
run_phase refault_distance true "bpftool struct_ops register"
replace stock
effective stock demo
run_phase stock true "bpftool struct_ops replace"
replace refault_distance
effective refault_distance demo
run_phase refault_distance true "bpftool struct_ops replace"
detach
run_phase stock false "bpftool link detach"

kill -TERM "$reader_pid"
wait "$reader_pid" || say "the reader saw errors"
reader_pid=''
cp "$log" "$out/rounds.jsonl"
rmdir "$cgroups/demo"

# --- zipf: nothing may get worse -------------------------------------------------

for engine in mmap fd; do
	for policy in stock refault_distance; do
		say "zipf 0.8 by $engine, $policy: 2 x $zipf_reads reads"
		new_cgroup zipf "$zipf_max"
		if [ "$policy" != stock ]; then
			register "$policy" zipf
		fi
		(in_cgroup zipf "$reader" --engine "$engine" --pattern zipf --theta 0.8 \
			--blocks "$blocks" --reads "$zipf_reads" --warmup 1 \
			--cgroup "$cgroups/zipf" "$disk/file") >"$work/zipf" ||
			say "the reader saw errors"
		jq -c --arg policy "$policy" 'select(.warmup | not) | .policy = $policy' \
			"$work/zipf" >>"$out/zipf.jsonl"
		status "zipf $engine $policy" zipf
		if [ "$policy" != stock ]; then
			detach
		fi
		rmdir "$cgroups/zipf"
	done
done
umount "$disk"
say "done"
