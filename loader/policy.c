// SPDX-License-Identifier: GPL-2.0
/* Policies in objects: finding them, and what their type information says. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reclaimctl.h"

#define OPS_TYPE	"reclaim_ext_ops"
#define MAX_OBJECT	(64 << 20)

#ifndef POLICY_DIR
#define POLICY_DIR	"/usr/lib/reclaim_ext/policies"
#endif

/* --- tunables and counters, from the BTF of an object or of a loaded instance --- */

static const struct btf_type *skip_mods(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* The text of the tag @key of the type, or of its member if @index is not -1. */
static const char *tag_of(const struct btf *btf, uint32_t id, int index, const char *key)
{
	uint32_t i, n = btf__type_cnt(btf);
	size_t len = strlen(key);
	const struct btf_type *t;
	const char *text;

	for (i = 1; i < n; i++) {
		t = btf__type_by_id(btf, i);
		if (!btf_is_decl_tag(t) || t->type != id ||
		    btf_decl_tag(t)->component_idx != index)
			continue;
		text = btf__name_by_offset(btf, t->name_off);
		if (!strncmp(text, key, len) && text[len] == ':')
			return text + len + 1;
	}
	return NULL;
}

static char *tag_dup(const struct btf *btf, uint32_t id, int index, const char *key)
{
	const char *text = tag_of(btf, id, index, key);

	return text ? xstrdup(text) : NULL;
}

static uint64_t type_max(const struct tunable *t)
{
	if (t->is_bool)
		return 1;
	return t->is_signed ? UINT64_MAX >> (65 - 8 * t->size) : UINT64_MAX >> (64 - 8 * t->size);
}

static void read_tunable(const struct btf *btf, const struct btf_var_secinfo *v, struct meta *m)
{
	const struct btf_type *var = btf__type_by_id(btf, v->type), *type;
	struct tunable *t = APPEND(m->tunable, m->nr_tunables);
	const char *range;

	t->name = xstrdup(btf__name_by_offset(btf, var->name_off));
	t->offset = v->offset;
	t->size = v->size;
	t->unit = tag_dup(btf, v->type, -1, "unit");
	t->doc = tag_dup(btf, v->type, -1, "doc");
	type = skip_mods(btf, var->type);
	t->type = xstrdup(type ? btf__name_by_offset(btf, type->name_off) : "?");
	if (type && btf_is_int(type)) {
		t->is_signed = btf_int_encoding(type) & BTF_INT_SIGNED;
		t->is_bool = btf_int_encoding(type) & BTF_INT_BOOL;
	} else if (type && btf_is_any_enum(type)) {
		t->is_signed = btf_kflag(type);
	} else {
		t->unsupported = true;
	}
	if (t->size != 1 && t->size != 2 && t->size != 4 && t->size != 8)
		t->unsupported = true;
	if (t->unsupported)
		return;
	/* what C calls it is of no use to people */
	free(t->type);
	t->type = t->is_bool ? xstrdup("bool") :
		  xprintf("%c%u", t->is_signed ? 's' : 'u', 8 * t->size);
	t->max = type_max(t);
	t->min = t->is_signed ? -(int64_t)t->max - 1 : 0;
	range = tag_of(btf, v->type, -1, "range");
	if (range) {
		char *end;
		int64_t min = strtoll(range, &end, 0);
		uint64_t max;

		if (end != range && *end == ':') {
			range = end + 1;
			max = *range == '-' ? (uint64_t)strtoll(range, &end, 0) :
					      strtoull(range, &end, 0);
			if (end != range && !strspn(end, "0123456789")) {
				t->has_range = true;
				t->min = min;
				t->max = max;
			}
		}
	}
}

static void read_counters(const struct btf *btf, uint32_t struct_id, struct meta *m)
{
	const struct btf_type *t = btf__type_by_id(btf, struct_id), *type;
	const struct btf_member *member;
	struct counter *c;

	while (t && (btf_is_mod(t) || btf_is_typedef(t))) {
		struct_id = t->type;
		t = btf__type_by_id(btf, struct_id);
	}
	if (!t || !btf_is_struct(t))
		return;
	m->counters_size = t->size;
	member = btf_members(t);
	for (unsigned int i = 0; i < btf_vlen(t); i++, member++) {
		type = skip_mods(btf, member->type);
		if (!type || !btf_is_int(type) || type->size != 8 || member->offset % 64)
			continue;
		c = APPEND(m->counter, m->nr_counters);
		c->name = xstrdup(btf__name_by_offset(btf, member->name_off));
		c->offset = member->offset / 8;
		c->doc = tag_dup(btf, struct_id, i, "doc");
	}
}

/* What the type of map `counters` says is `value`. */
static void read_counters_map(const struct btf *btf, const struct btf_type *var, struct meta *m)
{
	const struct btf_type *def = skip_mods(btf, var->type), *ptr;
	const struct btf_member *member;

	if (!def || !btf_is_struct(def))
		return;
	member = btf_members(def);
	for (unsigned int i = 0; i < btf_vlen(def); i++, member++) {
		if (strcmp(btf__name_by_offset(btf, member->name_off), "value"))
			continue;
		ptr = skip_mods(btf, member->type);
		if (ptr && btf_is_ptr(ptr))
			read_counters(btf, ptr->type, m);
	}
}

int meta_read(const struct btf *btf, struct meta *m)
{
	uint32_t id, n = btf ? btf__type_cnt(btf) : 0;

	memset(m, 0, sizeof(*m));
	for (id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const struct btf_var_secinfo *v;
		const char *name;

		if (!btf_is_datasec(t))
			continue;
		name = btf__name_by_offset(btf, t->name_off);
		v = btf_var_secinfos(t);
		for (unsigned int i = 0; i < btf_vlen(t); i++, v++) {
			const struct btf_type *var = btf__type_by_id(btf, v->type);

			if (!var || !btf_is_var(var))
				continue;
			if (!strcmp(name, ".data"))
				read_tunable(btf, v, m);
			else if (!strcmp(name, ".maps") &&
				 !strcmp(btf__name_by_offset(btf, var->name_off), "counters"))
				read_counters_map(btf, var, m);
		}
	}
	return 0;
}

void meta_free(struct meta *m)
{
	for (int i = 0; i < m->nr_tunables; i++) {
		free(m->tunable[i].name);
		free(m->tunable[i].type);
		free(m->tunable[i].unit);
		free(m->tunable[i].doc);
	}
	for (int i = 0; i < m->nr_counters; i++) {
		free(m->counter[i].name);
		free(m->counter[i].doc);
	}
	free(m->tunable);
	free(m->counter);
	memset(m, 0, sizeof(*m));
}

const struct tunable *tunable_by_name(const struct meta *m, const char *name)
{
	for (int i = 0; i < m->nr_tunables; i++)
		if (!strcmp(m->tunable[i].name, name))
			return &m->tunable[i];
	return NULL;
}

uint64_t tunable_get(const struct tunable *t, const void *data)
{
	uint64_t v = 0;
	int unused = 64 - 8 * t->size;

	if (t->unsupported)
		return 0;
	memcpy(&v, (const char *)data + t->offset, t->size);
	return t->is_signed ? (uint64_t)((int64_t)(v << unused) >> unused) : v;
}

void tunable_put(const struct tunable *t, void *data, uint64_t value)
{
	memcpy((char *)data + t->offset, &value, t->size);
}

const char *tunable_text(const struct tunable *t, uint64_t value)
{
	static char ring[4][32];
	static unsigned int next;
	char *s = ring[next++ % 4];

	if (t->unsupported)
		return "?";
	if (t->is_signed)
		snprintf(s, sizeof(ring[0]), "%" PRId64, (int64_t)value);
	else
		snprintf(s, sizeof(ring[0]), "%" PRIu64, value);
	return s;
}

const char *tunable_range(const struct tunable *t)
{
	static char ring[4][64];
	static unsigned int next;
	char *s = ring[next++ % 4];

	if (t->unsupported)
		return "?";
	snprintf(s, sizeof(ring[0]), "%" PRId64 " to %s", t->min, tunable_text(t, t->max));
	return s;
}

json_object *tunable_json(const struct tunable *t, const void *data)
{
	json_object *o = json_object_new_object();

	add_str(o, "name", t->name);
	add_str(o, "type", t->type);
	add_str(o, "unit", t->unit);
	if (!t->unsupported) {
		json_object_object_add(o, "min", json_object_new_int64(t->min));
		json_object_object_add(o, "max", t->is_signed ?
				       json_object_new_int64(t->max) : json_object_new_uint64(t->max));
		if (t->has_def)
			json_object_object_add(o, "default", t->is_signed ?
					       json_object_new_int64(t->def) :
					       json_object_new_uint64(t->def));
		if (data)
			json_object_object_add(o, "value", t->is_signed ?
					       json_object_new_int64(tunable_get(t, data)) :
					       json_object_new_uint64(tunable_get(t, data)));
	}
	add_str(o, "doc", t->doc);
	return o;
}

static const char *tunable_names(const struct meta *m)
{
	static char *list;
	char *longer;

	free(list);
	list = xstrdup("");
	for (int i = 0; i < m->nr_tunables; i++) {
		longer = xprintf("%s%s%s", list, i ? ", " : "", m->tunable[i].name);
		free(list);
		list = longer;
	}
	return m->nr_tunables ? list : "none";
}

/* NAME=VALUE, VALUE a number of any base that C knows, or true, false, on, off, yes, no. */
int tunable_parse(const struct meta *m, const char *what, const char *assignment,
		  const struct tunable **tp, uint64_t *value)
{
	const char *eq = strchr(assignment, '='), *text;
	const struct tunable *t;
	char *name, *end;
	bool in_range;

	if (!eq || eq == assignment)
		return err(ST_USAGE, "'%s' is not NAME=VALUE", show(assignment));
	name = xprintf("%.*s", (int)(eq - assignment), assignment);
	text = eq + 1;
	t = tunable_by_name(m, name);
	if (!t) {
		int ret = err(ST_USAGE, "policy %s has no tunable '%s': it has %s", what,
			      show(name), tunable_names(m));

		free(name);
		return ret;
	}
	free(name);
	if (t->unsupported)
		return err(ST_USAGE, "tunable %s of policy %s is of type %s, which can't be set",
			   t->name, what, t->type);
	errno = 0;
	if (!strcmp(text, "true") || !strcmp(text, "on") || !strcmp(text, "yes")) {
		*value = 1;
	} else if (!strcmp(text, "false") || !strcmp(text, "off") || !strcmp(text, "no")) {
		*value = 0;
	} else {
		bool minus = text[0] == '-';

		*value = minus ? (uint64_t)strtoll(text, &end, 0) : strtoull(text, &end, 0);
		if (end == text || *end || text[0] == ' ' || text[0] == '+')
			return err(ST_USAGE, "tunable %s of policy %s: '%s' is not a number: %s is %s",
				   t->name, what, show(text), t->type, tunable_range(t));
		if (minus && !t->is_signed)
			errno = ERANGE;
		if (!minus && t->is_signed && *value > INT64_MAX)
			errno = ERANGE;
	}
	if (t->is_signed)
		in_range = (int64_t)*value >= t->min && (int64_t)*value <= (int64_t)t->max;
	else
		in_range = (t->min < 0 || *value >= (uint64_t)t->min) && *value <= t->max;
	if (errno == ERANGE || !in_range)
		return err(ST_USAGE, "tunable %s of policy %s: %s is out of range: %s%s%s", t->name,
			   what, show(text), tunable_range(t), t->unit ? " " : "", t->unit ?: "");
	*tp = t;
	return 0;
}

int tunables_apply(const struct meta *m, const char *what, const struct strings *set, void *data)
{
	const struct tunable *t;
	uint64_t value;
	int ret;

	for (int i = 0; i < set->nr; i++) {
		ret = tunable_parse(m, what, set->str[i], &t, &value);
		if (ret)
			return ret;
		if (!data)
			return err(ST_FAILED, "policy %s: its tunables are not there", what);
		tunable_put(t, data, value);
	}
	return 0;
}

/* --- objects --- */

/* Where the members are in the value of the struct_ops map, from the object's own types. */
static void read_ops(struct policy *p, const struct btf *btf, const struct btf_type *t)
{
	const char *value = bpf_map__initial_value(p->ops, &(size_t){0});
	const struct btf_member *member = btf_members(t);
	const struct btf_type *type;
	const char *name;

	for (unsigned int i = 0; value && i < btf_vlen(t); i++, member++) {
		const char *at = value + member->offset / 8;

		name = btf__name_by_offset(btf, member->name_off);
		type = skip_mods(btf, member->type);
		if (type && btf_is_ptr(type)) {
			/* libbpf keeps the program here until the object is loaded */
			if (*(void *const *)at && p->nr_hooks < MAX_HOOKS)
				p->hook[p->nr_hooks++] = name;
		} else if (!strcmp(name, "name")) {
			snprintf(p->name, sizeof(p->name), "%.*s", NAME_LEN - 1, at);
		} else if (!strcmp(name, "cookie_format")) {
			memcpy(&p->cookie_format, at, sizeof(p->cookie_format));
		}
	}
}

static void read_kfuncs(struct policy *p, const struct btf *btf)
{
	uint32_t id, n = btf__type_cnt(btf);

	for (id = 1; id < n; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);
		const char *name;

		/* libbpf has made them global functions by now, but they have no program */
		if (!btf_is_func(t) || btf_vlen(t) == BTF_FUNC_STATIC)
			continue;
		name = btf__name_by_offset(btf, t->name_off);
		if (strncmp(name, "bpf_", 4) || bpf_object__find_program_by_name(p->obj, name))
			continue;
		*APPEND(p->kfuncs.str, p->kfuncs.nr) = name;
	}
}

