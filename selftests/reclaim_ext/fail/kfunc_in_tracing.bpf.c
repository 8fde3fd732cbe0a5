// SPDX-License-Identifier: GPL-2.0
/* A kfunc of reclaim_ext outside its operations. */
/* expect: is not allowed */
#include "reclaim_ext.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("fentry/workingset_refault")
int BPF_PROG(fail_fentry, struct folio *folio, void *shadow)
{
	struct lruvec *lruvec = bpf_core_cast((void *)folio, struct lruvec);

	return bpf_reclaim_ext_free_swap(lruvec);
}
