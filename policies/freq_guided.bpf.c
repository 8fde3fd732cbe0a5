// SPDX-License-Identifier: GPL-2.0
/*
 * freq_guided - promote by the number of accesses
 *
 * Idea
 *	A folio's count of accesses, 0 to 7, decides about promotion, not only the
 *	PID controller at eviction: a folio that is read through a descriptor can
 *	move up before it reaches eviction, and one that refaults knows how often
 *	it had been used.
 *
 * Source
 *	Kairui Song, "MGLRU-FG", v3, 2026. Written anew for reclaim_ext.
 *
 * Rule
 *	tier	     counts 0 and 1: 0; 2: 1; 3 and 4: 2; more: 3
 *	access	     count + 1. On no list or in the youngest generation: up to 7,
 *		     stays. By page tables: used before or executable: youngest
 *		     generation; else if in the oldest: one up; count up to 3. By
 *		     descriptor: beyond 7: one up, count 3; in the oldest and used
 *		     before: one up, count up to 3; else count up to 7. At the
 *		     check before eviction: used before or executable: active, else
 *		     kept; count up to 3
 *	insertion    active: youngest if count >= 2, else second youngest; written
 *		     for reclaim: oldest; anon not in the swap cache, or dirty or
 *		     under writeback for reclaim: second youngest; else second
 *		     oldest if count >= 2, else oldest. Nothing special in a fault
 *	eviction     a tier is protected if its ratio of refaults is more than twice
 *		     that of the tier below; count up to 2 then, as after closing
 *		     the oldest generation and after being put back by reclaim
 *	refault	     of a recent eviction: charged to the tier of the count then; in
 *		     a fault and used before: active; count up to 3 restored
 *
 * When it helps
 *	Skewed file access, by descriptor and mapped alike.
 *
 * When not to use it
 *	Nothing is to be gained from counts where each page is used once, or all
 *	alike. Counts don't decay with time: after a change of phase the folios of
 *	the old one go at the pace of eviction.
 *
 * Cost
 *	A call for every read() of a cached folio, and for every young page that a
 *	walk finds. 3 bits in the shadow entry, no memory of its own.
 *
 * Limits
 *	"One up" is done when reclaim meets the folio in the oldest generation,
 *	once, however often it was asked for meanwhile.
 *	Pressure stall information (PSI) sees a refaulted folio as working set only
 *	until it comes to the lists, which can be before its reader waits for it.
 *
 * Tunables
 *	tier_gain	protect a tier with more than so many times the ratio of
 *			refaults of the one below, 1 to 1000, default 2
 *
 * Counters
 *	see struct freq_guided_counters
 */
#include "freq_guided.bpf.h"

char LICENSE[] SEC("license") = "GPL";

u32 tier_gain TUNABLE RANGE(1, 1000)
	DOC("protect a tier with more than so many times the refault ratio of the one below") =
	FG_GAIN_DEFAULT;

COUNTERS(struct freq_guided_counters);

SEC("struct_ops/freq_guided_admit")
u32 BPF_PROG(freq_guided_admit, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	return RECLAIM_EXT_DECIDE;
}

SEC("struct_ops/freq_guided_place")
u32 BPF_PROG(freq_guided_place, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	return fg_on_place(f);
}

SEC("struct_ops/freq_guided_accessed")
u32 BPF_PROG(freq_guided_accessed, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	struct fg_accessed a = fg_on_access(f);

	if (f->what == RECLAIM_EXT_RMAP) {
		if (a.move == FG_YOUNGEST)
			COUNT(rmap_activated, 1);
		else
			COUNT(rmap_kept, 1);
	} else if (a.move == FG_YOUNGEST) {
		COUNT(pt_youngest, 1);
	} else if (a.move == FG_UP) {
		if (f->what == RECLAIM_EXT_FD)
			COUNT(fd_up, 1);
		else
			COUNT(pt_up, 1);
	}
	return fg_access_answer(f, &a);
}

SEC("struct_ops/freq_guided_sort")
u32 BPF_PROG(freq_guided_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	u32 ret = fg_on_sort(f);

	if (ret & RECLAIM_EXT_GEN)
		COUNT(protected, 1);
	return ret;
}

SEC("struct_ops/freq_guided_balance")
u32 BPF_PROG(freq_guided_balance, struct lruvec *lruvec, struct reclaim_ext_batch_ctx *b)
{
	u32 gain = tier_gain;

	return answer_balance(b->stock & RECLAIM_EXT_BALANCE_FILE,
			      fg_type_tier_idx(lruvec, 0, gain),
			      fg_type_tier_idx(lruvec, 1, gain));
}

SEC("struct_ops/freq_guided_evicted")
u32 BPF_PROG(freq_guided_evicted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	COUNT(evicted, 1);
	return RECLAIM_EXT_COOKIE | fg_min(ev->refs, FG_MAX_COUNT);
}

SEC("struct_ops/freq_guided_refaulted")
u64 BPF_PROG(freq_guided_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	u32 count = re->cookie & FG_MAX_COUNT;

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
	if (!(re->shadow & RECLAIM_EXT_SHADOW_RECENT)) {
		COUNT(stale, 1);
		return RECLAIM_EXT_REFAULT | refault_refs(0);
	}
	COUNT(refaulted, 1);
	if (count >= 1 && re->state & RECLAIM_EXT_IN_FAULT)
		COUNT(activated, 1);
	return fg_refault_answer(re, count);
}

POLICY_VERSION("1")
POLICY_KERNEL("7.3")
POLICY_IDEA("promote by the number of accesses, not by the PID controller alone")
POLICY_SOURCE("Kairui Song, MGLRU-FG, v3, 2026")
POLICY_USE("skewed file access, by descriptor and mapped")
SEC(".struct_ops.link")
struct reclaim_ext_ops freq_guided = {
	.admit		= (void *)freq_guided_admit,
	.place		= (void *)freq_guided_place,
	.accessed	= (void *)freq_guided_accessed,
	.sort		= (void *)freq_guided_sort,
	.balance	= (void *)freq_guided_balance,
	.evicted	= (void *)freq_guided_evicted,
	.refaulted	= (void *)freq_guided_refaulted,
	.cookie_format	= COOKIE_FORMAT_COUNT,
	.flags		= RECLAIM_EXT_F_COUNT | RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.name		= "freq_guided",
};
