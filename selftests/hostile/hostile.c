// SPDX-License-Identifier: GPL-2.0
/*
 * Policies that are wrong on purpose, each under the same load as stock: the
 * machine must survive all of them, and the table below says beforehand what
 * becomes of each. "Ejected for some reason" is no pass.
 *
 * Writes a report to $RECLAIM_OUT/report.json, and what it found on stdout (KTAP).
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "common.h"

#define TAINTED		"/proc/sys/kernel/tainted"
/* a load may take so many times as long as stock's */
#define MAX_RATIO	3.0
/* and is ended after so many */
#define LIMIT_RATIO	10.0
/* one that must be ejected gets so many loads until it is */
#define MAX_ROUNDS	8
#define STOCK_ROUNDS	2

enum mode { NO_SWAP = 1, SWAP = 2, BOTH = 3 };

static const struct hostile {
	const char	*name;
	const char	*kind;		/* of its ejection; NULL: must survive */
	const char	*message;	/* part of it */
	int		refused;	/* errno of the attachment that must fail */
	int		variant;	/* for the policy, and 1000 + this is the code */
	const char	*variant_name;
	enum mode	modes;
} table[] = {
	/* name, kind and message, errno of the attachment, variant and its name, modes */
	/* beyond what the load does, these three have to hold up a small cgroup, see held_up() */
	{ "protect_all",	"no_progress", "sort: reclaim failed", 0, 0, NULL, NO_SWAP },
	{ "protect_all",	NULL,	NULL,	0, 0, NULL,	SWAP },
	{ "protect_none",	NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "all_youngest",	NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "all_oldest",		NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "anon_only",		NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "file_only",		NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "alternate",		NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "garbage",		"bad_decisions", "answers were not legal", 0, 0, NULL, BOTH },
	{ "undecided",	"bad_decisions", "answers were not legal", 0, 0, NULL, NO_SWAP },
	{ "random",		"bad_decisions", "answers were not legal", 0, 0, NULL, SWAP },
	{ "random_legal",	NULL,	NULL,	0, 0, NULL,	BOTH },
	/* a fifth generation is not legal, but it is asked for too rarely for a flood */
	{ "always_age",		NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "never_age",		NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "cookie_ones",	NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "cookie_random",	NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "refault_active",	NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "refault_never",	NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "charge_wrong",	NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "shadow_none",	NULL,	NULL,	0, 0, NULL,	NO_SWAP },
	{ "shadow_zero",	NULL,	NULL,	0, 0, NULL,	SWAP },
	{ "shadow_max",		NULL,	NULL,	0, 0, NULL,	NO_SWAP },
	{ "admit_active",	NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "tiers_protected",	NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "slow_sort",		"too_slow", "sort: ", 0, 0, NULL, BOTH },
	{ "slow_accessed",	"too_slow", "accessed: ", 0, 0, NULL, NO_SWAP },
	{ "map_updates",	NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "fickle",		NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "keep_all",		"no_progress", "sort: reclaim failed", 0, 0, NULL, NO_SWAP },
	{ "keep_all",		NULL,	NULL,	0, 0, NULL,	SWAP },
	{ "up_all",		NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "rmap_evict",		NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "ignore_use",		NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "count_full",		"no_progress", "sort: reclaim failed", 0, 0, NULL, NO_SWAP },
	{ "count_full",		NULL,	NULL,	0, 0, NULL,	SWAP },
	{ "count_zero",		NULL,	NULL,	0, 0, NULL,	BOTH },
	{ "attach_refuses",	NULL,	NULL,	EPERM, 0, NULL,	NO_SWAP },
	{ "attach_nonsense",	NULL,	NULL,	EINVAL, 0, NULL, NO_SWAP },
	{ "quit",		"policy", "asked for", 0, 1, "admit", NO_SWAP },
	{ "quit",		"policy", "asked for", 0, 2, "place", SWAP },
	{ "quit",		"policy", "asked for", 0, 3, "accessed", NO_SWAP },
	{ "quit",		"policy", "asked for", 0, 4, "sort", SWAP },
	{ "quit",		"policy", "asked for", 0, 5, "balance", NO_SWAP },
	{ "quit",		"policy", "asked for", 0, 6, "age", SWAP },
	{ "quit",		"policy", "asked for", 0, 7, "evicted", NO_SWAP },
	{ "quit",		"policy", "asked for", 0, 8, "refaulted", SWAP },
	{ "quit",		"policy", "asked for", 0, 9, "shadow_budget", NO_SWAP },
};

