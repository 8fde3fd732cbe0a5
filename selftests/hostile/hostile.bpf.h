/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the hostile policies share: each is named after its file, and is nothing
 * but wrong on purpose. See hostile.c for what must become of each.
 */
#ifndef _SELFTESTS_HOSTILE_BPF_H
#define _SELFTESTS_HOSTILE_BPF_H

#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define FORMAT	0x7e57

/* Operations, each followed by its body. */
#define FOLIO_OP(op)							\
	SEC("struct_ops/" #op)						\
	u32 BPF_PROG(op, struct folio *folio, struct lruvec *lruvec,	\
		     struct reclaim_ext_folio_ctx *ev)
#define BATCH_OP(op)							\
	SEC("struct_ops/" #op)						\
	u32 BPF_PROG(op, struct lruvec *lruvec, struct reclaim_ext_batch_ctx *ev)
#define EVICTED_OP							\
	SEC("struct_ops/evicted")					\
	u32 BPF_PROG(evicted, struct folio *folio, struct lruvec *lruvec,	\
		     struct reclaim_ext_evict_ctx *ev)
#define REFAULTED_OP							\
	SEC("struct_ops/refaulted")					\
	u64 BPF_PROG(refaulted, struct folio *folio, struct lruvec *lruvec,	\
		     struct reclaim_ext_refault_ctx *ev)
#define BUDGET_OP							\
	SEC("struct_ops/shadow_budget")					\
	u64 BPF_PROG(shadow_budget, struct lruvec *lruvec, u64 nodes, u64 pages)

/* .op = OP(op), in the policy itself */
#define OP(op)	((void *)op)
#define HOSTILE	SEC(".struct_ops.link") struct reclaim_ext_ops hostile

/* Seeded, so that runs are alike; two CPUs may get the same number. */
static u64 rng_state = 0x9e3779b97f4a7c15ULL;

static __always_inline u64 rng(void)
{
	u64 x = rng_state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	rng_state = x;
	return x;
}

/* Another answer each time. */
static u64 turns;

static __always_inline bool turn(void)
{
	return __sync_fetch_and_add(&turns, 1) & 1;
}

static __always_inline u32 youngest_gen(struct reclaim_ext_folio_ctx *ev)
{
	return answer_gen(ev->nr_gens - 1);
}

#endif /* _SELFTESTS_HOSTILE_BPF_H */
