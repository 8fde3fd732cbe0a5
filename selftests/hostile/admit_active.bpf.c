// SPDX-License-Identifier: GPL-2.0
/* Everything starts active, accessed as often as can be. */
#include "hostile.bpf.h"

FOLIO_OP(admit)
{
	return answer_refs(RECLAIM_EXT_MAX_REFS) | RECLAIM_EXT_YOUNGEST;
}

HOSTILE = {
	.admit	= OP(admit),
	.name	= "admit_active",
};
