// SPDX-License-Identifier: GPL-2.0
/*
 * stock - the kernel's own decisions, taken in BPF
 *
 * Idea
 *	Computes from the inputs that the hooks give what Linux 7.3 would do, and
 *	returns it explicitly. It never looks at the kernel's own decision to come
 *	to its answer. So it proves that the hooks say enough, and measures what the
 *	framework costs. The other use: swapping back to the default rules without
 *	detaching, so that the counters of memory.reclaim_ext run on.
 *
 * Source
 *	folio_add_lru(), lru_gen_folio_seq(), lru_gen_set_refs(),
 *	folio_update_gen(), lru_gen_inc_refs(), sort_folio(), get_tier_idx(),
 *	get_type_to_scan(), should_run_aging(), lru_gen_refault(),
 *	workingset_refault() and count_shadow_nodes() of Linux 7.3.
 *
 * Rule
 *	policies/mglru.h has them, one function each. Whether an eviction was
 *	recent is an input: the test of the classic LRU needs the memcg's
 *	statistics flushed, which may sleep, and the operation must not.
 *
 *	At eviction the kernel's rules leave no cookie, so there is no evicted().
 *
 * When not to use it
 *	As a policy it changes nothing, and costs a call per decision.
 *
 * Limits
 *	A folio that was read with RWF_DONTCACHE does not count accesses in the
 *	kernel; here it does. What accessed() would do is not told by the kernel,
 *	so `differ` does not cover it.
 *
 * Tunables
 *	differential	1: compare each answer with the kernel's own decision and
 *			count those that differ; 0 or 1, default 0
 *	mutate		wrong on purpose, a sum of STOCK_MUTATE_ in stock.h, one per
 *			operation, to see `differ` count; 0 to 63, default 0
 *
 * Counters
 *	see struct stock_counters
 */
#include "mglru.bpf.h"
#include "stock.h"

char LICENSE[] SEC("license") = "GPL";

u32 differential TUNABLE RANGE(0, 1)
	DOC("1: count the answers that differ from the kernel's own") = 0;
u32 mutate TUNABLE RANGE(0, 63)
	DOC("wrong on purpose: 1 refaulted, 2 admit, 4 place, 8 sort, 16 balance, 32 age") = 0;

COUNTERS(struct stock_counters);

