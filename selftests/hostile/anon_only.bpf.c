// SPDX-License-Identifier: GPL-2.0
/* Wants anon reclaimed and no files, also where there is no swap. */
#include "hostile.bpf.h"

BATCH_OP(balance)
{
	return answer_balance(false, 3, 3);
}

HOSTILE = {
	.balance	= OP(balance),
	.name		= "anon_only",
};
