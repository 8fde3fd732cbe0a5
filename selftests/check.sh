#!/bin/bash
# Build what the tests need, run all of them, print "N passed, N failed" (make check).
#
# Results and logs are under build/check. Each group prints TAP or KTAP; leaf
# results are counted. A group that prints none, ends early or returns a failing
# status without saying why counts as one failure.
set -euo pipefail

cd "$(dirname "$0")/.."
build=${RECLAIM_BUILD:-$PWD/build}
export RECLAIM_BUILD=$build
out=$build/check
rm -rf "$out"
mkdir -p "$out"
unset MAKEFLAGS MAKELEVEL MFLAGS
passed=0 failed=0 skipped=0
make=(make --no-print-directory)

# group NAME COMMAND...
group() {
	local name=$1 began=$SECONDS rc=0 p f s
	shift
	echo "check: $name ..."
	"$@" >"$out/$name.tap" 2>"$out/$name.err" </dev/null || rc=$?
	awk -v name="$name" -v rc="$rc" -v counts="$out/counts" -f selftests/tap-count.awk "$out/$name.tap"
	read -r p f s <"$out/counts"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	if [ "$f" != 0 ]; then
		grep -A 15 '^ *not ok' "$out/$name.tap" | head -n 60 || true
		tail -n 15 "$out/$name.err"
		echo "check: $name: more in $out/$name.tap and $out/$name.err"
	fi
	echo "check: $name: $p passed, $f failed$([ "$s" = 0 ] || echo ", $s skipped"), $((SECONDS - began)) s"
}

# A build that fails is a failed test, and what doesn't need it still runs.
build_step() {
	if "${make[@]}" "$1"; then
		return 0
	fi
	echo "FAILED  make $1"
	failed=$((failed + 1))
	return 1
}

kernel=1 debug=1
build_step host-tests-build || true
for t in "$build"/host/test_*; do
	case $t in *.d | *'*') continue ;; esac
	[ -e "selftests/host/$(basename "$t").c" ] || continue
	group "host-$(basename "$t")" env CMOCKA_MESSAGE_OUTPUT=TAP "$t"
done

build_step all || kernel=0
for t in selftests/host/*.sh; do
	[ -e "$t" ] || continue
	group "host-$(basename "$t" .sh)" "$t"
done
if [ "$kernel" = 1 ]; then
	build_step kernel-debug || debug=0
fi

one_result() { # NAME COMMAND...: the command's status as TAP
	local name=$1
	shift
	echo "1..1"
	if "$@" >&2; then
		echo "ok 1 - $name"
	else
		echo "not ok 1 - $name"
	fi
}
group kernel-patches one_result "kernel/patches survives the round trip" kernel/patches.sh --check
group kernel-checks kernel/checks.sh

tests=selftests/reclaim_ext/run_tests.sh
if [ "$kernel" = 1 ]; then
	group vm-runner selftests/vm/test-run.sh
	if [ -x "$tests" ]; then
		group vm selftests/vm/run --timeout 1200 -- "$tests"
		if [ "$debug" = 1 ]; then
			group vm-debug selftests/vm/run --timeout 1800 --mem 3072 --debug -- "$tests"
		fi
	else
		echo "SKIPPED vm: no $tests yet"
		skipped=$((skipped + 1))
	fi
fi

if [ "$skipped" = 0 ]; then
	echo "$passed passed, $failed failed"
else
	echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ]
