// SPDX-License-Identifier: GPL-2.0
/*
 * Random changes under two loads: policies come, go and are replaced while
 * cgroups are removed, MGLRU and swap are switched, pages migrate, huge pages are
 * made and split, and memory blocks go off line.
 *
 * usage: soak SECONDS SEED
 *
 * What is done, and to whom, follows from the seed alone, not from how it went or
 * how long it took: the same seed begins in the same way everywhere. Each step
 * is printed before it is taken, and again with its result.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <time.h>

#include "common.h"

#define HIGH		(6 * MB)
#define FILE_PAGES	(12 * MB_PAGES)
#define ANON_PAGES	(12 * MB_PAGES)
#define THP		"/sys/kernel/mm/transparent_hugepage/enabled"
#define SPLIT		"/sys/kernel/debug/split_huge_pages"
#define GENERATIONS	"/sys/kernel/debug/lru_gen"
#define BLOCKS		"/sys/devices/system/memory"

static unsigned long seconds = 180, seed = 1;

/* --- chance ----------------------------------------------------------------- */

static unsigned long rng_next(unsigned long *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static unsigned long chance;

static unsigned int pick(unsigned int n)
{
	return (rng_next(&chance) >> 20) % n;
}

/* --- the loads --------------------------------------------------------------- */

static volatile struct {
	int		stop;
	unsigned long	rounds[4];
} *loads;

static unsigned long word_of(unsigned long page)
{
	return (page + 1) * 0x9e3779b97f4a7c15UL;
}

static void read_file(struct file *f, unsigned long *state)
{
	unsigned long word, page;

	for (unsigned long i = 0; i < f->pages && !loads->stop; i++) {
		page = i % 3 ? rng_next(state) % f->pages : i;
		CHECK_EQ(pread(f->fd, &word, sizeof(word), page * PAGE), sizeof(word));
		CHECK(word == word_of(page), "page %lu of %s is wrong", page, f->path);
	}
}

static void map_file(struct file *f, unsigned long *state)
{
	unsigned long *map;

	map = mmap(NULL, f->pages * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, f->fd, 0);
	CHECK(map != MAP_FAILED, "%s", strerror(errno));
	for (unsigned long i = 0; i < f->pages && !loads->stop; i++) {
		unsigned long page = rng_next(state) % f->pages;

		CHECK(*(volatile unsigned long *)(map + page * PAGE / 8) == word_of(page),
		      "page %lu of %s, mapped, is wrong", page, f->path);
	}
	munmap(map, f->pages * PAGE);
}

static void write_file(struct file *f)
{
	unsigned long page[PAGE / 8] = {};

	for (unsigned long i = 0; i < f->pages && !loads->stop; i++) {
		page[0] = word_of(i);
		CHECK_EQ(pwrite(f->fd, page, PAGE, i * PAGE), PAGE);
		if (i % 128 == 127)
			SYS(fdatasync(f->fd));
	}
}

/* Small pages and huge ones; what was written last is read first. */
static void use_anon(bool huge, unsigned long *state)
{
	unsigned long *map = mmap(NULL, ANON_PAGES * PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long salt = rng_next(state), i;

	CHECK(map != MAP_FAILED, "%s", strerror(errno));
	madvise(map, ANON_PAGES * PAGE, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	for (i = 0; i < ANON_PAGES && !loads->stop; i++)
		map[i * PAGE / 8] = word_of(i) ^ salt;
	while (i-- && !loads->stop)
		CHECK(map[i * PAGE / 8] == (word_of(i) ^ salt), "anon page %lu is wrong", i);
	munmap(map, ANON_PAGES * PAGE);
}

enum { READER, MAPPER, ANON, ANON_HUGE, NR_LOADS };

static pid_t load_start(int which, struct cg *cg, struct file *read, struct file *written)
{
	unsigned long state = seed + which + 1;
	pid_t pid = SYS(fork());

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close_bpf();
	cg_put(cg, "cgroup.procs", "0");
	while (!loads->stop) {
		switch (which) {
		case READER:
			read_file(read, &state);
			write_file(written);
			break;
		case MAPPER:
			map_file(read, &state);
			break;
		default:
			use_anon(which == ANON_HUGE, &state);
		}
		loads->rounds[which]++;
	}
	fflush(stdout);
	_exit(0);
}

/* --- policies ------------------------------------------------------------------ */

static const char * const names[] = {
	"random_legal", "fickle", "count_full", "count_zero", "protect_all", "keep_all",
	"cookie_random", "all_youngest", "all_oldest", "up_all", "garbage", "random",
	"refault_active", "refault_never", "shadow_none", "map_updates", "slow_accessed",
	"ignore_use", "attach_refuses", "quit", "quit", "quit", "quit", "quit", "quit", "quit",
	"quit", "quit",
};

#define NR_POLICIES	ARRAY_SIZE(names)

static int policies[NR_POLICIES];
static char labels[NR_POLICIES][32];

static int quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, fmt, args) : 0;
}

static void load_policies(void)
{
	unsigned int variant = 0;

	libbpf_set_print(quiet);
	for (size_t i = 0; i < NR_POLICIES; i++) {
		struct bpf_map *map, *ops = NULL;
		struct bpf_object *obj;
		char path[400];

		snprintf(labels[i], sizeof(labels[i]), "%s", names[i]);
		snprintf(path, sizeof(path), "%s/hostile/%s.bpf.o", getenv("RECLAIM_BUILD") ?: "build",
			 names[i]);
		obj = bpf_object__open(path);
		CHECK(obj, "cannot open %s: %s", path, strerror(errno));
		bpf_object__for_each_map(map, obj) {
			if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS) {
				ops = map;
			} else if (strstr(bpf_map__name(map), "variant")) {
				variant++;
				snprintf(labels[i], sizeof(labels[i]), "quit-%u", variant);
				CHECK_EQ(bpf_map__set_initial_value(map, &variant, sizeof(variant)), 0);
			}
		}
		CHECK(ops, "%s has no policy", path);
		CHECK_EQ(bpf_object__load(obj), 0);
		CHECK_EQ(bpf_map__upload_struct_ops(ops), 0);
		policies[i] = bpf_map__fd(ops);
	}
}

