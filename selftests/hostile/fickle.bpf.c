// SPDX-License-Identifier: GPL-2.0
/* Changes its mind with every call. */
#include "hostile.bpf.h"

FOLIO_OP(admit)
{
	return turn() ? RECLAIM_EXT_DECIDE | RECLAIM_EXT_YOUNGEST : answer_refs(0);
}

FOLIO_OP(place)
{
	return turn() ? youngest_gen(ev) : answer_gen(0);
}

FOLIO_OP(accessed)
{
	switch (ev->what) {
	case RECLAIM_EXT_FD:
		return turn() ? answer_refs(0) : answer_refs(4) | RECLAIM_EXT_UP;
	case RECLAIM_EXT_RMAP:
		return RECLAIM_EXT_DECIDE | (turn() ? RECLAIM_EXT_EVICT : RECLAIM_EXT_KEEP);
	default:
		return RECLAIM_EXT_DECIDE | (turn() ? RECLAIM_EXT_YOUNGEST : 0);
	}
}

FOLIO_OP(sort)
{
	return turn() ? youngest_gen(ev) : RECLAIM_EXT_DECIDE | RECLAIM_EXT_EVICT;
}

BATCH_OP(balance)
{
	return turn() ? answer_balance(true, 0, 0) : answer_balance(false, 3, 3);
}

BATCH_OP(age)
{
	return turn() ? RECLAIM_EXT_DONT_AGE : 0;
}

REFAULTED_OP
{
	return turn() ? RECLAIM_EXT_REFAULT | RECLAIM_EXT_REFAULT_ACTIVE : RECLAIM_EXT_REFAULT;
}

HOSTILE = {
	.admit		= OP(admit),
	.place		= OP(place),
	.accessed	= OP(accessed),
	.sort		= OP(sort),
	.balance	= OP(balance),
	.age		= OP(age),
	.refaulted	= OP(refaulted),
	.flags		= RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.name		= "fickle",
};
