#!/bin/bash
# Make the Debian package of reclaimctl under build/: deb.sh VERSION (make deb).
set -euo pipefail

cd "$(dirname "$0")/.."
build=${RECLAIM_BUILD:-$PWD/build}
version=$1 arch=$(dpkg --print-architecture) name=reclaim-ext
root=$build/deb
# made on this machine: whoever makes one for others sets DEBFULLNAME and DEBEMAIL
maintainer="${DEBFULLNAME:-reclaim_ext} <${DEBEMAIL:-$name@$(hostname -f 2>/dev/null || hostname)}>"
# the same commit gives the same package
SOURCE_DATE_EPOCH=$(git -c safe.directory='*' log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
rm -rf "$root"
mkdir -p "$root/debian" "$root/root/DEBIAN"
loader/install.sh "$root/root" /usr

doc=$root/root/usr/share/doc/$name
cat >"$doc/copyright" <<'END'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2026 the authors of reclaim_ext
License: GPL-2.0
 The text of the licence is in /usr/share/common-licenses/GPL-2.
END
gzip -9n >"$doc/changelog.gz" <<END
$name ($version) unstable; urgency=medium

  * See the history of the source.

 -- $maintainer  $(date -Ru -d "@$SOURCE_DATE_EPOCH")
END

mkdir -p "$root/root/usr/share/lintian/overrides"
cat >"$root/root/usr/share/lintian/overrides/$name" <<'END'
# objects for BPF, which the kernel compiles
reclaim-ext: binary-from-other-architecture *policies/*.bpf.o]
# runs in memory cgroups of a few MB, where libraries would be charged
reclaim-ext: statically-linked-binary *
END

# What the program links to, with the versions that have its symbols.
cat >"$root/debian/control" <<END
Source: $name
Package: $name
Architecture: $arch
END
depends=$(cd "$root" && dpkg-shlibdeps -O -e"root/usr/sbin/reclaimctl" 2>/dev/null |
	sed -n 's/^shlibs:Depends=//p')
cat >"$root/root/DEBIAN/control" <<END
Package: $name
Version: $version
Architecture: $arch
Maintainer: $maintainer
Section: admin
Priority: optional
Installed-Size: $(du -sk --apparent-size "$root/root" | cut -f 1)
Depends: $depends
Suggests: bpftool, clang
Description: page reclaim policies in BPF for memory cgroups
 reclaimctl loads policies that take decisions of page reclaim, attaches them
 to memory cgroups, swaps them while they are in use, and shows what they do.
 It needs a kernel with reclaim_ext; reclaimctl doctor says whether this is one.
 .
 The package holds the policies, the headers to write more of them, and a unit
 that attaches policies at boot.
END
# Policies stay attached when the package goes: they are the kernel's by then.
cat >"$root/root/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
END
cp "$root/root/DEBIAN/postinst" "$root/root/DEBIAN/postrm"
chmod 755 "$root/root/DEBIAN/postinst" "$root/root/DEBIAN/postrm"
(cd "$root/root" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum) \
	>"$root/root/DEBIAN/md5sums"
find "$root/root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
file=$build/${name}_${version}_$arch.deb
dpkg-deb --root-owner-group -b "$root/root" "$file" >/dev/null
rm -rf "$root"
echo "$file"
