// SPDX-License-Identifier: GPL-2.0
/* What evicted() and refaulted() are told, and what their answers do. */
#include "policy.h"

#define NR	(8 * MB_PAGES)

enum lru { CLASSIC, MGLRU };

/* File folios of the test's file only: others in the cgroup are metadata. */
static struct policy *policy_for(struct file *f, unsigned int flags)
{
	struct policy *p = policy_load("hooks", FORMAT_A, flags);

	p->config->ino = f ? f->ino : 0;
	return p;
}

static void check_size(const struct probe_seen *s)
{
	CHECK_EQ(s->wrong_size, 0);
	CHECK_EQ(s->cgroup_changes, 0);
}

static void file_args(enum lru lru, enum op op)
{
	struct file *f = file_new("f", NR);
	struct policy *p = policy_for(f, 0);
	struct cg *cg = cg_new(NULL, "a");
	const struct probe_seen *e = &p->evicted[FILE_PAGES], *r = &p->refaulted[FILE_PAGES];
	unsigned long long always = STATE_FILE | (lru ? STATE_MGLRU : 0);
	struct cache before;
	unsigned long long never = STATE_SWAPCACHE | STATE_SWAPBACKED | STATE_WRITEBACK |
				   STATE_DIRTY | (lru ? 0 : STATE_MGLRU);

	mglru_set(lru);
	policy_attach(p, cg);
	read_in(cg, op, f);
	CHECK_EQ(e->calls + r->calls, 0);
	file_evict(f, cg);
	CHECK_EQ(e->pages, NR);
	CHECK_EQ(r->calls, 0);
	check_size(e);
	CHECK_EQ(e->folio_cgroup, cg->id);
	CHECK_EQ(e->state_all & always, always);
	CHECK_EQ(e->state_any & (never | STATE_MAPPED | STATE_IN_FAULT), 0);
	/* the task is the one that writes memory.reclaim */
	CHECK_EQ(e->state_all & STATE_RECLAIMER, STATE_RECLAIMER);
	CHECK_OP(e->refs_max, <=, lru ? MAX_REFS : 0);
	CHECK_OP(e->tier_max, <=, lru ? 3 : 0);

	before = file_cache(f);
	CHECK_EQ(before.evicted, NR);
	read_in(cg, op, f);
	CHECK_EQ(r->pages, NR);
	CHECK_EQ(e->pages, NR);
	check_size(r);
	CHECK_EQ(r->folio_cgroup, cg->id);
	CHECK_EQ(r->state_all & always, always);
	CHECK_EQ(r->state_any & (never | STATE_MAPPED | STATE_RECLAIMER | STATE_ACTIVE |
				 STATE_WORKINGSET), 0);
	if (op == OP_MMAP)
		CHECK_EQ(r->state_all & STATE_IN_FAULT, STATE_IN_FAULT);
	else
		CHECK_EQ(r->state_any & STATE_IN_FAULT, 0);
	/* evicted() left none */
	CHECK_EQ(r->shadow_any & SHADOW_COOKIE, 0);
	CHECK_EQ(r->shadow_any & (SHADOW_DEAD | SHADOW_FOREIGN), 0);
	CHECK_EQ(r->no_cookie, r->calls);
	CHECK_EQ(r->mismatch, 0);
	CHECK_EQ(r->stock_all & REFAULT, REFAULT);
	if (lru) {
		/* by the test that cachestat() applies, too */
		CHECK_EQ(r->recent, before.recently_evicted);
		CHECK_OP(r->recent, >, NR * 3 / 4);
		CHECK_OP(r->refs_min, >=, 1);
		CHECK_OP(r->refs_max, <=, MAX_REFS);
		CHECK_EQ(r->stock_any & REFAULT_CHARGE, REFAULT_CHARGE);
	} else {
		CHECK_EQ(r->tier_max, 0);
		CHECK_EQ(r->stock_any & (REFAULT_CHARGE | REFAULT_CHARGE_AVG), 0);
	}

	/* and the kernel counts the same, except for other inodes' folios */
	CHECK_OP(status_of(cg).evicted.calls, >=, e->calls);
	CHECK_OP(status_of(cg).refaulted.calls, >=, r->calls);
	CHECK_EQ(status_of(cg).evicted.changed, 0);
	CHECK_EQ(status_of(cg).refaulted.changed, 0);
	CHECK_EQ(status_of(cg).evicted.clamped + status_of(cg).refaulted.clamped, 0);
}

