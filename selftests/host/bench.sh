#!/bin/bash
# Test of the bench without a VM: table of cells, plan, resumption, rows as CSV, report (TAP).
set -euo pipefail

cd "$(dirname "$0")/../.."
build=${RECLAIM_BUILD:-$PWD/build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/bin" "$tmp/policies"
ln -s "$build/bench" "$tmp/bench"
ln -s "$build/bin/bpftool" "$tmp/bin/bpftool"
for object in "$build"/policies/{stock,refault_distance}.bpf.o; do
	cp "$object" "$tmp/policies/"
done
export RECLAIM_BUILD=$tmp
unset CELLS ARMS RUNS QUICK

n=0 failed=0
echo "TAP version 13"
echo "1..14"
result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		sed 's/^/# /' "$tmp/out" | head -n 20
		echo "not ok $n - $2"
		failed=1
	fi
}
check() { # NAME COMMAND...
	local name=$1 rc=0
	shift
	"$@" >"$tmp/out" 2>&1 || rc=1
	result $rc "$name"
}
run=selftests/bench/run.sh

well_formed() {
	awk -F '|' '/^(#|$)/ { next }
		NF != 9 || seen[$1]++ || $3 !~ /^[1-9]$/ || $4 !~ /^(reader|probe|tenants|build|ycsb)$/ { print; bad = 1 }
		END { exit bad }' selftests/bench/cells
}
check "cells: nine fields, no name twice" well_formed

options_work() {
	local sequence
	while IFS='|' read -r _ _ _ kind _ cache _ sequence _; do
		case $kind in reader | probe | tenants) ;; *) continue ;; esac
		# shellcheck disable=SC2086 # options are words
		"$build/bench/yardstick" --cache "$cache" $sequence --reads 100 || return 1
	done < <(grep -v '^#' selftests/bench/cells)
}
check "cells: yardstick knows the options of each" options_work

plan() { # WANTED LINE...: the plan of $CELLS, $ARMS, $RUNS
	"$run" --out "$tmp/to" --plan >"$tmp/plan"
	printf '%s\n' "$@" | tr ' ' '\t' | diff - "$tmp/plan"
}
export CELLS="fd-0.8 mmap-strided" RUNS=2
check "plan: runs outside, arms inside" plan \
	"fd-0.8 none 1" "fd-0.8 refault_distance 1" "fd-0.8 stock 1" \
	"mmap-strided none 1" "mmap-strided refault_distance 1" "mmap-strided stock 1" \
	"fd-0.8 none 2" "fd-0.8 refault_distance 2" "fd-0.8 stock 2" \
	"mmap-strided none 2" "mmap-strided refault_distance 2" "mmap-strided stock 2"
export ARMS="stock none" RUNS=1 CELLS="fd-0.[89]"
check "plan: ARMS and patterns in CELLS" plan "fd-0.8 stock 1" "fd-0.8 none 1" "fd-0.9 stock 1" "fd-0.9 none 1"

row() { # CELL ARM RUN READS JUDGED POLICY [WRONG]
	jq -nc --arg cell "$1" --arg arm "$2" --argjson run "$3" --argjson reads "$4" --argjson judged "$5" \
		--arg policy "$6" --arg wrong "${7:-}" '{$cell, $arm, $run, $reads, $judged, $policy, evictions: 5, pswpout: 0,
		kernel: "7.3", date: "2026-01-01", wrong: (if $wrong == "" then null else $wrong end)}'
}
llvm-objcopy-19 -g -R .BTF -R .rel.BTF -R .BTF.ext -R .rel.BTF.ext "$tmp/policies/stock.bpf.o" "$tmp/code"
id=$(sha256sum <"$tmp/code" | cut -c1-8)
{
	row fd-0.8 none 1 1000000 0.25 -
	row fd-0.8 none 2 1000000 0.26 -
	row fd-0.8 stock 1 1000000 0.2 "$id"
	row fd-0.9 none 1 999 0.1 -
	row fd-0.9 stock 1 1000000 0.1 "$id" "cannot attach"
} >"$tmp/to/rows.jsonl"
check "plan: done is done, not what had another length or went wrong" plan "fd-0.9 stock 1" "fd-0.9 none 1"
row fd-0.8 stock 1 1000000 0.3 01234567 >>"$tmp/to/rows.jsonl"
row build none 1 1500 3.5 - >>"$tmp/to/rows.jsonl"
export CELLS="build"
check "plan: a build is done by its sources" plan "build stock 1"
export CELLS="fd-0.8"
check "plan: a policy of other code is measured again" plan "fd-0.8 stock 1"
row fd-0.8 stock 1 1000000 0.2 "$id" >>"$tmp/to/rows.jsonl"

refuses() { # NAME=VALUE PATTERN
	local rc=0
	env "$1" "$run" --out "$tmp/to" --plan || rc=$?
	[ "$rc" = 2 ]
}
check "refused: an unknown arm" refuses ARMS=nobody
check "refused: an unknown cell" refuses CELLS=nothing
check "refused: RUNS=0" refuses RUNS=0

unset ARMS RUNS
check "report is written" "$run" --out "$tmp/to" --report
figures() {
	jq -e '.cells | length == 1 and .[0].cell == "fd-0.8" and
		([.[0].arms[] | [.arm, .median, .runs]] == [["none", 0.255, 2], ["stock", 0.2, 1]])' "$tmp/to/results.json" &&
		grep -F '| 0.2550 (-3) | 0.2000 -21.6 % (35) |' "$tmp/to/report.md" &&
		grep -F -- '- fd-0.8 none: 0.2500 to 0.2600, 3.9 % in 2 runs' "$tmp/to/report.md"
}
check "report: medians, change, position, spread" figures
check "chart" grep -q '</svg>' "$tmp/to/fd.svg"
csv_is_the_same() {
	jq -Rnc -f selftests/bench/csv.jq "$tmp/to/results.csv" |
		jq -se --slurpfile r "$tmp/to/results.json" '(map(del(.[] | nulls)) | sort_by(.cell, .arm, .run)) ==
			($r[0].rows | map(del(.[] | nulls)) | sort_by(.cell, .arm, .run))'
}
check "rows survive as CSV" csv_is_the_same
exit $failed
