// SPDX-License-Identifier: GPL-2.0
/* Every bit but those that say there is a decision. */
#include "hostile.bpf.h"

FOLIO_OP(admit)
{
	return 0xfffffff6U;
}

FOLIO_OP(place)
{
	return 0xfffffff6U;
}

FOLIO_OP(accessed)
{
	return 0xfffffff6U;
}

FOLIO_OP(sort)
{
	return 0xfffffff6U;
}

BATCH_OP(balance)
{
	return 0xfffffff6U;
}

BATCH_OP(age)
{
	return 0xfffffff6U;
}

EVICTED_OP
{
	return 0xfffffff6U;
}

REFAULTED_OP
{
	return ~1ULL;
}

BUDGET_OP
{
	return ~1ULL;
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
	.name		= "undecided",
};
