// SPDX-License-Identifier: GPL-2.0
/* A long loop in each read(). */
#include "hostile.bpf.h"

static int nothing(u64 i, void *data)
{
	turns += i;
	return 0;
}

FOLIO_OP(accessed)
{
	bpf_loop(200000, nothing, NULL, 0);
	return 0;
}

HOSTILE = {
	.accessed	= OP(accessed),
	.flags	= RECLAIM_EXT_F_ACCESS_FD,
	.name	= "slow_accessed",
};
