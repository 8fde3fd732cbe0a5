// SPDX-License-Identifier: GPL-2.0
/*
 * What admit(), place(), accessed(), sort(), balance(), age() and shadow_budget()
 * are told, and what their answers do: MGLRU.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "decide.h"
#include "decide.skel.h"
#include "policy.h"

#define NR		(4 * MB_PAGES)
/* pages of metadata, of a stack, of libc */
#define SLACK		24
#define GENERATIONS	"/sys/kernel/debug/lru_gen"

/* The kernel's enums, as they are in its header. */
enum {
	WHAT_ADDED, WHAT_PUT_BACK, WHAT_ROTATED, WHAT_ACTIVATED, WHAT_DEACTIVATED,
	WHAT_SWITCHED, WHAT_FD, WHAT_WALK, WHAT_AROUND, WHAT_RMAP, WHAT_SCANNED, WHAT_CLOSED,
	WHAT_DEFERRED, WHAT_READ,

	DECIDE = 1 << 0, EVICT = 1 << 1, KEEP = 1 << 2, UP = 1 << 3, YOUNGEST = 1 << 4,
	GEN = 1 << 5, REFS = 1 << 6, MARK = 1 << 7,

	BALANCE = 1 << 0, BALANCE_FILE = 1 << 1, AGE = 1 << 2, DONT_AGE = 1 << 3,

	F_COUNT = 1 << 0, F_FD = 1 << 1, F_PT = 1 << 2, F_NO_PT = 1 << 3, F_ALL = 0xf,
};
#define TO_GEN(n)	(DECIDE | GEN | (n) << 16)
#define TO_REFS(n)	(DECIDE | REFS | (n) << 8)
#define MAX_COUNT	7
#define MAX_PROTECT	56

/* Operations to leave in, for load(). */
enum {
	ADMIT = 1 << 0, PLACE = 1 << 1, ACCESSED = 1 << 2, SORT = 1 << 3, EVICTED = 1 << 4,
	REFAULTED = 1 << 5, BALANCES = 1 << 6, AGES = 1 << 7, BUDGET = 1 << 8,
};

static struct decide_bpf *skel;
static struct decide_config *config;

static struct decide_bpf *open_ops(unsigned int ops, unsigned int flags, unsigned int refs,
				   unsigned int gens)
{
	struct decide_bpf__decide_ops__reclaim_ext_ops *o;
	struct decide_bpf *s = decide_bpf__open();

	CHECK(s, "cannot open decide: %s", strerror(errno));
	o = s->struct_ops.decide_ops;
#define ONLY_IF(bit, op)	(o->op = (ops & (bit)) ? o->op : NULL)
	ONLY_IF(ADMIT, admit);
	ONLY_IF(PLACE, place);
	ONLY_IF(ACCESSED, accessed);
	ONLY_IF(SORT, sort);
	ONLY_IF(EVICTED, evicted);
	ONLY_IF(REFAULTED, refaulted);
	ONLY_IF(BALANCES, balance);
	ONLY_IF(AGES, age);
	ONLY_IF(BUDGET, shadow_budget);
	o->flags = flags;
	o->access_refs = refs;
	o->access_gens = gens;
	CHECK_EQ(decide_bpf__load(s), 0);
	return s;
}

static void load_filtered(unsigned int ops, unsigned int flags, unsigned int refs,
			  unsigned int gens)
{
	mglru_set(true);
	skel = open_ops(ops, flags, refs, gens);
	CHECK_EQ(bpf_map__upload_struct_ops(skel->maps.decide_ops), 0);
	config = &skel->bss->config;
}

static void load(unsigned int ops, unsigned int flags)
{
	load_filtered(ops, flags, 0, 0);
}

static int attach(struct cg *cg)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = BPF_F_CGROUP_FD);
	int fd = bpf_link_create(bpf_map__fd(skel->maps.decide_ops), cg->fd, BPF_STRUCT_OPS, &opts);

	CHECK(fd >= 0, "cannot attach to %s: %s", cg->path, strerror(-fd));
	return fd;
}

static struct decide_seen *seen(int op, int what, int file)
{
	return &skel->bss->seen[(op * DECIDE_WHATS + what) * 2 + file];
}

static void answer(int op, int what, unsigned int value)
{
	config->answer[op * DECIDE_WHATS + what] = value;
}

static void forget(void)
{
	memset(skel->bss->seen, 0, sizeof(skel->bss->seen));
	memset(&skel->bss->balances, 0, sizeof(skel->bss->balances));
	memset(&skel->bss->ages, 0, sizeof(skel->bss->ages));
	memset(&skel->bss->budgets, 0, sizeof(skel->bss->budgets));
}

/* Of the folios of @cg, and they know their size. */
static void check_whose(const struct decide_seen *s, struct cg *cg)
{
	CHECK_EQ(s->folio_cgroup, cg->id);
	CHECK_EQ(s->lruvec_cgroup, cg->id);
	CHECK_EQ(s->wrong_lruvec, 0);
	CHECK_EQ(s->wrong_size, 0);
}

/* The bits of @always were set each time, those of @never at no time. */
static void check_state(const struct decide_seen *s, unsigned long long always,
			unsigned long long never)
{
	CHECK(s->calls, "was not called");
	CHECK((s->state_all & always) == always, "state: always %#llx, wanted %#llx",
	      s->state_all, always);
	CHECK(!(s->state_any & never), "state: sometimes %#llx, not wanted %#llx", s->state_any,
	      never);
}

