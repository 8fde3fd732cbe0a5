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
 *	lru_gen_refault(), workingset_refault() and folio_add_lru() of Linux 7.3.
 *
 * Rule
 *	A folio evicted recently, from this lruvec, charges its tier in the
 *	histogram of the oldest generation. With the workingset mark: gets the
 *	mark back (workingset_restore), and in a page fault starts active
 *	(workingset_activate). All others: in a page fault, count one access.
 *
 *	Classic LRU: a folio evicted recently starts active (workingset_activate),
 *	and gets its mark back (workingset_restore).
 *
 *	Whether an eviction was recent is an input: the test of the classic LRU
 *	needs the memcg's statistics flushed, which may sleep, and the hook must
 *	not.
 *
 *	At eviction the kernel's rules leave no cookie, so there is no operation.
 *
 * When not to use it
 *	As a policy it changes nothing, and costs a call per refault.
 *
 * Tunables
 *	differential	1: compare each answer with the kernel's own decision and
 *			count those that differ; 0 or 1, default 0
 *	mutate		1: wrong on purpose, every refault in a fault starts active,
 *			to see `differ` count; 0 or 1, default 0
 *
 * Counters
 *	see struct stock_counters
 */
#include "reclaim_ext.bpf.h"
#include "stock.h"

char LICENSE[] SEC("license") = "GPL";

u32 differential TUNABLE RANGE(0, 1)
	DOC("1: count the answers that differ from the kernel's own") = 0;
u32 mutate TUNABLE RANGE(0, 1)
	DOC("1: wrong on purpose, every refault in a fault starts active") = 0;

COUNTERS(struct stock_counters);

/* Without the mark: the logarithm of the accesses, 1 stands for none, too. */
static __always_inline u32 tier_of(u32 refs, bool workingset)
{
	if (workingset)
		return 3;
	if (refs <= 1)
		return 0;
	return refs == 2 ? 1 : 2;
}

static __always_inline u64 decide_mglru(struct reclaim_ext_refault_ctx *re)
{
	bool workingset = re->shadow & RECLAIM_EXT_SHADOW_WORKINGSET;
	bool fault = re->state & RECLAIM_EXT_IN_FAULT;
	bool reclaimer = re->state & RECLAIM_EXT_RECLAIMER;
	bool recent = re->shadow & RECLAIM_EXT_SHADOW_RECENT;
	u64 ret = RECLAIM_EXT_REFAULT;

	/* dead: the entry names the root, so it is foreign to any other folio */
	if (recent && !(re->shadow & RECLAIM_EXT_SHADOW_FOREIGN)) {
		ret |= RECLAIM_EXT_REFAULT_CHARGE | refault_tier(tier_of(re->refs, workingset));
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

static __always_inline u64 decide_classic(struct reclaim_ext_refault_ctx *re)
{
	u64 ret = RECLAIM_EXT_REFAULT;

	if (!(re->shadow & RECLAIM_EXT_SHADOW_RECENT))
		return ret;
	ret |= RECLAIM_EXT_REFAULT_ACTIVE | RECLAIM_EXT_REFAULT_ACTIVATE;
	if (re->shadow & RECLAIM_EXT_SHADOW_WORKINGSET)
		ret |= RECLAIM_EXT_REFAULT_WORKINGSET | RECLAIM_EXT_REFAULT_RESTORE;
	return ret;
}

SEC("struct_ops/stock_refaulted")
u64 BPF_PROG(stock_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	u64 ret;

	ret = re->state & RECLAIM_EXT_MGLRU ? decide_mglru(re) : decide_classic(re);
	if (mutate && (re->state & RECLAIM_EXT_IN_FAULT))
		ret |= RECLAIM_EXT_REFAULT_ACTIVE;
	COUNT(refaulted, 1);
	if (differential && ret != re->stock)
		COUNT(differ, 1);
	return ret;
}

POLICY_VERSION("1")
POLICY_KERNEL("7.3")
POLICY_IDEA("the kernel's own decisions about refaults, taken in BPF")
POLICY_SOURCE("mm/vmscan.c, mm/workingset.c and mm/swap.c of Linux 7.3")
POLICY_USE("to compare with, and to swap back to the default rules without detaching")
SEC(".struct_ops.link")
struct reclaim_ext_ops stock = {
	.refaulted	= (void *)stock_refaulted,
	.name		= "stock",
};
