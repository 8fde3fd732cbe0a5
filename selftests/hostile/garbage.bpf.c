// SPDX-License-Identifier: GPL-2.0
/* Every bit of every answer. */
#include "hostile.bpf.h"

FOLIO_OP(admit)
{
	return ~0U;
}

FOLIO_OP(place)
{
	return ~0U;
}

FOLIO_OP(accessed)
{
	return ~0U;
}

FOLIO_OP(sort)
{
	return ~0U;
}

BATCH_OP(balance)
{
	return ~0U;
}

BATCH_OP(age)
{
	return ~0U;
}

EVICTED_OP
{
	return ~0U;
}

REFAULTED_OP
{
	return ~0ULL;
}

BUDGET_OP
{
	return ~0ULL;
}

HOSTILE = {
	.admit		= OP(admit),
	.place		= OP(place),
	.accessed	= OP(accessed),
	.sort		= OP(sort),
	.balance	= OP(balance),
	.age		= OP(age),
	.evicted	= OP(evicted),
	.refaulted	= OP(refaulted),
	.shadow_budget	= OP(shadow_budget),
	.flags		= RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.cookie_format	= FORMAT,
	.name		= "garbage",
};
