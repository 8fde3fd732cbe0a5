#!/bin/bash
# The bench's part in the VM: runs the jobs of $RECLAIM_OUT/jobs.tsv one by one.
#
# A job is a cell, an arm and a run; each gets a fresh memory cgroup and a fresh
# link. Its row is appended to $RECLAIM_OUT/rows.jsonl as soon as it is measured,
# and $RECLAIM_OUT/current names the job under way, so that a boot that ends
# early loses one job, not the rest.
set -euo pipefail

build=${1:?usage: guest.sh BUILD_DIR}
out=${RECLAIM_OUT:?run this through selftests/bench/run.sh}
[ "${RECLAIM_VM:-}" = 1 ] || {
	echo "guest.sh: this formats /dev/ram0 and drops caches: for the VM only" >&2
	exit 2
}
disk=/mnt/bench cgroups=/sys/fs/cgroup pins=/sys/fs/bpf/bench
release=$(uname -r)

say() { echo "bench: $*" >&2; }

# --- disk and files --------------------------------------------------------------

work=$(mktemp -d)
# On tmpfs, charged to the root cgroup: the programs' own pages are nobody's refaults,
# and a build on the host changes nothing here.
cp "$build/bin/bpftool" "$build/bench/"{reader,builder,ycsb} "$work/"
reader=$work/reader bpftool=$work/bpftool
mkdir -p "$disk" "$pins"
/sbin/mke2fs -q -t ext4 -O ^has_journal -U 00000000-0000-4000-8000-000000000001 \
	-E hash_seed=00000000-0000-4000-8000-000000000002,lazy_itable_init=0,nodiscard -F /dev/ram0
echo 128 >/sys/block/ram0/queue/read_ahead_kb
mount -t ext4 /dev/ram0 "$disk"
if [ -e /sys/kernel/mm/transparent_hugepage/enabled ]; then
	echo never >/sys/kernel/mm/transparent_hugepage/enabled
