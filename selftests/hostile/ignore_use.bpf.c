// SPDX-License-Identifier: GPL-2.0
/* Does not look at page tables at all, and evicts. */
#include "hostile.bpf.h"

FOLIO_OP(sort)
{
	return RECLAIM_EXT_DECIDE | RECLAIM_EXT_EVICT;
}

HOSTILE = {
	.sort	= OP(sort),
	.flags	= RECLAIM_EXT_F_NO_PT,
	.name	= "ignore_use",
};
