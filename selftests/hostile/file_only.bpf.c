// SPDX-License-Identifier: GPL-2.0
/* Wants files reclaimed and no anon, also where there are none left. */
#include "hostile.bpf.h"

BATCH_OP(balance)
{
	return answer_balance(true, 3, 3);
}

HOSTILE = {
	.balance	= OP(balance),
	.name		= "file_only",
};