#define ANSWERED(what, answer, stock)					\
	do {								\
		COUNT(what, 1);						\
		if (differential && (answer) != (stock)) {		\
			COUNT(differ, 1);				\
			COUNT(differ_##what, 1);			\
		}							\
	} while (0)

SEC("struct_ops/stock_refaulted")
u64 BPF_PROG(stock_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	u64 ret;

	ret = re->state & RECLAIM_EXT_MGLRU ? mglru_on_refault(re) : mglru_on_classic_refault(re);
	if (mutate & STOCK_MUTATE_REFAULTED && re->state & RECLAIM_EXT_IN_FAULT)
		ret |= RECLAIM_EXT_REFAULT_ACTIVE;
	ANSWERED(refaulted, ret, re->stock);
	return ret;
}

SEC("struct_ops/stock_admit")
u32 BPF_PROG(stock_admit, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	u32 ret = RECLAIM_EXT_DECIDE;

	if (f->state & RECLAIM_EXT_IN_FAULT && !(mutate & STOCK_MUTATE_ADMIT)) {
		if (f->state & RECLAIM_EXT_WORKINGSET)
			ret |= RECLAIM_EXT_YOUNGEST;
		else if (!f->refs)
			ret |= answer_refs(1);
	}
	ANSWERED(admitted, ret, f->stock);
	return ret;
}

SEC("struct_ops/stock_place")
u32 BPF_PROG(stock_place, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	struct mglru_insertion in = mglru_inserted(f);
	u32 ret;

	if (mutate & STOCK_MUTATE_PLACE)
		in.used = false;
	ret = answer_gen(mglru_place(&in));
	ANSWERED(placed, ret, f->stock);
	return ret;
}

SEC("struct_ops/stock_accessed")
u32 BPF_PROG(stock_accessed, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	bool walk = f->what == RECLAIM_EXT_WALK;
	struct mglru_accessed a;
	u32 ret;

	COUNT(accessed, 1);
	if (f->what == RECLAIM_EXT_FD)
		a = mglru_access_fd(f->refs);
	else
		a = mglru_access_pt(f->refs, f->state & RECLAIM_EXT_WORKINGSET, f->executable,
				    walk);
	/* a walk leaves alone what is on no list */
	if (walk && a.promote && f->gen >= f->nr_gens)
		return RECLAIM_EXT_DECIDE;

	ret = answer_refs(a.refs);
	if (a.mark)
		ret |= RECLAIM_EXT_MARK;
	if (a.promote)
		ret |= RECLAIM_EXT_YOUNGEST;
	else if (f->what == RECLAIM_EXT_RMAP)
		ret |= RECLAIM_EXT_KEEP;
	return ret;
}

SEC("struct_ops/stock_sort")
u32 BPF_PROG(stock_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	u32 tier = mglru_tier(f->refs, f->state & RECLAIM_EXT_WORKINGSET);
	u32 ret = RECLAIM_EXT_DECIDE | RECLAIM_EXT_EVICT;

	if (tier > f->tier_idx + !!(mutate & STOCK_MUTATE_SORT))
		ret = answer_gen(1);
	ANSWERED(sorted, ret, f->stock);
	return ret;
}

SEC("struct_ops/stock_balance")
u32 BPF_PROG(stock_balance, struct lruvec *lruvec, struct reclaim_ext_batch_ctx *b)
{
	struct mglru_pos anon[MGLRU_TIERS], file[MGLRU_TIERS], anon_sum, file_sum;
	u32 tier_anon, tier_file, ret;

	mglru_read_tiers(lruvec, 0, anon);
	mglru_read_tiers(lruvec, 1, file);
	anon_sum = mglru_sum(anon);
	file_sum = mglru_sum(file);
	tier_anon = mglru_tier_idx(anon);
	tier_file = mglru_tier_idx(file);
	if (mutate & STOCK_MUTATE_BALANCE)
		tier_file = (tier_file + 1) % MGLRU_TIERS;
	ret = answer_balance(mglru_file_next(&anon_sum, &file_sum, b->swappiness), tier_anon,
			     tier_file);
	ANSWERED(balanced, ret, b->stock);
	return ret;
}

SEC("struct_ops/stock_age")
u32 BPF_PROG(stock_age, struct lruvec *lruvec, struct reclaim_ext_batch_ctx *b)
{
	u32 priority = b->priority, ret;

	if (mutate & STOCK_MUTATE_AGE)
		priority = 0;
	ret = mglru_age(b->nr_gens_anon, b->nr_gens_file, b->swappiness, priority) ?
	      RECLAIM_EXT_AGE : RECLAIM_EXT_DONT_AGE;
	ANSWERED(aged, ret, b->stock);
	return ret;
}

SEC("struct_ops/stock_shadow_budget")
u64 BPF_PROG(stock_shadow_budget, struct lruvec *lruvec, u64 nodes, u64 pages)
{
	return pages / 8;
}

POLICY_VERSION("2")
POLICY_KERNEL("7.3")
POLICY_IDEA("the kernel's own decisions, taken in BPF")
POLICY_SOURCE("mm/vmscan.c, mm/workingset.c and mm/folio.c of Linux 7.3")
POLICY_USE("to compare with, and to swap back to the default rules without detaching")
SEC(".struct_ops.link")
struct reclaim_ext_ops stock = {
	.refaulted	= (void *)stock_refaulted,
	.admit		= (void *)stock_admit,
	.place		= (void *)stock_place,
	.accessed	= (void *)stock_accessed,
	.sort		= (void *)stock_sort,
	.balance	= (void *)stock_balance,
	.age		= (void *)stock_age,
	.shadow_budget	= (void *)stock_shadow_budget,
	.flags		= RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.name		= "stock",
};
