// SPDX-License-Identifier: GPL-2.0
/* Who may load, attach and replace; what the others can still see. */
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>

#include "policy.h"

#define NOBODY	65534

static void keep_caps(unsigned long long caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = caps, .permitted = caps },
		{ .effective = caps >> 32, .permitted = caps >> 32 },
	};

	SYS(syscall(SYS_capset, &head, data));
}

static void become_nobody(void)
{
	SYS(setgroups(0, NULL));
	SYS(setresgid(NOBODY, NOBODY, NOBODY));
	SYS(setresuid(NOBODY, NOBODY, NOBODY));
	/* and owner of its own /proc/self again */
	SYS(prctl(PR_SET_DUMPABLE, 1));
}

/* @fn in a process whose failures are ours. */
static void as_another(void (*fn)(void *), void *arg)
{
	int status;
	pid_t pid = SYS(fork());

	if (!pid) {
		fn(arg);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	if (status)
		FAIL("failed as another user");
}

struct deny {
	struct policy *attached, *loaded;
	struct cg *mine, *busy;
	int link;
};

static struct deny prepare(void)
{
	struct deny d = {
		.attached = policy_load("alpha", FORMAT_A, 0),
		.loaded = policy_load("beta", FORMAT_B, 0),
		.mine = cg_new(NULL, "mine"),
		.busy = cg_new(NULL, "busy"),
	};
	char path[600];

	/* delegated, as far as can be */
	SYS(chown(d.mine->path, NOBODY, NOBODY));
	snprintf(path, sizeof(path), "%s/cgroup.procs", d.mine->path);
	SYS(chown(path, NOBODY, NOBODY));
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", d.mine->path);
	SYS(chown(path, NOBODY, NOBODY));
	d.link = policy_attach(d.attached, d.busy);
	return d;
}

/* Neither attach nor replace, though the descriptors are at hand. */
static void cannot_attach(struct deny *d)
{
	struct status st;

	CHECK_EQ(policy_try_attach(d->loaded, d->mine), -EPERM);
	CHECK_EQ(policy_try_attach(d->loaded, NULL), -EPERM);
	/* not told whether it is busy either */
	CHECK_EQ(policy_try_attach(d->loaded, d->busy), -EPERM);
	CHECK_EQ(policy_replace(d->link, d->loaded), -EPERM);

	st = status_of(d->mine);
	CHECK_STR(st.policy, "none");
	st = status_of(d->busy);
	CHECK_STR(st.policy, "alpha");
	CHECK_EQ(st.cgroup_id, d->busy->id);
	CHECK_EQ(d->loaded->life->attach_calls, 0);
}

static void cannot_load(void)
{
	struct probe_bpf *skel;

	libbpf_set_print(NULL);
	skel = probe_bpf__open();
	CHECK(skel, "open: %s", strerror(errno));
	CHECK_EQ(probe_bpf__load(skel), -EPERM);
}

static void nobody(void *arg)
{
	struct deny *d = arg;
	char path[600];
	int fd;

	become_nobody();
	CHECK(geteuid() == NOBODY, "still %d", geteuid());
	/* it does own the cgroup */
	snprintf(path, sizeof(path), "%s/child", d->mine->path);
	SYS(mkdir(path, 0755));
	fd = SYS(open(d->mine->path, O_RDONLY | O_DIRECTORY));
	CHECK_EQ(fd < 0, 0);
	cannot_attach(d);
	cannot_load();
}

static void owner(int arg)
{
	struct deny d = prepare();

	(void)arg;
	as_another(nobody, &d);
	/* with the capability the same works: it was that, and nothing else */
	close(policy_attach(d.loaded, d.mine));
	CHECK_EQ(policy_replace(d.link, d.loaded), 0);
	CHECK_STR(status_of(d.busy).policy, "beta");
}

static void in_userns(void *arg)
{
	struct deny *d = arg;
	char map[32];

	become_nobody();
	if (unshare(CLONE_NEWUSER))
		_exit(77);
	CHECK_EQ(put("/proc/self/setgroups", "deny"), 0);
	snprintf(map, sizeof(map), "0 %d 1", NOBODY);
	CHECK_EQ(put("/proc/self/uid_map", "%s", map), 0);
	CHECK_EQ(put("/proc/self/gid_map", "%s", map), 0);
	CHECK_EQ(geteuid(), 0);
	/* root there, CAP_SYS_ADMIN there */
	SYS(unshare(CLONE_NEWNS));
	cannot_attach(d);
	cannot_load();
}

static void userns(int arg)
{
	struct deny d = prepare();
	int status;
	pid_t pid = SYS(fork());

	(void)arg;
	if (!pid) {
		in_userns(&d);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip("user namespaces are not allowed here");
	CHECK_EQ(status, 0);
	CHECK_STR(status_of(d.busy).policy, "alpha");
}

static void bpf_and_perfmon(void *arg)
{
	struct deny *d = arg;
	struct policy *p;

	keep_caps(1ULL << CAP_BPF | 1ULL << CAP_PERFMON);
	/* loading works, and uploading, and asking */
	p = policy_load("gamma", FORMAT_A, 0);
	CHECK_EQ(policy_try_attach(p, d->mine), -EPERM);
	CHECK_EQ(policy_try_attach(p, NULL), -EPERM);
	CHECK_EQ(policy_replace(d->link, p), -EPERM);
	CHECK_EQ(p->life->attach_calls, 0);
	CHECK_EQ(link_info(d->link).struct_ops.cgroup_id, d->busy->id);
	cannot_attach(d);
}

static void without_sys_admin(int arg)
{
	struct deny d = prepare();

	(void)arg;
	as_another(bpf_and_perfmon, &d);
	CHECK_STR(status_of(d.mine).policy, "none");
	CHECK_STR(status_of(d.mine).last.kind, "");
	CHECK_STR(status_of(d.busy).last.kind, "");
}

static void all_but_one(void *arg)
{
	struct deny *d = arg;

	keep_caps(~0ULL >> (63 - CAP_LAST_CAP) & ~(1ULL << CAP_SYS_ADMIN));
	cannot_attach(d);
}

static void all_but_sys_admin(int arg)
{
	struct deny d = prepare();

	(void)arg;
	as_another(all_but_one, &d);
}

static void enough(void *arg)
{
	struct deny *d = arg;
	int link;

	keep_caps(1ULL << CAP_BPF | 1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN);
	link = policy_attach(d->loaded, d->mine);
	CHECK_STR(status_of(d->mine).policy, "beta");
	CHECK_EQ(policy_replace(link, d->attached), 0);
	close(link);
}

static void enough_caps(int arg)
{
	struct deny d = prepare();

	(void)arg;
	as_another(enough, &d);
}

static void no_bpf(void *arg)
{
	(void)arg;
	keep_caps(1ULL << CAP_PERFMON);
	cannot_load();
}

static void no_perfmon(void *arg)
{
	(void)arg;
	keep_caps(1ULL << CAP_BPF);
	cannot_load();
}

static void loading(int arg)
{
	(void)arg;
	as_another(no_bpf, NULL);
	as_another(no_perfmon, NULL);
}

static const struct test tests[] = {
	{ "owner of a delegated cgroup", owner, 0 },
	{ "root of a user namespace", userns, 0 },
	{ "CAP_BPF and CAP_PERFMON alone", without_sys_admin, 0 },
	{ "every capability but CAP_SYS_ADMIN", all_but_sys_admin, 0 },
	{ "the three that are needed", enough_caps, 0 },
	{ "loading without CAP_BPF or CAP_PERFMON", loading, 0 },
};

TEST_MAIN(tests, 0)
