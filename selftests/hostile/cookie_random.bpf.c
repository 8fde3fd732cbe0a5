// SPDX-License-Identifier: GPL-2.0
/* Random cookies, and whatever they say decides. */
#include "hostile.bpf.h"

EVICTED_OP
{
	return RECLAIM_EXT_COOKIE | (rng() & ((1U << RECLAIM_EXT_COOKIE_BITS) - 1));
}

REFAULTED_OP
{
	u64 bits = RECLAIM_EXT_REFAULT_ACTIVE | RECLAIM_EXT_REFAULT_WORKINGSET |
		   RECLAIM_EXT_REFAULT_ACTIVATE | RECLAIM_EXT_REFAULT_RESTORE;

	return RECLAIM_EXT_REFAULT | (ev->cookie & bits);
}

HOSTILE = {
	.evicted	= OP(evicted),
	.refaulted	= OP(refaulted),
	.cookie_format	= FORMAT,
	.name		= "cookie_random",
};
