/* SPDX-License-Identifier: GPL-2.0 */
/* What user space needs of the policy fg_rd, and how its two parts meet. */
#ifndef _FG_RD_H
#define _FG_RD_H

#include "freq_guided.h"
#include "refault_distance.h"

/* The map `counters` of the policy, in calls, one per folio. */
struct fg_rd_counters {
	u64 evicted		DOC("folios whose shadow entry got a cookie");
	u64 qualified		DOC("refaults within the limit, started young");
	u64 second_oldest	DOC("of these: used once at most, so second oldest generation");
	u64 unqualified		DOC("refaults beyond the limit, left to freq_guided");
	u64 no_cookie		DOC("refaults that start anew: evicted before the policy came");
	u64 foreign		DOC("refaults that start anew: evicted from another memcg");
	u64 protected		DOC("protected by their tier");
};

#define FGRD_COUNT_BITS		3

/* A count in the low bits, a time above. */
static inline u32 fgrd_cookie(u32 count, u32 time)
{
	return time << FGRD_COUNT_BITS | (count & FG_MAX_COUNT);
}

static inline u32 fgrd_cookie_count(u32 cookie)
{
	return cookie & FG_MAX_COUNT;
}

static inline u32 fgrd_cookie_time(u32 cookie)
{
	return cookie >> FGRD_COUNT_BITS;
}

/* The count that a qualified refault starts with: enough to be placed by it. */
static inline u32 fgrd_restored(u32 count)
{
	return count < 2 ? 2 : fg_min(count, FG_CAP_PROMOTED);
}

#endif /* _FG_RD_H */
