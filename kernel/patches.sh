#!/bin/bash
# Export the commits of build/linux to kernel/patches; --check: test the round trip.
#
# The cover letter (0000-*) is written by hand and left alone.
set -euo pipefail
# shellcheck source=kernel/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=kernel/series.sh
. "$here/series.sh"
me=kernel-patches

tgit rev-parse -q --verify "$base_tag^{commit}" >/dev/null 2>&1 ||
	die "no kernel tree at $tree: run make kernel-tree"
tmp=$(mktemp -d "$build/export.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

case ${1:-} in
'') ;;
--check)
	# patches -> commits -> patches must give the same bytes.
	tip=$(apply_series "$base_tag") || exit 1
	export_series "$base_tag" "$tip" "$tmp"
	if [ -z "$(series_files)" ]; then
		say "kernel/patches is empty: nothing to compare"
		exit 0
	fi
	for f in "$tmp"/*; do
		cmp -s "$f" "$patches/$(basename "$f")" && continue
		diff -u "$patches/$(basename "$f")" "$f" | head -20 >&2 || true
		die "$(basename "$f") doesn't survive the round trip: run make kernel-patches"
	done
	for f in "$patches"/*.patch; do
		case ${f##*/} in 0000-*) continue ;; esac
		[ -e "$tmp/${f##*/}" ] || die "${f##*/} is not in kernel/patches/series: remove it"
	done
	say "$(series_files | wc -l) patches survive the round trip"
	exit 0
	;;
*) die "unknown argument '$1': nothing, or --check" ;;
esac

exec 9>"$build/tree.lock"
flock 9
gitdir=$(tgit rev-parse --absolute-git-dir)
for busy in rebase-merge rebase-apply; do
	[ ! -e "$gitdir/$busy" ] || die "a rebase is going on in $tree: finish it first"
done
merges=$(tgit rev-list --merges "$base_tag..HEAD" | wc -l)
[ "$merges" -eq 0 ] || die "$tree has $merges merge commits since $base_tag: make the series linear"
if ! tree_is_clean; then
	say "NOTE: uncommitted changes in $tree are not exported:" >&2
	tgit status --porcelain --untracked-files=no | head >&2
fi
export_series "$base_tag" HEAD "$tmp"
mkdir -p "$patches"
changed=0
for f in "$patches"/*.patch; do
	case ${f##*/} in 0000-* | '*.patch') continue ;; esac
	if [ ! -e "$tmp/${f##*/}" ]; then
		rm "$f"
		changed=$((changed + 1))
	fi
done
for f in "$tmp"/*; do
	if ! cmp -s "$f" "$patches/${f##*/}"; then
		cp "$f" "$patches/${f##*/}"
		changed=$((changed + 1))
	fi
done
write_state
say "$(series_files | wc -l) patches in kernel/patches, $changed files changed"
