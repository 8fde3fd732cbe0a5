// SPDX-License-Identifier: GPL-2.0
/*
 * attach, replace, detach, set and get.
 *
 * Each of them changes the kernel's state in one step that either happened or
 * did not: a link without a pin is gone when this process is, a replacement is
 * one system call, and detaching removes the pin first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reclaimctl.h"

#ifndef BPF_F_CGROUP_FD
#define BPF_F_CGROUP_FD	(1U << 7)
#endif

int link_create(const char *name, int ops_fd, const struct cgroup *cg, int *link_fd)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = BPF_F_CGROUP_FD);
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_link_create(ops_fd, cg->fd, BPF_STRUCT_OPS, &opts);
	const char *why = strerror(-fd);

	switch (fd) {
	case -EBUSY:
		return err(ST_FAILED, "cgroup %s already has a policy: use replace, or attach --replace",
			   show(cg->path));
	case -EPERM:
		why = "attaching needs CAP_SYS_ADMIN: run it as root";
		break;
	case -ENODEV:
		why = "the cgroup is being removed, or has no memory controller";
		break;
	case -ENOSPC:
		why = "all 7 cookie formats of this boot are taken: reboot, or use a policy with one of those";
		break;
	case -EINVAL:
		why = "the kernel does not know cgroups as targets, or the policy refused (dmesg)";
		break;
	}
	if (fd < 0)
		return err(ST_FAILED, "cannot attach policy \"%s\" to cgroup %s: %s", name,
			   show(cg->path), why);
	if (bpf_link_get_info_by_fd(fd, &info, &len) || info.struct_ops.cgroup_id != cg->id) {
		/* an older kernel takes the flag for nothing, and has attached to all */
		bpf_link_detach(fd);
		close(fd);
		return err(ST_UNUSABLE, "cannot attach policy \"%s\" to cgroup %s: this kernel attaches to the whole machine only",
			   name, show(cg->path));
	}
	*link_fd = fd;
	return 0;
}

int link_update(int link_fd, uint32_t link_id, int ops_fd, const char *name,
		const struct cgroup *cg)
{
	int ret = bpf_link_update(link_fd, ops_fd, NULL);
	const char *why = strerror(-ret);

	if (ret == -EPERM)
		why = "it needs CAP_SYS_ADMIN: run it as root";
	else if (ret == -ENOLINK)
		why = "the kernel has ended it meanwhile (status says why): use attach";
	else if (ret == -ENOSPC)
		why = "all 7 cookie formats of this boot are taken";
	if (ret)
		return err(ST_FAILED, "cannot replace the policy of cgroup %s (link %u) by \"%s\": %s",
			   show(cg->path), link_id, name, why);
	return 0;
}

int link_detach(int link_fd, const struct cgroup *cg)
{
	int ret = bpf_link_detach(link_fd);

	if (ret && ret != -ENOLINK && ret != -ENOENT)
		return err(ST_FAILED, "cannot detach the policy of cgroup %s: %s", show(cg->path),
			   strerror(-ret));
	return 0;
}

static int open_link(uint32_t id, const struct cgroup *cg, int *fd)
{
	*fd = bpf_link_get_fd_by_id(id);
	if (*fd >= 0)
		return 0;
	return err(ST_FAILED, "cgroup %s: link %u: %s%s", show(cg->path), id, strerror(errno),
		   errno == EPERM ? ": run it as root" : "");
}

json_object *attachment_json(const struct cgroup *cg)
{
	json_object *o = json_object_new_object();
	struct cg_state st;
	char *pin = pin_name(cg->rel);

	add_str(o, "cgroup", cg->rel);
	add_str(o, "pin", pin);
	free(pin);
	if (!cgroup_state_at(cg->fd, &st)) {
		add_str(o, "policy", st.policy[0] ? st.policy : NULL);
		add_u64(o, "link", st.link);
		add_u64(o, "map", st.map);
	}
	return o;
}

