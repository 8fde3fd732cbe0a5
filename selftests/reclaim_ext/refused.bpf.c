// SPDX-License-Identifier: GPL-2.0
/*
 * Programs and policies that must not load. Each map is off until a test turns
 * it on, and with it the programs that it names.
 */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("?struct_ops.s/sleepable_evicted")
u32 BPF_PROG(sleepable_evicted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	return 0;
}

SEC("?struct_ops.s/sleepable_refaulted")
u64 BPF_PROG(sleepable_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	return 0;
}

SEC("?struct_ops/write_ctx")
u32 BPF_PROG(write_ctx, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	ev->refs = 3;
	return 0;
}

SEC("?struct_ops/write_refault_ctx")
u64 BPF_PROG(write_refault_ctx, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	re->stock = 0;
	return 0;
}

SEC("?struct_ops/write_folio")
u32 BPF_PROG(write_folio, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	folio->flags.f = 0;
	return 0;
}

SEC("?struct_ops/write_lruvec")
u32 BPF_PROG(write_lruvec, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	lruvec->lrugen.max_seq = 0;
	return 0;
}

/* an lruvec that nobody vouches for */
SEC("?struct_ops/wild_lruvec")
u32 BPF_PROG(wild_lruvec, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	struct lruvec *wild = bpf_core_cast((void *)ev, struct lruvec);

	return bpf_reclaim_ext_eviction_clock(wild);
}

SEC("?struct_ops/past_the_end")
u32 BPF_PROG(past_the_end, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	return ((u32 *)ev)[sizeof(*ev) / sizeof(u32)];
}

#define REFUSED(map, op, prog)						\
	SEC("?.struct_ops.link")					\
	struct reclaim_ext_ops map = {					\
		.op		= (void *)prog,				\
		.cookie_format	= 0x7e57,				\
		.name		= #map,					\
	}

REFUSED(r_sleepable_evicted, evicted, sleepable_evicted);
REFUSED(r_sleepable_refaulted, refaulted, sleepable_refaulted);
REFUSED(r_write_ctx, evicted, write_ctx);
REFUSED(r_write_refault_ctx, refaulted, write_refault_ctx);
REFUSED(r_write_folio, evicted, write_folio);
REFUSED(r_write_lruvec, evicted, write_lruvec);
REFUSED(r_wild_lruvec, evicted, wild_lruvec);
REFUSED(r_past_the_end, evicted, past_the_end);

/* A kfunc in a program of another type. */
SEC("?fentry/workingset_refault")
int BPF_PROG(tracing_kfunc, struct folio *folio, void *shadow)
{
	struct lruvec *lruvec = bpf_core_cast((void *)folio, struct lruvec);

	return bpf_reclaim_ext_cgroup_id(lruvec);
}

/* And in one of another struct_ops type. */
SEC("?struct_ops/other_ssthresh")
u32 BPF_PROG(other_ssthresh, struct sock *sk)
{
	struct lruvec *lruvec = bpf_core_cast((void *)sk, struct lruvec);

	return bpf_reclaim_ext_cgroup_id(lruvec);
}

SEC("?struct_ops/tcp_ssthresh")
u32 BPF_PROG(tcp_ssthresh, struct sock *sk)
{
	return 2;
}

SEC("?struct_ops/tcp_undo_cwnd")
u32 BPF_PROG(tcp_undo_cwnd, struct sock *sk)
{
	return 2;
}

SEC("?struct_ops/tcp_cong_avoid")
void BPF_PROG(tcp_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
}

SEC("?.struct_ops.link")
struct tcp_congestion_ops r_other_type = {
	.ssthresh	= (void *)other_ssthresh,
	.undo_cwnd	= (void *)tcp_undo_cwnd,
	.cong_avoid	= (void *)tcp_cong_avoid,
	.name		= "bpf_other",
};

/* This one is fine, but not for a cgroup. */
SEC("?.struct_ops.link")
struct tcp_congestion_ops tcp = {
	.ssthresh	= (void *)tcp_ssthresh,
	.undo_cwnd	= (void *)tcp_undo_cwnd,
	.cong_avoid	= (void *)tcp_cong_avoid,
	.name		= "bpf_tcp_test",
};

SEC("?struct_ops/plain_refaulted")
u64 BPF_PROG(plain_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	return 0;
}

/* Values that the kernel checks. */
SEC("?.struct_ops.link")
struct reclaim_ext_ops v_no_name = {
	.refaulted	= (void *)plain_refaulted,
};

SEC("?.struct_ops.link")
struct reclaim_ext_ops v_bad_name = {
	.refaulted	= (void *)plain_refaulted,
	.name		= "not a name",
};

SEC("?.struct_ops.link")
struct reclaim_ext_ops v_long_name = {
	.refaulted	= (void *)plain_refaulted,
	.name		= { [0 ... RECLAIM_EXT_NAME_LEN - 1] = 'x' },
};

SEC("?.struct_ops.link")
struct reclaim_ext_ops v_flags = {
	.refaulted	= (void *)plain_refaulted,
	.name		= "v_flags",
	.flags		= 1U << 31,
};

SEC("?struct_ops/plain_evicted")
u32 BPF_PROG(plain_evicted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	return 0;
}

SEC("?.struct_ops.link")
struct reclaim_ext_ops v_no_format = {
	.evicted	= (void *)plain_evicted,
	.name		= "v_no_format",
};

SEC("?.struct_ops.link")
struct reclaim_ext_ops v_private = {
	.evicted	= (void *)plain_evicted,
	.cookie_format	= 0x7e57,
	.cookie_tag	= 3,
	.name		= "v_private",
};

/* Without BPF_F_LINK. */
SEC("?.struct_ops")
struct reclaim_ext_ops v_no_link = {
	.refaulted	= (void *)plain_refaulted,
	.name		= "v_no_link",
};

/* Legal: it decides nothing. */
SEC("?.struct_ops.link")
struct reclaim_ext_ops empty = {
	.name		= "empty",
};

/* Something that isn't struct_ops. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} array SEC(".maps");
