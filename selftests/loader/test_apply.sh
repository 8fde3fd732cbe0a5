#!/bin/bash
# Test of reclaimctl apply: what it does, what it refuses, and that it undoes (KTAP).
# shellcheck disable=SC2154 # lib.sh sets them
set -euo pipefail
# shellcheck source=selftests/loader/lib.sh
. "$(dirname "$0")/lib.sh"

for g in a b c d; do mkdir "$base/$g"; done
echo "KTAP version 1"
write() { cat >"$tmp/f.yaml"; }
snapshot() { grep -H '^\(policy\|map\|link\)' "$base"/?/memory.reclaim_ext; }

write <<END
version: 1
cgroups:
  $rel/a:
    policy: refault_distance
    set: {distance_pct: 80}
  $rel/b:
    policy: refault_distance
    set:
      distance_pct: 80
  $base/c:
    object: $build/policies/stock.bpf.o
END
run 0 "--dry-run shows what would change" "^3 of 3 cgroups would change" apply --dry-run "$tmp/f.yaml"
in_force none "$base/a"
run 0 "apply" "^3 of 3 cgroups changed" apply "$tmp/f.yaml"
in_force refault_distance "$base/a"
in_force refault_distance "$base/b"
in_force stock "$base/c"
is "equal settings share" "$(sed -n 's/^map //p' "$base/a/memory.reclaim_ext")" "$(sed -n 's/^map //p' "$base/b/memory.reclaim_ext")"
run 0 "once more: nothing to do" "^0 of 3 cgroups changed" apply "$tmp/f.yaml"
json "JSON" '.changes == 0 and .dry_run and ([.cgroups[].action] == ["unchanged", "unchanged", "unchanged"])' apply "$tmp/f.yaml" --dry-run

write <<END
version: 1
prune: true
cgroups:
  $rel/a: {policy: stock}
  $rel/b: {policy: none}
  $rel/d: {policy: refault_distance}
END
before=$(snapshot)
run 0 "another file, dry" '^replace +.*/a: "refault_distance" -> "stock"' apply "$tmp/f.yaml" --dry-run
is "the kernel is as before" "$(snapshot)" "$before"
# after each number of steps an interrupt: all of it is undone
for steps in 1 2 3 4; do
	rc=0
	RECLAIMCTL_INTERRUPT_AFTER=$steps "$ctl" apply "$tmp/f.yaml" >"$tmp/out" 2>&1 || rc=$?
	is "interrupted after $steps steps" "$rc" 4
	is "policies and settings are as before" "$(snapshot | grep -v ':link')" "$(grep -v ':link' <<<"$before")"
	is "pins are as before" "$(find "$pins" -type f -name "reclaimctl%2E$$*" | wc -l)" 3
done
run 0 "another file" "^4 of 4 cgroups changed" apply "$tmp/f.yaml"
in_force stock "$base/a"
in_force none "$base/b"
in_force none "$base/c"
in_force refault_distance "$base/d"
is "two pins" "$(find "$pins" -type f -name "reclaimctl%2E$$*" | wc -l)" 2

# what is refused, before anything is done
before=$(snapshot)
refused() { # STATUS NAME PATTERN, the file from stdin
	write
	run "$1" "$2" "$3" apply "$tmp/f.yaml"
}
refused 1 "a cgroup that isn't there" "f.yaml:4: there is no cgroup .*none" <<END
version: 1
cgroups:
  $rel/b: {policy: stock}
  $rel/none: {policy: stock}
END
refused 2 "a cgroup twice" "f.yaml:4: cgroup .*/b is described twice, first at .*f.yaml:3" <<END
version: 1
cgroups:
  $rel/b: {policy: stock}
  $base/b: {policy: none}
END
refused 2 "a policy that isn't there" "f.yaml:4: cgroup .*/c: no policy 'nonesuch'" <<END
version: 1
cgroups:
  $rel/b: {policy: stock}
  $rel/c: {policy: nonesuch}
