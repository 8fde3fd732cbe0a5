// SPDX-License-Identifier: GPL-2.0
/*
 * ladder - one ladder of access counts for resident and evicted pages
 *
 * Idea
 *	The count of accesses, 0 to 7, survives eviction in the shadow entry. There
 *	it decays by the number of refaults that pass; in memory a folio pays one
 *	count for each time that it is protected. Nothing is forgotten at once, and
 *	nothing is promoted for a single access.
 *
 * Source
 *	This project. The constants come from simulation.
 *
 * Rule
 *	C: file pages of the lruvec; R: its refaults that found a shadow entry.
 *	File folios:
 *	new	     count 0: the read itself, or the first young bit, makes it 1
 *	refault	     count at eviction - (R - R at eviction) / (C / 4) + credit, 0 to
 *		     7. Never active
 *	insertion    oldest generation; second oldest while the oldest holds less
 *		     than C / 100
 *	access	     count + 1, up to 7; one generation up if in one of the two oldest
 *		     with 3 or more before
 *	young at the check before eviction
 *		     count + 1; kept, second oldest generation, if used before; else
 *		     evicted all the same
 *	eviction     with 3 or more (1 while the oldest generation holds more than
 *		     C / 4) and fewer than 24 protected of the last 64: one generation
 *		     up for one count. The PID controller has no say
 *	ageing	     three generations, no more
 *	Executable mappings and anonymous folios go by the rules of freq_guided,
 *	anon or file by the kernel's.
 *
 * When it helps
 *	Skewed file access; a hot set beside scans; one-time pages.
 *
 * When not to use it
 *	Memory that holds nearly everything, and phases that change often: recency
 *	alone does better there, in simulation.
 *
 * Cost
 *	As freq_guided. Insertion, eviction and refault add up five counters.
 *
 * Limits
 *	"One up" is done when reclaim meets the folio in the oldest generation.
 *	Shadow entries of other memcgs, of those removed, and of before the policy
 *	was attached start anew. The clock in the entry wraps around after four times
 *	the machine's memory in refaults: older history looks recent.
 *
 * Tunables
 *	decay_parts	one count is lost per C / decay_parts refaults, default 4; 0:
 *			none is
 *	tiny_parts	the oldest generation is tiny below C / tiny_parts, default
 *			100; 0: never
 *	large_parts	and large above C / large_parts, default 4; 0: never
 *	threshold	count that protects and promotes, 1 to 7, default 3
 *	bound		protected of the last 64 at most, 0 to 48, default 24
 *	credit_read	what a refault by read() adds beside the access that follows
 *			it, 0 to 7, default 0
 *	credit_fault	what a refault in a fault adds beside its young bit, 0 to 7,
 *			default 0. With 1 the fault counts twice: mmap zipf 0.8 has
 *			0.231 refaults per read instead of 0.206
 *
 * Counters
 *	see struct ladder_counters
 */
#include "freq_guided.bpf.h"
#include "ladder.h"

char LICENSE[] SEC("license") = "GPL";

u32 decay_parts TUNABLE RANGE(0, 1000000)
	DOC("one count is lost per C / decay_parts refaults, 0: none is") = LD_DECAY_DEFAULT;
u32 tiny_parts TUNABLE RANGE(0, 1000000)
	DOC("the oldest generation is tiny below C / tiny_parts, 0: never") = LD_TINY_DEFAULT;
u32 large_parts TUNABLE RANGE(0, 1000000)
	DOC("and large above C / large_parts, 0: never") = LD_LARGE_DEFAULT;
u32 threshold TUNABLE RANGE(1, 7)
	DOC("count that protects and promotes") = LD_THRESHOLD_DEFAULT;
u32 bound TUNABLE RANGE(0, 48)
	DOC("protected of the last 64 at most") = LD_BOUND_DEFAULT;
u32 credit_read TUNABLE RANGE(0, 7)
	DOC("what a refault by read() adds beside the access that follows it") = 0;
u32 credit_fault TUNABLE RANGE(0, 7)
	DOC("what a refault in a fault adds beside its young bit") = 0;