static void done(const char *what, const struct cgroup *cg, const char *text)
{
	if (opt.json) {
		json_object *o = answer();

		add_str(o, "done", what);
		json_object_object_add(o, "attachment", attachment_json(cg));
		print_json(o, true);
	} else if (!opt.quiet) {
		puts(text);
	}
}

/* Tunables of the old policy that the new one has, too, unless --set names them. */
static int keep_tunables(const struct instance *old, struct policy *p, void *data)
{
	const struct meta *m = &p->meta;

	for (int i = 0; i < m->nr_tunables; i++) {
		const struct tunable *t = &m->tunable[i], *was;
		uint64_t v;
		bool fits;

		was = tunable_by_name(&old->meta, t->name);
		if (!was || was->unsupported || t->unsupported || !old->data)
			continue;
		v = tunable_get(was, old->data);
		if (t->is_signed != was->is_signed)
			fits = false;
		else if (t->is_signed)
			fits = (int64_t)v >= t->min && (int64_t)v <= (int64_t)t->max;
		else
			fits = v <= t->max && (t->min < 0 || v >= (uint64_t)t->min);
		if (!fits) {
			note("tunable %s: %s is not legal in policy \"%s\" (%s), which starts with its default",
			     t->name, tunable_text(was, v), p->name, tunable_range(t));
			continue;
		}
		tunable_put(t, data, v);
	}
	return 0;
}

/* @p with the settings wanted, loaded, or one that runs already: *map_fd. */
static int prepare(struct policy *p, const struct instance *keep, uint32_t not_map, int *map_fd,
		   bool *shared)
{
	size_t size = 0;
	const void *init = p->data ? bpf_map__initial_value(p->data, &size) : NULL;
	void *data = NULL;
	struct world w;
	uint32_t like;
	int ret = 0, fd;

	if (init)
		data = memcpy(xalloc(size), init, size);
	if (keep && data)
		ret = keep_tunables(keep, p, data);
	if (!ret)
		ret = tunables_apply(&p->meta, p->name, &opt.set, data);
	if (!ret)
		ret = policy_load(p, data, &fd);
	free(data);
	if (ret)
		return ret;
	world_read(&w);
	like = instance_like(&w, fd, not_map);
	world_free(&w);
	*shared = false;
	if (like) {
		*map_fd = bpf_map_get_fd_by_id(like);
		*shared = *map_fd >= 0;
	}
	if (!*shared)
		*map_fd = fd;
	return interrupted ? err(ST_INTERRUPTED, "interrupted, nothing has changed") : 0;
}

static int replace(struct policy *p, const struct cgroup *cg, const struct cg_state *st, bool keep)
{
	struct instance old = { .data_fd = -1 };
	struct world w;
	char *text;
	int ret, link_fd = -1, map_fd;
	bool shared;

	ret = open_link(st->link, cg, &link_fd);
	if (ret)
		return ret;
	if (keep) {
		world_read(&w);
		ret = instance_open(&w, st->map, &old);
		world_free(&w);
		if (!ret)
			ret = instance_read_data(&old);
	}
	if (!ret)
		ret = prepare(p, keep ? &old : NULL, 0, &map_fd, &shared);
	if (!ret)
		ret = link_update(link_fd, st->link, map_fd, p->name, cg);
	if (keep)
		instance_close(&old);
	close(link_fd);
	if (ret)
		return ret;
	text = xprintf("cgroup %s: policy \"%s\" -> \"%s\" (link %u)%s", show(cg->path), st->policy,
		       p->name, st->link, shared ? ", shared" : "");
	done("replaced", cg, text);
	free(text);
	return 0;
}

static int attach(struct policy *p, const struct cgroup *cg)
{
	int ret, map_fd, link_fd;
	bool shared;
	char *text, *pin;

	ret = prepare(p, NULL, 0, &map_fd, &shared);
	if (ret)
		return ret;
	ret = link_create(p->name, map_fd, cg, &link_fd);
	if (ret)
		return ret;
	/* until it is pinned the link goes with this process */
	ret = interrupted ? err(ST_INTERRUPTED, "interrupted, nothing has changed") :
			    pin_create(link_fd, cg->rel);
	if (ret) {
		bpf_link_detach(link_fd);
		close(link_fd);
		return ret;
	}
	close(link_fd);
	pin = pin_path(cg->rel);
	text = xprintf("cgroup %s: policy \"%s\" attached, pinned at %s%s", show(cg->path), p->name,
		       pin, shared ? ", shared" : "");
	done("attached", cg, text);
	free(text);
	free(pin);
	return 0;
}