static void file_fd(int lru)
{
	file_args(lru, OP_FD);
}

static void file_mmap(int lru)
{
	file_args(lru, OP_MMAP);
}

static void swap_out(struct cg *cg, unsigned long nr)
{
	lru_drain();
	for (int i = 0; i < 50; i++) {
		long anon = cg_stat(cg, "anon") / PAGE;

		/* what the worker has besides: stack, libc */
		if (anon < (long)nr / 16)
			return;
		cg_reclaim(cg, true, anon + 64);
	}
	FAIL("cannot swap out of %s", cg->path);
}

static void anon_swap(int lru)
{
	struct policy *p = policy_for(NULL, 0);
	struct cg *cg = cg_new(NULL, "a");
	const struct probe_seen *e = &p->evicted[ANON], *r = &p->refaulted[ANON];
	unsigned long long always = STATE_SWAPBACKED | STATE_SWAPCACHE | (lru ? STATE_MGLRU : 0);
	struct worker *w;
	long in_before, refaults;

	mglru_set(lru);
	p->config->cookie = PROBE_COOKIE_INDEX;
	policy_attach(p, cg);
	w = worker_start(cg, NR);
	worker_do(w, OP_WRITE, NULL, 0, NR);
	CHECK_EQ(e->calls + r->calls, 0);
	swap_out(cg, NR);
	CHECK_OP(e->pages, >=, NR * 15 / 16);
	check_size(e);
	CHECK_EQ(e->folio_cgroup, cg->id);
	CHECK_EQ(e->state_all & always, always);
	CHECK_EQ(e->state_any & (STATE_FILE | STATE_MAPPED | STATE_WRITEBACK), 0);

	in_before = cg_stat_exact(cg, "pswpin");
	refaults = cg_stat(cg, "workingset_refault_anon");
	policy_reset(p);
	worker_do(w, OP_CHECK, NULL, 0, NR);
	CHECK_OP(r->pages, >=, NR * 15 / 16);
	check_size(r);
	CHECK_EQ(r->folio_cgroup, cg->id);
	CHECK_EQ(r->state_all & (always | STATE_IN_FAULT), always | STATE_IN_FAULT);
	CHECK_EQ(r->state_any & (STATE_FILE | STATE_MAPPED), 0);
	/* each got back exactly its own, none was lost */
	CHECK_EQ(r->shadow_all & SHADOW_COOKIE, SHADOW_COOKIE);
	CHECK_EQ(r->match, r->calls);
	CHECK_EQ(r->mismatch, 0);
	CHECK_OP(cg_stat_exact(cg, "pswpin") - in_before, >=, r->pages);
	CHECK_EQ(cg_stat(cg, "workingset_refault_anon") - refaults, r->pages);
	worker_end(w);
}

/* Two memcgs, two policies, at the same time: each sees its own and no other. */
static void two_policies(int lru)
{
	struct policy *p[2];
	struct file *f[2];
	struct cg *cg[2];
	struct worker *w[2];
	long refaults[2];

	mglru_set(lru);
	for (int i = 0; i < 2; i++) {
		f[i] = file_new(i ? "b" : "a", 24 * MB_PAGES);
		cg[i] = cg_new(NULL, i ? "b" : "a");
		cg_put(cg[i], "memory.max", "%lu", 16 * MB);
		cg_put(cg[i], "memory.swap.max", "0");
		p[i] = policy_load(i ? "beta" : "alpha", i ? FORMAT_B : FORMAT_A, 0);
		p[i]->config->cookie = PROBE_COOKIE_INDEX;
		w[i] = worker_start(cg[i], 0);
	}
	for (int i = 0; i < 2; i++) {
		refaults[i] = cg_stat(cg[i], "workingset_refault_file");
		policy_attach(p[i], cg[i]);
	}
	for (int i = 0; i < 2; i++)
		worker_loop(w[i], OP_FD, f[i]);
	WAIT_FOR(p[0]->refaulted[FILE_PAGES].pages > 3 * MB_PAGES &&
		 p[1]->refaulted[FILE_PAGES].pages > 3 * MB_PAGES);
	for (int i = 0; i < 2; i++)
		worker_end(w[i]);

	for (int i = 0; i < 2; i++) {
		struct probe_seen *e = &p[i]->evicted[FILE_PAGES];
		struct probe_seen *r = &p[i]->refaulted[FILE_PAGES];
		struct status st = status_of(cg[i]);

		CHECK_EQ(e->folio_cgroup, cg[i]->id);
		CHECK_EQ(e->cgroup_changes, 0);
		CHECK_EQ(r->folio_cgroup, cg[i]->id);
		CHECK_EQ(r->cgroup_changes, 0);
		/* cookies are of its own format, and its own folios' */
		CHECK_EQ(r->match + r->no_cookie, r->calls);
		CHECK_EQ(r->no_cookie, 0);
		CHECK_EQ(st.refaulted.calls, r->calls + p[i]->refaulted[ANON].calls);
		CHECK_EQ(st.evicted.calls, e->calls + p[i]->evicted[ANON].calls);
		CHECK_EQ(cg_stat_exact(cg[i], "workingset_refault_file") - refaults[i], r->pages);
	}
}

