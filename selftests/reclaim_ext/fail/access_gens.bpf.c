// SPDX-License-Identifier: GPL-2.0
/* A filter for more generations than there are. */
/* expect: access_gens: 5 is more than 4 */
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
	.access_gens	= 5,
	.name		= "fail",
};
