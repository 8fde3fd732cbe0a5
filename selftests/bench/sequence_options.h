/* SPDX-License-Identifier: GPL-2.0 */
/* The options that choose a sequence, the same for reader and yardstick. */
#ifndef BENCH_SEQUENCE_OPTIONS_H
#define BENCH_SEQUENCE_OPTIONS_H

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sequence.h"

#define EXIT_UNUSABLE	2

static const char *program;

static inline void __attribute__((noreturn, format(printf, 1, 2))) die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(EXIT_UNUSABLE);
}

static inline uint64_t number(const char *option, const char *text, uint64_t min, uint64_t max)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < min || value > max)
		die("--%s '%s': not a number from %" PRIu64 " to %" PRIu64, option, text, min, max);
	return value;
}

static inline double real(const char *option, const char *text, double min, double max)
{
	double value;
	char *end;

	value = strtod(text, &end);
	if (end == text || *end || !(value >= min && value <= max))
		die("--%s '%s': not a number from %g to %g", option, text, min, max);
	return value;
}

static inline int one_of(const char *option, const char *text, const char * const *names)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(text, names[i]))
			return i;
	die("--%s '%s': unknown, see --help", option, text);
}

struct sequence_opt {
	struct sequence sequence;
	uint64_t reads;		/* per pass, 0: as many as blocks */
	uint64_t warmup;
	uint64_t passes;
	bool reshuffle;
};

#define SEQUENCE_DEFAULTS { .sequence = { .blocks = 32768, .seed = 1, .theta = 0.8 }, .passes = 1 }

#define SEQUENCE_OPTIONS \
	{ "blocks", required_argument, NULL, 'b' }, \
	{ "pattern", required_argument, NULL, 'p' }, \
	{ "theta", required_argument, NULL, 't' }, \
	{ "hot", required_argument, NULL, 'H' }, \
	{ "seed", required_argument, NULL, 's' }, \
	{ "reads", required_argument, NULL, 'r' }, \
	{ "warmup", required_argument, NULL, 'w' }, \
	{ "passes", required_argument, NULL, 'n' }, \
	{ "reshuffle", no_argument, NULL, 'R' }, \
	{ "other", required_argument, NULL, 'o' }, \
	{ "other-blocks", required_argument, NULL, 'B' }, \
	{ "help", no_argument, NULL, 'h' }

#define SEQUENCE_USAGE \
"  --blocks N        size of FILE, blocks of 4 KiB (default 32768)\n" \
"  --pattern P       shuffle: one random permutation, over and over (default)\n" \
"                    zipf:    rank k drawn with probability ~ 1/k^theta, ranks\n" \
"                             spread over the file by a permutation\n" \
"                    loop:    first block to last, over and over\n" \
"                    uniform: each block drawn with the same probability\n" \
"                    strided: 4 KiB of every 64 KiB, over and over\n" \
"                    scattered: the same, in one random order\n" \
"  --theta T         of zipf, 0 to 8 (default 0.8)\n" \
"  --hot N           zipf and uniform draw from N blocks only (default: all)\n" \
"  --seed N          of permutation and draws (default 1); the order of draws\n" \
"                    differs from pass to pass, the permutation does not\n" \
"  --reads N         per pass (default: one per block)\n" \
"  --warmup N        passes before the ones that count (default 0)\n" \
"  --passes N        passes that count (default 1)\n" \
"  --reshuffle       a new permutation in the middle of each pass that counts\n" \
"  --other SHARE     of the reads, 0 to 1, that go to a second file, in order\n" \
"  --other-blocks N  its size, read over and over; 0 (default): no block twice\n"

/* Returns false for an option that it doesn't know. */
static inline bool sequence_option(struct sequence_opt *o, int c, const char *name)
{
	switch (c) {
	case 'b': o->sequence.blocks = number(name, optarg, 1, 1U << 31); break;
	case 'p': o->sequence.pattern = one_of(name, optarg, pattern_names); break;
	case 't': o->sequence.theta = real(name, optarg, 0, 8); break;
	case 'H': o->sequence.hot = number(name, optarg, 1, 1U << 31); break;
	case 's': o->sequence.seed = number(name, optarg, 0, UINT64_MAX); break;
	case 'r': o->reads = number(name, optarg, 1, UINT64_MAX); break;
	case 'w': o->warmup = number(name, optarg, 0, UINT32_MAX); break;
	case 'n': o->passes = number(name, optarg, 1, UINT32_MAX); break;
	case 'R': o->reshuffle = true; break;
	case 'o': o->sequence.other = real(name, optarg, 0, 0.99); break;
	case 'B': o->sequence.other_blocks = number(name, optarg, 0, 1U << 31); break;
	default: return false;
	}
	return true;
}

/* After the last option. */
static inline void sequence_options_end(struct sequence_opt *o)
{
	if (o->sequence.hot > o->sequence.blocks)
		die("--hot %" PRIu64 ": more than --blocks %" PRIu64, o->sequence.hot, o->sequence.blocks);
	if (!o->reads)
		o->reads = o->sequence.blocks;
	if (!sequence_begin(&o->sequence))
		die("no memory for %" PRIu64 " blocks: use fewer --blocks", o->sequence.blocks);
}

static inline void sequence_options_pass(struct sequence_opt *o, uint64_t pass)
{
	sequence_pass(&o->sequence, pass, o->reshuffle && pass >= o->warmup ? o->reads / 2 : 0);
}

#endif
