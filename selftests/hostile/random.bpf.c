// SPDX-License-Identifier: GPL-2.0
/* Random answers, most of them not legal. */
#include "hostile.bpf.h"

FOLIO_OP(admit)
{
	return rng();
}

FOLIO_OP(place)
{
	return rng();
}

FOLIO_OP(accessed)
{
	return rng();
}

FOLIO_OP(sort)
{
	return rng();
}

BATCH_OP(balance)
{
	return rng();
}

BATCH_OP(age)
{
	return rng();
}

EVICTED_OP
{
	return rng();
}

REFAULTED_OP
{
	return rng();
}

BUDGET_OP
{
	return rng();
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
	.name		= "random",
};
