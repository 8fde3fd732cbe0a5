#!/bin/bash
# Put the kernel source's tarball under build/download and print its path on fd 3.
# --probe: only say by the exit status whether the mirror has it.
#
# It comes from the Debian mirror that this machine's apt already uses, through a
# private apt configuration: the machine's own sources stay as they are.
set -euo pipefail
# shellcheck source=kernel/lib.sh
. "$(dirname "$0")/lib.sh"
me=kernel-fetch
probe=''
if [ "${1:-}" = --probe ]; then
	probe=1
fi

ways_out="other ways: KERNEL_TARBALL=FILE (a linux-$version tarball), KERNEL_SRC=DIR (an unpacked one or a git tree)"
dir=$build/download
mkdir -p "$dir"

if [ -n "${KERNEL_TARBALL:-}" ]; then
	[ -r "$KERNEL_TARBALL" ] || die "cannot read KERNEL_TARBALL '$KERNEL_TARBALL'"
	echo "$KERNEL_TARBALL" >&3
	exit 0
fi
have=$(find "$dir" -maxdepth 1 -name "linux-*.tar.xz" | sort -V | tail -n 1)
if [ -r "$dir/linux-$version.tar.xz" ]; then
	have=$dir/linux-$version.tar.xz
fi
if [ -n "$have" ]; then
	echo "$have" >&3
	exit 0
fi

command -v apt-get >/dev/null || die "apt-get is missing, this needs Debian; $ways_out"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || die "$keyring is missing: apt-get install debian-archive-keyring; $ways_out"

# The mirror of the distribution itself: component main of its code name, not
# the security archive and not a third party's repository.
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# shellcheck disable=SC2016 # apt-get expands these
mirror=$(apt-get indextargets --format '$(CREATED_BY) $(COMPONENT) $(REPO_URI) $(BASE_URI)' 2>/dev/null |
	awk -v c="$codename" '$1=="Packages" && $2=="main" && $4 ~ "/dists/(" c "|stable|oldstable)/$" && $3 !~ /security/ {print $3; exit}')
[ -n "$mirror" ] || die "apt on this machine has no Debian mirror for '$codename main' (apt-get indextargets lists none); $ways_out"

apt=$build/apt
rm -rf "$apt"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
echo "deb [signed-by=$keyring] $mirror $suite main" >"$apt/sources.list"
aptopts=(-q -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
	-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
	-o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o Acquire::Languages=none
	-o APT::Sandbox::User=root -o APT::Default-Release= -o Acquire::Retries=3
	-o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false)
say "asking the Debian mirror for $package ($suite)"
if ! apt-get "${aptopts[@]}" -o APT::Update::Error-Mode=any update >"$build/log/apt-update.log" 2>&1; then
	sed 's,[a-z+]*://[^ ]*,(the mirror),g' "$build/log/apt-update.log" | grep -E '^(E|W|Err)' | head -5 >&2 || true
	die "apt-get update of $suite failed: is the network there? log: $build/log/apt-update.log; $ways_out"
fi
versions=$(apt-cache "${aptopts[@]}" madison "$package" | awk -F' *[|] *' '{print $2}')
[ -n "$versions" ] || die "the mirror's $suite has no package $package; $ways_out"
[ -z "$probe" ] || exit 0
pick=$(grep -m1 "^${version//./\\.}[-~+]" <<<"$versions" || true)
if [ -z "$pick" ]; then
	pick=$(head -n 1 <<<"$versions")
	say "NOTE: the series is made for Linux $version, but the mirror has $package ${pick%%-*}." >&2
	say "NOTE: going on with ${pick%%-*}; if a patch doesn't apply: $ways_out" >&2
fi
upstream=${pick%%[-~+]*}

free=$(df -Pk "$dir" | awk 'NR==2 {print int($4 / 1024)}')
[ "$free" -ge 4000 ] || die "only $free MB free for $dir, the kernel source needs 4000: make room, or set RECLAIM_BUILD=DIR"
tmp=$(mktemp -d "$dir/tmp.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
say "downloading $package $pick (about 150 MB)"
if ! (cd "$tmp" && apt-get "${aptopts[@]}" download "$package=$pick" >"$build/log/apt-download.log" 2>&1); then
	die "download of $package failed; log: $build/log/apt-download.log; $ways_out"
fi
deb=$(find "$tmp" -name '*.deb')
dpkg-deb --fsys-tarfile "$deb" | tar -xO "./usr/src/$package.tar.xz" >"$tmp/source.tar.xz" ||
	die "$package $pick holds no /usr/src/$package.tar.xz; $ways_out"
mv "$tmp/source.tar.xz" "$dir/linux-$upstream.tar.xz"
echo "$dir/linux-$upstream.tar.xz" >&3