static int attach_or_replace(const char *name, bool may_attach, bool may_replace, bool keep)
{
	struct cgroup cg;
	struct cg_state st;
	struct policy p;
	int ret;

	ret = cgroup_open(opt.cgroup, &cg);
	if (ret)
		return ret;
	ret = policy_open(name, &p);
	if (ret) {
		cgroup_close(&cg);
		return ret;
	}
	ret = cgroup_state(&cg, &st);
	if (!ret)
		ret = pins_lock();
	if (!ret)
		ret = cgroup_state(&cg, &st);
	if (ret) {
		/* said already */
	} else if (own_policy(&cg, &st) && !may_replace) {
		ret = err(ST_FAILED, "cgroup %s already has policy \"%s\" (link %u): use replace, or attach --replace",
			  show(cg.path), st.policy, st.link);
	} else if (own_policy(&cg, &st)) {
		ret = replace(&p, &cg, &st, keep);
	} else if (!may_attach) {
		char *from = st.policy[0] ? cgroup_path_of(st.cgroup_id) : NULL;

		if (from)
			ret = err(ST_FAILED, "cgroup %s has no policy of its own, \"%s\" comes from %s: use attach, or replace it there",
				  show(cg.path), st.policy, show(from));
		else
			ret = err(ST_FAILED, "cgroup %s has no policy to replace: use attach",
				  show(cg.path));
		free(from);
	} else {
		ret = attach(&p, &cg);
	}
	policy_close(&p);
	cgroup_close(&cg);
	return ret;
}

int cmd_attach(int argc __attribute__((unused)), char **argv)
{
	return attach_or_replace(argv[0], true, opt.replace, false);
}

int cmd_replace(int argc __attribute__((unused)), char **argv)
{
	return attach_or_replace(argv[0], false, true, !opt.reset);
}

/* The cgroup has gone, but its link is still pinned. */
static int detach_pin(void)
{
	const char *root, *arg = opt.cgroup;
	char *rel = NULL;
	bool removed = false, dead;
	int ret = cgroup_root(&root);

	if (ret)
		return ret;
	if (!strncmp(arg, "pin:", 4))
		rel = pin_unescape(arg + 4);
	else if (!strncmp(arg, root, strlen(root)) && arg[strlen(root)] == '/')
		rel = xstrdup(arg + strlen(root));
	else
		rel = xprintf("%s%s", arg[0] == '/' ? "" : "/", arg);
	if (!rel || !pin_link(rel, &dead) || !dead) {
		free(rel);
		return err(ST_FAILED, "there is no cgroup %s, and no pin of it", show(arg));
	}
	ret = pin_remove(rel, &removed);
	if (!ret && !opt.quiet && !opt.json)
		printf("cgroup %s is gone: its pin removed\n", show(rel));
	if (!ret && opt.json) {
		json_object *o = answer();

		add_str(o, "done", "unpinned");
		print_json(o, true);
	}
	free(rel);
	return ret;
}

