# reclaim_ext: build, test and show it. `make help` lists the targets.
MAKEFLAGS += --no-builtin-rules --no-print-directory
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:

TOP := $(CURDIR)
B := $(or $(RECLAIM_BUILD),$(TOP)/build)
export RECLAIM_BUILD := $(B)
JOBS ?= $(shell nproc)
export JOBS
ifdef KERNEL_SRC
export KERNEL_SRC
endif
ifdef KERNEL_TARBALL
export KERNEL_TARBALL
endif
ifdef KERNEL_CONFIG
export KERNEL_CONFIG
endif
SUB := +$(MAKE) -j$(JOBS)

CLANG ?= clang-19
# The kernel embeds tagged structs without a name, and so does its vmlinux.h.
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -Wall -Werror \
	-fms-extensions -Wno-microsoft-anon-tag \
	-I$(B)/include -Ibpf -I$(B)/libbpf/include
WARN := -Wall -Wextra -Werror
USER_CFLAGS := -g -O2 -std=gnu11 -D_GNU_SOURCE $(WARN) -Ibpf -isystem $(B)/libbpf/include
LIBBPF := $(B)/libbpf/lib/libbpf.a -lelf -lz
HOST_CFLAGS := -g -O1 -std=gnu11 -D_GNU_SOURCE $(WARN) -Ibpf -Ipolicies \
	-fsanitize=address,undefined -fno-sanitize-recover=all

