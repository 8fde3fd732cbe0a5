// SPDX-License-Identifier: GPL-2.0
/* Attaching, detaching, replacing; who inherits; what happens when cgroups go. */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "policy.h"

/* What memory.reclaim_ext says must be true of @cg: @p, attached to @where. */
static void expect(struct cg *cg, struct policy *p, struct cg *where, int link)
{
	struct status st = status_of(cg);
	char path[600];

	snprintf(path, sizeof(path), "%s", cg ? cg->path : "the root");
	if (!p) {
		CHECK(!strcmp(st.policy, "none"), "%s in %s", st.policy, path);
		return;
	}
	CHECK(!strcmp(st.policy, p->name), "%s in %s", st.policy, path);
	CHECK_EQ(st.cgroup_id, where ? where->id : 1);
	CHECK_EQ(st.map, p->map_id);
	CHECK_EQ(st.link, link_info(link).id);
}

static void attach_detach(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	char path[64], text[1024], want[64];
	struct bpf_link_info info;
	struct status st;
	int link;

	(void)arg;
	expect(cg, NULL, NULL, 0);
	CHECK_STR(status_of(cg).last.kind, "");

	link = policy_attach(p, cg);
	expect(cg, p, cg, link);
	info = link_info(link);
	CHECK_EQ(info.struct_ops.map_id, p->map_id);
	CHECK_EQ(info.struct_ops.cgroup_id, cg->id);
	CHECK(!link_hup(link), "hangs up while attached");
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", link);
	CHECK_OP(get(path, text, sizeof(text)), >, 0);
	snprintf(want, sizeof(want), "cgroup_id:\t%llu", cg->id);
	CHECK(strstr(text, want), "fdinfo has no '%s': %s", want, text);

	CHECK_EQ(p->life->attach_calls, 1);
	CHECK_EQ(p->life->attach_cgroup, cg->id);
	CHECK_EQ(p->life->cookie_bits, COOKIE_BITS);
	CHECK_EQ(p->life->replaces, 0);
	CHECK_EQ(p->life->detach_calls + p->life->exit_calls, 0);
	CHECK_OP(p->life->totalram_pages, >, 16 * MB_PAGES);
	CHECK_OP(p->life->totalram_pages, <=, sysconf(_SC_PHYS_PAGES) + 16 * MB_PAGES);

	close(link);
	st = status_of(cg);
	CHECK_STR(st.policy, "none");
	CHECK_STR(st.last.policy, "alpha");
	CHECK_STR(st.last.kind, "detached");
	CHECK_EQ(st.last.code, 0);
	CHECK_EQ(p->life->detach_calls, 1);
	CHECK_EQ(p->life->detach_cgroup, cg->id);
	CHECK_EQ(p->life->exit_calls, 1);
	CHECK_EQ(p->life->detach_after_exit, 0);
	CHECK_EQ(p->life->exit_cgroup, cg->id);
	CHECK_EQ(p->life->exit_kind, 1);
	CHECK_STR(p->life->exit_reason, "detached");

	/* the same loaded object again, and again somewhere else */
	link = policy_attach(p, cg);
	expect(cg, p, cg, link);
	close(link);
	expect(cg, NULL, NULL, 0);
	CHECK_EQ(p->life->exit_calls, 2);
}

/* By BPF_LINK_DETACH the link stays, defunct. */
static void detach_keeps_link(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *cg = cg_new(NULL, "a");
	int link = policy_attach(p, cg);

	(void)arg;
	SYS(bpf_link_detach(link));
	expect(cg, NULL, NULL, 0);
	CHECK_STR(status_of(cg).last.kind, "detached");
	CHECK(link_hup(link), "no EPOLLHUP");
	CHECK_EQ(link_info(link).struct_ops.map_id, 0);
	CHECK_EQ(link_info(link).struct_ops.cgroup_id, cg->id);
	CHECK_OP(policy_replace(link, q), <, 0);
	expect(cg, NULL, NULL, 0);
	CHECK_EQ(p->life->exit_calls, 1);
	close(link);
	CHECK_EQ(p->life->exit_calls, 1);
}

