#!/bin/bash
# Check the commits of build/linux against the base kernel and print TAP.
#
# For each patch: checkpatch --strict, and builds of the directories it touches
# with the option on and off. For the whole series: the touched files build
# without memory cgroups, swap, MGLRU, or BPF, sparse says nothing that it doesn't say about the base,
# and with the option off the touched files of mm/ hold the same instructions.
# Answers are kept under build/checks/results until the patch changes.
set -euo pipefail
# shellcheck source=kernel/lib.sh
. "$(dirname "$0")/lib.sh"
me=kernel-checks

tgit rev-parse -q --verify "$base_tag^{commit}" >/dev/null 2>&1 ||
	die "no kernel tree at $tree: run make kernel-tree"
dir=$build/checks
mkdir -p "$dir/results" "$dir/log"
exec 6>"$dir/.lock"
flock 6
base=$(tgit rev-parse "$base_tag^{commit}")
tip=$(tgit rev-parse HEAD)
mapfile -t commits < <(tgit rev-list --reverse "$base..$tip")
series=$tree
tree=$dir/src # what kmake builds
sgit() { tree=$series tgit "$@"; }

n=0 failed=0
echo "TAP version 13"
if [ "${#commits[@]}" = 0 ]; then
	echo "1..1"
	echo "ok 1 the series is empty # SKIP no commits after $base_tag"
	exit 0
fi

# emit STATUS NAME [LOG]: one line of TAP, kept as part of the current answer.
emit() {
	if [ "$1" = 0 ]; then
		echo "ok - $2"
	else
		echo "not ok - $2"
		[ -z "${3:-}" ] || { grep -vE '^make|^$' "$3" || true; } | tail -n 25 | sed 's/^/# /'
	fi
}
# answer KEY COMMAND...: print COMMAND's TAP, kept if nothing failed.
answer() {
	local key file rc=0
	key=$({ printf '%s\n' "$1"; cat "$here/checks.sh" "$here"/config/{base,on,off}.config; gcc --version; sparse --version; } |
		sha256sum | cut -c1-32)
	file=$dir/results/$key
	shift
	if [ ! -r "$file" ]; then
		"$@" >"$file.new" || rc=$?
		[ "$rc" = 0 ] || echo "not ok - $* ended with status $rc" >>"$file.new"
		if ! grep -q '^not ok' "$file.new"; then
			mv "$file.new" "$file"
		else
			file=$file.new
		fi
	fi
	while IFS= read -r line; do
		case $line in
		'ok - '*) n=$((n + 1)); echo "ok $n - ${line#ok - }" ;;
		'not ok - '*) n=$((n + 1)); failed=$((failed + 1)); echo "not ok $n - ${line#not ok - }" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$file"
}

# One work tree that goes from commit to commit, so that only changed files get
# a new date and a build folder stays warm.
at=''
goto() {
	[ "$at" != "$1" ] || return 0
	if [ ! -e "$dir/src/.git" ] || ! tgit rev-parse -q --verify HEAD >/dev/null 2>&1; then
		rm -rf "$dir/src"
		sgit worktree prune
		sgit worktree add -q --detach "$dir/src" "$1" >&2
	fi
	tgit checkout -q --detach "$1"
	at=$1
}
# configure NAME: a build folder for the commit at hand. No debug information
# where the kernel allows it: the code is the same and compiles faster.
configure() {
	local nodebug=(DEBUG_INFO_NONE=y DEBUG_INFO_DWARF4=n DEBUG_INFO_BTF=n DEBUG_INFO_COMPRESSED_NONE=n)
	case $1 in
	on) "$here/config.sh" "$dir/on" "base on" ;;
	off) "$here/config.sh" "$dir/off" "base off" "${nodebug[@]}" ;;
	nomemcg) "$here/config.sh" "$dir/nomemcg" "base off" "${nodebug[@]}" \
		MEMCG=n MEMCG_V1=n CGROUP_WRITEBACK=n ;;
	noswap) "$here/config.sh" "$dir/noswap" "base on" SWAP=n ;;
	nomglru) "$here/config.sh" "$dir/nomglru" "base off" "${nodebug[@]}" \
		LRU_GEN=n LRU_GEN_ENABLED=n ;;
	nobpf) "$here/config.sh" "$dir/nobpf" "base off" "${nodebug[@]}" BPF_SYSCALL=n CGROUP_BPF=n \
		BPF_JIT=n BPF_JIT_ALWAYS_ON=n BPF_JIT_DEFAULT_ON=n BPF_UNPRIV_DEFAULT_OFF=n BPF_EVENTS=n ;;
	esac
} 2>>"$dir/log/config.log" >&2
prepared=''
compile() { # NAME LOG TARGET...
	local name=$1 log=$2
	shift 2
	RECLAIM_TREE=$dir/src configure "$name" || return 1
	case " $prepared " in
	*" $name:$at "*) ;;
	*)
		kmake O="$dir/$name" -j"$jobs" prepare >"$log" 2>&1 || return 1
		prepared+=" $name:$at"
		;;
	esac
	[ $# -gt 0 ] || return 0
	kmake O="$dir/$name" -j"$jobs" "$@" >"$log" 2>&1
}

