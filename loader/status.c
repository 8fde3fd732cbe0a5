// SPDX-License-Identifier: GPL-2.0
/* status and export: which policy decides where, and what it has done. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reclaimctl.h"

struct visit {
	struct cache cache;
	json_object *cgroups;
	bool always;		/* show the first cgroup whatever it has */
	int shown, ret, base;
	FILE *out;
	/* export: the families, each written in one piece */
	struct {
		char *text;
		size_t size;
		FILE *f;
	} family[8];
};

static json_object *hooks_json(const struct cg_state *st)
{
	json_object *hooks = json_object_new_object(), *o;

	for (int i = 0; i < st->nr_hooks; i++) {
		const struct hook_stats *h = &st->hook[i];

		o = json_object_new_object();
		add_u64(o, "calls", h->calls);
		add_u64(o, "changed", h->changed);
		add_u64(o, "clamped", h->clamped);
		add_u64(o, "bypassed", h->bypassed);
		json_object_object_add(hooks, h->name, o);
	}
	return hooks;
}

static void status_json(struct visit *v, const struct cgroup *cg, const struct cg_state *st,
			const struct instance *inst, const uint64_t *sums)
{
	json_object *o = json_object_new_object(), *sub;
	char *pin = pin_name(cg->rel), *from;

	add_str(o, "cgroup", cg->rel);
	add_str(o, "pin", pin);
	free(pin);
	add_u64(o, "cgroup_id", cg->id);
	add_str(o, "policy", st->policy[0] ? st->policy : NULL);
	add_bool(o, "own", own_policy(cg, st));
	if (st->policy[0]) {
		from = own_policy(cg, st) ? xstrdup(cg->rel) : cgroup_path_of(st->cgroup_id);
		add_str(o, "from", from);
		free(from);
		add_u64(o, "link", st->link);
		add_u64(o, "map", st->map);
		add_u64(o, "attached_ms", st->attached_ms);
	}
	if (own_policy(cg, st)) {
		json_object_object_add(o, "hooks", hooks_json(st));
		sub = json_object_new_object();
		for (int i = 0; inst && inst->data && i < inst->meta.nr_tunables; i++) {
			const struct tunable *t = &inst->meta.tunable[i];
			uint64_t value = tunable_get(t, inst->data);

			if (!t->unsupported)
				json_object_object_add(sub, t->name, t->is_signed ?
						       json_object_new_int64(value) :
						       json_object_new_uint64(value));
		}
		json_object_object_add(o, "tunables", sub);
		sub = json_object_new_object();
		for (int i = 0; inst && i < inst->meta.nr_counters; i++)
			add_u64(sub, inst->meta.counter[i].name, sums[i]);
		json_object_object_add(o, "counters", sub);
	}
	if (st->exited) {
		sub = json_object_new_object();
		add_str(sub, "policy", st->exit_policy);
		add_str(sub, "kind", st->exit_kind);
		json_object_object_add(sub, "code", json_object_new_int64(st->exit_code));
		add_str(sub, "msg", st->exit_msg);
		json_object_object_add(o, "last_exit", sub);
	}
	json_object_array_add(v->cgroups, o);
}

static void status_text(const struct cgroup *cg, const struct cg_state *st, int indent,
			const struct instance *inst, const uint64_t *sums)
{
	const char *name = show(opt.tree && indent ? strrchr(cg->rel, '/') + 1 : cg->rel);
	char *from;

	printf("%*s%s  ", 2 * indent, "", name);
	if (!st->policy[0]) {
		puts("-");
	} else if (own_policy(cg, st)) {
		printf("\"%s\" attached %s ago, link %u\n", st->policy, age_text(st->attached_ms),
		       st->link);
	} else {
		from = cgroup_path_of(st->cgroup_id);
		printf("\"%s\" from %s\n", st->policy, from ? show(from) : "above");
		free(from);
	}
	indent = 2 * indent + 4;
	for (int i = 0; own_policy(cg, st) && i < st->nr_hooks; i++) {
		const struct hook_stats *h = &st->hook[i];

		if (h->calls || h->bypassed)
			printf("%*s%s: %" PRIu64 " calls, %" PRIu64 " changed, %" PRIu64
			       " clamped, %" PRIu64 " bypassed\n", indent, "", h->name, h->calls,
			       h->changed, h->clamped, h->bypassed);
	}
	if (own_policy(cg, st) && inst && inst->data && inst->meta.nr_tunables) {
		printf("%*stunables:", indent, "");
		for (int i = 0; i < inst->meta.nr_tunables; i++) {
			const struct tunable *t = &inst->meta.tunable[i];

			printf(" %s=%s", t->name, tunable_text(t, tunable_get(t, inst->data)));
		}
		putchar('\n');
	}
	if (own_policy(cg, st) && inst && inst->meta.nr_counters) {
		printf("%*scounters:", indent, "");
		for (int i = 0; i < inst->meta.nr_counters; i++)
			printf(" %s=%" PRIu64, inst->meta.counter[i].name, sums[i]);
		putchar('\n');
	}
	if (st->exited)
		printf("%*slast exit: \"%s\": %s, code %lld%s%s\n", indent, "", st->exit_policy,
		       st->exit_kind, st->exit_code, *st->exit_msg ? ": " : "",
		       show(st->exit_msg));
}

