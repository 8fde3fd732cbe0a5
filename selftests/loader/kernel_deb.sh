#!/bin/bash
# Test of the kernel package: it is made, it unpacks, and its kernel boots and takes policies (TAP).
set -euo pipefail

cd "$(dirname "$0")/../.."
build=${RECLAIM_BUILD:-$PWD/build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
result() { # STATUS NAME
	n=$((${n:-0} + 1))
	if [ "$1" != 0 ]; then
		sed 's/^/# /' "$tmp/out" | tail -n 30
		echo "not ok $n - $2"
		failed=1
	else
		echo "ok $n - $2"
	fi
}
echo "TAP version 13"
echo "1..3"
rc=0
env -u KERNEL_CONFIG kernel/deb.sh >"$tmp/out" 2>&1 || rc=$?
result $rc "the package is made"
deb=$(sed -n 's/^kernel-deb: //p' "$tmp/out")
rc=0
dpkg-deb -x "$deb" "$tmp/root" >"$tmp/out" 2>&1 || rc=$?
result $rc "it unpacks"
rc=0
selftests/vm/run --timeout 300 --kernel "$(find "$tmp/root/boot" -name 'vmlinuz-*')" -- \
	"$build/bin/reclaimctl" doctor >"$tmp/out" 2>&1 || rc=$?
result $rc "its kernel boots, and policies can be attached"
exit $failed
