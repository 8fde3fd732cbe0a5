// SPDX-License-Identifier: GPL-2.0
/*
 * The test policy: answers as it is told, and writes down what it was asked.
 *
 * Name, cookie_format and which operations there are can be changed before it
 * is loaded.
 */
#include "reclaim_ext.bpf.h"
#include "probe.h"

char LICENSE[] SEC("license") = "GPL";

struct probe_config config;
struct probe_seen evicted[2];		/* anon, file */
struct probe_seen refaulted[2];
struct probe_snapshot snapshot;
struct probe_life life;

static __always_inline u64 cgroup_of(struct folio *folio)
{
	/* the low bits are flags */
	unsigned long objcg = folio->memcg_data & ~7UL;

	if (!objcg)
		return 1;
	return BPF_CORE_READ(bpf_core_cast((void *)objcg, struct obj_cgroup),
			     memcg, css.cgroup, kn, id);
}

static __always_inline bool wanted(struct folio *folio, u32 state)
{
	if (!config.ino)
		return true;
	if (!(state & RECLAIM_EXT_FILE))
		return false;
	return folio->mapping->host->i_ino == config.ino;
}

/* Who is it? Index of a file page, else offset in swap. */
static __always_inline u32 identity(struct folio *folio, u32 state)
{
	u64 id = folio->index;

	/* the verifier takes what is read there for a pointer, ->private */
	if (state & RECLAIM_EXT_SWAPCACHE)
		bpf_probe_read_kernel(&id, sizeof(id), &folio->swap.val);
	return id & ((1U << RECLAIM_EXT_COOKIE_BITS) - 1);
}

static __always_inline void see(struct probe_seen *s, struct folio *folio, u32 state,
				u32 nr_pages, u32 refs, u32 tier)
{
	u64 cgroup = cgroup_of(folio);

	if (!s->calls) {
		s->state_all = s->shadow_all = s->stock_all = ~0ULL;
		s->refs_min = refs;
		s->tier_min = tier;
		s->folio_cgroup = cgroup;
	}
	if (s->folio_cgroup != cgroup) {
		s->folio_cgroup = cgroup;
		__sync_fetch_and_add(&s->cgroup_changes, 1);
	}
	__sync_fetch_and_add(&s->calls, 1);
	__sync_fetch_and_add(&s->pages, nr_pages);
	__sync_fetch_and_and(&s->state_all, state);
	__sync_fetch_and_or(&s->state_any, state);
	if (refs < s->refs_min)
		s->refs_min = refs;
	if (refs > s->refs_max)
		s->refs_max = refs;
	if (tier < s->tier_min)
		s->tier_min = tier;
	if (tier > s->tier_max)
		s->tier_max = tier;
	if (nr_pages > s->nr_pages_max)
		s->nr_pages_max = nr_pages;
	/* only large folios have their size in the second struct page */
	if (folio->flags.f & (1UL << PG_head) ? nr_pages == 1 : nr_pages != 1)
		__sync_fetch_and_add(&s->wrong_size, 1);
}

SEC("struct_ops/probe_evicted")
u32 BPF_PROG(probe_evicted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	u32 state = ev->state;

	if (!wanted(folio, state))
		return 0;
	see(&evicted[!!(state & RECLAIM_EXT_FILE)], folio, state, ev->nr_pages, ev->refs,
	    ev->tier);
	if (config.exit_on_evicted)
		bpf_reclaim_ext_exit(lruvec, config.exit_code);

	switch (config.cookie) {
	case PROBE_COOKIE_INDEX:
		return RECLAIM_EXT_COOKIE | identity(folio, state);
	case PROBE_COOKIE_RAW:
		return config.raw;
	}
	return 0;
}