/* Decisions about one file, and what the kernel then does. */
struct outcome {
	long activate, restore, refault, active, inactive;
};

static struct outcome decide(struct policy *p, struct cg *cg, struct file *f, enum op op,
			     unsigned long long decision)
{
	struct outcome a = {}, b = {};
	const struct probe_seen *r = &p->refaulted[FILE_PAGES];

	read_in(cg, op, f);
	file_evict(f, cg);
	policy_reset(p);
	/* so that there are inactive ones: stock adds to the oldest */
	if (mglru())
		generations_open(cg);
	p->config->decision = decision;
	for (int i = 0; i < 2; i++) {
		struct outcome *o = i ? &b : &a;

		if (i)
			read_in(cg, op, f);
		lru_drain();
		o->refault = cg_stat_exact(cg, "workingset_refault_file");
		o->activate = cg_stat(cg, "workingset_activate_file");
		o->restore = cg_stat(cg, "workingset_restore_file");
		o->active = cg_stat(cg, "active_file") / (long)PAGE;
		o->inactive = cg_stat(cg, "inactive_file") / (long)PAGE;
	}
	CHECK_EQ(r->pages, f->pages);
	b.refault -= a.refault;
	b.activate -= a.activate;
	b.restore -= a.restore;
	b.active -= a.active;
	b.inactive -= a.inactive;
	/* whatever is decided: a refault is counted */
	CHECK_NEAR(b.refault, NR, 16);
	CHECK_NEAR(b.active + b.inactive, NR, 16);
	return b;
}

/* Pages of metadata. */
#define SLACK	16

static void decide_active(int lru)
{
	struct file *f = file_new("f", NR);
	struct policy *p = policy_for(f, 0);
	struct cg *cg = cg_new(NULL, "a");
	struct status st;
	struct outcome o;

	mglru_set(lru);
	policy_attach(p, cg);
	o = decide(p, cg, f, OP_FD, REFAULT | REFAULT_ACTIVE | REFAULT_ACTIVATE);
	CHECK_EQ(o.activate, NR);
	CHECK_EQ(o.restore, 0);
	CHECK_NEAR(o.active, NR, SLACK);
	st = status_of(cg);
	CHECK_OP(st.refaulted.changed, >=, NR);
	CHECK_EQ(st.refaulted.clamped, 0);
}

/* Counting and doing are two decisions. */
static void decide_uncounted(int lru)
{
	struct file *f = file_new("f", NR);
	struct policy *p = policy_for(f, 0);
	struct cg *cg = cg_new(NULL, "a");
	struct outcome o;

	mglru_set(lru);
	policy_attach(p, cg);
	o = decide(p, cg, f, OP_FD, REFAULT | REFAULT_ACTIVE);
	CHECK_EQ(o.activate, 0);
	CHECK_NEAR(o.active, NR, SLACK);
	file_evict(f, cg);
	o = decide(p, cg, f, OP_FD, REFAULT | REFAULT_ACTIVATE | REFAULT_RESTORE);
	CHECK_EQ(o.activate, NR);
	CHECK_EQ(o.restore, NR);
	CHECK_NEAR(o.active, 0, SLACK);
}

