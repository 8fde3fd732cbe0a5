/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Refault distance: the arithmetic, and what user space needs of the policy.
 *
 * Plain C without state, so that policies and native unit tests compile the
 * same lines. All sizes and distances are in pages.
 */
#ifndef _REFAULT_DISTANCE_H
#define _REFAULT_DISTANCE_H

#ifndef __VMLINUX_H__
#include <stdbool.h>
#include <stdint.h>
typedef uint32_t u32;
typedef uint64_t u64;
#endif

#include "reclaim_ext_meta.h"

/* The map `counters` of the policy; refaults in calls, one per folio. */
struct refault_distance_counters {
	u64 evicted	DOC("folios whose shadow entry got a cookie");
	u64 qualified	DOC("refaults within the limit, started young");
	u64 second_oldest	DOC("of these: MGLRU, N <= 1, so second oldest generation");
	u64 unqualified	DOC("refaults beyond the limit");
	u64 no_cookie	DOC("refaults left to stock: evicted before the policy came");
	u64 foreign	DOC("refaults left to stock: evicted from another memcg");
};

#define RD_NR_TIERS	4

/* Answers to a limit: distance_pct 100 is the limit as posted. */
#define RD_PCT_DEFAULT	100
#define RD_PCT_MAX	10000

/* Sizes of the lruvec that the shadow entry names. */
struct rd_sizes {
	u64 active;		/* may hold what is used, anon only with free swap */
	u64 inactive_anon;	/* 0 without free swap */
	u64 inactive_file;
};

enum rd_charge {
	RD_CHARGE_NONE,
	RD_CHARGE_HISTOGRAM,	/* of the oldest generation, as stock */
	RD_CHARGE_AVERAGES,	/* both running averages, refaulted and total */
};

/* What happens to a folio that qualified. */
struct rd_answer {
	bool active;		/* starts active */
	bool workingset;	/* gets the workingset mark */
	bool restore;		/* counts as workingset_restore */
};

/*
 * The smallest order that makes a cookie of @bits reach around once for all of
 * the machine's pages, so that distances which can matter are told apart.
 */
static inline u32 rd_order(u64 ram_pages, u32 bits)
{
	u32 order = 0;

	while (bits + order < 64 && (1ULL << (bits + order)) < ram_pages)
		order++;
	return order;
}

static inline u32 rd_cookie(u64 clock, u32 order, u32 bits)
{
	return (u32)(clock >> order) & (u32)((1ULL << bits) - 1);
}

/*
 * Pages evicted since the cookie was written, modulo 2^(bits + order). What the
 * order cut off makes it up to 2^order - 1 too large, never too small.
 */
static inline u64 rd_distance(u64 clock, u32 cookie, u32 order, u32 bits)
{
	u64 distance = clock - ((u64)cookie << order);

	if (bits + order < 64)
		distance &= (1ULL << (bits + order)) - 1;
	return distance;
}

/*
 * Refaults nearer than this qualify. As long as what is active outweighs what
 * is not, all that is inactive could be given to the folio; else what is
 * active, and the inactive pages of the other type.
 */
static inline u64 rd_limit(const struct rd_sizes *s, bool file)
{
	u64 inactive = s->inactive_anon + s->inactive_file;

	if (s->active >= inactive)
		return inactive;
	return s->active + (file ? s->inactive_anon : s->inactive_file);
}

static inline u64 rd_scale(u64 limit, u32 pct)
{
	if (pct == RD_PCT_DEFAULT)
		return limit;
	if (pct > RD_PCT_MAX)
		pct = RD_PCT_MAX;
	/* in two parts: limit * pct can be more than 64 bits hold */
	return limit / 100 * pct + limit % 100 * pct / 100;
}

static inline bool rd_qualifies(u64 distance, const struct rd_sizes *s, bool file, u32 pct)
{
	return distance < rd_scale(rd_limit(s, file), pct);
}

/*
 * A qualified folio. @refs: accesses counted at eviction, 1 stands for none,
 * too, and only MGLRU counts them. Under MGLRU a folio with the mark and not
 * active starts in the second oldest generation, an active one in the youngest.
 */
static inline struct rd_answer rd_answer(bool mglru, u32 refs, bool workingset)
{
	struct rd_answer answer = {
		.active = true,
		.workingset = true,
		.restore = true,
	};

	if (mglru) {
		answer.active = refs > 1 || workingset;
	} else {
		answer.workingset = workingset;
		answer.restore = workingset;
	}
	return answer;
}

/* The tier that pays for a qualified refault: one more than that of its accesses. */
static inline u32 rd_charged_tier(u32 refs, bool workingset)
{
	if (workingset || refs > 3)
		return RD_NR_TIERS - 1;
	return refs > 1 ? 2 : 1;
}

/*
 * What a qualified refault is charged to.
 *
 * The histogram holds evictions and refaults of one generation, tier by tier: a
 * refault may be charged there only where its eviction was counted.
 *
 * @stale: also charge a folio that was evicted long ago and was not part of the
 * working set, as the posting does. On its kernel, page tables gave a folio no
 * accesses and so no tier to compare. Since 7.3 a folio that was faulted in once
 * has two, the fault and the young bit that it left, so that this charges tier 2,
 * where under mmap nothing is ever evicted: a rate of 100 %, at which the PID
 * controller protects the working set whatever it costs the rest.
 */
static inline enum rd_charge rd_charge_to(u32 charged_tier, u32 old_tier, bool recent,
					  bool workingset, bool stale)
{
	if (!recent && !workingset && !stale)
		return RD_CHARGE_NONE;
	return recent && charged_tier == old_tier ? RD_CHARGE_HISTOGRAM : RD_CHARGE_AVERAGES;
}

#endif /* _REFAULT_DISTANCE_H */
