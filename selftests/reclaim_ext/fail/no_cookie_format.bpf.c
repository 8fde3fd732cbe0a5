// SPDX-License-Identifier: GPL-2.0
/* Leaves cookies of no format. */
/* expect: cookie_format: 0, but evicted() is there */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/fail_evicted")
u32 BPF_PROG(fail_evicted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	return RECLAIM_EXT_COOKIE | 1;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.evicted	= (void *)fail_evicted,
	.name		= "fail",
};