/* A decision for nothing: not even in a fault of a workingset folio. */
static void decide_nothing(int lru)
{
	struct file *f = file_new("f", NR);
	struct policy *p = policy_for(f, 0);
	struct cg *cg = cg_new(NULL, "a");
	struct outcome o;

	mglru_set(lru);
	policy_attach(p, cg);
	/* first the mark, so that stock would activate */
	o = decide(p, cg, f, OP_MMAP, REFAULT | REFAULT_WORKINGSET);
	CHECK_EQ(o.activate, 0);
	file_evict(f, cg);
	o = decide(p, cg, f, OP_MMAP, REFAULT);
	CHECK_EQ(o.activate, 0);
	CHECK_EQ(o.restore, 0);
	CHECK_NEAR(o.active, 0, SLACK);
}

/* The mark without activity: the second oldest generation, or inactive. */
static void decide_workingset(int lru)
{
	struct file *f = file_new("f", NR);
	struct policy *p = policy_for(f, 0);
	struct cg *cg = cg_new(NULL, "a");
	const struct probe_seen *e = &p->evicted[FILE_PAGES], *r = &p->refaulted[FILE_PAGES];
	struct outcome o;
	int link;

	mglru_set(lru);
	link = policy_attach(p, cg);
	o = decide(p, cg, f, OP_MMAP, REFAULT | REFAULT_WORKINGSET);
	CHECK_EQ(r->shadow_any & SHADOW_WORKINGSET, 0);
	CHECK_EQ(o.activate, 0);
	CHECK_EQ(o.restore, 0);
	CHECK_NEAR(o.active, 0, SLACK);
	/* the mark is there when they leave, and in what they leave behind */
	file_evict(f, cg);
	CHECK_EQ(e->pages, NR);
	CHECK_EQ(e->state_all & STATE_WORKINGSET, STATE_WORKINGSET);
	if (!lru)
		return;

	CHECK_EQ(e->tier_min, 3);
	/* which the stock rules see as well, detached */
	close(link);
	{
		long restore = cg_stat_exact(cg, "workingset_restore_file");
		long activate = cg_stat(cg, "workingset_activate_file");

		read_in(cg, OP_MMAP, f);
		CHECK_EQ(cg_stat_exact(cg, "workingset_restore_file") - restore, NR);
		CHECK_EQ(cg_stat(cg, "workingset_activate_file") - activate, NR);
	}
}

/* The count of accesses that refaulted() restores is the one evicted() gets. */
static void decide_refs(int arg)
{
	/* so few that the PID controller protects none, which would forget the count */
	struct file *f = file_new("f", 24);
	struct policy *p = policy_for(f, 0);
	struct cg *cg = cg_new(NULL, "a");
	const struct probe_seen *e = &p->evicted[FILE_PAGES], *r = &p->refaulted[FILE_PAGES];

	(void)arg;
	mglru_set(true);
	policy_attach(p, cg);
	for (unsigned int refs = 0; refs <= MAX_REFS; refs++) {
		read_in(cg, OP_READAHEAD, f);
		file_evict(f, cg);
		policy_reset(p);
		p->config->decision = REFAULT | REFAULT_REFS_OF(refs);
		/* read-ahead alone is no access */
		read_in(cg, OP_READAHEAD, f);
		CHECK_EQ(r->pages, f->pages);
		file_evict(f, cg);
		CHECK_EQ(e->pages, f->pages);
		CHECK_EQ(e->refs_min, refs);
		CHECK_EQ(e->refs_max, refs);
		policy_reset(p);
		p->config->decision = 0;
		read_in(cg, OP_READAHEAD, f);
		CHECK_EQ(r->pages, f->pages);
		CHECK_EQ(r->refs_min, refs ?: 1);
		CHECK_EQ(r->refs_max, refs ?: 1);
		file_evict(f, cg);
	}
	CHECK_EQ(status_of(cg).refaulted.clamped, 0);
}

