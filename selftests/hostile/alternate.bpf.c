// SPDX-License-Identifier: GPL-2.0
/* Anon and file in turn, and tiers protected in turn. */
#include "hostile.bpf.h"

BATCH_OP(balance)
{
	return turn() ? answer_balance(true, 0, 3) : answer_balance(false, 3, 0);
}

HOSTILE = {
	.balance	= OP(balance),
	.name		= "alternate",
};
