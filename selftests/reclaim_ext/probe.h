/* SPDX-License-Identifier: GPL-2.0 */
/* What the test policy `probe` and the test programs tell each other. */
#ifndef _SELFTESTS_PROBE_H
#define _SELFTESTS_PROBE_H

enum probe_cookie {
	PROBE_COOKIE_NONE,	/* evicted() returns 0 */
	PROBE_COOKIE_INDEX,	/* low bits of page index or swap offset; refaulted() compares */
	PROBE_COOKIE_RAW,	/* evicted() returns probe_config.raw */
};

struct probe_config {
	unsigned long long	decision;	/* answer of refaulted() */
	unsigned long long	raw;
	unsigned long long	ino;		/* only file folios of this inode, 0: all */
	long long		exit_code;
	unsigned int		cookie;		/* enum probe_cookie */
	int			attach_err;	/* answer of attach() */
	int			exit_on_evicted;
	int			exit_on_refaulted;
	int			snapshot;	/* refaulted() calls the kfuncs */
};

/* Of what was seen: how often, and which bits were always set, or ever. */
struct probe_seen {
	unsigned long long	calls, pages;
	unsigned long long	no_cookie, match, mismatch, recent;
	unsigned long long	state_all, state_any;
	unsigned long long	shadow_all, shadow_any;
	unsigned long long	stock_all, stock_any;
	unsigned int		refs_min, refs_max;
	unsigned int		tier_min, tier_max;
	unsigned int		nr_pages_max;
	unsigned int		cookie;		/* the last one */
	unsigned long long	folio_cgroup;	/* the last folio's */
	unsigned long long	cgroup_changes;	/* times that it was another one */
	unsigned long long	wrong_size;	/* folio and context disagree */
};

struct probe_snapshot {
	unsigned long long	gen_pages[8];	/* [file * 4 + age] */
	unsigned long long	gen_pages_beyond;	/* age 4 and more, summed up */
	unsigned long long	lru_pages[4];	/* [file * 2 + active] */
	unsigned long long	eviction_clock;
	unsigned long long	refault_clock;
	unsigned long long	free_swap;
	unsigned long long	cgroup_id;
	unsigned long long	lruvec_cgroup;	/* the cgroup of the lruvec itself */
	unsigned long long	evicted_pages;	/* what evicted() had seen then */
};

struct probe_life {
	unsigned long long	attach_calls, detach_calls, exit_calls;
	unsigned long long	attach_cgroup, detach_cgroup, exit_cgroup;
	unsigned long long	totalram_pages;
	unsigned int		cookie_bits, replaces;
	unsigned long long	detach_after_exit;	/* must stay 0 */
	long long		exit_code;
	unsigned int		exit_kind;
	char			exit_reason[32];
	char			exit_msg[128];
};

#endif /* _SELFTESTS_PROBE_H */
