// SPDX-License-Identifier: GPL-2.0
/* Cookies: exact, never read by another format, and in nobody's way. */
#include "policy.h"

#define NR	(8 * MB_PAGES)

enum lru { CLASSIC, MGLRU };

static void round_trip(int lru)
{
	struct file *f = file_new("f", NR);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	const struct probe_seen *r = &p->refaulted[FILE_PAGES];

	mglru_set(lru);
	p->config->ino = f->ino;
	p->config->cookie = PROBE_COOKIE_INDEX;
	policy_attach(p, cg);
	for (int i = 0; i < 3; i++) {
		read_in(cg, i == 1 ? OP_MMAP : OP_FD, f);
		CHECK_EQ(r->match, i * NR);
		CHECK_EQ(r->mismatch, 0);
		CHECK_EQ(r->no_cookie, 0);
		file_evict(f, cg);
		CHECK_EQ(p->evicted[FILE_PAGES].pages, (i + 1) * NR);
	}
	CHECK_OP(status_of(cg).evicted.changed, >=, 3 * NR);
	CHECK_EQ(status_of(cg).evicted.clamped, 0);
}

/* Every value of the 20 bits' corners, beside every count of accesses. */
static void every_bit(int lru)
{
	struct file *f = file_new("f", 16);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	const struct probe_seen *r = &p->refaulted[FILE_PAGES];

	mglru_set(lru);
	p->config->ino = f->ino;
	p->config->cookie = PROBE_COOKIE_RAW;
	policy_attach(p, cg);
	for (int bit = -1; bit <= COOKIE_BITS; bit++) {
		unsigned int cookie = bit < 0 ? 0 : bit == COOKIE_BITS ? (1 << bit) - 1 : 1 << bit;

		p->config->raw = COOKIE | cookie;
		p->config->decision = lru ? REFAULT | REFAULT_REFS_OF(bit % (MAX_REFS + 1)) : 0;
		read_in(cg, OP_READAHEAD, f);
		file_evict(f, cg);
		policy_reset(p);
		read_in(cg, OP_READAHEAD, f);
		CHECK_EQ(r->calls, f->pages);
		CHECK_EQ(r->no_cookie, 0);
		CHECK_EQ(r->cookie, cookie);
		CHECK_EQ(r->shadow_any & (SHADOW_DEAD | SHADOW_FOREIGN), 0);
		/* the classic LRU marks what it takes off the active list */
		if (lru)
			CHECK_EQ(r->shadow_any & SHADOW_WORKINGSET, 0);
		file_evict(f, cg);
	}
}

/* Replaced between eviction and refault: by another format, and back. */
static void other_format_file(int lru)
{
	struct file *f = file_new("f", NR);
	struct policy *a = policy_load("alpha", FORMAT_A, 0);
	struct policy *b = policy_load("beta", FORMAT_B, 0);
	struct policy *a2 = policy_load("alpha2", FORMAT_A, 0);
	struct policy *none = policy_load("none", 0, NO_EVICTED);
	struct policy *all[] = { a, b, a2, none };
	struct cg *cg = cg_new(NULL, "a");
	int link;

	mglru_set(lru);
	for (int i = 0; i < 4; i++) {
		all[i]->config->ino = f->ino;
		all[i]->config->cookie = PROBE_COOKIE_INDEX;
	}
	link = policy_attach(a, cg);
	for (int i = 1; i < 4; i++) {
		const struct probe_seen *r = &all[i]->refaulted[FILE_PAGES];

		read_in(cg, OP_FD, f);
		file_evict(f, cg);
		CHECK_EQ(a->evicted[FILE_PAGES].pages, i * NR);
		CHECK_EQ(policy_replace(link, all[i]), 0);
		read_in(cg, OP_FD, f);
		CHECK_EQ(r->pages, NR);
		if (all[i] == a2) {
			CHECK_EQ(r->match, NR);
			CHECK_EQ(r->no_cookie, 0);
		} else {
			CHECK_EQ(r->no_cookie, NR);
			CHECK_EQ(r->shadow_any & SHADOW_COOKIE, 0);
			/* the stock part is readable all the same */
			if (lru)
				CHECK_OP(r->recent, >, NR * 3 / 4);
		}
		/* and no trace of a cookie that isn't handed over */
		CHECK_EQ(r->mismatch, 0);
		CHECK_EQ(policy_replace(link, a), 0);
		/* evicted for the next round, under a */
		file_evict(f, cg);
		policy_reset(a);
		a->evicted[FILE_PAGES].pages = i * NR;
	}
}

