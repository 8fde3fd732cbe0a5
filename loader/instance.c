// SPDX-License-Identifier: GPL-2.0
/*
 * What is loaded in the kernel.
 *
 * Nothing is kept about it anywhere else. All maps and programs of one loaded
 * object have the same BTF, which no other load has, so from the struct_ops map
 * that memory.reclaim_ext names one comes to the tunables and the counters, of
 * whoever loaded it. Two loads are of the same object if their programs have
 * the same tags, and are interchangeable if their tunables are equal, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reclaimctl.h"

static bool ends_with(const char *s, const char *suffix)
{
	size_t len = strlen(s), n = strlen(suffix);

	return len >= n && !strcmp(s + len - n, suffix);
}

void world_read(struct world *w)
{
	struct bpf_map_info map;
	struct bpf_prog_info prog;
	struct bpf_link_info link;
	struct world_link *l;
	struct world_obj *o;
	uint32_t id;
	__u32 len;
	int fd;

	memset(w, 0, sizeof(*w));
	for (id = 0; !bpf_map_get_next_id(id, &id);) {
		fd = bpf_map_get_fd_by_id(id);
		if (fd < 0)
			continue;
		memset(&map, 0, sizeof(map));
		len = sizeof(map);
		if (!bpf_map_get_info_by_fd(fd, &map, &len)) {
			o = APPEND(w->maps, w->nr_maps);
			o->id = id;
			o->btf_id = map.btf_id;
			o->type = map.type;
			o->size = map.value_size;
			o->flags = map.map_flags;
			memcpy(o->name, map.name, sizeof(o->name));
		}
		close(fd);
	}
	for (id = 0; !bpf_prog_get_next_id(id, &id);) {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			continue;
		memset(&prog, 0, sizeof(prog));
		len = sizeof(prog);
		if (!bpf_prog_get_info_by_fd(fd, &prog, &len) &&
		    prog.type == BPF_PROG_TYPE_STRUCT_OPS) {
			o = APPEND(w->progs, w->nr_progs);
			o->id = id;
			o->btf_id = prog.btf_id;
			memcpy(&o->tag, prog.tag, sizeof(o->tag));
		}
		close(fd);
	}
	for (id = 0; !bpf_link_get_next_id(id, &id);) {
		fd = bpf_link_get_fd_by_id(id);
		if (fd < 0)
			continue;
		memset(&link, 0, sizeof(link));
		len = sizeof(link);
		if (!bpf_link_get_info_by_fd(fd, &link, &len) &&
		    link.type == BPF_LINK_TYPE_STRUCT_OPS) {
			l = APPEND(w->links, w->nr_links);
			l->id = id;
			l->map_id = link.struct_ops.map_id;
			l->cgroup_id = link.struct_ops.cgroup_id;
		}
		close(fd);
	}
}

void world_free(struct world *w)
{
	free(w->maps);
	free(w->progs);
	free(w->links);
	memset(w, 0, sizeof(*w));
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t *tags_of(const struct world *w, uint32_t btf_id, int *nr)
{
	uint64_t *tags = NULL;

	*nr = 0;
	for (int i = 0; i < w->nr_progs; i++)
		if (w->progs[i].btf_id == btf_id)
			*APPEND(tags, *nr) = w->progs[i].tag;
	if (*nr)
		qsort(tags, *nr, sizeof(*tags), by_value);
	return tags;
}

/* Without the descriptors: -1 where a map is missing. */
int instance_open(const struct world *w, uint32_t map_id, struct instance *inst)
{
	memset(inst, 0, sizeof(*inst));
	inst->ops_fd = inst->data_fd = inst->rodata_fd = inst->counters_fd = -1;
	inst->map_id = map_id;
	for (int i = 0; i < w->nr_maps; i++)
		if (w->maps[i].id == map_id)
			inst->btf_id = w->maps[i].btf_id;
	inst->ops_fd = bpf_map_get_fd_by_id(map_id);
	if (inst->ops_fd < 0) {
		if (errno == EPERM)
			return err(ST_FAILED, "no right to look at BPF map %u: run it as root",
				   map_id);
		return err(ST_FAILED, "BPF map %u has gone meanwhile: try again", map_id);
	}
	if (inst->btf_id)
		inst->btf = btf__load_from_kernel_by_id(inst->btf_id);
	for (int i = 0; inst->btf && i < w->nr_maps; i++) {
		const struct world_obj *m = &w->maps[i];

		if (m->btf_id != inst->btf_id)
			continue;
		if (ends_with(m->name, ".data") && inst->data_fd < 0) {
			inst->data_fd = bpf_map_get_fd_by_id(m->id);
			inst->data_size = m->size;
			inst->data_flags = m->flags;
		} else if (ends_with(m->name, ".rodata") && inst->rodata_fd < 0) {
			inst->rodata_fd = bpf_map_get_fd_by_id(m->id);
			inst->rodata_size = m->size;
		} else if (!strcmp(m->name, "counters") && m->type == BPF_MAP_TYPE_PERCPU_ARRAY &&
			   inst->counters_fd < 0) {
			inst->counters_fd = bpf_map_get_fd_by_id(m->id);
		}
	}
	meta_read(inst->btf, &inst->meta);
	/* the BTF may be of anybody's making */
	for (int i = 0; i < inst->meta.nr_tunables; i++)
		if (inst->meta.tunable[i].offset + inst->meta.tunable[i].size > inst->data_size)
			inst->meta.tunable[i].unsupported = true;
	inst->tags = tags_of(w, inst->btf_id, &inst->nr_tags);
	return 0;
}