static uint64_t *counters_of(const struct instance *inst)
{
	uint64_t *sums;

	if (!inst || !inst->meta.nr_counters)
		return NULL;
	sums = xalloc(inst->meta.nr_counters * sizeof(*sums));
	instance_counters(inst, sums);
	return sums;
}

static int status_one(const struct cgroup *cg, int depth, void *arg)
{
	struct visit *v = arg;
	struct instance *inst = NULL;
	struct cg_state st;
	uint64_t *sums;

	/* below the root some have no memory controller */
	if (cgroup_state_at(cg->fd, &st))
		return 0;
	if (!own_policy(cg, &st) && !st.exited && !opt.tree && !(v->always && !depth))
		return 0;
	if (own_policy(cg, &st))
		inst = cache_get(&v->cache, st.map);
	sums = counters_of(inst);
	if (opt.json)
		status_json(v, cg, &st, inst, sums);
	else
		status_text(cg, &st, opt.tree ? depth : 0, inst, sums);
	free(sums);
	v->shown++;
	return 0;
}

int cmd_status(int argc __attribute__((unused)), char **argv __attribute__((unused)))
{
	struct visit v = { .always = opt.cgroup };
	struct cg_state st;
	struct cgroup cg;
	int ret = cgroup_open(opt.cgroup ?: "/", &cg);

	if (ret)
		return ret;
	ret = cgroup_state(&cg, &st);
	if (!ret) {
		v.cgroups = json_object_new_array();
		if (opt.cgroup && !opt.tree)
			status_one(&cg, 0, &v);
		else
			cgroup_walk(&cg, status_one, &v);
		if (opt.json) {
			json_object *o = answer();

			json_object_object_add(o, "cgroups", v.cgroups);
			print_json(o, true);
		} else {
			json_object_put(v.cgroups);
			if (!v.shown && !opt.quiet)
				puts("no policy is attached");
		}
	}
	cache_free(&v.cache);
	cgroup_close(&cg);
	return ret;
}

/* --- export --- */

enum { F_ATTACHED, F_CALLS, F_CHANGED, F_CLAMPED, F_BYPASSED, F_COUNTER, F_TUNABLE, F_EXIT };

static const struct {
	const char *name, *type, *help;
} families[] = {
	[F_ATTACHED] = { "reclaim_ext_attached_seconds", "gauge",
			 "Time since the policy was attached to the cgroup or last replaced." },
	[F_CALLS] = { "reclaim_ext_calls", "counter", "Decisions asked of the policy." },
	[F_CHANGED] = { "reclaim_ext_changed", "counter", "Decisions other than the kernel's own." },
	[F_CLAMPED] = { "reclaim_ext_clamped", "counter", "Decisions that were not legal." },
	[F_BYPASSED] = { "reclaim_ext_bypassed", "counter", "Decisions that were not asked for or not heeded." },
	[F_COUNTER] = { "reclaim_ext_policy_counter", "counter", "The policy's own counters, of all cgroups that share it." },
	[F_TUNABLE] = { "reclaim_ext_tunable", "gauge", "Tunables of the policy." },
	[F_EXIT] = { "reclaim_ext_last_exit", "info", "Why the last policy left the cgroup." },
};

/* A label's value: quotes, backslashes and ends of lines are escaped, the rest is UTF-8. */
static const char *label(const char *s)
{
	static char *ring[4];
	static unsigned int next;
	char **slot = &ring[next++ % 4], *to;
	json_object *o = js(s);

	s = json_object_get_string(o);
	free(*slot);
	*slot = to = xalloc(2 * strlen(s) + 1);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\' || *s == '\n')
			*to++ = '\\';
		*to++ = *s == '\n' ? 'n' : *s;
	}
	json_object_put(o);
	return *slot;
}

