/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ladder of access counts: the rules for file folios, and what user space
 * needs of the policy.
 *
 * Plain C without state, so that policies and native unit tests compile the
 * same lines. Sizes and clocks are in pages, generations are counted from the
 * oldest, which is 0.
 */
#ifndef _LADDER_H
#define _LADDER_H

#ifndef __VMLINUX_H__
#include <stdbool.h>
#include <stdint.h>
typedef uint32_t u32;
typedef uint64_t u64;
#endif

#include "reclaim_ext_meta.h"

/* The map `counters` of the policy, file folios only, in calls, one per folio. */
struct ladder_counters {
	u64 evicted	DOC("folios whose shadow entry got a cookie");
	u64 refaulted	DOC("refaults with a cookie");
	u64 decayed	DOC("of these: lost some of their count");
	u64 no_cookie	DOC("refaults that start anew: evicted before the policy came");
	u64 foreign	DOC("refaults that start anew: evicted from another memcg");
	u64 marked	DOC("accesses that asked for one generation up");
	u64 rmap_kept	DOC("referenced when being evicted: kept");
	u64 rmap_evicted	DOC("referenced when being evicted: evicted all the same");
	u64 protected	DOC("one generation up for one count");
	u64 bounded	DOC("would have been protected but for the bound");
	u64 second_oldest	DOC("placed there because the oldest generation was tiny");
};

#define LD_MAX_COUNT		7
#define LD_COUNT_BITS		3
#define LD_NR_GENS		3

#define LD_DECAY_DEFAULT	4	/* one count is lost per C / 4 refaults */
#define LD_TINY_DEFAULT		100	/* a tiny oldest generation: below C / 100 */
#define LD_LARGE_DEFAULT	4	/* a large one: above C / 4 */
#define LD_THRESHOLD_DEFAULT	3
#define LD_BOUND_DEFAULT	24	/* protected of the last 64 */

static inline u32 ld_inc(u32 count)
{
	return count < LD_MAX_COUNT ? count + 1 : LD_MAX_COUNT;
}

/*
 * The order of the clock in cookies of @bits: it must not wrap around before a
 * full count has decayed in all of the machine's memory, 7 times C / 4, so for
 * four times that memory to have some time left in which history is right.
 */
static inline u32 ld_order(u64 ram_pages, u32 bits)
{
	u32 order = 0;

	bits -= LD_COUNT_BITS;
	while (bits + order < 62 && (1ULL << (bits + order)) < 4 * ram_pages)
		order++;
	return order;
}

static inline u32 ld_cookie(u32 count, u64 clock, u32 order, u32 bits)
{
	u32 mask = (1U << (bits - LD_COUNT_BITS)) - 1;

	return ((u32)(clock >> order) & mask) << LD_COUNT_BITS | (count & LD_MAX_COUNT);
}

static inline u32 ld_cookie_count(u32 cookie)
{
	return cookie & LD_MAX_COUNT;
}

/* Refaults since the cookie was written, modulo 2^(bits - 3 + order). */
static inline u64 ld_elapsed(u64 clock, u32 cookie, u32 order, u32 bits)
{
	u64 then = (u64)(cookie >> LD_COUNT_BITS) << order;

	/* compare what the order left of both */
	clock = clock >> order << order;
	return (clock - then) & ((1ULL << (bits - LD_COUNT_BITS + order)) - 1);
}

/* What is left of @count after @elapsed refaults, with @pages in the lruvec. */
static inline u32 ld_decay(u32 count, u64 elapsed, u64 pages, u32 parts)
{
	u64 step = parts ? pages / parts : 0;
	u64 lost;

	if (!parts)
		return count;
	lost = elapsed / (step ? step : 1);
	return lost < count ? count - (u32)lost : 0;
}

static inline u32 ld_restored(u32 left, u32 credit)
{
	u64 count = (u64)left + credit;

	return count < LD_MAX_COUNT ? (u32)count : LD_MAX_COUNT;
}

/* The generation of a folio that comes new or back. */
static inline u32 ld_place(u64 oldest, u64 pages, u32 tiny_parts)
{
	return tiny_parts && oldest < pages / tiny_parts ? 1 : 0;
}

/* Does an access ask for one generation up? */
static inline bool ld_up(u32 count, u32 gen, u32 threshold)
{
	return gen <= 1 && count >= threshold;
}

/* A young bit at the check before eviction, @count without it. */
static inline bool ld_keep(u32 count)
{
	return count >= 1;
}

/* The count that protects from eviction. */
static inline u32 ld_threshold(u64 oldest, u64 pages, u32 threshold, u32 large_parts)
{
	/* nothing tells folios apart: keep some rather than none */
	if (large_parts && oldest > pages / large_parts)
		return 1;
	/* a protection costs one */
	return threshold ? threshold : 1;
}

#endif /* _LADDER_H */
