// SPDX-License-Identifier: GPL-2.0
/* Never opens a generation. */
#include "hostile.bpf.h"

BATCH_OP(age)
{
	return RECLAIM_EXT_DONT_AGE;
}

HOSTILE = {
	.age	= OP(age),
	.name	= "never_age",
};
