#!/bin/bash
# Random changes under load in a VM with the debug kernel (make soak MINUTES=N SEED=S).
#
# usage: [MINUTES=N] [SEED=S] selftests/hostile/soak.sh
#
# Prints KTAP, and every step as a comment. N is 3 by default, S the day of the
# year, so that days differ and each can be repeated. SOAK_KERNEL=on takes the
# kernel without debugging, which does more steps.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${RECLAIM_BUILD:-$PWD/build}
minutes=${MINUTES:-3} seed=${SEED:-$(date +%-j)}
for v in "$minutes" "$seed"; do
	if ! [[ $v =~ ^[1-9][0-9]{0,8}$ ]]; then
		echo "Bail out! MINUTES '$minutes' and SEED '$seed' must be numbers above 0"
		exit 1
	fi
done
debug=(--debug)
[ "${SOAK_KERNEL:-}" != on ] || debug=()

mkdir -p "$build/hostile"
log=$build/hostile/soak.log
echo "soak: $minutes minutes, again with: make soak MINUTES=$minutes SEED=$seed; steps: $log" >&2
selftests/vm/run --timeout $((minutes * 60 + 900)) --mem 3072 "${debug[@]}" -- \
	env RECLAIM_BUILD="$build" "$build/hostile/soak" $((minutes * 60)) "$seed" | tee "$log"
