// SPDX-License-Identifier: GPL-2.0
/* What comes back is never active, and nothing is charged. */
#include "hostile.bpf.h"

REFAULTED_OP
{
	return RECLAIM_EXT_REFAULT;
}

HOSTILE = {
	.refaulted	= OP(refaulted),
	.name		= "refault_never",
};
