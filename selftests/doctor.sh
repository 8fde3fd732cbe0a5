#!/bin/bash
# Say in one line each what this machine lacks to build and test; --install: install packages.
set -euo pipefail

cd "$(dirname "$0")/.."
build=${RECLAIM_BUILD:-$PWD/build}

# Debian package, and what it is for.
packages='
make build everything
gcc build the kernel and the programs
libc6-dev build the programs
ccache build the kernel again in a minute
clang-19 compile the policies
llvm-19 strip the BPF objects
flex build the kernel
bison build the kernel
bc build the kernel
cpio make the initramfs of the VM
pahole write the type information of the kernel
kmod build the kernel
libelf-dev build the kernel, libbpf and bpftool
libdw-dev build the kernel
libssl-dev build the kernel
zlib1g-dev build libbpf and bpftool
libcap-dev build bpftool
libjson-c-dev build reclaimctl
libyaml-dev build reclaimctl
libncurses-dev build reclaimctl
scdoc make the man pages
dpkg-dev make the Debian package
libcmocka-dev unit tests
libwiredtiger-dev the database of the bench
python3 scripts of the kernel build
perl scripts of the kernel build
rsync copy what changed only
git the kernel tree
xz-utils unpack the kernel
util-linux end the VM with its runner
qemu-system-x86 the VM
busybox-static the initramfs of the VM
e2fsprogs the scratch disk of the tests
fio cross-check of the measurements
gnuplot-nox charts of demo and bench
jq read the JSON of the tools in tests, demo and bench
iproute2 tests
sparse static checks of the kernel series
shellcheck checks of the scripts
debian-archive-keyring verify the kernel source
'

missing=() wrong=0
bad() {
	echo "missing: $1 ($2): $3"
	wrong=$((wrong + 1))
}
find_missing() {
	local name what
	missing=()
	while read -r name what; do
		[ -n "$name" ] || continue
		if [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" != installed ]; then
			missing+=("$name")
			[ -n "${1:-}" ] || bad "package $name" "$what" "make deps, or apt-get install $name"
		fi
	done <<<"$packages"
}

check_disk() {
	local free used=0
	mkdir -p "$build" || return 0
	free=$(df -Pk "$build" | awk 'NR==2 {print int($4 / 1048576)}')
	[ "$free" -lt 10 ] || return 0
	used=$(du -sk "$build" 2>/dev/null | awk '{print int($1 / 1048576)}')
	[ $((free + used)) -ge 10 ] ||
		bad "disk space" "$free GB free for $build, a full build takes 10" \
			"make room, or set RECLAIM_BUILD=DIR"
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "missing: dpkg and apt-get: this needs Debian 12 or newer; elsewhere install by hand:" >&2
	awk 'NF {printf "%s ", $1} END {print ""}' <<<"$packages" >&2
	exit 1
fi

if [ "${1:-}" = --install ]; then
	check_disk
	[ "$wrong" = 0 ] || exit 1
	find_missing quiet
	[ "${#missing[@]}" -gt 0 ] || exit 0
	if [ "$(id -u)" != 0 ]; then
		echo "deps: not root, cannot install; run as root: apt-get install ${missing[*]}" >&2
		exit 1
	fi
	echo "deps: installing ${#missing[@]} packages: ${missing[*]}"
	mkdir -p "$build/log"
	log=$build/log/deps.log
	export DEBIAN_FRONTEND=noninteractive
	install=(apt-get -q -y --no-install-recommends -o DPkg::Lock::Timeout=300 install "${missing[@]}")
	if ! "${install[@]}" >"$log" 2>&1 </dev/null; then
		if ! { apt-get -q -o DPkg::Lock::Timeout=300 update && "${install[@]}"; } >"$log" 2>&1 </dev/null; then
			grep -E '^E:' "$log" | sed 's,[a-z+]*://[^ ]*,(the mirror),g' | head -5 >&2 || true
			echo "deps: apt-get could not install: ${missing[*]}; is the network there? log: $log" >&2
			exit 1
		fi
	fi
	exit 0
fi

find_missing
[ "$(id -u)" = 0 ] ||
	bad root "packages, and a VM that shares the host's files" "run make as root"
check_disk
mem=$(awk '/^MemTotal/ {print int($2 / 1024)}' /proc/meminfo)
[ "$mem" -ge 3500 ] || bad memory "$mem MB, the VM takes 2048 and a link of the kernel 1500" "a bigger machine"
if [ ! -e "$build/linux/.git" ] && ! ls "$build"/download/linux-*.tar.xz >/dev/null 2>&1; then
	if [ -n "${KERNEL_TARBALL:-}" ]; then
		[ -r "$KERNEL_TARBALL" ] || bad "KERNEL_TARBALL $KERNEL_TARBALL" "the kernel source" "give a readable file"
	elif [ -n "${KERNEL_SRC:-}" ]; then
		[ -r "$KERNEL_SRC/Makefile" ] || bad "KERNEL_SRC $KERNEL_SRC" "the kernel source" "give a kernel tree"
	elif ! RECLAIM_BUILD=$build kernel/fetch.sh --probe >/dev/null 2>&1 3>&1; then
		bad "kernel source" "the machine's Debian mirror doesn't answer or lacks it" \
			"check the network, or set KERNEL_TARBALL=FILE or KERNEL_SRC=DIR"
	fi
fi
if [ "$wrong" = 0 ]; then
	echo "nothing is missing"
else
	exit 1
fi
