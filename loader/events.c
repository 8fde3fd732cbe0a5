// SPDX-License-Identifier: GPL-2.0
/* events: follows attaching, replacing and the end of policies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reclaimctl.h"
#include "events.h"
#include "events.skel.h"

/* Paths by id: when a cgroup has gone the kernel has forgotten its path. */
struct paths {
	struct known {
		uint64_t id;
		char *path;
	} *known;
	int nr;
	long left;	/* events until the end, 0: no end */
};

static const char *path_of(struct paths *p, uint64_t id)
{
	struct known *k;
	int i;

	for (i = 0; i < p->nr; i++)
		if (p->known[i].id == id)
			return p->known[i].path;
	k = APPEND(p->known, p->nr);
	k->id = id;
	k->path = cgroup_path_of(id);
	return k->path;
}

static int on_event(void *arg, void *data, size_t size __attribute__((unused)))
{
	static const char * const ejections[] = { "policy", "sysrq", "bad_decisions",
						  "no_progress", "too_slow" };
	struct paths *paths = arg;
	const struct event *e = data;
	const char *what = e->kind == EVENT_ATTACH ? "attach" :
			   e->kind == EVENT_REPLACE ? "replace" : "exit";
	const char *path = path_of(paths, e->cgroup_id);
	char when[32], id[40];
	time_t now = time(NULL);
	struct tm tm;

	for (size_t i = 0; i < sizeof(ejections) / sizeof(*ejections); i++)
		if (e->kind == EVENT_EXIT && !strcmp(e->reason, ejections[i]))
			what = "eject";
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S%z", localtime_r(&now, &tm));
	if (opt.json) {
		json_object *o = answer();

		add_str(o, "time", when);
		add_str(o, "event", what);
		add_str(o, "cgroup", path);
		add_u64(o, "cgroup_id", e->cgroup_id);
		add_str(o, "policy", e->policy);
		if (e->kind == EVENT_REPLACE)
			add_str(o, "old", e->old);
		if (e->kind == EVENT_EXIT) {
			add_str(o, "reason", e->reason);
			json_object_object_add(o, "code", json_object_new_int64(e->code));
			add_str(o, "msg", e->msg);
		}
		print_json(o, false);
	} else {
		snprintf(id, sizeof(id), "cgroup id %llu", e->cgroup_id);
		printf("%s %-7s %s: \"%s\"", when, what, path ? show(path) : id, e->policy);
		if (e->kind == EVENT_REPLACE)
			printf(" in place of \"%s\"", e->old);
		if (e->kind == EVENT_EXIT)
			printf(": %s, code %lld%s%s", e->reason, e->code, *e->msg ? ": " : "",
			       show(e->msg));
		putchar('\n');
	}
	if (fflush(stdout))
		return -EPIPE;
	/* whoever asked for so many gets no more */
	return paths->left && !--paths->left ? -ECANCELED : 0;
}

int cmd_events(int argc __attribute__((unused)), char **argv __attribute__((unused)))
{
	struct paths paths = { .left = opt.count };
	struct ring_buffer *ring;
	struct events_bpf *skel;
	struct world w;
	uint64_t lost = 0;
	int ret = 0, n;

	skel = events_bpf__open_and_load();
	if (skel)
		ret = events_bpf__attach(skel);
	if (!skel || ret) {
		n = skel ? -ret : errno;
		events_bpf__destroy(skel);
		if (n == EPERM)
			return err(ST_FAILED, "no right to follow events: run it as root");
		return err(ST_UNUSABLE, "cannot follow the tracepoints of reclaim_ext: %s: see reclaimctl doctor",
			   strerror(n));
	}
	ring = ring_buffer__new(bpf_map__fd(skel->maps.ring), on_event, &paths, NULL);
	if (!ring) {
		events_bpf__destroy(skel);
		return err(ST_FAILED, "cannot open the ring buffer: %s", strerror(errno));
	}
	world_read(&w);
	for (int i = 0; i < w.nr_links; i++)
		if (w.links[i].cgroup_id)
			path_of(&paths, w.links[i].cgroup_id);
	world_free(&w);
	note("following");
	while (!interrupted) {
		n = ring_buffer__poll(ring, 500);
		if (n == -ECANCELED)
			break;
		if (n < 0 && n != -EINTR) {
			ret = n == -EPIPE ? err(ST_FAILED, "cannot write: %s", strerror(EPIPE)) :
			      err(ST_FAILED, "cannot read events: %s", strerror(-n));
			break;
		}
		if (skel->bss->lost != lost) {
			lost = skel->bss->lost;
			note("%llu events lost: they came faster than they could be written",
			     (unsigned long long)lost);
		}
	}
	ring_buffer__free(ring);
	events_bpf__destroy(skel);
	for (int i = 0; i < paths.nr; i++)
		free(paths.known[i].path);
	free(paths.known);
	return ret;
}
