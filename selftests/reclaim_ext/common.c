// SPDX-License-Identifier: GPL-2.0
/* What the test programs share, see common.h. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "common.h"

#define LABEL		"reclaim_test"
#define LRU_GEN		"/sys/kernel/mm/lru_gen/enabled"
#define GENERATIONS	"/sys/kernel/debug/lru_gen"
#define EXIT_SKIP	4
/* room for the entries of twice as many pages, 64 of them to a node */
#define BALLAST		(4 * MB_PAGES)

static char base[64], pins[64], mnt[64];
static char lru_gen_before[16];

/* --- results ------------------------------------------------------------ */

void diag(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("# ");
	vprintf(fmt, args);
	printf("\n");
	fflush(stdout);
	va_end(args);
}

void fail_at(const char *file, int line, const char *fmt, ...)
{
	const char *name = strrchr(file, '/');
	va_list args;

	va_start(args, fmt);
	printf("# %s:%d: ", name ? name + 1 : file, line);
	vprintf(fmt, args);
	printf("\n");
	fflush(stdout);
	va_end(args);
	_exit(1);
}

static char *skip_reason;

void skip(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(skip_reason, 200, fmt, args);
	va_end(args);
	_exit(EXIT_SKIP);
}

unsigned long scaled(unsigned long n, unsigned long least)
{
	const char *scale = getenv("RECLAIM_TEST_SCALE");

	if (scale)
		n = (unsigned long)((double)n * atof(scale));
	return n > least ? n : least;
}

/* --- small files -------------------------------------------------------- */

static int put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

int put(const char *path, const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return put_text(path, text);
}

int get(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((n = read(fd, buf + len, size - 1 - len)) > 0)
		len += n;
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	if (len && buf[len - 1] == '\n')
		len--;
	buf[len] = 0;
	return len;
}