/* Run @fn in a process of @cg. */
static void inside(struct cg *cg, void (*fn)(struct file *f), struct file *f)
{
	pid_t pid = SYS(fork());
	int status;

	if (!pid) {
		close_bpf();
		cg_put(cg, "cgroup.procs", "0");
		fn(f);
		fflush(stdout);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(!status, "a process in %s ended with status %#x", cg->path, status);
}

static void write_pages(struct file *f)
{
	char page[PAGE];

	memset(page, 'w', sizeof(page));
	for (unsigned long i = 0; i < f->pages; i++)
		CHECK_EQ(pwrite(f->fd, page, PAGE, i * PAGE), PAGE);
}

/* --- a process that maps, and touches when it is told -------------------- */

enum mapper_op { TOUCH, LOOK, SHARE, COLD, LET_GO };

struct mapper {
	pid_t		pid;
	int		to, from;
};

struct mapping {
	struct file	*file;		/* NULL: anonymous */
	unsigned long	pages;		/* so many */
	unsigned long	stride;		/* at distances of so many */
	int		prot;
	bool		huge;
};

#define HUGE_SIZE	(2 * MB)

static void mapper_main(const struct mapping *m, int from, int to)
{
	unsigned long size = m->pages * m->stride * PAGE, i;
	int prot = m->file ? m->prot : PROT_READ | PROT_WRITE;
	char op, *map;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (m->file) {
		map = mmap(NULL, size, prot, MAP_SHARED, m->file->fd, 0);
	} else {
		map = mmap(NULL, size + HUGE_SIZE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map != MAP_FAILED) {
			map = (char *)(((unsigned long)map + HUGE_SIZE - 1) & ~(HUGE_SIZE - 1));
			madvise(map, size, m->huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
		}
	}
	if (map == MAP_FAILED)
		FAIL("mmap: %s", strerror(errno));

	while (read(from, &op, 1) == 1) {
		switch (op) {
		case TOUCH:
			/*
			 * Whoever clears accessed bits leaves the TLB alone, and what is
			 * in there sets none.
			 */
			SYS(mprotect(map, size, PROT_NONE));
			SYS(mprotect(map, size, prot));
			/* not in the order of addresses: neighbours are found beside each other */
			for (i = 0; i < m->pages; i++) {
				unsigned long n = i * 37 % m->pages * m->stride * PAGE;

				if (m->file)
					*(volatile char *)(map + n);
				else
					*(volatile unsigned long *)(map + n) = n + 1;
			}
			break;
		case LOOK:
			for (i = 0; i < m->pages; i++)
				(void)*(volatile char *)(map + i * m->stride * PAGE);
			break;
		case SHARE:
			if (!SYS(fork())) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				pause();
			}
			break;
		case COLD:
			SYS(madvise(map, size, MADV_COLD));
			break;
		case LET_GO:
			_exit(0);
		}
		if (write(to, &op, 1) != 1)
			_exit(1);
	}
	_exit(1);
}

static void mapper_do(struct mapper *m, char op)
{
	char done;

	CHECK_EQ(write(m->to, &op, 1), 1);
	CHECK(read(m->from, &done, 1) == 1 && done == op, "a process that maps has died");
}

/* A process in @cg that has touched its pages once. */
static struct mapper *mapper_start(struct cg *cg, const struct mapping *mapping)
{
	struct mapper *m = calloc(1, sizeof(*m));
	int to[2], from[2];

	SYS(pipe(to));
	SYS(pipe(from));
	m->pid = SYS(fork());
	if (!m->pid) {
		close_bpf();
		close(to[1]);
		close(from[0]);
		cg_put(cg, "cgroup.procs", "0");
		mapper_main(mapping, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	m->to = to[1];
	m->from = from[0];
	mapper_do(m, TOUCH);
	lru_drain();
	return m;
}

static void mapper_end(struct mapper *m)
{
	char op = LET_GO;
	int status;

	CHECK_EQ(write(m->to, &op, 1), 1);
	CHECK_EQ(waitpid(m->pid, &status, 0), m->pid);
	CHECK_EQ(status, 0);
}

/* --- generations --------------------------------------------------------- */

/* Open one more: walks page tables. */
static void open_one(struct cg *cg)
{
	struct generations g = generations_of(cg);

	CHECK_EQ(put(GENERATIONS, "+ %llu 0 %lu", cg->id, g.seq[g.nr - 1]), 0);
}

/* Evict what there is in the generations that may be evicted, and open none. */
static void evict_old(struct cg *cg, bool anon)
{
	struct generations g = generations_of(cg);

	CHECK_EQ(put(GENERATIONS, "- %llu 0 %lu %s 100000", cg->id, g.seq[g.nr - 1] - 2,
		     anon ? "max" : "0"), 0);
}

/* Pages of a type in the @age-th generation, the youngest is 0. */
static long pages_of(struct cg *cg, bool file, int age)
{
	struct generations g = generations_of(cg);

	CHECK_OP(age, <, g.nr);
	return file ? g.file[g.nr - 1 - age] : g.anon[g.nr - 1 - age];
}

static void check_gens(const struct decide_seen *s)
{
	CHECK_OP(s->nr_gens_min, >=, 2);
	CHECK_OP(s->nr_gens_max, <=, 4);
	CHECK_OP(s->gen_max, <=, s->nr_gens_max);
}

/* --- admit ---------------------------------------------------------------- */

static void admit_file(int op)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;

	load(ADMIT, 0);
	config->ino = f->ino;
	attach(cg);
	read_in(cg, op, f);
	s = seen(DECIDE_ADMIT, WHAT_READ, FILE_PAGES);
	CHECK_EQ(s->pages, NR);
	check_whose(s, cg);
	check_gens(s);
	check_state(s, STATE_FILE | STATE_MGLRU | (op == OP_MMAP ? STATE_IN_FAULT : 0),
		    STATE_WORKINGSET | STATE_ACTIVE | STATE_MAPPED | STATE_DIRTY | STATE_WRITEBACK |
		    STATE_SWAPCACHE | STATE_SWAPBACKED | STATE_RECLAIMER |
		    (op == OP_MMAP ? 0 : STATE_IN_FAULT));
	CHECK_EQ(s->refs_max, 0);
	CHECK_EQ(s->executable, 0);
	/* stock counts one in a fault, and nothing else */
	CHECK_EQ(s->stock_all, op == OP_MMAP ? TO_REFS(1) : DECIDE);
	CHECK_EQ(s->stock_any, s->stock_all);
	CHECK_OP(hook_of(cg, "admit").calls, >=, NR);
	CHECK_EQ(hook_of(cg, "admit").changed, 0);
	CHECK_EQ(hook_of(cg, "admit").clamped, 0);
	/* what is there is not admitted again */
	forget();
	read_in(cg, op, f);
	CHECK_EQ(s->calls, 0);
}

/* write() to pages that were not there. */
static void admit_written(int arg)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;

	(void)arg;
	load(ADMIT, 0);
	config->ino = f->ino;
	attach(cg);
	inside(cg, write_pages, f);
	s = seen(DECIDE_ADMIT, WHAT_READ, FILE_PAGES);
	CHECK_EQ(s->pages, NR);
	check_whose(s, cg);
	check_state(s, STATE_FILE | STATE_MGLRU, STATE_IN_FAULT | STATE_SWAPBACKED);
	/* some file systems create them referenced */
	CHECK_OP(s->refs_max, <=, 1);
	CHECK_EQ(s->stock_any, DECIDE);
}

static void swap_out(struct cg *cg, unsigned long nr)
{
	lru_drain();
	for (int i = 0; i < 50; i++) {
		long anon = cg_stat(cg, "anon") / PAGE;

		/* what the worker has besides: stack, libc */
		if (anon < (long)nr / 16 + 16)
			return;
		cg_reclaim(cg, true, anon + 64);
	}
	FAIL("cannot swap out of %s", cg->path);
}

static void admit_anon(int arg)
{
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;
	struct worker *w;

	(void)arg;
	load(ADMIT, 0);
	config->type = DECIDE_ANON;
	w = worker_start(cg, NR);
	attach(cg);
	worker_do(w, OP_WRITE, NULL, 0, NR);
	s = seen(DECIDE_ADMIT, WHAT_READ, ANON);
	CHECK_NEAR(s->pages, NR, SLACK);
	check_whose(s, cg);
	check_state(s, STATE_SWAPBACKED | STATE_MGLRU | STATE_IN_FAULT,
		    STATE_FILE | STATE_SWAPCACHE | STATE_WORKINGSET | STATE_RECLAIMER);
	CHECK_EQ(s->stock_any, TO_REFS(1));
	CHECK_EQ(s->nr_pages_max, 1);

	swap_out(cg, NR);
	forget();
	worker_do(w, OP_CHECK, NULL, 0, NR);
	CHECK_OP(s->pages, >=, NR * 15 / 16 - 32);
	check_whose(s, cg);
	check_state(s, STATE_SWAPBACKED | STATE_MGLRU | STATE_SWAPCACHE,
		    STATE_FILE | STATE_RECLAIMER);
	worker_end(w);
}

/* A huge page is one folio of 512 pages, to admit() and place(). */
static void admit_large(int arg)
{
	struct mapping mapping = { .pages = 4 * HUGE_SIZE / PAGE, .stride = 1, .huge = true };
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;
	struct mapper *m;

	(void)arg;
	load(ADMIT | PLACE, 0);
	config->type = DECIDE_ANON;
	attach(cg);
	m = mapper_start(cg, &mapping);
	s = seen(DECIDE_ADMIT, WHAT_READ, ANON);
	if (s->nr_pages_max == 1)
		skip("no huge page to be had");
	CHECK_EQ(s->nr_pages_max, HUGE_SIZE / PAGE);
	CHECK_NEAR(s->pages, mapping.pages, 64);
	check_whose(s, cg);
	s = seen(DECIDE_PLACE, WHAT_ADDED, ANON);
	CHECK_EQ(s->nr_pages_max, HUGE_SIZE / PAGE);
	CHECK_NEAR(s->pages, mapping.pages, 64);
	CHECK_EQ(s->wrong_size, 0);
	mapper_end(m);
}

/* Active or not: by the kernel's own count. */
static void admit_active(int active)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct file *warm = file_new("warm", 1);
	long is_active, inactive;

	load(ADMIT, 0);
	config->ino = f->ino;
	attach(cg);
	read_in(cg, OP_FD, warm);
	/* so that there are inactive ones */
	generations_open(cg);
	answer(DECIDE_ADMIT, WHAT_READ, active ? DECIDE | YOUNGEST : DECIDE);
	is_active = cg_stat_exact(cg, "active_file");
	inactive = cg_stat(cg, "inactive_file");
	read_in(cg, OP_FD, f);
	lru_drain();
	is_active = (cg_stat_exact(cg, "active_file") - is_active) / (long)PAGE;
	inactive = (cg_stat(cg, "inactive_file") - inactive) / (long)PAGE;
	CHECK_NEAR(is_active, active ? NR : 0, SLACK);
	CHECK_NEAR(inactive, active ? 0 : NR, SLACK);
	CHECK_EQ(hook_of(cg, "admit").changed, active ? NR : 0);
	CHECK_EQ(hook_of(cg, "admit").clamped, 0);
}

