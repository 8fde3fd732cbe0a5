// SPDX-License-Identifier: GPL-2.0
/* What the kfuncs return, against what the kernel says elsewhere. */
#include "policy.h"

/* A refault of one page in @cg, with a snapshot at that moment. */
static void snap(struct policy *p, struct cg *cg, struct file *one)
{
	file_evict(one, cg);
	p->config->ino = one->ino;
	p->config->snapshot = 1;
	read_in(cg, OP_READAHEAD, one);
	p->config->snapshot = 0;
	p->config->ino = 0;
	CHECK_OP(p->snapshot->cgroup_id, !=, 0);
}

static void pages_by_generation(int arg)
{
	struct file *one = file_new("one", 1), *f = file_new("f", 8 * MB_PAGES);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	struct generations g;
	unsigned long file[4] = {}, anon[4] = {};

	(void)arg;
	mglru_set(true);
	policy_attach(p, cg);
	read_in(cg, OP_FD, one);
	file_evict(one, cg);
	generations_open(cg);
	read_in(cg, OP_FD, f);
	lru_drain();
	/* some of them young */
	file_evict(one, cg);
	snap(p, cg, one);
	g = generations_of(cg);

	for (int i = 0; i < g.nr; i++) {
		CHECK_OP(g.seq[g.nr - 1] - g.seq[i], <, 4);
		file[g.seq[g.nr - 1] - g.seq[i]] = g.file[i];
		anon[g.seq[g.nr - 1] - g.seq[i]] = g.anon[i];
	}
	CHECK_NEAR(file[0] + file[1] + file[2] + file[3], f->pages, 32);
	CHECK_OP(anon[0] + anon[1] + anon[2] + anon[3], >=, MB_PAGES);
	for (int age = 0; age < 4; age++) {
		CHECK_NEAR(p->snapshot->gen_pages[4 + age], file[age], 32);
		CHECK_NEAR(p->snapshot->gen_pages[age], anon[age], 32);
	}
	CHECK_EQ(p->snapshot->gen_pages_beyond, 0);
	CHECK_EQ(p->snapshot->cgroup_id, cg->id);
	CHECK_EQ(p->snapshot->lruvec_cgroup, cg->id);

	/* all of it one generation older */
	generations_open(cg);
	snap(p, cg, one);
	CHECK_OP(p->snapshot->gen_pages[4] + p->snapshot->gen_pages[5], <=, 32);
}

static void no_generations(int arg)
{
	struct file *one = file_new("one", 1);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");

	(void)arg;
	mglru_set(false);
	policy_attach(p, cg);
	read_in(cg, OP_FD, one);
	snap(p, cg, one);
	for (int i = 0; i < 8; i++)
		CHECK_EQ(p->snapshot->gen_pages[i], 0);
}

static void lru_pages(int mglru)
{
	struct file *one = file_new("one", 1), *f = file_new("f", 8 * MB_PAGES);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	static const char * const names[] = {
		"inactive_anon", "active_anon", "inactive_file", "active_file",
	};

	mglru_set(mglru);
	policy_attach(p, cg);
	read_in(cg, OP_FD, one);
	file_evict(one, cg);
	read_in(cg, OP_FD, f);
	read_in(cg, OP_FD, f);
	lru_drain();
	for (int i = 0; i < 4; i++)
		cg_stat_exact(cg, names[i]);
	snap(p, cg, one);
	for (int i = 0; i < 4; i++) {
		long pages = cg_stat_exact(cg, names[i]) / (long)PAGE;

		CHECK(labs((long)p->snapshot->lru_pages[i] - pages) <= 256,
		      "%s: %llu, memory.stat has %ld", names[i], p->snapshot->lru_pages[i], pages);
	}
	CHECK_NEAR(p->snapshot->lru_pages[2] + p->snapshot->lru_pages[3], f->pages, 256);
}

/* The clocks are those of evictions and refaults, exactly. */
static void clocks(int mglru)
{
	struct file *one = file_new("one", 1), *f = file_new("f", 8 * MB_PAGES);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	struct probe_snapshot before;
	unsigned long long pages;
	long steal, refaults;

	mglru_set(mglru);
	policy_attach(p, cg);
	read_in(cg, OP_FD, one);
	snap(p, cg, one);
	before = *p->snapshot;
	steal = cg_stat_exact(cg, "pgsteal");
	refaults = cg_stat(cg, "workingset_refault_file");

	read_in(cg, OP_FD, f);
	file_evict(f, cg);
	read_in(cg, OP_FD, f);
	snap(p, cg, one);
	pages = p->snapshot->evicted_pages - before.evicted_pages;
	CHECK_OP(pages, >=, f->pages + 1);
	CHECK_EQ(p->snapshot->eviction_clock - before.eviction_clock, pages);
	/* pgsteal also has what leaves no shadow entry: nothing here */
	CHECK_NEAR(cg_stat_exact(cg, "pgsteal") - steal, pages, 4);
	CHECK_EQ(p->snapshot->refault_clock - before.refault_clock,
		 cg_stat(cg, "workingset_refault_file") - refaults);
	CHECK_OP(p->snapshot->refault_clock - before.refault_clock, >=, f->pages + 1);
}