static int read_object(struct policy *p)
{
	const struct btf *btf = bpf_object__btf(p->obj);
	const struct btf_type *t;
	struct bpf_map *map;
	const char *other = NULL;
	int nr = 0, id;

	bpf_object__for_each_map(map, p->obj) {
		const char *name = bpf_map__name(map);
		size_t len = strlen(name);

		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS) {
			p->ops = map;
			nr++;
		} else if (len >= 5 && !strcmp(name + len - 5, ".data")) {
			p->data = map;
		} else if (len >= 7 && !strcmp(name + len - 7, ".rodata")) {
			p->rodata = map;
		}
	}
	if (!nr || !btf)
		return err(ST_FAILED, "%s holds no policy: it has no struct_ops; see reclaim_ext.bpf.h",
			   show(p->origin));
	if (nr > 1)
		return err(ST_FAILED, "%s holds %d struct_ops: one policy per object",
			   show(p->origin), nr);
	id = btf__find_by_name_kind(btf, bpf_map__name(p->ops), BTF_KIND_VAR);
	t = id > 0 ? skip_mods(btf, btf__type_by_id(btf, id)->type) : NULL;
	if (t)
		other = btf__name_by_offset(btf, t->name_off);
	/* what follows three underscores is for the compiler only */
	if (!other || strncmp(other, OPS_TYPE, strlen(OPS_TYPE)) ||
	    (other[strlen(OPS_TYPE)] && strncmp(other + strlen(OPS_TYPE), "___", 3)))
		return err(ST_FAILED, "%s holds a struct %s, not a struct " OPS_TYPE,
			   show(p->origin), other ?: "without a name");
	if (!(bpf_map__map_flags(p->ops) & BPF_F_LINK))
		return err(ST_FAILED, "%s: its struct " OPS_TYPE " must be in section .struct_ops.link",
			   show(p->origin));
	read_ops(p, btf, t);
	if (!p->name[0])
		return err(ST_FAILED, "%s: its struct " OPS_TYPE " has no name", show(p->origin));
	p->version = tag_dup(btf, id, -1, "version");
	p->idea = tag_dup(btf, id, -1, "idea");
	p->source = tag_dup(btf, id, -1, "source");
	p->use = tag_dup(btf, id, -1, "use");
	p->kernel = tag_dup(btf, id, -1, "kernel");
	read_kfuncs(p, btf);
	meta_read(btf, &p->meta);
	if (p->data) {
		size_t size;
		const char *init = bpf_map__initial_value(p->data, &size);

		for (int i = 0; init && i < p->meta.nr_tunables; i++) {
			struct tunable *tn = &p->meta.tunable[i];

			if (tn->unsupported || tn->offset + tn->size > size)
				continue;
			tn->def = tunable_get(tn, init);
			tn->has_def = true;
		}
	}
	return 0;
}