/* What the parent of all tests keeps of each. */
struct result {
	bool		done, passed;
	const char	*policy, *variant, *expected;
	bool		swap;
	char		ended[32];	/* "survived", "refused", or the kind */
	long long	code;
	char		msg[256];
	double		seconds, stock;
	long		oom, stock_oom;
	unsigned long long calls, changed, clamped, bypassed;
	unsigned int	rounds;
};

#define MAX_RESULTS	(2 + 2 * ARRAY_SIZE(table))

/* shared with the tests, which are processes of their own */
static struct shared {
	double		stock[2];
	long		stock_oom[2];
	struct result	result[MAX_RESULTS];
} *shared;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* --- the load -------------------------------------------------------------- */

#define LIMIT		(24 * MB)	/* memory.max of all */
#define HIGH		(12 * MB)	/* memory.high of those with files */
#define READ_PAGES	(26 * MB_PAGES)	/* the file that is read, above 2 x HIGH */
#define WRITE_PAGES	(4 * MB_PAGES)
#define HOT_PAGES	64UL
#define ANON_NO_SWAP	(11 * MB_PAGES)	/* with files at HIGH that is near LIMIT */
#define ANON_SWAP	(26 * MB_PAGES)	/* above LIMIT: stock swaps, too */
#define READ_ROUNDS	4
#define WRITE_ROUNDS	4
#define ANON_ROUNDS_NO_SWAP	6
#define ANON_ROUNDS_SWAP	2
#define FORKS		20

struct load {
	struct cg	*top, *files, *anon;
	int		read_fd, write_fd;
	unsigned long	anon_pages, anon_rounds;
};

/* A file with a hole of that size: reads bring in pages, the disk isn't asked. */
static int sparse(const char *name, unsigned long pages)
{
	struct file *f = file_new(name, 1);

	SYS(ftruncate(f->fd, 0));
	SYS(ftruncate(f->fd, pages * PAGE));
	return f->fd;
}

static void read_page(int fd, unsigned long page)
{
	unsigned long word;

	CHECK_EQ(pread(fd, &word, sizeof(word), page * PAGE), sizeof(word));
	CHECK_EQ(word, 0);
}

static void reader(const struct load *l)
{
	volatile char *map;

	posix_fadvise(l->read_fd, 0, 0, POSIX_FADV_RANDOM);
	for (int round = 0; round < READ_ROUNDS; round++) {
		for (unsigned long i = 0; i < READ_PAGES; i++) {
			read_page(l->read_fd, i);
			read_page(l->read_fd, i % HOT_PAGES);
			read_page(l->read_fd, i * 7 % HOT_PAGES);
		}
		map = mmap(NULL, READ_PAGES * PAGE, PROT_READ, MAP_SHARED, l->read_fd, 0);
		CHECK(map != MAP_FAILED, "%s", strerror(errno));
		for (unsigned long i = 0; i < READ_PAGES; i++)
			CHECK_EQ(map[i * PAGE], 0);
		munmap((void *)map, READ_PAGES * PAGE);
	}
}

static unsigned long word_of(unsigned long page, unsigned long round)
{
	return (page + 1) * 0x9e3779b97f4a7c15UL ^ round << 56;
}

static void writer(const struct load *l)
{
	unsigned long page[PAGE / sizeof(unsigned long)] = {};

	for (unsigned long round = 0; round < WRITE_ROUNDS; round++) {
		for (unsigned long i = 0; i < WRITE_PAGES; i++) {
			page[0] = word_of(i, round);
			CHECK_EQ(pwrite(l->write_fd, page, PAGE, i * PAGE), PAGE);
			if (i % 256 == 255)
				SYS(fdatasync(l->write_fd));
		}
		for (unsigned long i = 0; i < WRITE_PAGES; i++) {
			CHECK_EQ(pread(l->write_fd, page, sizeof(page[0]), i * PAGE),
				 sizeof(page[0]));
			CHECK(page[0] == word_of(i, round), "page %lu of what was written is wrong",
			      i);
		}
	}
}

static void anon(const struct load *l)
{
	unsigned long n = l->anon_pages, *map, i, at;

	map = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(map != MAP_FAILED, "%s", strerror(errno));
	madvise(map, n * PAGE, MADV_NOHUGEPAGE);
	for (unsigned long round = 0; round < l->anon_rounds; round++) {
		for (i = 0; i < n; i++) {
			/* 7919 is prime to the number of pages */
			at = i * 7919 % n;
			map[at * PAGE / 8] = word_of(at, round);
			map[at * PAGE / 8 + 1] = ~at;
		}
		for (i = 0; i < n; i++) {
			/* half of the accesses go to an eighth of the pages */
			at = i % 2 ? i * 7919 % n : i * 31 % (n / 8);
			CHECK(map[at * PAGE / 8] == word_of(at, round) &&
			      map[at * PAGE / 8 + 1] == ~at,
			      "anon page %lu is wrong", at);
		}
	}
}

