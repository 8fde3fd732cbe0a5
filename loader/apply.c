// SPDX-License-Identifier: GPL-2.0
/*
 * apply: what should be attached where.
 *
 * First everything that can be wrong: the file, the cgroups, the policies,
 * which are loaded once for each different setting. Then the steps: new links
 * without pins, replacements, pins, detaching. A step that fails undoes those
 * before; if this process is killed the links without pins go with it.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "reclaimctl.h"

enum action { ACT_NONE, ACT_ATTACH, ACT_REPLACE, ACT_DETACH, ACT_SKIP };
static const char * const action_names[] = { "unchanged", "attach", "replace", "detach", "skip" };

/* A policy with settings, loaded, and the one that runs already if there is one. */
struct load {
	struct policy p;
	char *key;
	int ops_fd, like_fd;
	uint32_t like;
};

struct step {
	const struct conf_entry *e;	/* NULL: pruned */
	char *path, *rel;
	uint64_t id;
	struct cg_state st;
	enum action act;
	int load;			/* index, -1: none */
	int link_fd, old_fd;
	bool attached, replaced, pinned, detached, unpinned;
};

struct plan {
	struct step *step;
	int nr;
	struct load *load;
	int nr_loads;
};

static const char *load_name(const struct plan *plan, const struct step *s)
{
	return s->load >= 0 ? plan->load[s->load].p.name : "none";
}

static int find_cgroup(const struct conf_entry *e, double until, struct cgroup *cg)
{
	struct timespec now, nap = { .tv_nsec = 100000000 };
	int ret;

	for (;;) {
		ret = cgroup_find(e->cgroup, cg);
		if (ret || cg->fd >= 0)
			return ret;
		if (e->missing == MISSING_SKIP || (e->policy && !strcmp(e->policy, "none")))
			return 0;
		if (e->missing == MISSING_FAIL)
			return err(ST_FAILED, "%s:%d: there is no cgroup %s: 'missing: skip' or 'missing: wait' allow that",
				   show(e->file), e->line, show(e->cgroup));
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec + now.tv_nsec / 1e9 >= until)
			return err(ST_FAILED, "%s:%d: cgroup %s has not come in time: raise 'timeout'",
				   show(e->file), e->line, show(e->cgroup));
		nanosleep(&nap, NULL);
		if (interrupted)
			return err(ST_INTERRUPTED, "interrupted, nothing has changed");
	}
}

