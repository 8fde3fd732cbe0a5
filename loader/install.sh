#!/bin/bash
# Install reclaimctl and what belongs to it: install.sh DESTDIR PREFIX (make install).
set -euo pipefail

cd "$(dirname "$0")/.."
build=${RECLAIM_BUILD:-$PWD/build}
dest=$1 prefix=$2
top=$dest$prefix

put() { # MODE FOLDER FILE...
	local mode=$1 folder=$2
	shift 2
	install -d -m 755 "$folder"
	install -m "$mode" "$@" "$folder"
}
put 755 "$top/sbin" "$build/bin/reclaimctl"
strip "$top/sbin/reclaimctl"
put 644 "$top/lib/reclaim_ext/policies" "$build"/loader/policies/*.bpf.o
put 644 "$top/include/reclaim_ext" bpf/*.h
# libbpf's headers for BPF programs, of the version that the policies are built with
put 644 "$top/include/reclaim_ext/bpf" "$build"/libbpf/include/bpf/bpf_{helpers,helper_defs,core_read,tracing,endian}.h
install -d -m 755 "$top/share/man/man8" "$top/share/man/man7"
gzip -9nc "$build/loader/reclaimctl.8" >"$top/share/man/man8/reclaimctl.8.gz"
gzip -9nc "$build/loader/reclaim-policies.7" >"$top/share/man/man7/reclaim-policies.7.gz"
install -d -m 755 "$top/share/bash-completion/completions"
install -m 644 "$build/loader/reclaimctl.bash" "$top/share/bash-completion/completions/reclaimctl"
put 644 "$top/share/doc/reclaim-ext/examples" loader/example.yaml policies/template/mine.bpf.c
put 644 "$top/share/doc/reclaim-ext" policies/README.md
put 755 "$top/lib/reclaim_ext" "$build/bench/reader"
strip "$top/lib/reclaim_ext/reader"
# units name programs by absolute paths
install -d -m 755 "$top/lib/systemd/system"
sed "s,/usr/sbin/,$prefix/sbin/," loader/reclaimctl.service >"$top/lib/systemd/system/reclaimctl.service"
install -d -m 755 "$dest/etc/reclaimctl.d"