void instance_close(struct instance *inst)
{
	int fd[] = { inst->ops_fd, inst->data_fd, inst->rodata_fd, inst->counters_fd };

	for (size_t i = 0; i < sizeof(fd) / sizeof(*fd); i++)
		if (fd[i] >= 0)
			close(fd[i]);
	btf__free(inst->btf);
	meta_free(&inst->meta);
	free(inst->data);
	free(inst->tags);
	memset(inst, 0, sizeof(*inst));
	inst->ops_fd = inst->data_fd = inst->rodata_fd = inst->counters_fd = -1;
}

int instance_read_data(struct instance *inst)
{
	uint32_t zero = 0;

	if (inst->data_fd < 0)
		return 0;
	if (!inst->data)
		inst->data = xalloc(inst->data_size);
	if (bpf_map_lookup_elem(inst->data_fd, &zero, inst->data))
		return err(ST_FAILED, "cannot read the tunables of BPF map %u: %s", inst->map_id,
			   strerror(errno));
	return 0;
}

/*
 * Through the mapping each value changes in one store and the others are not
 * touched. Objects whose map can't be mapped get all of it anew.
 */
int instance_write_data(struct instance *inst, const void *data)
{
	long page = sysconf(_SC_PAGESIZE);
	size_t len = (inst->data_size + page - 1) & -page;
	const struct tunable *t;
	uint32_t zero = 0;
	char *at;

	if (inst->data_fd < 0)
		return err(ST_FAILED, "BPF map %u has no tunables", inst->map_id);
	at = inst->data_flags & BPF_F_MMAPABLE ?
	     mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, inst->data_fd, 0) : MAP_FAILED;
	if (at == MAP_FAILED) {
		if (bpf_map_update_elem(inst->data_fd, &zero, data, BPF_ANY))
			return err(ST_FAILED, "cannot write the tunables of BPF map %u: %s",
				   inst->map_id, strerror(errno));
		memcpy(inst->data, data, inst->data_size);
		return 0;
	}
	for (int i = 0; i < inst->meta.nr_tunables; i++) {
		t = &inst->meta.tunable[i];
		if (t->unsupported || tunable_get(t, data) == tunable_get(t, inst->data))
			continue;
		if (t->size == 8 && !(t->offset % 8))
			*(volatile uint64_t *)(at + t->offset) = tunable_get(t, data);
		else if (t->size == 4 && !(t->offset % 4))
			*(volatile uint32_t *)(at + t->offset) = tunable_get(t, data);
		else
			memcpy(at + t->offset, (const char *)data + t->offset, t->size);
	}
	munmap(at, len);
	memcpy(inst->data, data, inst->data_size);
	return 0;
}

int instance_counters(const struct instance *inst, uint64_t *sums)
{
	const struct meta *m = &inst->meta;
	int cpus = libbpf_num_possible_cpus();
	size_t size = (m->counters_size + 7) & ~7u;
	uint32_t zero = 0;
	char *values;

	memset(sums, 0, m->nr_counters * sizeof(*sums));
	if (inst->counters_fd < 0 || !m->nr_counters || cpus < 1)
		return 0;
	values = xalloc(cpus * size);
	if (bpf_map_lookup_elem(inst->counters_fd, &zero, values)) {
		free(values);
		return err(ST_FAILED, "cannot read the counters of BPF map %u: %s", inst->map_id,
			   strerror(errno));
	}
	for (int cpu = 0; cpu < cpus; cpu++)
		for (int i = 0; i < m->nr_counters; i++)
			sums[i] += *(uint64_t *)(values + cpu * size + m->counter[i].offset);
	free(values);
	return 0;
}

