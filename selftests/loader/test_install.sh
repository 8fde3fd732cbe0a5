#!/bin/bash
# Test of the Debian package, the unit, and the author's guide, word for word (KTAP).
# shellcheck disable=SC2154 # lib.sh sets them
set -euo pipefail
# shellcheck source=selftests/loader/lib.sh
. "$(dirname "$0")/lib.sh"

if [ -z "${RECLAIM_VM:-}" ]; then
	echo "1..0 # SKIP installs a package and files in /etc: only in the VM"
	exit 0
fi
deb=$(find "$build" -maxdepth 1 -name 'reclaim-ext_*.deb' | sort -V | tail -n 1)
echo "KTAP version 1"
[ -n "$deb" ] || { echo "Bail out! no package in $build: run make deb"; exit 1; }

rc=0
dpkg -i "$deb" >"$tmp/out" 2>&1 || rc=$?
is "the package installs" "$rc" 0
ctl=/usr/sbin/reclaimctl
run 0 "the program runs" "policies can be attached here" doctor
run 0 "bpftool sees no difference" "^stock " list
is "man pages" "$(find /usr/share/man -name reclaimctl.8.gz -o -name reclaim-policies.7.gz | wc -l)" 2
is "the objects are installed, too" "$(find /usr/lib/reclaim_ext/policies -name '*.bpf.o' | wc -l)" \
	"$("$ctl" list -q | wc -l)"

# what the unit does, as it does it
mkdir -p "$base/unit"
printf 'version: 1\ncgroups:\n  %s/unit: {policy: stock}\n' "$rel" >/etc/reclaimctl.d/10-test.yaml
start=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/reclaimctl.service)
rc=0
# the path and the arguments have no spaces
# shellcheck disable=SC2086
$start >"$tmp/out" 2>&1 || rc=$?
is "the unit's command" "$rc" 0
in_force stock "$base/unit"
run 0 "detach" . detach -c "$base/unit"
caps=$(sed -n 's/^CapabilityBoundingSet=//p' /usr/lib/systemd/system/reclaimctl.service | tr ' ' '\n' |
	sed 's/^CAP_/+/' | tr 'A-Z\n' 'a-z,')
rc=0
# shellcheck disable=SC2086
setpriv --bounding-set "-all,${caps%,}" --inh-caps "-all" --no-new-privs $start >"$tmp/out" 2>&1 || rc=$?
is "with the capabilities that the unit leaves it" "$rc" 0
in_force stock "$base/unit"
run 0 "detach" . detach -c "$base/unit"

# The root of the VM is memory, which has nothing to evict: the reader's file needs a disk.
disk=${RECLAIM_TEST_DISK:-/dev/ram0}
PATH=$PATH:/usr/sbin:/sbin mke2fs -q -F -t ext4 -O ^has_journal "$disk" >"$tmp/out" 2>&1
mount "$disk" /var/tmp

# The guide: its blocks of commands, in order, in one shell.
# shellcheck disable=SC2016 # these are not expansions
sed -n '/^```sh$/,/^```$/p' "$here/../../policies/README.md" | sed '/^```/d' >"$tmp/guide.sh"
is "the guide has commands" "$(grep -c reclaimctl "$tmp/guide.sh")" 6
rc=0
PATH=$build/bin:/usr/sbin:$PATH HOME=$tmp bash -eux "$tmp/guide.sh" >"$tmp/out" 2>&1 || rc=$?
cp "$tmp/out" "$tmp/guide.log"
result "$rc" "the guide's commands"
grep -oE '"warmup":false|"refaults_per_read":[0-9.]*|refaulted: .*|counters: .*' "$tmp/guide.log" | sed 's/^/# /' || true
is "mine was asked" "$(grep -cE 'refaulted: [1-9][0-9]* calls' "$tmp/guide.log")" 1

umount /var/tmp
rm /etc/reclaimctl.d/10-test.yaml
dpkg -L reclaim-ext | while read -r f; do [ -d "$f" ] || echo "$f"; done >"$tmp/files"
rc=0
dpkg -P reclaim-ext >"$tmp/out" 2>&1 || rc=$?
is "the package goes" "$rc" 0
left=0
while read -r f; do [ ! -e "$f" ] || left=$((left + 1)); done <"$tmp/files"
is "and leaves nothing" "$left" 0
finish
