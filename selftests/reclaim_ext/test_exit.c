// SPDX-License-Identifier: GPL-2.0
/* Policies that end early, and what the kernel tells of it. */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>

#include "policy.h"

/* From now on the rules of the kernel, and nobody is asked. */
static void expect_stock(struct policy *p, struct cg *cg, struct file *f)
{
	unsigned long long calls = p->evicted[FILE_PAGES].calls + p->refaulted[FILE_PAGES].calls;
	long refaults, active;

	file_evict(f, cg);
	refaults = cg_stat_exact(cg, "workingset_refault_file");
	active = cg_stat(cg, "workingset_activate_file");
	read_in(cg, OP_READAHEAD, f);
	CHECK_NEAR(cg_stat_exact(cg, "workingset_refault_file") - refaults, f->pages, 16);
	CHECK_EQ(cg_stat(cg, "workingset_activate_file") - active, 0);
	CHECK_EQ(p->evicted[FILE_PAGES].calls + p->refaulted[FILE_PAGES].calls, calls);
}

/* A link whose policy has been ejected. */
static void expect_ejected(struct policy *p, struct cg *cg, int link, const char *kind,
			   long long code)
{
	struct status st;

	WAIT_FOR(link_hup(link));
	WAIT_FOR(p->life->exit_calls == 1);
	CHECK_EQ(link_info(link).struct_ops.map_id, 0);
	CHECK_EQ(link_info(link).struct_ops.cgroup_id, cg->id);
	CHECK_EQ(p->life->detach_calls, 1);
	CHECK_EQ(p->life->detach_after_exit, 0);
	CHECK_STR(p->life->exit_reason, kind);
	CHECK_EQ(p->life->exit_code, code);
	CHECK_EQ(p->life->exit_cgroup, cg->id);
	WAIT_FOR(!strcmp(status_of(cg).last.kind, kind));
	st = status_of(cg);
	CHECK_STR(st.policy, "none");
	CHECK_STR(st.last.policy, p->name);
	CHECK_EQ(st.last.code, code);
	CHECK(st.last.msg[0], "no message");
	CHECK_STR(st.last.msg, p->life->exit_msg);
}

static void asks(int on_evicted)
{
	struct file *f = file_new("f", MB_PAGES);
	struct policy *p = policy_load("quitter", FORMAT_A, 0);
	struct policy *q = policy_load("successor", FORMAT_B, 0);
	struct cg *cg = cg_new(NULL, "a");
	int link = policy_attach(p, cg), again;

	mglru_set(true);
	p->config->ino = f->ino;
	p->config->exit_code = -1234567890123LL;
	p->config->decision = REFAULT | REFAULT_ACTIVE | REFAULT_ACTIVATE;
	read_in(cg, OP_FD, f);
	if (on_evicted)
		p->config->exit_on_evicted = 1;
	else
		p->config->exit_on_refaulted = 1;
	file_evict(f, cg);
	if (!on_evicted)
		read_in(cg, OP_FD, f);
	expect_ejected(p, cg, link, "policy", -1234567890123LL);
	CHECK_EQ(p->life->exit_kind, 4);
	/* it was at the first call, the rest is decided as stock */
	CHECK_EQ(on_evicted ? p->evicted[FILE_PAGES].calls : p->refaulted[FILE_PAGES].calls, 1);
	if (on_evicted)
		read_in(cg, OP_FD, f);
	expect_stock(p, cg, f);

	/* the cgroup is free, the old link doesn't matter */
	CHECK_OP(policy_replace(link, q), <, 0);
	again = policy_attach(q, cg);
	CHECK_STR(status_of(cg).policy, "successor");
	close(link);
	CHECK_STR(status_of(cg).policy, "successor");
	CHECK_STR(status_of(cg).last.kind, "policy");
	close(again);
	CHECK_STR(status_of(cg).last.kind, "detached");
	CHECK_EQ(p->life->exit_calls, 1);
}

/* Attached in the parent, ejected by what a child does: for all. */
static void asks_in_child(int arg)
{
	struct file *f = file_new("f", 64);
	struct policy *p = policy_load("quitter", FORMAT_A, 0);
	struct cg *top = cg_new(NULL, "top"), *leaf;
	int link = policy_attach(p, top);

	(void)arg;
	cg_delegate(top);
	leaf = cg_new(top, "leaf");
	p->config->exit_code = 7;
	p->config->exit_on_evicted = 1;
	read_in(leaf, OP_FD, f);
	file_evict(f, leaf);
	expect_ejected(p, top, link, "policy", 7);
	CHECK_STR(status_of(leaf).policy, "none");
	/* it was attached there, not here */
	CHECK_STR(status_of(leaf).last.kind, "");
}

/* One object on two cgroups leaves the one it asks to leave. */
static void asks_in_one(int arg)
{
	struct file *f = file_new("f", 64);
	struct policy *p = policy_load("quitter", FORMAT_A, 0);
	struct cg *a = cg_new(NULL, "a"), *b = cg_new(NULL, "b");
	int la = policy_attach(p, a), lb = policy_attach(p, b);

	(void)arg;
	p->config->exit_on_evicted = 1;
	read_in(a, OP_FD, f);
	file_evict(f, a);
	expect_ejected(p, a, la, "policy", 0);
	CHECK_STR(status_of(b).policy, "quitter");
	CHECK(!link_hup(lb), "the other link hangs up");
}