static void forker(const struct load *l)
{
	(void)l;
	for (int i = 0; i < FORKS; i++) {
		pid_t pid = SYS(fork());
		int status;

		if (!pid) {
			char *map = mmap(NULL, MB, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			if (map == MAP_FAILED)
				_exit(1);
			memset(map, i + 1, MB);
			if (i % 4 == 3) {
				execl("/bin/true", "true", (char *)NULL);
				_exit(2);
			}
			_exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(!status, "a child ended with status %#x", status);
	}
}

static bool link_hup(int link)
{
	struct pollfd pfd = { .fd = link };

	return SYS(poll(&pfd, 1, 0)) == 1 && pfd.revents & POLLHUP;
}

/*
 * One reader alone, in cgroups of all small sizes: at one of them what a policy may
 * protect is about what reclaim looks at before it is said to have trouble. One
 * that protects everything then holds up each reclaim, so that it matters little
 * how fast the machine is.
 */
static void held_up(const struct load *l, int link)
{
	pid_t pid;
	int status;

	cg_put(l->files, "memory.high", "max");
	for (unsigned long size = 2 * MB; size <= HIGH && !link_hup(link); size += MB / 4) {
		cg_put(l->files, "memory.max", "%lu", size);
		pid = SYS(fork());
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			close_bpf();
			cg_put(l->files, "cgroup.procs", "0");
			posix_fadvise(l->read_fd, 0, 0, POSIX_FADV_RANDOM);
			for (unsigned long n = 0; n < READ_PAGES; n++)
				read_page(l->read_fd, n);
			_exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(!status, "a reader ended with status %#x", status);
		if (link_hup(link))
			diag("ejected with a reader alone in %lu KB", size >> 10);
	}
}

static struct load load_new(bool swap)
{
	struct load l = { .top = cg_new(NULL, "top") };

	cg_delegate(l.top);
	l.files = cg_new(l.top, "files");
	l.anon = cg_new(l.top, "anon");
	cg_put(l.top, "memory.max", "%lu", LIMIT);
	cg_put(l.files, "memory.high", "%lu", HIGH);
	if (!swap)
		cg_put(l.top, "memory.swap.max", "0");
	l.anon_pages = swap ? ANON_SWAP : ANON_NO_SWAP;
	l.anon_rounds = swap ? ANON_ROUNDS_SWAP : ANON_ROUNDS_NO_SWAP;
	l.read_fd = sparse("read", READ_PAGES);
	l.write_fd = sparse("write", WRITE_PAGES);
	return l;
}

/* Returns the seconds it took; fails if what a process read was wrong. */
static double load_run(const struct load *l, double limit)
{
	static void (* const work[])(const struct load *l) = { reader, writer, anon, forker };
	static const char * const names[] = { "reader", "writer", "anon", "forker" };
	pid_t pid[ARRAY_SIZE(work)];
	double began = now();
	int left = ARRAY_SIZE(work), status;

	for (size_t i = 0; i < ARRAY_SIZE(work); i++) {
		pid[i] = SYS(fork());
		if (pid[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close_bpf();
		cg_put(i < 2 ? l->files : l->anon, "cgroup.procs", "0");
		work[i](l);
		fflush(stdout);
		_exit(0);
	}
	while (left) {
		pid_t gone = waitpid(-1, &status, WNOHANG);

		if (!gone) {
			if (now() - began > limit)
				FAIL("the load has not ended after %.1f s", limit);
			usleep(20000);
			continue;
		}
		for (size_t i = 0; i < ARRAY_SIZE(work); i++) {
			if (pid[i] != gone)
				continue;
			left--;
			CHECK(!status, "%s ended with status %#x%s", names[i], status,
			      WIFSIGNALED(status) ? ", killed" : "");
		}
	}
	return now() - began;
}

static long oom_kills(struct cg *cg)
{
	char path[600], text[1024], *at;

	snprintf(path, sizeof(path), "%s/memory.events", cg->path);
	CHECK_OP(get(path, text, sizeof(text)), >, 0);
	at = strstr(text, "oom_kill ");
	CHECK(at, "%s", text);
	return atol(at + 9);
}

static long tainted(void)
{
	char text[64];

	CHECK_OP(get(TAINTED, text, sizeof(text)), >, 0);
	return atol(text);
}

/* --- policies --------------------------------------------------------------- */

static int quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, fmt, args) : 0;
}

/* The struct_ops map of a policy that is ready to be attached. */
static int policy_load(const struct hostile *h)
{
	struct bpf_map *map, *ops = NULL;
	struct bpf_object *obj;
	char path[400];

	snprintf(path, sizeof(path), "%s/hostile/%s.bpf.o", getenv("RECLAIM_BUILD") ?: "build",
		 h->name);
	libbpf_set_print(quiet);
	obj = bpf_object__open(path);
	CHECK(obj, "cannot open %s: %s", path, strerror(errno));
	bpf_object__for_each_map(map, obj) {
		unsigned int variant = h->variant;

		if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS)
			ops = map;
		else if (strstr(bpf_map__name(map), "variant"))
			CHECK_EQ(bpf_map__set_initial_value(map, &variant, sizeof(variant)), 0);
	}
	CHECK(ops, "%s has no policy", path);
	CHECK_EQ(bpf_object__load(obj), 0);
	CHECK_EQ(bpf_map__upload_struct_ops(ops), 0);
	return bpf_map__fd(ops);
}

static void count_calls(struct cg *cg, struct result *r)
{
	static const char * const hooks[] = {
		"evicted", "refaulted", "admit", "place", "accessed", "sort", "balance", "age",
		"shadow_budget",
	};

	r->calls = r->changed = r->clamped = r->bypassed = 0;
	for (size_t i = 0; i < ARRAY_SIZE(hooks); i++) {
		struct hook_counts c = hook_of(cg, hooks[i]);

		r->calls += c.calls;
		r->changed += c.changed;
		r->clamped += c.clamped;
		r->bypassed += c.bypassed;
	}
}

static void stock(int swap)
{
	struct load l = load_new(swap);
	struct result *r = &shared->result[swap];
	double longest = 0;

	mglru_set(true);
	r->policy = "none";
	r->expected = "survived";
	r->swap = swap;
	r->done = true;
	for (int i = 0; i < STOCK_ROUNDS; i++) {
		double s = load_run(&l, 300);

		diag("%.2f s", s);
		longest = s > longest ? s : longest;
	}
	shared->stock[swap] = r->stock = r->seconds = longest;
	shared->stock_oom[swap] = r->stock_oom = r->oom = oom_kills(l.top);
	snprintf(r->ended, sizeof(r->ended), "survived");
	r->rounds = STOCK_ROUNDS;
	CHECK_OP(cg_stat(l.top, "workingset_refault_file"), >, 1000);
	if (swap)
		CHECK_OP(cg_stat(l.top, "pswpout"), >, 1000);
	r->passed = true;
}

static void hostile(int arg)
{
	const struct hostile *h = &table[arg >> 1];
	bool swap = arg & 1;
	struct result *r = &shared->result[2 + arg];
	long taint = tainted();
	struct status st;
	struct load l;
	double limit;
	int link, fd;

	r->policy = h->name;
	r->variant = h->variant_name;
	r->expected = h->kind ?: h->refused ? "refused" : "survived";
	r->swap = swap;
	r->stock = shared->stock[swap];
	r->stock_oom = shared->stock_oom[swap];
	r->done = true;
	snprintf(r->ended, sizeof(r->ended), "failed");
	if (!r->stock)
		FAIL("there is no figure of stock to compare with");

	mglru_set(true);
	l = load_new(swap);
	limit = LIMIT_RATIO * r->stock;
	fd = policy_load(h);
	{
		LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = BPF_F_CGROUP_FD);

		link = bpf_link_create(fd, l.top->fd, BPF_STRUCT_OPS, &opts);
	}
	if (h->refused) {
		CHECK_EQ(link, -h->refused);
		r->code = link;
	} else {
		CHECK(link >= 0, "cannot attach: %s", strerror(-link));
		CHECK_STR(status_of(l.anon).policy, h->name);
	}

	do {
		double s = load_run(&l, limit);

		r->seconds = s > r->seconds ? s : r->seconds;
		r->rounds++;
		if (h->kind && !strcmp(h->kind, "no_progress")) {
			held_up(&l, link);
			break;
		}
	} while (h->kind && !link_hup(link) && r->rounds < MAX_ROUNDS);

	r->oom = oom_kills(l.top);
	st = status_of(l.top);
	if (h->refused) {
		snprintf(r->ended, sizeof(r->ended), "refused");
		CHECK_STR(st.policy, "none");
		CHECK_STR(st.last.kind, "");
	} else if (strcmp(st.policy, "none")) {
		snprintf(r->ended, sizeof(r->ended), "survived");
		count_calls(l.top, r);
	} else {
		WAIT_FOR(link_hup(link));
		WAIT_FOR(status_of(l.top).last.kind[0]);
		st = status_of(l.top);
		snprintf(r->ended, sizeof(r->ended), "%.31s", st.last.kind);
		snprintf(r->msg, sizeof(r->msg), "%s", st.last.msg);
		r->code = st.last.code;
	}
	diag("%s%s%s after %u loads of %.2f s (stock %.2f s), %ld OOM kills",
	     r->ended, r->msg[0] ? ": " : "", r->msg, r->rounds, r->seconds, r->stock, r->oom);
	diag("calls %llu, changed %llu, clamped %llu, bypassed %llu", r->calls, r->changed, r->clamped,
	     r->bypassed);

	CHECK_STR(r->ended, r->expected);
	CHECK_OP(r->oom, <=, r->stock_oom);
	CHECK_EQ(tainted(), taint);
	if (h->message)
		CHECK(strstr(r->msg, h->message), "no '%s' in '%s'", h->message, r->msg);
	if (h->variant)
		CHECK_EQ(r->code, 1000 + h->variant);
	/* the load did reach it */
	if (!h->kind && !h->refused)
		CHECK_OP(r->calls, >, 0);
	if (r->seconds > MAX_RATIO * r->stock) {
		/* the machine may have become slower: how long does stock take now? */
		if (!h->refused)
			close(link);
		r->stock = load_run(&l, 300);
		diag("stock now takes %.2f s", r->stock);
	}
	CHECK(r->seconds <= MAX_RATIO * r->stock, "%.2f s are %.1f times those of stock",
	      r->seconds, r->seconds / r->stock);
	r->passed = true;
}

