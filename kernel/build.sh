#!/bin/bash
# Build build/linux with one of the configurations: build.sh on|debug|off
#
# on: build/kernel; debug: build/kernel-debug; off: build/kernel-off. Does nothing
# if neither the source nor the configuration changed.
set -euo pipefail
# shellcheck source=kernel/lib.sh
. "$(dirname "$0")/lib.sh"
me=kernel

flavour=${1:-on}
case $flavour in
on) out=$build/kernel fragments="base on" expect=2030 ;;
debug) out=$build/kernel-debug fragments="base on debug" expect=2040 ;;
off) out=$build/kernel-off fragments="base off" expect=2030 ;;
*) die "unknown configuration '$flavour': on, debug or off" ;;
esac
[ -r "$tree/Makefile" ] || die "no kernel tree at $tree: run make kernel-tree"

mkdir -p "$out"
exec 8>"$out/.lock"
flock 8

"$here/config.sh" "$out" "$fragments"

# What was built last: commit, uncommitted changes, configuration, compiler.
key=$({
	tgit rev-parse 'HEAD^{tree}'
	tgit diff HEAD
	tgit ls-files -o --exclude-standard -z | (cd "$tree" && xargs -0r sha256sum)
	cat "$out/.config"
	"${KERNEL_CC:-gcc}" --version
} | sha256sum | cut -c1-40)
if [ "$(cat "$out/.built" 2>/dev/null)" = "$key" ] && [ -r "$out/vmlinux" ]; then
	say "$out/vmlinux is up to date"
	exit 0
fi
rm -f "$out/.built"

log=$build/log/kernel-$flavour.log
began=$SECONDS
first=
if [ -r "$out/vmlinux" ]; then
	expect=$(($(wc -l <"$log" 2>/dev/null || echo 60) + 1))
else
	first="; 10 to 15 min on 2 processors the first time, 2 with a warm ccache"
fi
say "building $out/vmlinux with $jobs jobs$first"
progress "$flavour" "$log" "$expect" kmake O="$out" -j"$jobs" vmlinux bzImage
echo "$key" >"$out/.built"
say "$out/vmlinux built in $(minutes $((SECONDS - began)))"
