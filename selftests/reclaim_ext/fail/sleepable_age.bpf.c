// SPDX-License-Identifier: GPL-2.0
/* A program that may sleep, in an RCU read side critical section. */
/* expect: attach to unsupported member age */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops.s/fail_age")
u32 BPF_PROG(fail_age, struct lruvec *lruvec, struct reclaim_ext_batch_ctx *ev)
{
	return 0;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.age	= (void *)fail_age,
	.name	= "fail",
};