/* Values that aren't legal: made legal, counted. */
static void clamped(int lru)
{
	static const struct {
		const char *what;
		unsigned long long decision;
		bool mglru, classic;	/* is it clamped? */
	} cases[] = {
		{ "stock", 0, false, false },
		{ "nothing", REFAULT, false, false },
		{ "bits without REFAULT", REFAULT_ACTIVE, true, true },
		{ "too many accesses", REFAULT | REFAULT_REFS_OF(MAX_REFS + 1), true, true },
		{ "255 accesses", REFAULT | REFAULT_REFS_OF(255), true, true },
		{ "accesses", REFAULT | REFAULT_REFS_OF(2), false, true },
		{ "tier 3", REFAULT | REFAULT_CHARGE | REFAULT_TIER(3), false, true },
		{ "tier 4", REFAULT | REFAULT_CHARGE | REFAULT_TIER(4), true, true },
		{ "tier 255", REFAULT | REFAULT_CHARGE_AVG | REFAULT_TIER(255), true, true },
		{ "two charges", REFAULT | REFAULT_CHARGE | REFAULT_CHARGE_AVG, true, true },
		{ "a tier for nothing", REFAULT | REFAULT_TIER(1), true, true },
		{ "unknown bits", REFAULT | 1ULL << 40, true, true },
		{ "the highest bit", REFAULT | 1ULL << 63, true, true },
		{ "all bits", ~0ULL, true, true },
	};
	struct file *f = file_new("f", 64);
	struct policy *p = policy_for(f, 0);
	struct cg *cg = cg_new(NULL, "a");
	const struct probe_seen *e = &p->evicted[FILE_PAGES], *r = &p->refaulted[FILE_PAGES];

	mglru_set(lru);
	policy_attach(p, cg);
	read_in(cg, OP_READAHEAD, f);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned long long before;

		file_evict(f, cg);
		policy_reset(p);
		p->config->decision = cases[i].decision;
		before = status_of(cg).refaulted.clamped;
		read_in(cg, OP_READAHEAD, f);
		CHECK_EQ(r->pages, 64);
		CHECK(status_of(cg).refaulted.clamped - before ==
		      ((lru ? cases[i].mglru : cases[i].classic) ? r->calls : 0),
		      "%s: %llu clamped", cases[i].what, status_of(cg).refaulted.clamped - before);
	}
	/* a legal count of accesses */
	file_evict(f, cg);
	p->config->decision = REFAULT | REFAULT_REFS_OF(255);
	read_in(cg, OP_READAHEAD, f);
	policy_reset(p);
	file_evict(f, cg);
	CHECK_EQ(e->pages, 64);
	CHECK_EQ(e->refs_max, lru ? MAX_REFS : 0);
}

static void clamped_cookie(int arg)
{
	static const struct {
		unsigned long long answer;
		bool clamped, cookie;
		unsigned int want;
	} cases[] = {
		{ 0, false, false, 0 },
		{ COOKIE, false, true, 0 },
		{ COOKIE | 0xfffff, false, true, 0xfffff },
		{ COOKIE | 0x123456, true, true, 0x23456 },
		{ COOKIE | 0x7ff00000, true, true, 0 },
		{ 0x12345, true, false, 0 },
		{ 0x7fffffff, true, false, 0 },
		{ 0xffffffff, true, true, 0xfffff },
	};
	struct file *f = file_new("f", 64);
	struct policy *p = policy_for(f, 0);
	struct cg *cg = cg_new(NULL, "a");
	const struct probe_seen *r = &p->refaulted[FILE_PAGES];

	(void)arg;
	policy_attach(p, cg);
	p->config->cookie = PROBE_COOKIE_RAW;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct hook_counts before, after;

		p->config->raw = cases[i].answer;
		read_in(cg, OP_FD, f);
		policy_reset(p);
		before = status_of(cg).evicted;
		file_evict(f, cg);
		after = status_of(cg).evicted;
		CHECK(after.clamped - before.clamped == (cases[i].clamped ? 64 : 0),
		      "%#llx: %llu clamped", cases[i].answer, after.clamped - before.clamped);
		CHECK(after.changed - before.changed == (cases[i].cookie ? 64 : 0),
		      "%#llx: %llu changed", cases[i].answer, after.changed - before.changed);
		read_in(cg, OP_FD, f);
		CHECK_EQ(r->calls, 64);
		CHECK(r->no_cookie == (cases[i].cookie ? 0 : 64), "%#llx: %llu without",
		      cases[i].answer, r->no_cookie);
		CHECK(r->cookie == cases[i].want, "%#llx: %#x", cases[i].answer, r->cookie);
	}
}

