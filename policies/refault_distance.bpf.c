// SPDX-License-Identifier: GPL-2.0
/*
 * refault_distance - how far did the workload move on while this page was out?
 *
 * Idea
 *	Each lruvec has a clock that counts the pages evicted from it. An evicted
 *	folio leaves the time in its shadow entry; when it comes back, the pages
 *	evicted meanwhile are its refault distance. A folio that would have stayed
 *	had it been given all the memory that others hold without using it starts
 *	among the young. The others start as the kernel would have them start.
 *
 * Source
 *	Kairui Song, "Refault distance checking for MGLRU", v2, 2023, and Johannes
 *	Weiner's refault distance in mm/workingset.c, on which that builds. Written
 *	anew for reclaim_ext. Where the posting masks distances to the width of the
 *	shadow entry whatever the order, this one masks to width plus order.
 *
 * Rule
 *	MGLRU	     active: file pages of the two youngest generations, anon ones
 *		     too if the memcg has free swap. inactive: those of the older
 *		     generations, anon: 0 without free swap
 *	classic LRU  active and inactive: the lists, descendants included; anon
 *		     counts with free swap only
 *	limit	     inactive anon + inactive file, if active is at least that much;
 *		     else active + the inactive pages of the other type
 *	qualified    distance < limit
 *
 *	A folio that qualified, with N accesses counted when it was evicted:
 *	MGLRU	     marked workingset; youngest generation if N > 1 or if it had
 *		     that mark before, else second oldest. Counts
 *		     workingset_activate and workingset_restore. Charged to tier 1
 *		     for N <= 1, 2 for N = 2 and 3, 3 for more and for the mark: in
 *		     the generation's histogram if that is where its eviction was
 *		     counted, else in the running averages; but nothing is charged
 *		     for an eviction of long ago without the mark (charge_stale)
 *	classic LRU  active, workingset_activate; if it had the mark: mark and
 *		     workingset_restore
 *
 *	A folio that did not: MGLRU as stock, which restores accesses and mark if
 *	the eviction was recent; classic LRU: inactive.
 *
 * When it helps
 *	Sets somewhat larger than memory that are read through page tables over
 *	and over: stock activates every refault, so all of it cycles; here a part
 *	stays. And a large file set beside idle anonymous memory with swap.
 *
 * When not to use it
 *	Nothing to gain where no page is likelier to return than another (uniform
 *	draws), or where everything fits. File sets read by descriptor only leave
 *	the two youngest generations empty, so that nothing qualifies: harmless.
 *
 * Cost
 *	20 bits in the shadow entry, no memory of its own. One call per eviction,
 *	one per refault; the latter sums up to eight counters.
 *
 * Limits
 *	Shadow entries of other memcgs and of those removed are left to stock: their
 *	clock says nothing of this lruvec. So are entries written before the policy
 *	was attached. Memory hot-plugged so that 2^(20 + n) pages are passed changes
 *	the unit of distances at the next attach: entries of before are misjudged.
 *
 * Tunables
 *	distance_pct	percent of the limit, 0 to 10000, default 100 (as posted).
 *			0: nothing qualifies
 *	charge_stale	1: charge refaults of long ago without the mark to the averages,
 *			too, as posted; 0 or 1, default 0. See rd_charge_to() for why
 *			not. mmap, zipf 0.8: 16 % more refaults with 1 and 9 % fewer
 *			with 0 than stock; one fixed random order: 30 and 28 % fewer
 *
 * Counters
 *	see struct refault_distance_counters
 */
#include "refault_distance.bpf.h"

char LICENSE[] SEC("license") = "GPL";

u32 distance_pct TUNABLE UNIT("percent") RANGE(0, RD_PCT_MAX)
	DOC("of the limit that a refault distance must be below; 0: nothing qualifies") =
	RD_PCT_DEFAULT;
u32 charge_stale TUNABLE RANGE(0, 1)
	DOC("1: charge refaults of long ago without the mark, too, as posted") = 0;

COUNTERS(struct refault_distance_counters);

/* Of the machine, so the same for every memcg to which this object is attached. */
u32 cookie_bits;
u32 cookie_order;

SEC("struct_ops/refault_distance_attach")
s32 BPF_PROG(refault_distance_attach, struct reclaim_ext_attach_ctx *where)
{
	u32 bits = where->cookie_bits;

	if (!bits || bits > 31)
		return -EINVAL;
	cookie_order = rd_order(where->totalram_pages, bits);
	cookie_bits = bits;
	return 0;
}

