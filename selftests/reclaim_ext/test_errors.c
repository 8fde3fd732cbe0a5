// SPDX-License-Identifier: GPL-2.0
/* Wrong input: what is refused, with which errno and which words. */
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "newer.skel.h"
#include "policy.h"
#include "refused.skel.h"

static int try_link(int map_fd, int target, unsigned int flags)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);
	int fd = bpf_link_create(map_fd, target, BPF_STRUCT_OPS, &opts);

	if (fd >= 0)
		close(fd);
	return fd;
}

static void nothing_attached(struct cg *cg)
{
	CHECK_STR(status_of(cg).policy, "none");
	CHECK_STR(status_of(NULL).policy, "none");
}

static void targets(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	char path[600];
	int fd, err;

	(void)arg;
	CHECK_EQ(try_link(p->map_fd, -1, BPF_F_CGROUP_FD), -EBADF);
	CHECK_EQ(try_link(p->map_fd, 12345, BPF_F_CGROUP_FD), -EBADF);
	/* no directory of cgroup2 */
	fd = SYS(open("/tmp", O_RDONLY | O_DIRECTORY));
	CHECK_EQ(try_link(p->map_fd, fd, BPF_F_CGROUP_FD), -EBADF);
	CHECK_EQ(try_link(p->map_fd, SYS(open("/dev/null", O_RDONLY)), BPF_F_CGROUP_FD), -EBADF);
	CHECK_EQ(try_link(p->map_fd, p->map_fd, BPF_F_CGROUP_FD), -EBADF);
	/* a file of one */
	snprintf(path, sizeof(path), "%s/memory.stat", cg->path);
	CHECK_EQ(try_link(p->map_fd, SYS(open(path, O_RDONLY)), BPF_F_CGROUP_FD), -EBADF);
	nothing_attached(cg);
	/* removed */
	cg_remove(cg);
	err = try_link(p->map_fd, cg->fd, BPF_F_CGROUP_FD);
	CHECK(err == -ENODEV || err == -ENOENT, "%d", err);
	CHECK_EQ(p->life->attach_calls, 0);
	CHECK_STR(status_of(NULL).policy, "none");
}

