/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules of the multi-gen LRU in Linux 7.3, for policies that follow some of
 * them: folio_add_lru(), lru_gen_folio_seq(), lru_gen_set_refs(),
 * folio_update_gen(), lru_gen_inc_refs(), sort_folio(), get_tier_idx(),
 * get_type_to_scan() and should_run_aging().
 *
 * Plain C without state, so that policies and native unit tests compile the
 * same lines. Generations are counted from the oldest, which is 0.
 */
#ifndef _MGLRU_H
#define _MGLRU_H

#ifndef __VMLINUX_H__
#include <stdbool.h>
#include <stdint.h>
typedef uint32_t u32;
typedef uint64_t u64;
#endif

#define MGLRU_MIN_GENS		2
#define MGLRU_MAX_GENS		4
#define MGLRU_TIERS		4
#define MGLRU_MAX_REFS		4
#define MGLRU_BATCH		64	/* MIN_LRU_BATCH: fewer refaults mean nothing */
#define MGLRU_PRIORITY		12	/* DEF_PRIORITY */

/*
 * The generation @age behind the youngest, or the oldest that there is: with
 * three generations the oldest and the second oldest of four are the same.
 */
static inline u32 mglru_gen_behind(u32 nr_gens, u32 age)
{
	return nr_gens > age ? nr_gens - 1 - age : 0;
}

/* Without the mark: the logarithm of the accesses, 1 stands for none, too. */
static inline u32 mglru_tier(u32 refs, bool workingset)
{
	if (workingset)
		return MGLRU_TIERS - 1;
	if (refs <= 1)
		return 0;
	return refs == 2 ? 1 : 2;
}

/* Why and how a folio comes to the lists. */
struct mglru_insertion {
	u32 nr_gens;
	bool active;
	bool workingset;
	bool used;		/* counts as used: stock, if an access is counted */
	bool rotated;		/* to be reclaimed next */
	bool unswapped;		/* anon not in the swap cache */
	bool reclaim_dirty;	/* being reclaimed, but dirty or under writeback */
};

static inline u32 mglru_place(const struct mglru_insertion *in)
{
	if (in->active)
		return mglru_gen_behind(in->nr_gens, in->workingset ? 0 : 1);
	if (in->rotated)
		return 0;
	if (in->unswapped || in->reclaim_dirty)
		return mglru_gen_behind(in->nr_gens, MGLRU_MIN_GENS - 1);
	return mglru_gen_behind(in->nr_gens, in->workingset || in->used ?
						     MGLRU_MAX_GENS - 2 : MGLRU_MAX_GENS - 1);
}

/* What an access makes of a folio. */
struct mglru_accessed {
	u32 refs;
	bool mark;		/* sets the workingset mark */
	bool promote;		/* page tables: to the youngest generation, or active */
};

/* By read() and write(). */
static inline struct mglru_accessed mglru_access_fd(u32 refs)
{
	struct mglru_accessed a = { .refs = refs };

	if (refs < MGLRU_MAX_REFS)
		a.refs++;
	else
		a.mark = true;
	return a;
}

/* By page tables. @walk: found by a walk, else while evicting. */
static inline struct mglru_accessed mglru_access_pt(u32 refs, bool workingset, bool executable,
						    bool walk)
{
	struct mglru_accessed a = { .refs = 1 };

	if (!refs && !workingset && !executable)
		return a;
	a.promote = true;
	if (walk || refs > 1 || (!refs && !workingset)) {
		a.refs = 0;
		a.mark = true;
	} else {
		a.refs = refs + 1;
	}
	return a;
}

/* Refaults and total of tiers, as the PID controller counts them. */
struct mglru_pos {
	u64 refaulted;
	u64 total;
	u64 gain;
};

/* Has @pv few refaults, or a lower share of them than @sp, gains considered? */
static inline bool mglru_error(const struct mglru_pos *sp, const struct mglru_pos *pv)
{
	return pv->refaulted < MGLRU_BATCH ||
	       pv->refaulted * (sp->total + MGLRU_BATCH) * sp->gain <=
	       (sp->refaulted + 1) * pv->total * pv->gain;
}

/* The highest tier that is not protected: each against the first. */
static inline u32 mglru_tier_idx(struct mglru_pos pos[MGLRU_TIERS])
{
	u32 tier;

	pos[0].gain = 2;
	for (tier = 1; tier < MGLRU_TIERS; tier++) {
		pos[tier].gain = 3;
		if (!mglru_error(&pos[0], &pos[tier]))
			break;
	}
	return tier - 1;
}

/* File next, else anon: by the sums of all tiers. */
static inline bool mglru_file_next(const struct mglru_pos *anon, const struct mglru_pos *file,
				   u32 swappiness)
{
	struct mglru_pos sp = *anon, pv = *file;

	if (swappiness <= 1)
		return true;
	if (swappiness >= 200)
		return false;
	sp.gain = swappiness;
	pv.gain = 200 - swappiness;
	return mglru_error(&sp, &pv);
}

/* Open a generation, if there is one to evict from? */
static inline bool mglru_age(u32 nr_gens_anon, u32 nr_gens_file, u32 swappiness, u32 priority)
{
	u32 nr_gens = 0;

	/* a type that is not evictable does not matter */
	if (swappiness)
		nr_gens = nr_gens_anon;
	if (swappiness <= 200 && nr_gens_file > nr_gens)
		nr_gens = nr_gens_file;
	return priority != MGLRU_PRIORITY && nr_gens == MGLRU_MIN_GENS + 1;
}

#endif /* _MGLRU_H */
