// SPDX-License-Identifier: GPL-2.0
/*
 * mine - a policy to begin with: policies/README.md goes through it
 *
 * Idea
 *	A folio that comes back, and had been used more than once before it was
 *	evicted, starts active.
 *
 * Tunables
 *	min_refs	accesses counted at eviction that are enough, 1 to 7, default 2
 */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

u32 min_refs TUNABLE UNIT("accesses") RANGE(1, 7)
	DOC("counted when the folio was evicted, so many are enough") = 2;

struct mine_counters {
	u64 active	DOC("refaults that start active");
	u64 others	DOC("refaults left to the kernel");
};
COUNTERS(struct mine_counters);

SEC("struct_ops/mine_refaulted")
u64 BPF_PROG(mine_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	if (re->refs < min_refs) {
		COUNT(others, 1);
		return 0;
	}
	COUNT(active, 1);
	/* all that the kernel would do, and this */
	return re->stock | RECLAIM_EXT_REFAULT_ACTIVE | RECLAIM_EXT_REFAULT_ACTIVATE;
}

POLICY_VERSION("1")
POLICY_KERNEL("7.3")
POLICY_IDEA("a folio that was used more than once before its eviction starts active")
SEC(".struct_ops.link")
struct reclaim_ext_ops mine = {
	.refaulted	= (void *)mine_refaulted,
	.name		= "mine",
};
