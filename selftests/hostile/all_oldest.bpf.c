// SPDX-License-Identifier: GPL-2.0
/* Everything comes to the oldest generation and stays there. */
#include "hostile.bpf.h"

FOLIO_OP(place)
{
	return answer_gen(0);
}

FOLIO_OP(accessed)
{
	if (ev->what == RECLAIM_EXT_RMAP)
		return RECLAIM_EXT_DECIDE | RECLAIM_EXT_KEEP;
	return RECLAIM_EXT_DECIDE;
}

HOSTILE = {
	.place		= OP(place),
	.accessed	= OP(accessed),
	.flags		= RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.name		= "all_oldest",
};
