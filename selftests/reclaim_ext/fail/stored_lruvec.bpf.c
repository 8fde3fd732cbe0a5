// SPDX-License-Identifier: GPL-2.0
/* Hands an address that it had stored to a kfunc, as if it were an lruvec. */
/* expect: invalid first argument (R1) for bpf_reclaim_ext_eviction_clock */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} kept SEC(".maps");

SEC("struct_ops/fail_sort")
u32 BPF_PROG(fail_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	u32 zero = 0;
	u64 *k = bpf_map_lookup_elem(&kept, &zero);

	u64 before;

	if (!k)
		return 0;
	/* that of another call: it may be gone */
	before = *k;
	*k = (u64)lruvec;
	return bpf_reclaim_ext_eviction_clock((struct lruvec *)before);
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.sort	= (void *)fail_sort,
	.name	= "fail",
};
