/* SPDX-License-Identifier: GPL-2.0 */
/* What memory.stat counted meanwhile, and how long reads took: the same for all that measure. */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <fcntl.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "sequence_options.h"

static const char * const stat_names[] = {
	"workingset_refault_file",
	"workingset_activate_file",
	"workingset_restore_file",
	"workingset_refault_anon",
	"workingset_nodereclaim",
	"pgscan",
	"pgsteal",
	"pgactivate",
	"pgmajfault",
	"pswpin",
	"pswpout",
};

#define NR_STATS	(sizeof(stat_names) / sizeof(stat_names[0]))

struct stats {
	uint64_t value[NR_STATS];
	bool known[NR_STATS];
};

static int stat_fd = -1;

/* Without a cgroup nothing is known. */
static inline void stats_begin(const char *cgroup)
{
	char path[PATH_MAX];

	if (!cgroup)
		return;
	snprintf(path, sizeof(path), "%s/memory.stat", cgroup);
	stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (stat_fd < 0)
		die("%s: cannot open: %s", path, strerror(errno));
}

static inline void stats_read(struct stats *s)
{
	static char text[16384];
	ssize_t length;
	char *line, *rest = text;

	memset(s, 0, sizeof(*s));
	if (stat_fd < 0)
		return;
	length = pread(stat_fd, text, sizeof(text) - 1, 0);
	if (length < 0)
		die("cannot read memory.stat: %s", strerror(errno));
	text[length] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		char *number = strchr(line, ' ');

		if (!number)
			continue;
		*number++ = '\0';
		for (size_t i = 0; i < NR_STATS; i++) {
			if (strcmp(line, stat_names[i]))
				continue;
			s->value[i] = strtoull(number, NULL, 10);
			s->known[i] = true;
		}
	}
}

/* Members of a JSON object, after others. */
static inline void stats_print(const struct stats *before, const struct stats *after, uint64_t reads)
{
	for (size_t i = 0; i < NR_STATS; i++) {
		uint64_t delta = after->value[i] - before->value[i];

		/* 0 is the file's refaults, which all else is about */
		if (i == 0 && after->known[0] && reads)
			printf(",\"refaults_per_read\":%.6f", (double)delta / reads);
		if (after->known[i])
			printf(",\"%s\":%" PRIu64, stat_names[i], delta);
	}
}

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Four buckets for each power of two. */
#define NR_BUCKETS	(4 * 64)
static uint64_t buckets[NR_BUCKETS];

static inline int bucket_of(uint64_t ns)
{
	int log;

	if (ns < 4)
		return ns;
	log = 63 - __builtin_clzll(ns);
	return 4 * log + (ns >> (log - 2) & 3);
}

/* The lower end of the bucket in which it lies. */
static inline uint64_t percentile(uint64_t reads, unsigned int percent)
{
	uint64_t left = reads * percent / 100;

	for (int i = 0; i < NR_BUCKETS; i++) {
		if (buckets[i] > left)
			return i < 8 ? (uint64_t)i : (4ULL + i % 4) << (i / 4 - 2);
		left -= buckets[i];
	}
	return 0;
}

static inline void latency_print(uint64_t reads)
{
	printf(",\"p50_ns\":%" PRIu64 ",\"p99_ns\":%" PRIu64, percentile(reads, 50),
	       percentile(reads, 99));
}

#endif
