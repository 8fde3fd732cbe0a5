// SPDX-License-Identifier: GPL-2.0
/* Opens a generation whenever it is asked, also a fifth. */
#include "hostile.bpf.h"

BATCH_OP(age)
{
	return RECLAIM_EXT_AGE;
}

HOSTILE = {
	.age	= OP(age),
	.name	= "always_age",
};