/* One object, many cgroups: a link each, counters of the kernel each. */
static void many_cgroups(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *a = cg_new(NULL, "a"), *b = cg_new(NULL, "b");
	int la = policy_attach(p, a), lb = policy_attach(p, b);

	(void)arg;
	expect(a, p, a, la);
	expect(b, p, b, lb);
	CHECK(link_info(la).id != link_info(lb).id, "one link");
	close(la);
	expect(a, NULL, NULL, 0);
	expect(b, p, b, lb);
	close(lb);
	expect(b, NULL, NULL, 0);
	CHECK_EQ(p->life->exit_calls, 2);
}

static void busy(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *cg = cg_new(NULL, "a");
	int link = policy_attach(p, cg);

	(void)arg;
	CHECK_EQ(policy_try_attach(q, cg), -EBUSY);
	CHECK_EQ(policy_try_attach(p, cg), -EBUSY);
	CHECK_EQ(q->life->attach_calls, 0);
	expect(cg, p, cg, link);
	close(link);
	link = policy_attach(q, cg);
	expect(cg, q, cg, link);
}

static void replace(int arg)
{
	LIBBPF_OPTS(bpf_link_update_opts, opts, .flags = BPF_F_REPLACE);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *cg = cg_new(NULL, "a"), *child;
	int link = policy_attach(p, cg);
	__u32 id = link_info(link).id;
	struct status st;

	(void)arg;
	cg_delegate(cg);
	child = cg_new(cg, "child");
	WAIT_FOR(status_of(cg).attached_ms >= 100);
	CHECK_EQ(policy_replace(link, q), 0);
	expect(cg, q, cg, link);
	expect(child, q, cg, link);
	CHECK_EQ(link_info(link).id, id);
	CHECK_EQ(link_info(link).struct_ops.map_id, q->map_id);
	CHECK_EQ(link_info(link).struct_ops.cgroup_id, cg->id);
	CHECK(!link_hup(link), "hangs up after a replacement");
	st = status_of(cg);
	CHECK_STR(st.last.policy, "alpha");
	CHECK_STR(st.last.kind, "replaced");
	/* of this very cgroup only */
	CHECK_STR(status_of(child).last.kind, "");
	CHECK_EQ(q->life->replaces, 1);
	CHECK_EQ(q->life->attach_cgroup, cg->id);
	CHECK_EQ(p->life->detach_calls, 1);
	CHECK_EQ(p->life->exit_calls, 1);
	CHECK_STR(p->life->exit_reason, "replaced");

	/* only if it is still the one that the caller thinks */
	opts.old_map_fd = p->map_fd;
	CHECK_EQ(bpf_link_update(link, p->map_fd, &opts), -EPERM);
	expect(cg, q, cg, link);
	opts.old_map_fd = q->map_fd;
	CHECK_EQ(bpf_link_update(link, p->map_fd, &opts), 0);
	expect(cg, p, cg, link);

	/* by itself, which is a replacement like others */
	CHECK_EQ(policy_replace(link, p), 0);
	expect(cg, p, cg, link);
	close(link);
	expect(cg, NULL, NULL, 0);
	CHECK_STR(status_of(cg).last.policy, "alpha");
	CHECK_STR(status_of(cg).last.kind, "detached");
	CHECK_EQ(p->life->attach_calls, p->life->exit_calls);
	CHECK_EQ(q->life->attach_calls, q->life->exit_calls);
}

static void attached_ms_restarts(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *cg = cg_new(NULL, "a");
	int link = policy_attach(p, cg);
	unsigned long long before;

	(void)arg;
	WAIT_FOR(status_of(cg).attached_ms >= 5000);
	before = status_of(cg).attached_ms;
	CHECK_EQ(policy_replace(link, q), 0);
	CHECK_OP(status_of(cg).attached_ms, <, before);
}

/* A replacement that is refused changes nothing. */
static void replace_refused(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *cg = cg_new(NULL, "a");
	int link = policy_attach(p, cg);

	(void)arg;
	q->config->attach_err = -EDOM;
	CHECK_EQ(policy_replace(link, q), -EDOM);
	CHECK_EQ(q->life->attach_calls, 1);
	CHECK_EQ(q->life->replaces, 1);
	CHECK_EQ(q->life->exit_calls, 0);
	CHECK_EQ(p->life->exit_calls, 0);
	expect(cg, p, cg, link);
	CHECK_STR(status_of(cg).last.kind, "");
	CHECK(!link_hup(link), "hangs up");
}

