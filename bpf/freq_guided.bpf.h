/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the hooks and the rules in policies/freq_guided.h, for policies that
 * follow these rules for all folios or for some.
 */
#ifndef _FREQ_GUIDED_BPF_H
#define _FREQ_GUIDED_BPF_H

#include "reclaim_ext.bpf.h"
#include "../policies/freq_guided.h"

static __always_inline struct fg_accessed fg_on_access(const struct reclaim_ext_folio_ctx *f)
{
	enum fg_access_kind kind = FG_ACCESS_PT;

	if (f->what == RECLAIM_EXT_FD)
		kind = FG_ACCESS_FD;
	else if (f->what == RECLAIM_EXT_RMAP)
		kind = FG_ACCESS_RMAP;
	return fg_access(kind, f->refs, f->gen, f->nr_gens,
			 f->state & RECLAIM_EXT_WORKINGSET, f->executable);
}

static __always_inline u32 fg_access_answer(const struct reclaim_ext_folio_ctx *f,
					    const struct fg_accessed *a)
{
	u32 ret = answer_refs(a->count);

	if (a->move == FG_YOUNGEST)
		return ret | RECLAIM_EXT_YOUNGEST;
	if (a->move == FG_UP)
		return ret | RECLAIM_EXT_UP;
	return f->what == RECLAIM_EXT_RMAP ? ret | RECLAIM_EXT_KEEP : ret;
}

static __always_inline u32 fg_on_place(const struct reclaim_ext_folio_ctx *f)
{
	struct fg_insertion in = {
		.count = f->what == RECLAIM_EXT_DEACTIVATED ? 0 : f->refs,
		.nr_gens = f->nr_gens,
		.active = f->state & RECLAIM_EXT_ACTIVE,
		.rotated = f->what == RECLAIM_EXT_ROTATED,
		.unswapped = !(f->state & (RECLAIM_EXT_FILE | RECLAIM_EXT_SWAPCACHE)),
		.reclaim_dirty = f->state & RECLAIM_EXT_RECLAIM &&
				 f->state & (RECLAIM_EXT_DIRTY | RECLAIM_EXT_WRITEBACK),
		.put_back = f->what == RECLAIM_EXT_PUT_BACK,
	};
	struct fg_placed p = fg_place(&in);

	return answer_gen(p.gen) | answer_refs(p.count);
}

/* Evict, or protect by the tier; what becomes of the count if it has to move. */
static __always_inline u32 fg_on_sort(const struct reclaim_ext_folio_ctx *f)
{
	if (f->what == RECLAIM_EXT_DEFERRED)
		return answer_refs(fg_min(f->refs, FG_CAP_PROMOTED));
	if (f->what == RECLAIM_EXT_CLOSED)
		return answer_refs(fg_min(f->refs, FG_CAP_PROTECTED));
	if (fg_tier(f->refs) > f->tier_idx)
		return answer_gen(1) | answer_refs(fg_min(f->refs, FG_CAP_PROTECTED));
	return RECLAIM_EXT_DECIDE | RECLAIM_EXT_EVICT;
}

/* The tier up to which folios of a type are evicted. */
static __always_inline u32 fg_type_tier_idx(struct lruvec *lruvec, u32 file, u32 gain)
{
	struct fg_tier_pos pos[FG_NR_TIERS];
	u32 tier;

	for (tier = 0; tier < FG_NR_TIERS; tier++) {
		pos[tier].refaulted = bpf_reclaim_ext_tier_refaulted(lruvec, file, tier);
		pos[tier].total = bpf_reclaim_ext_tier_total(lruvec, file, tier);
	}
	return fg_tier_idx(pos, gain);
}

/* The refault of a folio with @count when it was evicted, not long ago. */
static __always_inline u64 fg_refault_answer(const struct reclaim_ext_refault_ctx *re, u32 count)
{
	u64 ret = RECLAIM_EXT_REFAULT | refault_refs(fg_min(count, FG_CAP_PROMOTED)) |
		  RECLAIM_EXT_REFAULT_CHARGE | refault_tier(fg_tier(count));

	if (count >= 1 && re->state & RECLAIM_EXT_IN_FAULT)
		ret |= RECLAIM_EXT_REFAULT_ACTIVE | RECLAIM_EXT_REFAULT_ACTIVATE;
	/* the mark is for pressure stall information: it ends with the placement */
	if (count >= 2)
		ret |= RECLAIM_EXT_REFAULT_RESTORE | RECLAIM_EXT_REFAULT_WORKINGSET;
	return ret;
}

#endif /* _FREQ_GUIDED_BPF_H */
