// SPDX-License-Identifier: GPL-2.0
/* Protects every folio that reclaim looks at. */
#include "hostile.bpf.h"

FOLIO_OP(sort)
{
	return youngest_gen(ev);
}

HOSTILE = {
	.sort	= OP(sort),
	.name	= "protect_all",
};
