// SPDX-License-Identifier: GPL-2.0
/* A flag that there is not. */
/* expect: flags: 0x40000000 has unknown bits */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/fail_sort")
u32 BPF_PROG(fail_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	return 0;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.sort		= (void *)fail_sort,
	.flags		= 1U << 30,
	.name		= "fail",
};
