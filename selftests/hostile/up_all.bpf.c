// SPDX-License-Identifier: GPL-2.0
/* Every access asks for one generation up. */
#include "hostile.bpf.h"

FOLIO_OP(accessed)
{
	if (ev->what == RECLAIM_EXT_RMAP)
		return RECLAIM_EXT_DECIDE | RECLAIM_EXT_KEEP;
	return RECLAIM_EXT_DECIDE | RECLAIM_EXT_UP;
}

HOSTILE = {
	.accessed	= OP(accessed),
	.flags		= RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.name		= "up_all",
};