static int open_embedded(const struct embedded *e, struct policy *p)
{
	int ret = policy_open_bytes(e->begin, e->end - e->begin, e->name, p);

	if (!ret) {
		free(p->origin);
		p->origin = xstrdup("embedded");
	}
	return ret;
}

int policy_open_bytes(const void *bytes, size_t size, const char *origin, struct policy *p)
{
	/* the first letters of the names of its maps, for bpftool */
	const char *slash = strrchr(origin, '/');
	char *base = xprintf("%.*s", (int)strcspn(slash ? slash + 1 : origin, "."),
			     slash ? slash + 1 : origin);
	LIBBPF_OPTS(bpf_object_open_opts, opts, .object_name = base);
	int ret;

	memset(p, 0, sizeof(*p));
	p->origin = xstrdup(origin);
	p->bytes = (void *)bytes;
	p->borrowed = true;
	p->size = size;
	p->obj = bpf_object__open_mem(bytes, size, &opts);
	free(base);
	if (!p->obj) {
		ret = err(ST_FAILED, "%s is not a BPF object: %s%s", show(origin), strerror(errno),
			  opt.verbose ? "" : " (-v shows why)");
		policy_close(p);
		return ret;
	}
	ret = read_object(p);
	if (ret)
		policy_close(p);
	return ret;
}

