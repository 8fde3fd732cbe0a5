#!/bin/bash
# Test of reclaimctl's commands about one cgroup: attach, replace, detach, set, status (KTAP).
# shellcheck disable=SC2154 # lib.sh sets them
set -euo pipefail
# shellcheck source=selftests/loader/lib.sh
. "$(dirname "$0")/lib.sh"

distance=$build/policies/refault_distance.bpf.o
a=$base/a b=$base/b
mkdir "$a" "$b" "$base/db.service"
echo "KTAP version 1"

run 0 "doctor finds all it needs" "policies can be attached here" doctor
json "doctor, JSON" '.usable and (.checks | length > 10)' doctor
run 0 "list" "^stock +[0-9]+ +the kernel's own" list
json "list, JSON" '[.policies[].name] | contains(["refault_distance", "stock"])' list
json "inspect" '.policy | .hooks == ["evicted", "refaulted", "attach"] and .cookie_format == 1 and
	(.tunables[0] | .name == "distance_pct" and .unit == "percent" and .max == 10000 and .default == 100) and
	(.counters | length == 6)' inspect refault_distance
run 0 "inspect an object" "bpf_reclaim_ext_eviction_clock" inspect "$distance"
run 2 "inspect what isn't there" "no policy 'nonesuch': there are .*stock" inspect nonesuch
run 1 "inspect a test's object, more than one policy" "holds [0-9]+ struct_ops" inspect "$build/selftests/refused.bpf.o"
run 1 "inspect garbage" "is not a BPF object" inspect "$here/lib.sh"

# attach
run 0 "status of nothing" '  -$' status --cgroup "$rel/a"
run 2 "attach needs a cgroup" "Give --cgroup" attach stock
run 1 "a cgroup that isn't there" "there is no cgroup .*none" attach stock --cgroup "$rel/none"
run 1 "a folder that is no cgroup" "not a directory of the cgroup2 hierarchy" attach stock --cgroup /tmp
run 2 "a tunable that isn't there" "no tunable 'nonesuch': it has distance_pct, charge_stale" \
	attach refault_distance -c "$a" --set nonesuch=1
run 2 "a value out of range" "10001 is out of range: 0 to 10000 percent" attach refault_distance -c "$a" --set distance_pct=10001
run 2 "a negative value" "out of range" attach refault_distance -c "$a" --set distance_pct=-1
run 2 "a value that is no number" "'1x' is not a number" attach refault_distance -c "$a" --set distance_pct=1x
in_force none "$a"
run 0 "attach" "policy \"refault_distance\" attached, pinned at $(pin_of "$a")" \
	attach refault_distance -c "$rel/a" --set distance_pct=80
in_force refault_distance "$a"
is "the pin is there" "$(test -e "$(pin_of "$a")" && echo yes)" yes
run 1 "attach where there is one" "already has policy \"refault_distance\" \(link [0-9]+\): use replace" attach stock -c "$a"
json "status" '.cgroups | length == 1 and (.[0] | .policy == "refault_distance" and .own and
	.tunables == {"distance_pct": 80, "charge_stale": 0} and (.hooks.refaulted.calls | type == "number") and
	(.counters | has("qualified")))' status -c "$a"
mkdir "$a/sub" 2>/dev/null || { echo +memory >"$a/cgroup.subtree_control" && mkdir "$a/sub"; }
echo +memory >"$a/cgroup.subtree_control"
json "status below" ".cgroups[0] | .policy == \"refault_distance\" and (.own | not) and .from == \"$rel/a\"" status -c "$a/sub"
run 1 "detach below" "comes from $rel/a: detach it there" detach -c "$a/sub"
run 1 "replace below" "comes from $rel/a: use attach" replace stock -c "$a/sub"
run 1 "set below" "comes from $rel/a: set it there" set distance_pct=1 -c "$a/sub"
run 0 "get below" "distance_pct=80" get -c "$a/sub"
run 0 "status --tree" '^  a  "refault_distance" attached' status --tree -c "$base"
run 0 "bpftool sees it" . list
"$bpftool" link show pinned "$(pin_of "$a")" >"$tmp/out" 2>&1 || true
is "bpftool shows the cgroup" "$(grep -c "cgroup_path $a" "$tmp/out")" 1