int cmd_detach(int argc __attribute__((unused)), char **argv __attribute__((unused)))
{
	struct cgroup cg;
	struct cg_state st;
	bool removed = false, dead;
	uint32_t pinned;
	char *text;
	int ret, fd = -1;

	if (!opt.cgroup)
		return err(ST_USAGE, "which cgroup? Give --cgroup PATH or UNIT");
	ret = cgroup_find(opt.cgroup, &cg);
	if (!ret)
		ret = pins_lock();
	if (ret)
		return ret;
	if (cg.fd < 0)
		return detach_pin();
	ret = cgroup_state(&cg, &st);
	if (ret)
		goto out;
	pinned = pin_link(cg.rel, &dead);
	if (!own_policy(&cg, &st)) {
		if (pinned && dead) {
			ret = pin_remove(cg.rel, &removed);
			if (!ret)
				done("unpinned", &cg, "the policy was gone already: its pin removed");
			goto out;
		}
		text = st.policy[0] ? cgroup_path_of(st.cgroup_id) : NULL;
		if (text)
			ret = err(ST_FAILED, "cgroup %s has no policy of its own, \"%s\" comes from %s: detach it there",
				  show(cg.path), st.policy, show(text));
		else
			ret = err(ST_FAILED, "cgroup %s has no policy", show(cg.path));
		free(text);
		goto out;
	}
	ret = open_link(st.link, &cg, &fd);
	if (ret)
		goto out;
	if (pinned == st.link || dead)
		ret = pin_remove(cg.rel, &removed);
	if (!ret)
		ret = link_detach(fd, &cg);
	close(fd);
	if (ret)
		goto out;
	text = xprintf("cgroup %s: policy \"%s\" detached (link %u)", show(cg.path), st.policy,
		       st.link);
	done("detached", &cg, text);
	free(text);
	if (!removed)
		note("link %u is not one of %s: whoever pinned it still has the pin", st.link,
		     PIN_ROOT);
out:
	cgroup_close(&cg);
	return ret;
}

/* The attachment that decides for --cgroup, opened. */
static int open_effective(struct cgroup *cg, struct cg_state *st, struct world *w,
			  struct instance *inst, bool must_own)
{
	char *from;
	int ret = cgroup_open(opt.cgroup, cg);

	if (ret)
		return ret;
	ret = cgroup_state(cg, st);
	if (!ret && !st->policy[0])
		ret = err(ST_FAILED, "cgroup %s has no policy: use attach", show(cg->path));
	if (!ret && must_own && !own_policy(cg, st)) {
		from = cgroup_path_of(st->cgroup_id);
		ret = err(ST_FAILED, "cgroup %s has no policy of its own, \"%s\" comes from %s: set it there, or attach one here",
			  show(cg->path), st->policy, show(from ?: "a cgroup that is out of sight"));
		free(from);
	}
	if (!ret) {
		world_read(w);
		ret = instance_open(w, st->map, inst);
		if (!ret)
			ret = instance_read_data(inst);
		if (!ret)
			return 0;
		world_free(w);
	}
	cgroup_close(cg);
	return ret;
}

int cmd_get(int argc, char **argv)
{
	struct cgroup cg;
	struct cg_state st;
	struct world w;
	struct instance inst;
	json_object *o, *a = json_object_new_array();
	int ret = open_effective(&cg, &st, &w, &inst, false);

	if (ret)
		return ret;
	for (int i = 0; i < argc && !ret; i++)
		if (!tunable_by_name(&inst.meta, argv[i]))
			ret = err(ST_USAGE, "policy %s has no tunable '%s': get without a name shows them",
				  st.policy, show(argv[i]));
	for (int i = 0; i < inst.meta.nr_tunables && !ret; i++) {
		const struct tunable *t = &inst.meta.tunable[i];
		bool wanted = !argc;

		for (int j = 0; j < argc; j++)
			wanted |= !strcmp(argv[j], t->name);
		if (!wanted)
			continue;
		if (opt.json)
			json_object_array_add(a, tunable_json(t, inst.data));
		else
			printf("%s=%s\n", t->name, tunable_text(t, tunable_get(t, inst.data)));
	}
	if (opt.json && !ret) {
		o = answer();
		json_object_object_add(o, "attachment", attachment_json(&cg));
		json_object_object_add(o, "tunables", a);
		print_json(o, true);
	} else {
		json_object_put(a);
	}
	instance_close(&inst);
	world_free(&w);
	cgroup_close(&cg);
	return ret;
}