static void attach_refused(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");

	(void)arg;
	p->config->attach_err = -ENOTUNIQ;
	CHECK_EQ(policy_try_attach(p, cg), -ENOTUNIQ);
	CHECK_EQ(p->life->attach_calls, 1);
	CHECK_EQ(p->life->detach_calls + p->life->exit_calls, 0);
	expect(cg, NULL, NULL, 0);
	/* values that aren't errnos */
	p->config->attach_err = 1;
	CHECK_OP(policy_try_attach(p, cg), <, 0);
	p->config->attach_err = -100000;
	CHECK_OP(policy_try_attach(p, cg), <, 0);
	expect(cg, NULL, NULL, 0);
	p->config->attach_err = 0;
	expect(cg, p, cg, policy_attach(p, cg));
}

static void inherit(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *top = cg_new(NULL, "top"), *mid, *leaf, *late, *later;
	int outer, inner;

	(void)arg;
	cg_delegate(top);
	mid = cg_new(top, "mid");
	cg_delegate(mid);
	leaf = cg_new(mid, "leaf");

	outer = policy_attach(p, top);
	expect(top, p, top, outer);
	expect(mid, p, top, outer);
	expect(leaf, p, top, outer);
	late = cg_new(mid, "late");
	expect(late, p, top, outer);

	/* the nearest wins */
	inner = policy_attach(q, mid);
	expect(top, p, top, outer);
	expect(mid, q, mid, inner);
	expect(leaf, q, mid, inner);
	expect(late, q, mid, inner);
	later = cg_new(mid, "later");
	expect(later, q, mid, inner);

	/* the outer one is replaced below the inner one's feet */
	CHECK_EQ(policy_replace(outer, q), 0);
	expect(top, q, top, outer);
	expect(leaf, q, mid, inner);
	CHECK_EQ(policy_replace(outer, p), 0);

	/* and without the inner one, the outer one again */
	close(inner);
	expect(mid, p, top, outer);
	expect(leaf, p, top, outer);
	expect(later, p, top, outer);

	/* inner first, outer later, outer goes first */
	inner = policy_attach(q, leaf);
	close(outer);
	expect(top, NULL, NULL, 0);
	expect(mid, NULL, NULL, 0);
	expect(late, NULL, NULL, 0);
	expect(leaf, q, leaf, inner);
	outer = policy_attach(p, top);
	expect(leaf, q, leaf, inner);
	expect(late, p, top, outer);
	close(inner);
	expect(leaf, p, top, outer);
}

/* A cgroup that loses and regains the memory controller. */
static void controller_off_and_on(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *top = cg_new(NULL, "top"), *leaf;
	int outer = policy_attach(p, top), inner;

	(void)arg;
	cg_delegate(top);
	leaf = cg_new(top, "leaf");
	inner = policy_attach(q, leaf);
	cg_put(top, "cgroup.subtree_control", "-memory");
	WAIT_FOR(link_hup(inner));
	WAIT_FOR(q->life->exit_calls == 1);
	CHECK_STR(q->life->exit_reason, "cgroup_gone");
	expect(top, p, top, outer);
	/* no memory controller, nothing to attach to */
	CHECK_EQ(policy_try_attach(q, leaf), -ENODEV);
	cg_delegate(top);
	expect(leaf, p, top, outer);
	expect(leaf, q, leaf, policy_attach(q, leaf));
}

