// SPDX-License-Identifier: GPL-2.0
/*
 * Reads blocks of a file in a known order and counts what that cost.
 *
 * Made for judging page reclaim inside a small memory cgroup, so it is static,
 * keeps little memory of its own, and works by number of reads, never by time:
 * with the same seed the same blocks are read in the same order. Each block's
 * content follows from its number, so that a wrong read is an error like a
 * failed one. One line of JSON per pass.
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "counters.h"

#define BLOCK_SIZE	4096
#define BLOCK_WORDS	(BLOCK_SIZE / sizeof(uint64_t))
#define MAX_COMPLAINTS	5

enum { EXIT_OK, EXIT_READ_ERRORS };

enum engine { ENGINE_FD, ENGINE_MMAP };
static const char * const engine_names[] = { "fd", "mmap", NULL };

static struct {
	struct sequence_opt seq;
	const char *file;
	const char *other_file;
	const char *cgroup;
	uint64_t idle_anon;	/* MB */
	int engine;
	bool create;
	bool continuous;
	bool probe;
	bool wide;
	bool latency;
} opt = {
	.seq = SEQUENCE_DEFAULTS,
	.engine = ENGINE_FD,
};

static const char usage_text[] =
"usage: reader [OPTIONS] FILE\n"
"\n"
"  --create          write FILE, --blocks blocks long, and end\n"
"  --engine E        fd: pread() after POSIX_FADV_RANDOM (default)\n"
"                    mmap: one load per read, the kernel's own read-around\n"
SEQUENCE_USAGE
"  --other-file F    the second file, read by pread(); without --other-blocks\n"
"                    it is sparse and as long as it needs to be\n"
"  --continuous      passes without end; SIGTERM or SIGINT ends with a line\n"
"                    for the pass begun\n"
"  --cgroup DIR      report what DIR/memory.stat counted meanwhile\n"
"  --wide            mmap: read around twice as far. A fault reads half of the\n"
"                    distance ahead; if it never reaches the next block read,\n"
"                    the kernel gives reading around up\n"
"  --probe           ask before each read of FILE whether it is in the page\n"
"                    cache, and report the misses\n"
"  --latency         report median and 99th percentile, in ns\n"
"  --idle-anon MB    a child writes to that much memory once, when the first\n"
"                    pass that counts begins, and keeps it\n"
"\n"
"Needs 4 bytes of memory per block for shuffle, 12 for zipf, else none.\n"
"Exit status: 0, 1 if reads failed or had wrong content, 2 if it can't begin.\n";

/* --- the file -------------------------------------------------------------- */

static uint64_t content(uint64_t block, uint64_t word)
{
	return mix(block * BLOCK_WORDS + word + 1);
}

static uint64_t buffer[BLOCK_WORDS] __attribute__((aligned(BLOCK_SIZE)));
static const uint64_t *mapping;
static int fd = -1, other_fd = -1;
static uint64_t complaints;
static sigjmp_buf bus;

