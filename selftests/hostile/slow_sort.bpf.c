// SPDX-License-Identifier: GPL-2.0
/* A long loop for each folio that reclaim looks at, under the LRU lock. */
#include "hostile.bpf.h"

static int nothing(u64 i, void *data)
{
	turns += i;
	return 0;
}

FOLIO_OP(sort)
{
	bpf_loop(200000, nothing, NULL, 0);
	return 0;
}

HOSTILE = {
	.sort	= OP(sort),
	.name	= "slow_sort",
};
