// SPDX-License-Identifier: GPL-2.0
/*
 * The test policy of the operations that decide about folios and batches:
 * answers as it is told, and writes down what it was asked.
 *
 * Which operations there are, flags and filters can be changed before it is loaded.
 */
#include "reclaim_ext.bpf.h"
#include "decide.h"

char LICENSE[] SEC("license") = "GPL";

struct decide_config config;
struct decide_seen seen[DECIDE_NR_OPS * DECIDE_WHATS * 2];	/* anon, file */
struct decide_batch balances, ages;
struct decide_budget budgets;

static __always_inline u64 folio_cgroup(struct folio *folio)
{
	/* the low bits are flags */
	unsigned long objcg = folio->memcg_data & ~7UL;

	if (!objcg)
		return 1;
	return BPF_CORE_READ(bpf_core_cast((void *)objcg, struct obj_cgroup),
			     memcg, css.cgroup, kn, id);
}

static __always_inline u64 lruvec_cgroup(struct lruvec *lruvec)
{
	struct mem_cgroup_per_node *mz;

	mz = bpf_core_cast((void *)lruvec - bpf_core_field_offset(struct mem_cgroup_per_node, lruvec),
			   struct mem_cgroup_per_node);
	return BPF_CORE_READ(mz, memcg, css.cgroup, kn, id);
}

static __always_inline bool wanted(struct folio *folio, u32 state)
{
	bool file = state & RECLAIM_EXT_FILE;

	if (config.type && file != (config.type == DECIDE_FILE))
		return false;
	if (!config.ino)
		return true;
	return file && folio->mapping->host->i_ino == config.ino;
}

static __always_inline void lower(u32 *to, u32 value, bool first)
{
	if (first || value < *to)
		*to = value;
}

static __always_inline void higher(u32 *to, u32 value)
{
	if (value > *to)
		*to = value;
}

static __always_inline struct decide_seen *see(u32 op, u32 what, struct folio *folio,
					       struct lruvec *lruvec, u32 state, u32 nr_pages,
					       u32 refs, u32 tier)
{
	struct decide_seen *s;
	bool first;

	s = &seen[(op * DECIDE_WHATS + (what & (DECIDE_WHATS - 1))) * 2 +
		  !!(state & RECLAIM_EXT_FILE)];
	first = !s->calls;
	if (first)
		s->state_all = s->stock_all = ~0ULL;
	__sync_fetch_and_add(&s->calls, 1);
	__sync_fetch_and_add(&s->pages, nr_pages);
	__sync_fetch_and_and(&s->state_all, state);
	__sync_fetch_and_or(&s->state_any, state);
	lower(&s->refs_min, refs, first);
	higher(&s->refs_max, refs);
	lower(&s->tier_min, tier, first);
	higher(&s->tier_max, tier);
	higher(&s->nr_pages_max, nr_pages);
	s->folio_cgroup = folio_cgroup(folio);
	s->lruvec_cgroup = lruvec_cgroup(lruvec);
	if (s->folio_cgroup != s->lruvec_cgroup)
		__sync_fetch_and_add(&s->wrong_lruvec, 1);
	/* only large folios have their size in the second struct page */
	if (folio->flags.f & (1UL << PG_head) ? nr_pages == 1 : nr_pages != 1)
		__sync_fetch_and_add(&s->wrong_size, 1);
	return s;
}

static __always_inline u32 decide(u32 op, struct folio *folio, struct lruvec *lruvec,
				  struct reclaim_ext_folio_ctx *ev)
{
	u32 state = ev->state, what = ev->what, refs = ev->refs;
	struct decide_seen *s;
	bool first;

	if (!wanted(folio, state))
		return 0;
	s = see(op, what, folio, lruvec, state, ev->nr_pages, refs, ev->tier);
	first = s->calls == 1;
	if (ev->executable)
		__sync_fetch_and_add(&s->executable, 1);
	if (ev->tail)
		__sync_fetch_and_add(&s->tail, 1);
	__sync_fetch_and_and(&s->stock_all, ev->stock);
	__sync_fetch_and_or(&s->stock_any, ev->stock);
	lower(&s->gen_min, ev->gen, first);
	higher(&s->gen_max, ev->gen);
	lower(&s->nr_gens_min, ev->nr_gens, first);
	higher(&s->nr_gens_max, ev->nr_gens);
	lower(&s->priority_min, ev->priority, first);
	higher(&s->priority_max, ev->priority);
	higher(&s->tier_idx_max, ev->tier_idx);
	higher(&s->protected_max, ev->protected);
	if (op == DECIDE_ACCESSED && config.count)
		return answer_refs(refs < config.count ? refs + 1 : refs);
	return config.answer[op * DECIDE_WHATS + (what & (DECIDE_WHATS - 1))];
}

