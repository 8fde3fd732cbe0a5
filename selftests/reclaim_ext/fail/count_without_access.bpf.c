// SPDX-License-Identifier: GPL-2.0
/* Keeps the count of accesses, and hears of half of them. */
/* expect: a count needs both kinds of access */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/fail_accessed")
u32 BPF_PROG(fail_accessed, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	return 0;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.accessed	= (void *)fail_accessed,
	.flags		= RECLAIM_EXT_F_COUNT | RECLAIM_EXT_F_ACCESS_FD,
	.name		= "fail",
};