static int open_file(const char *path, struct policy *p)
{
	struct stat st;
	void *bytes;
	ssize_t n;
	int fd, ret;
	off_t len = 0;

	memset(p, 0, sizeof(*p));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		ret = err(ST_FAILED, "cannot open policy %s: %s", show(path), strerror(errno));
		if (fd >= 0)
			close(fd);
		return ret;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > MAX_OBJECT) {
		close(fd);
		return err(ST_FAILED, "policy %s is not a file of at most 64 MB", show(path));
	}
	bytes = xalloc(st.st_size);
	while (len < st.st_size && (n = read(fd, (char *)bytes + len, st.st_size - len)) > 0)
		len += n;
	close(fd);
	ret = policy_open_bytes(bytes, len, path, p);
	if (ret)
		free(bytes);
	else
		p->borrowed = false;
	return ret;
}

void policy_close(struct policy *p)
{
	bpf_object__close(p->obj);
	meta_free(&p->meta);
	if (!p->borrowed)
		free(p->bytes);
	free(p->origin);
	free(p->version);
	free(p->idea);
	free(p->source);
	free(p->use);
	free(p->kernel);
	free(p->kfuncs.str);
	memset(p, 0, sizeof(*p));
}

bool is_file_arg(const char *arg)
{
	size_t len = strlen(arg);

	return strchr(arg, '/') || (len > 2 && !strcmp(arg + len - 2, ".o"));
}