/* The accesses counted at the start are those in the shadow entry at the end. */
static void admit_refs(int refs)
{
	/* so few that the PID controller protects none, which would forget the count */
	struct file *f = file_new("f", 24);
	struct cg *cg = cg_new(NULL, "a");
	int stored = refs > 4 ? 4 : refs;

	load(ADMIT | EVICTED | REFAULTED, 0);
	config->ino = f->ino;
	attach(cg);
	answer(DECIDE_ADMIT, WHAT_READ, TO_REFS(refs));
	read_in(cg, OP_READAHEAD, f);
	CHECK_EQ(hook_of(cg, "admit").clamped > 0, refs > 4);
	file_evict(f, cg);
	CHECK_EQ(seen(DECIDE_EVICTED, 0, FILE_PAGES)->calls, 24);
	CHECK_EQ(seen(DECIDE_EVICTED, 0, FILE_PAGES)->refs_min, stored);
	CHECK_EQ(seen(DECIDE_EVICTED, 0, FILE_PAGES)->refs_max, stored);
	read_in(cg, OP_READAHEAD, f);
	CHECK_EQ(seen(DECIDE_REFAULTED, 0, FILE_PAGES)->calls, 24);
	/* 1 stands for none, too */
	CHECK_EQ(seen(DECIDE_REFAULTED, 0, FILE_PAGES)->refs_min, stored ?: 1);
}

/* What refaulted() has decided is not asked again; what it left is. */
static void admit_after_refaulted(int decided)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");

	load(ADMIT | REFAULTED, 0);
	config->ino = f->ino;
	attach(cg);
	read_in(cg, OP_FD, f);
	file_evict(f, cg);
	forget();
	config->refaulted = decided ? REFAULT : 0;
	read_in(cg, OP_FD, f);
	CHECK_EQ(seen(DECIDE_REFAULTED, 0, FILE_PAGES)->calls, NR);
	CHECK_EQ(seen(DECIDE_ADMIT, WHAT_READ, FILE_PAGES)->calls, decided ? 0 : NR);
}

/* --- place ---------------------------------------------------------------- */

static void place_added(int op)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;

	load(PLACE, 0);
	config->ino = f->ino;
	attach(cg);
	read_in(cg, op, f);
	lru_drain();
	s = seen(DECIDE_PLACE, WHAT_ADDED, FILE_PAGES);
	CHECK_EQ(s->pages, NR);
	check_whose(s, cg);
	check_gens(s);
	check_state(s, STATE_FILE | STATE_MGLRU,
		    STATE_ACTIVE | STATE_DIRTY | STATE_WRITEBACK | STATE_SWAPCACHE |
		    STATE_SWAPBACKED | STATE_RECLAIMER);
	CHECK_EQ(s->stock_all & (DECIDE | GEN), DECIDE | GEN);
	CHECK_EQ(s->tail, 0);
	/* the generation told is the one of the stock answer */
	CHECK_EQ(s->stock_any >> 16, s->gen_max);
	CHECK_EQ(hook_of(cg, "place").changed, 0);
	CHECK_EQ(hook_of(cg, "place").clamped, 0);
}

/* Every generation, and one that there is not. */
static void place_gen(int gen)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;
	int into;

	load(PLACE, 0);
	config->ino = f->ino;
	answer(DECIDE_PLACE, WHAT_ADDED, TO_GEN(gen));
	attach(cg);
	/* stock: accessed ones to generation 1, others to 0 */
	read_in(cg, gen ? OP_READAHEAD : OP_MMAP, f);
	lru_drain();
	s = seen(DECIDE_PLACE, WHAT_ADDED, FILE_PAGES);
	CHECK_EQ(s->pages, NR);
	CHECK_EQ(s->nr_gens_min, 4);
	into = gen > 3 ? 3 : gen;
	for (int age = 0; age < generations_of(cg).nr; age++)
		CHECK_NEAR(pages_of(cg, true, age), age == 3 - into ? NR : 0, SLACK);
	CHECK_EQ(hook_of(cg, "place").clamped, gen > 3 ? NR : 0);
}

/* Swapped in again, dirty and written, deactivated, switched. */
static void place_anon(int arg)
{
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;
	struct worker *w;

	(void)arg;
	load(PLACE, 0);
	config->type = DECIDE_ANON;
	w = worker_start(cg, NR);
	attach(cg);
	worker_do(w, OP_WRITE, NULL, 0, NR);
	lru_drain();
	s = seen(DECIDE_PLACE, WHAT_ADDED, ANON);
	CHECK_NEAR(s->pages, NR, SLACK);
	check_whose(s, cg);
	check_state(s, STATE_SWAPBACKED | STATE_MGLRU, STATE_FILE | STATE_SWAPCACHE);
	swap_out(cg, NR);
	forget();
	worker_do(w, OP_CHECK, NULL, 0, NR);
	lru_drain();
	CHECK_OP(s->pages, >=, NR * 15 / 16 - 32);
	CHECK_EQ(s->state_any & STATE_SWAPCACHE, STATE_SWAPCACHE);
	worker_end(w);
}

static void place_deactivated(int arg)
{
	struct file *f = file_new("f", NR);
	struct mapping mapping = { f, NR, 1, PROT_READ, false };
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;
	struct mapper *m;

	(void)arg;
	load(PLACE, 0);
	config->ino = f->ino;
	attach(cg);
	m = mapper_start(cg, &mapping);
	generations_open(cg);
	answer(DECIDE_PLACE, WHAT_DEACTIVATED, TO_GEN(3));
	forget();
	mapper_do(m, COLD);
	lru_drain();
	s = seen(DECIDE_PLACE, WHAT_DEACTIVATED, FILE_PAGES);
	CHECK_EQ(s->pages, NR);
	check_whose(s, cg);
	CHECK_EQ(s->gen_max, 0);
	/* stock: the oldest */
	CHECK_EQ(s->stock_any, TO_GEN(0));
	CHECK_NEAR(pages_of(cg, true, 0), NR, SLACK);
	mapper_end(m);
}

/* Reclaim meets dirty pages: what it then lets go, and what is written after. */
static void place_written(int arg)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *back, *rotated;

	(void)arg;
	load(PLACE | SORT, 0);
	config->ino = f->ino;
	attach(cg);
	/* so that they don't start referenced: read, then written */
	read_in(cg, OP_READAHEAD, f);
	inside(cg, write_pages, f);
	lru_drain();
	generations_open(cg);
	back = seen(DECIDE_PLACE, WHAT_PUT_BACK, FILE_PAGES);
	rotated = seen(DECIDE_PLACE, WHAT_ROTATED, FILE_PAGES);
	CHECK_EQ(rotated->calls, 0);
	/* dirty files are not written by reclaim itself, only marked */
	put(GENERATIONS, "- %llu 0 %lu 0 256", cg->id,
	    generations_of(cg).seq[generations_of(cg).nr - 1] - 2);
	if (!back->calls)
		cg_reclaim(cg, false, 64);
	check_state(back, STATE_FILE | STATE_MGLRU, STATE_SWAPBACKED | STATE_MAPPED);
	check_whose(back, cg);
	/* dirty, or meanwhile on the way to the disk */
	CHECK_OP(back->state_any & (STATE_DIRTY | STATE_WRITEBACK | STATE_RECLAIM), !=, 0);
	SYS(fsync(f->fd));
	lru_drain();
	CHECK_OP(rotated->calls, >, 0);
	check_whose(rotated, cg);
	CHECK_EQ(rotated->state_any & STATE_DIRTY, 0);
	CHECK_EQ(rotated->stock_any, TO_GEN(0));
	/* to be reclaimed next */
	CHECK_EQ(rotated->tail, rotated->calls);
	CHECK_EQ(back->tail, 0);
}

static void place_switched(int arg)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;

	(void)arg;
	load(PLACE, 0);
	config->ino = f->ino;
	attach(cg);
	read_in(cg, OP_FD, f);
	lru_drain();
	mglru_set(false);
	forget();
	answer(DECIDE_PLACE, WHAT_SWITCHED, TO_GEN(3));
	mglru_set(true);
	s = seen(DECIDE_PLACE, WHAT_SWITCHED, FILE_PAGES);
	CHECK_EQ(s->pages, NR);
	check_whose(s, cg);
	CHECK_EQ(s->nr_gens_max, 4);
	CHECK_NEAR(pages_of(cg, true, 0), NR, SLACK);
}

/* --- accessed by read() ---------------------------------------------------- */