SEC("struct_ops/refault_distance_evicted")
u32 BPF_PROG(refault_distance_evicted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	COUNT(evicted, 1);
	return RECLAIM_EXT_COOKIE |
	       rd_cookie(bpf_reclaim_ext_eviction_clock(lruvec), cookie_order, cookie_bits);
}

static __always_inline void classic_sizes(struct lruvec *lruvec, bool swap, struct rd_sizes *s)
{
	s->active = bpf_reclaim_ext_lru_pages(lruvec, 1, 1);
	s->inactive_file = bpf_reclaim_ext_lru_pages(lruvec, 1, 0);
	s->inactive_anon = 0;
	if (!swap)
		return;
	s->active += bpf_reclaim_ext_lru_pages(lruvec, 0, 1);
	s->inactive_anon = bpf_reclaim_ext_lru_pages(lruvec, 0, 0);
}

SEC("struct_ops/refault_distance_refaulted")
u64 BPF_PROG(refault_distance_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	bool workingset = re->shadow & RECLAIM_EXT_SHADOW_WORKINGSET;
	bool recent = re->shadow & RECLAIM_EXT_SHADOW_RECENT;
	bool mglru = re->state & RECLAIM_EXT_MGLRU;
	bool file = re->state & RECLAIM_EXT_FILE;
	u32 refs = re->refs, tier;
	struct rd_answer answer;
	struct rd_sizes sizes;
	u64 distance, ret;
	bool swap;

	if (!(re->shadow & RECLAIM_EXT_SHADOW_COOKIE)) {
		COUNT(no_cookie, 1);
		return 0;
	}
	/* the cookie is the time of a lruvec that is gone, or not this folio's */
	if (re->shadow & (RECLAIM_EXT_SHADOW_DEAD | RECLAIM_EXT_SHADOW_FOREIGN)) {
		COUNT(foreign, 1);
		return 0;
	}

	distance = rd_distance(bpf_reclaim_ext_eviction_clock(lruvec), re->cookie,
			       cookie_order, cookie_bits);
	swap = bpf_reclaim_ext_free_swap(lruvec) > 0;
	if (mglru)
		rd_mglru_sizes(lruvec, swap, &sizes);
	else
		classic_sizes(lruvec, swap, &sizes);

	if (!rd_qualifies(distance, &sizes, file, distance_pct)) {
		COUNT(unqualified, 1);
		/* On the classic LRU this rule takes the place of the kernel's. */
		return mglru ? 0 : RECLAIM_EXT_REFAULT;
	}
	COUNT(qualified, 1);

	answer = rd_answer(mglru, refs, workingset);
	ret = RECLAIM_EXT_REFAULT | RECLAIM_EXT_REFAULT_ACTIVATE;
	if (answer.active)
		ret |= RECLAIM_EXT_REFAULT_ACTIVE;
	else
		COUNT(second_oldest, 1);
	if (answer.workingset)
		ret |= RECLAIM_EXT_REFAULT_WORKINGSET;
	if (answer.restore)
		ret |= RECLAIM_EXT_REFAULT_RESTORE;
	if (!mglru)
		return ret;

	tier = rd_charged_tier(refs, workingset);
	switch (rd_charge_to(tier, re->tier, recent, workingset, charge_stale)) {
	case RD_CHARGE_HISTOGRAM:
		return ret | RECLAIM_EXT_REFAULT_CHARGE | refault_tier(tier);
	case RD_CHARGE_AVERAGES:
		return ret | RECLAIM_EXT_REFAULT_CHARGE_AVG | refault_tier(tier);
	case RD_CHARGE_NONE:
		break;
	}
	return ret;
}

POLICY_VERSION("1")
POLICY_KERNEL("7.3")
POLICY_IDEA("a folio that comes back within a distance that memory could have held starts young")
POLICY_SOURCE("Kairui Song, Refault distance checking for MGLRU, v2, 2023")
POLICY_USE("sets somewhat larger than memory, read through page tables over and over")
SEC(".struct_ops.link")
struct reclaim_ext_ops refault_distance = {
	.attach		= (void *)refault_distance_attach,
	.evicted	= (void *)refault_distance_evicted,
	.refaulted	= (void *)refault_distance_refaulted,
	.cookie_format	= COOKIE_FORMAT_EVICTION_CLOCK,
	.name		= "refault_distance",
};