static void target_v1(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	char dir[] = "/tmp/reclaim_v1.XXXXXX";
	int fd;

	(void)arg;
	CHECK(mkdtemp(dir), "%s", strerror(errno));
	/* a named hierarchy needs no controller that version 2 has taken */
	if (mount("none", dir, "cgroup", 0, "none,name=reclaim_test")) {
		rmdir(dir);
		skip("no cgroup v1 in this kernel: %s", strerror(errno));
	}
	fd = SYS(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	CHECK_EQ(try_link(p->map_fd, fd, BPF_F_CGROUP_FD), -EBADF);
	CHECK_STR(status_of(NULL).policy, "none");
	close(fd);
	umount(dir);
	rmdir(dir);
}

static void flags(int arg)
{
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");

	(void)arg;
	for (int bit = 0; bit < 32; bit++) {
		if (1U << bit == BPF_F_CGROUP_FD)
			continue;
		CHECK(try_link(p->map_fd, cg->fd, 1U << bit) == -EINVAL, "bit %d", bit);
		CHECK(try_link(p->map_fd, cg->fd, BPF_F_CGROUP_FD | 1U << bit) == -EINVAL,
		      "bit %d", bit);
	}
	nothing_attached(cg);
	CHECK_OP(try_link(p->map_fd, cg->fd, BPF_F_CGROUP_FD), >=, 0);
}

/* Open, turn on one map and load, with what libbpf says in @log. */
static char messages[1 << 20];

static int collect(enum libbpf_print_level level, const char *fmt, va_list args)
{
	size_t len = strlen(messages);

	if (level == LIBBPF_DEBUG)
		return 0;
	return vsnprintf(messages + len, sizeof(messages) - len, fmt, args);
}

/* The end of a verifier's log tells why. */
static const char *tail(void)
{
	size_t len = strlen(messages);

	return messages + (len > 1500 ? len - 1500 : 0);
}

static struct refused_bpf *open_with(const char *map)
{
	struct refused_bpf *skel;
	struct bpf_map *m;

	messages[0] = 0;
	libbpf_set_print(collect);
	skel = refused_bpf__open();
	CHECK(skel, "%s: %s", strerror(errno), tail());
	/* libbpf takes the '?' of a section for its first map only */
	bpf_object__for_each_map(m, skel->obj)
		if (bpf_map__type(m) == BPF_MAP_TYPE_STRUCT_OPS)
			CHECK_EQ(bpf_map__set_autocreate(m, false), 0);
	if (map) {
		m = bpf_object__find_map_by_name(skel->obj, map);
		CHECK(m, "no map %s", map);
		CHECK_EQ(bpf_map__set_autocreate(m, true), 0);
	}
	return skel;
}

static void other_type(int arg)
{
	struct refused_bpf *skel = open_with("tcp");
	struct cg *cg = cg_new(NULL, "a");
	int fd;

	(void)arg;
	CHECK(!refused_bpf__load(skel), "%s", tail());
	CHECK_EQ(bpf_map__upload_struct_ops(skel->maps.tcp), 0);
	fd = bpf_map__fd(skel->maps.tcp);
	CHECK_EQ(try_link(fd, cg->fd, BPF_F_CGROUP_FD), -EOPNOTSUPP);
	CHECK_EQ(try_link(fd, cg->fd, 1), -EINVAL);
	/* without a target it is as it always was, also in its link's info */
	fd = bpf_link_create(fd, 0, BPF_STRUCT_OPS, NULL);
	CHECK_OP(fd, >=, 0);
	CHECK_EQ(link_info(fd).struct_ops.cgroup_id, 0);
	{
		char path[64], text[1024];

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
		CHECK_OP(get(path, text, sizeof(text)), >, 0);
		CHECK(!strstr(text, "cgroup_id"), "%s", text);
	}
}

static void not_struct_ops(int arg)
{
	struct refused_bpf *skel = open_with(NULL);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	int link;

	(void)arg;
	CHECK(!refused_bpf__load(skel), "%s", tail());
	CHECK_EQ(try_link(bpf_map__fd(skel->maps.array), cg->fd, BPF_F_CGROUP_FD), -EINVAL);
	CHECK_EQ(try_link(cg->fd, cg->fd, BPF_F_CGROUP_FD), -EINVAL);
	CHECK_EQ(try_link(-1, cg->fd, BPF_F_CGROUP_FD), -EBADF);
	/* and in place of a policy */
	link = policy_attach(p, cg);
	CHECK_EQ(bpf_link_update(link, bpf_map__fd(skel->maps.array), NULL), -EINVAL);
	CHECK_STR(status_of(cg).policy, "alpha");
}

/* A policy's link is not given to another struct_ops type. */
static void replace_other_type(int arg)
{
	struct refused_bpf *skel = open_with("tcp");
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	int link;

	(void)arg;
	CHECK(!refused_bpf__load(skel), "%s", tail());
	CHECK_EQ(bpf_map__upload_struct_ops(skel->maps.tcp), 0);
	link = policy_attach(p, cg);
	CHECK_EQ(bpf_link_update(link, bpf_map__fd(skel->maps.tcp), NULL), -EINVAL);
	CHECK_STR(status_of(cg).policy, "alpha");
	CHECK_EQ(p->life->exit_calls, 0);
}

/* A map whose value has not been uploaded. */
static void not_uploaded(int arg)
{
	struct refused_bpf *skel = open_with("empty");
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	int fd, link;

	(void)arg;
	CHECK(!refused_bpf__load(skel), "%s", tail());
	fd = bpf_map__fd(skel->maps.empty);
	CHECK_EQ(try_link(fd, cg->fd, BPF_F_CGROUP_FD), -EINVAL);
	link = policy_attach(p, cg);
	CHECK_EQ(bpf_link_update(link, fd, NULL), -EINVAL);
	CHECK_STR(status_of(cg).policy, "alpha");
	close(link);
	CHECK_EQ(bpf_map__upload_struct_ops(skel->maps.empty), 0);
	link = bpf_link_create(fd, cg->fd, BPF_STRUCT_OPS,
			       &(struct bpf_link_create_opts){ .sz = sizeof(struct bpf_link_create_opts),
							       .flags = BPF_F_CGROUP_FD });
	CHECK_OP(link, >=, 0);
	CHECK_STR(status_of(cg).policy, "empty");
}

static void verifier(int arg)
{
	static const struct {
		const char *map, *says;
	} cases[] = {
		{ "r_sleepable_evicted", "attach to unsupported member evicted" },
		{ "r_sleepable_refaulted", "attach to unsupported member refaulted" },
		{ "r_write_ctx", "only read is supported" },
		{ "r_write_refault_ctx", "only read is supported" },
		{ "r_write_folio", "only read is supported" },
		{ "r_write_lruvec", "only read is supported" },
		{ "r_wild_lruvec", "must be referenced or trusted" },
		{ "r_past_the_end", "access beyond struct reclaim_ext_evict_ctx" },
		{ "r_other_type", "bpf_reclaim_ext_cgroup_id" },
	};

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct refused_bpf *skel = open_with(cases[i].map);

		CHECK(refused_bpf__load(skel), "%s loads", cases[i].map);
		CHECK(strstr(messages, cases[i].says), "%s: no '%s' in: %s", cases[i].map,
		      cases[i].says, tail());
		refused_bpf__destroy(skel);
	}
}