/* --- the report --------------------------------------------------------------- */

static void put_string(FILE *f, const char *s)
{
	if (!s) {
		fputs("null", f);
		return;
	}
	fputc('"', f);
	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if ((unsigned char)*s < ' ')
			fprintf(f, "\\u%04x", *s);
		else
			fputc(*s, f);
	fputc('"', f);
}

static void report(void)
{
	const char *dir = getenv("RECLAIM_OUT");
	bool first = true;
	char path[400];
	FILE *f;

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/report.json", dir);
	f = fopen(path, "w");
	if (!f) {
		diag("cannot write %s: %s", path, strerror(errno));
		return;
	}
	fputs("[\n", f);
	for (size_t i = 0; i < MAX_RESULTS; i++) {
		const struct result *r = &shared->result[i];

		if (!r->done)
			continue;
		fprintf(f, "%s  {\"policy\": ", first ? "" : ",\n");
		put_string(f, r->policy);
		fputs(", \"in\": ", f);
		put_string(f, r->variant);
		fprintf(f, ", \"swap\": %s, \"expected\": ", r->swap ? "true" : "false");
		put_string(f, r->expected);
		fputs(", \"ended\": ", f);
		put_string(f, r->ended);
		fprintf(f, ", \"code\": %lld, \"reason\": ", r->code);
		put_string(f, r->msg);
		fprintf(f, ", \"loads\": %u, \"seconds\": %.2f, \"stock_seconds\": %.2f", r->rounds,
			r->seconds, r->stock);
		fprintf(f, ", \"time_ratio\": %.2f", r->stock ? r->seconds / r->stock : 0);
		fprintf(f, ", \"oom_kills\": %ld, \"stock_oom_kills\": %ld", r->oom, r->stock_oom);
		fprintf(f, ", \"calls\": %llu, \"changed\": %llu", r->calls, r->changed);
		fprintf(f, ", \"clamped\": %llu, \"bypassed\": %llu", r->clamped, r->bypassed);
		fprintf(f, ", \"passed\": %s}", r->passed ? "true" : "false");
		first = false;
	}
	fputs("\n]\n", f);
	if (fclose(f))
		diag("cannot write %s: %s", path, strerror(errno));
}

int main(int argc, char **argv)
{
	static struct test tests[MAX_RESULTS];
	char *name;
	int n = 0, err;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		return 1;
	for (int swap = 0; swap < 2; swap++) {
		tests[n++] = (struct test){ swap ? "stock, swap" : "stock, no swap", stock, swap };
		for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
			const struct hostile *h = &table[i];

			if (!(h->modes & (swap ? SWAP : NO_SWAP)))
				continue;
			if (asprintf(&name, "%s%s%s%s", h->name, h->variant_name ? " in " : "",
				     h->variant_name ?: "", swap ? ", swap" : ", no swap") < 0)
				return 1;
			tests[n++] = (struct test){ name, hostile, i << 1 | swap };
		}
	}
	err = test_main(argc, argv, tests, n, NEED_DISK | NEED_SWAP);
	report();
	return err;
}
