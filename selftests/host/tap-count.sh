#!/bin/bash
# Test of selftests/tap-count.awk: what make check counts as passed, failed and skipped.
set -euo pipefail

awk_file=$(cd "$(dirname "$0")/.." && pwd)/tap-count.awk
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0
counts() { # NAME RC "PASSED FAILED SKIPPED" TEXT_IN_THE_OUTPUT TAP
	local out
	n=$((n + 1))
	out=$(awk -v name=group -v rc="$2" -v counts="$tmp/counts" -f "$awk_file" <<<"$5")
	if [ "$(cat "$tmp/counts")" = "$3" ] && [[ $out == *"$4"* ]]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		echo "# wanted $3 and '$4', got $(cat "$tmp/counts") and '$out'"
		failed=1
	fi
}
echo "TAP version 13"
echo 1..11
counts "plain" 0 "2 0 0" "" $'TAP version 13\n1..2\nok 1 a\nok 2 - b'
counts "a failure" 1 "1 1 0" "FAILED  group: not ok 2 b" $'1..2\nok 1 a\nnot ok 2 b'
counts "a skip with its reason" 0 "1 0 1" "SKIPPED group: b # SKIP no swap" $'1..2\nok 1 a\nok 2 b # SKIP no swap'
counts "all skipped" 0 "0 0 1" "SKIPPED group: 1..0 # SKIP no kernel" '1..0 # SKIP no kernel'
counts "nested: leaves only" 1 "4 1 0" "not ok 2 b" \
	$'KTAP version 1\n1..2\n    1..3\n    ok 1 a\n    not ok 2 b\n    ok 3 c\nnot ok 1 suite\n    ok 1 d\n    ok 2 e\nok 2 suite'
counts "a suite that fails by itself" 1 "1 1 0" "not ok 1 suite" $'1..1\n    ok 1 a\nnot ok 1 suite'
counts "three levels" 1 "1 1 0" "not ok 2 b" \
	$'1..1\n    1..1\n        ok 1 a\n        not ok 2 b\n    not ok 1 inner\nnot ok 1 outer'
counts "ends early" 0 "1 1 0" "1 of 3 results" $'1..3\nok 1 a'
counts "no results" 0 "0 1 0" "no results" 'hello'
counts "a status that no result explains" 3 "1 1 0" "status 3" $'1..1\nok 1 a'
counts "bail out" 1 "1 1 0" "Bail out! no disk" $'1..1\nok 1 a\nBail out! no disk'
exit $failed
