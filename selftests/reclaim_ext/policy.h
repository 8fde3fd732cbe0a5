/* SPDX-License-Identifier: GPL-2.0 */
/* Loading, attaching, replacing and asking after the test policy `probe`. */
#ifndef _SELFTESTS_POLICY_H
#define _SELFTESTS_POLICY_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "common.h"
#include "probe.h"
#include "probe.skel.h"

/*
 * The kernel keeps a tag for each format that it has seen since boot, of which
 * there are 7: tests use these two and no other.
 */
#define FORMAT_A	0x7e57
#define FORMAT_B	0x7e58

/* Answers of the policy; the kernel's enums, as they are in its header. */
enum {
	STATE_FILE = 1 << 0, STATE_WORKINGSET = 1 << 1, STATE_ACTIVE = 1 << 2,
	STATE_MAPPED = 1 << 3, STATE_DIRTY = 1 << 4, STATE_WRITEBACK = 1 << 5,
	STATE_RECLAIM = 1 << 6, STATE_SWAPCACHE = 1 << 7, STATE_SWAPBACKED = 1 << 8,
	STATE_IN_FAULT = 1 << 9, STATE_RECLAIMER = 1 << 10, STATE_MGLRU = 1 << 11,

	SHADOW_RECENT = 1 << 0, SHADOW_WORKINGSET = 1 << 1, SHADOW_COOKIE = 1 << 2,
	SHADOW_DEAD = 1 << 3, SHADOW_FOREIGN = 1 << 4,

	REFAULT = 1 << 0, REFAULT_ACTIVE = 1 << 1, REFAULT_WORKINGSET = 1 << 2,
	REFAULT_ACTIVATE = 1 << 3, REFAULT_RESTORE = 1 << 4, REFAULT_CHARGE = 1 << 5,
	REFAULT_CHARGE_AVG = 1 << 6, REFAULT_REFS = 1 << 7,
};
#define REFAULT_REFS_OF(n)	(REFAULT_REFS | (unsigned long long)(n) << 8)
#define REFAULT_TIER(n)		((unsigned long long)(n) << 16)

#define COOKIE		(1ULL << 31)
#define COOKIE_BITS	20
#define NAME_LEN	32
#define MAX_REFS	4
#define NO_EVICTED	1	/* flag of policy_load(): without that operation */
#define NO_REFAULTED	2

enum { ANON, FILE_PAGES };

struct policy {
	char			name[32];
	struct probe_bpf	*skel;
	struct bpf_map		*map;
	int			map_fd;
	unsigned int		map_id;
	struct probe_config	*config;
	struct probe_seen	*evicted;
	struct probe_seen	*refaulted;
	struct probe_snapshot	*snapshot;
	struct probe_life	*life;
};

struct policy *policy_load(const char *name, unsigned int format, unsigned int flags);
/* Forget what has been seen so far. */
void policy_reset(struct policy *p);
/* Link fd, or -errno. @cg NULL: without target, as an unpatched user space. */
int policy_try_attach(struct policy *p, struct cg *cg);
/* The same, must succeed. */
int policy_attach(struct policy *p, struct cg *cg);
/* 0 or -errno */
int policy_replace(int link, struct policy *p);

struct bpf_link_info link_info(int link);
/* Has the link been told that its policy has gone? */
bool link_hup(int link);
/* Links of type struct_ops in the whole system. */
int count_links(void);

#endif /* _SELFTESTS_POLICY_H */
