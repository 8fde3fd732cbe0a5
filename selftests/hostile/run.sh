#!/bin/bash
# Run the hostile policies in a VM (make hostile), check and show their report.
#
# usage: selftests/hostile/run.sh [WORD...]   only tests with one of these in their name
#
# Prints KTAP. The report is build/hostile/report.json, and a table of it goes to stderr.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
cd "$here/../.."
build=${RECLAIM_BUILD:-$PWD/build}
case ${1:-} in
-h | --help) sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac

# A policy that the table doesn't have would never run.
for f in "$here"/*.bpf.c; do
	name=$(basename "$f" .bpf.c)
	if ! grep -q "{ \"$name\"," "$here/hostile.c"; then
		echo "Bail out! $name is not in the table of hostile.c: what must become of it?"
		exit 1
	fi
done

report=$build/hostile/report.json
rm -f "$report"
rc=0
selftests/vm/run --timeout 900 --out "$build/hostile" -- \
	env RECLAIM_BUILD="$build" "$build/hostile/hostile" "$@" || rc=$?
if ! jq -e 'length > 0' "$report" >/dev/null; then
	echo "hostile: no $report, or it is not JSON" >&2
	exit $((rc ? rc : 1))
fi
jq -r '(["policy", "swap", "expected", "ended", "time", "oom", "passed", "reason"]),
	(.[] | [.policy + (if .in then " in " + .in else "" end), .swap, .expected, .ended,
	"\(.time_ratio)x", "\(.oom_kills)/\(.stock_oom_kills)", .passed, .reason]) | @tsv' "$report" |
	awk -F '\t' '{ printf "%-20s %-6s %-14s %-14s %-6s %-4s %-6s %s\n", $1, $2, $3, $4, $5, $6, $7, $8 }' >&2
exit $rc