/* Without the one operation the other works alone. */
static void operations_alone(int lru)
{
	struct file *f = file_new("f", MB_PAGES);
	struct policy *e = policy_for(f, NO_REFAULTED), *r = policy_for(f, NO_EVICTED);
	struct cg *cg = cg_new(NULL, "a");
	long refaults;
	int link;

	mglru_set(lru);
	e->config->cookie = PROBE_COOKIE_INDEX;
	link = policy_attach(e, cg);
	read_in(cg, OP_FD, f);
	file_evict(f, cg);
	CHECK_EQ(e->evicted[FILE_PAGES].pages, f->pages);
	refaults = cg_stat_exact(cg, "workingset_refault_file");
	read_in(cg, OP_FD, f);
	CHECK_EQ(cg_stat_exact(cg, "workingset_refault_file") - refaults, f->pages);
	CHECK_EQ(e->refaulted[FILE_PAGES].calls, 0);
	CHECK_EQ(status_of(cg).refaulted.calls, 0);
	file_evict(f, cg);
	close(link);

	policy_attach(r, cg);
	read_in(cg, OP_FD, f);
	CHECK_EQ(r->refaulted[FILE_PAGES].pages, f->pages);
	/* the same format as the one that wrote them */
	CHECK_EQ(r->refaulted[FILE_PAGES].match, r->refaulted[FILE_PAGES].calls);
	file_evict(f, cg);
	CHECK_EQ(r->evicted[FILE_PAGES].calls, 0);
	CHECK_EQ(status_of(cg).evicted.calls, 0);
}

/* A child's folios: the nearest policy, whichever that is at the moment. */
static void nested(int lru)
{
	struct file *f = file_new("f", MB_PAGES);
	struct policy *p = policy_for(f, 0), *q = policy_for(f, 0);
	struct cg *top = cg_new(NULL, "top"), *leaf;
	int inner;

	mglru_set(lru);
	cg_delegate(top);
	leaf = cg_new(top, "leaf");
	policy_attach(p, top);
	read_in(leaf, OP_FD, f);
	file_evict(f, leaf);
	CHECK_EQ(p->evicted[FILE_PAGES].pages, f->pages);
	CHECK_EQ(p->evicted[FILE_PAGES].folio_cgroup, leaf->id);
	inner = policy_attach(q, leaf);
	read_in(leaf, OP_FD, f);
	CHECK_EQ(q->refaulted[FILE_PAGES].pages, f->pages);
	CHECK_EQ(p->refaulted[FILE_PAGES].pages, 0);
	/* reclaim of the ancestor, policy of the child */
	file_evict(f, top);
	CHECK_EQ(q->evicted[FILE_PAGES].pages, f->pages);
	CHECK_EQ(p->evicted[FILE_PAGES].pages, f->pages);
	close(inner);
	read_in(leaf, OP_FD, f);
	CHECK_EQ(p->refaulted[FILE_PAGES].pages, f->pages);
	CHECK_EQ(q->refaulted[FILE_PAGES].pages, f->pages);
}

/* Pages of a cgroup without a policy are nobody's business. */
static void not_mine(int lru)
{
	struct file *f = file_new("f", MB_PAGES);
	struct policy *p = policy_load("hooks", FORMAT_A, 0);
	struct cg *cg = cg_new(NULL, "a"), *other = cg_new(NULL, "b");

	mglru_set(lru);
	policy_attach(p, cg);
	read_in(other, OP_FD, f);
	file_evict(f, other);
	read_in(other, OP_FD, f);
	CHECK_EQ(cg_stat_exact(other, "workingset_refault_file") >= (long)f->pages, 1);
	CHECK_EQ(p->evicted[FILE_PAGES].calls + p->refaulted[FILE_PAGES].calls, 0);
	CHECK_EQ(status_of(cg).evicted.calls + status_of(cg).refaulted.calls, 0);
}