COUNTERS(struct ladder_counters);

/* Of the machine, so the same for every memcg to which this object is attached. */
u32 cookie_bits;
u32 cookie_order;

static __always_inline u64 file_pages(struct lruvec *lruvec)
{
	return bpf_reclaim_ext_gen_pages(lruvec, 1, 0) + bpf_reclaim_ext_gen_pages(lruvec, 1, 1) +
	       bpf_reclaim_ext_gen_pages(lruvec, 1, 2) + bpf_reclaim_ext_gen_pages(lruvec, 1, 3);
}

static __always_inline u64 oldest_pages(struct lruvec *lruvec, u32 nr_gens)
{
	return nr_gens ? bpf_reclaim_ext_gen_pages(lruvec, 1, nr_gens - 1) : 0;
}

SEC("struct_ops/ladder_attach")
s32 BPF_PROG(ladder_attach, struct reclaim_ext_attach_ctx *where)
{
	u32 bits = where->cookie_bits;

	if (bits <= LD_COUNT_BITS || bits > 31)
		return -EINVAL;
	cookie_order = ld_order(where->totalram_pages, bits);
	cookie_bits = bits;
	return 0;
}

SEC("struct_ops/ladder_admit")
u32 BPF_PROG(ladder_admit, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	return RECLAIM_EXT_DECIDE;
}

SEC("struct_ops/ladder_place")
u32 BPF_PROG(ladder_place, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	bool dirty = f->state & RECLAIM_EXT_RECLAIM &&
		     f->state & (RECLAIM_EXT_DIRTY | RECLAIM_EXT_WRITEBACK);
	u32 gen;

	if (!(f->state & RECLAIM_EXT_FILE) || f->state & RECLAIM_EXT_ACTIVE || dirty)
		return fg_on_place(f);
	switch (f->what) {
	case RECLAIM_EXT_ROTATED:
		return answer_gen(0);
	case RECLAIM_EXT_DEACTIVATED:
		return answer_gen(0) | answer_refs(0);
	case RECLAIM_EXT_PUT_BACK:
		return answer_gen(1);
	default:
		gen = ld_place(oldest_pages(lruvec, f->nr_gens), file_pages(lruvec), tiny_parts);
		if (gen)
			COUNT(second_oldest, 1);
		return answer_gen(gen);
	}
}

SEC("struct_ops/ladder_accessed")
u32 BPF_PROG(ladder_accessed, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	u32 ret;

	if (!(f->state & RECLAIM_EXT_FILE) || f->executable) {
		struct fg_accessed a = fg_on_access(f);

		return fg_access_answer(f, &a);
	}

	ret = answer_refs(ld_inc(f->refs));
	if (f->what == RECLAIM_EXT_RMAP) {
		if (ld_keep(f->refs)) {
			COUNT(rmap_kept, 1);
			return ret | RECLAIM_EXT_KEEP;
		}
		COUNT(rmap_evicted, 1);
		return ret | RECLAIM_EXT_EVICT;
	}
	if (f->gen >= f->nr_gens || !ld_up(f->refs, f->gen, threshold))
		return ret;
	if (!(f->state & RECLAIM_EXT_WORKINGSET))
		COUNT(marked, 1);
	return ret | RECLAIM_EXT_UP;
}

SEC("struct_ops/ladder_sort")
u32 BPF_PROG(ladder_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *f)
{
	u32 need;

	if (!(f->state & RECLAIM_EXT_FILE))
		return fg_on_sort(f);
	if (f->what != RECLAIM_EXT_SCANNED)
		return RECLAIM_EXT_DECIDE;

	/* few of those that are looked at need the sizes */
	if (!f->refs)
		return RECLAIM_EXT_DECIDE | RECLAIM_EXT_EVICT;
	need = ld_threshold(oldest_pages(lruvec, f->nr_gens), file_pages(lruvec),
			    threshold, large_parts);
	if (f->refs < need)
		return RECLAIM_EXT_DECIDE | RECLAIM_EXT_EVICT;
	if (f->protected >= bound) {
		COUNT(bounded, 1);
		return RECLAIM_EXT_DECIDE | RECLAIM_EXT_EVICT;
	}
	COUNT(protected, 1);
	return answer_gen(1) | answer_refs(f->refs - 1);
}

