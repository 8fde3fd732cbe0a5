/* SPDX-License-Identifier: GPL-2.0 */
/* What user space needs of the policy stock. */
#ifndef _STOCK_H
#define _STOCK_H

#ifndef __VMLINUX_H__
#include <stdint.h>
typedef uint64_t u64;
#endif

#include "reclaim_ext_meta.h"

/* Bits of the tunable `mutate`: one rule is wrong. */
#define STOCK_MUTATE_REFAULTED	1	/* every refault in a fault starts active */
#define STOCK_MUTATE_ADMIT	2	/* nothing is counted in a fault */
#define STOCK_MUTATE_PLACE	4	/* what counts as used goes to the oldest generation */
#define STOCK_MUTATE_SORT	8	/* the first tier that is protected is evicted */
#define STOCK_MUTATE_BALANCE	16	/* gains of the tiers swapped */
#define STOCK_MUTATE_AGE	32	/* also opens a generation at the default priority */

/* The map `counters` of the policy; one per folio or batch decided here. */
struct stock_counters {
	u64 refaulted	DOC("refaults decided");
	u64 admitted	DOC("folios read or faulted in");
	u64 placed	DOC("folios put on the lists");
	u64 accessed	DOC("accesses");
	u64 sorted	DOC("folios looked at");
	u64 balanced	DOC("batches");
	u64 aged	DOC("batches asked whether to open a generation");
	u64 differ	DOC("with differential: answers that are not what the kernel would do");
	u64 differ_refaulted	DOC("of these: refaults");
	u64 differ_admitted	DOC("of these: folios read or faulted in");
	u64 differ_placed	DOC("of these: folios put on the lists");
	u64 differ_sorted	DOC("of these: folios looked at");
	u64 differ_balanced	DOC("of these: batches");
	u64 differ_aged	DOC("of these: whether to open a generation");
};

#endif /* _STOCK_H */