static bool link_hup(int link)
{
	struct pollfd pfd = { .fd = link };

	return SYS(poll(&pfd, 1, 0)) == 1 && pfd.revents & POLLHUP;
}

/* --- the steps --------------------------------------------------------------------- */

enum { TOP, FILES, ANONS, NR_PLACES };
static const char * const places[] = { "top", "files", "anon" };

static struct cg *cgs[NR_PLACES];
static int links[NR_PLACES] = { -1, -1, -1 };

static unsigned long steps, ejected;
static char step_text[256];

static void step(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void step(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(step_text, sizeof(step_text), fmt, args);
	va_end(args);
	diag("%lu %s ...", steps, step_text);
}

static void result(long value)
{
	diag("%lu %s: %ld%s%s", steps, step_text, value, value < 0 ? " " : "",
	     value < 0 ? strerror(-value) : "");
}

/* The result must be one of these; 0 ends the list and is fine always. */
static void expect(long value, const int *errors)
{
	result(value);
	if (value >= 0)
		return;
	for (; *errors; errors++)
		if (value == -*errors)
			return;
	FAIL("step %lu, %s: %ld (%s)", steps, step_text, value, strerror(-value));
}

static int link_to(unsigned int policy, struct cg *cg)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = BPF_F_CGROUP_FD);

	return bpf_link_create(policies[policy], cg->fd, BPF_STRUCT_OPS, &opts);
}

static void attach(void)
{
	unsigned int place = pick(NR_PLACES), policy = pick(NR_POLICIES);
	int link;

	step("attach %s to %s", labels[policy], places[place]);
	if (links[place] >= 0 && link_hup(links[place])) {
		ejected++;
		close(links[place]);
		links[place] = -1;
	}
	link = link_to(policy, cgs[place]);
	if (link >= 0) {
		if (links[place] >= 0) {
			/* ejected just now */
			WAIT_FOR(link_hup(links[place]));
			ejected++;
			close(links[place]);
		}
		links[place] = link;
	}
	/* one is there, or it refuses, or it ended itself before it was there */
	expect(link, (const int []){ EBUSY, EPERM, 0 });
	if (link == -EBUSY)
		CHECK_OP(links[place], >=, 0);
}

static void replace(void)
{
	unsigned int place = pick(NR_PLACES), policy = pick(NR_POLICIES);

	step("replace %s by %s", places[place], labels[policy]);
	if (links[place] < 0) {
		result(0);
		return;
	}
	/* it may have been ejected */
	expect(bpf_link_update(links[place], policies[policy], NULL),
	       (const int []){ ENOLINK, EPERM, EINVAL, 0 });
}

static void detach(void)
{
	unsigned int place = pick(NR_PLACES), way = pick(2);

	step("%s %s", way ? "close the link of" : "detach from", places[place]);
	if (links[place] >= 0) {
		if (!way)
			bpf_link_detach(links[place]);
		close(links[place]);
		links[place] = -1;
	}
	result(0);
}

static void all_links(void)
{
	step("close every link");
	for (int i = 0; i < NR_PLACES; i++)
		if (links[i] >= 0) {
			close(links[i]);
			links[i] = -1;
		}
	result(0);
}