static const struct embedded *embedded_by_name(const char *name)
{
	const struct embedded *e;

	for (e = embedded_policies; e->name; e++)
		if (!strcmp(e->name, name))
			return e;
	return NULL;
}

static int is_object(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return len > 6 && !strcmp(d->d_name + len - 6, ".bpf.o");
}

int policies_each(int (*fn)(struct policy *p, void *arg), void *arg)
{
	const struct embedded *e;
	struct dirent **names = NULL;
	struct policy p;
	int i, n, ret = 0;
	char *path;

	for (e = embedded_policies; e->name && !ret; e++) {
		ret = open_embedded(e, &p);
		if (!ret) {
			ret = fn(&p, arg);
			policy_close(&p);
		}
	}
	n = scandir(POLICY_DIR, &names, is_object, alphasort);
	for (i = 0; i < n; i++) {
		char *name = xprintf("%.*s", (int)strlen(names[i]->d_name) - 6, names[i]->d_name);

		if (!ret && !embedded_by_name(name)) {
			path = xprintf("%s/%s", POLICY_DIR, names[i]->d_name);
			/* what isn't a policy there is not worth ending a list */
			if (!open_file(path, &p)) {
				ret = fn(&p, arg);
				policy_close(&p);
			}
			free(path);
		}
		free(name);
		free(names[i]);
	}
	free(names);
	return ret;
}

