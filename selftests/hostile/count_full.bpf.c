// SPDX-License-Identifier: GPL-2.0
/* A count of its own that is always full, and protects. */
#include "hostile.bpf.h"

FOLIO_OP(accessed)
{
	u32 full = answer_refs(RECLAIM_EXT_MAX_COUNT);

	return ev->what == RECLAIM_EXT_RMAP ? full | RECLAIM_EXT_KEEP : full | RECLAIM_EXT_UP;
}

FOLIO_OP(sort)
{
	return answer_refs(RECLAIM_EXT_MAX_COUNT) | youngest_gen(ev);
}

FOLIO_OP(place)
{
	return answer_refs(RECLAIM_EXT_MAX_COUNT) | youngest_gen(ev);
}

HOSTILE = {
	.accessed	= OP(accessed),
	.sort		= OP(sort),
	.place		= OP(place),
	.flags		= RECLAIM_EXT_F_COUNT | RECLAIM_EXT_F_ACCESS_FD |
			  RECLAIM_EXT_F_ACCESS_PT,
	.name		= "count_full",
};
