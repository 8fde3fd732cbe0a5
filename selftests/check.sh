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
	echo "check: $1 ..."
	run_group "$@"
	report "$1"
}

run_group() {
	local name=$1 began=$SECONDS rc=0
	shift
	"$@" >"$out/$name.tap" 2>"$out/$name.err" </dev/null || rc=$?
	echo "$rc $((SECONDS - began))" >"$out/$name.rc"
}

# A VM uses one processor: groups that are started run beside one another, as
# many at a time as there are processors, and are reported in this order.
started=() running=0
start() {
	if [ "$running" -ge "$(nproc)" ]; then
		wait -n || true
		running=$((running - 1))
	fi
	echo "check: $1 started"
	run_group "$@" &
	started+=("$1") running=$((running + 1))
}

finish() {
	local name
	wait
	for name in "${started[@]}"; do
		report "$name"
	done
	started=() running=0
}

report() {
	local name=$1 rc=1 seconds='?' p f s
	read -r rc seconds <"$out/$name.rc" || true
	awk -v name="$name" -v rc="$rc" -v counts="$out/counts" -f selftests/tap-count.awk "$out/$name.tap"
	read -r p f s <"$out/counts"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	if [ "$f" != 0 ]; then
		grep -A 15 '^ *not ok' "$out/$name.tap" | head -n 60 || true
		tail -n 15 "$out/$name.err"
		echo "check: $name: more in $out/$name.tap and $out/$name.err"
	fi
	echo "check: $name: $p passed, $f failed$([ "$s" = 0 ] || echo ", $s skipped"), $seconds s"
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
[ "$kernel" = 0 ] || build_step deb || true
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
tests=selftests/reclaim_ext/run_tests.sh
vm=(selftests/vm/run --timeout 2400)
if [ "$kernel" = 1 ]; then
	# the longest first
	if [ "$debug" = 1 ]; then
		start vm-debug-1 "${vm[@]}" --mem 3072 --debug -- "$tests" --part 1/2
		start vm-debug-2 "${vm[@]}" --mem 3072 --debug -- "$tests" --part 2/2
	fi
	start hostile selftests/hostile/run.sh
	[ "$debug" != 1 ] || start soak selftests/hostile/soak.sh
	start vm "${vm[@]}" -- "$tests"
	start bench selftests/bench/check.sh
	start vm-kernel-deb selftests/loader/kernel_deb.sh
	start vm-loader "${vm[@]}" -- selftests/loader/run_tests.sh
	start vm-runner selftests/vm/test-run.sh
fi
start kernel-patches one_result "kernel/patches survives the round trip" kernel/patches.sh --check
start kernel-checks kernel/checks.sh
finish

if [ "$skipped" = 0 ]; then
	echo "$passed passed, $failed failed"
else
	echo "$passed passed, $failed failed, $skipped skipped"
fi
[ "$failed" = 0 ]
