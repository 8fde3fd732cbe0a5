# Applying and exporting the series (sourced, not run; needs lib.sh).
# shellcheck shell=bash disable=SC2154

# The patches in order, as paths; nothing if there are none.
series_files() {
	local f
	[ -r "$patches/series" ] || return 0
	while read -r f; do
		case $f in '' | '#'*) continue ;; esac
		[ -r "$patches/$f" ] || die "kernel/patches/series names '$f', which is not there"
		echo "$patches/$f"
	done <"$patches/series"
}

# One word for the content of kernel/patches, the cover letter left out.
series_hash() {
	local f
	series_files | while read -r f; do
		basename "$f"
		cat "$f"
	done | sha256sum | cut -c1-40
}

# apply_series BASE: print the commit that results from applying every patch to
# BASE, one commit each. Nothing is checked out: the work tree stays untouched,
# and the same patches on the same base give the same commit ids.
apply_series() {
	local base=$1 tmp tip f n=0 count tree_id
	count=$(series_files | wc -l)
	tip=$(tgit rev-parse "$base^{commit}")
	tmp=$(mktemp -d "$build/apply.XXXXXX")
	while read -r f; do
		n=$((n + 1))
		if ! tgit mailinfo --encoding=UTF-8 --no-scissors "$tmp/msg" "$tmp/patch" <"$f" >"$tmp/info"; then
			rm -rf "$tmp"
			die "$(basename "$f") is not a mail with a patch"
		fi
		[ -e "$tmp/index" ] || GIT_INDEX_FILE=$tmp/index tgit read-tree "$tip"
		if ! GIT_INDEX_FILE=$tmp/index tgit apply --cached --whitespace=nowarn "$tmp/patch" 2>"$tmp/err" &&
			! GIT_INDEX_FILE=$tmp/index tgit apply --cached --3way --whitespace=nowarn "$tmp/patch" 2>"$tmp/err"; then
			sed 's/^/    /' "$tmp/err" >&2
			rm -rf "$tmp"
			die "patch $n of $count ($(basename "$f")) doesn't apply to Linux $(tgit show "$base:Makefile" | makefile_version);" \
				"the series is made for $version: mend the patch, or give that version with KERNEL_TARBALL=FILE or KERNEL_SRC=DIR"
		fi
		tree_id=$(GIT_INDEX_FILE=$tmp/index tgit write-tree)
		{
			sed -n 's/^Subject: //p' "$tmp/info"
			echo
			cat "$tmp/msg"
		} | tgit stripspace >"$tmp/text"
		tip=$(
			GIT_AUTHOR_NAME=$(sed -n 's/^Author: //p' "$tmp/info")
			GIT_AUTHOR_EMAIL=$(sed -n 's/^Email: //p' "$tmp/info")
			GIT_AUTHOR_DATE=$(sed -n 's/^Date: //p' "$tmp/info")
			GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL
			GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
			export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE
			export GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
			tgit commit-tree -p "$tip" -F "$tmp/text" "$tree_id"
		)
	done < <(series_files)
	rm -rf "$tmp"
	echo "$tip"
}

# export_series BASE TIP DIR: write the patches and the file `series` to DIR, the
# same bytes on every machine.
export_series() {
	tgit format-patch -q -N --zero-commit --no-signature --no-thread --no-base \
		--no-cover-letter --no-attach --no-to --no-cc --no-notes --no-renames \
		--full-index --stat=72 --diff-algorithm=myers --subject-prefix=PATCH \
		--no-encode-email-headers -o "$3" "$1..$2"
	(cd "$3" && find . -name '0*.patch' ! -name '0000-*' -printf '%f\n' | sort) >"$3/series"
}

# same_series DIR: does DIR hold what kernel/patches holds?
same_series() {
	local a b
	a=$(cd "$1" && cat series && while read -r f; do cat "$f"; done <series | sha256sum)
	b=$(series_files | sed 's,.*/,,' && series_files | while read -r f; do cat "$f"; done | sha256sum)
	[ "$a" = "$b" ]
}

# What the tree was last known to hold: hash of kernel/patches, and the commit.
state_file() { echo "$(tgit rev-parse --absolute-git-dir)/reclaim-ext-state"; }
write_state() { printf '%s %s\n' "$(series_hash)" "$(tgit rev-parse HEAD)" >"$(state_file)"; }
tree_is_clean() { [ -z "$(tgit status --porcelain --untracked-files=no)" ]; }