static void create(void)
{
	fd = open(opt.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		die("%s: cannot create: %s", opt.file, strerror(errno));
	for (uint64_t block = 0; block < opt.seq.sequence.blocks; block++) {
		ssize_t written;

		for (uint64_t word = 0; word < BLOCK_WORDS; word++)
			buffer[word] = content(block, word);
		written = pwrite(fd, buffer, BLOCK_SIZE, block * BLOCK_SIZE);
		if (written != BLOCK_SIZE)
			die("%s: cannot write block %" PRIu64 " of %" PRIu64 ": %s", opt.file, block,
			    opt.seq.sequence.blocks, written < 0 ? strerror(errno) : "disk full");
	}
	if (fsync(fd) || close(fd))
		die("%s: cannot write: %s", opt.file, strerror(errno));
}

static void other_begin(void)
{
	if (!opt.other_file)
		return;
	other_fd = open(opt.other_file, O_RDONLY | O_CLOEXEC);
	if (other_fd < 0)
		die("%s: cannot open: %s", opt.other_file, strerror(errno));
	if (posix_fadvise(other_fd, 0, 0, POSIX_FADV_RANDOM))
		die("%s: cannot switch read-ahead off", opt.other_file);
}

static void on_bus_error(int signal)
{
	(void)signal;
	siglongjmp(bus, 1);
}

static void file_begin(void)
{
	struct sigaction action = {
		.sa_handler = on_bus_error,
		.sa_flags = SA_NODEFER,		/* siglongjmp() doesn't unblock it */
	};
	uint64_t size = opt.seq.sequence.blocks * BLOCK_SIZE;
	struct stat st;
	int error;

	fd = open(opt.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("%s: cannot open: %s (--create makes it)", opt.file, strerror(errno));
	if (fstat(fd, &st))
		die("%s: cannot stat: %s", opt.file, strerror(errno));
	if ((uint64_t)st.st_size < size)
		die("%s: has %lld bytes, --blocks %" PRIu64 " needs %" PRIu64, opt.file,
		    (long long)st.st_size, opt.seq.sequence.blocks, size);

	if (opt.engine == ENGINE_FD) {
		error = posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
		if (error)
			die("%s: cannot switch read-ahead off: %s", opt.file, strerror(error));
		return;
	}
	if (opt.wide) {
		error = posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
		if (error)
			die("%s: cannot widen read-around: %s", opt.file, strerror(error));
	}
	mapping = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (mapping == MAP_FAILED)
		die("%s: cannot map %" PRIu64 " bytes: %s", opt.file, size, strerror(errno));
	if (sigaction(SIGBUS, &action, NULL))
		die("sigaction: %s", strerror(errno));
}

static bool complain(uint64_t block, const char *what)
{
	if (complaints++ < MAX_COMPLAINTS)
		fprintf(stderr, "reader: %s: block %" PRIu64 ": %s\n", opt.file, block, what);
	return false;
}

static bool read_fd(uint64_t block)
{
	ssize_t got = pread(fd, buffer, BLOCK_SIZE, block * BLOCK_SIZE);

	if (got < 0)
		return complain(block, strerror(errno));
	if (got != BLOCK_SIZE)
		return complain(block, "short read");
	if (buffer[0] != content(block, 0) ||
	    buffer[BLOCK_WORDS - 1] != content(block, BLOCK_WORDS - 1))
		return complain(block, "wrong content");
	return true;
}

/* Holes read as zeroes. */
static bool read_other(uint64_t block)
{
	ssize_t got = pread(other_fd, buffer, BLOCK_SIZE, block * BLOCK_SIZE);

	if (got != BLOCK_SIZE || buffer[0] != (opt.seq.sequence.other_blocks ? content(block, 0) : 0))
		return complain(block, "cannot read the other file");
	return true;
}

static bool read_mmap(uint64_t block)
{
	const volatile uint64_t *word = mapping + block * BLOCK_WORDS;

	if (sigsetjmp(bus, 0))
		return complain(block, "bus error");
	if (*word != content(block, 0))
		return complain(block, "wrong content");
	return true;
}

/* --- passes ---------------------------------------------------------------- */

static volatile sig_atomic_t ending;

static void on_end(int signal)
{
	(void)signal;
	ending = 1;
}

/* What a pass comes to, besides memory.stat. */
struct tally {
	uint64_t reads;
	uint64_t errors;
	uint64_t elapsed_ns;
	uint64_t probes;
	uint64_t misses;
};

#ifndef SYS_cachestat
#define SYS_cachestat	451
#endif

/* Asks, and touches nothing. */
static bool cached(uint64_t block)
{
	struct { uint64_t off, len; } range = { block * BLOCK_SIZE, BLOCK_SIZE };
	struct { uint64_t cache, dirty, writeback, evicted, recently_evicted; } state;

	if (syscall(SYS_cachestat, fd, &range, &state, 0))
		die("%s: cachestat: %s", opt.file, strerror(errno));
	return state.cache;
}

/* A child, so that the memory is nobody's who reads. Ends with its parent. */
static void idle_anon_begin(void)
{
	uint64_t size = opt.idle_anon << 20;
	pid_t child, parent = getpid();
	int pipes[2], status;
	char *memory, byte;

	if (pipe(pipes))
		die("pipe: %s", strerror(errno));
	child = fork();
	if (child < 0)
		die("fork: %s", strerror(errno));
	if (child) {
		close(pipes[1]);
		if (read(pipes[0], &byte, 1) != 1) {
			waitpid(child, &status, 0);
			die("no %" PRIu64 " MB of idle memory", opt.idle_anon);
		}
		close(pipes[0]);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		_exit(1);
	for (uint64_t at = 0; at < size; at += BLOCK_SIZE)
		*(uint64_t *)(memory + at) = mix(at);
	if (write(pipes[1], "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void report(uint64_t pass, const struct tally *t, const struct stats *before,
		   const struct stats *after)
{
	printf("{\"pass\":%" PRIu64 ",\"warmup\":%s,\"partial\":%s,\"engine\":\"%s\",\"pattern\":\"%s\"",
	       pass, pass < opt.seq.warmup ? "true" : "false", t->reads < opt.seq.reads ? "true" : "false",
	       engine_names[opt.engine], pattern_names[opt.seq.sequence.pattern]);
	if (opt.seq.sequence.pattern == PATTERN_ZIPF)
		printf(",\"theta\":%g", opt.seq.sequence.theta);
	printf(",\"reads\":%" PRIu64 ",\"errors\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64,
	       t->reads, t->errors, t->elapsed_ns);
	if (opt.probe)
		printf(",\"probes\":%" PRIu64 ",\"misses\":%" PRIu64, t->probes, t->misses);
	if (opt.latency)
		latency_print(t->reads);
	stats_print(before, after, t->reads);
	puts("}");
	if (fflush(stdout))
		die("cannot write the report: %s", strerror(errno));
}

static uint64_t run_pass(uint64_t pass)
{
	struct stats before, after;
	struct tally t = { };

	sequence_options_pass(&opt.seq, pass);
	memset(buckets, 0, sizeof(buckets));
	stats_read(&before);
	if (opt.idle_anon && pass == opt.seq.warmup)
		idle_anon_begin();
	t.elapsed_ns = now_ns();
	while (t.reads < opt.seq.reads && !ending) {
		uint64_t block = sequence_next(&opt.seq.sequence), began = 0;
		bool ok;

		if (opt.probe && block < opt.seq.sequence.blocks) {
			t.probes++;
			t.misses += !cached(block);
		}
		if (opt.latency)
			began = now_ns();
		if (block >= opt.seq.sequence.blocks)
			ok = read_other(block - opt.seq.sequence.blocks);
		else
			ok = opt.engine == ENGINE_FD ? read_fd(block) : read_mmap(block);
		if (opt.latency)
			buckets[bucket_of(now_ns() - began)]++;
		t.errors += !ok;
		t.reads++;
	}
	t.elapsed_ns = now_ns() - t.elapsed_ns;
	stats_read(&after);
	report(pass, &t, &before, &after);
	return t.errors;
}

/* --- options --------------------------------------------------------------- */

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		SEQUENCE_OPTIONS,
		{ "create", no_argument, NULL, 'c' },
		{ "engine", required_argument, NULL, 'e' },
		{ "other-file", required_argument, NULL, 'f' },
		{ "continuous", no_argument, NULL, 'C' },
		{ "cgroup", required_argument, NULL, 'g' },
		{ "wide", no_argument, NULL, 'W' },
		{ "probe", no_argument, NULL, 'P' },
		{ "latency", no_argument, NULL, 'l' },
		{ "idle-anon", required_argument, NULL, 'i' },
		{ }
	};
	int c, which = 0;

	while ((c = getopt_long(argc, argv, "h", options, &which)) != -1) {
		const char *name = c == 'h' || c == '?' ? "" : options[which].name;

		switch (c) {
		case 'c': opt.create = true; break;
		case 'e': opt.engine = one_of(name, optarg, engine_names); break;
		case 'f': opt.other_file = optarg; break;
		case 'C': opt.continuous = true; break;
		case 'g': opt.cgroup = optarg; break;
		case 'W': opt.wide = true; break;
		case 'P': opt.probe = true; break;
		case 'l': opt.latency = true; break;
		case 'i': opt.idle_anon = number(name, optarg, 1, 1U << 20); break;
		case 'h': fputs(usage_text, stdout); exit(EXIT_OK);
		default:
			if (!sequence_option(&opt.seq, c, name))
				exit(EXIT_UNUSABLE);
		}
	}
	if (optind + 1 != argc)
		die("one FILE is needed, %d given (see --help)", argc - optind);
	opt.file = argv[optind];
	if (opt.seq.sequence.other > 0 && !opt.other_file)
		die("--other %g needs --other-file", opt.seq.sequence.other);
	sequence_options_end(&opt.seq);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_end };
	uint64_t errors = 0;

	program = "reader";
	parse(argc, argv);
	if (opt.create) {
		create();
		return EXIT_OK;
	}
	file_begin();
	other_begin();
	stats_begin(opt.cgroup);
	if (opt.continuous && (sigaction(SIGTERM, &action, NULL) || sigaction(SIGINT, &action, NULL)))
		die("sigaction: %s", strerror(errno));

	for (uint64_t pass = 0; !ending; pass++) {
		if (!opt.continuous && pass == opt.seq.warmup + opt.seq.passes)
			break;
		errors += run_pass(pass);
	}
	return errors ? EXIT_READ_ERRORS : EXIT_OK;
}