void run(const char *fmt, ...)
{
	char command[1024];
	va_list args;
	int status;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	status = system(command);
	if (status)
		FAIL("'%s': status %d", command, WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

bool mglru(void)
{
	char buf[16];

	CHECK(get(LRU_GEN, buf, sizeof(buf)) > 0, "cannot read " LRU_GEN);
	return strtoul(buf, NULL, 0) & 1;
}

void mglru_set(bool on)
{
	CHECK_EQ(put(LRU_GEN, on ? "y" : "n"), 0);
	CHECK_EQ(mglru(), on);
}

/* --- cgroups ------------------------------------------------------------ */

const char *test_cgroup(void)
{
	return base;
}

const char *test_bpffs(void)
{
	if (mkdir(pins, 0700) && errno != EEXIST)
		FAIL("mkdir %s: %s", pins, strerror(errno));
	return pins;
}

struct cg *cg_new(struct cg *parent, const char *name)
{
	struct cg *cg = calloc(1, sizeof(*cg));
	struct stat st;

	if (snprintf(cg->path, sizeof(cg->path), "%s/%s", parent ? parent->path : base, name) >=
	    (int)sizeof(cg->path))
		FAIL("path of cgroup %s is too long", name);
	SYS(mkdir(cg->path, 0755));
	cg->fd = SYS(open(cg->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	/* on 64-bit machines the inode number is the cgroup's id */
	SYS(fstat(cg->fd, &st));
	cg->id = st.st_ino;
	return cg;
}

void cg_delegate(struct cg *cg)
{
	cg_put(cg, "cgroup.subtree_control", "+memory");
}

void cg_remove(struct cg *cg)
{
	if (cg->ballast)
		worker_end(cg->ballast);
	cg->ballast = NULL;
	/* a process that was just reaped may still be on its way out */
	for (int i = 0; i < 500 && rmdir(cg->path); i++) {
		if (errno != EBUSY || i == 499)
			FAIL("rmdir %s: %s", cg->path, strerror(errno));
		usleep(10000);
	}
}

void cg_put(struct cg *cg, const char *file, const char *fmt, ...)
{
	char path[600], text[256];
	va_list args;
	int err;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	snprintf(path, sizeof(path), "%s/%s", cg->path, file);
	/* as above: a cgroup whose process is on its way out is still in use */
	for (int i = 0; (err = put_text(path, text)) == -EBUSY && i < 500; i++)
		usleep(10000);
	if (err)
		FAIL("'%s' to %s: %s", text, path, strerror(-err));
}

long cg_stat(struct cg *cg, const char *key)
{
	char path[600], buf[16384], *line, *save = NULL;
	size_t len = strlen(key);

	snprintf(path, sizeof(path), "%s/memory.stat", cg->path);
	if (get(path, buf, sizeof(buf)) < 0)
		FAIL("cannot read %s", path);
	for (line = strtok_r(buf, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (!strncmp(line, key, len) && line[len] == ' ')
			return atol(line + len);
	FAIL("no %s in %s", key, path);
}

long cg_stat_exact(struct cg *cg, const char *key)
{
	/* The kernel flushes by itself every 2 s, or when enough is pending. */
	if (cg->ballast)
		worker_do(cg->ballast, OP_STIR, NULL, 0, 4 * MB_PAGES);
	else
		usleep(2500000);
	return cg_stat(cg, key);
}

void cg_reclaim(struct cg *cg, bool anon, unsigned long pages)
{
	char path[600];
	int err;

	snprintf(path, sizeof(path), "%s/memory.reclaim", cg->path);
	err = put(path, "%lu swappiness=%s", pages * PAGE, anon ? "max" : "0");
	if (err && err != -EAGAIN)
		FAIL("%s: %s", path, strerror(-err));
}

static bool word(const char *line, const char *key, char *to, size_t size)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) || line[len] != ' ')
		return false;
	snprintf(to, size, "%s", line + len + 1);
	return true;
}

static bool number(const char *line, const char *key, unsigned long long *to)
{
	char text[64], *end;

	if (!word(line, key, text, sizeof(text)))
		return false;
	*to = strtoull(text, &end, 10);
	return end != text && !*end;
}

static bool counts(const char *line, const char *key, struct hook_counts *to)
{
	size_t len = strlen(key);
	int used = 0;

	return !strncmp(line, key, len) &&
	       sscanf(line + len, " calls=%llu changed=%llu clamped=%llu bypassed=%llu%n",
		      &to->calls, &to->changed, &to->clamped, &to->bypassed, &used) == 4 &&
	       !line[len + used];
}

static const char *first_word(const char *line, char *to, size_t size)
{
	snprintf(to, size, "%.*s", (int)strcspn(line, " "), line);
	return to;
}

/* Strict: a line that isn't known fails the test. */
struct status status_parse(const char *text)
{
	struct status st = {};
	char copy[4096], key[64], *line, *save = NULL, *quote;
	struct hook_counts other;

	snprintf(copy, sizeof(copy), "%s", text);
	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (word(line, "policy", st.policy, sizeof(st.policy)) ||
		    number(line, "cgroup_id", &st.cgroup_id) ||
		    number(line, "link", &st.link) || number(line, "map", &st.map) ||
		    number(line, "attached_ms", &st.attached_ms) ||
		    counts(line, "evicted", &st.evicted) ||
		    counts(line, "refaulted", &st.refaulted))
			continue;
		/* the other operations */
		if (counts(line, first_word(line, key, sizeof(key)), &other))
			continue;
		if (sscanf(line, "last_exit policy=%63s kind=%63s code=%lld msg=\"%255[^\"]",
			   st.last.policy, st.last.kind, &st.last.code, st.last.msg) < 3)
			FAIL("memory.reclaim_ext has the line '%s'", line);
		quote = strchr(line, '"');
		CHECK(quote && strchr(quote + 1, '"') == line + strlen(line) - 1,
		      "last_exit ends without a quote: %s", line);
	}
	CHECK(st.policy[0], "no policy line in '%s'", text);
	return st;
}

struct status status_of(struct cg *cg)
{
	char path[600], text[4096];
	int len;

	snprintf(path, sizeof(path), "%s/memory.reclaim_ext", cg ? cg->path : CGROUP_ROOT);
	len = get(path, text, sizeof(text));
	if (len < 0)
		FAIL("cannot read %s: %s", path, strerror(-len));
	return status_parse(text);
}

struct hook_counts hook_of(struct cg *cg, const char *hook)
{
	struct hook_counts c = {};
	char path[600], buf[4096], *line, *save = NULL;

	snprintf(path, sizeof(path), "%s/memory.reclaim_ext", cg ? cg->path : CGROUP_ROOT);
	CHECK(get(path, buf, sizeof(buf)) > 0, "cannot read %s", path);
	for (line = strtok_r(buf, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (counts(line, hook, &c))
			return c;
	FAIL("%s has no line for %s", path, hook);
}

/* --- files and swap ----------------------------------------------------- */

static unsigned long pattern(unsigned long ino, unsigned long page)
{
	return (ino << 40 ^ page) * 0x9e3779b97f4a7c15UL;
}

struct file *file_new(const char *name, unsigned long pages)
{
	struct file *f = calloc(1, sizeof(*f));
	char *buf = calloc(256, PAGE);
	struct stat st;
	unsigned long i;

	snprintf(f->path, sizeof(f->path), "%s/%s", mnt, name);
	f->fd = SYS(open(f->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
	SYS(fstat(f->fd, &st));
	f->ino = st.st_ino;
	f->pages = pages;
	for (i = 0; i < pages; i++) {
		*(unsigned long *)(buf + i % 256 * PAGE) = pattern(f->ino, i);
		if (i % 256 == 255 || i == pages - 1) {
			size_t len = (i % 256 + 1) * PAGE;

			CHECK_EQ(pwrite(f->fd, buf, len, (i - i % 256) * PAGE), len);
		}
	}
	free(buf);
	SYS(fsync(f->fd));
	CHECK_EQ(posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	WAIT_FOR(!file_cache(f).cached ||
		 (posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED), 0));
	CHECK_EQ(file_cache(f).evicted, 0);
	return f;
}

struct cache file_cache(struct file *f)
{
	struct { unsigned long long off, len; } range = { 0, f->pages * PAGE };
	struct cache c;

	/* cachestat(2) */
	SYS(syscall(451, f->fd, &range, &c, 0));
	return c;
}

void lru_drain(void)
{
	static struct file *mapped;

	if (!mapped) {
		volatile char *page;

		mapped = file_new("drain", 1);
		page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, mapped->fd, 0);
		CHECK(page != MAP_FAILED, "%s", strerror(errno));
		(void)*page;
	}
	/* a page that can't be dropped may be in a batch: all are drained */
	CHECK_EQ(posix_fadvise(mapped->fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	CHECK_EQ(file_cache(mapped).cached, 1);
}

void file_evict(struct file *f, struct cg *cg)
{
	struct cache c = {};

	lru_drain();
	for (int i = 0; i < 50; i++) {
		c = file_cache(f);
		if (!c.cached)
			return;
		cg_reclaim(cg, false, c.cached);
	}
	FAIL("%llu pages of %s cannot be evicted from %s", c.cached, f->path, cg->path);
}

struct generations generations_of(struct cg *cg)
{
	static char buf[1 << 20];
	struct generations g = {};
	unsigned long seq, anon, file;
	char path[300], *line, *save = NULL;
	bool ours = false;
	unsigned long long id;
	int node = -1;

	CHECK(get(GENERATIONS, buf, sizeof(buf)) > 0, "cannot read " GENERATIONS);
	for (line = strtok_r(buf, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (sscanf(line, "memcg %llu %299s", &id, path) == 2) {
			if (ours)
				break;
			ours = id == cg->id;
		} else if (sscanf(line, " node %d", &node) != 1 && ours && node == 0 &&
			   sscanf(line, "%lu %*u %lu %lu", &seq, &anon, &file) == 3) {
			CHECK_OP(g.nr, <, ARRAY_SIZE(g.seq));
			g.seq[g.nr] = seq;
			g.anon[g.nr] = anon;
			g.file[g.nr++] = file;
		}
	}
	CHECK(ours && g.nr, "%s is not in " GENERATIONS, cg->path);
	return g;
}

void generations_open(struct cg *cg)
{
	/* files and anon have oldest ones of their own: don't go by what is listed */
	for (int i = 0; i < 2; i++) {
		struct generations g = generations_of(cg);

		CHECK_EQ(put(GENERATIONS, "+ %llu 0 %lu", cg->id, g.seq[g.nr - 1]), 0);
	}
}

static void setup_disk(void)
{
	const char *dev = getenv("RECLAIM_TEST_DISK") ?: "/dev/ram0";
	struct { unsigned short magic; char pad[62], label[16]; } sb = {};
	int fd = open(dev, O_RDONLY | O_EXCL | O_CLOEXEC);
	char path[300];

	if (fd < 0)
		FAIL("scratch disk %s: %s: it must be there and not be in use (modprobe brd rd_size=409600, or RECLAIM_TEST_DISK=DEVICE)",
		     dev, strerror(errno));
	if (pread(fd, &sb, sizeof(sb), 1024 + 56) != sizeof(sb))
		FAIL("scratch disk %s: cannot read it", dev);
	close(fd);
	if (sb.magic == 0xef53 && memcmp(sb.label, LABEL, sizeof(LABEL)))
		FAIL("scratch disk %s holds a file system that isn't ours: clear it or set RECLAIM_TEST_DISK=DEVICE",
		     dev);

	SYS(mkdir(mnt, 0700));
	run("PATH=/sbin:/usr/sbin:$PATH mke2fs -q -F -t ext4 -b 4096 -O ^has_journal -L " LABEL " %s",
	    dev);
	SYS(mount(dev, mnt, "ext4", MS_NOATIME, NULL));
	/* a fault or a read brings in its own page and no other */
	snprintf(path, sizeof(path), "/sys/block/%s/queue/read_ahead_kb", strrchr(dev, '/') + 1);
	CHECK_EQ(put(path, "0"), 0);
}

static const char *swap_dev(void)
{
	return getenv("RECLAIM_TEST_ZRAM") ?: "/dev/zram0";
}

static void setup_swap(void)
{
	const char *dev = swap_dev();
	char sys[300], path[320];

	snprintf(sys, sizeof(sys), "/sys/block/%s", strrchr(dev, '/') + 1);
	snprintf(path, sizeof(path), "%s/reset", sys);
	if (put(path, "1"))
		FAIL("swap device %s must be there and not be in use (modprobe zram, or RECLAIM_TEST_ZRAM=DEVICE)",
		     dev);
	snprintf(path, sizeof(path), "%s/disksize", sys);
	CHECK_EQ(put(path, "256M"), 0);
	run("PATH=/sbin:/usr/sbin:$PATH mkswap -q %s >/dev/null", dev);
	SYS(swapon(dev, 0));
}

/* --- workers ------------------------------------------------------------ */

struct request {
	enum op		op;
	bool		loop;
	struct file	*file;
	unsigned long	from, nr;
};

static unsigned long *anon_mem;

static void one_pass(volatile struct worker_shared *sh, const struct request *r)
{
	unsigned long ino = r->file ? r->file->ino : 0, end = r->from + r->nr, i;
	volatile char *map = NULL;
	unsigned long word;

	if (r->op == OP_FD) {
		posix_fadvise(r->file->fd, 0, 0, POSIX_FADV_RANDOM);
	} else if (r->op == OP_MMAP) {
		map = mmap(NULL, r->file->pages * PAGE, PROT_READ, MAP_SHARED, r->file->fd, 0);
		if (map == MAP_FAILED)
			FAIL("mmap: %s", strerror(errno));
	} else if (r->op == OP_STIR) {
		map = mmap(NULL, r->nr * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED)
			FAIL("mmap: %s", strerror(errno));
	} else if (r->op == OP_READAHEAD) {
		for (i = r->from; i < end; i++)
			if (readahead(r->file->fd, i * PAGE, PAGE))
				FAIL("readahead: %s", strerror(errno));
	}

	for (i = r->from; i < end && !sh->stop; i++) {
		switch (r->op) {
		case OP_FD:
			if (pread(r->file->fd, &word, sizeof(word), i * PAGE) != sizeof(word))
				word = 0;
			break;
		case OP_MMAP:
			word = *(volatile unsigned long *)(map + i * PAGE);
			break;
		case OP_WRITE:
			anon_mem[i * PAGE / sizeof(word)] = word = pattern(ino, i);
			/* not all the same, zram would keep no data */
			anon_mem[i * PAGE / sizeof(word) + 1] = ~word;
			break;
		case OP_STIR:
			*(volatile unsigned long *)(map + i * PAGE) = word = pattern(ino, i);
			break;
		case OP_CHECK:
			word = anon_mem[i * PAGE / sizeof(word)];
			break;
		default:
			word = pattern(ino, i);
		}
		sh->reads++;
		if (word != pattern(ino, i))
			sh->errors++;
	}
	if (map)
		munmap((void *)map, (r->file ? r->file->pages : r->nr) * PAGE);
}

void close_bpf(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	char target[64] = {};

	while ((entry = readdir(dir)))
		if (readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1) > 0 &&
		    !strncmp(target, "anon_inode:bpf", 14))
			close(atoi(entry->d_name));
	closedir(dir);
}

static void worker_main(struct worker *w, struct cg *cg, unsigned long anon)
{
	struct request r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close_bpf();
	cg_put(cg, "cgroup.procs", "0");
	if (anon) {
		anon_mem = mmap(NULL, anon * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (anon_mem == MAP_FAILED)
			FAIL("mmap: %s", strerror(errno));
		madvise(anon_mem, anon * PAGE, MADV_NOHUGEPAGE);
	}
	for (;;) {
		char done = 1;

		if (read(w->sock, &r, sizeof(r)) != sizeof(r) || r.op == OP_QUIT)
			_exit(0);
		do {
			one_pass(w->shared, &r);
		} while (r.loop && !w->shared->stop);
		if (write(w->sock, &done, 1) != 1)
			_exit(1);
	}
}

struct worker *worker_start(struct cg *cg, unsigned long anon)
{
	struct worker *w = calloc(1, sizeof(*w));
	int socks[2];

	SYS(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks));
	w->shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(w->shared != MAP_FAILED, "%s", strerror(errno));
	w->pid = SYS(fork());
	if (!w->pid) {
		close(socks[0]);
		w->sock = socks[1];
		worker_main(w, cg, anon);
	}
	close(socks[1]);
	w->sock = socks[0];
	/* returns once the worker is in the cgroup */
	worker_do(w, OP_NONE, NULL, 0, 0);
	return w;
}

static void worker_send(struct worker *w, const struct request *r)
{
	CHECK_EQ(write(w->sock, r, sizeof(*r)), sizeof(*r));
}

static void worker_wait(struct worker *w)
{
	char done;

	if (read(w->sock, &done, 1) != 1)
		FAIL("a worker has died");
}

void worker_do(struct worker *w, enum op op, struct file *f, unsigned long from,
	       unsigned long nr)
{
	struct request r = { op, false, f, from, nr };
	unsigned long before = w->shared->reads;

	worker_send(w, &r);
	worker_wait(w);
	CHECK_EQ(w->shared->reads - before, nr);
	CHECK_EQ(w->shared->errors, 0);
}

void worker_loop(struct worker *w, enum op op, struct file *f)
{
	struct request r = { op, true, f, 0, f->pages };

	worker_send(w, &r);
}

unsigned long worker_end(struct worker *w)
{
	struct request r = { .op = OP_QUIT };
	unsigned long reads;
	char byte;
	int status;

	w->shared->stop = 1;
	worker_send(w, &r);
	/* a loop acknowledges, then the socket is closed */
	while (read(w->sock, &byte, 1) == 1)
		;
	close(w->sock);
	if (waitpid(w->pid, &status, 0) != w->pid || status)
		FAIL("a worker ended with status %#x", status);
	reads = w->shared->reads;
	CHECK_EQ(w->shared->errors, 0);
	munmap((void *)w->shared, PAGE);
	free(w);
	return reads;
}

void read_in(struct cg *cg, enum op op, struct file *f)
{
	struct worker *w;

	if (!cg->ballast) {
		cg->ballast = worker_start(cg, BALLAST);
		worker_do(cg->ballast, OP_WRITE, NULL, 0, BALLAST);
		/* reading them also brings the counters up to date */
		WAIT_FOR(cg_stat(cg, "anon") >= (long)(BALLAST * PAGE));
	}
	w = worker_start(cg, 0);

	worker_do(w, op, f, 0, f->pages);
	worker_end(w);
}

/* --- running ------------------------------------------------------------ */

static int remove_cgroup(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type != FTW_DP && type != FTW_D)
		return 0;
	for (int i = 0; i < 500 && rmdir(path) && errno == EBUSY; i++)
		usleep(10000);
	return 0;
}

static int remove_pin(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

static void clean_up(pid_t pid)
{
	char path[128];

	kill(-pid, SIGKILL);
	snprintf(path, sizeof(path), "%s/cgroup.kill", base);
	put(path, "1");
	nftw(pins, remove_pin, 16, FTW_DEPTH | FTW_PHYS);
	nftw(base, remove_cgroup, 16, FTW_DEPTH | FTW_PHYS);
	put(LRU_GEN, "%s", lru_gen_before);
}

static void child(const struct test *t)
{
	char path[128];

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(900);
	if (mkdir(base, 0755))
		FAIL("mkdir %s: %s", base, strerror(errno));
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", base);
	CHECK_EQ(put(path, "+memory"), 0);
	t->fn(t->arg);
	fflush(stdout);
	_exit(0);
}

static bool wanted(int argc, char **argv, const char *name)
{
	if (argc < 2)
		return true;
	for (int i = 1; i < argc; i++)
		if (strstr(name, argv[i]))
			return true;
	return false;
}

/* Whatever fails in here fails the whole program, with a reason. */
static void set_up(unsigned int needs)
{
	/* mounts of ours go when we do */
	SYS(unshare(CLONE_NEWNS));
	SYS(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	CHECK(get(LRU_GEN, lru_gen_before, sizeof(lru_gen_before)) > 0, "no " LRU_GEN);
	if (needs & NEED_DISK)
		setup_disk();
	if (needs & NEED_SWAP)
		setup_swap();
}

int test_main(int argc, char **argv, const struct test *tests, int nr, unsigned int needs)
{
	int failed = 0, n = 0, count = 0;
	char path[300];

	setvbuf(stdout, NULL, _IOLBF, 0);
	snprintf(base, sizeof(base), CGROUP_ROOT "/reclaim_test.%d", getpid());
	snprintf(pins, sizeof(pins), "/sys/fs/bpf/reclaim_test_%d", getpid());
	snprintf(mnt, sizeof(mnt), "/tmp/reclaim_test.%d", getpid());
	skip_reason = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < nr; i++)
		count += wanted(argc, argv, tests[i].name);
	printf("KTAP version 1\n1..%d\n", count);
	fflush(stdout);
	set_up(needs);

	for (int i = 0; i < nr; i++) {
		time_t began = time(NULL);
		int status = 0;
		pid_t pid;

		if (!wanted(argc, argv, tests[i].name))
			continue;
		n++;
		pid = SYS(fork());
		if (!pid)
			child(&tests[i]);
		waitpid(pid, &status, 0);
		clean_up(pid);
		if (time(NULL) - began >= 5)
			diag("%ld s", (long)(time(NULL) - began));
		if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SKIP) {
			printf("ok %d %s # SKIP %s\n", n, tests[i].name, skip_reason);
			continue;
		}
		if (WIFSIGNALED(status))
			diag("ended by signal %d (%s)", WTERMSIG(status),
			     WTERMSIG(status) == SIGALRM ? "took too long" : strsignal(WTERMSIG(status)));
		printf("%sok %d %s\n", status ? "not " : "", n, tests[i].name);
		failed += !!status;
	}

	if (needs & NEED_SWAP) {
		swapoff(swap_dev());
		snprintf(path, sizeof(path), "/sys/block/%s/reset", strrchr(swap_dev(), '/') + 1);
		put(path, "1");
	}
	if (needs & NEED_DISK) {
		umount2(mnt, MNT_DETACH);
		rmdir(mnt);
	}
	return failed ? 1 : 0;
}
