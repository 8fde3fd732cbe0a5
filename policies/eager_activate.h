/* SPDX-License-Identifier: GPL-2.0 */
/* What user space needs of the policy eager_activate. */
#ifndef _EAGER_ACTIVATE_H
#define _EAGER_ACTIVATE_H

#ifndef __VMLINUX_H__
#include <stdint.h>
typedef uint64_t u64;
#endif

#include "reclaim_ext_meta.h"

/* The map `counters` of the policy, in calls, one per folio. */
struct eager_activate_counters {
	u64 activated	DOC("folios of a fault that started active");
};

#endif /* _EAGER_ACTIVATE_H */
