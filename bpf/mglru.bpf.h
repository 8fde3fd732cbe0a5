/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the hooks and the kernel's own rules in policies/mglru.h, for policies
 * that follow them for some decisions.
 */
#ifndef _MGLRU_BPF_H
#define _MGLRU_BPF_H

#include "reclaim_ext.bpf.h"
#include "../policies/mglru.h"

static __always_inline struct mglru_insertion mglru_inserted(const struct reclaim_ext_folio_ctx *f)
{
	struct mglru_insertion in = {
		.nr_gens = f->nr_gens,
		.active = f->state & RECLAIM_EXT_ACTIVE,
		.workingset = f->state & RECLAIM_EXT_WORKINGSET,
		.used = f->refs > 0,
		.rotated = f->tail,
		.unswapped = !(f->state & (RECLAIM_EXT_FILE | RECLAIM_EXT_SWAPCACHE)),
		.reclaim_dirty = f->state & RECLAIM_EXT_RECLAIM &&
				 f->state & (RECLAIM_EXT_DIRTY | RECLAIM_EXT_WRITEBACK),
	};

	return in;
}

static __always_inline struct mglru_pos mglru_pos_of(struct lruvec *lruvec, u32 file, u32 tier)
{
	struct mglru_pos pos = {
		.refaulted = bpf_reclaim_ext_tier_refaulted(lruvec, file, tier),
		.total = bpf_reclaim_ext_tier_total(lruvec, file, tier),
	};

	return pos;
}

static __always_inline void mglru_read_tiers(struct lruvec *lruvec, u32 file,
					     struct mglru_pos pos[MGLRU_TIERS])
{
	u32 tier;

	for (tier = 0; tier < MGLRU_TIERS; tier++)
		pos[tier] = mglru_pos_of(lruvec, file, tier);
}

static __always_inline struct mglru_pos mglru_sum(const struct mglru_pos pos[MGLRU_TIERS])
{
	struct mglru_pos sum = {};
	u32 tier;

	for (tier = 0; tier < MGLRU_TIERS; tier++) {
		sum.refaulted += pos[tier].refaulted;
		sum.total += pos[tier].total;
	}
	return sum;
}

/* What the kernel does about a refault, but for the count of unmarked folios. */
static __always_inline u64 mglru_on_refault(const struct reclaim_ext_refault_ctx *re)
{
	bool workingset = re->shadow & RECLAIM_EXT_SHADOW_WORKINGSET;
	bool fault = re->state & RECLAIM_EXT_IN_FAULT;
	bool reclaimer = re->state & RECLAIM_EXT_RECLAIMER;
	u64 ret = RECLAIM_EXT_REFAULT;

	/* dead: the entry names the root, so it is foreign to any other folio */
	if (re->shadow & RECLAIM_EXT_SHADOW_RECENT &&
	    !(re->shadow & RECLAIM_EXT_SHADOW_FOREIGN)) {
		ret |= RECLAIM_EXT_REFAULT_CHARGE | refault_tier(mglru_tier(re->refs, workingset));
		if (workingset) {
			ret |= RECLAIM_EXT_REFAULT_WORKINGSET | RECLAIM_EXT_REFAULT_RESTORE;
			if (fault)
				ret |= RECLAIM_EXT_REFAULT_ACTIVATE;
			if (fault && !reclaimer)
				ret |= RECLAIM_EXT_REFAULT_ACTIVE;
			return ret;
		}
	}
	/*
	 * The fault counts as an access, which folio_add_lru() does where no
	 * policy decides. The accesses that the kernel restores for recent
	 * folios come without the referenced flag: none is counted until the
	 * first access, and that one starts over. So there is nothing to return.
	 */
	if (fault && !reclaimer)
		ret |= refault_refs(1);
	return ret;
}

/* The same on the classic LRU. */
static __always_inline u64 mglru_on_classic_refault(const struct reclaim_ext_refault_ctx *re)
{
	u64 ret = RECLAIM_EXT_REFAULT;

	if (!(re->shadow & RECLAIM_EXT_SHADOW_RECENT))
		return ret;
	ret |= RECLAIM_EXT_REFAULT_ACTIVE | RECLAIM_EXT_REFAULT_ACTIVATE;
	if (re->shadow & RECLAIM_EXT_SHADOW_WORKINGSET)
		ret |= RECLAIM_EXT_REFAULT_WORKINGSET | RECLAIM_EXT_REFAULT_RESTORE;
	return ret;
}

#endif /* _MGLRU_BPF_H */
