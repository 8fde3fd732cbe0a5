// SPDX-License-Identifier: GPL-2.0
/* Everything comes to the youngest generation. */
#include "hostile.bpf.h"

FOLIO_OP(place)
{
	return youngest_gen(ev);
}

FOLIO_OP(accessed)
{
	if (ev->what == RECLAIM_EXT_FD)
		return RECLAIM_EXT_DECIDE | RECLAIM_EXT_UP;
	return RECLAIM_EXT_DECIDE | RECLAIM_EXT_YOUNGEST;
}

HOSTILE = {
	.place		= OP(place),
	.accessed	= OP(accessed),
	.flags		= RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.name		= "all_youngest",
};
