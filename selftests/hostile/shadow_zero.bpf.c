// SPDX-License-Identifier: GPL-2.0
/* Answers 0 where 0 means as stock. */
#include "hostile.bpf.h"

BUDGET_OP
{
	return 0;
}

HOSTILE = {
	.shadow_budget	= OP(shadow_budget),
	.name		= "shadow_zero",
};
