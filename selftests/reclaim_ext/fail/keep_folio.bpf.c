// SPDX-License-Identifier: GPL-2.0
/* Keeps a folio in a map, which would outlive it. */
/* expect: Error loading .BTF into kernel: -ENOENT */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct kept {
	struct folio __kptr *folio;
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
	u32 zero = 0;
	struct kept *k = bpf_map_lookup_elem(&kept, &zero);

	if (k)
		bpf_kptr_xchg(&k->folio, folio);
	return 0;
}

SEC(".struct_ops.link")
struct reclaim_ext_ops must_fail = {
	.sort	= (void *)fail_sort,
	.name	= "fail",
};