LOADER_OBJS := $(patsubst loader/%.c,$(B)/loader/%.o,$(filter-out %.bpf.c,$(wildcard loader/*.c)))
LOADER_PAGES := $(B)/loader/reclaimctl.8 $(B)/loader/reclaim-policies.7 $(B)/loader/reclaimctl.bash
LOADER_VERSION := 0.1
PREFIX ?= /usr
# The folders below take PREFIX as of the running system: DESTDIR goes before them.
POLICY_DIR := $(PREFIX)/lib/reclaim_ext/policies

POLICIES := $(patsubst policies/%.bpf.c,$(B)/policies/%.bpf.o,$(wildcard policies/*.bpf.c))
LOADER_POLICIES := $(patsubst $(B)/%,$(B)/loader/%,$(POLICIES))
BENCH := $(patsubst selftests/bench/%.c,$(B)/bench/%,$(wildcard selftests/bench/*.c))
TEST_OBJS := $(patsubst selftests/reclaim_ext/%.bpf.c,$(B)/selftests/%.bpf.o,$(wildcard selftests/reclaim_ext/*.bpf.c))
TEST_SKELS := $(TEST_OBJS:.bpf.o=.skel.h)
TEST_LIB := $(filter-out selftests/reclaim_ext/test_% %.bpf.c,$(wildcard selftests/reclaim_ext/*.c))
TESTS := $(patsubst selftests/reclaim_ext/%.c,$(B)/selftests/%,$(wildcard selftests/reclaim_ext/test_*.c))
HOST_TESTS := $(patsubst selftests/host/%.c,$(B)/host/%,$(wildcard selftests/host/test_*.c))
HOSTILE := $(patsubst selftests/hostile/%.bpf.c,$(B)/hostile/%.bpf.o,$(wildcard selftests/hostile/*.bpf.c))
FAIL_OBJS := $(patsubst selftests/reclaim_ext/fail/%.bpf.c,$(B)/selftests/fail/%.bpf.o,$(wildcard selftests/reclaim_ext/fail/*.bpf.c))

.PHONY: all help doctor deps kernel-tree kernel-patches kernel-patches-check kernel \
	kernel-debug kernel-checks kernel-deb bpftool policies reader bench bench-build selftests-build \
	host-tests-build selftests hostile soak check demo clean distclean \
	reclaimctl install deb FORCE _reclaimctl _policies _bench _selftests _host

all: bpftool policies reclaimctl bench-build selftests-build ## kernel, tools, policies and test programs

help: ## this list
	@echo 'Targets:'
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 25
	@echo 'Variables:'
	@echo '  JOBS=N               parallel jobs (default: the number of processors)'
	@echo '  KERNEL_TARBALL=FILE  kernel source instead of the one of the Debian mirror'
	@echo '  KERNEL_SRC=DIR       the same, an unpacked tarball or a git tree'
	@echo '  KERNEL_CONFIG=FILE   configuration for kernel-deb to begin with'
	@echo '  RECLAIM_BUILD=DIR    build there instead of build/ (10 GB)'
	@echo '  MINUTES=N SEED=S     of make soak (default: 3 minutes, a seed of the day)'

demo: deps bpftool policies bench-build ## build all, boot a VM, attach, swap, detach; table, report and chart
	selftests/demo/run.sh

bench: deps bpftool policies bench-build ## policies x workloads in the VM; table, report and charts (QUICK=1, CELLS=, ARMS=, RUNS=)
	@selftests/bench/run.sh

check: deps ## every test: on this machine, of the kernel series, in the VM
	@selftests/check.sh

selftests: policies selftests-build ## the VM's tests on this machine (a booted patched kernel)
	selftests/reclaim_ext/run_tests.sh

hostile: selftests-build ## 36 policies that are wrong on purpose, in a VM; build/hostile/report.json
	selftests/hostile/run.sh

soak: selftests-build kernel-debug ## random changes under load in a VM: MINUTES=N SEED=S
	selftests/hostile/soak.sh

doctor: ## what is missing on this machine and how to get it
	@selftests/doctor.sh

deps: ## install the missing Debian packages
	@selftests/doctor.sh --install

kernel-tree: ## build/linux: base kernel with one commit for each patch
	@kernel/tree.sh

kernel-patches: ## export the commits of build/linux to kernel/patches
	@kernel/patches.sh

kernel-patches-check: kernel-tree ## does kernel/patches survive the round trip?
	@kernel/patches.sh --check

kernel: kernel-tree ## build/kernel/vmlinux
	@kernel/build.sh on

kernel-debug: kernel-tree ## build/kernel-debug/vmlinux, with lockdep, KASAN and the like
	@kernel/build.sh debug

kernel-checks: kernel-tree ## style, builds, sparse and unchanged code of the series
	@kernel/checks.sh

kernel-deb: $(if $(KERNEL_CONFIG),kernel-tree,kernel) ## build/linux-image-VERSION.deb (KERNEL_CONFIG=FILE: not the small one)
	@kernel/deb.sh

bpftool: kernel ## build/bin/bpftool, build/libbpf, build/include/vmlinux.h
	@kernel/tools.sh

policies: bpftool ## build/policies/NAME.bpf.o
	@$(SUB) _policies

reclaimctl: policies ## build/bin/reclaimctl, its man pages and completion
	@$(SUB) _reclaimctl

install: reclaimctl bench-build ## reclaimctl, policies, headers, man pages, unit (DESTDIR=, PREFIX=/usr)
	@loader/install.sh "$(DESTDIR)" "$(PREFIX)"

deb: ## build/reclaim-ext_VERSION_ARCH.deb, a package of what install installs
	@$(SUB) reclaimctl bench-build PREFIX=/usr
	@loader/deb.sh $(LOADER_VERSION)

reader bench-build: ## build/bench/NAME: the static programs that measure
	@$(SUB) _bench

selftests-build: bpftool ## build/selftests/NAME: the programs that run in the VM
	@$(SUB) _selftests

host-tests-build: ## build/host/NAME: unit tests for this machine
	@$(SUB) _host

clean: ## remove what was built; keep download, kernel tree and ccache
	@selftests/clean.sh

distclean: ## remove build/ altogether (refuses if the kernel tree has unexported work)
	@selftests/clean.sh --all

# --- files; reached through the targets above, when their tools exist --------

_policies: $(POLICIES) $(POLICIES:.bpf.o=.skel.h)
_reclaimctl: $(B)/bin/reclaimctl $(LOADER_PAGES) $(B)/loader/events.bpf.o $(B)/loader/events.skel.h
_bench: $(BENCH)
_selftests: $(TEST_OBJS) $(TEST_SKELS) $(TESTS) $(FAIL_OBJS) $(HOSTILE) \
	$(B)/hostile/hostile $(B)/hostile/soak $(B)/loader/test_conf
_host: $(HOST_TESTS)

$(B)/policies $(B)/loader $(B)/bench $(B)/selftests $(B)/host $(B)/hostile $(B)/selftests/fail:
	@mkdir -p $@

$(B)/policies/%.bpf.o: policies/%.bpf.c Makefile $(B)/include/vmlinux.h | $(B)/policies
	@echo "  BPF   $<"
	@$(CLANG) $(BPF_CFLAGS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@

$(B)/selftests/%.bpf.o: selftests/reclaim_ext/%.bpf.c Makefile $(B)/include/vmlinux.h | $(B)/selftests
	@echo "  BPF   $<"
	@$(CLANG) $(BPF_CFLAGS) -Iselftests/reclaim_ext -Ipolicies -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@

%.skel.h: %.bpf.o $(B)/bin/bpftool
	@$(B)/bin/bpftool gen skeleton $< name $(subst -,_,$(basename $(basename $(notdir $<))))_bpf >$@.new
	@mv $@.new $@

$(B)/selftests/test_%: selftests/reclaim_ext/test_%.c $(TEST_LIB) Makefile $(TEST_SKELS) $(B)/libbpf/lib/libbpf.a | $(B)/selftests
	@echo "  CC    $<"
	@gcc $(USER_CFLAGS) -Iselftests/reclaim_ext -I$(B)/selftests -MMD -MP -MT $@ -MF $@.d \
		$< $(TEST_LIB) -o $@ $(LIBBPF) -lpthread -lcap

$(B)/selftests/fail/%.bpf.o: selftests/reclaim_ext/fail/%.bpf.c Makefile $(B)/include/vmlinux.h | $(B)/selftests/fail
	@echo "  BPF   $<"
	@$(CLANG) $(BPF_CFLAGS) -Iselftests/reclaim_ext -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@

$(B)/hostile/%.bpf.o: selftests/hostile/%.bpf.c Makefile $(B)/include/vmlinux.h | $(B)/hostile
	@echo "  BPF   $<"
	@$(CLANG) $(BPF_CFLAGS) -Iselftests/hostile -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@

$(B)/hostile/%: selftests/hostile/%.c selftests/reclaim_ext/common.c Makefile $(B)/libbpf/lib/libbpf.a | $(B)/hostile
	@echo "  CC    $<"
	@gcc $(USER_CFLAGS) -Iselftests/reclaim_ext -MMD -MP -MT $@ -MF $@.d \
		$< selftests/reclaim_ext/common.c -o $@ $(LIBBPF)

$(B)/loader/%.bpf.o: loader/%.bpf.c Makefile $(B)/include/vmlinux.h | $(B)/loader
	@echo "  BPF   $<"
	@$(CLANG) $(BPF_CFLAGS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@

$(B)/loader/%.o: loader/%.c Makefile $(B)/loader/events.skel.h $(B)/libbpf/lib/libbpf.a | $(B)/loader
	@echo "  CC    $<"
	@gcc $(USER_CFLAGS) -I$(B)/loader -DVERSION='"$(LOADER_VERSION)"' \
		-DPOLICY_DIR='"$(POLICY_DIR)"' -MMD -MP -MT $@ -MF $(@:.o=.d) -c $< -o $@

# Where reclaimctl looks for policies: a PREFIX other than last time makes it anew.
$(B)/loader/prefix: FORCE | $(B)/loader
	@echo '$(POLICY_DIR)' | cmp -s - $@ || echo '$(POLICY_DIR)' >$@

$(B)/loader/policy.o: $(B)/loader/prefix

# Without the debugger's information, which is nine tenths of an object.
$(B)/loader/policies/%.bpf.o: $(B)/policies/%.bpf.o
	@mkdir -p $(@D)
	@$(subst clang,llvm-strip,$(CLANG)) -g $< -o $@

# A policy that has been removed from policies/ makes no file newer.
$(B)/loader/embed.c: loader/embed.sh $(LOADER_POLICIES) FORCE | $(B)/loader
	@loader/embed.sh $(sort $(LOADER_POLICIES)) >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(B)/bin/reclaimctl: $(LOADER_OBJS) $(B)/loader/embed.c $(LOADER_POLICIES) $(B)/libbpf/lib/libbpf.a
	@echo "  LD    $@"
	@gcc $(USER_CFLAGS) $(LOADER_OBJS) $(B)/loader/embed.c -Iloader -o $@ $(LIBBPF) \
		-ljson-c -lyaml -lncursesw -ltinfo

$(B)/loader/test_conf: selftests/loader/test_conf.c loader/conf.c loader/out.c loader/reclaimctl.h Makefile | $(B)/loader
	@echo "  CC    $<"
	@gcc $(HOST_CFLAGS) -isystem $(B)/libbpf/include $< -o $@ -lyaml -ljson-c

$(B)/loader/%: loader/%.scd $(B)/bin/reclaimctl
	@$(B)/bin/reclaimctl --generate fill $< | scdoc >$@

$(B)/loader/reclaimctl.bash: $(B)/bin/reclaimctl
	@$< --generate completion >$@

$(B)/bench/%: selftests/bench/%.c Makefile | $(B)/bench
	@echo "  CC    $<"
	@gcc -O2 -std=gnu11 -D_GNU_SOURCE $(WARN) -static -MMD -MP -MT $@ -MF $@.d $< -o $@ $(BENCH_LIBS) -lm

# The engine can load extensions; the bench has none, so that dlopen() is never called.
$(B)/bench/ycsb: BENCH_LIBS := -lwiredtiger -lpthread -Wl,--no-warnings

$(B)/host/%: selftests/host/%.c Makefile | $(B)/host
	@echo "  CC    $<"
	@gcc $(HOST_CFLAGS) -MMD -MP -MT $@ -MF $@.d $< -o $@ -lcmocka -lm

-include $(wildcard $(B)/policies/*.d $(B)/loader/*.d $(B)/selftests/*.d $(B)/selftests/fail/*.d \
	$(B)/hostile/*.d $(B)/bench/*.d $(B)/host/*.d)