SEC("struct_ops/ladder_balance")
u32 BPF_PROG(ladder_balance, struct lruvec *lruvec, struct reclaim_ext_batch_ctx *b)
{
	return answer_balance(b->stock & RECLAIM_EXT_BALANCE_FILE,
			      fg_type_tier_idx(lruvec, 0, FG_GAIN_DEFAULT), FG_NR_TIERS - 1);
}

SEC("struct_ops/ladder_age")
u32 BPF_PROG(ladder_age, struct lruvec *lruvec, struct reclaim_ext_batch_ctx *b)
{
	if (b->nr_gens_file >= LD_NR_GENS)
		return RECLAIM_EXT_DONT_AGE;
	/* anon is at its last generation, it has to be closed first: as stock */
	if (b->nr_gens_anon > LD_NR_GENS)
		return 0;
	return RECLAIM_EXT_AGE;
}

SEC("struct_ops/ladder_evicted")
u32 BPF_PROG(ladder_evicted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_evict_ctx *ev)
{
	if (ev->state & RECLAIM_EXT_FILE)
		COUNT(evicted, 1);
	return RECLAIM_EXT_COOKIE | ld_cookie(fg_min(ev->refs, LD_MAX_COUNT),
					      bpf_reclaim_ext_refault_clock(lruvec),
					      cookie_order, cookie_bits);
}

SEC("struct_ops/ladder_refaulted")
u64 BPF_PROG(ladder_refaulted, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_refault_ctx *re)
{
	bool ours = re->shadow & RECLAIM_EXT_SHADOW_COOKIE &&
		    !(re->shadow & (RECLAIM_EXT_SHADOW_DEAD | RECLAIM_EXT_SHADOW_FOREIGN));
	u32 count = ld_cookie_count(re->cookie), left;

	if (!(re->state & RECLAIM_EXT_MGLRU))
		return 0;
	if (!(re->state & RECLAIM_EXT_FILE)) {
		if (!ours || !(re->shadow & RECLAIM_EXT_SHADOW_RECENT))
			return RECLAIM_EXT_REFAULT | refault_refs(0);
		return fg_refault_answer(re, count);
	}
	if (!ours) {
		if (re->shadow & RECLAIM_EXT_SHADOW_COOKIE)
			COUNT(foreign, 1);
		else
			COUNT(no_cookie, 1);
		return RECLAIM_EXT_REFAULT | refault_refs(0);
	}
	COUNT(refaulted, 1);
	left = ld_decay(count, ld_elapsed(bpf_reclaim_ext_refault_clock(lruvec), re->cookie,
					  cookie_order, cookie_bits),
			file_pages(lruvec), decay_parts);
	if (left < count)
		COUNT(decayed, 1);
	return RECLAIM_EXT_REFAULT |
	       refault_refs(ld_restored(left, re->state & RECLAIM_EXT_IN_FAULT ?
					      credit_fault : credit_read));
}

POLICY_VERSION("1")
POLICY_KERNEL("7.3")
POLICY_IDEA("resident and evicted pages climb and descend one ladder of access counts")
POLICY_SOURCE("reclaim_ext")
POLICY_USE("skewed file access, a hot set beside scans, one-time pages")
SEC(".struct_ops.link")
struct reclaim_ext_ops ladder = {
	.attach		= (void *)ladder_attach,
	.admit		= (void *)ladder_admit,
	.place		= (void *)ladder_place,
	.accessed	= (void *)ladder_accessed,
	.sort		= (void *)ladder_sort,
	.balance	= (void *)ladder_balance,
	.age		= (void *)ladder_age,
	.evicted	= (void *)ladder_evicted,
	.refaulted	= (void *)ladder_refaulted,
	.cookie_format	= COOKIE_FORMAT_COUNT_REFAULTS,
	.flags		= RECLAIM_EXT_F_COUNT | RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.name		= "ladder",
};
