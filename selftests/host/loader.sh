#!/bin/bash
# Test of reclaimctl without a kernel: its documentation, malformed files, objects, package.
set -euo pipefail

cd "$(dirname "$0")/../.."
build=${RECLAIM_BUILD:-$PWD/build}
ctl=$build/bin/reclaimctl
man8=$build/loader/reclaimctl.8 man7=$build/loader/reclaim-policies.7
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
echo "TAP version 13"
for f in "$ctl" "$man8" "$man7" "$build/loader/test_conf"; do
	[ -r "$f" ] || { echo "Bail out! $f is missing: run make reclaimctl selftests-build"; exit 1; }
done
n=0 failed=0
result() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		failed=1
	fi
}
same() { # NAME GOT WANTED
	if [ "$2" = "$3" ]; then
		result 0 "$1"
	else
		diff <(echo "$3") <(echo "$2") | sed 's/^/# /' || true
		result 1 "$1"
	fi
}
sorted() { tr ' ' '\n' | sed '/^$/d' | sort; }
options_in() { grep -oE -- '--[a-z][a-z-]*' | sort -u; }

# --- help, man page, completion and README against the table of commands -------

"$ctl" --generate table >"$tmp/table"
commands=$(cut -d ' ' -f 1 "$tmp/table")
# what can be read on a page: no escapes of hyphens
sed 's/\\-/-/g; s/\\f[BIRP]//g' "$man8" >"$tmp/man8"
same "help lists the commands" "$("$ctl" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')" "$commands"
same "the man page has a section for each" \
	"$(sed -n '/^\.SH COMMANDS/,/^\.SH CGROUPS/s/^\.SS \([a-z]*\).*/\1/p' "$tmp/man8")" "$commands"
common=$(sed -n '/^\.SH OPTIONS/,/^\.SH COMMANDS/p' "$tmp/man8" | options_in | grep -v -e --version)
# shellcheck source=/dev/null
. "$build/loader/reclaimctl.bash"
compopt() { :; }
complete_words() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_reclaimctl
	printf '%s\n' "${COMPREPLY[@]}"
}
same "completion knows the commands" "$(complete_words reclaimctl '' | grep -v -e '^--' | sort)" "$(sort <<<"$commands")"
while read -r command options; do
	want=$(sorted <<<"$options")
	same "$command: help" "$("$ctl" "$command" --help | sed -n '/^Options:/,$p' | grep -oE '^ +(-.,)? +--[a-z-]*' |
		options_in)" "$want"
	same "$command: man page" "$({
		echo "$common"
		sed -n "/^\.SS $command\( \|\$\)/,/^\.S[SH]/p" "$tmp/man8" | grep -E '^(-|\.B|--)' | options_in
	} | sorted | sort -u)" "$want"
	same "$command: completion" "$(complete_words reclaimctl "$command" -- | sort)" "$want"
	# an option of the table is one that the command takes: with --help it does nothing else
	bad=''
	for o in $options; do
		case $("$ctl" "$command" --help | grep -oE -- "$o [A-Z=]+") in
		*SECONDS | *' N') set -- "$o" 1 ;;
		'') set -- "$o" ;;
		*) set -- "$o" x=1 ;;
		esac
		"$ctl" "$command" "$@" --help >/dev/null 2>&1 || bad+=" $o"
	done
	same "$command: takes its options" "$bad" ""
	rc=0
	"$ctl" "$command" --nonesuch >/dev/null 2>&1 || rc=$?
	same "$command: and no others" "$rc" 2
done <"$tmp/table"
same "README names each command" "$(for c in $commands; do grep -q "reclaimctl $c\|\`$c\`" README.md || echo "$c"; done)" ""
same "every policy is in the man page" "$(sed -n 's/^\.SH \([A-Z_0-9]*\)$/\L\1/p' "$man7" | grep -xv 'name\|description' | sort)" \
	"$(for f in policies/*.bpf.c; do basename "$f" .bpf.c; done | sort)"
same "every policy is built in, under the name of its file" "$("$ctl" list -q | cut -d ' ' -f 1 | sort)" \
	"$(for f in policies/*.bpf.c; do basename "$f" .bpf.c; done | sort)"
# a policy without them works, but people have to read its source
"$ctl" list --json | jq -r '.policies[] | .name as $p | .tunables[] | select(.doc == null) |
	"# \($p): tunable \(.name) has no DOC"'
for page in "$man8" "$man7"; do
	same "$(basename "$page") is sound" "$(LC_ALL=C.UTF-8 MANROFFSEQ='' groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null | head -n 5)" ""
done

# --- what doesn't need privileges --------------------------------------------------

rc=0
setpriv --reuid 65534 --regid 65534 --clear-groups "$ctl" inspect stock >"$tmp/out" 2>&1 || rc=$?
same "inspect as nobody" "$rc $(grep -c '^  mutate' "$tmp/out")" "0 1"
"$ctl" list --json >"$tmp/out"
same "list --json is JSON" "$(jq -r '.schema' "$tmp/out")" 1
rc=0
"$ctl" inspect nonesuch --json >"$tmp/out" 2>/dev/null || rc=$?
same "an error in JSON" "$rc $(jq -r .status "$tmp/out")" "2 2"
bad=0
obj=$build/loader/policies/stock.bpf.o
size=$(stat -c %s "$obj")
for ((i = 0; i < 60; i++)); do
	if ((i % 2)); then
		head -c $((size * i / 60)) "$obj" >"$tmp/x.bpf.o"
	else
		cp "$obj" "$tmp/x.bpf.o"
		head -c 64 /dev/zero | tr '\0' '\377' | dd of="$tmp/x.bpf.o" bs=1 seek=$((size * i / 60)) conv=notrunc 2>/dev/null
	fi
	rc=0
	"$ctl" inspect "$tmp/x.bpf.o" >/dev/null 2>&1 || rc=$?
	[ "$rc" -le 1 ] || bad=$((bad + 1))
done
same "60 broken objects: an error or an answer each" "$bad" 0

# --- the parser of apply, under ASan and UBSan -------------------------------------

rc=0
"$build/loader/test_conf" >"$tmp/conf" 2>"$tmp/err" || rc=$?
grep '^not ok\|^#' "$tmp/conf" | sed 's/^/# /' || true
head -n 20 "$tmp/err" | sed 's/^/# /'
same "malformed files: $(grep -c '^ok' "$tmp/conf" || true) tests" "$rc" 0

# --- the package -------------------------------------------------------------------

deb=$(find "$build" -maxdepth 1 -name 'reclaim-ext_*.deb' | sort -V | tail -n 1)
if [ -z "$deb" ]; then
	n=$((n + 1))
	echo "ok $n - the package # SKIP none in $build: make deb"
elif ! command -v lintian >/dev/null; then
	n=$((n + 1))
	echo "ok $n - lintian # SKIP lintian is not installed"
else
	same "lintian finds no errors" "$(lintian --allow-root --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog,root-in-contact \
		"$deb" 2>&1 | grep '^E:' || true)" ""
fi
echo "1..$n"
exit $failed
