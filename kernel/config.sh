#!/bin/bash
# Configure a kernel build folder: config.sh OUT "FRAGMENT..." [SYMBOL=VALUE...]
#
# Everything that the fragments (files in config/, the later one wins) don't name
# is off. A symbol that doesn't take is an error.
set -euo pipefail
# shellcheck source=kernel/lib.sh
. "$(dirname "$0")/lib.sh"
me=kernel-config

out=$1 fragments=$2
shift 2
mkdir -p "$out"

# One line for each symbol, the last word on it.
want=$(mktemp "$out/.config.XXXXXX")
trap 'rm -f "$want"' EXIT
for f in $fragments; do
	cat "$here/config/$f.config"
done | cat - <(for s in "$@"; do echo "CONFIG_$s"; done) | awk '
	match($0, /^CONFIG_[A-Za-z0-9_]+=/) { s = substr($0, 1, RLENGTH - 1) }
	match($0, /^# CONFIG_[A-Za-z0-9_]+ is not set/) { s = $2 }
	s != "" { if (!(s in line)) order[++n] = s; line[s] = $0; s = "" }
	END { for (i = 1; i <= n; i++) print line[order[i]] }' |
	sed 's/^\(CONFIG_[A-Za-z0-9_]*\)=n$/# \1 is not set/' >"$want"

key=$({
	cat "$want"
	tgit ls-files -z --cached --others --exclude-standard -- '*Kconfig*' |
		(cd "$tree" && xargs -0 cat 2>/dev/null)
	"${KERNEL_CC:-gcc}" --version
} | sha256sum | cut -c1-40)
if [ "$(cat "$out/.config.key" 2>/dev/null)" = "$key" ] && [ -r "$out/.config" ]; then
	exit 0
fi

kmake -s O="$out" KCONFIG_ALLCONFIG="$want" allnoconfig >"$out/.config.log" 2>&1 || {
	tail -n 15 "$out/.config.log" >&2
	die "configuring $out failed"
}

bad=
while read -r line; do
	case $line in
	'# '*)
		s=${line#\# }
		s=${s%% *}
		! grep -q "^$s=" "$out/.config" || bad+=" $s(wanted off)"
		;;
	*)
		s=${line%%=*}
		if ! grep -qxF "$line" "$out/.config"; then
			if [ "$s" = CONFIG_RECLAIM_EXT ] &&
				! tgit grep -q -E '^config RECLAIM_EXT$' -- '*Kconfig*'; then
				say "NOTE: this tree has no RECLAIM_EXT (plain kernel)" >&2
				continue
			fi
			bad+=" $s(wanted ${line#*=}, got $(sed -n "s/^$s=//p" "$out/.config" | grep . || echo off))"
		fi
		;;
	esac
done <"$want"
if [ -n "$bad" ]; then
	rm -f "$out/.config"
	die "these symbols did not take in '$fragments':$bad: look at their dependencies"
fi
echo "$key" >"$out/.config.key"
