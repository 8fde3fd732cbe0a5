// SPDX-License-Identifier: GPL-2.0
/* Random answers, all of them legal. */
#include "hostile.bpf.h"

static __always_inline u32 refs(void)
{
	return answer_refs(rng() % (RECLAIM_EXT_MAX_REFS + 1));
}

static __always_inline u32 some_gen(struct reclaim_ext_folio_ctx *ev, u32 least)
{
	u32 n = ev->nr_gens - least;

	return n ? answer_gen(least + rng() % n) : RECLAIM_EXT_DECIDE;
}

FOLIO_OP(admit)
{
	return refs() | (turn() ? RECLAIM_EXT_YOUNGEST : 0);
}

FOLIO_OP(place)
{
	return some_gen(ev, 0) | (turn() ? refs() : 0);
}

FOLIO_OP(accessed)
{
	switch (ev->what) {
	case RECLAIM_EXT_FD:
		return refs() | (turn() ? RECLAIM_EXT_UP : 0);
	case RECLAIM_EXT_RMAP:
		return refs() | (turn() ? RECLAIM_EXT_EVICT : RECLAIM_EXT_KEEP);
	default:
		return refs() | (turn() ? RECLAIM_EXT_UP : RECLAIM_EXT_YOUNGEST);
	}
}

FOLIO_OP(sort)
{
	return turn() ? refs() | RECLAIM_EXT_EVICT : refs() | some_gen(ev, 1);
}

BATCH_OP(balance)
{
	return answer_balance(turn(), rng() % 4, rng() % 4);
}

BATCH_OP(age)
{
	return turn() && ev->nr_gens_anon < 4 && ev->nr_gens_file < 4 ? RECLAIM_EXT_AGE :
									RECLAIM_EXT_DONT_AGE;
}

EVICTED_OP
{
	return RECLAIM_EXT_COOKIE | (rng() & ((1U << RECLAIM_EXT_COOKIE_BITS) - 1));
}

REFAULTED_OP
{
	return RECLAIM_EXT_REFAULT |
	       (rng() & (RECLAIM_EXT_REFAULT_ACTIVE | RECLAIM_EXT_REFAULT_WORKINGSET |
			 RECLAIM_EXT_REFAULT_ACTIVATE | RECLAIM_EXT_REFAULT_RESTORE));
}

BUDGET_OP
{
	return rng() % 1000;
}

HOSTILE = {
	.admit		= OP(admit),
	.place		= OP(place),
	.accessed	= OP(accessed),
	.sort		= OP(sort),
	.balance	= OP(balance),
	.age		= OP(age),
	.evicted	= OP(evicted),
	.refaulted	= OP(refaulted),
	.shadow_budget	= OP(shadow_budget),
	.flags		= RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.cookie_format	= FORMAT,
	.name		= "random_legal",
};
