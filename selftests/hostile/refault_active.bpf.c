// SPDX-License-Identifier: GPL-2.0
/* What comes back is always active, and part of the working set. */
#include "hostile.bpf.h"

REFAULTED_OP
{
	return RECLAIM_EXT_REFAULT | RECLAIM_EXT_REFAULT_ACTIVE | RECLAIM_EXT_REFAULT_WORKINGSET |
	       RECLAIM_EXT_REFAULT_ACTIVATE | RECLAIM_EXT_REFAULT_RESTORE |
	       refault_refs(RECLAIM_EXT_MAX_REFS);
}

HOSTILE = {
	.refaulted	= OP(refaulted),
	.name		= "refault_active",
};
