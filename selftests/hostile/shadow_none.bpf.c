// SPDX-License-Identifier: GPL-2.0
/* Keeps one node with shadow entries. */
#include "hostile.bpf.h"

BUDGET_OP
{
	return 1;
}

HOSTILE = {
	.shadow_budget	= OP(shadow_budget),
	.name		= "shadow_none",
};
