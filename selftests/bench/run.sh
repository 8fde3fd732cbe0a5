#!/bin/bash
# The bench: boots the VM and measures every policy in every cell, as far as not yet done (make bench).
set -euo pipefail

usage() {
	cat <<'END'
usage: [CELLS=..] [ARMS=..] [RUNS=N] [QUICK=1] selftests/bench/run.sh [OPTIONS]

  CELLS="A B"   cells of selftests/bench/cells (patterns like "fd-*"; default all)
  ARMS="A B"    none and names of policies (default: none and all that are built)
  RUNS=N        runs of each pair (default: as the cell says)
  QUICK=1       some cells, a quarter of the reads, one run: under 15 minutes

  --out DIR     instead of build/bench/full, or build/bench/quick
  --plan        print the jobs that are left, and boot nothing
  --report      report what there is, and boot nothing
  --publish     likewise, and write RESULTS.md and results.csv beside this script

An interrupted run continues when it is started again. Rows of results.csv count
as done, too, as long as the policy's code is the same. Writes results.json,
results.csv, report.md and a chart for each group of cells.
Exit status: 0, 1 if a job failed, 2 if it can't begin.
END
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
cd "$here/../.."
build=${RECLAIM_BUILD:-$PWD/build}
quick=${QUICK:-0} to='' mode=run
fail() {
	echo "bench: $*" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	--out)
		to=${2:?--out needs a folder}
		shift 2
		;;
	--plan | --report | --publish)
		mode=${1#--}
		shift
		;;
	-h | --help)
		usage
		exit 0
		;;
	*) fail "unknown option '$1' (see --help)" ;;
	esac
done
case ${RUNS:-1} in
*[!0-9]* | 0) fail "RUNS is '$RUNS': give a number above 0" ;;
esac
if [ -z "$to" ]; then
	to=$build/bench/full
	[ "$quick" = 0 ] || to=$build/bench/quick
fi
for tool in jq gnuplot llvm-objcopy-19; do
	command -v "$tool" >/dev/null || fail "$tool is missing: run make deps"
done
for file in bin/bpftool bench/reader bench/builder bench/ycsb bench/yardstick; do
	[ -e "$build/$file" ] || fail "$build/$file is missing: run make bench, or make bpftool policies bench-build"
done
mkdir -p "$to/policies"
to=$(cd "$to" && pwd -P)
exec 9>"$to/lock"
flock -n 9 || fail "another bench writes to $to"
touch "$to/rows.jsonl"
published=$here/results.csv
[ "$to" = "$build/bench/full" ] && [ -e "$published" ] || published=/dev/null

# --- what there is to do -----------------------------------------------------------

# The objects are copied: a build meanwhile must not change the arms of a run. What
# an object is called by leaves out names and lines of its source.
rm -f "$to"/policies/*
arms=(none)
declare -A id=([none]=-)
for object in "$build"/policies/*.bpf.o; do
	[ -e "$object" ] || continue
	name=$(basename "$object" .bpf.o)
	cp "$object" "$to/policies/"
	llvm-objcopy-19 -g -R .BTF -R .rel.BTF -R .BTF.ext -R .rel.BTF.ext "$object" "$to/policies/code"
	id[$name]=$(sha256sum <"$to/policies/code" | cut -c1-8)
	rm "$to/policies/code"
	arms+=("$name")
done
if [ -n "${ARMS:-}" ]; then
	read -ra arms <<<"$ARMS"
	for arm in "${arms[@]}"; do
		[ -n "${id[$arm]:-}" ] || fail "no policy '$arm' in $build/policies; there are: ${!id[*]}"
	done
fi

# wanted CELL: is it one of $CELLS?
wanted() {
	local pattern
	for pattern in "${patterns[@]}"; do
		# shellcheck disable=SC2053 # it is a pattern
		[[ $1 != $pattern ]] || return 0
	done
	return 1
}
set -f
read -ra patterns <<<"${CELLS:-*}"
if [ "$quick" != 0 ] && [ -z "${CELLS:-}" ]; then
	patterns=(fd-0.8 fd-1.1 mmap-0.8 fd-shuffle mmap-shuffle mmap-strided)
fi
set +f

# A quarter of the draws, a half of the laps.
shorter() {
	local n
	n=$(sed -n 's/.*--reads \([0-9]*\).*/\1/p' <<<"$1")
	case $1 in
	*zipf* | *uniform*) echo "${1/--reads $n/--reads $((n / 4))}" ;;
	*) echo "${1/--reads $n/--reads $((n / 2))}" ;;
	esac
}

# The table as TSV; empty fields would be lost.
: >"$to/cells.tsv"
while IFS='|' read -r cell group runs kind mb cache swap sequence reader; do
	case $cell in '' | '#'*) continue ;; esac
	wanted "$cell" || continue
	[ "$quick" = 0 ] || runs=1 sequence=$(shorter "$sequence")
	case $kind in
	probe) reader+=" --probe" ;;
	esac
	printf '%s\t' "$cell" "$group" "${RUNS:-$runs}" "$kind" "$mb" "${cache:--}" "$swap" "$sequence" >>"$to/cells.tsv"
	echo "${reader:--}" >>"$to/cells.tsv"