# a unit's name
run 0 "attach to a unit" "attached" attach stock --cgroup db.service
in_force stock "$base/db.service"
run 0 "detach of a unit" "detached" detach -c db.service
in_force none "$base/db.service"
mkdir "$a/db.service"
run 2 "a unit that is there twice" "more than one cgroup" status -c db.service
rmdir "$a/db.service"

# one loaded policy for equal settings
run 0 "attach with equal settings shares" ", shared" attach refault_distance -c "$b" --set distance_pct=0x50
is "they share one map" "$(sed -n 's/^map //p' "$a/memory.reclaim_ext")" "$(sed -n 's/^map //p' "$b/memory.reclaim_ext")"
run 1 "set of one that is shared" "shared with 1 other \($rel/b\): --all .* --only" set distance_pct=90 -c "$a"
run 0 "set --all" . set distance_pct=90 -c "$a" --all
run 0 "and the other has it, too" "distance_pct=90" get -c "$b"
run 0 "set --only" . set distance_pct=70 -c "$a" --only
run 0 "it has it" "distance_pct=70" get distance_pct -c "$a"
run 0 "and the other has not" "distance_pct=90" get distance_pct -c "$b"
run 2 "several values, one wrong: none is set" "out of range" set distance_pct=60 charge_stale=2 -c "$a"
run 0 "so it is as before" "distance_pct=70" get distance_pct -c "$a"

# replace
run 0 "replace by another" '"refault_distance" -> "stock"' replace stock -c "$a"
in_force stock "$a"
run 0 "status says what left" 'last exit: "refault_distance": replaced' status -c "$a"
run 0 "replace, and back" '"stock" -> "refault_distance"' replace refault_distance -c "$a" --set distance_pct=60
run 0 "replace keeps tunables" . replace "$distance" -c "$a" --set charge_stale=1
json "both of them" '[.tunables[].value] == [60, 1]' get -c "$a"
run 0 "replace --reset" . replace refault_distance -c "$a" --reset
json "has the defaults" '[.tunables[].value] == [100, 0]' get -c "$a"
run 0 "attach --replace" . attach refault_distance --replace -c "$a" --set charge_stale=1
json "has its settings and defaults" '[.tunables[].value] == [100, 1]' get -c "$a"
run 1 "replace by what the kernel lacks" 'does not take policy|invented_later' replace "$build/selftests/newer.bpf.o" -c "$a"
in_force refault_distance "$a"

# what others attached
run 0 "detach" . detach -c "$b"
mkdir -p "${pins}_other"
"$bpftool" struct_ops register "$build/policies/stock.bpf.o" "${pins}_other" cgroup "$b" >"$tmp/out" 2>&1 || true
in_force stock "$b"
json "a policy that bpftool attached" '.cgroups[0] | .policy == "stock" and .tunables.mutate == 0' status -c "$b"
run 0 "set in it" . set differential=on -c "$b"
run 0 "get from it" "differential=1" get -c "$b"
run 0 "detach it" "is not one of $pins" detach -c "$b"
in_force none "$b"
rm -rf "${pins}_other"
run 1 "detach where there is none" "has no policy" detach -c "$b"

# what has gone
run 0 "attach" . attach stock -c "$b"
echo X >/proc/sysrq-trigger
for ((i = 0; i < 100; i++)); do
	grep -q 'kind=sysrq' "$b/memory.reclaim_ext" && break
	sleep 0.1
done
run 0 "an ejected policy's reason" 'last exit: "stock": sysrq' status -c "$b"
run 0 "attach over its pin" "removed pin .* whose policy is gone" attach stock -c "$b"
in_force stock "$b"
run 0 "detach" . detach -c "$b"
run 0 "detach a pin left behind" "its pin removed" detach -c "$a"
is "no pins" "$(find "$pins" -type f | wc -l)" 0
run 0 "attach" . attach stock -c "$base/db.service"
rmdir "$base/db.service"
for ((i = 0; i < 100; i++)); do
	"$bpftool" link show pinned "$(pin_of "$base/db.service")" 2>/dev/null | grep -q 'map 0' && break
	sleep 0.1
