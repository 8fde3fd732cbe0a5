/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frequency guided reclaim: the rules, and what user space needs of the policy.
 *
 * Plain C without state, so that policies and native unit tests compile the
 * same lines. Generations are counted from the oldest, which is 0.
 */
#ifndef _FREQ_GUIDED_H
#define _FREQ_GUIDED_H

#ifndef __VMLINUX_H__
#include <stdbool.h>
#include <stdint.h>
typedef uint32_t u32;
typedef uint64_t u64;
#endif

#include "mglru.h"
#include "reclaim_ext_meta.h"

/* The map `counters` of the policy, in calls, one per folio. */
struct freq_guided_counters {
	u64 evicted	DOC("folios whose shadow entry got a cookie");
	u64 refaulted	DOC("refaults with a cookie, of a recent eviction");
	u64 activated	DOC("of these: active, in a fault");
	u64 stale	DOC("refaults that start anew: evicted long ago");
	u64 no_cookie	DOC("refaults that start anew: evicted before the policy came");
	u64 foreign	DOC("refaults that start anew: evicted from another memcg");
	u64 fd_up	DOC("accesses by read() and write() that asked for one up");
	u64 pt_up	DOC("references by page tables that asked for one up");
	u64 pt_youngest	DOC("references by page tables that moved to the youngest");
	u64 rmap_kept	DOC("referenced when being evicted: kept");
	u64 rmap_activated	DOC("referenced when being evicted: active");
	u64 protected	DOC("protected by their tier");
};

#define FG_MAX_COUNT		7
#define FG_NR_TIERS		4
#define FG_CAP_PROMOTED		3	/* after promotion, deferral or refault */
#define FG_CAP_PROTECTED	2	/* after protection, closing, putting back */

#define FG_GAIN_DEFAULT		2	/* a tier against the one below, 1:2 */
#define FG_MIN_REFAULTS		64	/* MIN_LRU_BATCH: fewer mean nothing */

enum fg_move {
	FG_STAY,
	FG_UP,
	FG_YOUNGEST,
};

enum fg_access_kind {
	FG_ACCESS_FD,		/* read(), write(), unmap, GUP */
	FG_ACCESS_PT,		/* walk, look-around */
	FG_ACCESS_RMAP,		/* found at eviction: FG_STAY keeps, FG_YOUNGEST activates */
};

struct fg_accessed {
	u32 count;
	enum fg_move move;
};

/* Why and how a folio comes to the lists. */
struct fg_insertion {
	u32 count;
	u32 nr_gens;
	bool active;
	bool rotated;		/* written, can be reclaimed at once */
	bool unswapped;		/* anon not in the swap cache */
	bool reclaim_dirty;	/* being reclaimed, but dirty or under writeback */
	bool put_back;		/* reclaim lets it go */
};

struct fg_placed {
	u32 gen;
	u32 count;
};

/* Refaults and total of a tier, as the PID controller counts them. */
struct fg_tier_pos {
	u64 refaulted;
	u64 total;
};

static inline u32 fg_min(u32 a, u32 b)
{
	return a < b ? a : b;
}

static inline u32 fg_tier(u32 count)
{
	if (count < 2)
		return 0;
	if (count == 2)
		return 1;
	return count <= 4 ? 2 : 3;
}

/*
 * An access to a folio in @gen of @nr_gens (@nr_gens: on no list). @marked: an
 * access has asked for one up already, so that it counts as being there.
 */
static inline struct fg_accessed fg_access(enum fg_access_kind kind, u32 count, u32 gen,
					   u32 nr_gens, bool marked, bool executable)
{
	struct fg_accessed a = { .move = FG_STAY };
	u32 c = count + 1;

	if (kind == FG_ACCESS_RMAP) {
		a.count = fg_min(c, FG_CAP_PROMOTED);
		if (c > 1 || executable)
			a.move = FG_YOUNGEST;
		return a;
	}
	if (marked && gen < nr_gens)
		gen++;
	if (gen + 1 >= nr_gens) {
		a.count = fg_min(c, FG_MAX_COUNT);
		return a;
	}
	if (kind == FG_ACCESS_PT) {
		a.count = fg_min(c, FG_CAP_PROMOTED);
		if (c > 1 || executable)
			a.move = FG_YOUNGEST;
		else if (!gen)
			a.move = FG_UP;
		return a;
	}
	/* one mark is all there is: saturate until it has been used up */
	if (c > FG_MAX_COUNT && !marked) {
		a.count = FG_CAP_PROMOTED;
		a.move = FG_UP;
	} else if (!gen && c >= 2) {
		a.count = fg_min(c, FG_CAP_PROMOTED);
		a.move = FG_UP;
	} else {
		a.count = fg_min(c, FG_MAX_COUNT);
	}
	return a;
}

static inline struct fg_placed fg_place(const struct fg_insertion *in)
{
	struct fg_placed p = { .count = in->count };

	if (in->active) {
		p.gen = mglru_gen_behind(in->nr_gens, in->count >= 2 ? 0 : 1);
		return p;
	}
	if (in->rotated)
		return p;
	if (in->put_back)
		p.count = fg_min(in->count, FG_CAP_PROTECTED);
	if (in->unswapped || in->reclaim_dirty)
		p.gen = mglru_gen_behind(in->nr_gens, 1);
	else
		p.gen = mglru_gen_behind(in->nr_gens, in->count >= 2 ? 2 : 3);
	/* what reclaim has rejected must not meet it again at once */
	if (in->put_back && !p.gen)
		p.gen = mglru_gen_behind(in->nr_gens, 1);
	return p;
}

/* Is @above worth evicting as much as @below, allowing it @gain times the refaults? */
static inline bool fg_tier_evictable(const struct fg_tier_pos *below,
				     const struct fg_tier_pos *above, u32 gain)
{
	return above->refaulted < FG_MIN_REFAULTS ||
	       above->refaulted * (below->total + FG_MIN_REFAULTS) <=
	       (below->refaulted + 1) * above->total * gain;
}

/* The highest tier that is not protected. */
static inline u32 fg_tier_idx(const struct fg_tier_pos pos[FG_NR_TIERS], u32 gain)
{
	u32 tier;

	for (tier = 1; tier < FG_NR_TIERS; tier++)
		if (!fg_tier_evictable(&pos[tier - 1], &pos[tier], gain))
			break;
	return tier - 1;
}

#endif /* _FREQ_GUIDED_H */