static void removal(int pinned)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *cg = cg_new(NULL, "gone");
	unsigned long long id = cg->id;
	int link = policy_attach(p, cg), ep, links = count_links();
	struct epoll_event ev = {};
	char pin[128];

	ep = SYS(epoll_create1(EPOLL_CLOEXEC));
	SYS(epoll_ctl(ep, EPOLL_CTL_ADD, link, &ev));
	CHECK_EQ(epoll_wait(ep, &ev, 1, 0), 0);
	if (pinned) {
		snprintf(pin, sizeof(pin), "%s/link", test_bpffs());
		SYS(bpf_obj_pin(link, pin));
	}

	cg_remove(cg);
	CHECK_EQ(epoll_wait(ep, &ev, 1, 30000), 1);
	CHECK(ev.events & EPOLLHUP, "events %#x", ev.events);
	CHECK_EQ(link_info(link).struct_ops.map_id, 0);
	CHECK_EQ(link_info(link).struct_ops.cgroup_id, id);
	WAIT_FOR(p->life->exit_calls == 1);
	CHECK_EQ(p->life->detach_calls, 1);
	CHECK_STR(p->life->exit_reason, "cgroup_gone");
	CHECK_EQ(p->life->exit_kind, 3);
	CHECK_EQ(p->life->exit_cgroup, id);
	CHECK_OP(policy_replace(link, q), <, 0);

	/* what comes after it in the same place is another one */
	cg = cg_new(NULL, "gone");
	CHECK(cg->id != id, "id %llu used again", id);
	expect(cg, NULL, NULL, 0);
	CHECK_STR(status_of(cg).last.kind, "");
	{
		int again = policy_attach(q, cg);

		expect(cg, q, cg, again);
		close(link);
		if (pinned) {
			link = SYS(bpf_obj_get(pin));
			CHECK_EQ(link_info(link).struct_ops.map_id, 0);
			CHECK_EQ(link_info(link).struct_ops.cgroup_id, id);
			CHECK(link_hup(link), "the pinned link doesn't hang up");
			close(link);
			CHECK_EQ(count_links(), links + 1);
			SYS(unlink(pin));
		}
		/* the old link goes without harm to the new policy */
		WAIT_FOR(count_links() == links);
		expect(cg, q, cg, again);
	}
	CHECK_EQ(p->life->exit_calls, 1);
}

/* A link that is only pinned keeps the policy; re-opened, it is the same. */
static void pinned_alone(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	int link = policy_attach(p, cg);
	__u32 id = link_info(link).id;
	char pin[128];

	(void)arg;
	snprintf(pin, sizeof(pin), "%s/link", test_bpffs());
	SYS(bpf_obj_pin(link, pin));
	close(link);
	link = SYS(bpf_obj_get(pin));
	CHECK_EQ(link_info(link).id, id);
	expect(cg, p, cg, link);
	close(link);
	SYS(unlink(pin));
	WAIT_FOR(!strcmp(status_of(cg).last.kind, "detached"));
	CHECK_STR(status_of(cg).policy, "none");
	CHECK_EQ(p->life->exit_calls, 1);
}

/* Nothing that a policy or a defunct link does keeps a removed cgroup's memcg. */
static void no_leak(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *top = cg_new(NULL, "top");
	char path[600], text[1024];
	int links[20];

	(void)arg;
	cg_delegate(top);
	for (int i = 0; i < 20; i++) {
		struct cg *cg = cg_new(top, "x");

		links[i] = policy_attach(p, cg);
		close(cg->fd);
		cg_remove(cg);
	}
	WAIT_FOR(p->life->exit_calls == 20);
	snprintf(path, sizeof(path), "%s/cgroup.stat", top->path);
	WAIT_FOR(get(path, text, sizeof(text)) > 0 && strstr(text, "nr_dying_descendants 0"));
	for (int i = 0; i < 20; i++) {
		CHECK(link_hup(links[i]), "link %d", i);
		close(links[i]);
	}
}

/* A subtree goes at once: policies at every level. */
static void remove_subtree(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *top = cg_new(NULL, "top"), *leaf;
	int outer, inner;

	(void)arg;
	cg_delegate(top);
	leaf = cg_new(top, "leaf");
	outer = policy_attach(p, top);
	inner = policy_attach(q, leaf);
	cg_remove(leaf);
	cg_remove(top);
	WAIT_FOR(link_hup(inner) && link_hup(outer));
	WAIT_FOR(p->life->exit_calls == 1 && q->life->exit_calls == 1);
	CHECK_STR(p->life->exit_reason, "cgroup_gone");
	CHECK_STR(q->life->exit_reason, "cgroup_gone");
}

