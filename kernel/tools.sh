#!/bin/bash
# Build bpftool and libbpf from build/linux, and vmlinux.h from build/kernel.
#
# Results: build/bin/bpftool, build/libbpf/{lib/libbpf.a,include}, and
# build/include/vmlinux.h. Their dates change only when their content does.
set -euo pipefail
# shellcheck source=kernel/lib.sh
. "$(dirname "$0")/lib.sh"
me=tools

out=$build/tools
vmlinux=$build/kernel/vmlinux
[ -r "$tree/Makefile" ] || die "no kernel tree at $tree: run make kernel-tree"
[ -r "$vmlinux" ] || die "no kernel $vmlinux: run make kernel"
mkdir -p "$out" "$build/bin" "$build/include" "$build/libbpf/lib" "$build/libbpf/include/linux"
exec 7>"$out/.lock"
flock 7

used=(tools/bpf/bpftool tools/lib tools/include tools/build tools/scripts
	include/uapi kernel/bpf/disasm.c kernel/bpf/disasm.h)
key=$({
	for d in "${used[@]}"; do tgit rev-parse "HEAD:$d"; done
	tgit diff HEAD -- "${used[@]}"
	gcc --version
} | sha256sum | cut -c1-40)
# bpftool's own BPF programs need the kernel's types, but not today's. The
# disassemblers stay out: they load 100 MB of libraries into a slow guest.
if [ "$(cat "$out/.built" 2>/dev/null)" != "$key" ] || [ ! -x "$build/bin/bpftool" ]; then
	began=$SECONDS
	say "building bpftool and libbpf (about 1 min)"
	mkdir -p "$out/bpftool"
	progress bpftool "$build/log/bpftool.log" 130 \
		make -C "$tree/tools/bpf/bpftool" OUTPUT="$out/bpftool/" -j"$jobs" \
		CC="$cc" HOSTCC="$hostcc" CLANG=clang-19 LLVM_STRIP=llvm-strip-19 \
		VMLINUX_BTF="$vmlinux" feature-llvm=0 feature-libbfd=0 "$out/bpftool/bpftool"
	mkdir -p "$out/include"
	cp -rT "$out/bpftool/libbpf/include" "$out/include"
	mkdir -p "$out/include/linux"
	cp "$tree"/tools/include/uapi/linux/{bpf,bpf_common,btf}.h "$out/include/linux/"
	rsync -rc --delete "$out/include/" "$build/libbpf/include/"
	rsync -c "$out/bpftool/libbpf/libbpf.a" "$build/libbpf/lib/libbpf.a"
	rsync -c "$out/bpftool/bpftool" "$build/bin/bpftool"
	echo "$key" >"$out/.built"
	say "$build/bin/bpftool built in $(minutes $((SECONDS - began)))"
else
	say "$build/bin/bpftool is up to date"
fi

stamp=$(cksum <"$build/bin/bpftool")\ $(stat -c '%Y %s' "$vmlinux")
if [ "$(cat "$out/.vmlinux.h" 2>/dev/null)" != "$stamp" ] || [ ! -r "$build/include/vmlinux.h" ]; then
	"$build/bin/bpftool" btf dump file "$vmlinux" format c >"$out/vmlinux.h.new"
	if ! cmp -s "$out/vmlinux.h.new" "$build/include/vmlinux.h"; then
		mv "$out/vmlinux.h.new" "$build/include/vmlinux.h"
		say "$build/include/vmlinux.h written"
	fi
	echo "$stamp" >"$out/.vmlinux.h"
fi
