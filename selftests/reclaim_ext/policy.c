// SPDX-License-Identifier: GPL-2.0
/* Loading, attaching, replacing and asking after the test policy `probe`. */
#include <bpf/btf.h>
#include <poll.h>

#include "policy.h"

/* Where the name is in the struct_ops: the skeleton has no member for arrays. */
static char *name_of(struct probe_bpf *skel)
{
	const struct btf *btf = bpf_object__btf(skel->obj);
	int id = btf__find_by_name_kind(btf, "reclaim_ext_ops", BTF_KIND_STRUCT);
	const struct btf_type *type = btf__type_by_id(btf, id);
	const struct btf_member *member = btf_members(type);

	for (unsigned int i = 0; i < btf_vlen(type); i++, member++)
		if (!strcmp(btf__name_by_offset(btf, member->name_off), "name"))
			return (char *)skel->struct_ops.probe + member->offset / 8;
	FAIL("struct reclaim_ext_ops has no name");
}

struct policy *policy_load(const char *name, unsigned int format, unsigned int flags)
{
	struct policy *p = calloc(1, sizeof(*p));
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	char *slot;

	p->skel = probe_bpf__open();
	CHECK(p->skel, "cannot open probe: %s", strerror(errno));
	slot = name_of(p->skel);
	CHECK_STR(slot, "probe");
	snprintf(slot, NAME_LEN, "%s", name);
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->skel->struct_ops.probe->cookie_format = format;
	if (flags & NO_EVICTED)
		p->skel->struct_ops.probe->evicted = NULL;
	if (flags & NO_REFAULTED)
		p->skel->struct_ops.probe->refaulted = NULL;
	CHECK_EQ(probe_bpf__load(p->skel), 0);

	p->map = p->skel->maps.probe;
	p->map_fd = bpf_map__fd(p->map);
	CHECK_EQ(bpf_map__upload_struct_ops(p->map), 0);
	SYS(bpf_map_get_info_by_fd(p->map_fd, &info, &len));
	p->map_id = info.id;
	p->config = &p->skel->bss->config;
	p->evicted = p->skel->bss->evicted;
	p->refaulted = p->skel->bss->refaulted;
	p->snapshot = &p->skel->bss->snapshot;
	p->life = &p->skel->bss->life;
	return p;
}

void policy_reset(struct policy *p)
{
	memset(p->evicted, 0, 2 * sizeof(*p->evicted));
	memset(p->refaulted, 0, 2 * sizeof(*p->refaulted));
	memset(p->snapshot, 0, sizeof(*p->snapshot));
}

int policy_try_attach(struct policy *p, struct cg *cg)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = BPF_F_CGROUP_FD);

	return bpf_link_create(p->map_fd, cg ? cg->fd : 0, BPF_STRUCT_OPS, cg ? &opts : NULL);
}

int policy_attach(struct policy *p, struct cg *cg)
{
	int fd = policy_try_attach(p, cg);

	if (fd < 0)
		FAIL("cannot attach %s to %s: %s", p->name,
		     cg ? cg->path : "the root", strerror(-fd));
	return fd;
}

int policy_replace(int link, struct policy *p)
{
	return bpf_link_update(link, p->map_fd, NULL);
}

struct bpf_link_info link_info(int link)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	SYS(bpf_link_get_info_by_fd(link, &info, &len));
	CHECK_EQ(info.type, BPF_LINK_TYPE_STRUCT_OPS);
	return info;
}

bool link_hup(int link)
{
	struct pollfd pfd = { .fd = link };

	return SYS(poll(&pfd, 1, 0)) == 1 && pfd.revents & POLLHUP;
}

int count_links(void)
{
	struct bpf_link_info info;
	__u32 id = 0, len;
	int n = 0, fd;

	while (!bpf_link_get_next_id(id, &id)) {
		fd = bpf_link_get_fd_by_id(id);
		if (fd < 0)
			continue;
		memset(&info, 0, sizeof(info));
		len = sizeof(info);
		if (!bpf_link_get_info_by_fd(fd, &info, &len) &&
		    info.type == BPF_LINK_TYPE_STRUCT_OPS)
			n++;
		close(fd);
	}
	return n;
}