/* As a user space that doesn't know of targets does it. */
static void system_wide(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *cg = cg_new(NULL, "a"), *late;
	struct bpf_link *link;
	int root, inner;

	(void)arg;
	if (strcmp(status_of(NULL).policy, "none"))
		skip("the root cgroup has a policy: detach it first");

	link = bpf_map__attach_struct_ops(p->map);
	CHECK(link, "%s", strerror(errno));
	root = bpf_link__fd(link);
	CHECK_EQ(link_info(root).struct_ops.cgroup_id, 1);
	expect(NULL, p, NULL, root);
	expect(cg, p, NULL, root);
	late = cg_new(NULL, "late");
	expect(late, p, NULL, root);
	CHECK_EQ(policy_try_attach(q, NULL), -EBUSY);

	inner = policy_attach(q, cg);
	expect(cg, q, cg, inner);
	expect(late, p, NULL, root);
	/* with the root directory as target it is the same cgroup */
	{
		struct cg rootcg = { .fd = SYS(open(CGROUP_ROOT, O_RDONLY | O_DIRECTORY)) };

		CHECK_EQ(policy_try_attach(q, &rootcg), -EBUSY);
		bpf_link__destroy(link);
		expect(NULL, NULL, NULL, 0);
		expect(late, NULL, NULL, 0);
		expect(cg, q, cg, inner);
		root = policy_attach(p, &rootcg);
	}
	CHECK_EQ(link_info(root).struct_ops.cgroup_id, 1);
	expect(NULL, p, NULL, root);
	close(root);
	expect(NULL, NULL, NULL, 0);
	CHECK_STR(status_of(NULL).last.kind, "detached");
}

/* Read it with small reads and while it is being removed. */
static void status_file(int arg)
{
	struct policy *p = policy_load("a_name_as_long_as_it_may_be_31_x", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	char path[600], byte[4096] = {};
	size_t n = 0;
	struct stat inode;
	struct status st;
	int fd, link;

	(void)arg;
	link = policy_attach(p, cg);
	snprintf(path, sizeof(path), "%s/memory.reclaim_ext", cg->path);
	fd = SYS(open(path, O_RDONLY));
	while (n < sizeof(byte) - 1 && read(fd, byte + n, 7) > 0)
		n = strlen(byte);
	st = status_parse(byte);
	CHECK_STR(st.policy, "a_name_as_long_as_it_may_be_31_");
	CHECK_EQ(st.cgroup_id, cg->id);
	CHECK_EQ(st.map, p->map_id);
	SYS(fstat(fd, &inode));
	CHECK_EQ(inode.st_mode & 0777, 0444);
	CHECK_OP(put(path, "none"), <, 0);
	cg_remove(cg);
	CHECK_EQ(pread(fd, byte, 10, 0), -1);
	CHECK_EQ(errno, ENODEV);
	WAIT_FOR(link_hup(link));
}

static const struct test tests[] = {
	{ "attach and detach", attach_detach, 0 },
	{ "a detached link stays, defunct", detach_keeps_link, 0 },
	{ "one object on many cgroups", many_cgroups, 0 },
	{ "a second policy is EBUSY", busy, 0 },
	{ "replace", replace, 0 },
	{ "attached_ms restarts at a replacement", attached_ms_restarts, 0 },
	{ "attach() refuses a replacement", replace_refused, 0 },
	{ "attach() refuses with its errno", attach_refused, 0 },
	{ "children inherit, the nearest ancestor wins", inherit, 0 },
	{ "memory controller off and on", controller_off_and_on, 0 },
	{ "rmdir, link by descriptor", removal, 0 },
	{ "rmdir, link pinned", removal, 1 },
	{ "a pin keeps the policy", pinned_alone, 0 },
	{ "defunct links keep no memcg", no_leak, 0 },
	{ "rmdir of a subtree with policies", remove_subtree, 0 },
	{ "system-wide without a target", system_wide, 0 },
	{ "memory.reclaim_ext", status_file, 0 },
};

TEST_MAIN(tests, 0)
