#!/bin/bash
# Make a Debian package of the kernel with the series: deb.sh (make kernel-deb).
#
# Without KERNEL_CONFIG the small kernel of build/kernel, for virtual machines.
# KERNEL_CONFIG=FILE is a configuration to begin with, e.g. /boot/config-$(uname -r)
# of the machine where it will be installed; what reclaim_ext needs is switched on.
set -euo pipefail
# shellcheck source=kernel/lib.sh
. "$(dirname "$0")/lib.sh"
me=kernel-deb

if [ -n "${KERNEL_CONFIG:-}" ]; then
	[ -r "$KERNEL_CONFIG" ] || die "KERNEL_CONFIG '$KERNEL_CONFIG' can't be read: give a file"
	out=$build/kernel-custom
	mkdir -p "$out" "$build/log"
	cp "$KERNEL_CONFIG" "$out/.config"
	"$tree/scripts/config" --file "$out/.config" -e BPF_SYSCALL -e BPF_JIT -e CGROUP_BPF -e MEMCG \
		-e LRU_GEN -e LRU_GEN_ENABLED -e DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT -d DEBUG_INFO_NONE \
		-d DEBUG_INFO_REDUCED -e DEBUG_INFO_BTF -e RECLAIM_EXT --set-str SYSTEM_TRUSTED_KEYS '' \
		--set-str SYSTEM_REVOCATION_KEYS ''
	kmake -s O="$out" olddefconfig
	grep -qx CONFIG_RECLAIM_EXT=y "$out/.config" ||
		die "$KERNEL_CONFIG: CONFIG_RECLAIM_EXT does not take: it needs 64BIT, MEMCG, CGROUP_BPF, LRU_GEN and BPF_JIT"
	say "building $out with $jobs jobs; the configuration of a distribution takes hours"
	progress custom "$build/log/kernel-custom.log" 30000 kmake O="$out" -j"$jobs" bzImage modules
else
	out=$build/kernel
fi
image=$out/arch/x86/boot/bzImage
[ -r "$image" ] || die "no kernel $image: run make kernel"
release=$(cat "$out/include/config/kernel.release")
arch=$(dpkg --print-architecture) name=linux-image-$release
version=${release%%-*}-1
root=$build/kernel-deb.root
rm -rf "$root"
mkdir -p "$root/boot" "$root/DEBIAN" "$root/usr/share/doc/$name"
cp "$image" "$root/boot/vmlinuz-$release"
cp "$out/System.map" "$root/boot/System.map-$release"
cp "$out/.config" "$root/boot/config-$release"
if grep -qx CONFIG_MODULES=y "$out/.config"; then
	kmake -s O="$out" INSTALL_MOD_PATH="$root/usr" INSTALL_MOD_STRIP=1 modules_install
	rm -f "$root/usr/lib/modules/$release/build" "$root/usr/lib/modules/$release/source"
fi
cat >"$root/usr/share/doc/$name/copyright" <<'END'
Linux is under the GPL, version 2: /usr/share/common-licenses/GPL-2
END
cat >"$root/DEBIAN/control" <<END
Package: $name
Version: $version
Architecture: $arch
Maintainer: ${DEBFULLNAME:-reclaim_ext} <${DEBEMAIL:-reclaim-ext@$(hostname)}>
Section: kernel
Priority: optional
Installed-Size: $(du -sk "$root" | cut -f 1)
Recommends: reclaim-ext
Description: Linux $release with reclaim_ext
 A kernel in which BPF programs can take decisions of page reclaim for memory
 cgroups.
END
# What updates the boot loader and the initramfs hooks in here.
for script in postinst:configure prerm:remove postrm:remove; do
	cat >"$root/DEBIAN/${script%:*}" <<END
#!/bin/sh
set -e
export DEB_MAINT_PARAMS="\$*"
if [ "\$1" = ${script#*:} ] && [ -d /etc/kernel/${script%:*}.d ]; then
	run-parts --report --exit-on-error --arg=$release --arg=/boot/vmlinuz-$release /etc/kernel/${script%:*}.d
fi
END
	chmod 755 "$root/DEBIAN/${script%:*}"
done
file=$build/${name}_${version}_$arch.deb
dpkg-deb --root-owner-group -b "$root" "$file" >/dev/null
rm -rf "$root"
say "$file"
