#!/bin/bash
# The demo: boots the VM, swaps page reclaim policies under a running reader, reports.
set -euo pipefail

usage() {
	cat <<'END'
usage: selftests/demo/run.sh [OPTIONS]

  --rounds N      measured rounds per phase (default 5)
  --zipf-reads N  reads per pass of the second table (default 1000000)
  --from DIR      boot nothing: report what an earlier run left in DIR

Needs build/kernel/vmlinux, build/bin/bpftool, build/bench/reader and
build/policies/*.bpf.o (make demo builds them). Writes build/demo/report.json,
build/demo/refaults.svg and build/demo/raw/. Exit status: 0 if refault_distance
does what is expected of it, 1 if not, 2 if the demo could not be run.
END
}

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${RECLAIM_BUILD:-$PWD/build}
to=$build/demo from='' guest=()
while [ $# -gt 0 ]; do
	case $1 in
	--rounds | --zipf-reads)
		[[ ${2:-} =~ ^[1-9][0-9]*$ ]] || {
			echo "demo: $1 '${2:-}': not a number above 0" >&2
			exit 2
		}
		guest+=("$1" "$2")
		shift 2
		;;
	--from)
		from=${2:?--from needs a folder}
		shift 2
		;;
	-h | --help)
		usage
		exit 0
		;;
	*)
		echo "demo: unknown option '$1' (see --help)" >&2
		exit 2
		;;
	esac
done

for tool in jq gnuplot; do
	command -v "$tool" >/dev/null || {
		echo "demo: $tool is missing: run make deps" >&2
		exit 2
	}
done

if [ -z "$from" ]; then
	for file in bin/bpftool bench/reader policies/refault_distance.bpf.o \
		policies/stock.bpf.o; do
		[ -e "$build/$file" ] || {
			echo "demo: $build/$file is missing: run make demo, or make bpftool policies bench-build" >&2
			exit 2
		}
	done
	from=$to/raw
	rm -rf "$from" "$to"/report.json "$to"/*.svg
	mkdir -p "$from"
	echo "demo: booting the VM; about 6 minutes without KVM" >&2
	status=0
	selftests/vm/run --timeout 3600 --out "$from" -- \
		selftests/demo/guest.sh --build "$build" "${guest[@]}" || status=$?
	if [ "$status" -ne 0 ]; then
		echo "demo: the VM part ended with status $status; its log is $build/vm/last/console.log" >&2
		exit 2
	fi
fi
selftests/demo/report.sh "$from" "$to"
