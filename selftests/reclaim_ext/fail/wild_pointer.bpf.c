// SPDX-License-Identifier: GPL-2.0
/* Reads what a number points to. */
/* expect: invalid mem access */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/fail_sort")
u32 BPF_PROG(fail_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	return *(u32 *)((void *)(u64)ev->nr_pages + 8);
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.sort	= (void *)fail_sort,
	.name	= "fail",
};
