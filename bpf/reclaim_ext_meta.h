/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a policy says about itself, kept in the type information of its object:
 * `reclaimctl inspect` shows it, and the man page is made from it. All of it may
 * be left out. Each macro goes between the name and the semicolon or the `=`:
 *
 *	u32 distance_pct TUNABLE UNIT("percent") RANGE(0, 10000) DOC("...") = 100;
 *
 * RANGE takes numbers, or macros that are plain numbers. Compilers other than
 * BPF's see nothing.
 */
#ifndef _RECLAIM_EXT_META_H
#define _RECLAIM_EXT_META_H

#ifdef __bpf__
#define RECLAIM_EXT_META(text)	__attribute__((btf_decl_tag(text)))
#else
#define RECLAIM_EXT_META(text)
#endif
#define RECLAIM_EXT_TEXT_(x)	#x
#define RECLAIM_EXT_TEXT(x)	RECLAIM_EXT_TEXT_(x)

/* Of tunables, and DOC also of counters: a line each. */
#define DOC(text)		RECLAIM_EXT_META("doc:" text)
#define UNIT(text)		RECLAIM_EXT_META("unit:" text)
#define RANGE(min, max)		\
	RECLAIM_EXT_META("range:" RECLAIM_EXT_TEXT(min) ":" RECLAIM_EXT_TEXT(max))

/* Of the policy, before its struct reclaim_ext_ops. */
#define POLICY_VERSION(text)	RECLAIM_EXT_META("version:" text)
#define POLICY_IDEA(text)	RECLAIM_EXT_META("idea:" text)
#define POLICY_SOURCE(text)	RECLAIM_EXT_META("source:" text)
#define POLICY_USE(text)	RECLAIM_EXT_META("use:" text)
#define POLICY_KERNEL(text)	RECLAIM_EXT_META("kernel:" text)

#endif /* _RECLAIM_EXT_META_H */