static int export_one(const struct cgroup *cg, int depth __attribute__((unused)), void *arg)
{
	struct visit *v = arg;
	struct instance *inst;
	struct cg_state st;
	char *where;
	uint64_t *sums;

	if (cgroup_state_at(cg->fd, &st))
		return 0;
	where = xstrdup(label(cg->rel));
	if (st.exited)
		fprintf(v->family[F_EXIT].f,
			"reclaim_ext_last_exit_info{cgroup=\"%s\",policy=\"%s\",kind=\"%s\",code=\"%lld\"} 1\n",
			where, label(st.exit_policy), label(st.exit_kind), st.exit_code);
	if (!own_policy(cg, &st))
		goto out;
	fprintf(v->family[F_ATTACHED].f,
		"reclaim_ext_attached_seconds{cgroup=\"%s\",policy=\"%s\"} %" PRIu64 ".%03u\n",
		where, label(st.policy), st.attached_ms / 1000, (unsigned int)(st.attached_ms % 1000));
	for (int i = 0; i < st.nr_hooks; i++) {
		const struct hook_stats *h = &st.hook[i];
		const uint64_t n[] = { h->calls, h->changed, h->clamped, h->bypassed };

		for (int k = 0; k < 4; k++)
			fprintf(v->family[F_CALLS + k].f,
				"%s_total{cgroup=\"%s\",hook=\"%s\"} %" PRIu64 "\n",
				families[F_CALLS + k].name, where, h->name, n[k]);
	}
	inst = cache_get(&v->cache, st.map);
	sums = counters_of(inst);
	for (int i = 0; sums && i < inst->meta.nr_counters; i++)
		fprintf(v->family[F_COUNTER].f,
			"reclaim_ext_policy_counter_total{cgroup=\"%s\",policy=\"%s\",counter=\"%s\"} %" PRIu64 "\n",
			where, label(st.policy), inst->meta.counter[i].name, sums[i]);
	free(sums);
	for (int i = 0; inst && inst->data && i < inst->meta.nr_tunables; i++)
		if (!inst->meta.tunable[i].unsupported)
			fprintf(v->family[F_TUNABLE].f,
				"reclaim_ext_tunable{cgroup=\"%s\",policy=\"%s\",tunable=\"%s\"} %s\n",
				where, label(st.policy), inst->meta.tunable[i].name,
				tunable_text(&inst->meta.tunable[i],
					     tunable_get(&inst->meta.tunable[i], inst->data)));
out:
	free(where);
	return 0;
}

static void export_families(struct visit *v, FILE *out)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		fclose(v->family[i].f);
		if (v->family[i].size)
			fprintf(out, "# TYPE %s %s\n# HELP %s %s\n%s", families[i].name,
				families[i].type, families[i].name, families[i].help,
				v->family[i].text);
		free(v->family[i].text);
	}
	fputs("# EOF\n", out);
}

int cmd_export(int argc __attribute__((unused)), char **argv __attribute__((unused)))
{
	struct visit v = {};
	struct cg_state st;
	struct cgroup cg;
	char *tmp = NULL;
	FILE *out = stdout;
	int ret = cgroup_open(opt.cgroup ?: "/", &cg);

	if (ret)
		return ret;
	ret = cgroup_state(&cg, &st);
	if (ret)
		goto out;
	if (opt.output) {
		tmp = xprintf("%s.%d.tmp", opt.output, getpid());
		out = fopen(tmp, "wxe");
		if (!out) {
			ret = err(ST_FAILED, "cannot write %s: %s", show(tmp), strerror(errno));
			goto out;
		}
	}
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		v.family[i].f = open_memstream(&v.family[i].text, &v.family[i].size);
		if (!v.family[i].f)
			exit(err(ST_FAILED, "out of memory"));
	}
	cgroup_walk(&cg, export_one, &v);
	export_families(&v, out);
	if (tmp) {
		bool failed = ferror(out);

		failed |= fclose(out);
		if (interrupted)
			ret = err(ST_INTERRUPTED, "interrupted, %s is as before", show(opt.output));
		else if (failed || rename(tmp, opt.output))
			ret = err(ST_FAILED, "cannot write %s: %s", show(opt.output),
				  strerror(errno));
		if (ret)
			unlink(tmp);
	}
out:
	free(tmp);
	cache_free(&v.cache);
	cgroup_close(&cg);
	return ret;
}
