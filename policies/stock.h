/* SPDX-License-Identifier: GPL-2.0 */
/* What user space needs of the policy stock. */
#ifndef _STOCK_H
#define _STOCK_H

#ifndef __VMLINUX_H__
#include <stdint.h>
typedef uint64_t u64;
#endif

#include "reclaim_ext_meta.h"

/* The map `counters` of the policy; one per folio. */
struct stock_counters {
	u64 refaulted	DOC("refaults decided here");
	u64 differ	DOC("with differential: answers that are not what the kernel would do");
};

#endif /* _STOCK_H */