static void sysrq(int arg)
{
	struct file *f = file_new("f", MB_PAGES);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *a = cg_new(NULL, "a"), *b = cg_new(NULL, "b");
	int la, lb;

	(void)arg;
	mglru_set(true);
	la = policy_attach(p, a);
	lb = policy_attach(q, b);
	read_in(a, OP_READAHEAD, f);
	CHECK_EQ(put("/proc/sysrq-trigger", "X"), 0);
	expect_ejected(p, a, la, "sysrq", 0);
	expect_ejected(q, b, lb, "sysrq", 0);
	CHECK_EQ(p->life->exit_kind, 5);
	expect_stock(p, a, f);
	/* with nothing attached it does nothing */
	CHECK_EQ(put("/proc/sysrq-trigger", "X"), 0);
	CHECK_EQ(p->life->exit_calls, 1);
	close(la);
	la = policy_attach(p, a);
	CHECK_STR(status_of(a).policy, "alpha");
}

#define TRACE	"/sys/kernel/tracing/instances/reclaim_test"

static char *trace(void)
{
	static char text[1 << 20];

	CHECK_OP(get(TRACE "/trace", text, sizeof(text)), >, 0);
	return text;
}

static void expect_event(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void expect_event(const char *fmt, ...)
{
	char want[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(want, sizeof(want), fmt, args);
	va_end(args);
	CHECK(strstr(trace(), want), "no '%s' in %.2000s", want, trace());
}

static void tracepoints(int arg)
{
	struct file *f = file_new("f", 64);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *cg = cg_new(NULL, "a");
	int link, n = 0;

	(void)arg;
	mglru_set(true);
	rmdir(TRACE);
	SYS(mkdir(TRACE, 0700));
	CHECK_EQ(put(TRACE "/events/reclaim_ext/enable", "1"), 0);
	p->config->cookie = PROBE_COOKIE_RAW;
	p->config->raw = COOKIE | 0xabcde;
	p->config->ino = f->ino;
	p->config->decision = REFAULT | REFAULT_ACTIVE;
	link = policy_attach(p, cg);
	expect_event("reclaim_ext_attach: cgroup_id=%llu policy=alpha", cg->id);
	read_in(cg, OP_FD, f);
	file_evict(f, cg);
	read_in(cg, OP_FD, f);
	for (char *at = trace(); (at = strstr(at, "reclaim_ext_refault: ")); at++)
		n += !!strstr(at, " cookie=0xabcde ");
	CHECK_OP(n, >=, 64);
	CHECK_EQ(p->refaulted[FILE_PAGES].calls, 64);
	expect_event("reclaim_ext_refault: cgroup_id=%llu ", cg->id);
	expect_event(" decision=0x3");
	CHECK_EQ(policy_replace(link, q), 0);
	expect_event("reclaim_ext_replace: cgroup_id=%llu policy=beta old=alpha", cg->id);
	expect_event("reclaim_ext_exit: cgroup_id=%llu policy=alpha reason=replaced code=0", cg->id);
	close(link);
	expect_event("reclaim_ext_exit: cgroup_id=%llu policy=beta reason=detached code=0", cg->id);
	CHECK_EQ(put(TRACE "/events/reclaim_ext/enable", "0"), 0);
	SYS(rmdir(TRACE));
}

/* An ejection reaches the kernel log, a detachment doesn't. */
static void kernel_log(int arg)
{
	struct file *f = file_new("f", 64);
	struct policy *p = policy_load("log_quitter", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	char line[8192], want[128];
	int log = SYS(open("/dev/kmsg", O_RDONLY | O_NONBLOCK)), link, n = 0;
	ssize_t len;

	(void)arg;
	SYS(lseek(log, 0, SEEK_END));
	snprintf(want, sizeof(want), "policy log_quitter ejected from cgroup %llu", cg->id);
	close(policy_attach(p, cg));
	link = policy_attach(p, cg);
	p->config->exit_on_evicted = 1;
	p->config->exit_code = 4711;
	read_in(cg, OP_FD, f);
	file_evict(f, cg);
	WAIT_FOR(p->life->exit_calls == 2);
	while ((len = read(log, line, sizeof(line) - 1)) > 0) {
		line[len] = 0;
		if (!strstr(line, want))
			continue;
		n++;
		CHECK(strstr(line, "4711"), "%s", line);
	}
	CHECK_EQ(n, 1);
	CHECK(link_hup(link), "no hangup");
}

static const struct test tests[] = {
	{ "a policy asks to leave, in evicted()", asks, 1 },
	{ "a policy asks to leave, in refaulted()", asks, 0 },
	{ "it asks on behalf of a child", asks_in_child, 0 },
	{ "it leaves one of two cgroups", asks_in_one, 0 },
	{ "SysRq ejects all", sysrq, 0 },
	{ "tracepoints", tracepoints, 0 },
	{ "the kernel log", kernel_log, 0 },
};

TEST_MAIN(tests, NEED_DISK)
