#!/bin/bash
# Test of the signs that matter: small cells of the bench, a few policies in each (TAP).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
build=${RECLAIM_BUILD:-$(cd "$here/../.." && pwd -P)/build}
to=$build/check/bench
rm -rf "$to"
mkdir -p "$to"

# measure CELLS ARM...: those arms that are built
measure() {
	local cells=$1 arms='' arm
	shift
	for arm in "$@"; do
		if [ "$arm" = none ] || [ -e "$build/policies/$arm.bpf.o" ]; then
			arms+=" $arm"
		fi
	done
	CELLS=$cells ARMS=$arms RUNS=1 QUICK=1 "$here/run.sh" --out "$to" >&2 || true
}

n=0 failed=0
# sign CELL ARM FILTER WHAT: the jq filter must be true of $arm and $none
sign() {
	n=$((n + 1))
	if [ "$2" != none ] && [ ! -e "$build/policies/$2.bpf.o" ]; then
		echo "ok $n - $1 $2: $4 # SKIP no such policy"
		return
	fi
	if jq -se --arg cell "$1" --arg arm "$2" "
		def of(\$a): [.[] | select(.cell == \$cell and .arm == \$a and .wrong == null).judged][0];
		of(\$arm) as \$arm | of(\"none\") as \$none | \$arm != null and \$none != null and ($3)" \
		"$to/rows.jsonl" >/dev/null; then
		echo "ok $n - $1 $2: $4"
	else
		jq -c --arg cell "$1" 'select(.cell == $cell) | {arm, judged, wrong}' "$to/rows.jsonl" | sed 's/^/# /'
		echo "not ok $n - $1 $2: $4"
		failed=1
	fi
}

measure "mmap-strided" none lazy_activate eager_activate
measure "fd-0.8 fd-shuffle" none freq_guided ladder
measure "mmap-shuffle" none refault_distance

echo "TAP version 13"
echo "1..9"
# shellcheck disable=SC2016 # the variables are jq's
{
	sign mmap-strided none '$arm < 0.01' "read-around pushes nothing out"
	sign mmap-strided lazy_activate '$arm < 0.01' "read-around pushes nothing out"
	sign mmap-strided eager_activate '$arm >= 0.1' "a refault in ten reads at least"
	sign fd-0.8 freq_guided '$arm < 0.95 * $none' "fewer refaults than no policy"
	sign fd-0.8 ladder '$arm < 0.85 * $none' "clearly fewer refaults than no policy"
	sign fd-shuffle none '$arm > 0.9' "nothing stays"
	sign fd-shuffle freq_guided '$arm < 0.7' "a part stays"
	sign fd-shuffle ladder '$arm < 0.6' "a part stays"
	sign mmap-shuffle refault_distance '$arm < 0.9 * $none' "fewer refaults than no policy"
}
exit $failed
