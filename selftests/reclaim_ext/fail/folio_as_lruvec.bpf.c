// SPDX-License-Identifier: GPL-2.0
/* Hands the folio to a kfunc that wants an lruvec. */
/* expect: expected pointer to STRUCT lruvec but R1 has a pointer to STRUCT folio */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/fail_sort")
u32 BPF_PROG(fail_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	return bpf_reclaim_ext_eviction_clock((struct lruvec *)folio);
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.sort	= (void *)fail_sort,
	.name	= "fail",
};