static void accessed_fd(int op)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;

	load(ACCESSED, F_FD);
	config->ino = f->ino;
	attach(cg);
	read_in(cg, op, f);
	s = seen(DECIDE_ACCESSED, WHAT_FD, FILE_PAGES);
	/* each page once: by read(), or when it is unmapped */
	CHECK_EQ(s->pages, NR);
	check_whose(s, cg);
	check_gens(s);
	check_state(s, STATE_FILE | STATE_MGLRU, STATE_SWAPBACKED | STATE_RECLAIMER | STATE_DIRTY);
	CHECK_EQ(s->executable, 0);
	/* a fault has counted one */
	CHECK_EQ(s->refs_max, op == OP_MMAP ? 1 : 0);
	lru_drain();
	forget();
	read_in(cg, OP_FD, f);
	CHECK_EQ(s->pages, NR);
	/* stock has counted */
	CHECK_EQ(s->refs_min, op == OP_MMAP ? 2 : 1);
	CHECK_EQ(s->refs_max, op == OP_MMAP ? 2 : 1);
	CHECK_OP(s->gen_max, <, s->nr_gens_min);
	/* nobody asks about page tables */
	open_one(cg);
	for (int what = 0; what < DECIDE_WHATS; what++)
		if (what != WHAT_FD)
			CHECK_EQ(seen(DECIDE_ACCESSED, what, FILE_PAGES)->calls, 0);
}

static void accessed_fd_written(int arg)
{
	struct file f = { .pages = NR };
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;

	(void)arg;
	load(ACCESSED, F_FD);
	config->type = DECIDE_ANON;
	attach(cg);
	/* ext4 doesn't take a write for an access, shmem does */
	f.fd = SYS(memfd_create("f", MFD_CLOEXEC));
	inside(cg, write_pages, &f);
	lru_drain();
	forget();
	inside(cg, write_pages, &f);
	s = seen(DECIDE_ACCESSED, WHAT_FD, ANON);
	CHECK_NEAR(s->pages, NR, SLACK);
	check_whose(s, cg);
	check_state(s, STATE_SWAPBACKED | STATE_MGLRU, STATE_FILE | STATE_SWAPCACHE);
	CHECK_EQ(s->state_any & STATE_DIRTY, STATE_DIRTY);
}

/* The count that is stored at eviction is the one that accessed() made. */
static void accessed_fd_refs(int refs)
{
	struct file *f = file_new("f", 24);
	struct cg *cg = cg_new(NULL, "a");

	load(ACCESSED | EVICTED | REFAULTED, F_FD);
	config->ino = f->ino;
	attach(cg);
	answer(DECIDE_ACCESSED, WHAT_FD, refs < 0 ? DECIDE : TO_REFS(refs));
	for (int i = 0; i < 3; i++)
		read_in(cg, OP_FD, f);
	file_evict(f, cg);
	refs = refs < 0 ? 0 : refs > 4 ? 4 : refs;
	CHECK_EQ(seen(DECIDE_EVICTED, 0, FILE_PAGES)->calls, 24);
	CHECK_EQ(seen(DECIDE_EVICTED, 0, FILE_PAGES)->refs_min, refs);
	CHECK_EQ(seen(DECIDE_EVICTED, 0, FILE_PAGES)->refs_max, refs);
	read_in(cg, OP_READAHEAD, f);
	CHECK_EQ(seen(DECIDE_REFAULTED, 0, FILE_PAGES)->refs_max, refs ?: 1);
}

/* The mark that the kernel gives to what it promotes: seen by its own rules at the refault. */
static void accessed_fd_mark(int bits)
{
	struct file *f = file_new("f", 24);
	struct cg *cg = cg_new(NULL, "a");
	unsigned long long mark = bits & MARK ? STATE_WORKINGSET : 0;
	struct decide_seen *s;
	long restored;

	load(ACCESSED | EVICTED, F_FD);
	config->ino = f->ino;
	attach(cg);
	answer(DECIDE_ACCESSED, WHAT_FD, bits);
	read_in(cg, OP_FD, f);
	file_evict(f, cg);
	s = seen(DECIDE_EVICTED, 0, FILE_PAGES);
	CHECK_EQ(s->calls, 24);
	CHECK_EQ(s->state_all & STATE_WORKINGSET, mark);
	CHECK_EQ(s->state_any & STATE_WORKINGSET, mark);
	restored = cg_stat_exact(cg, "workingset_restore_file");
	read_in(cg, OP_READAHEAD, f);
	CHECK_EQ(cg_stat_exact(cg, "workingset_restore_file") - restored, mark ? 24 : 0);
	CHECK_EQ(hook_of(cg, "accessed").clamped, 0);
}

/* Who keeps the count has another use for the mark. */
static void own_count_mark(int arg)
{
	struct file *f = file_new("f", 24);
	struct cg *cg = cg_new(NULL, "a");

	(void)arg;
	load(ACCESSED, F_COUNT | F_FD | F_PT);
	config->ino = f->ino;
	attach(cg);
	answer(DECIDE_ACCESSED, WHAT_FD, DECIDE | MARK);
	read_in(cg, OP_FD, f);
	CHECK_EQ(hook_of(cg, "accessed").clamped, 24);
}

/* Two files read in turn, about one of which a policy decides. */
struct pair {
	struct file	*a, *b;
	struct cg	*cg;
};

static struct pair pair_new(void)
{
	struct pair p = {
		file_new("a", NR), file_new("b", NR), cg_new(NULL, "a"),
	};

	config->ino = p.a->ino;
	attach(p.cg);
	return p;
}

/* @times_a times of the one, in pieces between those of the other. */
static void pair_read(struct pair *p, int times_a)
{
	struct worker *w = worker_start(p->cg, 0);

	for (unsigned long i = 0; i < NR; i += 16) {
		for (int n = 0; n < times_a; n++)
			worker_do(w, OP_FD, p->a, i, 16);
		worker_do(w, OP_FD, p->b, i, 16);
	}
	worker_end(w);
	lru_drain();
}

/*
 * Evict as many pages as the other file has: what is left of the two? In the
 * steps that reclaim takes, priority never falls.
 */
static void pair_reclaim(struct pair *p, long *a, long *b)
{
	long left = 0;

	for (int i = 0; i < 200; i++) {
		left = file_cache(p->a).cached + file_cache(p->b).cached;
		if (left <= (long)NR)
			break;
		cg_reclaim(p->cg, false, 64);
	}
	*a = file_cache(p->a).cached;
	*b = file_cache(p->b).cached;
	diag("left %ld and %ld of %lu", *a, *b, NR);
	CHECK_OP(left, <=, NR);
}

/* One generation up when reclaim meets it: what was read so is still there. */
static void accessed_fd_up(int bits)
{
	struct pair p;
	long a, b;

	load(ACCESSED, F_FD);
	p = pair_new();
	pair_read(&p, 1);
	generations_open(p.cg);
	/* they are on the lists now */
	answer(DECIDE_ACCESSED, WHAT_FD, bits);
	{
		struct worker *w = worker_start(p.cg, 0);

		worker_do(w, OP_FD, p.a, 0, NR);
		worker_end(w);
	}
	pair_reclaim(&p, &a, &b);
	if (bits & (UP | YOUNGEST))
		CHECK_OP(a, >, b + (long)NR / 2);
	else
		CHECK_NEAR(a, b, NR / 4);
	/* who reads cannot move to the youngest: taken for one up, and counted */
	CHECK_EQ(hook_of(p.cg, "accessed").clamped, bits & YOUNGEST ? NR : 0);
}

static void filter_refs(int arg)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;

	(void)arg;
	load_filtered(ACCESSED, F_FD, 2, 0);
	config->ino = f->ino;
	attach(cg);
	s = seen(DECIDE_ACCESSED, WHAT_FD, FILE_PAGES);
	for (int i = 0; i < 2; i++) {
		read_in(cg, OP_FD, f);
		CHECK_EQ(s->calls, 0);
		CHECK_EQ(hook_of(cg, "accessed").calls, s->calls);
	}
	read_in(cg, OP_FD, f);
	CHECK_EQ(s->calls, NR);
	CHECK_EQ(s->refs_min, 2);
}

