/* SPDX-License-Identifier: GPL-2.0 */
/* What user space needs of the policy fixed. */
#ifndef _FIXED_H
#define _FIXED_H

#ifndef __VMLINUX_H__
#include <stdint.h>
typedef uint64_t u64;
#endif

#include "reclaim_ext_meta.h"

/* The map `counters` of the policy, in calls, one per folio. */
struct fixed_counters {
	u64 activated	DOC("recent refaults in a fault that started active, unmarked");
	u64 oldest	DOC("used once, so put in the oldest generation");
};

#endif /* _FIXED_H */
