// SPDX-License-Identifier: GPL-2.0
/*
 * fg_rd - frequency guided promotion, with refault distance at refault
 *
 * Idea
 *	freq_guided knows how often a folio was used, but looks at a refault only if
 *	the eviction was recent by the generations' sequence. refault_distance knows
 *	how far the workload has moved on. Together: what would have stayed, given
 *	all the memory, starts young, and the count says how young.
 *
 * Source
 *	Kairui Song, the RD arm on top of MGLRU-FG, 2026, and "Refault distance
 *	checking for MGLRU", v2, 2023. Composed of the headers of the two policies.
 *
 * Rule
 *	as freq_guided, but a refault whose distance qualifies by the rule of
 *	refault_distance is marked workingset (workingset_activate and
 *	workingset_restore) and starts
 *	count at eviction >= 2	active with the count up to 3: youngest generation
 *	less			not active with count 2: second oldest
 *	Charged as in freq_guided: the tier of its count, if the eviction was recent.
 *
 * When it helps
 *	Mapped sets beyond memory, databases.
 *
 * When not to use it
 *	Access by descriptor alone: a little behind freq_guided.
 *
 * Cost
 *	As freq_guided, and up to eight counters added up per refault.
 *
 * Limits
 *	3 bits of the cookie are the count, so distances have the unit of 2^n pages
 *	from 2^17 pages of memory on. MGLRU only: the classic LRU is the kernel's.
 *	Those of freq_guided.
 *
 * Tunables
 *	tier_gain	as in freq_guided, 1 to 1000, default 2
 *	distance_pct	percent of the limit, 0 to 10000, default 100; 0: nothing
 *			qualifies
 *
 * Counters
 *	see struct fg_rd_counters
 */
#include "freq_guided.bpf.h"
#include "refault_distance.bpf.h"
#include "fg_rd.h"

char LICENSE[] SEC("license") = "GPL";

u32 tier_gain TUNABLE RANGE(1, 1000)
	DOC("protect a tier with more than so many times the refault ratio of the one below") =
	FG_GAIN_DEFAULT;
u32 distance_pct TUNABLE UNIT("percent") RANGE(0, 10000)
	DOC("of the limit within which a refault qualifies") = RD_PCT_DEFAULT;

COUNTERS(struct fg_rd_counters);

/* Of the machine, so the same for every memcg to which this object is attached. */
u32 time_bits;
u32 time_order;

SEC("struct_ops/fg_rd_attach")
s32 BPF_PROG(fg_rd_attach, struct reclaim_ext_attach_ctx *where)
{
	u32 bits = where->cookie_bits;

	if (bits <= FGRD_COUNT_BITS || bits > 31)
		return -EINVAL;
	bits -= FGRD_COUNT_BITS;
	time_order = rd_order(where->totalram_pages, bits);
	time_bits = bits;
	return 0;
}

SEC("struct_ops/fg_rd_admit")
u32 BPF_PROG(fg_rd_admit, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	return RECLAIM_EXT_DECIDE;
}

SEC("struct_ops/fg_rd_place")
u32 BPF_PROG(fg_rd_place, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	return fg_on_place(f);
}

SEC("struct_ops/fg_rd_accessed")
u32 BPF_PROG(fg_rd_accessed, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	struct fg_accessed a = fg_on_access(f);

	return fg_access_answer(f, &a);
}

SEC("struct_ops/fg_rd_sort")
u32 BPF_PROG(fg_rd_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	u32 ret = fg_on_sort(f);

	if (ret & RECLAIM_EXT_GEN)
		COUNT(protected, 1);
	return ret;
}

SEC("struct_ops/fg_rd_balance")
u32 BPF_PROG(fg_rd_balance, struct lruvec *lruvec, struct reclaim_ext_batch_ctx *b)
{
	u32 gain = tier_gain;

	return answer_balance(b->stock & RECLAIM_EXT_BALANCE_FILE,
			      fg_type_tier_idx(lruvec, 0, gain),
			      fg_type_tier_idx(lruvec, 1, gain));
}

SEC("struct_ops/fg_rd_evicted")
u32 BPF_PROG(fg_rd_evicted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	COUNT(evicted, 1);
	return RECLAIM_EXT_COOKIE |
	       fgrd_cookie(fg_min(ev->refs, FG_MAX_COUNT),
			   rd_cookie(bpf_reclaim_ext_eviction_clock(lruvec), time_order,
				     time_bits));
}

SEC("struct_ops/fg_rd_refaulted")
u64 BPF_PROG(fg_rd_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	u32 count = fgrd_cookie_count(re->cookie);
	bool recent = re->shadow & RECLAIM_EXT_SHADOW_RECENT;
	struct rd_sizes sizes;
	u64 distance, ret;

	if (!(re->state & RECLAIM_EXT_MGLRU))
		return 0;
	if (re->shadow & (RECLAIM_EXT_SHADOW_DEAD | RECLAIM_EXT_SHADOW_FOREIGN)) {
		COUNT(foreign, 1);
		return RECLAIM_EXT_REFAULT | refault_refs(0);
	}
	if (!(re->shadow & RECLAIM_EXT_SHADOW_COOKIE)) {
		COUNT(no_cookie, 1);
		return RECLAIM_EXT_REFAULT | refault_refs(0);
	}

	distance = rd_distance(bpf_reclaim_ext_eviction_clock(lruvec),
			       fgrd_cookie_time(re->cookie), time_order, time_bits);
	rd_mglru_sizes(lruvec, bpf_reclaim_ext_free_swap(lruvec) > 0, &sizes);
	if (!rd_qualifies(distance, &sizes, re->state & RECLAIM_EXT_FILE, distance_pct)) {
		COUNT(unqualified, 1);
		if (!recent)
			return RECLAIM_EXT_REFAULT | refault_refs(0);
		return fg_refault_answer(re, count);
	}

	COUNT(qualified, 1);
	ret = RECLAIM_EXT_REFAULT | RECLAIM_EXT_REFAULT_WORKINGSET |
	      RECLAIM_EXT_REFAULT_ACTIVATE | RECLAIM_EXT_REFAULT_RESTORE |
	      refault_refs(fgrd_restored(count));
	if (recent)
		ret |= RECLAIM_EXT_REFAULT_CHARGE | refault_tier(fg_tier(count));
	if (count >= 2)
		ret |= RECLAIM_EXT_REFAULT_ACTIVE;
	else
		COUNT(second_oldest, 1);
	return ret;
}

POLICY_VERSION("1")
POLICY_KERNEL("7.3")
POLICY_IDEA("frequency guided promotion, with refault distance at refault")
POLICY_SOURCE("Kairui Song, MGLRU-FG, 2026, and refault distance checking, 2023")
POLICY_USE("mapped sets beyond memory, databases")
SEC(".struct_ops.link")
struct reclaim_ext_ops fg_rd = {
	.attach		= (void *)fg_rd_attach,
	.admit		= (void *)fg_rd_admit,
	.place		= (void *)fg_rd_place,
	.accessed	= (void *)fg_rd_accessed,
	.sort		= (void *)fg_rd_sort,
	.balance	= (void *)fg_rd_balance,
	.evicted	= (void *)fg_rd_evicted,
	.refaulted	= (void *)fg_rd_refaulted,
	.cookie_format	= COOKIE_FORMAT_COUNT_EVICTIONS,
	.flags		= RECLAIM_EXT_F_COUNT | RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.name		= "fg_rd",
};
