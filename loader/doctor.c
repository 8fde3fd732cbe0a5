// SPDX-License-Identifier: GPL-2.0
/* doctor: does this machine have what policies need? */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/magic.h>

#include "reclaimctl.h"

struct report {
	json_object *checks;
	bool usable;
};

/* @must: policies can't be attached without it */
static void check(struct report *r, const char *name, bool ok, bool must, const char *found,
		  const char *way_out)
{
	const char *word = ok ? "ok" : must ? "missing" : "absent";

	if (!ok && must)
		r->usable = false;
	if (opt.json) {
		json_object *o = json_object_new_object();

		add_str(o, "name", name);
		add_bool(o, "ok", ok);
		add_bool(o, "required", must);
		add_str(o, "found", found);
		add_str(o, "way_out", ok ? NULL : way_out);
		json_object_array_add(r->checks, o);
		return;
	}
	if (ok && opt.quiet)
		return;
	printf("%-8s %-22s %s\n", word, name, found);
	if (!ok)
		printf("%-8s %-22s -> %s\n", "", "", way_out);
}

static bool read_word(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		n = 0;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return n > 0;
}

static bool has_member(const struct btf *btf, const char *type, const char *member)
{
	int id = btf ? btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT) : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, id) : NULL;
	const struct btf_member *m;

	if (!t)
		return false;
	m = btf_members(t);
	for (unsigned int i = 0; i < btf_vlen(t); i++, m++)
		if (!strcmp(btf__name_by_offset(btf, m->name_off), member))
			return true;
	return false;
}

static void check_kernel(struct report *r, const struct btf *btf)
{
	static const char boot[] = "boot a kernel with the reclaim_ext series and CONFIG_RECLAIM_EXT=y";
	const struct btf_type *t;
	const struct btf_member *m;
	char *text = xstrdup(""), *longer;
	bool has_ops, ok;
	uint32_t n;
	int id;

	id = btf ? btf__find_by_name_kind(btf, "reclaim_ext_ops", BTF_KIND_STRUCT) : -1;
	has_ops = id > 0;
	check(r, "reclaim_ext", has_ops, true, has_ops ? "struct reclaim_ext_ops" :
	      "the kernel does not know struct reclaim_ext_ops", boot);
	ok = has_member(btf, "bpf_struct_ops_link", "cgroup_id");
	check(r, "cgroup links", ok, true, ok ? "struct_ops links know cgroups" :
	      "struct_ops links don't know cgroups", boot);
	if (!has_ops) {
		free(text);
		return;
	}
	t = btf__type_by_id(btf, id);
	m = btf_members(t);
	for (unsigned int i = 0; i < btf_vlen(t); i++, m++) {
		const struct btf_type *type = btf__type_by_id(btf, m->type);

		if (!btf_is_ptr(type))
			continue;
		longer = xprintf("%s%s%s", text, *text ? " " : "",
				 btf__name_by_offset(btf, m->name_off));
		free(text);
		text = longer;
	}
	check(r, "operations", *text, true, text, boot);
	free(text);
	text = xstrdup("");
	n = btf__type_cnt(btf);
	for (uint32_t i = 1; i < n; i++) {
		const char *name;

		t = btf__type_by_id(btf, i);
		if (!btf_is_decl_tag(t) ||
		    strcmp(btf__name_by_offset(btf, t->name_off), "bpf_kfunc"))
			continue;
		t = btf__type_by_id(btf, t->type);
		name = btf__name_by_offset(btf, t->name_off);
		if (strncmp(name, "bpf_reclaim_ext_", 16))
			continue;
		longer = xprintf("%s%s%s", text, *text ? " " : "", name + 16);
		free(text);
		text = longer;
	}
	check(r, "kfuncs", *text, true, text, boot);
	check(r, "page hotness", strstr(text, "hot"), false,
	      strstr(text, "hot") ? "a source of page hotness" : "no kfunc for page hotness",
	      "only policies that use it need it; they say so in inspect");
	free(text);
	ok = btf__find_by_name_kind(btf, "btf_trace_reclaim_ext_exit", BTF_KIND_TYPEDEF) > 0;
	check(r, "events", ok, false, ok ? "tracepoints of reclaim_ext" :
	      "no tracepoints of reclaim_ext",
	      "boot a kernel with CONFIG_TRACEPOINTS=y, for reclaimctl events");
}

struct policy_check {
	struct report *r;
	const struct btf *btf;
};

