// SPDX-License-Identifier: GPL-2.0
/* Keeps all shadow entries that there are. */
#include "hostile.bpf.h"

BUDGET_OP
{
	return ~0ULL;
}

HOSTILE = {
	.shadow_budget	= OP(shadow_budget),
	.name		= "shadow_max",
};
