// SPDX-License-Identifier: GPL-2.0
/* The tracepoints of reclaim_ext, for reclaimctl events. */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>

#include "events.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 18);
} ring SEC(".maps");

unsigned long long lost;

static __always_inline struct event *begin(unsigned int kind, struct bpf_raw_tracepoint_args *ctx)
{
	struct event *e = bpf_ringbuf_reserve(&ring, sizeof(*e), 0);

	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return NULL;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->kind = kind;
	e->cgroup_id = ctx->args[0];
	bpf_probe_read_kernel_str(e->policy, sizeof(e->policy), (void *)ctx->args[1]);
	return e;
}

SEC("raw_tp/reclaim_ext_attach")
int on_attach(struct bpf_raw_tracepoint_args *ctx)
{
	struct event *e = begin(EVENT_ATTACH, ctx);

	if (e)
		bpf_ringbuf_submit(e, 0);
	return 0;
}

SEC("raw_tp/reclaim_ext_replace")
int on_replace(struct bpf_raw_tracepoint_args *ctx)
{
	struct event *e = begin(EVENT_REPLACE, ctx);

	if (!e)
		return 0;
	bpf_probe_read_kernel_str(e->old, sizeof(e->old), (void *)ctx->args[2]);
	bpf_ringbuf_submit(e, 0);
	return 0;
}

SEC("raw_tp/reclaim_ext_exit")
int on_exit(struct bpf_raw_tracepoint_args *ctx)
{
	struct event *e = begin(EVENT_EXIT, ctx);

	if (!e)
		return 0;
	bpf_probe_read_kernel_str(e->reason, sizeof(e->reason), (void *)ctx->args[2]);
	e->code = ctx->args[3];
	bpf_probe_read_kernel_str(e->msg, sizeof(e->msg), (void *)ctx->args[4]);
	bpf_ringbuf_submit(e, 0);
	return 0;
}