/* Only in so many of the oldest generations. */
static void filter_gens(int gens)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;

	load_filtered(ACCESSED | PLACE, F_FD, 0, gens);
	config->ino = f->ino;
	attach(cg);
	s = seen(DECIDE_ACCESSED, WHAT_FD, FILE_PAGES);
	for (int gen = 0; gen < 4; gen++) {
		answer(DECIDE_PLACE, WHAT_ADDED, TO_GEN(gen));
		read_in(cg, OP_READAHEAD, f);
		lru_drain();
		CHECK_EQ(seen(DECIDE_PLACE, WHAT_ADDED, FILE_PAGES)->nr_gens_min, 4);
		forget();
		read_in(cg, OP_FD, f);
		CHECK_EQ(s->calls, !gens || gen < gens ? NR : 0);
		if (s->calls) {
			CHECK_EQ(s->gen_min, gen);
			CHECK_EQ(s->gen_max, gen);
		}
		CHECK_EQ(posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED), 0);
		CHECK_EQ(file_cache(f).cached, 0);
		forget();
	}
}

/* The policy's own count goes to 7, and nothing else changes it. */
static void own_count(int arg)
{
	struct file *f = file_new("f", 24);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;
	struct worker *w;

	(void)arg;
	load(ACCESSED | SORT | EVICTED, F_COUNT | F_FD | F_PT);
	config->ino = f->ino;
	attach(cg);
	w = worker_start(cg, 0);
	s = seen(DECIDE_ACCESSED, WHAT_FD, FILE_PAGES);
	/* 0 is "as stock", and stock does not count here */
	for (int i = 0; i < 3; i++)
		worker_do(w, OP_FD, f, 0, 24);
	CHECK_EQ(s->refs_max, 0);
	config->count = MAX_COUNT + 2;
	for (int i = 0; i < MAX_COUNT + 2; i++) {
		forget();
		worker_do(w, OP_FD, f, 0, 24);
		CHECK_EQ(s->calls, 24);
		CHECK_EQ(s->refs_min, i < MAX_COUNT ? i : MAX_COUNT);
		CHECK_EQ(s->refs_max, i < MAX_COUNT ? i : MAX_COUNT);
	}
	CHECK_OP(hook_of(cg, "accessed").clamped, >=, 24);
	worker_end(w);
	/* the oldest generation is closed twice: it is told, and the count stays */
	lru_drain();
	generations_open(cg);
	generations_open(cg);
	s = seen(DECIDE_SORT, WHAT_CLOSED, FILE_PAGES);
	CHECK_OP(s->calls, >=, 24);
	CHECK_EQ(s->refs_min, MAX_COUNT);
	CHECK_EQ(s->stock_any, TO_GEN(1));
	answer(DECIDE_SORT, WHAT_SCANNED, DECIDE | EVICT);
	file_evict(f, cg);
	CHECK_EQ(seen(DECIDE_EVICTED, 0, FILE_PAGES)->calls, 24);
	CHECK_EQ(seen(DECIDE_EVICTED, 0, FILE_PAGES)->refs_min, MAX_COUNT);
}

/* --- accessed by page tables ----------------------------------------------- */

enum kind { KIND_ANON, KIND_FILE, KIND_EXEC };

static struct mapping mapping_of(enum kind kind, struct file **f)
{
	struct mapping m = { .pages = NR, .stride = 1 };

	if (kind != KIND_ANON) {
		*f = m.file = file_new("f", NR);
		config->ino = m.file->ino;
		m.prot = PROT_READ | (kind == KIND_EXEC ? PROT_EXEC : 0);
	}
	config->type = kind == KIND_ANON ? DECIDE_ANON : DECIDE_FILE;
	return m;
}

static void accessed_walk(int kind)
{
	struct cg *cg = cg_new(NULL, "a");
	int file = kind != KIND_ANON;
	struct mapping mapping;
	struct decide_seen *s;
	struct mapper *m;
	struct file *f = NULL;
	long young;

	load(ACCESSED, F_PT);
	mapping = mapping_of(kind, &f);
	attach(cg);
	m = mapper_start(cg, &mapping);
	generations_open(cg);
	forget();
	/* touched again, and left where they are */
	answer(DECIDE_ACCESSED, WHAT_WALK, DECIDE);
	mapper_do(m, TOUCH);
	open_one(cg);
	s = seen(DECIDE_ACCESSED, WHAT_WALK, file);
	CHECK_OP(s->pages, >=, NR - SLACK);
	CHECK_OP(s->pages, <=, NR + SLACK);
	check_whose(s, cg);
	check_gens(s);
	check_state(s, STATE_MGLRU | STATE_MAPPED | (file ? STATE_FILE : STATE_SWAPBACKED),
		    file ? STATE_SWAPBACKED : STATE_FILE);
	CHECK_EQ(s->executable, kind == KIND_EXEC ? s->calls : 0);
	/* the walk comes first, then the new one is opened */
	CHECK_OP(pages_of(cg, file, 0) + pages_of(cg, file, 1), <=, SLACK);
	/* asked about page tables only */
	if (file) {
		read_in(cg, OP_FD, f);
		CHECK_EQ(seen(DECIDE_ACCESSED, WHAT_FD, file)->calls, 0);
	}
	/* and to the youngest */
	answer(DECIDE_ACCESSED, WHAT_WALK, DECIDE | YOUNGEST);
	mapper_do(m, TOUCH);
	open_one(cg);
	young = pages_of(cg, file, 1);
	CHECK_NEAR(young, NR, SLACK);
	CHECK_EQ(hook_of(cg, "accessed").clamped, 0);
	/* without another touch nobody is asked */
	forget();
	open_one(cg);
	CHECK_OP(s->calls, <=, SLACK);
	mapper_end(m);
}

/* Pages so far apart that each is found when it is evicted itself. */
#define SPARSE	64

static void accessed_rmap(int bits)
{
	struct file *f = file_new("f", SPARSE * 64);
	struct mapping mapping = { f, SPARSE, 64, PROT_READ, false };
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s, *back;
	struct mapper *m;
	long cached;

	load(ACCESSED | PLACE | EVICTED, F_PT);
	config->ino = f->ino;
	attach(cg);
	m = mapper_start(cg, &mapping);
	CHECK_EQ(file_cache(f).cached, SPARSE);
	/* walks leave them where they are, so that they are both old and young */
	answer(DECIDE_ACCESSED, WHAT_WALK, DECIDE);
	generations_open(cg);
	generations_open(cg);
	mapper_do(m, TOUCH);
	forget();
	answer(DECIDE_ACCESSED, WHAT_RMAP, bits);
	answer(DECIDE_PLACE, WHAT_PUT_BACK, TO_GEN(3));
	evict_old(cg, false);
	s = seen(DECIDE_ACCESSED, WHAT_RMAP, FILE_PAGES);
	back = seen(DECIDE_PLACE, WHAT_PUT_BACK, FILE_PAGES);
	CHECK_EQ(s->calls, SPARSE);
	check_whose(s, cg);
	check_state(s, STATE_FILE | STATE_MGLRU | STATE_MAPPED | STATE_RECLAIMER,
		    STATE_SWAPBACKED | STATE_DIRTY);
	/* isolated: on no list */
	CHECK_EQ(s->gen_min, s->nr_gens_min);
	CHECK_EQ(s->executable, 0);
	cached = file_cache(f).cached;
	if (bits & EVICT) {
		CHECK_EQ(cached, 0);
		CHECK_EQ(seen(DECIDE_EVICTED, 0, FILE_PAGES)->calls, SPARSE);
	} else {
		CHECK_EQ(cached, SPARSE);
		CHECK_EQ(back->calls, SPARSE);
		check_whose(back, cg);
		/* as far up as there are generations now */
		CHECK_NEAR(pages_of(cg, true, 0), SPARSE, SLACK);
		/* either way: stock keeps what it rejects from the oldest */
		CHECK_EQ(back->state_all & STATE_ACTIVE, STATE_ACTIVE);
	}
	/* one generation up is no answer here */
	CHECK_EQ(hook_of(cg, "accessed").clamped, bits & UP ? SPARSE : 0);
	mapper_end(m);
}