static void swap_out(struct cg *cg)
{
	lru_drain();
	for (int i = 0; i < 50 && cg_stat(cg, "anon") > (long)MB / 2; i++)
		cg_reclaim(cg, true, cg_stat(cg, "anon") / PAGE + 64);
	CHECK_OP(cg_stat(cg, "anon"), <=, MB / 2);
}

static void other_format_swap(int lru)
{
	struct policy *a = policy_load("alpha", FORMAT_A, 0);
	struct policy *b = policy_load("beta", FORMAT_B, 0);
	struct policy *a2 = policy_load("alpha2", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	struct worker *w = worker_start(cg, NR);
	int link;

	mglru_set(lru);
	a->config->cookie = PROBE_COOKIE_INDEX;
	b->config->cookie = PROBE_COOKIE_INDEX;
	link = policy_attach(a, cg);
	worker_do(w, OP_WRITE, NULL, 0, NR);
	swap_out(cg);
	CHECK_OP(a->evicted[ANON].pages, >, NR * 3 / 4);
	CHECK_EQ(policy_replace(link, b), 0);
	worker_do(w, OP_CHECK, NULL, 0, NR);
	CHECK_OP(b->refaulted[ANON].pages, >, NR * 3 / 4);
	CHECK_EQ(b->refaulted[ANON].no_cookie, b->refaulted[ANON].calls);
	CHECK_EQ(b->refaulted[ANON].mismatch, 0);

	/* dirty again, so that new slots are taken */
	worker_do(w, OP_WRITE, NULL, 0, NR);
	policy_reset(a);
	CHECK_EQ(policy_replace(link, a), 0);
	swap_out(cg);
	CHECK_OP(a->evicted[ANON].pages, >, NR * 3 / 4);
	CHECK_EQ(policy_replace(link, a2), 0);
	worker_do(w, OP_CHECK, NULL, 0, NR);
	CHECK_OP(a2->refaulted[ANON].pages, >, NR * 3 / 4);
	CHECK_EQ(a2->refaulted[ANON].match, a2->refaulted[ANON].calls);
	worker_end(w);
}

/* Written by stock, read under a policy, and the other way round. */
static void stock_tokens(int lru)
{
	struct file *f = file_new("f", NR);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	const struct probe_seen *r = &p->refaulted[FILE_PAGES];
	struct cache before, after;
	long refaults;
	int link;

	mglru_set(lru);
	p->config->ino = f->ino;
	p->config->cookie = PROBE_COOKIE_INDEX;

	/* stock writes */
	read_in(cg, OP_FD, f);
	file_evict(f, cg);
	before = file_cache(f);
	CHECK_EQ(before.evicted, NR);
	if (lru)
		CHECK_OP(before.recently_evicted, >, NR * 3 / 4);
	link = policy_attach(p, cg);
	after = file_cache(f);
	CHECK_EQ(after.recently_evicted, before.recently_evicted);
	read_in(cg, OP_FD, f);
	CHECK_EQ(r->pages, NR);
	CHECK_EQ(r->no_cookie, NR);
	CHECK_EQ(r->mismatch, 0);
	if (lru)
		CHECK_EQ(r->recent, before.recently_evicted);
	else /* measured against the size of the lists, which grow meanwhile */
		CHECK_NEAR(r->recent, before.recently_evicted, NR / 16);

	/* the policy writes */
	file_evict(f, cg);
	CHECK_EQ(p->evicted[FILE_PAGES].pages, NR);
	before = file_cache(f);
	CHECK_EQ(before.evicted, NR);
	if (lru)
		CHECK_OP(before.recently_evicted, >, NR * 3 / 4);
	close(link);
	after = file_cache(f);
	CHECK_EQ(after.evicted, NR);
	CHECK_EQ(after.recently_evicted, before.recently_evicted);
	refaults = cg_stat_exact(cg, "workingset_refault_file");
	read_in(cg, OP_FD, f);
	CHECK_NEAR(cg_stat_exact(cg, "workingset_refault_file") - refaults, NR, 16);
	CHECK_EQ(r->pages, NR);
}

/* What the sequence in a token says when time has passed: not recent any more. */
static void aged_tokens(int arg)
{
	struct file *f = file_new("f", MB_PAGES);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");

	(void)arg;
	mglru_set(true);
	p->config->ino = f->ino;
	p->config->cookie = PROBE_COOKIE_INDEX;
	policy_attach(p, cg);
	read_in(cg, OP_FD, f);
	file_evict(f, cg);
	CHECK_EQ(p->evicted[FILE_PAGES].pages, f->pages);
	CHECK_OP(file_cache(f).recently_evicted, >, f->pages * 3 / 4);
	for (int i = 0; i < 2; i++)
		generations_open(cg);
	CHECK_EQ(file_cache(f).recently_evicted, 0);
	read_in(cg, OP_FD, f);
	CHECK_EQ(p->refaulted[FILE_PAGES].match, f->pages);
	CHECK_EQ(p->refaulted[FILE_PAGES].recent, 0);
}

/* Classic: the distance that a coarser clock gives still tells near from far. */
static void classic_distance(int with_policy)
{
	struct file *hot = file_new("hot", 16 * MB_PAGES), *f = file_new("f", NR);
	struct policy *p = policy_load("alpha", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a");
	long refaults, activate;
	struct cache before;
	int link = -1;

	mglru_set(false);
	p->config->cookie = PROBE_COOKIE_INDEX;
	if (with_policy)
		link = policy_attach(p, cg);
	/* a working set twice as large as what is evicted: near */
	for (int i = 0; i < 3; i++)
		read_in(cg, OP_FD, hot);
	read_in(cg, OP_FD, f);
	for (int i = 0; i < 50 && file_cache(f).cached > NR / 4; i++)
		cg_reclaim(cg, false, file_cache(f).cached / 2);
	CHECK_OP(file_cache(f).evicted, >=, NR / 2);
	CHECK_OP(file_cache(hot).cached, >, hot->pages / 2);
	CHECK_OP(file_cache(f).recently_evicted, >, file_cache(f).evicted / 2);
	if (with_policy) {
		CHECK_OP(p->evicted[FILE_PAGES].pages, >=, NR / 2);
		before = file_cache(f);
		close(link);
		CHECK_EQ(file_cache(f).recently_evicted, before.recently_evicted);
	}
	/* and so the stock rules activate them */
	{
		long evicted = file_cache(f).evicted;

		refaults = cg_stat_exact(cg, "workingset_refault_file");
		activate = cg_stat(cg, "workingset_activate_file");
		read_in(cg, OP_FD, f);
		CHECK_NEAR(cg_stat_exact(cg, "workingset_refault_file") - refaults, evicted, 16);
		CHECK_OP(cg_stat(cg, "workingset_activate_file") - activate, >, evicted / 2);
	}
}

static const struct test tests[] = {
	{ "round trip through files, MGLRU", round_trip, MGLRU },
	{ "round trip through files, classic LRU", round_trip, CLASSIC },
	{ "every bit of a cookie, MGLRU", every_bit, MGLRU },
	{ "every bit of a cookie, classic LRU", every_bit, CLASSIC },
	{ "another format, files, MGLRU", other_format_file, MGLRU },
	{ "another format, files, classic LRU", other_format_file, CLASSIC },
	{ "another format, swap, MGLRU", other_format_swap, MGLRU },
	{ "another format, swap, classic LRU", other_format_swap, CLASSIC },
	{ "stock tokens under a policy and back, MGLRU", stock_tokens, MGLRU },
	{ "stock tokens under a policy and back, classic LRU", stock_tokens, CLASSIC },
	{ "tokens age", aged_tokens, 0 },
	{ "classic LRU, near evictions are recent, stock", classic_distance, 0 },
	{ "classic LRU, near evictions are recent, with cookies", classic_distance, 1 },
};

TEST_MAIN(tests, NEED_DISK | NEED_SWAP)
