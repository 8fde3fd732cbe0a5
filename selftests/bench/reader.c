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
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_SIZE	4096
#define BLOCK_WORDS	(BLOCK_SIZE / sizeof(uint64_t))
#define STRIDE		16		/* blocks: 4 KiB of every 64 KiB */
#define MAX_COMPLAINTS	5

enum { EXIT_OK, EXIT_READ_ERRORS, EXIT_UNUSABLE };

enum engine { ENGINE_FD, ENGINE_MMAP };
static const char * const engine_names[] = { "fd", "mmap", NULL };

enum pattern { PATTERN_SHUFFLE, PATTERN_ZIPF, PATTERN_LOOP, PATTERN_UNIFORM, PATTERN_STRIDED };
static const char * const pattern_names[] = {
	"shuffle", "zipf", "loop", "uniform", "strided", NULL
};

static struct {
	const char *file;
	const char *cgroup;
	uint64_t blocks;
	uint64_t reads;		/* per pass, 0: as many as blocks */
	uint64_t warmup;
	uint64_t passes;
	uint64_t seed;
	double theta;
	int engine;
	int pattern;
	bool create;
	bool continuous;
} opt = {
	.blocks = 32768,
	.passes = 1,
	.seed = 1,
	.theta = 0.8,
	.engine = ENGINE_FD,
	.pattern = PATTERN_SHUFFLE,
};

static const char usage_text[] =
"usage: reader [OPTIONS] FILE\n"
"\n"
"  --create          write FILE, --blocks blocks long, and end\n"
"  --blocks N        size of FILE, blocks of 4 KiB (default 32768)\n"
"  --engine E        fd: pread() after POSIX_FADV_RANDOM (default)\n"
"                    mmap: one load per read, the kernel's own read-around\n"
"  --pattern P       shuffle: one random permutation, over and over (default)\n"
"                    zipf:    rank k drawn with probability ~ 1/k^theta, ranks\n"
"                             spread over the file by a permutation\n"
"                    loop:    first block to last, over and over\n"
"                    uniform: each block drawn with the same probability\n"
"                    strided: 4 KiB of every 64 KiB, over and over\n"
"  --theta T         of zipf, 0 to 8 (default 0.8)\n"
"  --seed N          of permutation and draws (default 1); the order of draws\n"
"                    differs from pass to pass, the permutation does not\n"
"  --reads N         per pass (default: one per block)\n"
"  --warmup N        passes before the ones that count (default 0)\n"
"  --passes N        passes that count (default 1)\n"
"  --continuous      passes without end; SIGTERM or SIGINT ends with a line\n"
"                    for the pass begun\n"
"  --cgroup DIR      report what DIR/memory.stat counted meanwhile\n"
"\n"
"Needs 4 bytes of memory per block for shuffle, 12 for zipf, else none.\n"
"Exit status: 0, 1 if reads failed or had wrong content, 2 if it can't begin.\n";

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list args;

	fputs("reader: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(EXIT_UNUSABLE);
}

/* --- numbers --------------------------------------------------------------- */

/* A bijection that looks random: equal inputs only give equal outputs. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	return x;
}

/* Draws are mix() of a counter that starts somewhere else for each stream. */
struct draws {
	uint64_t at;
};

enum { STREAM_PERMUTATION, STREAM_PASSES };

static struct draws draws_begin(uint64_t seed, uint64_t stream)
{
	return (struct draws){ .at = mix(mix(seed + 1) + stream) };
}

static uint64_t draw(struct draws *d)
{
	return mix(d->at += 0x9e3779b97f4a7c15ULL);
}

static uint64_t draw_below(struct draws *d, uint64_t n)
{
	return (unsigned __int128)draw(d) * n >> 64;
}

/* --- which block next ------------------------------------------------------ */

static uint32_t *permutation;		/* shuffle, zipf */
static uint64_t *cumulative;		/* zipf: P(rank <= index) * 2^64 */
static uint64_t position;		/* shuffle, loop, strided: runs on over passes */

static void *table(size_t size)
{
	void *p = malloc(opt.blocks * size);

	if (!p)
		die("no memory for %" PRIu64 " blocks: use fewer --blocks", opt.blocks);
	return p;
}

static void pattern_begin(void)
{
	struct draws d = draws_begin(opt.seed, STREAM_PERMUTATION);
	double sum = 0, total = 0;

	if (opt.pattern != PATTERN_SHUFFLE && opt.pattern != PATTERN_ZIPF)
		return;

	permutation = table(sizeof(*permutation));
	for (uint64_t i = 0; i < opt.blocks; i++) {
		uint64_t j = draw_below(&d, i + 1);

		permutation[i] = permutation[j];
		permutation[j] = i;
	}
	if (opt.pattern != PATTERN_ZIPF)
		return;

	cumulative = table(sizeof(*cumulative));
	for (uint64_t i = 0; i < opt.blocks; i++)
		total += pow(i + 1, -opt.theta);
	for (uint64_t i = 0; i < opt.blocks; i++) {
		double share;

		sum += pow(i + 1, -opt.theta);
		share = ldexp(sum / total, 64);
		cumulative[i] = share < 0x1p64 ? (uint64_t)share : UINT64_MAX;
	}
	cumulative[opt.blocks - 1] = UINT64_MAX;
}