static int add_name(struct policy *p, void *arg)
{
	char **list = arg, *longer = xprintf("%s%s%s", *list, **list ? ", " : "", p->name);

	free(*list);
	*list = longer;
	return 0;
}

const char *policy_names(void)
{
	static char *list;

	free(list);
	list = xstrdup("");
	policies_each(add_name, &list);
	return list;
}

/* The same programs and defaults? Debug information may differ. */
static bool same_code(const struct policy *p, const struct embedded *e)
{
	struct bpf_program *a = NULL, *b = NULL;
	size_t size_a = 0, size_b = 0;
	const void *data_a, *data_b;
	struct policy q;
	bool same = true;

	if (open_embedded(e, &q))
		return false;
	do {
		a = bpf_object__next_program(p->obj, a);
		b = bpf_object__next_program(q.obj, b);
		same = !a == !b;
		if (!a || !b)
			break;
		same = bpf_program__insn_cnt(a) == bpf_program__insn_cnt(b) &&
		       !memcmp(bpf_program__insns(a), bpf_program__insns(b),
			       bpf_program__insn_cnt(a) * sizeof(struct bpf_insn));
	} while (same);
	data_a = p->data ? bpf_map__initial_value(p->data, &size_a) : NULL;
	data_b = q.data ? bpf_map__initial_value(q.data, &size_b) : NULL;
	if (size_a != size_b || (size_a && memcmp(data_a, data_b, size_a)))
		same = false;
	policy_close(&q);
	return same;
}

int policy_open(const char *arg, struct policy *p)
{
	const struct embedded *e;
	char *path;
	int ret;

	if (is_file_arg(arg)) {
		ret = open_file(arg, p);
		if (ret)
			return ret;
		e = embedded_by_name(p->name);
		if (e && !same_code(p, e))
			note("policy \"%s\" is the one of %s, not the one that is built in", p->name,
			     show(arg));
		return 0;
	}
	e = embedded_by_name(arg);
	if (e)
		return open_embedded(e, p);
	path = xprintf("%s/%s.bpf.o", POLICY_DIR, arg);
	ret = access(path, F_OK) ? -1 : open_file(path, p);
	free(path);
	if (ret < 0)
		return err(ST_USAGE, "no policy '%s': there are %s; an object is named by its path, ./%s.bpf.o",
			   show(arg), policy_names(), show(arg));
	return ret;
}