/* A cgroup with a policy and a reader, killed and removed. */
static void victim(struct file *f)
{
	unsigned int policy = pick(NR_POLICIES), place = pick(NR_PLACES), ms = pick(200);
	struct cg *cg;
	int link, status;
	pid_t pid;

	if (place == TOP)
		place = FILES;
	step("a cgroup with %s below %s, removed after %u ms", labels[policy], places[place], ms);
	cg = cg_new(cgs[TOP], "victim");
	cg_put(cg, "memory.high", "%lu", 2 * MB);
	link = link_to(policy, cg);
	if (link < 0 && link != -EPERM)
		FAIL("cannot attach: %s", strerror(-link));
	pid = SYS(fork());
	if (!pid) {
		unsigned long state = seed;

		close_bpf();
		cg_put(cg, "cgroup.procs", "0");
		for (;;)
			read_file(f, &state);
	}
	usleep(ms * 1000);
	/* the reader may be in the cgroup only after it has been killed */
	do {
		cg_put(cg, "cgroup.kill", "1");
		usleep(1000);
	} while (!waitpid(pid, &status, WNOHANG));
	cg_remove(cg);
	if (link >= 0) {
		WAIT_FOR(link_hup(link));
		close(link);
	}
	close(cg->fd);
	free(cg);
	result(0);
}

static void toggle_mglru(void)
{
	unsigned int on = pick(3);	/* mostly on */

	step("MGLRU %s", on ? "on" : "off");
	mglru_set(on);
	result(0);
}

static void toggle_swap(void)
{
	unsigned int ms = pick(300);
	const char *dev = getenv("RECLAIM_TEST_ZRAM") ?: "/dev/zram0";

	step("swap off for %u ms", ms);
	if (swapoff(dev)) {
		expect(-errno, (const int []){ ENOMEM, EINTR, 0 });
		return;
	}
	usleep(ms * 1000);
	SYS(swapon(dev, 0));
	result(0);
}

/* put(), given up after some seconds: pages that are in use can hold it up. */
static int put_for(const char *path, const char *text, double limit)
{
	pid_t pid = SYS(fork());
	double end = now() + limit;
	int status;

	if (!pid) {
		close_bpf();
		_exit(-put(path, "%s", text));
	}
	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (now() > end)
			kill(pid, SIGKILL);
		usleep(5000);
	}
	return WIFSIGNALED(status) ? -EINTR : -WEXITSTATUS(status);
}

static void compact(void)
{
	step("compact memory");
	expect(put_for("/proc/sys/vm/compact_memory", "1", 20), (const int []){ EINTR, 0 });
}

/* All pages of a block of memory have to move. */
static void block_offline(void)
{
	unsigned int block = pick(24), ms = pick(100);
	char path[128];
	int err;

	step("memory block %u off line for %u ms", block, ms);
	snprintf(path, sizeof(path), BLOCKS "/memory%u/state", block);
	err = put_for(path, "offline", 5);
	if (!err) {
		usleep(ms * 1000);
		CHECK_EQ(put(path, "online"), 0);
	}
	expect(err, (const int []){ EBUSY, ENOENT, EINVAL, EINTR, EAGAIN, ENOMEM, 0 });
}

static void huge_pages(void)
{
	static const char * const values[] = { "always", "madvise", "never" };
	unsigned int value = pick(ARRAY_SIZE(values)), split = pick(2);

	step("huge pages %s%s", values[value], split ? ", split all" : "");
	CHECK_EQ(put(THP, "%s", values[value]), 0);
	expect(split ? put(SPLIT, "1") : 0, (const int []){ EAGAIN, ENOENT, EBUSY, 0 });
}

static void sysrq(void)
{
	step("SysRq-X");
	expect(put("/proc/sysrq-trigger", "X"), (const int []){ 0 });
}

static void drop_caches(void)
{
	unsigned int what = 1 + pick(3);

	step("drop caches, %u", what);
	expect(put("/proc/sys/vm/drop_caches", "%u", what), (const int []){ 0 });
}

static void reclaim(void)
{
	unsigned int place = pick(NR_PLACES), pages = 32 + pick(1024);
	char path[600];

	step("reclaim %u pages of %s", pages, places[place]);
	snprintf(path, sizeof(path), "%s/memory.reclaim", cgs[place]->path);
	expect(put(path, "%lu", pages * PAGE), (const int []){ EAGAIN, EINTR, 0 });
}

static void limits(void)
{
	unsigned int place = pick(NR_PLACES), mb = 3 + pick(8);

	step("memory.high of %s %u MB", places[place], mb);
	if (place == TOP)
		mb *= 2;
	cg_put(cgs[place], "memory.high", "%lu", mb * MB);
	result(0);
}

