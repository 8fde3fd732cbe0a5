// SPDX-License-Identifier: GPL-2.0
/* Writes to the context of a decision about a batch. */
/* expect: only read is supported */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/fail_balance")
u32 BPF_PROG(fail_balance, struct lruvec *lruvec, struct reclaim_ext_batch_ctx *ev)
{
	ev->swappiness = 200;
	return 0;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.balance	= (void *)fail_balance,
	.name		= "fail",
};