static void tracing_kfunc(int arg)
{
	struct refused_bpf *skel = open_with(NULL);

	(void)arg;
	CHECK_EQ(bpf_program__set_autoload(skel->progs.tracing_kfunc, true), 0);
	CHECK(refused_bpf__load(skel), "it loads");
	CHECK(strstr(messages, "bpf_reclaim_ext_cgroup_id"), "%s", tail());
	CHECK(strstr(messages, "is not allowed"), "%s", tail());
}

static void newer(int arg)
{
	struct cg *cg = cg_new(NULL, "a");
	struct newer_bpf *skel;

	(void)arg;
	messages[0] = 0;
	libbpf_set_print(collect);
	skel = newer_bpf__open();
	CHECK(skel, "%s", tail());
	CHECK_OP(newer_bpf__load(skel), <, 0);
	CHECK(strstr(messages, "invented_later"), "%s", tail());
	newer_bpf__destroy(skel);

	/* it may know the operation as long as it doesn't use it */
	skel = newer_bpf__open();
	CHECK(skel, "%s", tail());
	skel->struct_ops.newer->invented_later = NULL;
	CHECK(!newer_bpf__load(skel), "%s", tail());
	CHECK_EQ(bpf_map__upload_struct_ops(skel->maps.newer), 0);
	{
		LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = BPF_F_CGROUP_FD);

		CHECK_OP(bpf_link_create(bpf_map__fd(skel->maps.newer), cg->fd, BPF_STRUCT_OPS,
					 &opts), >=, 0);
	}
	CHECK_STR(status_of(cg).policy, "newer");
}

static void values(int arg)
{
	static const struct {
		const char *map;
		int err;
	} cases[] = {
		{ "v_no_name", -EINVAL },
		{ "v_bad_name", -EINVAL },
		{ "v_long_name", -EINVAL },
		{ "v_flags", -EINVAL },
		{ "v_no_format", -EINVAL },
		{ "v_private", -EINVAL },
		{ "empty", 0 },
	};

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct refused_bpf *skel = open_with(cases[i].map);
		struct bpf_map *m = bpf_object__find_map_by_name(skel->obj, cases[i].map);
		int err;

		CHECK(!refused_bpf__load(skel), "%s: %s", cases[i].map, tail());
		err = bpf_map__upload_struct_ops(m);
		CHECK(err == cases[i].err, "%s: %d", cases[i].map, err);
		refused_bpf__destroy(skel);
	}
}

/* Registered by its map, there would be no link to tell of an ejection. */
static void without_link(int arg)
{
	struct refused_bpf *skel = open_with("v_no_link");
	struct bpf_link *link;

	(void)arg;
	CHECK(!refused_bpf__load(skel), "%s", tail());
	link = bpf_map__attach_struct_ops(skel->maps.v_no_link);
	CHECK(!link, "attached");
	CHECK_EQ(errno, EOPNOTSUPP);
	CHECK_STR(status_of(NULL).policy, "none");
}

static const struct test tests[] = {
	{ "targets that are no cgroup2 directory", targets, 0 },
	{ "a cgroup v1 directory", target_v1, 0 },
	{ "unknown flags", flags, 0 },
	{ "a cgroup for another struct_ops type", other_type, 0 },
	{ "what is not struct_ops", not_struct_ops, 0 },
	{ "replaced by another struct_ops type", replace_other_type, 0 },
	{ "a map without its value", not_uploaded, 0 },
	{ "programs that must not load", verifier, 0 },
	{ "a kfunc in a tracing program", tracing_kfunc, 0 },
	{ "an object for a newer kernel", newer, 0 },
	{ "values that the kernel checks", values, 0 },
	{ "a map without BPF_F_LINK", without_link, 0 },
};

TEST_MAIN(tests, 0)