SEC("struct_ops/decide_admit")
u32 BPF_PROG(decide_admit, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	return decide(DECIDE_ADMIT, folio, lruvec, ev);
}

SEC("struct_ops/decide_place")
u32 BPF_PROG(decide_place, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	return decide(DECIDE_PLACE, folio, lruvec, ev);
}

SEC("struct_ops/decide_accessed")
u32 BPF_PROG(decide_accessed, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	return decide(DECIDE_ACCESSED, folio, lruvec, ev);
}

SEC("struct_ops/decide_sort")
u32 BPF_PROG(decide_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	return decide(DECIDE_SORT, folio, lruvec, ev);
}

SEC("struct_ops/decide_evicted")
u32 BPF_PROG(decide_evicted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	if (wanted(folio, ev->state))
		see(DECIDE_EVICTED, 0, folio, lruvec, ev->state, ev->nr_pages, ev->refs, ev->tier);
	return 0;
}

SEC("struct_ops/decide_refaulted")
u64 BPF_PROG(decide_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	if (!wanted(folio, re->state))
		return 0;
	see(DECIDE_REFAULTED, 0, folio, lruvec, re->state, re->nr_pages, re->refs, re->tier);
	return config.refaulted;
}

static __always_inline u32 batch(struct decide_batch *b, struct lruvec *lruvec,
				 struct reclaim_ext_batch_ctx *ev, u32 answer)
{
	bool first = !b->calls;

	if (config.cgroup && lruvec_cgroup(lruvec) != config.cgroup)
		return 0;
	if (first)
		b->stock_all = ~0U;
	b->calls++;
	b->memcg += ev->memcg;
	lower(&b->swappiness_min, ev->swappiness, first);
	higher(&b->swappiness_max, ev->swappiness);
	lower(&b->priority_min, ev->priority, first);
	higher(&b->priority_max, ev->priority);
	lower(&b->gens_min, ev->nr_gens_anon, first);
	lower(&b->gens_min, ev->nr_gens_file, false);
	higher(&b->gens_max, ev->nr_gens_anon);
	higher(&b->gens_max, ev->nr_gens_file);
	b->stock_all &= ev->stock;
	b->stock_any |= ev->stock;
	return answer;
}

SEC("struct_ops/decide_balance")
u32 BPF_PROG(decide_balance, struct lruvec *lruvec, struct reclaim_ext_batch_ctx *ev)
{
	return batch(&balances, lruvec, ev, config.balance);
}

SEC("struct_ops/decide_age")
u32 BPF_PROG(decide_age, struct lruvec *lruvec, struct reclaim_ext_batch_ctx *ev)
{
	return batch(&ages, lruvec, ev, config.age);
}

SEC("struct_ops/decide_shadow_budget")
u64 BPF_PROG(decide_shadow_budget, struct lruvec *lruvec, u64 nodes, u64 pages)
{
	if (config.cgroup && lruvec_cgroup(lruvec) != config.cgroup)
		return 0;
	budgets.calls++;
	if (nodes > budgets.nodes_max)
		budgets.nodes_max = nodes;
	if (pages > budgets.pages_max)
		budgets.pages_max = pages;
	return config.budget;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops decide_ops = {
	.admit		= (void *)decide_admit,
	.place		= (void *)decide_place,
	.accessed	= (void *)decide_accessed,
	.sort		= (void *)decide_sort,
	.evicted	= (void *)decide_evicted,
	.refaulted	= (void *)decide_refaulted,
	.balance	= (void *)decide_balance,
	.age		= (void *)decide_age,
	.shadow_budget	= (void *)decide_shadow_budget,
	.cookie_format	= 0x7e57,
	.name		= "decide",
};
