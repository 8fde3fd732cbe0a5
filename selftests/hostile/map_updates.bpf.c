// SPDX-License-Identifier: GPL-2.0
/* Many updates of a small map, shared by all CPUs, in every call. */
#include "hostile.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, u64);
	__type(value, u64);
} map SEC(".maps");

static __always_inline void updates(struct folio *folio)
{
	u64 key, value = folio->index;

	for (u32 i = 0; i < 4; i++) {
		key = value + i;
		if (bpf_map_update_elem(&map, &key, &value, BPF_ANY))
			key = turns++ % 64;
		bpf_map_delete_elem(&map, &key);
	}
}

FOLIO_OP(place)
{
	updates(folio);
	return 0;
}

FOLIO_OP(accessed)
{
	updates(folio);
	return 0;
}

FOLIO_OP(sort)
{
	updates(folio);
	return 0;
}

HOSTILE = {
	.place		= OP(place),
	.accessed	= OP(accessed),
	.sort		= OP(sort),
	.flags		= RECLAIM_EXT_F_ACCESS_FD | RECLAIM_EXT_F_ACCESS_PT,
	.name		= "map_updates",
};
