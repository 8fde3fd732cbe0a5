// SPDX-License-Identifier: GPL-2.0
/* list and inspect: what there is, and what it says about itself. */
#include <stdlib.h>
#include <string.h>

#include "reclaimctl.h"

static json_object *strings_json(const char *const *s, int nr)
{
	json_object *a = json_object_new_array();

	for (int i = 0; i < nr; i++)
		json_object_array_add(a, js(s[i]));
	return a;
}

static json_object *policy_json(const struct policy *p)
{
	json_object *o = json_object_new_object(), *a;

	add_str(o, "name", p->name);
	add_str(o, "origin", p->origin);
	add_str(o, "version", p->version);
	add_str(o, "idea", p->idea);
	add_str(o, "source", p->source);
	add_str(o, "use", p->use);
	add_str(o, "kernel", p->kernel);
	add_u64(o, "cookie_format", p->cookie_format);
	json_object_object_add(o, "hooks", strings_json(p->hook, p->nr_hooks));
	json_object_object_add(o, "kfuncs", strings_json(p->kfuncs.str, p->kfuncs.nr));
	a = json_object_new_array();
	for (int i = 0; i < p->meta.nr_tunables; i++)
		json_object_array_add(a, tunable_json(&p->meta.tunable[i], NULL));
	json_object_object_add(o, "tunables", a);
	a = json_object_new_array();
	for (int i = 0; i < p->meta.nr_counters; i++) {
		json_object *c = json_object_new_object();

		add_str(c, "name", p->meta.counter[i].name);
		add_str(c, "doc", p->meta.counter[i].doc);
		json_object_array_add(a, c);
	}
	json_object_object_add(o, "counters", a);
	return o;
}

static int list_one(struct policy *p, void *arg)
{
	if (arg)
		json_object_array_add(arg, policy_json(p));
	else
		printf("%-18s %-8s %s\n", p->name, p->version ? show(p->version) : "-",
		       p->idea ? show(p->idea) : "-");
	return 0;
}

int cmd_list(int argc __attribute__((unused)), char **argv __attribute__((unused)))
{
	json_object *o, *a;
	int ret;

	if (!opt.json) {
		if (!opt.quiet)
			printf("%-18s %-8s %s\n", "POLICY", "VERSION", "IDEA");
		return policies_each(list_one, NULL);
	}
	o = answer();
	a = json_object_new_array();
	ret = policies_each(list_one, a);
	json_object_object_add(o, "policies", a);
	if (ret)
		json_object_put(o);
	else
		print_json(o, true);
	return ret;
}

static void line(const char *key, const char *value)
{
	printf("%-14s %s\n", key, value ? show(value) : "-");
}

static void joined(const char *key, const char *const *s, int nr)
{
	printf("%-14s", key);
	for (int i = 0; i < nr; i++)
		printf(" %s", show(s[i]));
	puts(nr ? "" : " -");
}

int cmd_inspect(int argc __attribute__((unused)), char **argv)
{
	struct policy p;
	int ret = policy_open(argv[0], &p);

	if (ret)
		return ret;
	if (opt.json) {
		json_object *o = answer();

		json_object_object_add(o, "policy", policy_json(&p));
		print_json(o, true);
		policy_close(&p);
		return 0;
	}
	line("policy", p.name);
	line("origin", p.origin);
	line("version", p.version);
	line("idea", p.idea);
	line("source", p.source);
	line("use it for", p.use);
	line("kernel", p.kernel);
	joined("hooks", p.hook, p.nr_hooks);
	joined("kfuncs", p.kfuncs.str, p.kfuncs.nr);
	if (p.cookie_format)
		printf("%-14s %u\n", "cookie format", p.cookie_format);
	else
		line("cookie format", NULL);
	puts(p.meta.nr_tunables ? "tunables" : "tunables       -");
	for (int i = 0; i < p.meta.nr_tunables; i++) {
		const struct tunable *t = &p.meta.tunable[i];

		printf("  %-20s %s, %s%s%s, default %s\n", t->name, t->type, tunable_range(t),
		       t->unit ? " " : "", t->unit ? show(t->unit) : "",
		       t->has_def ? tunable_text(t, t->def) : "?");
		if (t->doc)
			printf("  %-20s %s\n", "", show(t->doc));
	}
	puts(p.meta.nr_counters ? "counters" : "counters       -");
	for (int i = 0; i < p.meta.nr_counters; i++)
		printf("  %-20s %s\n", p.meta.counter[i].name,
		       p.meta.counter[i].doc ? show(p.meta.counter[i].doc) : "");
	policy_close(&p);
	return 0;
}
