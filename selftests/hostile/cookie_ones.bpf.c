// SPDX-License-Identifier: GPL-2.0
/* Cookies of nothing but ones. */
#include "hostile.bpf.h"

EVICTED_OP
{
	return RECLAIM_EXT_COOKIE | ((1U << RECLAIM_EXT_COOKIE_BITS) - 1);
}

HOSTILE = {
	.evicted	= OP(evicted),
	.cookie_format	= FORMAT,
	.name		= "cookie_ones",
};
