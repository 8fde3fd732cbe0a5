// SPDX-License-Identifier: GPL-2.0
/*
 * Reads and writes files the way the build of a large program does.
 *
 * Sources are read once per build, headers again and again with a few of them
 * nearly always, objects are written, and read once when all are linked. Several
 * processes work at the same time, each on a fixed share of the sources, so that
 * what is read does not depend on who is faster; the order does. One build makes
 * the sources and warms up, the next one counts.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include "counters.h"

#define BLOCK_SIZE	4096

static struct {
	const char *dir;
	const char *cgroup;
	uint64_t sources;
	uint64_t headers;
	uint64_t includes;
	uint64_t processes;
	uint64_t seed;
} opt = { .sources = 1500, .headers = 2000, .includes = 60, .processes = 4, .seed = 1 };

static const char usage_text[] =
"usage: builder [OPTIONS] DIR\n"
"\n"
"Makes a source tree in DIR, builds it once to warm up and once more, and prints\n"
"what the second build cost as a line of JSON. A \"read\" is a file compiled.\n"
"\n"
"  --sources N     files of 4 to 60 KiB (default 1500)\n"
"  --headers N     files of 4 to 28 KiB (default 2000)\n"
"  --includes N    headers that a source reads, drawn with zipf 0.9 (default 60)\n"
"  --processes N   at the same time (default 4)\n"
"  --seed N        of sizes and includes (default 1)\n"
"  --cgroup DIR    report what DIR/memory.stat counted meanwhile\n"
"\n"
"Exit status: 0, 1 if a file could not be read or written, 2 if it can't begin.\n";

static char buffer[64 * BLOCK_SIZE];

/* Blocks of file I of a kind. */
static uint64_t size_of(const char *kind, uint64_t i)
{
	uint64_t x = mix(opt.seed * 3 + mix(i * 256 + (unsigned char)*kind));

	switch (*kind) {
	case 'h': return 1 + x % 7;
	case 'c': return 1 + x % 15;
	}
	return 2 + x % 23;
}

static int open_file(const char *kind, uint64_t i, int flags)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s%" PRIu64, opt.dir, kind, i);
	return open(path, flags | O_CLOEXEC, 0600);
}

static bool write_file(const char *kind, uint64_t i)
{
	ssize_t size = size_of(kind, i) * BLOCK_SIZE;
	int fd = open_file(kind, i, O_WRONLY | O_CREAT | O_TRUNC);
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, buffer, size) == size;
	return !close(fd) && ok;
}

static bool read_file(const char *kind, uint64_t i)
{
	int fd = open_file(kind, i, O_RDONLY);
	uint64_t got = 0;
	ssize_t n;

	if (fd < 0)
		return false;
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		got += n;
	close(fd);
	return n == 0 && got == size_of(kind, i) * BLOCK_SIZE;
}

/* What one process does: every so-manieth source. Returns the number of errors. */
static uint64_t compile_share(uint64_t process)
{
	struct sequence headers = {
		.pattern = PATTERN_ZIPF, .blocks = opt.headers, .theta = 0.9, .seed = opt.seed,
	};
	uint64_t errors = 0;

	if (!sequence_begin(&headers))
		die("no memory for %" PRIu64 " headers", opt.headers);
	for (uint64_t i = process; i < opt.sources; i += opt.processes) {
		errors += !read_file("c", i);
		/* a source has the same includes in each build */
		sequence_pass(&headers, i, 0);
		for (uint64_t h = 0; h < opt.includes; h++)
			errors += !read_file("h", sequence_next(&headers));
		errors += !write_file("o", i);
	}
	sequence_end(&headers);
	return errors;
}

static uint64_t build(void)
{
	uint64_t errors = 0;

	for (uint64_t p = 0; p < opt.processes; p++) {
		pid_t child = fork();

		if (child < 0)
			die("fork: %s", strerror(errno));
		if (!child)
			_exit(compile_share(p) ? 1 : 0);
	}
	for (uint64_t p = 0; p < opt.processes; p++) {
		int status;

		if (wait(&status) < 0 || status)
			errors++;
	}
	for (uint64_t i = 0; i < opt.sources; i++)
		errors += !read_file("o", i);
	return errors;
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "sources", required_argument, NULL, 's' },
		{ "headers", required_argument, NULL, 'H' },
		{ "includes", required_argument, NULL, 'i' },
		{ "processes", required_argument, NULL, 'p' },
		{ "seed", required_argument, NULL, 'S' },
		{ "cgroup", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c, which = 0;

	while ((c = getopt_long(argc, argv, "h", options, &which)) != -1) {
		const char *name = c == 'h' || c == '?' ? "" : options[which].name;

		switch (c) {
		case 's': opt.sources = number(name, optarg, 1, 1U << 20); break;
		case 'H': opt.headers = number(name, optarg, 1, 1U << 20); break;
		case 'i': opt.includes = number(name, optarg, 0, 1U << 20); break;
		case 'p': opt.processes = number(name, optarg, 1, 1000); break;
		case 'S': opt.seed = number(name, optarg, 0, UINT64_MAX); break;
		case 'g': opt.cgroup = optarg; break;
		case 'h': fputs(usage_text, stdout); exit(0);
		default: exit(EXIT_UNUSABLE);
		}
	}
	if (optind + 1 != argc)
		die("one DIR is needed, %d given (see --help)", argc - optind);
	opt.dir = argv[optind];
}

int main(int argc, char **argv)
{
	struct stats before, after;
	uint64_t elapsed, errors = 0;

	program = "builder";
	parse(argc, argv);
	if (mkdir(opt.dir, 0700) && errno != EEXIST)
		die("%s: cannot create: %s", opt.dir, strerror(errno));
	for (uint64_t i = 0; i < opt.sources; i++)
		errors += !write_file("c", i);
	for (uint64_t i = 0; i < opt.headers; i++)
		errors += !write_file("h", i);
	if (errors)
		die("%s: %" PRIu64 " files cannot be written: %s", opt.dir, errors, strerror(errno));
	sync();
	errors += build();
	stats_begin(opt.cgroup);
	stats_read(&before);
	elapsed = now_ns();
	errors += build();
	elapsed = now_ns() - elapsed;
	stats_read(&after);

	printf("{\"reads\":%" PRIu64 ",\"errors\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64,
	       opt.sources, errors, elapsed);
	stats_print(&before, &after, opt.sources);
	puts("}");
	return errors ? 1 : 0;
}
