// SPDX-License-Identifier: GPL-2.0
/* A count of its own that never leaves 0, and everything put back is the oldest. */
#include "hostile.bpf.h"

FOLIO_OP(accessed)
{
	return answer_refs(0) | (ev->what == RECLAIM_EXT_RMAP ? RECLAIM_EXT_EVICT : 0);
}

FOLIO_OP(place)
{
	return answer_gen(ev->what == RECLAIM_EXT_PUT_BACK);
}

HOSTILE = {
	.accessed	= OP(accessed),
	.place		= OP(place),
	.flags		= RECLAIM_EXT_F_COUNT | RECLAIM_EXT_F_ACCESS_FD |
			  RECLAIM_EXT_F_ACCESS_PT,
	.name		= "count_zero",
};