/* Direct reclaim finds neighbours; active ones are placed as such. */
static void accessed_around(int bits)
{
	struct file *f = file_new("f", NR);
	struct mapping mapping = { f, NR, 1, PROT_READ, false };
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s, *activated;
	struct mapper *m;

	load(ACCESSED | PLACE | AGES, F_PT);
	config->ino = f->ino;
	/* so that no walk comes first */
	config->age = DONT_AGE;
	attach(cg);
	m = mapper_start(cg, &mapping);
	answer(DECIDE_ACCESSED, WHAT_WALK, DECIDE);
	generations_open(cg);
	generations_open(cg);
	mapper_do(m, TOUCH);
	forget();
	answer(DECIDE_ACCESSED, WHAT_AROUND, bits);
	answer(DECIDE_ACCESSED, WHAT_RMAP, DECIDE | EVICT);
	answer(DECIDE_PLACE, WHAT_ACTIVATED, TO_GEN(3));
	/* what a limit asks for is not proactive: no walk is at hand */
	cg_put(cg, "memory.high", "%lu", MB);
	cg_put(cg, "memory.high", "max");
	s = seen(DECIDE_ACCESSED, WHAT_AROUND, FILE_PAGES);
	activated = seen(DECIDE_PLACE, WHAT_ACTIVATED, FILE_PAGES);
	CHECK_OP(seen(DECIDE_ACCESSED, WHAT_RMAP, FILE_PAGES)->calls, >, 0);
	CHECK_OP(s->calls, >, 0);
	check_whose(s, cg);
	check_gens(s);
	check_state(s, STATE_FILE | STATE_MGLRU | STATE_MAPPED | STATE_RECLAIMER,
		    STATE_SWAPBACKED | STATE_DIRTY);
	lru_drain();
	if (bits & YOUNGEST) {
		CHECK_OP(activated->calls, >, 0);
		check_whose(activated, cg);
		CHECK_EQ(activated->state_all & STATE_ACTIVE, STATE_ACTIVE);
	} else {
		CHECK_EQ(activated->calls, 0);
	}
	mapper_end(m);
}

/* Page tables don't count: those in use are evicted like others. */
static void ignore_page_tables(int flags)
{
	struct file *f = file_new("f", SPARSE * 64);
	struct mapping mapping = { f, SPARSE, 64, PROT_READ, false };
	struct cg *cg = cg_new(NULL, "a");
	struct mapper *m;

	load(ACCESSED, flags | F_PT);
	config->ino = f->ino;
	attach(cg);
	m = mapper_start(cg, &mapping);
	answer(DECIDE_ACCESSED, WHAT_WALK, DECIDE);
	answer(DECIDE_ACCESSED, WHAT_RMAP, DECIDE | KEEP);
	generations_open(cg);
	generations_open(cg);
	mapper_do(m, TOUCH);
	forget();
	evict_old(cg, false);
	CHECK_EQ(seen(DECIDE_ACCESSED, WHAT_RMAP, FILE_PAGES)->calls, flags & F_NO_PT ? 0 : SPARSE);
	CHECK_EQ(file_cache(f).cached, flags & F_NO_PT ? 0 : SPARSE);
	mapper_end(m);
}

/* --- sort ------------------------------------------------------------------ */

static void sort_file(int op)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;

	load(SORT, 0);
	config->ino = f->ino;
	attach(cg);
	read_in(cg, op == OP_WRITE ? OP_READAHEAD : op, f);
	if (op == OP_WRITE)
		inside(cg, write_pages, f);
	lru_drain();
	generations_open(cg);
	cg_reclaim(cg, false, 256);
	s = seen(DECIDE_SORT, WHAT_SCANNED, FILE_PAGES);
	CHECK_OP(s->pages, >=, 64);
	check_whose(s, cg);
	check_gens(s);
	check_state(s, STATE_FILE | STATE_MGLRU,
		    STATE_ACTIVE | STATE_SWAPBACKED | STATE_SWAPCACHE | STATE_IN_FAULT |
		    (op == OP_WRITE ? 0 : STATE_DIRTY));
	if (op == OP_WRITE)
		CHECK_EQ(s->state_any & STATE_DIRTY, STATE_DIRTY);
	CHECK_EQ(s->gen_max, 0);
	CHECK_OP(s->priority_max, <=, 12);
	CHECK_OP(s->priority_min, >, 2);
	CHECK_OP(s->tier_idx_max, <=, 3);
	CHECK_OP(s->refs_max, <=, 4);
	CHECK_EQ(s->stock_all & DECIDE, DECIDE);
	CHECK_EQ(hook_of(cg, "sort").clamped, 0);
}

static void sort_anon(int arg)
{
	struct mapping mapping = { .pages = NR, .stride = 1 };
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;
	struct mapper *m;

	(void)arg;
	load(SORT, 0);
	config->type = DECIDE_ANON;
	attach(cg);
	m = mapper_start(cg, &mapping);
	/* a second owner of what is swapped, so that it stays in the swap cache */
	mapper_do(m, SHARE);
	swap_out(cg, NR);
	s = seen(DECIDE_SORT, WHAT_SCANNED, ANON);
	CHECK_OP(s->pages, >=, 64);
	check_whose(s, cg);
	check_state(s, STATE_SWAPBACKED | STATE_MGLRU, STATE_FILE);
	mapper_do(m, LOOK);
	forget();
	swap_out(cg, NR);
	CHECK_OP(s->pages, >=, 64);
	CHECK_EQ(s->state_any & STATE_SWAPCACHE, STATE_SWAPCACHE);
	mapper_end(m);
}

/* What is protected is still there when the rest has gone. */
static void sort_protects(int bits)
{
	struct pair p;
	long a, b;

	load(SORT, 0);
	p = pair_new();
	answer(DECIDE_SORT, WHAT_SCANNED, bits);
	pair_read(&p, 1);
	pair_reclaim(&p, &a, &b);
	if (bits & GEN) {
		CHECK_OP(a, >, NR * 7 / 8);
		CHECK_OP(seen(DECIDE_SORT, WHAT_SCANNED, FILE_PAGES)->protected_max, >, 8);
		CHECK_OP(hook_of(p.cg, "sort").changed, >, 0);
	} else {
		CHECK_NEAR(a, b, NR / 4);
	}
	/* there are generations 1 to 3 to go to */
	CHECK_EQ(hook_of(p.cg, "sort").clamped > 0,
		 bits & GEN && (bits >> 16 == 0 || bits >> 16 > 3));
}

/* Where the protected ones go. */
static void sort_gen(int gen)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_seen *s;
	unsigned long base;
	long moved;

	load(SORT, 0);
	config->ino = f->ino;
	attach(cg);
	answer(DECIDE_SORT, WHAT_SCANNED, TO_GEN(gen));
	read_in(cg, OP_READAHEAD, f);
	lru_drain();
	generations_open(cg);
	generations_open(cg);
	base = generations_of(cg).seq[generations_of(cg).nr - 1] - 3;
	cg_reclaim(cg, false, 32);
	s = seen(DECIDE_SORT, WHAT_SCANNED, FILE_PAGES);
	CHECK_EQ(s->nr_gens_max, 4);
	CHECK_EQ(generations_of(cg).seq[generations_of(cg).nr - 1] - 3, base);
	moved = pages_of(cg, true, 3 - gen);
	/* at most MAX_PROTECT of 64 are protected, the others are evicted */
	CHECK_OP(moved, >=, 32);
	CHECK_OP(s->protected_max, <=, MAX_PROTECT);
	CHECK_OP(hook_of(cg, "sort").bypassed, >, 0);
	CHECK_OP(file_cache(f).cached, <=, NR - 32 + SLACK);
}

/* --- balance ---------------------------------------------------------------- */

static void balance(int bits)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_batch *b;
	struct worker *w;
	long out, cached;

	load(BALANCES, 0);
	w = worker_start(cg, NR);
	worker_do(w, OP_WRITE, NULL, 0, NR);
	attach(cg);
	read_in(cg, OP_READAHEAD, f);
	lru_drain();
	generations_open(cg);
	generations_open(cg);
	out = cg_stat_exact(cg, "pswpout");
	cached = file_cache(f).cached;
	CHECK_EQ(cached, NR);
	config->cgroup = cg->id;
	config->balance = bits;
	for (int i = 0; i < 8; i++) {
		char path[600];

		snprintf(path, sizeof(path), "%s/memory.reclaim", cg->path);
		put(path, "%lu", 64 * PAGE);
	}
	out = cg_stat_exact(cg, "pswpout") - out;
	cached -= file_cache(f).cached;
	diag("%ld pages of anon swapped out, %ld of file evicted", out, cached);
	b = &skel->bss->balances;
	CHECK_OP(b->calls, >=, 8);
	CHECK_EQ(b->memcg, b->calls);
	CHECK_EQ(b->swappiness_min, 60);
	CHECK_EQ(b->swappiness_max, 60);
	CHECK_OP(b->priority_max, <=, 12);
	CHECK_OP(b->priority_min, >, 2);
	CHECK_OP(b->gens_min, >=, 2);
	CHECK_OP(b->gens_max, <=, 4);
	CHECK_EQ(b->stock_all & BALANCE, BALANCE);
	if (bits & BALANCE_FILE) {
		CHECK_EQ(out, 0);
		CHECK_OP(cached, >=, 256);
	} else {
		CHECK_OP(out, >=, 256);
		CHECK_OP(cached, <=, SLACK);
	}
	/* there are tiers 0 to 3 */
	CHECK_EQ(hook_of(cg, "balance").clamped > 0, bits >> 16 > 3);
	CHECK_OP(hook_of(cg, "balance").calls, >=, b->calls);
	worker_end(w);
}

