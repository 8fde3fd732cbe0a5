/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which block is read next: the orders that reader reads in and yardstick simulates.
 *
 * With the same seed the same blocks come in the same order. Draws differ from
 * pass to pass, the permutation does not. Blocks from `blocks` on belong to a
 * second file, of which a share of the reads can be taken.
 */
#ifndef BENCH_SEQUENCE_H
#define BENCH_SEQUENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define STRIDE		16		/* blocks: 4 KiB of every 64 KiB */

enum pattern { PATTERN_SHUFFLE, PATTERN_ZIPF, PATTERN_LOOP, PATTERN_UNIFORM, PATTERN_STRIDED,
	PATTERN_SCATTERED };
static const char * const pattern_names[] = {
	"shuffle", "zipf", "loop", "uniform", "strided", "scattered", NULL
};

/* A bijection that looks random: equal inputs only give equal outputs. */
static inline uint64_t mix(uint64_t x)
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

enum { STREAM_PERMUTATION, STREAM_PASSES, STREAM_RESHUFFLES = 1 << 30 };

static inline struct draws draws_begin(uint64_t seed, uint64_t stream)
{
	return (struct draws){ .at = mix(mix(seed + 1) + stream) };
}

static inline uint64_t draw(struct draws *d)
{
	return mix(d->at += 0x9e3779b97f4a7c15ULL);
}

static inline uint64_t draw_below(struct draws *d, uint64_t n)
{
	return (unsigned __int128)draw(d) * n >> 64;
}

struct sequence {
	/* set by who uses it */
	int pattern;
	uint64_t blocks;
	uint64_t seed;
	double theta;			/* zipf */
	uint64_t hot;			/* draw from this many blocks only; 0: from all */
	double other;			/* share of the reads that go to the second file */
	uint64_t other_blocks;		/* its size, read in a loop; 0: never the same again */

	/* private */
	uint32_t *permutation;		/* shuffle, scattered, zipf */
	uint64_t *cumulative;		/* zipf: P(rank <= index) * 2^64 */
	uint64_t position;		/* what goes by laps: runs on over passes */
	uint64_t other_position;	/* likewise */
	uint64_t other_below;		/* other * 2^64 */
	struct draws draws;
	uint64_t pass;
	uint64_t reshuffle_in;		/* reads till then, 0: never */
};

static inline uint64_t sequence_drawn(const struct sequence *s)
{
	return s->hot ? s->hot : s->blocks;
}

static inline uint64_t sequence_lap(const struct sequence *s)
{
	if (s->pattern == PATTERN_STRIDED || s->pattern == PATTERN_SCATTERED)
		return (s->blocks + STRIDE - 1) / STRIDE;
	return s->blocks;
}

static inline void sequence_permute(struct sequence *s, uint64_t stream)
{
	struct draws d = draws_begin(s->seed, stream);
	uint64_t n = sequence_lap(s);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t j = draw_below(&d, i + 1);

		s->permutation[i] = s->permutation[j];
		s->permutation[j] = i;
	}
}

static inline void sequence_end(struct sequence *s)
{
	free(s->permutation);
	free(s->cumulative);
	s->permutation = NULL;
	s->cumulative = NULL;
}

/* Returns false without memory. */
static inline bool sequence_begin(struct sequence *s)
{
	uint64_t n = sequence_drawn(s);
	double sum = 0, total = 0;

	s->permutation = NULL;
	s->cumulative = NULL;
	s->position = s->other_position = s->reshuffle_in = 0;
	s->other_below = ldexp(s->other, 64);
	if (s->pattern != PATTERN_SHUFFLE && s->pattern != PATTERN_SCATTERED &&
	    s->pattern != PATTERN_ZIPF)
		return true;

	s->permutation = malloc(s->blocks * sizeof(*s->permutation));
	if (!s->permutation)
		return false;
	sequence_permute(s, STREAM_PERMUTATION);
	if (s->pattern != PATTERN_ZIPF)
		return true;

	s->cumulative = malloc(n * sizeof(*s->cumulative));
	if (!s->cumulative)
		return false;
	for (uint64_t i = 0; i < n; i++)
		total += pow(i + 1, -s->theta);
	for (uint64_t i = 0; i < n; i++) {
		double share;

		sum += pow(i + 1, -s->theta);
		share = ldexp(sum / total, 64);
		s->cumulative[i] = share < 0x1p64 ? (uint64_t)share : UINT64_MAX;
	}
	s->cumulative[n - 1] = UINT64_MAX;
	return true;
}

/* With reshuffle_in other ranks get the reads after that many of them. */
static inline void sequence_pass(struct sequence *s, uint64_t pass, uint64_t reshuffle_in)
{
	s->pass = pass;
	s->draws = draws_begin(s->seed, STREAM_PASSES + pass);
	s->reshuffle_in = s->permutation ? reshuffle_in : 0;
}

static inline uint64_t sequence_rank(const struct sequence *s, uint64_t drawn)
{
	uint64_t low = 0, high = sequence_drawn(s) - 1;

	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (drawn < s->cumulative[middle])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static inline uint64_t sequence_next(struct sequence *s)
{
	uint64_t at;

	if (s->reshuffle_in && !--s->reshuffle_in)
		sequence_permute(s, STREAM_RESHUFFLES + s->pass);
	if (s->other_below && draw(&s->draws) < s->other_below) {
		at = s->other_position++;
		return s->blocks + (s->other_blocks ? at % s->other_blocks : at);
	}

	switch (s->pattern) {
	case PATTERN_ZIPF:
		return s->permutation[sequence_rank(s, draw(&s->draws))];
	case PATTERN_UNIFORM:
		return draw_below(&s->draws, sequence_drawn(s));
	}

	at = s->position;
	s->position = at + 1 < sequence_lap(s) ? at + 1 : 0;

	switch (s->pattern) {
	case PATTERN_SHUFFLE:
		return s->permutation[at];
	case PATTERN_STRIDED:
		return at * STRIDE;
	case PATTERN_SCATTERED:
		return s->permutation[at] * STRIDE;
	}
	return at;
}

#endif
