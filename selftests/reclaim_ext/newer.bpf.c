// SPDX-License-Identifier: GPL-2.0
/* A policy for a kernel that has one operation more. */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct reclaim_ext_ops___newer {
	u32 (*evicted)(struct folio *folio, struct lruvec *lruvec,
		       struct reclaim_ext_evict_ctx *ctx);
	u64 (*refaulted)(struct folio *folio, struct lruvec *lruvec,
			 struct reclaim_ext_refault_ctx *ctx);
	u32 (*invented_later)(struct folio *folio);
	u32 cookie_format;
	u32 flags;
	char name[RECLAIM_EXT_NAME_LEN];
};

SEC("struct_ops/newer_refaulted")
u64 BPF_PROG(newer_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	return 0;
}

SEC("struct_ops/newer_invented")
u32 BPF_PROG(newer_invented, struct folio *folio)
{
	return 0;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops___newer newer = {
	.refaulted	= (void *)newer_refaulted,
	.invented_later	= (void *)newer_invented,
	.name		= "newer",
};