fi
blocks=$(awk '{ for (i = 1; i < NF; i++) if ($i == "--blocks" && $(i + 1) > most) most = $(i + 1) }
	END { print (most > 32768 ? most : 32768) }' "$out/jobs.tsv")
"$reader" --create --blocks "$blocks" "$disk/file"
if grep -qE -- '--other-blocks|tenants' "$out/jobs.tsv"; then
	"$reader" --create --blocks 24576 "$disk/other"
fi
truncate -s 64G "$disk/once"
sync
if grep -q idle "$out/jobs.tsv"; then
	echo $((256 << 20)) >/sys/block/zram0/disksize
	mkswap /dev/zram0 >/dev/null
	swapon /dev/zram0
fi

# --- cgroups and policies ----------------------------------------------------------

# new_cgroup NAME MB SWAP_MB
new_cgroup() {
	mkdir "$cgroups/$1"
	echo $(($2 << 20)) >"$cgroups/$1/memory.max"
	if [ -e "$cgroups/$1/memory.swap.max" ]; then
		echo $(($3 << 20)) >"$cgroups/$1/memory.swap.max"
	fi
}

# in_cgroup NAME COMMAND...
in_cgroup() {
	echo "$BASHPID" >"$cgroups/$1/cgroup.procs"
	shift
	exec "$@"
}

attach() { # ARM CGROUP
	[ "$1" != none ] || return 0
	"$bpftool" struct_ops register "$out/policies/$1.bpf.o" "$pins" cgroup "$cgroups/$2" \
		>"$work/attach" 2>&1 || {
		tail -n 3 "$work/attach" >&2
		return 1
	}
}

detach() { # ARM CGROUP
	local pin
	[ "$1" != none ] || return 0
	for pin in "$pins"/*; do
		"$bpftool" link detach pinned "$pin" >/dev/null 2>&1 || true
		rm -f "$pin"
	done
}

# The policy in force, as the kernel names it.
policy_of() {
	sed -n 's/^policy //p' "$cgroups/$1/memory.reclaim_ext" 2>/dev/null || echo none
}

# The lines "hook calls=N changed=N ..." as an object.
hooks_of() {
	jq -Rnc '[inputs | select(test(" calls=")) | split(" ") | {key: .[0], value:
		(.[1:] | map(split("=") | {key: .[0], value: (.[1] | tonumber)}) | from_entries)}] |
		from_entries' "$cgroups/$1/memory.reclaim_ext" 2>/dev/null || echo '{}'
}

# --- jobs --------------------------------------------------------------------------

# Print the JSON of the pass that counts; the cgroup is "bench".
# shellcheck disable=SC2086 # options are words
run_reader() { # SEQUENCE READER
	local other=''
	case " $1 " in
	*' --other-blocks '*) other="--other-file $disk/other" ;;
	*' --other '*) other="--other-file $disk/once" ;;
	esac
	(in_cgroup bench "$reader" --warmup 1 $1 $2 $other --cgroup "$cgroups/bench" "$disk/file") >"$work/passes" || true
	tail -n 1 "$work/passes"
}

run_tenants() { # SEQUENCE READER
	local row neighbour
	new_cgroup neighbour 40 0
	(in_cgroup neighbour "$reader" --pattern zipf --theta 0.8 --blocks 24576 --reads 500000 --warmup 1 \
		--cgroup "$cgroups/neighbour" "$disk/other") >"$work/neighbour" &
	row=$(run_reader "$1" "$2")
	wait
	rmdir "$cgroups/neighbour"
	neighbour=$(tail -n 1 "$work/neighbour")
	jq -c --argjson n "${neighbour:-null}" '.neighbour = $n.refaults_per_read | .errors += $n.errors' <<<"$row"
}

run_build() { # OPTIONS
	local tree=$disk/tree
	# shellcheck disable=SC2086 # options are words
	(in_cgroup bench "$work/builder" $1 --cgroup "$cgroups/bench" "$tree") || true
	rm -rf "$tree"
}

run_ycsb() { # OPTIONS
	local home=$disk/db
	"$work/ycsb" --load "$home"
	sync
	echo 3 >/proc/sys/vm/drop_caches
	# shellcheck disable=SC2086 # options are words
	(in_cgroup bench "$work/ycsb" $1 --cgroup "$cgroups/bench" "$home") || true
	rm -rf "$home"
}

# job CELL ARM RUN KIND MB SWAP ID SEQUENCE READER
job() {
	local cell=$1 arm=$2 kind=$4 row='' wrong='' policy hooks
	sync
	new_cgroup bench "$5" "$6"
	echo 3 >/proc/sys/vm/drop_caches
	if attach "$arm" bench; then
		case $kind in
		reader | probe) row=$(run_reader "$8" "$9") ;;
		tenants) row=$(run_tenants "$8" "$9") ;;
		build) row=$(run_build "$8") ;;
		ycsb) row=$(run_ycsb "$8") ;;
		esac
		policy=$(policy_of bench)
		hooks=$(hooks_of bench)
		[ "$arm" = none ] || [ "$policy" = "$arm" ] ||
			wrong="ended while attached: $(tr '\n' ' ' <"$cgroups/bench/memory.reclaim_ext")"
	else
		hooks='{}' wrong="cannot attach: $(tail -n 1 "$work/attach")"
	fi
	detach "$arm"
	rmdir "$cgroups/bench" || true
	[ -n "$row" ] || wrong=${wrong:-"ended without a result"}
	jq -nc --arg cell "$cell" --arg arm "$arm" --argjson run "$3" --arg kind "$kind" --arg policy "$7" \
		--arg release "$release" --arg date "$date" --arg wrong "$wrong" --argjson hooks "$hooks" \
		--argjson p "${row:-null}" '
		{ cell: $cell, arm: $arm, run: $run, reads: $p.reads, refaults: $p.workingset_refault_file,
		  refaults_per_read: $p.refaults_per_read,
		  judged: (if $kind == "probe" and $p then $p.misses / $p.probes else $p.refaults_per_read end),
		  pswpout: $p.pswpout, pswpin: $p.pswpin, evictions: $p.pgsteal, scanned: $p.pgscan,
		  activated: $p.workingset_activate_file, restored: $p.workingset_restore_file,
		  pgactivate: $p.pgactivate, refaults_anon: $p.workingset_refault_anon,
		  nodereclaim: $p.workingset_nodereclaim, majfaults: $p.pgmajfault,
		  neighbour: $p.neighbour, p50_ns: $p.p50_ns, p99_ns: $p.p99_ns, errors: $p.errors,
		  seconds: (($p.elapsed_ns // 0) / 1e9), policy: $policy, kernel: $release, date: $date,
		  wrong: (if $wrong != "" then $wrong elif ($p.errors // 0) > 0 then "reads failed" else null end),
		  hooks: $hooks }' >"$work/row"
	cat "$work/row" >>"$out/rows.jsonl"
}

# Estimates go by the reads that are left.
reads_of() {
	sed -n 's/.*--reads \([0-9]*\).*/\1/p' <<<"$1"
}
total=$(wc -l <"$out/jobs.tsv") left=0 done_reads=0 n=0 began=$SECONDS
date=$(cat "$out/date")
while IFS=$'\t' read -r _ _ _ _ _ _ _ sequence _; do
	reads=$(reads_of "$sequence")
	left=$((left + ${reads:-500000}))
done <"$out/jobs.tsv"

say "$total jobs on Linux $release"
while IFS=$'\t' read -r cell arm run kind mb swap id sequence options; do
	n=$((n + 1))
	printf '%s\t%s\t%s\t%s\n' "$cell" "$arm" "$run" "$id" >"$out/current"
	job "$cell" "$arm" "$run" "$kind" "$mb" "$swap" "$id" "$sequence" "$options" </dev/null
	reads=$(reads_of "$sequence")
	reads=${reads:-500000}
	done_reads=$((done_reads + reads)) left=$((left - reads))
	say "$n/$total $cell $arm run $run: $(jq -r '.wrong // "\(.judged * 1e6 | round / 1e6)"' "$work/row")," \
		"$(((left / 1000) * (SECONDS - began) / (done_reads / 1000 + 1) / 60)) min left"
done <"$out/jobs.tsv"
rm -f "$out/current"
