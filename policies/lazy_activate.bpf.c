// SPDX-License-Identifier: GPL-2.0
/*
 * lazy_activate - what a fault brings in has to be used before it is active
 *
 * Idea
 *	Read-ahead and fault-around bring in folios that nobody touches. If all of
 *	them are active they push out the real working set. One that is new counts
 *	as accessed once, whatever its kind, and becomes active by use.
 *
 * Source
 *	Barry Song, "use folio_mark_accessed to replace folio_set_active", v2.
 *	Linux 7.3 has a later form of it. What is left to differ is here; all the
 *	rest (the start in a fault, refaults) is left to the kernel.
 *
 * Rule
 *	insertion	anon that is not active goes by the rules of file folios: oldest
 *			generation, second oldest if used or marked workingset, second
 *			youngest if being reclaimed, but dirty or under writeback. The
 *			kernel puts anon outside the swap cache in the second youngest
 *	eviction	referenced a second time: active, but marked workingset only if
 *			it was active before
 *
 * When it helps
 *	Large sparse faults, anonymous and mapped.
 *
 * When not to use it
 *	Workloads whose new anonymous pages are used at once and again later: they
 *	have to survive two looks in the oldest generations first.
 *
 * Cost
 *	A call per folio put on the lists, and per young page.
 *
 * Limits
 *	MGLRU only; on the classic LRU nothing is different from the kernel.
 *
 * Tunables
 *	none
 *
 * Counters
 *	see struct lazy_activate_counters
 */
#include "mglru.bpf.h"
#include "lazy_activate.h"

char LICENSE[] SEC("license") = "GPL";

COUNTERS(struct lazy_activate_counters);

SEC("struct_ops/lazy_activate_place")
u32 BPF_PROG(lazy_activate_place, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	struct mglru_insertion in = mglru_inserted(f);

	if (!in.unswapped || in.active)
		return 0;
	in.unswapped = false;
	COUNT(anon_placed, 1);
	return answer_gen(mglru_place(&in));
}

SEC("struct_ops/lazy_activate_accessed")
u32 BPF_PROG(lazy_activate_accessed, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	if (f->what != RECLAIM_EXT_RMAP || f->refs < 2)
		return 0;
	if (f->state & RECLAIM_EXT_ACTIVE) {
		COUNT(marked, 1);
		return answer_refs(0) | RECLAIM_EXT_YOUNGEST | RECLAIM_EXT_MARK;
	}
	COUNT(unmarked, 1);
	return answer_refs(0) | RECLAIM_EXT_YOUNGEST;
}

POLICY_VERSION("1")
POLICY_KERNEL("7.3")
POLICY_IDEA("what a fault brings in has to be used before it is active")
POLICY_SOURCE("Barry Song, use folio_mark_accessed to replace folio_set_active, v2, 2026")
POLICY_USE("large sparse faults")
SEC(".struct_ops.link")
struct reclaim_ext_ops lazy_activate = {
	.place		= (void *)lazy_activate_place,
	.accessed	= (void *)lazy_activate_accessed,
	.flags		= RECLAIM_EXT_F_ACCESS_PT,
	/* the first reference is left to the kernel without a call */
	.access_refs	= 2,
	.name		= "lazy_activate",
};