static void generations(void)
{
	unsigned int place = 1 + pick(NR_PLACES - 1), evict = pick(2);
	struct generations g;
	int err;

	step("%s generations of %s", evict ? "evict" : "open", places[place]);
	g = generations_of(cgs[place]);
	if (evict)
		err = put(GENERATIONS, "- %llu 0 %lu 60 500", cgs[place]->id, g.seq[g.nr - 1] - 2);
	else
		err = put(GENERATIONS, "+ %llu 0 %lu", cgs[place]->id, g.seq[g.nr - 1]);
	/* somebody else may have opened one since, or switched MGLRU off */
	expect(err, (const int []){ EINVAL, EEXIST, EINTR, 0 });
}

static void wait_a_while(void)
{
	unsigned int ms = 50 + pick(300);

	step("wait %u ms", ms);
	usleep(ms * 1000);
	result(0);
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

/* No load may have ended. */
static void loads_check(const pid_t *pids)
{
	for (int i = 0; i < NR_LOADS; i++) {
		int status;

		if (waitpid(pids[i], &status, WNOHANG) == pids[i])
			FAIL("load %d has ended with status %#x", i, status);
	}
}

static void soak(int arg)
{
	struct file *read = file_new("read", FILE_PAGES);
	struct file *written = file_new("written", 2 * MB_PAGES);
	double end = now() + seconds;
	pid_t pids[NR_LOADS];
	char text[1024], path[600];

	(void)arg;
	alarm(seconds + 600);
	chance = seed * 0x9e3779b97f4a7c15UL | 1;
	for (int i = 0; i < 8; i++)
		rng_next(&chance);
	loads = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(loads != MAP_FAILED, "%s", strerror(errno));
	/* with the words that readers expect */
	write_file(read);
	CHECK_EQ(posix_fadvise(read->fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	load_policies();

	/*
	 * Limits that throttle and don't kill: while memcgs are switched between the
	 * LRUs one after the other, a charge can find nothing to reclaim.
	 */
	cgs[TOP] = cg_new(NULL, "top");
	cg_delegate(cgs[TOP]);
	cgs[FILES] = cg_new(cgs[TOP], "files");
	cgs[ANONS] = cg_new(cgs[TOP], "anon");
	cg_put(cgs[TOP], "memory.high", "%lu", 2 * HIGH);
	cg_put(cgs[FILES], "memory.high", "%lu", HIGH);
	cg_put(cgs[ANONS], "memory.high", "%lu", HIGH);
	mglru_set(true);
	for (int i = 0; i < NR_LOADS; i++)
		pids[i] = load_start(i, cgs[i < ANON ? FILES : ANONS], read, written);

	for (steps = 1; now() < end; steps++) {
		switch (pick(28)) {
		case 0 ... 4:	attach(); break;
		case 5 ... 8:	replace(); break;
		case 9 ... 10:	detach(); break;
		case 11:	all_links(); break;
		case 12 ... 13:	victim(read); break;
		case 14 ... 15:	toggle_mglru(); break;
		case 16:	toggle_swap(); break;
		case 17:	compact(); break;
		case 18:	block_offline(); break;
		case 19 ... 20:	huge_pages(); break;
		case 21:	sysrq(); break;
		case 22:	drop_caches(); break;
		case 23:	reclaim(); break;
		case 24:	limits(); break;
		case 25:	generations(); break;
		default:	wait_a_while(); break;
		}
		loads_check(pids);
	}

	all_links();
	loads->stop = 1;
	for (int i = 0; i < NR_LOADS; i++) {
		int status;

		CHECK_EQ(waitpid(pids[i], &status, 0), pids[i]);
		CHECK(!status, "load %d ended with status %#x", i, status);
	}
	diag("%lu steps, %lu found ejected; loads went round %lu, %lu, %lu and %lu times", steps - 1,
	     ejected, loads->rounds[0], loads->rounds[1], loads->rounds[2], loads->rounds[3]);
	CHECK_EQ(oom_kills(cgs[TOP]), 0);
	for (int i = 0; i < NR_PLACES; i++)
		CHECK_STR(status_of(cgs[i]).policy, "none");
	/* and nothing is left of those that were removed */
	snprintf(path, sizeof(path), "%s/cgroup.stat", cgs[TOP]->path);
	put("/proc/sys/vm/drop_caches", "3");
	WAIT_FOR(get(path, text, sizeof(text)) > 0 && strstr(text, "nr_dying_descendants 0"));
	CHECK_OP(steps, >, 10);
}

int main(int argc, char **argv)
{
	static struct test tests[1];
	char *name;

	if (argc != 3) {
		printf("Bail out! usage: soak SECONDS SEED\n");
		return 1;
	}
	seconds = strtoul(argv[1], NULL, 0);
	seed = strtoul(argv[2], NULL, 0);
	if (asprintf(&name, "random changes under load, seed %lu", seed) < 0)
		return 1;
	tests[0] = (struct test){ name, soak, 0 };
	return test_main(1, argv, tests, 1, NEED_DISK | NEED_SWAP);
}
