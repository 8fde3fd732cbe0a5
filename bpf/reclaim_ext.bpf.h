/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every reclaim_ext policy includes, before anything else.
 *
 * The interface itself (struct reclaim_ext_ops, the contexts and the bits of the
 * answers) is in vmlinux.h, generated from the kernel that was built: see
 * include/linux/reclaim_ext.h there for what each field means and in which
 * context each operation is called.
 */
#ifndef _RECLAIM_EXT_BPF_H
#define _RECLAIM_EXT_BPF_H

/*
 * vmlinux.h would declare the kfuncs below weak. Declared here they are strong:
 * on a kernel that lacks one the object does not load, and the log names it.
 */
#define BPF_NO_KFUNC_PROTOTYPES
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "reclaim_ext_meta.h"

/*
 * Errors for ->attach(), which vmlinux.h does not have.
 */
#ifndef EINVAL
#define EINVAL 22
#endif

/*
 * Ids of the cookie formats in use, for @cookie_format. A format is more than a
 * width: two policies share an id only if each understands what the other wrote.
 * Take the next number, never use one again for another meaning.
 */
enum reclaim_ext_cookie_format {
	/*
	 * The lruvec's eviction clock, shifted right by the order that
	 * rd_order() in policies/refault_distance.h gives for this machine.
	 */
	COOKIE_FORMAT_EVICTION_CLOCK = 1,
	/* The count of accesses, 0 to 7, in bits 0 to 2. */
	COOKIE_FORMAT_COUNT = 2,
	/*
	 * The count in bits 0 to 2, above it the lruvec's refault clock, shifted
	 * right by the order that ld_order() in policies/ladder.h gives.
	 */
	COOKIE_FORMAT_COUNT_REFAULTS = 3,
	/*
	 * The count in bits 0 to 2, above it the lruvec's eviction clock, shifted
	 * right by the order that rd_order() gives for the bits that are left.
	 */
	COOKIE_FORMAT_COUNT_EVICTIONS = 4,
};

/* MGLRU pages of a type that are @age generations from the youngest, 0: there are none. */
extern u64 bpf_reclaim_ext_gen_pages(struct lruvec *lruvec, u32 file, u32 age) __ksym;
/* Classic LRU pages of a type, active or not, of @lruvec and its descendants. */
extern u64 bpf_reclaim_ext_lru_pages(struct lruvec *lruvec, u32 file, u32 active) __ksym;
/* Pages evicted from @lruvec and its descendants. */
extern u64 bpf_reclaim_ext_eviction_clock(struct lruvec *lruvec) __ksym;
/* Pages that came back to @lruvec and found a shadow entry. */
extern u64 bpf_reclaim_ext_refault_clock(struct lruvec *lruvec) __ksym;
/* The PID controller's refaults of a tier: running average and oldest generation. */
extern u64 bpf_reclaim_ext_tier_refaulted(struct lruvec *lruvec, u32 file, u32 tier) __ksym;
/* The same of pages evicted or protected. */
extern u64 bpf_reclaim_ext_tier_total(struct lruvec *lruvec, u32 file, u32 tier) __ksym;
/* Swap that the memcg of @lruvec may still use, pages. */
extern u64 bpf_reclaim_ext_free_swap(struct lruvec *lruvec) __ksym;
/* Id of the cgroup whose policy is effective for @lruvec, 0: none. */
extern u64 bpf_reclaim_ext_cgroup_id(struct lruvec *lruvec) __ksym;
/* Ends the policy that is effective for @lruvec, @code goes to ->exit(). */
extern void bpf_reclaim_ext_exit(struct lruvec *lruvec, s64 code) __ksym;

/*
 * Tunables are all that is in .data, so that user space finds them by name in
 * the type of that map and can change them while the policy is attached. The
 * policy's own variables must be elsewhere: leave them without initialiser.
 * UNIT, RANGE and DOC of reclaim_ext_meta.h say what the values mean; what is
 * out of range is refused by the loader, not here.
 */
#define TUNABLE SEC(".data")

/*
 * Counters are one structure of u64 per policy, per CPU. User space takes the
 * names from the type of the map `counters` and adds the CPUs up.
 */
#define COUNTERS(counters_type)						\
	struct {							\
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);		\
		__uint(max_entries, 1);					\
		__type(key, u32);					\
		__type(value, counters_type);				\
	} counters SEC(".maps");					\
									\
	static __always_inline counters_type *counters_here(void)	\
	{								\
		u32 zero = 0;						\
									\
		return bpf_map_lookup_elem(&counters, &zero);		\
	}

/*
 * Atomic, since an operation can be preempted, or called on the same CPU from an
 * interrupt, between load and store.
 */
#define COUNT(name, n)							\
	do {								\
		__auto_type __c = counters_here();			\
									\
		if (__c)						\
			__sync_fetch_and_add(&__c->name, n);		\
	} while (0)

/* Parts of an answer of ->refaulted(). */
static __always_inline u64 refault_tier(u32 tier)
{
	return (u64)tier << RECLAIM_EXT_REFAULT_TIER_SHIFT;
}

/* Restore that many accesses. */
static __always_inline u64 refault_refs(u32 refs)
{
	return RECLAIM_EXT_REFAULT_REFS | (u64)refs << RECLAIM_EXT_REFAULT_REFS_SHIFT;
}

/* Parts of an answer of ->admit(), ->place(), ->accessed() and ->sort(). */
static __always_inline u32 answer_refs(u32 refs)
{
	return RECLAIM_EXT_DECIDE | RECLAIM_EXT_REFS | refs << RECLAIM_EXT_REFS_SHIFT;
}

/* The generation given, counted from the oldest. */
static __always_inline u32 answer_gen(u32 gen)
{
	return RECLAIM_EXT_DECIDE | RECLAIM_EXT_GEN | gen << RECLAIM_EXT_GEN_SHIFT;
}

/* An answer of ->balance(). */
static __always_inline u32 answer_balance(bool file, u32 tier_anon, u32 tier_file)
{
	return RECLAIM_EXT_BALANCE | (file ? RECLAIM_EXT_BALANCE_FILE : 0) |
	       tier_anon << RECLAIM_EXT_TIER_ANON_SHIFT |
	       tier_file << RECLAIM_EXT_TIER_FILE_SHIFT;
}

#endif /* _RECLAIM_EXT_BPF_H */
