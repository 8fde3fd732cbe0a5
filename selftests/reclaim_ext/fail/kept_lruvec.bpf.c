// SPDX-License-Identifier: GPL-2.0
/* Keeps an lruvec in a map, without a reference, and hands it to a kfunc later. */
/* expect: must be referenced or trusted */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct kept {
	struct lruvec __kptr_untrusted *lruvec;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct kept);
} kept SEC(".maps");

SEC("struct_ops/fail_sort")
u32 BPF_PROG(fail_sort, struct folio *folio, struct lruvec *lruvec,
	     struct reclaim_ext_folio_ctx *ev)
{
	struct lruvec *before;
	u32 zero = 0;
	struct kept *k = bpf_map_lookup_elem(&kept, &zero);

	if (!k)
		return 0;
	before = k->lruvec;
	k->lruvec = lruvec;
	return before ? bpf_reclaim_ext_eviction_clock(before) : 0;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.sort	= (void *)fail_sort,
	.name	= "fail",
};