END
refused 2 "a value out of range" "f.yaml:3: cgroup .*: tunable distance_pct .*out of range" <<END
version: 1
cgroups:
  $rel/b: {policy: refault_distance, set: {distance_pct: 10001}}
END
refused 2 "an unknown key" "f.yaml:3: cgroup .*: unknown key 'polici'" <<END
version: 1
cgroups:
  $rel/b: {polici: stock}
END
refused 1 "an object the kernel doesn't take" "does not take policy|invented_later" <<END
version: 1
cgroups:
  $rel/b: {policy: stock}
  $rel/c: {object: $build/selftests/newer.bpf.o}
END
is "the kernel is as before" "$(snapshot)" "$before"

refused 0 "missing: skip" "skip .*none: there is no such cgroup" <<END
version: 1
missing: skip
cgroups:
  $rel/none: {policy: stock}
  $rel/b: {policy: stock}
END
in_force stock "$base/b"
write <<END
version: 1
timeout: 0.3
cgroups:
  $rel/late: {policy: stock, missing: wait}
END
run 1 "missing: wait, in vain" "has not come in time" apply "$tmp/f.yaml"
sed -i 's/timeout: .*/timeout: 60/' "$tmp/f.yaml"
(sleep 1; mkdir "$base/late") &
run 0 "missing: wait" "^attach .*/late" apply "$tmp/f.yaml"
wait
in_force stock "$base/late"

mkdir "$tmp/d"
run 0 "an empty folder" "^0 of 0" apply "$tmp/d"
printf 'version: 1\ncgroups:\n  %s/a: {policy: none}\n' "$rel" >"$tmp/d/10-a.yaml"
printf 'version: 1\ncgroups:\n  %s/b: {policy: none}\n' "$rel" >"$tmp/d/20-b.yaml"
echo garbage >"$tmp/d/README"
run 0 "a folder" "^2 of 2" apply "$tmp/d"
# as the unit does
printf 'version: 1\ncgroups:\n  %s/d: {policy: none}\n  %s/late: {policy: none}\n' "$rel" "$rel" >"$tmp/f.yaml"
"$ctl" apply - <"$tmp/f.yaml" >"$tmp/out" 2>&1 || true
is "standard input" "$(tail -n 1 "$tmp/out")" "2 of 2 cgroups changed"
is "no pins" "$(find "$pins" -type f | wc -l)" 0

# killed at any moment: each cgroup has either the old policy with its pin or none
{
	printf 'version: 1\ncgroups:\n'
	for g in a b c d; do printf '  %s/%s: {policy: stock}\n' "$rel" "$g"; done
} >"$tmp/f.yaml"
half=0 there=0
began=${EPOCHREALTIME/./}
"$ctl" apply "$tmp/f.yaml" >"$tmp/out" 2>&1 || true
took=$((${EPOCHREALTIME/./} - began))
for g in a b c d; do "$ctl" detach -q -c "$base/$g" >/dev/null 2>&1 || true; done
# most of the time goes into starting and loading
for percent in 20 35 50 60 70 80 90 100; do
	"$ctl" apply "$tmp/f.yaml" >/dev/null 2>&1 &
	sleep "$(printf '%d.%06d' $((took * percent / 100000000)) $((took * percent / 100 % 1000000)))"
	kill -KILL $! 2>/dev/null || true
	wait $! 2>/dev/null || true
	sleep 0.2
	for g in a b c d; do
		p=''
		read -r p <"$base/$g/memory.reclaim_ext" || true
		pin=none
		[ ! -e "$(pin_of "$base/$g")" ] || pin=stock
		[ "$p" = "policy $pin" ] || half=$((half + 1))
		[ $pin = none ] || there=$((there + 1))
	done
	for g in a b c d; do
		[ ! -e "$(pin_of "$base/$g")" ] || "$ctl" detach -q -c "$base/$g" >/dev/null 2>&1 || true
	done
done
echo "# $there of 32 attached when it was killed"
is "killed: no attachment without a pin, no pin without one" "$half" 0
finish