static __always_inline void take_snapshot(struct lruvec *lruvec)
{
	struct mem_cgroup_per_node *mz;
	u64 beyond = 0;
	u32 i;

	for (i = 0; i < 8; i++)
		snapshot.gen_pages[i] = bpf_reclaim_ext_gen_pages(lruvec, i / 4, i % 4);
	for (i = 4; i < 8; i++)
		beyond += bpf_reclaim_ext_gen_pages(lruvec, 0, i) +
			  bpf_reclaim_ext_gen_pages(lruvec, 1, i);
	snapshot.gen_pages_beyond = beyond + bpf_reclaim_ext_gen_pages(lruvec, 1, 0xffffffff);
	for (i = 0; i < 4; i++)
		snapshot.lru_pages[i] = bpf_reclaim_ext_lru_pages(lruvec, i / 2, i % 2);
	snapshot.eviction_clock = bpf_reclaim_ext_eviction_clock(lruvec);
	snapshot.refault_clock = bpf_reclaim_ext_refault_clock(lruvec);
	snapshot.free_swap = bpf_reclaim_ext_free_swap(lruvec);
	snapshot.cgroup_id = bpf_reclaim_ext_cgroup_id(lruvec);
	mz = bpf_core_cast((void *)lruvec - bpf_core_field_offset(struct mem_cgroup_per_node, lruvec),
			   struct mem_cgroup_per_node);
	snapshot.lruvec_cgroup = BPF_CORE_READ(mz, memcg, css.cgroup, kn, id);
	snapshot.evicted_pages = evicted[0].pages + evicted[1].pages;
}

SEC("struct_ops/probe_refaulted")
u64 BPF_PROG(probe_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	u32 state = re->state, shadow = re->shadow;
	struct probe_seen *s = &refaulted[!!(state & RECLAIM_EXT_FILE)];

	if (!wanted(folio, state))
		return 0;
	see(s, folio, state, re->nr_pages, re->refs, re->tier);
	__sync_fetch_and_and(&s->shadow_all, shadow);
	__sync_fetch_and_or(&s->shadow_any, shadow);
	if (shadow & RECLAIM_EXT_SHADOW_RECENT)
		__sync_fetch_and_add(&s->recent, 1);
	__sync_fetch_and_and(&s->stock_all, re->stock);
	__sync_fetch_and_or(&s->stock_any, re->stock);

	if (!(shadow & RECLAIM_EXT_SHADOW_COOKIE)) {
		__sync_fetch_and_add(&s->no_cookie, 1);
		/* and then there is none to be seen */
		if (re->cookie)
			__sync_fetch_and_add(&s->mismatch, 1);
	} else {
		s->cookie = re->cookie;
		if (re->cookie == identity(folio, state))
			__sync_fetch_and_add(&s->match, 1);
		else
			__sync_fetch_and_add(&s->mismatch, 1);
	}
	if (config.snapshot)
		take_snapshot(lruvec);
	if (config.exit_on_refaulted)
		bpf_reclaim_ext_exit(lruvec, config.exit_code);
	return config.decision;
}

SEC("struct_ops.s/probe_attach")
s32 BPF_PROG(probe_attach, struct reclaim_ext_attach_ctx *where)
{
	__sync_fetch_and_add(&life.attach_calls, 1);
	life.attach_cgroup = where->cgroup_id;
	life.totalram_pages = where->totalram_pages;
	life.cookie_bits = where->cookie_bits;
	life.replaces = where->replaces;
	return config.attach_err;
}

SEC("struct_ops.s/probe_detach")
void BPF_PROG(probe_detach, struct reclaim_ext_attach_ctx *where)
{
	__sync_fetch_and_add(&life.detach_calls, 1);
	life.detach_cgroup = where->cgroup_id;
	if (life.exit_calls == life.detach_calls)
		__sync_fetch_and_add(&life.detach_after_exit, 1);
}

SEC("struct_ops.s/probe_exit")
void BPF_PROG(probe_exit, struct reclaim_ext_exit_info *info)
{
	__sync_fetch_and_add(&life.exit_calls, 1);
	life.exit_cgroup = info->cgroup_id;
	life.exit_kind = info->kind;
	life.exit_code = info->code;
	bpf_probe_read_kernel_str(life.exit_reason, sizeof(life.exit_reason), info->reason);
	bpf_probe_read_kernel_str(life.exit_msg, sizeof(life.exit_msg), info->msg);
}

SEC(".struct_ops.link")
struct reclaim_ext_ops probe = {
	.evicted	= (void *)probe_evicted,
	.refaulted	= (void *)probe_refaulted,
	.attach		= (void *)probe_attach,
	.detach		= (void *)probe_detach,
	.exit		= (void *)probe_exit,
	.cookie_format	= 0x7e57,
	.name		= "probe",
};
