/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the hooks and the rules in policies/refault_distance.h, for policies
 * that judge refaults by their distance.
 */
#ifndef _REFAULT_DISTANCE_BPF_H
#define _REFAULT_DISTANCE_BPF_H

#include "reclaim_ext.bpf.h"
#include "../policies/refault_distance.h"

/* @swap: the memcg can still swap, so that anon counts. */
static __always_inline void rd_mglru_sizes(struct lruvec *lruvec, bool swap, struct rd_sizes *s)
{
	s->active = bpf_reclaim_ext_gen_pages(lruvec, 1, 0) +
		    bpf_reclaim_ext_gen_pages(lruvec, 1, 1);
	s->inactive_file = bpf_reclaim_ext_gen_pages(lruvec, 1, 2) +
			   bpf_reclaim_ext_gen_pages(lruvec, 1, 3);
	s->inactive_anon = 0;
	if (!swap)
		return;
	s->active += bpf_reclaim_ext_gen_pages(lruvec, 0, 0) +
		     bpf_reclaim_ext_gen_pages(lruvec, 0, 1);
	s->inactive_anon = bpf_reclaim_ext_gen_pages(lruvec, 0, 2) +
			   bpf_reclaim_ext_gen_pages(lruvec, 0, 3);
}

#endif /* _REFAULT_DISTANCE_BPF_H */