/* Anon is not touched if the user does not want it, whatever the answer. */
static void balance_swappiness(int arg)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct worker *w;
	long out;

	(void)arg;
	load(BALANCES, 0);
	w = worker_start(cg, NR);
	worker_do(w, OP_WRITE, NULL, 0, NR);
	attach(cg);
	read_in(cg, OP_READAHEAD, f);
	lru_drain();
	generations_open(cg);
	generations_open(cg);
	out = cg_stat_exact(cg, "pswpout");
	config->balance = BALANCE;
	config->cgroup = cg->id;
	cg_reclaim(cg, false, 512);
	CHECK_EQ(cg_stat_exact(cg, "pswpout") - out, 0);
	CHECK_OP(file_cache(f).cached, <=, NR - 256);
	CHECK_EQ(skel->bss->balances.swappiness_max, 0);
	CHECK_OP(hook_of(cg, "balance").clamped, >, 0);
	worker_end(w);
}

/* The tiers: what was read often is protected above the tier that is given. */
static void balance_tiers(int tier)
{
	struct pair p;
	long a, b;

	load(BALANCES, 0);
	p = pair_new();
	config->cgroup = p.cg->id;
	config->balance = BALANCE | BALANCE_FILE | tier << 16 | tier << 8;
	pair_read(&p, 3);
	pair_reclaim(&p, &a, &b);
	if (tier < 2)
		CHECK_OP(a, >, b + (long)NR / 2);
	else
		CHECK_NEAR(a, b, NR / 4);
}

/* sort() has the last word about what the tiers would protect. */
static void sort_evicts(int arg)
{
	struct pair p;
	long a, b;

	(void)arg;
	load(BALANCES | SORT, 0);
	p = pair_new();
	config->cgroup = p.cg->id;
	config->balance = BALANCE | BALANCE_FILE;
	answer(DECIDE_SORT, WHAT_SCANNED, DECIDE | EVICT);
	pair_read(&p, 3);
	pair_reclaim(&p, &a, &b);
	CHECK_NEAR(a, b, NR / 4);
	CHECK_EQ(seen(DECIDE_SORT, WHAT_SCANNED, FILE_PAGES)->stock_any & GEN, GEN);
	CHECK_OP(seen(DECIDE_SORT, WHAT_SCANNED, FILE_PAGES)->tier_max, ==, 2);
}

/* --- age ------------------------------------------------------------------- */

