/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the test programs share: results as KTAP, cgroups, files on the scratch
 * disk, swap, and workers that touch memory inside a cgroup.
 *
 * Every test runs in a process of its own. The first check that fails ends it,
 * and whatever it left (processes, cgroups, pins, settings) is removed by its
 * parent, so a test has no clean-up code.
 */
#ifndef _SELFTESTS_COMMON_H
#define _SELFTESTS_COMMON_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define CGROUP_ROOT	"/sys/fs/cgroup"
#define PAGE		4096UL
#define MB		(1UL << 20)
#define MB_PAGES	(MB / PAGE)

/* --- results ------------------------------------------------------------ */

struct test {
	const char	*name;
	void		(*fn)(int arg);
	int		arg;
};

enum needs {
	NEED_DISK	= 1 << 0,
	NEED_SWAP	= 1 << 1,
};

int test_main(int argc, char **argv, const struct test *tests, int nr, unsigned int needs);
#define TEST_MAIN(tests, needs)							\
	int main(int argc, char **argv)						\
	{									\
		return test_main(argc, argv, tests, ARRAY_SIZE(tests), needs);	\
	}

void diag(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fail_at(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), noreturn));
void skip(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#define FAIL(...)	fail_at(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(cond, fmt, ...)							\
	do {									\
		if (!(cond))							\
			FAIL("%s: " fmt, #cond, ##__VA_ARGS__);			\
	} while (0)
/* Compare two integers, tell both. */
#define CHECK_OP(a, op, b)							\
	do {									\
		long long __a = (long long)(a), __b = (long long)(b);		\
										\
		if (!(__a op __b))						\
			FAIL("%s %s %s: %lld, %lld", #a, #op, #b, __a, __b);	\
	} while (0)
#define CHECK_EQ(a, b)	CHECK_OP(a, ==, b)
/* The difference is at most @slack, either way. */
#define CHECK_NEAR(a, b, slack)							\
	do {									\
		long long __a = (long long)(a), __b = (long long)(b);		\
										\
		if (llabs(__a - __b) > (long long)(slack))			\
			FAIL("%s is not near %s: %lld, %lld", #a, #b, __a, __b);\
	} while (0)
#define CHECK_STR(a, b)								\
	do {									\
		const char *__a = (a), *__b = (b);				\
										\
		if (strcmp(__a, __b))						\
			FAIL("%s is not %s: \"%s\", \"%s\"", #a, #b, __a, __b);	\
	} while (0)
/* A system call that must succeed. */
#define SYS(call)								\
	({									\
		__typeof__(call) __r = (call);					\
										\
		if (__r < 0)							\
			FAIL("%s: %s", #call, strerror(errno));			\
		__r;								\
	})
/* Wait for something that another context of the kernel does, 30 s at most. */
#define WAIT_FOR(cond)								\
	do {									\
		int __n = 0;							\
										\
		while (!(cond)) {						\
			if (++__n > 3000)					\
				FAIL("never came true: %s", #cond);		\
			usleep(10000);						\
		}								\
	} while (0)

/* @n times $RECLAIM_TEST_SCALE (a factor, 1 if unset), but at least @least. */
unsigned long scaled(unsigned long n, unsigned long least);

/* --- small files -------------------------------------------------------- */

/* 0 or -errno */
int put(const char *path, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text without the last newline; -errno, else its length. */
int get(const char *path, char *buf, size_t size);
/* SYS(), of a command */
void run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

bool mglru(void);
void mglru_set(bool on);

/* --- cgroups ------------------------------------------------------------ */

struct cg {
	char			path[256];
	int			fd;
	unsigned long long	id;
	struct worker		*ballast;
};

/* A new cgroup below @parent, NULL: below the one of this test. */
struct cg *cg_new(struct cg *parent, const char *name);
/* Let children of @cg have the memory controller. */
void cg_delegate(struct cg *cg);
void cg_remove(struct cg *cg);
void cg_put(struct cg *cg, const char *file, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A line of memory.stat; up to a few hundred pages of changes can be missing. */
long cg_stat(struct cg *cg, const char *key);
/* The same, exact: makes the kernel flush, or waits until it does. */
long cg_stat_exact(struct cg *cg, const char *key);
/* Ask for that many pages to be reclaimed; @anon: swap out, else file pages. */
void cg_reclaim(struct cg *cg, bool anon, unsigned long pages);
const char *test_cgroup(void);
/* For pins, removed after the test. */
const char *test_bpffs(void);

struct hook_counts {
	unsigned long long calls, changed, clamped, bypassed;
};

/* memory.reclaim_ext */
struct status {
	char			policy[64];	/* "none" */
	unsigned long long	cgroup_id, link, map, attached_ms;
	struct hook_counts	evicted, refaulted;
	struct {
		char		policy[64];	/* "" if there was none */
		char		kind[64];
		long long	code;
		char		msg[256];
	} last;
};

struct status status_of(struct cg *cg);
/* Counts of any operation in memory.reclaim_ext. */
struct hook_counts hook_of(struct cg *cg, const char *hook);
struct status status_parse(const char *text);

/* --- files and swap ----------------------------------------------------- */

struct file {
	char		path[256];
	int		fd;
	unsigned long	ino;
	unsigned long	pages;
};

struct cache {
	unsigned long long cached, dirty, writeback, evicted, recently_evicted;
};

/* Filled with a pattern, not in the page cache, no shadow entries. */
struct file *file_new(const char *name, unsigned long pages);
struct cache file_cache(struct file *f);
/* Move what waits in the batches of the CPUs to the lists. */
void lru_drain(void);
/* Evict all of @f, which has been read in @cg. */
void file_evict(struct file *f, struct cg *cg);

/* What debugfs has of a cgroup's lruvec on node 0, oldest generation first. */
struct generations {
	int			nr;
	unsigned long		seq[8], anon[8], file[8];
};

struct generations generations_of(struct cg *cg);
/* Open two new generations, so that there are 4, as many as there can be. */
void generations_open(struct cg *cg);

/* --- workers ------------------------------------------------------------ */

/* A copy of the descriptor of a link would keep the link. */
void close_bpf(void);

enum op {
	OP_NONE,
	OP_FD,		/* read by descriptor, page by page, no read-ahead */
	OP_MMAP,	/* map, touch each page, unmap */
	OP_READAHEAD,	/* bring in without an access */
	OP_WRITE,	/* anon: write the pattern */
	OP_CHECK,	/* anon: read and compare */
	OP_STIR,	/* anon: write to new memory and give it back */
	OP_QUIT,
};

struct worker {
	pid_t		pid;
	int		sock;
	volatile struct worker_shared {
		unsigned long	reads;
		unsigned long	errors;
		int		stop;
	} *shared;
};

/* A process in @cg. Anonymous ops work on @anon pages of its own. */
struct worker *worker_start(struct cg *cg, unsigned long anon);
/* Pages @from to @from + @nr - 1 of @f (NULL: anon), each of which must be right. */
void worker_do(struct worker *w, enum op op, struct file *f, unsigned long from,
	       unsigned long nr);
/* Over and over, until worker_end(), which returns how many were read. */
void worker_loop(struct worker *w, enum op op, struct file *f);
unsigned long worker_end(struct worker *w);
/*
 * Let a process of its own read the whole file. Another one with anonymous memory
 * stays in @cg until cg_remove(): the kernel keeps shadow entries in proportion
 * to the pages of a cgroup, none of them for one that is empty.
 */
void read_in(struct cg *cg, enum op op, struct file *f);

#endif /* _SELFTESTS_COMMON_H */
