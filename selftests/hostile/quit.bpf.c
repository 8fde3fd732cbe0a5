// SPDX-License-Identifier: GPL-2.0
/* Asks for its own end, inside each operation in turn. */
#include "hostile.bpf.h"

/* In which operation, the variant that hostile.c sets. */
const volatile u32 variant SEC(".rodata.variant");

#define QUIT(n)							\
	do {							\
		if (variant == (n))				\
			bpf_reclaim_ext_exit(lruvec, 1000 + (n));	\
	} while (0)

FOLIO_OP(admit)
{
	QUIT(1);
	return 0;
}

FOLIO_OP(place)
{
	QUIT(2);
	return 0;
}

FOLIO_OP(accessed)
{
	QUIT(3);
	return 0;
}

FOLIO_OP(sort)
{
	QUIT(4);
	return 0;
}

BATCH_OP(balance)
{
	QUIT(5);
	return 0;
}

BATCH_OP(age)
{
	QUIT(6);
	return 0;
}

EVICTED_OP
{
	QUIT(7);
	return 0;
}

REFAULTED_OP
{
	QUIT(8);
	return 0;
}

BUDGET_OP
{
	QUIT(9);
	return 0;
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
	.name		= "quit",
};