done
run 0 "detach where the cgroup is gone" "is gone: its pin removed" detach -c "$base/db.service"
is "no pins" "$(find "$pins" -type f | wc -l)" 0

# events and export
"$ctl" events --json -n 3 >"$tmp/events" 2>"$tmp/ready" &
events=$!
for ((i = 0; i < 200; i++)); do
	grep -q following "$tmp/ready" && break
	sleep 0.1
done
run 0 "attach" . attach stock -c "$b"
run 0 "replace" . replace refault_distance -c "$b"
cp "$tmp/out" "$tmp/saved"
for ((i = 0; i < 100; i++)); do
	kill -0 $events 2>/dev/null || break
	sleep 0.1
done
cp "$tmp/events" "$tmp/out"
if jq -es '[.[] | .event + " " + .policy] == ["attach stock", "replace refault_distance", "exit stock"] and
	(.[0].cgroup == "'"$rel/b"'") and .[1].old == "stock" and .[2].reason == "replaced"' "$tmp/events" >/dev/null 2>&1; then
	result 0 "events"
else
	result 1 "events"
fi
kill $events 2>/dev/null || true
wait $events || true
run 0 "export" "^reclaim_ext_calls_total\{cgroup=\"$rel/b\",hook=\"refaulted\"\} [0-9]+$" export
is "ends as OpenMetrics must" "$(tail -n 1 "$tmp/out")" "# EOF"
run 0 "export to a file" "" export --output "$tmp/metrics.prom"
is "is in the file" "$(grep -c '^reclaim_ext_tunable{.*distance_pct.* 100$' "$tmp/metrics.prom")" 1
run 1 "export where nobody can write" "cannot write /proc/x" export --output /proc/x
run 0 "top in lines" "$rel/b \"refault_distance\" refaults/s 0.0" top -n 1 -i 0.2
json "top, JSON" '.attachments[0] | .policy == "refault_distance" and (.counters_per_s | has("qualified"))' top -n 1 -i 0.2
rc=0
python3 "$here/top_pty.py" "$ctl" >"$tmp/out" 2>&1 || rc=$?
result "$rc" "top on a terminal: sizes from 1x1 to 60x200, q and Ctrl-C leave it as it was"

# without rights
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$ctl" "$@"; }
rc=0
nobody attach stock -c "$a" >"$tmp/out" 2>&1 || rc=$?
is "not root: attach fails" "$rc $(grep -c 'run it as root' "$tmp/out")" "3 1"
rc=0
nobody status -c "$a" >"$tmp/out" 2>&1 || rc=$?
is "not root: status works" "$rc" 0
rc=0
nobody doctor >"$tmp/out" 2>&1 || rc=$?
is "not root: doctor says what is missing" "$rc $(grep -c 'not held' "$tmp/out")" "3 3"
run 0 "detach" . detach -c "$b"

# names
# the kernel refuses ends of lines in names of cgroups
odd=$base/$'sp ace\t..\xff"\\'
mkdir "$odd"
run 0 "attach to an odd name" '\\x09\.\.\\xff' attach stock -c "$odd"
in_force stock "$odd"
json "its pin is exact" '[.cgroups[] | .pin] | contains(["reclaimctl%2E'$$'%2Fsp%20ace%09%2E%2E%FF%22%5C"])' status
run 0 "export of it is UTF-8" "" export
is "of one line each" "$(grep -cv '^#\|^reclaim_ext_' "$tmp/out")" 0
run 0 "detach by the name of the pin" . detach -c "pin:reclaimctl%2E$$%2Fsp%20ace%09%2E%2E%FF%22%5C"
long=$base/$(printf '.%.0s' {1..255})
mkdir "$long"
run 0 "attach to a name of 255 dots" . attach stock -c "$long"
in_force stock "$long"
json "it is in the list" '[.cgroups[].cgroup | length] | max == 272 + ('${#rel}' - 16)' status
run 0 "detach" . detach -c "$long"
is "no pins, no folders" "$(find "$pins" -mindepth 1 | wc -l)" 0
finish