done <"$here/cells"
[ -s "$to/cells.tsv" ] || fail "no cell matches '${CELLS:-}'; see selftests/bench/cells"

# The same reads, simulated; kept, as they depend on nothing else.
touch "$to/yardsticks.jsonl"
while IFS=$'\t' read -r cell _ _ kind _ cache _ sequence _; do
	[ "$cache" != - ] || continue
	[ "$kind" != probe ] || sequence+=" --main-only"
	key="$cache $sequence"
	jq -e --arg cell "$cell" --arg key "$key" -n 'any(inputs; .cell == $cell and .key == $key)' \
		"$to/yardsticks.jsonl" >/dev/null && continue
	# shellcheck disable=SC2086 # options are words
	"$build/bench/yardstick" --cache "$cache" --warmup 1 $sequence |
		jq -c --arg cell "$cell" --arg key "$key" '{cell: $cell, key: $key} + .' >>"$to/yardsticks.jsonl"
done <"$to/cells.tsv"

# Rows of before: of the CSV, then what this folder has, the later one counts.
known() {
	{
		jq -Rnc -f "$here/csv.jq" "$published"
		cat "$to/rows.jsonl"
	} | jq -sc 'reduce .[] as $r ({}; .["\($r.cell)\t\($r.arm)\t\($r.run)"] = $r) | .[]'
}

# Runs outside, arms inside: what changes over time hits all arms alike.
jobs() {
	local most run arm cell runs kind mb swap sequence reader
	known >"$to/known.jsonl"
	declare -A done_before=()
	while IFS=$'\t' read -r run; do
		done_before[$run]=1
	done < <(jq -r 'select(.wrong == null) | "\(.cell) \(.arm) \(.run) \(.policy) \(.reads)"' "$to/known.jsonl")
	most=$(cut -f 3 "$to/cells.tsv" | sort -n | tail -n 1)
	for ((run = 1; run <= most; run++)); do
		while IFS=$'\t' read -r cell _ runs kind mb _ swap sequence reader; do
			[ "$run" -le "$runs" ] || continue
			for arm in "${arms[@]}"; do
				reads=$(sed -n 's/.*--\(reads\|sources\) \([0-9]*\).*/\2/p' <<<"$sequence")
				[ -z "${done_before["$cell $arm $run ${id[$arm]} $reads"]:-}" ] || continue
				[ -z "${tried["$cell $arm $run"]:-}" ] || continue
				printf '%s\t' "$cell" "$arm" "$run" "$kind" "$mb" "$swap" "${id[$arm]}" "$sequence"
				echo "$reader"
			done
		done <"$to/cells.tsv"
	done
}
declare -A tried=()

# --- measure -----------------------------------------------------------------------

if [ "$mode" = plan ]; then
	jobs | cut -f 1-3
	exit 0
fi

status=0
while [ "$mode" = run ]; do
	date -u +%Y-%m-%d >"$to/date"
	jobs >"$to/jobs.tsv"
	[ -s "$to/jobs.tsv" ] || break
	before=$(wc -l <"$to/rows.jsonl")
	rc=0
	rm -f "$to/current"
	# bash reads a script while it runs it
	cp "$here/guest.sh" "$to/"
	selftests/vm/run --timeout 500000 --mem 3072 --cpus 1 --append brd.rd_size=716800 --out "$to" -- \
		"$to/guest.sh" "$build" || rc=$?
	# A job that has a row isn't tried again in this call, whatever the row says.
	while IFS=$'\t' read -r cell arm run wrong; do
		tried["$cell $arm $run"]=1
		[ "$wrong" = false ] || status=1
	done < <(tail -n +$((before + 1)) "$to/rows.jsonl" | jq -r '[.cell, .arm, .run, .wrong != null] | @tsv')
	[ "$rc" != 0 ] || continue
	if [ -s "$to/current" ]; then
		IFS=$'\t' read -r cell arm run policy <"$to/current"
		echo "bench: the VM ended with status $rc in $cell $arm run $run: going on with the rest" >&2
		jq -nc --arg cell "$cell" --arg arm "$arm" --argjson run "$run" --arg policy "$policy" --arg rc "$rc" \
			--arg date "$(cat "$to/date")" '{$cell, $arm, $run, $policy, $date, wrong: "the VM ended with status \($rc)"}' \
			>>"$to/rows.jsonl"
		tried["$cell $arm $run"]=1
		status=1
	elif [ "$(wc -l <"$to/rows.jsonl")" = "$before" ]; then
		fail "the VM did not get as far as the first job (status $rc); its log is $build/vm/last/console.log"
	else
		status=1
		[ "$rc" = 203 ] || [ "$rc" = 204 ] || break
	fi
done

known >"$to/known.jsonl"
"$here/report.sh" "$to" "$([ "$mode" = publish ] && echo "$here")"
exit $status
