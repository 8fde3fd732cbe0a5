/* SPDX-License-Identifier: GPL-2.0 */
/* What user space needs of the policy lazy_activate. */
#ifndef _LAZY_ACTIVATE_H
#define _LAZY_ACTIVATE_H

#ifndef __VMLINUX_H__
#include <stdint.h>
typedef uint64_t u64;
#endif

#include "reclaim_ext_meta.h"

/* The map `counters` of the policy, in calls, one per folio. */
struct lazy_activate_counters {
	u64 anon_placed	DOC("anon folios put where file folios would be");
	u64 unmarked	DOC("activated at eviction without the workingset mark");
	u64 marked	DOC("the same with it, since they were active");
};

#endif /* _LAZY_ACTIVATE_H */