/* What a child evicts is an eviction of its ancestors, too. */
static void clock_of_ancestor(int mglru)
{
	struct file *one = file_new("one", 64), *f = file_new("f", 4 * MB_PAGES);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *top = cg_new(NULL, "top"), *leaf;
	struct probe_snapshot before;
	unsigned long long pages;

	mglru_set(mglru);
	policy_attach(p, top);
	/* entries that name the parent's lruvec, while it can have processes */
	read_in(top, OP_FD, one);
	file_evict(one, top);
	CHECK_EQ(file_cache(one).evicted, one->pages);
	worker_end(top->ballast);
	top->ballast = NULL;
	cg_delegate(top);
	leaf = cg_new(top, "leaf");

	/* read back in the child: the hook gets the parent's lruvec */
	p->config->ino = one->ino;
	p->config->snapshot = 1;
	{
		struct worker *w = worker_start(leaf, 0);

		worker_do(w, OP_READAHEAD, one, 0, 1);
		CHECK_EQ(p->snapshot->lruvec_cgroup, top->id);
		before = *p->snapshot;
		p->config->snapshot = 0;
		p->config->ino = 0;
		before.evicted_pages = p->evicted[0].pages + p->evicted[1].pages;
		read_in(leaf, OP_FD, f);
		file_evict(f, leaf);
		pages = p->evicted[0].pages + p->evicted[1].pages - before.evicted_pages;
		CHECK_OP(pages, >=, f->pages);
		p->config->snapshot = 1;
		p->config->ino = one->ino;
		worker_do(w, OP_READAHEAD, one, 63, 1);
		worker_end(w);
	}
	CHECK_EQ(p->snapshot->lruvec_cgroup, top->id);
	CHECK_EQ(p->snapshot->eviction_clock - before.eviction_clock, pages);
}

static void free_swap(int arg)
{
	struct file *one = file_new("one", 1);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	struct worker *w;
	char path[600], text[64];
	long used;

	(void)arg;
	mglru_set(true);
	policy_attach(p, cg);
	read_in(cg, OP_FD, one);
	cg_put(cg, "memory.swap.max", "%lu", 16 * MB);
	snap(p, cg, one);
	CHECK_EQ(p->snapshot->free_swap, 16 * MB_PAGES);
	cg_put(cg, "memory.swap.max", "0");
	snap(p, cg, one);
	CHECK_EQ(p->snapshot->free_swap, 0);

	cg_put(cg, "memory.swap.max", "%lu", 16 * MB);
	w = worker_start(cg, 4 * MB_PAGES);
	worker_do(w, OP_WRITE, NULL, 0, 4 * MB_PAGES);
	lru_drain();
	cg_reclaim(cg, true, 2 * MB_PAGES);
	snap(p, cg, one);
	snprintf(path, sizeof(path), "%s/memory.swap.current", cg->path);
	CHECK_OP(get(path, text, sizeof(text)), >, 0);
	used = atol(text) / (long)PAGE;
	CHECK_OP(used, >=, MB_PAGES);
	/* the counter of the limit is charged in batches */
	CHECK_NEAR(p->snapshot->free_swap, 16 * MB_PAGES - used, 128);

	/* more than a parent leaves is not free either */
	cg_put(cg, "memory.swap.max", "max");
	snap(p, cg, one);
	CHECK_OP(p->snapshot->free_swap, >, 32 * MB_PAGES);
	CHECK_OP(p->snapshot->free_swap, <=, 256 * MB_PAGES);
	worker_end(w);
}

static void cgroup_id(int arg)
{
	struct file *one = file_new("one", 1);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct policy *q = policy_load("beta", FORMAT_B, 0);
	struct cg *top = cg_new(NULL, "top"), *leaf;
	int inner;

	(void)arg;
	cg_delegate(top);
	leaf = cg_new(top, "leaf");
	policy_attach(p, top);
	read_in(leaf, OP_FD, one);
	snap(p, leaf, one);
	CHECK_EQ(p->snapshot->cgroup_id, top->id);
	CHECK_EQ(p->snapshot->lruvec_cgroup, leaf->id);
	inner = policy_attach(q, leaf);
	snap(q, leaf, one);
	CHECK_EQ(q->snapshot->cgroup_id, leaf->id);
	close(inner);
	snap(p, leaf, one);
	CHECK_EQ(p->snapshot->cgroup_id, top->id);
}

static const struct test tests[] = {
	{ "pages by generation", pages_by_generation, 0 },
	{ "no generations on the classic LRU", no_generations, 0 },
	{ "pages by list, MGLRU", lru_pages, 1 },
	{ "pages by list, classic LRU", lru_pages, 0 },
	{ "eviction and refault clock, MGLRU", clocks, 1 },
	{ "eviction and refault clock, classic LRU", clocks, 0 },
	{ "eviction clock of an ancestor, MGLRU", clock_of_ancestor, 1 },
	{ "eviction clock of an ancestor, classic LRU", clock_of_ancestor, 0 },
	{ "free swap", free_swap, 0 },
	{ "effective cgroup", cgroup_id, 0 },
};

TEST_MAIN(tests, NEED_DISK | NEED_SWAP)