static uint64_t zipf_rank(uint64_t drawn)
{
	uint64_t low = 0, high = opt.blocks - 1;

	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (drawn < cumulative[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static uint64_t next_block(struct draws *d)
{
	uint64_t lap, at;

	switch (opt.pattern) {
	case PATTERN_ZIPF:
		return permutation[zipf_rank(draw(d))];
	case PATTERN_UNIFORM:
		return draw_below(d, opt.blocks);
	}

	lap = opt.pattern == PATTERN_STRIDED ? (opt.blocks + STRIDE - 1) / STRIDE : opt.blocks;
	at = position;
	position = at + 1 < lap ? at + 1 : 0;

	switch (opt.pattern) {
	case PATTERN_SHUFFLE:
		return permutation[at];
	case PATTERN_STRIDED:
		return at * STRIDE;
	}
	return at;
}

/* --- the file -------------------------------------------------------------- */

static uint64_t content(uint64_t block, uint64_t word)
{
	return mix(block * BLOCK_WORDS + word + 1);
}

static uint64_t buffer[BLOCK_WORDS] __attribute__((aligned(BLOCK_SIZE)));
static const uint64_t *mapping;
static int fd = -1;
static uint64_t complaints;
static sigjmp_buf bus;

static void create(void)
{
	fd = open(opt.file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		die("%s: cannot create: %s", opt.file, strerror(errno));
	for (uint64_t block = 0; block < opt.blocks; block++) {
		ssize_t written;

		for (uint64_t word = 0; word < BLOCK_WORDS; word++)
			buffer[word] = content(block, word);
		written = pwrite(fd, buffer, BLOCK_SIZE, block * BLOCK_SIZE);
		if (written != BLOCK_SIZE)
			die("%s: cannot write block %" PRIu64 " of %" PRIu64 ": %s", opt.file, block,
			    opt.blocks, written < 0 ? strerror(errno) : "disk full");
	}
	if (fsync(fd) || close(fd))
		die("%s: cannot write: %s", opt.file, strerror(errno));
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
	uint64_t size = opt.blocks * BLOCK_SIZE;
	struct stat st;
	int error;

	fd = open(opt.file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die("%s: cannot open: %s (--create makes it)", opt.file, strerror(errno));
	if (fstat(fd, &st))
		die("%s: cannot stat: %s", opt.file, strerror(errno));
	if ((uint64_t)st.st_size < size)
		die("%s: has %lld bytes, --blocks %" PRIu64 " needs %" PRIu64, opt.file,
		    (long long)st.st_size, opt.blocks, size);

	if (opt.engine == ENGINE_FD) {
		error = posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
		if (error)
			die("%s: cannot switch read-ahead off: %s", opt.file, strerror(error));
		return;
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

static bool read_mmap(uint64_t block)
{
	const volatile uint64_t *word = mapping + block * BLOCK_WORDS;

	if (sigsetjmp(bus, 0))
		return complain(block, "bus error");
	if (*word != content(block, 0))
		return complain(block, "wrong content");
	return true;
}

/* --- memory.stat ----------------------------------------------------------- */

static const char * const stat_names[] = {
	"workingset_refault_file",
	"workingset_activate_file",
	"workingset_restore_file",
	"workingset_refault_anon",
	"workingset_nodereclaim",
	"pgscan",
	"pgsteal",
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

static void stats_begin(void)
{
	char path[PATH_MAX];

	if (!opt.cgroup)
		return;
	snprintf(path, sizeof(path), "%s/memory.stat", opt.cgroup);
	stat_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (stat_fd < 0)
		die("%s: cannot open: %s", path, strerror(errno));
}

static void stats_read(struct stats *s)
{
	static char text[16384];
	ssize_t length;
	char *line, *rest = text;

	memset(s, 0, sizeof(*s));
	if (stat_fd < 0)
		return;
	length = pread(stat_fd, text, sizeof(text) - 1, 0);
	if (length < 0)
		die("%s: cannot read memory.stat: %s", opt.cgroup, strerror(errno));
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

/* --- passes ---------------------------------------------------------------- */

static volatile sig_atomic_t ending;

static void on_end(int signal)
{
	(void)signal;
	ending = 1;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void report(uint64_t pass, bool partial, uint64_t reads, uint64_t errors,
		   uint64_t elapsed_ns, const struct stats *before, const struct stats *after)
{
	printf("{\"pass\":%" PRIu64 ",\"warmup\":%s,\"partial\":%s,\"engine\":\"%s\",\"pattern\":\"%s\"",
	       pass, pass < opt.warmup ? "true" : "false", partial ? "true" : "false",
	       engine_names[opt.engine], pattern_names[opt.pattern]);
	if (opt.pattern == PATTERN_ZIPF)
		printf(",\"theta\":%g", opt.theta);
	printf(",\"reads\":%" PRIu64 ",\"errors\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64,
	       reads, errors, elapsed_ns);
	for (size_t i = 0; i < NR_STATS; i++) {
		uint64_t delta = after->value[i] - before->value[i];

		/* 0 is the file's refaults, which all else is about */
		if (i == 0 && after->known[0] && reads)
			printf(",\"refaults_per_read\":%.6f", (double)delta / reads);
		if (after->known[i])
			printf(",\"%s\":%" PRIu64, stat_names[i], delta);
	}
	puts("}");
	if (fflush(stdout))
		die("cannot write the report: %s", strerror(errno));
}

/* Returns the number of errors. */
static uint64_t run_pass(uint64_t pass)
{
	struct draws d = draws_begin(opt.seed, STREAM_PASSES + pass);
	uint64_t reads = 0, errors = 0, began;
	struct stats before, after;

	stats_read(&before);
	began = now_ns();
	while (reads < opt.reads && !ending) {
		uint64_t block = next_block(&d);

		if (!(opt.engine == ENGINE_FD ? read_fd(block) : read_mmap(block)))
			errors++;
		reads++;
	}
	began = now_ns() - began;
	stats_read(&after);
	report(pass, reads < opt.reads, reads, errors, began, &before, &after);
	return errors;
}

/* --- options --------------------------------------------------------------- */

static uint64_t number(const char *option, const char *text, uint64_t min, uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < min || value > max)
		die("--%s '%s': not a number from %" PRIu64 " to %" PRIu64, option, text, min, max);
	return value;
}

static double real(const char *option, const char *text, double min, double max)
{
	double value;
	char *end;

	value = strtod(text, &end);
	if (end == text || *end || !(value >= min && value <= max))
		die("--%s '%s': not a number from %g to %g", option, text, min, max);
	return value;
}

static int one_of(const char *option, const char *text, const char * const *names)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(text, names[i]))
			return i;
	die("--%s '%s': unknown, see --help", option, text);
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "create", no_argument, NULL, 'c' },
		{ "blocks", required_argument, NULL, 'b' },
		{ "engine", required_argument, NULL, 'e' },
		{ "pattern", required_argument, NULL, 'p' },
		{ "theta", required_argument, NULL, 't' },
		{ "seed", required_argument, NULL, 's' },
		{ "reads", required_argument, NULL, 'r' },
		{ "warmup", required_argument, NULL, 'w' },
		{ "passes", required_argument, NULL, 'n' },
		{ "continuous", no_argument, NULL, 'C' },
		{ "cgroup", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c, which;

	while ((c = getopt_long(argc, argv, "h", options, &which)) != -1) {
		const char *name = c == 'h' || c == '?' ? "" : options[which].name;

		switch (c) {
		case 'c': opt.create = true; break;
		case 'b': opt.blocks = number(name, optarg, 1, 1U << 31); break;
		case 'e': opt.engine = one_of(name, optarg, engine_names); break;
		case 'p': opt.pattern = one_of(name, optarg, pattern_names); break;
		case 't': opt.theta = real(name, optarg, 0, 8); break;
		case 's': opt.seed = number(name, optarg, 0, UINT64_MAX); break;
		case 'r': opt.reads = number(name, optarg, 1, UINT64_MAX); break;
		case 'w': opt.warmup = number(name, optarg, 0, UINT32_MAX); break;
		case 'n': opt.passes = number(name, optarg, 1, UINT32_MAX); break;
		case 'C': opt.continuous = true; break;
		case 'g': opt.cgroup = optarg; break;
		case 'h': fputs(usage_text, stdout); exit(EXIT_OK);
		default: exit(EXIT_UNUSABLE);
		}
	}
	if (optind + 1 != argc)
		die("one FILE is needed, %d given (see --help)", argc - optind);
	opt.file = argv[optind];
	if (!opt.reads)
		opt.reads = opt.blocks;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_end };
	uint64_t errors = 0;

	parse(argc, argv);
	if (opt.create) {
		create();
		return EXIT_OK;
	}
	file_begin();
	stats_begin();
	pattern_begin();
	if (opt.continuous && (sigaction(SIGTERM, &action, NULL) || sigaction(SIGINT, &action, NULL)))
		die("sigaction: %s", strerror(errno));

	for (uint64_t pass = 0; !ending; pass++) {
		if (!opt.continuous && pass == opt.warmup + opt.passes)
			break;
		errors += run_pass(pass);
	}
	return errors ? EXIT_READ_ERRORS : EXIT_OK;
}
