// SPDX-License-Identifier: GPL-2.0
/* Answers what is no errno when it is attached. */
#include "hostile.bpf.h"

SEC("struct_ops.s/attach")
s32 BPF_PROG(attach, struct reclaim_ext_attach_ctx *where)
{
	return 4711;
}

HOSTILE = {
	.attach	= OP(attach),
	.name	= "attach_nonsense",
};