static int by_string(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Which of the loads is for @e; the values as written, so 10 and 0xa are two. */
static char *load_key(const struct conf_entry *e)
{
	char *key = xprintf("%s\n%s", e->object ?: "", e->policy ?: ""), *longer;

	if (e->set.nr)
		qsort(e->set.str, e->set.nr, sizeof(*e->set.str), by_string);
	for (int i = 0; i < e->set.nr; i++) {
		longer = xprintf("%s\n%s", key, e->set.str[i]);
		free(key);
		key = longer;
	}
	return key;
}

static int do_load(struct load *l, const struct conf_entry *e)
{
	const void *init;
	void *data = NULL;
	size_t size;
	int ret;

	l->like_fd = -1;
	err_context(xprintf("%s:%d: cgroup %s", show(e->file), e->line, show(e->cgroup)));
	ret = policy_open(e->object ?: e->policy, &l->p);
	if (!ret && e->object && e->policy && strcmp(e->policy, l->p.name))
		ret = err(ST_USAGE, "object %s holds policy \"%s\", not \"%s\"", show(e->object),
			  l->p.name, show(e->policy));
	if (!ret) {
		init = l->p.data ? bpf_map__initial_value(l->p.data, &size) : NULL;
		if (init)
			data = memcpy(xalloc(size), init, size);
		ret = tunables_apply(&l->p.meta, l->p.name, &e->set, data);
	}
	if (!ret)
		ret = policy_load(&l->p, data, &l->ops_fd);
	free(data);
	err_context(NULL);
	return ret;
}

static int find_load(struct plan *plan, const struct conf_entry *e, int *index)
{
	char *key = load_key(e);
	struct load *l;
	int i;

	for (i = 0; i < plan->nr_loads; i++)
		if (!strcmp(plan->load[i].key, key))
			break;
	*index = i;
	if (i < plan->nr_loads) {
		free(key);
		return 0;
	}
	l = APPEND(plan->load, plan->nr_loads);
	l->key = key;
	return do_load(l, e);
}

static int add_step(struct plan *plan, const struct conf_entry *e, double until)
{
	struct cgroup cg;
	struct step *s;
	int ret = find_cgroup(e, until, &cg);

	if (ret)
		return ret;
	for (int i = 0; cg.fd >= 0 && i < plan->nr; i++) {
		s = &plan->step[i];
		if (s->id != cg.id)
			continue;
		ret = err(ST_USAGE, "%s:%d: cgroup %s is described twice, first at %s:%d",
			  show(e->file), e->line, show(cg.path), show(s->e->file), s->e->line);
		cgroup_close(&cg);
		return ret;
	}
	s = APPEND(plan->step, plan->nr);
	s->e = e;
	s->load = s->link_fd = s->old_fd = -1;
	s->path = xstrdup(cg.fd >= 0 ? cg.path : e->cgroup);
	s->rel = xstrdup(cg.fd >= 0 ? cg.rel : e->cgroup);
	if (cg.fd < 0) {
		s->act = ACT_SKIP;
		return 0;
	}
	s->id = cg.id;
	ret = cgroup_state(&cg, &s->st);
	if (!ret && (!e->policy || strcmp(e->policy, "none")))
		ret = find_load(plan, e, &s->load);
	if (ret) {
		/* said already */
	} else if (s->load < 0) {
		s->act = own_policy(&cg, &s->st) ? ACT_DETACH : ACT_NONE;
	} else {
		s->act = own_policy(&cg, &s->st) ? ACT_REPLACE : ACT_ATTACH;
	}
	cgroup_close(&cg);
	return ret;
}

static int prune_one(const char *rel, void *arg)
{
	struct plan *plan = arg;
	struct cgroup cg;
	struct step *s;
	char *name, *pin;
	int ret;

	for (int i = 0; i < plan->nr; i++)
		if (!strcmp(plan->step[i].rel, rel))
			return 0;
	pin = pin_name(rel);
	name = xprintf("pin:%s", pin);
	free(pin);
	ret = cgroup_find(name, &cg);
	free(name);
	if (ret || cg.fd < 0)
		return ret;
	s = APPEND(plan->step, plan->nr);
	s->load = s->link_fd = s->old_fd = -1;
	s->path = xstrdup(cg.path);
	s->rel = xstrdup(cg.rel);
	s->id = cg.id;
	ret = cgroup_state(&cg, &s->st);
	s->act = own_policy(&cg, &s->st) ? ACT_DETACH : ACT_NONE;
	cgroup_close(&cg);
	return ret;
}

/* What runs as described already stays. */
static void compare(struct plan *plan)
{
	uint32_t map = 0, like = 0;
	struct world w;
	bool same = false;

	world_read(&w);
	for (int i = 0; i < plan->nr_loads; i++) {
		struct load *l = &plan->load[i];

		l->like = instance_like(&w, l->ops_fd, 0);
		if (l->like)
			l->like_fd = bpf_map_get_fd_by_id(l->like);
		if (l->like_fd < 0)
			l->like = 0;
	}
	for (int i = 0; i < plan->nr; i++) {
		struct step *s = &plan->step[i];
		struct load *l = s->load >= 0 ? &plan->load[s->load] : NULL;

		if (s->act != ACT_REPLACE || !l->like)
			continue;
		/* equal ones may be loaded more than once */
		if (s->st.map != map || l->like != like) {
			map = s->st.map;
			like = l->like;
			same = map == like || instance_same_maps(&w, map, like);
		}
		if (same)
			s->act = ACT_NONE;
	}
	world_free(&w);
}

static int open_cgroup(const struct step *s, struct cgroup *cg)
{
	char *pin = pin_name(s->rel), *name = xprintf("pin:%s", pin);
	int ret = cgroup_open(name, cg);

	free(pin);
	free(name);
	if (!ret && cg->id != s->id) {
		cgroup_close(cg);
		ret = err(ST_FAILED, "cgroup %s was removed and made anew meanwhile: try again",
			  show(s->path));
	}
	return ret;
}

static int attach_or_replace(const struct plan *plan, struct step *s)
{
	const struct load *l = &plan->load[s->load];
	int fd = l->like_fd >= 0 ? l->like_fd : l->ops_fd;
	struct cgroup cg;
	int ret = open_cgroup(s, &cg);

	if (ret)
		return ret;
	if (s->act == ACT_ATTACH) {
		ret = link_create(l->p.name, fd, &cg, &s->link_fd);
		s->attached = !ret;
	} else {
		s->link_fd = bpf_link_get_fd_by_id(s->st.link);
		s->old_fd = bpf_map_get_fd_by_id(s->st.map);
		if (s->link_fd < 0 || s->old_fd < 0)
			ret = err(ST_FAILED, "cgroup %s: link %u has gone meanwhile: try again",
				  show(s->path), s->st.link);
		else
			ret = link_update(s->link_fd, s->st.link, fd, l->p.name, &cg);
		s->replaced = !ret;
	}
	cgroup_close(&cg);
	return ret;
}

static int detach(struct step *s)
{
	struct cgroup cg;
	bool dead;
	uint32_t pinned;
	int ret = open_cgroup(s, &cg);

	if (ret)
		return ret;
	s->link_fd = bpf_link_get_fd_by_id(s->st.link);
	s->old_fd = bpf_map_get_fd_by_id(s->st.map);
	if (s->link_fd < 0 || s->old_fd < 0)
		ret = err(ST_FAILED, "cgroup %s: link %u has gone meanwhile: try again",
			  show(s->path), s->st.link);
	pinned = pin_link(s->rel, &dead);
	if (!ret && (pinned == s->st.link || dead))
		ret = pin_remove(s->rel, &s->unpinned);
	if (!ret)
		ret = link_detach(s->link_fd, &cg);
	s->detached = !ret;
	cgroup_close(&cg);
	return ret;
}

static void undo(struct step *s)
{
	struct cgroup cg;
	bool removed;

	if (s->detached && !open_cgroup(s, &cg)) {
		close(s->link_fd);
		s->link_fd = -1;
		if (!link_create(s->st.policy, s->old_fd, &cg, &s->link_fd) && s->unpinned)
			pin_create(s->link_fd, s->rel);
		cgroup_close(&cg);
	} else if (s->unpinned) {
		pin_create(s->link_fd, s->rel);
	}
	if (s->pinned)
		pin_remove(s->rel, &removed);
	if (s->attached)
		bpf_link_detach(s->link_fd);
	if (s->replaced && bpf_link_update(s->link_fd, s->old_fd, NULL))
		err(ST_FAILED, "cgroup %s: cannot give it its policy \"%s\" back: %s",
		    show(s->path), s->st.policy, strerror(errno));
}

static int stop(void)
{
	return interrupted ? err(ST_INTERRUPTED, "interrupted, what was done is undone") : 0;
}

/* For tests: end as if interrupted after so many steps. */
static void count_step(void)
{
	static long left = -1;
	const char *env;

	if (left == -1) {
		env = getenv("RECLAIMCTL_INTERRUPT_AFTER");
		left = env ? atol(env) : 0;
	}
	if (left && !--left)
		raise(SIGINT);
}

static int execute(struct plan *plan)
{
	struct step *s, *end = plan->step + plan->nr;
	int ret = 0;

	for (s = plan->step; s < end && !ret; s++) {
		if (s->act != ACT_ATTACH && s->act != ACT_REPLACE)
			continue;
		ret = attach_or_replace(plan, s);
		count_step();
		if (!ret)
			ret = stop();
	}
	for (s = plan->step; s < end && !ret; s++) {
		if (!s->attached)
			continue;
		ret = pin_create(s->link_fd, s->rel);
		s->pinned = !ret;
		if (!ret)
			ret = stop();
	}
	for (s = plan->step; s < end && !ret; s++) {
		if (s->act != ACT_DETACH)
			continue;
		ret = detach(s);
		count_step();
		if (!ret)
			ret = stop();
	}
	for (s = end; ret && s-- > plan->step;)
		undo(s);
	return ret;
}

static void report(const struct plan *plan)
{
	json_object *o = answer(), *a = json_object_new_array(), *c;
	int changes = 0;

	for (int i = 0; i < plan->nr; i++) {
		const struct step *s = &plan->step[i];

		changes += s->act != ACT_NONE && s->act != ACT_SKIP;
		if (opt.json) {
			c = json_object_new_object();
			add_str(c, "cgroup", s->rel);
			add_str(c, "action", action_names[s->act]);
			add_str(c, "from", own_policy(&(struct cgroup){ .id = s->id }, &s->st) ?
				s->st.policy : NULL);
			add_str(c, "to", s->load >= 0 ? load_name(plan, s) : NULL);
			json_object_array_add(a, c);
		} else if (!opt.quiet && (s->act != ACT_NONE || opt.verbose)) {
			printf("%-9s %s", action_names[s->act], show(s->path));
			if (s->act == ACT_SKIP)
				puts(": there is no such cgroup");
			else if (s->act == ACT_ATTACH)
				printf(": \"%s\"\n", load_name(plan, s));
			else if (s->act == ACT_NONE)
				printf(": \"%s\"\n", load_name(plan, s));
			else
				printf(": \"%s\" -> \"%s\"\n", s->st.policy, load_name(plan, s));
		}
	}
	if (opt.json) {
		add_bool(o, "dry_run", opt.dry_run);
		add_u64(o, "changes", changes);
		json_object_object_add(o, "cgroups", a);
		print_json(o, true);
	} else {
		json_object_put(o);
		json_object_put(a);
		if (!opt.quiet)
			printf("%d of %d cgroups %s\n", changes, plan->nr,
			       opt.dry_run ? "would change" : "changed");
	}
}

int cmd_apply(int argc __attribute__((unused)), char **argv)
{
	struct conf conf;
	struct plan plan = {};
	struct timespec now;
	struct cgroup cg;
	double until;
	int ret;

	ret = conf_read(argv[0], &conf);
	clock_gettime(CLOCK_MONOTONIC, &now);
	until = now.tv_sec + now.tv_nsec / 1e9 + conf.timeout;
	/* others can work while this one waits */
	for (int i = 0; i < conf.nr && !ret; i++) {
		if (conf.entry[i].missing != MISSING_WAIT)
			continue;
		ret = find_cgroup(&conf.entry[i], until, &cg);
		if (!ret)
			cgroup_close(&cg);
	}
	if (!ret)
		ret = pins_lock();
	for (int i = 0; i < conf.nr && !ret; i++)
		ret = add_step(&plan, &conf.entry[i], until);
	if (!ret && conf.prune)
		ret = pins_each(prune_one, &plan);
	if (!ret)
		compare(&plan);
	if (!ret && !opt.dry_run)
		ret = execute(&plan);
	if (!ret)
		report(&plan);
	for (int i = 0; i < plan.nr; i++) {
		struct step *s = &plan.step[i];

		if (s->link_fd >= 0)
			close(s->link_fd);
		if (s->old_fd >= 0)
			close(s->old_fd);
		free(s->path);
		free(s->rel);
	}
	for (int i = 0; i < plan.nr_loads; i++) {
		if (plan.load[i].like_fd >= 0)
			close(plan.load[i].like_fd);
		free(plan.load[i].key);
		policy_close(&plan.load[i].p);
	}
	free(plan.step);
	free(plan.load);
	conf_free(&conf);
	return ret;
}
