// SPDX-License-Identifier: GPL-2.0
/* Ends itself where there is no lruvec to name. */
/* expect: must be referenced or trusted */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops.s/fail_attach")
s32 BPF_PROG(fail_attach, struct reclaim_ext_attach_ctx *where)
{
	struct lruvec *lruvec = bpf_core_cast((void *)where, struct lruvec);

	bpf_reclaim_ext_exit(lruvec, 1);
	return 0;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.attach	= (void *)fail_attach,
	.name	= "fail",
};
