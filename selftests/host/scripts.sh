#!/bin/bash
# Test of all scripts: shellcheck is silent, and each says what it does in its first comment.
set -euo pipefail

cd "$(dirname "$0")/../.."
mapfile -t scripts < <(git -c safe.directory='*' ls-files -co --exclude-standard 2>/dev/null |
	while read -r f; do
		[ ! -f "$f" ] || ! head -c 64 "$f" | head -n 1 | grep -aqE '^#!.*(bash|sh)$' || echo "$f"
	done)
n=0 failed=0
echo "TAP version 13"
echo "1..$((2 * ${#scripts[@]}))"
result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}
for f in "${scripts[@]}"; do
	rc=0
	out=$(shellcheck -x "$f") || rc=1
	[ -z "$out" ] || printf '%s\n' "${out//$'\n'/$'\n'# }"
	result $rc "$f: shellcheck"
	rc=0
	sed -n 2p "$f" | grep -qE '^# [A-Z]' || rc=1
	result $rc "$f: says what it does"
done
exit $failed
