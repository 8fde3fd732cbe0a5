// SPDX-License-Identifier: GPL-2.0
/* Everything starts in a high tier, and tiers above the first are protected. */
#include "hostile.bpf.h"

FOLIO_OP(admit)
{
	return answer_refs(RECLAIM_EXT_MAX_REFS);
}

FOLIO_OP(place)
{
	return answer_refs(RECLAIM_EXT_MAX_REFS);
}

BATCH_OP(balance)
{
	return answer_balance(ev->stock & RECLAIM_EXT_BALANCE_FILE, 0, 0);
}

HOSTILE = {
	.admit		= OP(admit),
	.place		= OP(place),
	.balance	= OP(balance),
	.name		= "tiers_protected",
};