/* Does the kernel have what the policy uses? */
static int check_policy(struct policy *p, void *arg)
{
	struct policy_check *c = arg;
	char *lacks = xstrdup(""), *longer, *name;

	for (int i = 0; i < p->nr_hooks; i++) {
		if (has_member(c->btf, "reclaim_ext_ops", p->hook[i]))
			continue;
		longer = xprintf("%s operation %s", lacks, p->hook[i]);
		free(lacks);
		lacks = longer;
	}
	for (int i = 0; i < p->kfuncs.nr; i++) {
		if (c->btf && btf__find_by_name_kind(c->btf, p->kfuncs.str[i], BTF_KIND_FUNC) > 0)
			continue;
		longer = xprintf("%s kfunc %s", lacks, p->kfuncs.str[i]);
		free(lacks);
		lacks = longer;
	}
	name = xprintf("policy %s", p->name);
	longer = xprintf("the kernel lacks%s", lacks);
	check(c->r, name, !*lacks, false, *lacks ? longer : "the kernel has what it uses",
	      "use another policy, or a kernel that has it");
	free(longer);
	free(name);
	free(lacks);
	return 0;
}

static void check_rights(struct report *r)
{
	static const struct {
		int cap;
		const char *name;
	} caps[] = {
		{ CAP_BPF, "CAP_BPF" }, { CAP_PERFMON, "CAP_PERFMON" },
		{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
	};
	uint64_t have = 0;
	char line[256], *text;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "CapEff: %" SCNx64, &have);
	if (f)
		fclose(f);
	for (size_t i = 0; i < sizeof(caps) / sizeof(*caps); i++) {
		bool ok = have >> caps[i].cap & 1;

		text = xprintf("right %s", caps[i].name);
		check(r, text, ok, true, ok ? "held" : "not held", "run it as root");
		free(text);
	}
}

int cmd_doctor(int argc __attribute__((unused)), char **argv __attribute__((unused)))
{
	struct report r = { .usable = true };
	struct policy_check pc = { .r = &r };
	struct btf *btf;
	struct utsname uts;
	struct statfs fs;
	const char *root = NULL;
	char word[256], *text;
	bool ok, has_root;
	FILE *f;

	r.checks = json_object_new_array();
	uname(&uts);
	text = xprintf("%s %s", uts.sysname, uts.release);
	check(&r, "kernel", true, false, text, "");
	free(text);

	btf = btf__load_vmlinux_btf();
	check(&r, "BTF", btf, true, btf ? "/sys/kernel/btf/vmlinux" : "no /sys/kernel/btf/vmlinux",
	      "boot a kernel with CONFIG_DEBUG_INFO_BTF=y");
	check_kernel(&r, btf);
	read_word("/proc/sys/net/core/bpf_jit_enable", word, sizeof(word));
	check(&r, "BPF JIT", word[0] != '0', true, word[0] == '0' ? "switched off" : "on",
	      "sysctl net.core.bpf_jit_enable=1");

	ok = read_word("/sys/kernel/mm/lru_gen/enabled", word, sizeof(word));
	ok = ok && strtol(word, NULL, 0) & 1;
	text = xprintf("/sys/kernel/mm/lru_gen/enabled: %s", *word ? word : "not there");
	check(&r, "MGLRU", ok, false, text,
	      "echo y >/sys/kernel/mm/lru_gen/enabled; on the classic LRU policies decide about refaults only");
	free(text);

	f = fopen("/proc/self/mounts", "re");
	while (f && !root && fgets(word, sizeof(word), f))
		if (strstr(word, " cgroup2 "))
			root = word;
	if (f)
		fclose(f);
	has_root = root;
	check(&r, "cgroup2", has_root, true, has_root ? "mounted" : "not mounted",
	      "boot with systemd.unified_cgroup_hierarchy=1, or mount -t cgroup2 cgroup2 /sys/fs/cgroup");
	if (has_root && !cgroup_root(&root)) {
		text = xprintf("%s/cgroup.subtree_control", root);
		read_word(text, word, sizeof(word));
		ok = strstr(word, "memory");
		check(&r, "memory controller", ok, true, ok ? "on" : "off",
		      "echo +memory >cgroup.subtree_control in the root; remove cgroup_disable=memory and cgroup v1 mounts of memory");
		free(text);
		text = xprintf("%s/memory.reclaim_ext", root);
		ok = !access(text, R_OK);
		check(&r, "memory.reclaim_ext", ok, true, ok ? text : "not there",
		      "boot a kernel with the reclaim_ext series and CONFIG_RECLAIM_EXT=y");
		free(text);
	}
	ok = !statfs("/sys/fs/bpf", &fs) && fs.f_type == BPF_FS_MAGIC;
	check(&r, "bpffs", ok, true, ok ? "/sys/fs/bpf" : "not mounted at /sys/fs/bpf",
	      "mount -t bpf bpf /sys/fs/bpf");
	check_rights(&r);
	pc.btf = btf;
	policies_each(check_policy, &pc);
	btf__free(btf);

	if (opt.json) {
		json_object *o = answer();

		add_bool(o, "usable", r.usable);
		json_object_object_add(o, "checks", r.checks);
		print_json(o, true);
	} else {
		json_object_put(r.checks);
		if (!opt.quiet)
			puts(r.usable ? "policies can be attached here" :
			     "policies can't be attached here");
	}
	return r.usable ? ST_OK : ST_UNUSABLE;
}
