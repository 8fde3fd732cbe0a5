// SPDX-License-Identifier: GPL-2.0
/*
 * eager_activate - what a fault brings in is active
 *
 * Idea
 *	What the multi-gen LRU did before it became lazier: every folio that is
 *	added in a page fault starts active, in the second youngest generation, or
 *	in the youngest if it was part of the working set. It is here to be compared
 *	with: read-ahead and fault-around activate what nobody touches.
 *
 * Source
 *	folio_add_lru() before Barry Song's "use folio_mark_accessed to replace
 *	folio_set_active".
 *
 * Rule
 *	added in a fault, not by reclaim itself	active
 *	all else				as the kernel
 *
 * When it helps
 *	Mapped sets that are used densely and fit.
 *
 * When not to use it
 *	Sparse mapped access: read-ahead pushes out the working set.
 *
 * Cost
 *	A call per folio added.
 *
 * Limits
 *	MGLRU only.
 *
 * Tunables
 *	none
 *
 * Counters
 *	see struct eager_activate_counters
 */
#include "reclaim_ext.bpf.h"
#include "eager_activate.h"

char LICENSE[] SEC("license") = "GPL";

COUNTERS(struct eager_activate_counters);

SEC("struct_ops/eager_activate_admit")
u32 BPF_PROG(eager_activate_admit, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	if (!(f->state & RECLAIM_EXT_IN_FAULT))
		return 0;
	COUNT(activated, 1);
	return RECLAIM_EXT_DECIDE | RECLAIM_EXT_YOUNGEST;
}

POLICY_VERSION("1")
POLICY_KERNEL("7.3")
POLICY_IDEA("what a fault brings in is active")
POLICY_SOURCE("folio_add_lru() of older kernels")
POLICY_USE("to compare with lazy_activate and the kernel's own rules")
SEC(".struct_ops.link")
struct reclaim_ext_ops eager_activate = {
	.admit		= (void *)eager_activate_admit,
	.name		= "eager_activate",
};