touched() { sgit diff --name-only --diff-filter=d "$1" "$2" -- "${@:3}"; }
# The C files that the small configuration compiles (their objects exist then).
objects() { sed -n 's/\.c$/.o/p' | grep -vE '^(tools|samples|scripts|Documentation)/' || true; }
# Directories whose files a patch touches, with a Makefile, without trees of
# their own that are not the kernel.
directories() {
	local d
	grep -vE '^(tools|Documentation|include|scripts|samples)/' | grep / | xargs -rn1 dirname | sort -u |
		while read -r d; do
			[ ! -r "$dir/src/$d/Makefile" ] || echo "$d/"
		done
}

check_patch() {
	local commit=$1 number=$2 subject log rc dirs flavour
	subject="patch $number ($(sgit show -s --format=%s "$commit" | sed 's/#/\\#/g'))"
	say "$subject" >&2
	log=$dir/log/patch-$number
	rc=0
	goto "$commit"
	sgit format-patch -q -1 --stdout "$commit" >"$log.patch"
	(cd "$tree" && perl scripts/checkpatch.pl --strict --no-summary --show-types - <"$log.patch") >"$log.checkpatch" 2>&1 || rc=1
	emit $rc "$subject: checkpatch --strict" "$log.checkpatch"

	mapfile -t dirs < <(touched "$commit^" "$commit" | directories)
	for flavour in on off; do
		rc=0
		[ "${#dirs[@]}" = 0 ] || compile $flavour "$log.$flavour" "${dirs[@]}" || rc=1
		if [ "$rc" = 0 ] && grep -q 'warning:' "$log.$flavour" 2>/dev/null; then
			rc=1
		fi
		emit $rc "$subject: builds with the option $flavour (${dirs[*]:-no kernel code})" "$log.$flavour"
	done
	if [ -n "$(touched "$commit^" "$commit" tools/lib/bpf tools/bpf/bpftool tools/include)" ]; then
		rc=0
		mkdir -p "$dir/bpftool"
		local btf=()
		[ ! -r "$build/kernel/vmlinux" ] || btf=("VMLINUX_BTF=$build/kernel/vmlinux")
		make -C "$tree/tools/bpf/bpftool" OUTPUT="$dir/bpftool/" -j"$jobs" CC="$cc" HOSTCC="$hostcc" \
			CLANG=clang-19 LLVM_STRIP=llvm-strip-19 "${btf[@]}" \
			feature-llvm=0 feature-libbfd=0 "$dir/bpftool/bpftool" >"$log.bpftool" 2>&1 </dev/null || rc=1
		if [ "$rc" = 0 ] && grep -q 'warning:' "$log.bpftool"; then
			rc=1
		fi
		emit $rc "$subject: bpftool builds" "$log.bpftool"
	fi
}

# Only files that the configuration compiles: their object is in the folder
# after the directory was built.
existing_objects() {
	local name=$1 o
	while read -r o; do
		[ ! -e "$dir/$name/$o" ] || echo "$o"
	done
}

disassemble() { # OBJECT: instructions and what they refer to, no addresses
	objdump -dr --no-show-raw-insn "$1" | sed -E -e '/file format/d' \
		-e 's/^[0-9a-f]+ (<.*>:)$/\1/' -e 's/^ *[0-9a-f]+:\t//' -e 's/^\t+[0-9a-f]+: (R_)/\1/' \
		-e 's/^([a-z ]+ +)[0-9a-f]+ (<)/\1\2/' -e 's/# [0-9a-f]+ (<)/# \1/' \
		-e 's/(__UNIQUE_ID_\w*_)[0-9]+/\1N/g' \
		-e '/^R_.*\t\.(rodata|data|bss|text|init|exit|altinstr|discard|init_array)/s/[+-]0x[0-9a-f]+$//'
}
# Debian 12's sparse doesn't know __typeof_unqual__, and the kernel then skips the
# check with no more than a word. __typeof__ differs in qualifiers only. Nor can it
# expand the definitions of tracepoints, and after such an error it says nothing
# more about a file: they are left out.
run_sparse() { # LOG OBJECT...
	local log=$1
	shift
	mkdir -p "$dir/sparse/trace"
	: >"$dir/sparse/trace/define_trace.h"
	kmake O="$dir/on" -j"$jobs" C=2 \
		CHECK="sparse -D__typeof_unqual__=__typeof__ -I$dir/sparse" "$@" >"$log" 2>&1 || return 1
	[ "$(grep '^  CHECK ' "$log" | grep -vc scripts/)" -ge $# ] || {
		echo "error: sparse ran on fewer than $# files" >>"$log"
		return 1
	}
}
sparse_messages() { # LOG: messages without the line numbers, sorted
	grep -E '(warning|error):' "$1" | sed -E 's/:[0-9]+:[0-9]+:/:/; s,^.*/checks/src/,,' | sort || true
}

