// SPDX-License-Identifier: GPL-2.0
/*
 * fixed - protect what was used twice, activate what comes back
 *
 * Idea
 *	The multi-gen LRU of 7.3 protects at insertion whatever has one access
 *	counted, which a fault gives to everything, and activates a refault only if
 *	it was marked as working set. This takes both back in part: protection at
 *	insertion wants more than one access, and a recent refault in a fault is
 *	reason enough to be active.
 *
 * Source
 *	Kairui Song, the FIXED arm of the comparison of November 2026.
 *
 * Rule
 *	insertion	not active: second oldest generation if marked workingset or
 *			with more than one access counted; the rest as the kernel
 *	refault		recent, in a page fault: active, with the mark or without,
 *			workingset_activate; the rest as the kernel
 *
 * When it helps
 *	As an arm to compare with.
 *
 * When not to use it
 *	Sets beyond memory read through page tables: every refault is activated and
 *	all of it cycles.
 *
 * Cost
 *	A call per folio put on the lists and per refault.
 *
 * Limits
 *	The classic LRU is left to the kernel.
 *
 * Tunables
 *	none
 *
 * Counters
 *	see struct fixed_counters
 */
#include "mglru.bpf.h"
#include "fixed.h"

char LICENSE[] SEC("license") = "GPL";

COUNTERS(struct fixed_counters);

SEC("struct_ops/fixed_place")
u32 BPF_PROG(fixed_place, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	struct mglru_insertion in = mglru_inserted(f);

	/* otherwise the rules are the same */
	if (f->refs != 1 || in.workingset || in.active)
		return 0;
	in.used = false;
	COUNT(oldest, 1);
	return answer_gen(mglru_place(&in));
}

SEC("struct_ops/fixed_refaulted")
u64 BPF_PROG(fixed_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	u64 ret;

	if (!(re->state & RECLAIM_EXT_MGLRU) || !(re->state & RECLAIM_EXT_IN_FAULT) ||
	    re->shadow & (RECLAIM_EXT_SHADOW_FOREIGN | RECLAIM_EXT_SHADOW_WORKINGSET) ||
	    !(re->shadow & RECLAIM_EXT_SHADOW_RECENT))
		return 0;

	ret = mglru_on_refault(re) | RECLAIM_EXT_REFAULT_ACTIVATE;
	if (!(re->state & RECLAIM_EXT_RECLAIMER))
		ret |= RECLAIM_EXT_REFAULT_ACTIVE;
	COUNT(activated, 1);
	return ret;
}

POLICY_VERSION("1")
POLICY_KERNEL("7.3")
POLICY_IDEA("protect what was used twice, activate what comes back")
POLICY_SOURCE("Kairui Song, the FIXED arm, November 2026")
POLICY_USE("to compare with")
SEC(".struct_ops.link")
struct reclaim_ext_ops fixed = {
	.place		= (void *)fixed_place,
	.refaulted	= (void *)fixed_refaulted,
	.name		= "fixed",
};
