#!/bin/bash
# Test of kernel/tree.sh and kernel/patches.sh on a tiny stand-in for a kernel.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export RECLAIM_BUILD=$tmp/build GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME='Zoë Test' GIT_AUTHOR_EMAIL=t@example.org
export GIT_COMMITTER_NAME=Other GIT_COMMITTER_EMAIL=o@example.org
unset RECLAIM_TREE KERNEL_TARBALL KERNEL_SRC

mkdir -p "$tmp/top"
cp -r "$top/kernel" "$tmp/top/kernel"
cd "$tmp/top"
rm -rf kernel/patches
. kernel/BASE
IFS=. read -r v p s <<<"$version"
mkdir -p "$tmp/src/mm"
printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = %s\n' "$v" "$p" "$s" >"$tmp/src/Makefile"
seq 1 40 >"$tmp/src/mm/a.c"
seq 1 40 >"$tmp/src/mm/b.c"
echo '*.ignored' >"$tmp/src/.gitignore"
echo kept >"$tmp/src/tracked.ignored"
tree=$RECLAIM_BUILD/linux

n=0 failed=0
t() { # NAME COMMAND...
	local name=$1
	shift
	n=$((n + 1))
	if "$@" >"$tmp/log" 2>&1; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' "$tmp/log"
		failed=1
	fi
}
not() { ! "$@"; }
says() { # TEXT COMMAND...: fails, and says so
	local text=$1 out
	shift
	if out=$("$@" 2>&1); then
		return 1
	fi
	echo "$out"
	grep -q -e "$text" <<<"$out"
}
commit() { # FILE LINE TEXT SUBJECT
	sed -i "$2s/.*/$3/" "$tree/$1"
	git -C "$tree" commit -q -a -m "$4" -m $'Why: größer.\n\n> quoted\n\nSigned-off-by: Zoë Test <t@example.org>'
}
same() { diff -r kernel/patches "$1"; }

echo "TAP version 13"
echo 1..26
t "a folder that is no kernel is refused" says 'not a kernel tree' env KERNEL_SRC="$tmp" kernel/tree.sh
t "an unreadable tarball is refused" says 'cannot read' env KERNEL_TARBALL="$tmp/none" kernel/tree.sh
t "nothing is left behind" not ls "$RECLAIM_BUILD"/linux*
sed -i 's/^VERSION.*/VERSION = 6/' "$tmp/src/Makefile"
t "another kernel is refused" says "needs ${version%.*}.y" env KERNEL_SRC="$tmp/src" kernel/tree.sh
sed -i "s/^VERSION.*/VERSION = $v/" "$tmp/src/Makefile"
mkdir "$RECLAIM_BUILD/linux.new.interrupted"
t "a new tree" env KERNEL_SRC="$tmp/src" kernel/tree.sh
t "files that .gitignore names are in it" test -e "$tree/tracked.ignored"
t "what an interrupted run left is gone" not test -e "$RECLAIM_BUILD/linux.new.interrupted"
commit mm/a.c 3 three "mm: First thing"
commit mm/b.c 3 three "mm: Second thing, with a subject that is long enough to be wrapped in a mail header"
commit mm/a.c 30 thirty "mm: [odd] Third"
t "work is kept while kernel/patches stays" kernel/tree.sh
mkdir kernel/patches
echo "hand written" >kernel/patches/0000-cover-letter.patch
t "export" kernel/patches.sh
t "the cover letter is left alone" grep -qx "hand written" kernel/patches/0000-cover-letter.patch
t "the series names three patches" test "$(wc -l <kernel/patches/series)" = 3
t "round trip" kernel/patches.sh --check
cp -r kernel/patches "$tmp/first"
t "exported commits are the series" kernel/tree.sh --exported

rm -rf "$tree"
t "a tree with the series" env KERNEL_SRC="$tmp/src" kernel/tree.sh
t "three commits" test "$(git -C "$tree" rev-list --count reclaim-ext-base..)" = 3
t "the author survives" test "$(git -C "$tree" show -s --format=%an)" = 'Zoë Test'
kernel/patches.sh >/dev/null
t "the same bytes again" same "$tmp/first"

touch -d '2001-01-01' "$tree/mm/a.c" "$tree/mm/b.c"
git -C "$tree" update-index -q --refresh || true
sed -i 's/^+thirty/+dreissig/' kernel/patches/0003-*
t "a changed patch is applied" kernel/tree.sh
t "its file has the change" grep -qx dreissig "$tree/mm/a.c"
t "the other file keeps its date" test "$(date -r "$tree/mm/b.c" +%Y)" = 2001
kernel/patches.sh >/dev/null

echo local >>"$tree/mm/b.c"
sed -i 's/^+dreissig/+trente/' kernel/patches/0003-*
t "local work against changed patches is refused" says 'holds work of its own' kernel/tree.sh
t "local work is still there" grep -qx local "$tree/mm/b.c"
t "and counts as not exported" not kernel/tree.sh --exported
git -C "$tree" checkout -q mm/b.c
sed -i 's/^ 2$/ zwei/' kernel/patches/0001-*
t "a patch that doesn't apply is named" says "patch 1 of 3 .*doesn't apply" kernel/tree.sh
t "the tree stays as it was" grep -qx dreissig "$tree/mm/a.c"
rm kernel/patches/0002-*
t "a missing patch is named" says "which is not there" kernel/tree.sh
exit $failed
