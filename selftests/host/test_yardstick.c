// SPDX-License-Identifier: GPL-2.0
/* Unit tests of selftests/bench/yardstick.c: small caches by hand, judged cells by figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define main yardstick_main
#include "../bench/yardstick.c"
#undef main

#define TRACE(...) { \
	.block = (uint32_t []){ __VA_ARGS__ }, \
	.reads = sizeof((uint32_t []){ __VA_ARGS__ }) / sizeof(uint32_t), \
	.blocks = 8, .main_blocks = 8, \
}

static void lru_by_hand(void **state)
{
	struct trace loop = TRACE(0, 1, 2, 0, 1, 2, 0, 1, 2);
	struct trace hot = TRACE(0, 1, 0, 2, 0, 3, 0, 1);

	(void)state;
	assert_int_equal(lru(&loop, 2), 6);
	assert_int_equal(lru(&loop, 3), 0);
	assert_int_equal(lru(&hot, 2), 1);
	loop.measured_from = 6;
	assert_int_equal(lru(&loop, 2), 3);
}

static void a0_by_hand(void **state)
{
	struct trace t = TRACE(0, 1, 0, 2, 0, 1, 2, 1, 0);

	(void)state;
	/* 0 and 1 stay, 2 is read twice */
	assert_int_equal(a0(&t, 2), 1);
	assert_int_equal(a0(&t, 1), 3);
}

static void opt_by_hand(void **state)
{
	struct trace loop = TRACE(0, 1, 2, 0, 1, 2, 0, 1, 2);

	(void)state;
	/* 2 replaces 1; 1 replaces 0; 0 replaces 2; 2 replaces whatever */
	assert_int_equal(opt_misses(&loop, 2), 3);
	assert_int_equal(opt_misses(&loop, 1), 6);
	assert_int_equal(opt_misses(&loop, 3), 0);
}

/* The best of all evictions. */
static uint64_t best(const struct trace *t, uint32_t at, uint32_t in, uint32_t seen, uint64_t cache)
{
	uint64_t least = UINT64_MAX, here;
	uint32_t bit;

	if (at == t->reads)
		return 0;
	bit = 1U << t->block[at];
	if (in & bit)
		return best(t, at + 1, in, seen, cache);
	here = !!(seen & bit);
	if ((uint64_t)__builtin_popcount(in) < cache)
		return here + best(t, at + 1, in | bit, seen | bit, cache);
	for (uint32_t victim = 0; victim < t->blocks; victim++) {
		uint64_t then;

		if (!(in >> victim & 1))
			continue;
		then = here + best(t, at + 1, (in & ~(1U << victim)) | bit, seen | bit, cache);
		if (then < least)
			least = then;
	}
	return least;
}

static void opt_is_the_best_there_is(void **state)
{
	struct draws d = draws_begin(1, 0);

	(void)state;
	for (int n = 0; n < 200; n++) {
		uint32_t block[16];
		struct trace t = { .block = block, .reads = 16, .blocks = 6, .main_blocks = 6 };

		for (int i = 0; i < 16; i++)
			block[i] = draw_below(&d, 6);
		for (uint64_t cache = 1; cache <= 4; cache++) {
			assert_int_equal(opt_misses(&t, cache), best(&t, 0, 0, 0, cache));
			assert_true(lru(&t, cache) >= opt_misses(&t, cache));
		}
	}
}

static void only_the_first_file_counts(void **state)
{
	struct trace t = TRACE(0, 1, 2, 0, 1, 2, 0, 1, 2);

	(void)state;
	t.main_blocks = 2;
	main_only = true;
	assert_int_equal(lru(&t, 2), 4);
	assert_int_equal(counted_reads(&t), 6);
	main_only = false;
}

/* Figures of an independent simulation, of another seed. */
static void judged_cells(void **state)
{
	static const struct { double theta; uint64_t reads; double lru, a0, opt; } cells[] = {
		{ 0.8, 1000000, 0.2510, 0.1727, 0.1031 },
		{ 1.1, 2000000, 0.0669, 0.0429, 0.0276 },
		{ 1.4, 4000000, 0.0070, 0.0033, 0.0023 },
	};
	const uint64_t cache = 13590;

	(void)state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		struct trace t;

		opt.sequence.pattern = PATTERN_ZIPF;
		opt.sequence.theta = cells[i].theta;
		opt.reads = cells[i].reads;
		opt.warmup = 1;
		sequence_options_end(&opt);
		trace_begin(&t);
		assert_float_equal(lru(&t, cache) / (cells[i].reads * cells[i].lru), 1, 0.01);
		assert_float_equal(a0(&t, cache) / (cells[i].reads * cells[i].a0), 1, 0.01);
		assert_float_equal(opt_misses(&t, cache) / (cells[i].reads * cells[i].opt), 1, 0.01);
		free(t.block);
		sequence_end(&opt.sequence);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lru_by_hand),
		cmocka_unit_test(a0_by_hand),
		cmocka_unit_test(opt_by_hand),
		cmocka_unit_test(opt_is_the_best_there_is),
		cmocka_unit_test(only_the_first_file_counts),
		cmocka_unit_test(judged_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
