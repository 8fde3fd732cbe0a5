#!/bin/bash
# Remove what was built; --all: the download and the kernel tree as well.
set -euo pipefail

cd "$(dirname "$0")/.."
build=${RECLAIM_BUILD:-$PWD/build}
[ -d "$build" ] || exit 0
case ${1:-} in
'')
	for f in "$build"/*; do
		case ${f##*/} in
		linux | download) ;;
		*) rm -rf "$f" ;;
		esac
	done
	git -C "$build/linux" worktree prune 2>/dev/null || true
	;;
--all)
	# Work in the kernel tree that kernel/patches lacks exists nowhere else.
	if [ -e "$build/linux/.git" ] && ! kernel/tree.sh --exported; then
		echo "distclean: $build/linux holds work that kernel/patches lacks: make kernel-patches" \
			"exports it, rm -r $build drops it" >&2
		exit 1
	fi
	rm -rf "$build"
	;;
*)
	echo "clean.sh: unknown argument '$1': nothing, or --all" >&2
	exit 1
	;;
esac
