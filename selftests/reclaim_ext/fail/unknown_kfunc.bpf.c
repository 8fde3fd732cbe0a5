// SPDX-License-Identifier: GPL-2.0
/* Calls a kfunc that no kernel has. */
/* expect: bpf_rcu_read_lock_unknown */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

extern void bpf_rcu_read_lock_unknown(struct lruvec *lruvec) __ksym;

SEC("struct_ops/fail_sort")
u32 BPF_PROG(fail_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	bpf_rcu_read_lock_unknown(lruvec);
	return 0;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.sort	= (void *)fail_sort,
	.name	= "fail",
};
