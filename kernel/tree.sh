#!/bin/bash
# Make build/linux: a git tree of the base kernel with one commit for each patch.
#
# An existing tree is brought up to date if kernel/patches changed, so that only
# the files that really change get a new date. Work that is not in
# kernel/patches is never overwritten. --exported: change nothing, say by the exit
# status whether all the tree's work is in kernel/patches.
set -euo pipefail
# shellcheck source=kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=kernel/series.sh
. "$here/series.sh"
me=kernel-tree

exec 9>"$build/tree.lock"
flock 9

check_version() {
	case $1 in
	"$version") ;;
	"${version%.*}".*) say "NOTE: $2 is Linux $1, the series is made for $version" >&2 ;;
	*) die "$2 is Linux $1, the series needs ${version%.*}.y: give another KERNEL_SRC=DIR or KERNEL_TARBALL=FILE" ;;
	esac
}

new_tree() {
	local tmp src tar files
	rm -rf "$build"/linux.new.*
	tmp=$(mktemp -d "$build/linux.new.XXXXXX")
	# shellcheck disable=SC2064
	trap "rm -rf '$tmp'" EXIT
	chmod 755 "$tmp"
	if [ -n "${KERNEL_SRC:-}" ]; then
		[ -r "$KERNEL_SRC/Makefile" ] || die "KERNEL_SRC '$KERNEL_SRC' is not a kernel tree: it has no Makefile"
		src="KERNEL_SRC $KERNEL_SRC"
		say "copying $src"
		if git -c safe.directory='*' -C "$KERNEL_SRC" rev-parse -q --verify HEAD >/dev/null 2>&1 &&
			[ -z "$(git -c safe.directory='*' -C "$KERNEL_SRC" rev-parse --show-prefix)" ]; then
			git -c safe.directory='*' -C "$KERNEL_SRC" archive HEAD | tar -x -C "$tmp"
		else
			tar -c -C "$KERNEL_SRC" --exclude=./.git . | tar -x -C "$tmp"
		fi
	else
		tar=$("$here/fetch.sh" 3>&1 >&2) || exit 1
		src=$tar
		say "unpacking $(basename "$tar") (about 20 s)"
		tar -xf "$tar" -C "$tmp" --strip-components=1 --no-same-owner ||
			die "cannot unpack '$tar': remove it and try again"
	fi
	[ -r "$tmp/Makefile" ] || die "$src holds no kernel: it has no Makefile"
	check_version "$(makefile_version <"$tmp/Makefile")" "$src"

	say "making a git tree of it (about 30 s)"
	tree=$tmp
	git init -q -b reclaim-ext "$tree"
	files=$tree/.git/info/exclude
	: >"$files"
	tgit add -A -f .
	GIT_AUTHOR_NAME=base GIT_AUTHOR_EMAIL=base@localhost GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' \
		GIT_COMMITTER_NAME=base GIT_COMMITTER_EMAIL=base@localhost \
		GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' \
		tgit commit -q -m "linux $(makefile_version <"$tree/Makefile")"
	tgit tag "$base_tag"
	# Whoever works in the tree may use their own identity; this is a fallback.
	tgit config user.useConfigOnly false
	update_to "$(apply_series "$base_tag")"
	mv "$tmp" "$build/linux"
	tree=$build/linux
	trap - EXIT
	say "$tree: Linux $(makefile_version <"$tree/Makefile") with $(series_files | wc -l) patches"
}

# Check TIP out; git rewrites only files that differ.
update_to() {
	local tip=$1
	if [ "$(tgit rev-parse HEAD)" != "$tip" ]; then
		tgit update-ref refs/reclaim-ext/previous HEAD
		if tgit symbolic-ref -q HEAD >/dev/null; then
			tgit checkout -q -B "$(tgit symbolic-ref --short HEAD)" "$tip" --
		else
			tgit checkout -q --detach "$tip" --
		fi
	fi
	write_state
}

# Commits that are exported already count as the series, whatever their ids.
is_exported() {
	local dir same=1
	dir=$(mktemp -d "$build/export.XXXXXX")
	export_series "$base_tag" HEAD "$dir"
	if same_series "$dir"; then
		same=0
	fi
	rm -rf "$dir"
	return $same
}

case ${1:-} in
'') ;;
--exported)
	[ -e "$tree/.git" ] || exit 0
	tree_is_clean && is_exported
	exit
	;;
*) die "unknown argument '$1': nothing, or --exported" ;;
esac

if [ ! -e "$tree/.git" ]; then
	[ ! -e "$tree" ] || die "$tree exists but is not a git tree: remove it (rm -r $tree)"
	new_tree
	exit 0
fi
[ -z "${KERNEL_SRC:-}${KERNEL_TARBALL:-}" ] ||
	say "NOTE: KERNEL_SRC and KERNEL_TARBALL count only for a new tree; for one, rm -r $tree" >&2
tgit rev-parse -q --verify "$base_tag^{commit}" >/dev/null ||
	die "$tree has no tag $base_tag, so it wasn't made by this script: move it away"

old_series='' old_tip=''
if [ -r "$(state_file)" ]; then
	read -r old_series old_tip <"$(state_file)"
fi
want=$(series_hash)
head=$(tgit rev-parse HEAD)
if [ "$want" = "$old_series" ] && [ "$head" = "$old_tip" ]; then
	tree_is_clean || say "NOTE: $tree has uncommitted changes; they are kept and built" >&2
	exit 0
fi

if is_exported; then
	write_state
	tree_is_clean || say "NOTE: $tree has uncommitted changes; they are kept and built" >&2
	exit 0
fi
if [ "$want" = "$old_series" ] || { [ -z "$old_series" ] && [ -z "$(series_files)" ]; }; then
	say "NOTE: $tree holds work that kernel/patches lacks; it is kept and built (export: make kernel-patches)" >&2
	exit 0
fi
if { [ "$head" = "$old_tip" ] || [ "$head" = "$(tgit rev-parse "$base_tag^{commit}")" ]; } && tree_is_clean; then
	say "kernel/patches changed: bringing $tree up to date"
	tip=$(apply_series "$base_tag") || exit 1
	say "$(tgit diff --name-only HEAD "$tip" | wc -l) files change"
	update_to "$tip"
	exit 0
fi
die "kernel/patches changed, and $tree holds work of its own:" \
	"run make kernel-patches to export it, or remove the tree (rm -r $tree) to drop it"