/* Loads the object of @inst a second time, with @data, and switches the link of @cg to it. */
static int split(const struct cgroup *cg, const struct cg_state *st, const struct instance *inst,
		 const void *data)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	struct instance fresh;
	struct policy p;
	struct world w;
	bool same;
	uint32_t like;
	int ret, fd, link_fd, like_fd = -1;

	ret = policy_open(opt.from ?: st->policy, &p);
	if (ret) {
		if (!opt.from)
			note("--from FILE says where the object of policy \"%s\" is", st->policy);
		return ret;
	}
	if (p.meta.nr_tunables != inst->meta.nr_tunables ||
	    (p.data && bpf_map__value_size(p.data) != inst->data_size))
		ret = err(ST_FAILED, "%s is not the object that is attached to %s: give that one with --from FILE, or use replace",
			  show(p.origin), show(cg->path));
	if (!ret)
		ret = policy_load(&p, data, &fd);
	if (ret)
		goto out;
	world_read(&w);
	if (bpf_map_get_info_by_fd(fd, &info, &len) || instance_open(&w, info.id, &fresh)) {
		ret = ST_FAILED;
		world_free(&w);
		goto out;
	}
	same = fresh.nr_tags == inst->nr_tags &&
	       !memcmp(fresh.tags, inst->tags, inst->nr_tags * sizeof(*inst->tags));
	instance_close(&fresh);
	like = instance_like(&w, fd, 0);
	world_free(&w);
	if (!same) {
		ret = err(ST_FAILED, "%s is not the object that is attached to %s: give that one with --from FILE, or use replace",
			  show(p.origin), show(cg->path));
		goto out;
	}
	if (like)
		like_fd = bpf_map_get_fd_by_id(like);
	ret = open_link(st->link, cg, &link_fd);
	if (!ret) {
		ret = link_update(link_fd, st->link, like_fd >= 0 ? like_fd : fd, p.name, cg);
		close(link_fd);
	}
	if (like_fd >= 0)
		close(like_fd);
out:
	policy_close(&p);
	return ret;
}

int cmd_set(int argc, char **argv)
{
	struct strings set = { .str = (const char **)argv, .nr = argc };
	struct cgroup cg;
	struct cg_state st;
	struct world w;
	struct instance inst;
	void *data = NULL;
	int ret, others = 0;

	ret = pins_lock();
	if (!ret)
		ret = open_effective(&cg, &st, &w, &inst, true);
	if (ret)
		return ret;
	if (inst.data)
		data = memcpy(xalloc(inst.data_size), inst.data, inst.data_size);
	ret = tunables_apply(&inst.meta, st.policy, &set, data);
	if (ret)
		goto out;
	for (int i = 0; i < w.nr_links; i++)
		if (w.links[i].map_id == st.map && w.links[i].id != st.link)
			others++;
	if (!memcmp(data, inst.data, inst.data_size)) {
		done("unchanged", &cg, "nothing to change");
	} else if (!others || opt.all) {
		ret = instance_write_data(&inst, data);
		if (!ret)
			done("set", &cg, others ? "set, for all that share it" : "set");
	} else if (opt.only) {
		ret = split(&cg, &st, &inst, data);
		if (!ret)
			done("set", &cg, "set, with a copy of the policy for this cgroup alone");
	} else {
		char *list = xstrdup(""), *longer, *path;
		int shown = 0;

		for (int i = 0; i < w.nr_links && shown < 5; i++) {
			if (w.links[i].map_id != st.map || w.links[i].id == st.link)
				continue;
			path = cgroup_path_of(w.links[i].cgroup_id);
			longer = xprintf("%s%s%s", list, shown++ ? ", " : "",
					 path ? show(path) : "?");
			free(path);
			free(list);
			list = longer;
		}
		ret = err(ST_FAILED, "policy \"%s\" of cgroup %s is shared with %d other%s (%s%s): --all sets it for all, --only for this one",
			  st.policy, show(cg.path), others, others > 1 ? "s" : "", list,
			  others > shown ? ", ..." : "");
		free(list);
	}
out:
	free(data);
	instance_close(&inst);
	world_free(&w);
	cgroup_close(&cg);
	return ret;
}