/* What another cgroup evicted: flagged, with that one's lruvec. */
static void foreign(int arg)
{
	struct file *f = file_new("f", MB_PAGES);
	struct policy *p = policy_for(f, 0);
	struct cg *first = cg_new(NULL, "first"), *second = cg_new(NULL, "second");
	const struct probe_seen *r = &p->refaulted[FILE_PAGES];
	unsigned long long id = first->id;

	(void)arg;
	mglru_set(true);
	p->config->snapshot = 1;
	policy_attach(p, second);
	read_in(first, OP_FD, f);
	file_evict(f, first);
	read_in(second, OP_FD, f);
	CHECK_EQ(r->pages, f->pages);
	CHECK_EQ(r->folio_cgroup, second->id);
	CHECK_EQ(r->shadow_all & SHADOW_FOREIGN, SHADOW_FOREIGN);
	CHECK_EQ(r->shadow_any & SHADOW_DEAD, 0);
	CHECK_EQ(r->stock_any, REFAULT);
	CHECK_EQ(p->snapshot->lruvec_cgroup, id);
	/* no policy there */
	CHECK_EQ(p->snapshot->cgroup_id, 0);
}

/* What a cgroup evicted that is gone: flagged, with the root's lruvec. */
static void dead(int arg)
{
	struct file *f = file_new("f", MB_PAGES);
	struct policy *p = policy_for(f, 0);
	struct cg *first = cg_new(NULL, "first"), *second = cg_new(NULL, "second");
	const struct probe_seen *r = &p->refaulted[FILE_PAGES];
	char path[600], text[1024];

	(void)arg;
	mglru_set(true);
	p->config->snapshot = 1;
	policy_attach(p, second);
	read_in(first, OP_FD, f);
	file_evict(f, first);
	close(first->fd);
	cg_remove(first);
	/* its id may be given away only when the last charge is gone */
	snprintf(path, sizeof(path), "%s/cgroup.stat", test_cgroup());
	WAIT_FOR(get(path, text, sizeof(text)) > 0 && strstr(text, "nr_dying_descendants 0"));
	read_in(second, OP_FD, f);
	CHECK_EQ(r->pages, f->pages);
	CHECK_EQ(r->shadow_all & (SHADOW_DEAD | SHADOW_FOREIGN), SHADOW_DEAD | SHADOW_FOREIGN);
	CHECK_EQ(p->snapshot->lruvec_cgroup, 1);
}

static const struct test tests[] = {
	{ "file by descriptor, MGLRU", file_fd, MGLRU },
	{ "file by descriptor, classic LRU", file_fd, CLASSIC },
	{ "file by mmap, MGLRU", file_mmap, MGLRU },
	{ "file by mmap, classic LRU", file_mmap, CLASSIC },
	{ "anon by swap, exact cookies, MGLRU", anon_swap, MGLRU },
	{ "anon by swap, exact cookies, classic LRU", anon_swap, CLASSIC },
	{ "two memcgs with two policies, MGLRU", two_policies, MGLRU },
	{ "two memcgs with two policies, classic LRU", two_policies, CLASSIC },
	{ "decision active, MGLRU", decide_active, MGLRU },
	{ "decision active, classic LRU", decide_active, CLASSIC },
	{ "counted or not, MGLRU", decide_uncounted, MGLRU },
	{ "counted or not, classic LRU", decide_uncounted, CLASSIC },
	{ "decision for nothing, MGLRU", decide_nothing, MGLRU },
	{ "decision for nothing, classic LRU", decide_nothing, CLASSIC },
	{ "decision workingset, MGLRU", decide_workingset, MGLRU },
	{ "decision workingset, classic LRU", decide_workingset, CLASSIC },
	{ "decision accesses", decide_refs, 0 },
	{ "answers out of range, MGLRU", clamped, MGLRU },
	{ "answers out of range, classic LRU", clamped, CLASSIC },
	{ "cookies out of range", clamped_cookie, 0 },
	{ "each operation alone, MGLRU", operations_alone, MGLRU },
	{ "each operation alone, classic LRU", operations_alone, CLASSIC },
	{ "nested policies, MGLRU", nested, MGLRU },
	{ "nested policies, classic LRU", nested, CLASSIC },
	{ "a cgroup without policy, MGLRU", not_mine, MGLRU },
	{ "a cgroup without policy, classic LRU", not_mine, CLASSIC },
	{ "shadow entries of another cgroup", foreign, 0 },
	{ "shadow entries of a removed cgroup", dead, 0 },
};

TEST_MAIN(tests, NEED_DISK | NEED_SWAP)
