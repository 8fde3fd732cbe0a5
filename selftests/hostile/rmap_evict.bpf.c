// SPDX-License-Identifier: GPL-2.0
/* Evicts what page tables say is in use. */
#include "hostile.bpf.h"

FOLIO_OP(accessed)
{
	if (ev->what == RECLAIM_EXT_RMAP)
		return RECLAIM_EXT_DECIDE | RECLAIM_EXT_EVICT;
	return RECLAIM_EXT_DECIDE;
}

HOSTILE = {
	.accessed	= OP(accessed),
	.flags		= RECLAIM_EXT_F_ACCESS_PT,
	.name		= "rmap_evict",
};
