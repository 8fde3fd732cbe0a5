#!/bin/bash
# Test of bpftool's struct_ops register, replace and show, and link show, with cgroups (KTAP).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
build=${RECLAIM_BUILD:-$(cd "$here/../.." && pwd -P)/build}
bpftool=$build/bin/bpftool
probe=$build/selftests/probe.bpf.o
stock=$build/policies/stock.bpf.o
distance=$build/policies/refault_distance.bpf.o
for f in "$bpftool" "$probe" "$stock" "$distance"; do
	if [ ! -r "$f" ]; then
		echo "Bail out! $f is missing: run make all"
		exit 1
	fi
done

base=/sys/fs/cgroup/reclaim_bpftool.$$
cg=$base/db
pins=/sys/fs/bpf/reclaim_bpftool_$$
tmp=$(mktemp -d)
# shellcheck disable=SC2317 # called by the trap
clean() {
	rm -rf "$pins" "$tmp"
	rmdir "$base"/* "$base" 2>/dev/null || true
}
trap clean EXIT
mkdir "$base" "$pins"
echo +memory >"$base/cgroup.subtree_control"
mkdir "$cg" "$base/other"
id=$(stat -c %i "$cg")

n=0 failed=0
result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		sed 's/^/# /' "$tmp/out"
		echo "not ok $n $2"
		failed=1
	fi
}
# tool STATUS NAME PATTERN ARGUMENT...: bpftool's status, and a line of its output.
tool() {
	local want=$1 name=$2 pattern=$3 rc=0
	shift 3
	"$bpftool" "$@" >"$tmp/out" 2>&1 || rc=$?
	# `link show` of one link ends with whatever errno has left behind
	[ "$1" != link ] || [ "$2" != show ] || rc=0
	if [ "$want" != 0 ]; then
		[ "$rc" = 0 ] || rc=$want
	fi
	[ "$rc" != "$want" ] || [ -z "$pattern" ] || grep -qE -e "$pattern" "$tmp/out" || rc=missing
	if [ "$rc" != "$want" ]; then
		echo "wanted $want and '$pattern', got $rc" >>"$tmp/out"
		result 1 "$name"
	else
		result 0 "$name"
	fi
}
# json NAME FILTER ARGUMENT...: bpftool's JSON must make the Python expression true.
json() {
	local name=$1 filter=$2 rc=0
	shift 2
	"$bpftool" --json "$@" >"$tmp/out" 2>&1 || true
	python3 - "$filter" "$tmp/out" <<-'END' 2>"$tmp/err" || rc=1
		import json, sys
		j = json.load(open(sys.argv[2]))
		if not eval(sys.argv[1]):
		    sys.exit("not true: " + sys.argv[1])
	END
	cat "$tmp/err" >>"$tmp/out"
	result "$rc" "$name"
}
# The policy that the kernel says is in force.
in_force() {
	local rc=0
	cat "$2/memory.reclaim_ext" >"$tmp/out"
	grep -qx "policy $1" "$tmp/out" || rc=1
	result "$rc" "the kernel says: policy $1"
}

echo "KTAP version 1"
echo "1..44"

tool 0 "register in a cgroup" "^Registered reclaim_ext_ops probe map id [0-9]+ link id [0-9]+ cgroup $cg pinned $pins/probe\$" \
	struct_ops register "$probe" "$pins" cgroup "$cg"
in_force probe "$cg"
in_force none "$base"
link=$(sed -n 's/^link //p' "$cg/memory.reclaim_ext")
map=$(sed -n 's/^map //p' "$cg/memory.reclaim_ext")

tool 0 "link show" "cgroup_id $id +cgroup_path $cg( |\$)" link show id "$link"
tool 0 "link show by pin" "^$link: struct_ops +map $map" link show pinned "$pins/probe"
json "link show, JSON" "j['id'] == $link and j['map_id'] == $map and j['cgroup_id'] == $id and j['cgroup_path'] == '$cg'" \
	link show id "$link"
tool 0 "struct_ops show" "link $link +cgroup_id $id +cgroup_path $cg" struct_ops show id "$map"
json "struct_ops show, JSON" "j[0]['name'] == 'probe' and j[0]['kernel_struct_ops'] == 'reclaim_ext_ops' and j[0]['links'] == [{'id': $link, 'cgroup_id': $id, 'cgroup_path': '$cg'}]" \
	struct_ops show id "$map"

tool 1 "register where there is one" "cgroup $cg already has reclaim_ext_ops probe \(link $link\): use '.*replace id $link " \
	struct_ops register "$stock" "$pins" cgroup "$cg"
tool 1 "a pin that exists" "$pins/probe exists" struct_ops register "$probe" "$pins" cgroup "$base/other"
in_force none "$base/other"
in_force probe "$cg"

tool 0 "replace by pin" "^Replaced reclaim_ext_ops probe map id $map -> stock map id [0-9]+ link id $link\$" \
	struct_ops replace "$pins/probe" "$stock"
in_force stock "$cg"
map=$(sed -n 's/^map //p' "$cg/memory.reclaim_ext")
tool 0 "replace by id" "stock map id $map -> refault_distan" struct_ops replace id "$link" "$distance"
in_force refault_distance "$cg"
map=$(sed -n 's/^map //p' "$cg/memory.reclaim_ext")
json "replace, JSON" "j['link_id'] == $link and j['old']['id'] == $map and j['new']['name'] == 'stock' and j['cgroup_id'] == $id and j['cgroup_path'] == '$cg'" \
	struct_ops replace "$link" "$stock"
in_force stock "$cg"
map=$(sed -n 's/^map //p' "$cg/memory.reclaim_ext")
tool 0 "the link has kept its cgroup" "cgroup_id $id" link show id "$link"
tool 0 "replace with 'pinned'" "stock map id $map -> probe" struct_ops replace pinned "$pins/probe" "$probe"
in_force probe "$cg"

# what replace refuses leaves everything as it is
echo garbage >"$tmp/garbage.o"
tool 1 "replace by a file that isn't there" "can't open $tmp/none.o: No such file" struct_ops replace "$link" "$tmp/none.o"
tool 1 "replace by garbage" "can't open $tmp/garbage.o" struct_ops replace "$link" "$tmp/garbage.o"
tool 1 "replace by an object with more than one" "has [0-9]+ struct_ops, but only one" \
	struct_ops replace "$link" "$build/selftests/refused.bpf.o"
tool 1 "replace by one for a newer kernel" "invented_later|can't load" struct_ops replace "$link" "$build/selftests/newer.bpf.o"
tool 1 "replace a link that isn't there" "link with ID 999999999.*No such file" struct_ops replace 999999999 "$stock"
tool 1 "replace a pin that isn't there" "$pins/none" struct_ops replace "$pins/none" "$stock"
tool 1 "replace without an object" "." struct_ops replace "$link"
in_force probe "$cg"

# what register refuses leaves nothing behind
tool 1 "a cgroup that isn't there" "can't open cgroup $base/none: No such file" struct_ops register "$stock" "$pins" cgroup "$base/none"
tool 1 "a directory that is no cgroup" "/tmp is not a directory of the cgroup v2 hierarchy" struct_ops register "$stock" "$pins" cgroup /tmp
tool 1 "a file of a cgroup" "can't open cgroup $cg/memory.stat: Not a directory" struct_ops register "$stock" "$pins" cgroup "$cg/memory.stat"
tool 1 "a word that isn't 'cgroup'" "." struct_ops register "$stock" "$pins" group "$base/other"
tool 1 "'cgroup' without a cgroup" "." struct_ops register "$stock" "$pins" cgroup
in_force none "$base/other"
if [ -e "$pins/stock" ]; then result 1 "no pin stays behind"; else result 0 "no pin stays behind"; fi

# a removed cgroup leaves a defunct link
mkdir "$base/gone"
tool 0 "register in a second cgroup" "Registered reclaim_ext_ops stock" struct_ops register "$stock" "$pins" cgroup "$base/gone"
gone=$(sed -n 's/^link //p' "$base/gone/memory.reclaim_ext")
goneid=$(stat -c %i "$base/gone")
rmdir "$base/gone"
for ((i = 0; i < 300; i++)); do
	"$bpftool" link show id "$gone" >"$tmp/out" || true
	! grep -q 'map 0' "$tmp/out" || break
	sleep 0.1
done
tool 0 "link show of a defunct link" "cgroup_id $goneid" link show id "$gone"
json "no path of a removed cgroup" "j['map_id'] == 0 and j['cgroup_id'] == $goneid and 'cgroup_path' not in j" link show id "$gone"
tool 1 "replace in a defunct link" "link $gone is defunct" struct_ops replace id "$gone" "$probe"

# detaching
tool 0 "link detach" "" link detach pinned "$pins/probe"
in_force none "$cg"
rm "$pins/probe"
tool 0 "register again" "Registered reclaim_ext_ops probe" struct_ops register "$probe" "$pins" cgroup "$cg"
rm "$pins/probe"
for ((i = 0; i < 300; i++)); do
	grep -qx 'policy none' "$cg/memory.reclaim_ext" && break
	sleep 0.1
done
in_force none "$cg"
exit $failed