static void age(int bits)
{
	struct file *f = file_new("f", 4 * NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_batch *b;
	unsigned long seq, n = 0;

	load(AGES | PLACE, 0);
	/* all in the oldest of 4, and with the answer of stock to that */
	answer(DECIDE_PLACE, WHAT_ADDED, TO_GEN(0));
	attach(cg);
	read_in(cg, OP_READAHEAD, f);
	lru_drain();
	CHECK_OP(generations_of(cg).nr, ==, 4);
	b = &skel->bss->ages;
	config->cgroup = cg->id;
	config->age = bits;
	seq = generations_of(cg).seq[3];
	for (int i = 0; i < 8; i++)
		cg_reclaim(cg, false, 64);
	n = generations_of(cg).seq[generations_of(cg).nr - 1] - seq;
	diag("%lu generations opened in %llu batches", n, b->calls);
	CHECK_OP(b->calls, >, 0);
	CHECK_EQ(b->memcg, b->calls);
	CHECK_EQ(b->swappiness_max, 0);
	CHECK_OP(b->priority_max, <=, 12);
	CHECK_OP(b->gens_max, <=, 4);
	/* 4 is all there can be: an answer that isn't legal, or none */
	CHECK_EQ(n, 0);
	CHECK_EQ(hook_of(cg, "age").clamped > 0, bits & AGE ? 1 : 0);
}

/* With room for one more it is opened; and not if the policy doesn't want it. */
static void age_opens(int bits)
{
	struct file *f = file_new("f", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct generations g;
	struct decide_batch *b;
	unsigned long seq;

	load(AGES | PLACE, 0);
	/* none in the oldest, which is then dropped */
	answer(DECIDE_PLACE, WHAT_ADDED, TO_GEN(1));
	attach(cg);
	read_in(cg, OP_READAHEAD, f);
	lru_drain();
	b = &skel->bss->ages;
	config->cgroup = cg->id;
	/* drops what is empty, and asks then */
	config->age = DONT_AGE;
	cg_reclaim(cg, false, 32);
	g = generations_of(cg);
	seq = g.seq[g.nr - 1];
	forget();
	config->age = bits;
	for (int i = 0; i < 4; i++)
		cg_reclaim(cg, false, 32);
	g = generations_of(cg);
	diag("%lu generations opened in %llu batches, at %u to %u", g.seq[g.nr - 1] - seq, b->calls,
	     b->gens_min, b->gens_max);
	CHECK_OP(b->calls, >, 0);
	CHECK_OP(b->gens_min, ==, 3);
	if (bits & AGE)
		CHECK_OP(g.seq[g.nr - 1], >, seq);
	else
		CHECK_EQ(g.seq[g.nr - 1], seq);
}

/* --- shadow_budget ----------------------------------------------------------- */

#define NODES	600UL	/* each with one page */

static void read_sparse(struct file *f)
{
	char c;

	posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
	for (unsigned long i = 0; i < f->pages; i += 64)
		CHECK_EQ(pread(f->fd, &c, 1, i * PAGE), 1);
}

static void budget(int wanted)
{
	struct file *f = file_new("f", 1), *warm = file_new("warm", NR);
	struct cg *cg = cg_new(NULL, "a");
	struct decide_budget *b;
	long reclaimed, refaults;

	load(BUDGET, 0);
	attach(cg);
	SYS(ftruncate(f->fd, NODES * 64 * PAGE));
	f->pages = NODES * 64;
	config->cgroup = cg->id;
	config->budget = wanted;	/* -1: as much as there can be */
	read_in(cg, OP_FD, warm);
	reclaimed = cg_stat_exact(cg, "workingset_nodereclaim");
	inside(cg, read_sparse, f);
	file_evict(f, cg);
	/* the counters of the kernel are up to date, let it shrink by them */
	read_in(cg, OP_FD, warm);
	cg_stat_exact(cg, "file");
	for (int i = 0; i < 8; i++)
		cg_reclaim(cg, false, 64);
	b = &skel->bss->budgets;
	CHECK_OP(b->calls, >, 0);
	CHECK_OP(b->nodes_max, >, 64);
	CHECK_OP(b->nodes_max, <, 2 * NODES);
	CHECK_OP(b->pages_max, >, NODES);
	/* stock keeps a node for 8 pages, and would let some of them go */
	CHECK_OP(b->pages_max / 8, <, NODES);
	reclaimed = cg_stat_exact(cg, "workingset_nodereclaim") - reclaimed;
	refaults = cg_stat_exact(cg, "workingset_refault_file");
	inside(cg, read_sparse, f);
	refaults = cg_stat_exact(cg, "workingset_refault_file") - refaults;
	diag("%ld nodes reclaimed, %ld of %lu pages refaulted, stock would keep %llu of %llu",
	     reclaimed, refaults, NODES, b->pages_max / 8, b->nodes_max);
	if (wanted == 1) {
		CHECK_OP(reclaimed, >=, NODES - SLACK);
		CHECK_OP(refaults, <=, SLACK);
	} else if (!wanted) {
		CHECK_OP(reclaimed, >, SLACK);
		CHECK_OP(refaults, >, SLACK);
	} else {
		CHECK_EQ(reclaimed, 0);
		CHECK_OP(refaults, >=, NODES - 1);
	}
	CHECK_EQ(hook_of(cg, "shadow_budget").clamped > 0, wanted < 0);
}

/* --- what is refused ---------------------------------------------------------- */

static void refused(int arg)
{
	static const struct {
		unsigned int	ops, flags, refs, gens;
		const char	*says;	/* NULL: fine */
	} cases[] = {
		{ SORT, 1 << 4, 0, 0, "flags: 0x10 has unknown bits" },
		{ SORT, 1U << 31, 0, 0, "flags: 0x80000000 has unknown bits" },
		{ SORT | ACCESSED, F_COUNT, 0, 0, "flags: 0x1, a count needs both kinds of access" },
		{ SORT | ACCESSED, F_COUNT | F_FD, 0, 0, "flags: 0x3, a count needs both" },
		{ SORT | ACCESSED, F_COUNT | F_PT, 0, 0, "flags: 0x5, a count needs both" },
		{ ACCESSED, 0, 0, 0, "flags: 0x0 and accessed() need each other" },
		{ ACCESSED, F_NO_PT, 0, 0, "flags: 0x8 and accessed() need each other" },
		{ SORT, F_FD, 0, 0, "flags: 0x2 and accessed() need each other" },
		{ SORT, F_PT, 0, 0, "flags: 0x4 and accessed() need each other" },
		{ ACCESSED, F_FD, MAX_COUNT + 1, 0, "access_refs: 8 is more than 7" },
		{ ACCESSED, F_FD, ~0U, 0, "access_refs: 4294967295 is more than 7" },
		{ ACCESSED, F_FD, 0, 5, "access_gens: 5 is more than 4" },
		{ ACCESSED, F_FD, MAX_COUNT, 4, NULL },
		{ ACCESSED, F_ALL, 0, 0, NULL },
		{ SORT, F_NO_PT, 0, 0, NULL },
	};
	int log = SYS(open("/dev/kmsg", O_RDONLY | O_NONBLOCK));

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct decide_bpf *s = open_ops(cases[i].ops, cases[i].flags, cases[i].refs,
						cases[i].gens);
		int err, found = 0, lines = 0;
		char line[2048];
		ssize_t len;

		SYS(lseek(log, 0, SEEK_END));
		err = bpf_map__upload_struct_ops(s->maps.decide_ops);
		while ((len = read(log, line, sizeof(line) - 1)) > 0) {
			line[len] = 0;
			if (!strstr(line, "reclaim_ext: "))
				continue;
			lines++;
			found += cases[i].says && strstr(line, cases[i].says);
		}
		CHECK(err == (cases[i].says ? -EINVAL : 0), "flags %#x, refs %u, gens %u: %d",
		      cases[i].flags, cases[i].refs, cases[i].gens, err);
		CHECK(found == !!cases[i].says && lines == found, "case %zu: %d lines, '%s' in %d", i,
		      lines, cases[i].says ?: "", found);
		decide_bpf__destroy(s);
	}
}

static const struct test tests[] = {
	{ "admit: file by descriptor", admit_file, OP_FD },
	{ "admit: file by mmap", admit_file, OP_MMAP },
	{ "admit: file by write", admit_written, 0 },
	{ "admit: anon, swap cache", admit_anon, 0 },
	{ "admit, place: a large folio", admit_large, 0 },
	{ "admit: active", admit_active, 1 },
	{ "admit: not active", admit_active, 0 },
	{ "admit: no access counted", admit_refs, 0 },
	{ "admit: three accesses counted", admit_refs, 3 },
	{ "admit: more accesses than there are", admit_refs, 200 },
	{ "admit: not after a decision of refaulted", admit_after_refaulted, 1 },
	{ "admit: after a refault that is left to stock", admit_after_refaulted, 0 },
	{ "place: file by descriptor", place_added, OP_FD },
	{ "place: file by mmap", place_added, OP_MMAP },
	{ "place: anon, swap cache", place_anon, 0 },
	{ "place: oldest generation", place_gen, 0 },
	{ "place: generation 1", place_gen, 1 },
	{ "place: generation 2", place_gen, 2 },
	{ "place: youngest generation", place_gen, 3 },
	{ "place: a generation that is not", place_gen, 9 },
	{ "place: deactivated", place_deactivated, 0 },
	{ "place: put back and rotated, dirty", place_written, 0 },
	{ "place: MGLRU switched on", place_switched, 0 },
	{ "accessed: by read()", accessed_fd, OP_FD },
	{ "accessed: by munmap()", accessed_fd, OP_MMAP },
	{ "accessed: by write()", accessed_fd_written, 0 },
	{ "accessed by read: not counted", accessed_fd_refs, -1 },
	{ "accessed by read: a count of 4", accessed_fd_refs, 4 },
	{ "accessed by read: a count too high", accessed_fd_refs, 100 },
	{ "accessed by read: marked as working set", accessed_fd_mark, DECIDE | MARK },
	{ "accessed by read: not marked", accessed_fd_mark, DECIDE },
	{ "accessed by read: no mark beside a count of its own", own_count_mark, 0 },
	{ "accessed by read: stays", accessed_fd_up, DECIDE },
	{ "accessed by read: one generation up", accessed_fd_up, DECIDE | UP },
	{ "accessed by read: youngest is taken for up", accessed_fd_up, DECIDE | YOUNGEST },
	{ "accessed: filter by accesses", filter_refs, 0 },
	{ "accessed: in all generations", filter_gens, 0 },
	{ "accessed: in the oldest generation", filter_gens, 1 },
	{ "accessed: in the three oldest", filter_gens, 3 },
	{ "accessed: a count of its own, closed generations", own_count, 0 },
	{ "accessed by a walk: anon", accessed_walk, KIND_ANON },
	{ "accessed by a walk: file", accessed_walk, KIND_FILE },
	{ "accessed by a walk: executable", accessed_walk, KIND_EXEC },
	{ "accessed by rmap: evict", accessed_rmap, DECIDE | EVICT },
	{ "accessed by rmap: keep", accessed_rmap, DECIDE | KEEP },
	{ "accessed by rmap: youngest", accessed_rmap, DECIDE | YOUNGEST },
	{ "accessed by rmap: up is not legal", accessed_rmap, DECIDE | UP | KEEP },
	{ "accessed around: stays", accessed_around, DECIDE },
	{ "accessed around, place: activated", accessed_around, DECIDE | YOUNGEST },
	{ "accessed: page tables consulted", ignore_page_tables, 0 },
	{ "accessed: page tables ignored", ignore_page_tables, F_NO_PT },
	{ "sort: file by descriptor", sort_file, OP_FD },
	{ "sort: file by mmap", sort_file, OP_MMAP },
	{ "sort: dirty", sort_file, OP_WRITE },
	{ "sort: anon, swap cache", sort_anon, 0 },
	{ "sort: as stock", sort_protects, 0 },
	{ "sort: protect", sort_protects, TO_GEN(1) },
	{ "sort: protect into the oldest is not legal", sort_protects, TO_GEN(0) },
	{ "sort: protect into one that is not", sort_protects, TO_GEN(77) },
	{ "sort: into generation 1", sort_gen, 1 },
	{ "sort: into generation 3", sort_gen, 3 },
	{ "balance: anon", balance, BALANCE | 3 << 8 | 3 << 16 },
	{ "balance: file", balance, BALANCE | BALANCE_FILE | 3 << 8 | 3 << 16 },
	{ "balance: tiers that are not", balance, BALANCE | BALANCE_FILE | 200 << 8 | 200 << 16 },
	{ "balance: anon against swappiness", balance_swappiness, 0 },
	{ "balance: tiers protected", balance_tiers, 0 },
	{ "balance: no tier protected", balance_tiers, 3 },
	{ "sort: evict what a tier protects", sort_evicts, 0 },
	{ "age: not of four", age, DONT_AGE },
	{ "age: a fifth is not legal", age, AGE },
	{ "age: open", age_opens, AGE },
	{ "age: do not open", age_opens, DONT_AGE },
	{ "shadow budget: as stock", budget, 0 },
	{ "shadow budget: one node", budget, 1 },
	{ "shadow budget: many nodes", budget, 10000 },
	{ "shadow budget: more than legal", budget, -1 },
	{ "flags and filters that are refused", refused, 0 },
};

TEST_MAIN(tests, NEED_DISK | NEED_SWAP)
