// SPDX-License-Identifier: GPL-2.0
/* Evicts every folio that reclaim looks at, however often it is used. */
#include "hostile.bpf.h"

FOLIO_OP(sort)
{
	return RECLAIM_EXT_DECIDE | RECLAIM_EXT_EVICT;
}

BATCH_OP(balance)
{
	/* no tier is protected either */
	return answer_balance(ev->stock & RECLAIM_EXT_BALANCE_FILE, 3, 3);
}

HOSTILE = {
	.sort		= OP(sort),
	.balance	= OP(balance),
	.name		= "protect_none",
};
