// SPDX-License-Identifier: GPL-2.0
/* Keeps whatever it can, by every means, and opens no generation. */
#include "hostile.bpf.h"

FOLIO_OP(place)
{
	return youngest_gen(ev);
}

FOLIO_OP(accessed)
{
	switch (ev->what) {
	case RECLAIM_EXT_FD:
		return answer_refs(RECLAIM_EXT_MAX_REFS) | RECLAIM_EXT_UP;
	case RECLAIM_EXT_RMAP:
		return RECLAIM_EXT_DECIDE | RECLAIM_EXT_KEEP;
	default:
		return RECLAIM_EXT_DECIDE | RECLAIM_EXT_YOUNGEST;
	}
}

FOLIO_OP(sort)
{
	return youngest_gen(ev);
}

BATCH_OP(age)
{
	return RECLAIM_EXT_DONT_AGE;
}

HOSTILE = {
	.place		= OP(place),
	.accessed	= OP(accessed),
	.sort		= OP(sort),
	.age		= OP(age),
	.flags		= RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.name		= "keep_all",
};
