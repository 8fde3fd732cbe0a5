// SPDX-License-Identifier: GPL-2.0
/* Loops without an end. */
/* expect: infinite loop detected */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/fail_sort")
u32 BPF_PROG(fail_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	volatile u8 *priority = &ev->priority;

	while (*priority != 77)
		;
	return 0;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.sort	= (void *)fail_sort,
	.name	= "fail",
};
