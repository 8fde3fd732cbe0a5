/* SPDX-License-Identifier: GPL-2.0 */
/* What the test policy `decide` and test_decide.c tell each other. */
#ifndef _SELFTESTS_DECIDE_H
#define _SELFTESTS_DECIDE_H

/* operations that are asked about a folio */
enum decide_op {
	DECIDE_ADMIT,
	DECIDE_PLACE,
	DECIDE_ACCESSED,
	DECIDE_SORT,
	DECIDE_EVICTED,
	DECIDE_REFAULTED,
	DECIDE_NR_OPS = 8,
};

/* room for enum reclaim_ext_what */
#define DECIDE_WHATS	16

enum decide_type { DECIDE_ALL, DECIDE_ANON, DECIDE_FILE };

struct decide_config {
	unsigned long long	ino;		/* file folios of this inode alone, 0: all */
	unsigned long long	refaulted;	/* answers */
	unsigned long long	budget;
	unsigned int		answer[DECIDE_NR_OPS * DECIDE_WHATS];
	unsigned int		balance;
	unsigned int		age;
	unsigned int		type;		/* enum decide_type */
	unsigned int		count;		/* accessed: count up, to at most this */
	unsigned long long	cgroup;		/* batches and budgets of this cgroup, 0: all */
};

/* Of what was seen: how often, which bits were always set, or ever, and from where to where. */
struct decide_seen {
	unsigned long long	calls, pages, executable, tail;
	unsigned long long	state_all, state_any;
	unsigned long long	stock_all, stock_any;
	unsigned int		refs_min, refs_max;
	unsigned int		tier_min, tier_max;
	unsigned int		gen_min, gen_max;
	unsigned int		nr_gens_min, nr_gens_max;
	unsigned int		priority_min, priority_max;
	unsigned int		tier_idx_max, protected_max;
	unsigned int		nr_pages_max;
	unsigned long long	folio_cgroup;	/* the last folio's */
	unsigned long long	lruvec_cgroup;	/* the last lruvec's */
	unsigned long long	wrong_lruvec;	/* times that the two were not the same */
	unsigned long long	wrong_size;	/* folio and context disagree */
};

struct decide_batch {
	unsigned long long	calls, memcg;
	unsigned int		swappiness_min, swappiness_max;
	unsigned int		priority_min, priority_max;
	unsigned int		gens_min, gens_max;	/* of either type */
	unsigned int		stock_all, stock_any;
};

struct decide_budget {
	unsigned long long	calls, nodes_max, pages_max;
};

#endif /* _SELFTESTS_DECIDE_H */