check_series() {
	local all dirs objs o log=$dir/log/series rc different
	mapfile -t all < <(touched "$base" "$tip" | objects)
	mapfile -t dirs < <(touched "$base" "$tip" | grep '\.c$' | directories)
	if [ "${#all[@]}" = 0 ]; then
		emit 0 "series: no kernel C file is touched"
		return
	fi

	# The base, for comparison: keep its objects and its messages.
	say "base kernel, for comparison (touched: ${all[*]})" >&2
	goto "$base"
	mapfile -t dirs < <(for d in "${dirs[@]}"; do [ ! -r "$tree/$d/Makefile" ] || echo "$d"; done)
	compile off "$log.base-off" "${dirs[@]}" || { emit 1 "series: the base builds" "$log.base-off"; return; }
	mapfile -t objs < <(printf '%s\n' "${all[@]}" | existing_objects off)
	rm -rf "$dir/base-objects"
	for o in "${objs[@]}"; do
		[ -e "$tree/${o%.o}.c" ] || continue
		mkdir -p "$dir/base-objects/$(dirname "$o")"
		cp "$dir/off/$o" "$dir/base-objects/$o"
	done
	compile on "$log.base-on" "${dirs[@]}" || { emit 1 "series: the base builds" "$log.base-on"; return; }
	mapfile -t objs < <(printf '%s\n' "${all[@]}" | existing_objects on | while read -r o; do
		[ ! -e "$tree/${o%.o}.c" ] || echo "$o"; done)
	run_sparse "$log.sparse-base" "${objs[@]}" || { emit 1 "series: sparse runs on the base" "$log.sparse-base"; return; }
	sparse_messages "$log.sparse-base" >"$log.sparse-base.txt"

	say "the whole series" >&2
	goto "$tip"
	rc=0
	mapfile -t dirs < <(touched "$base" "$tip" | grep '\.c$' | directories)
	compile off "$log.tip-off" "${dirs[@]}" || rc=1
	if [ "$rc" != 0 ]; then
		emit 1 "series: builds with the option off" "$log.tip-off"
	else
		for o in "${all[@]}"; do
			case $o in mm/*) ;; *) continue ;; esac
			[ -e "$dir/base-objects/$o" ] || continue
			different=0
			diff -u <(disassemble "$dir/base-objects/$o") <(disassemble "$dir/off/$o") >"$log.text" || different=1
			emit $different "series: option off, $o holds the same instructions as the base" "$log.text"
		done
	fi

	rc=0
	compile on "$log.tip-on" "${dirs[@]}" || rc=1
	if [ "$rc" != 0 ]; then
		emit 1 "series: builds with the option on" "$log.tip-on"
	else
		mapfile -t objs < <(printf '%s\n' "${all[@]}" | existing_objects on)
		run_sparse "$log.sparse-tip" "${objs[@]}" || rc=1
		sparse_messages "$log.sparse-tip" >"$log.sparse-tip.txt"
		# With their number: a second message like an old one is new.
		comm -13 "$log.sparse-base.txt" "$log.sparse-tip.txt" >"$log.sparse-new"
		[ ! -s "$log.sparse-new" ] || rc=1
		emit $rc "series: sparse has nothing new to say about ${#objs[@]} files" \
			"$([ -s "$log.sparse-new" ] && echo "$log.sparse-new" || echo "$log.sparse-tip")"
	fi

	without nomemcg off "without memory cgroups" '^mm/memcontrol'
	without noswap on "with the option, without swap" '^mm/swap'
	without nomglru off "without MGLRU" '^$'
	without nobpf off "without BPF" '^kernel/bpf/'
}

# without CONFIGURATION LIKE WORDS REGEX: do the touched files build, as far as
# the configuration LIKE has them, but for those of REGEX?
without() {
	local rc=0
	compile "$1" "$log.$1" || rc=1
	if [ "$rc" = 0 ]; then
		mapfile -t objs < <(printf '%s\n' "${all[@]}" | existing_objects "$2" | grep -vE "$4" || true)
		[ "${#objs[@]}" = 0 ] || compile "$1" "$log.$1" "${objs[@]}" || rc=1
		! grep -q 'warning:' "$log.$1" || rc=1
	fi
	emit $rc "series: touched files build $3" "$log.$1"
}

i=0
for c in "${commits[@]}"; do
	i=$((i + 1))
	key="patch $(sgit show -s --format='%T %s%n%b' "$c") $(sgit rev-parse "$c^^{tree}")"
	answer "$key" check_patch "$c" "$i"
done
key="series $(sgit rev-parse "$base^{tree}") $(sgit rev-parse "$tip^{tree}")"
answer "$key" check_series
echo "1..$n"
[ "$failed" = 0 ]
