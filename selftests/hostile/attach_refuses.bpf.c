// SPDX-License-Identifier: GPL-2.0
/* Refuses to be attached. */
#include "hostile.bpf.h"

SEC("struct_ops.s/attach")
s32 BPF_PROG(attach, struct reclaim_ext_attach_ctx *where)
{
	return -1;	/* EPERM */
}

HOSTILE = {
	.attach	= OP(attach),
	.name	= "attach_refuses",
};
