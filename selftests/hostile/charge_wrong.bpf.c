// SPDX-License-Identifier: GPL-2.0
/* Charges refaults to tiers in turn, so that the PID controller errs. */
#include "hostile.bpf.h"

REFAULTED_OP
{
	if (ev->shadow & RECLAIM_EXT_SHADOW_FOREIGN)
		return 0;
	return RECLAIM_EXT_REFAULT |
	       (turn() ? RECLAIM_EXT_REFAULT_CHARGE : RECLAIM_EXT_REFAULT_CHARGE_AVG) |
	       refault_tier(ev->tier ? 0 : 3) | refault_refs(RECLAIM_EXT_MAX_REFS);
}

HOSTILE = {
	.refaulted	= OP(refaulted),
	.name		= "charge_wrong",
};