int policy_load(struct policy *p, const void *data, int *ops_fd)
{
	size_t size;
	void *init;
	int ret;

	if (data && p->data) {
		init = bpf_map__initial_value(p->data, &size);
		if (init)
			memcpy(init, data, size);
	}
	if (opt.verbose) {
		struct bpf_program *prog;

		bpf_object__for_each_program(prog, p->obj)
			bpf_program__set_log_level(prog, 1);
	}
	ret = bpf_object__load(p->obj);
	if (!ret)
		ret = bpf_map__upload_struct_ops(p->ops);
	if (ret == -EPERM)
		return err(ST_FAILED, "no right to load policy \"%s\": it needs CAP_BPF and CAP_PERFMON, run it as root",
			   p->name);
	if (ret)
		return err(ST_FAILED, "the kernel does not take policy \"%s\" (%s): %s%s", p->name,
			   show(p->origin), strerror(-ret),
			   opt.verbose ? "" : "; -v shows what the verifier says, doctor what this kernel has");
	*ops_fd = bpf_map__fd(p->ops);
	return 0;
}

static bool same_map(int a, int b, uint32_t size_a, uint32_t size_b)
{
	uint32_t zero = 0;
	void *x, *y;
	bool same;

	if (a < 0 || b < 0)
		return a < 0 && b < 0;
	if (size_a != size_b)
		return false;
	x = xalloc(size_a);
	y = xalloc(size_b);
	same = !bpf_map_lookup_elem(a, &zero, x) && !bpf_map_lookup_elem(b, &zero, y) &&
	       !memcmp(x, y, size_a);
	free(x);
	free(y);
	return same;
}

static bool same_instance(const struct instance *a, const struct instance *b)
{
	return a->nr_tags && a->nr_tags == b->nr_tags &&
	       !memcmp(a->tags, b->tags, a->nr_tags * sizeof(*a->tags)) &&
	       same_map(a->data_fd, b->data_fd, a->data_size, b->data_size) &&
	       same_map(a->rodata_fd, b->rodata_fd, a->rodata_size, b->rodata_size);
}

uint32_t instance_like(const struct world *w, int ops_fd, uint32_t not_map)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	struct instance mine, other;
	uint32_t found = 0, last = 0;
	const char *name = NULL;

	if (bpf_map_get_info_by_fd(ops_fd, &info, &len) || instance_open(w, info.id, &mine))
		return 0;
	for (int i = 0; i < w->nr_links && !found; i++) {
		uint32_t id = w->links[i].map_id;

		if (!id || id == info.id || id == not_map || id == last)
			continue;
		last = id;
		for (int m = 0; m < w->nr_maps; m++)
			if (w->maps[m].id == id)
				name = w->maps[m].name;
		if (!name || strcmp(name, info.name))
			continue;
		if (instance_open(w, id, &other))
			continue;
		if (same_instance(&mine, &other))
			found = id;
		instance_close(&other);
	}
	instance_close(&mine);
	return found;
}

bool instance_same_maps(const struct world *w, uint32_t a, uint32_t b)
{
	struct instance x, y;
	bool same = false;

	if (instance_open(w, a, &x))
		return false;
	if (!instance_open(w, b, &y)) {
		same = same_instance(&x, &y);
		instance_close(&y);
	}
	instance_close(&x);
	return same;
}

struct instance *cache_get(struct cache *c, uint32_t map_id)
{
	struct cached *e;
	bool known = false;
	int i;

	if (!map_id)
		return NULL;
	for (i = 0; i < c->nr; i++)
		if (c->entry[i]->inst.map_id == map_id)
			return c->entry[i]->ok ? &c->entry[i]->inst : NULL;
	for (i = 0; i < c->w.nr_maps; i++)
		known |= c->w.maps[i].id == map_id;
	if (!known) {
		world_free(&c->w);
		world_read(&c->w);
	}
	e = *APPEND(c->entry, c->nr) = xalloc(sizeof(*e));
	for (i = 0, known = false; i < c->w.nr_maps; i++)
		known |= c->w.maps[i].id == map_id;
	if (known && !instance_open(&c->w, map_id, &e->inst))
		e->ok = !instance_read_data(&e->inst);
	e->inst.map_id = map_id;
	return e->ok ? &e->inst : NULL;
}

void cache_free(struct cache *c)
{
	for (int i = 0; i < c->nr; i++) {
		if (c->entry[i]->ok)
			instance_close(&c->entry[i]->inst);
		free(c->entry[i]);
	}
	free(c->entry);
	world_free(&c->w);
	memset(c, 0, sizeof(*c));
}
