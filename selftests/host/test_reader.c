// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the orders in which selftests/bench/reader.c reads, and of its errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define main reader_main
#include "../bench/reader.c"
#undef main

#define BLOCKS	4096

static struct sequence *seq = &opt.seq.sequence;
static uint32_t hits[BLOCKS];

static void begin(int pattern, uint64_t blocks, uint64_t seed)
{
	sequence_end(seq);
	seq->pattern = pattern;
	seq->blocks = blocks;
	seq->seed = seed;
	assert_true(sequence_begin(seq));
	memset(hits, 0, sizeof(hits));
}

static void count(uint64_t pass, uint64_t reads)
{
	sequence_pass(seq, pass, 0);
	while (reads--) {
		uint64_t block = sequence_next(seq);

		assert_true(block < seq->blocks);
		hits[block]++;
	}
}

/* A sum that depends on the order. */
static uint64_t order(uint64_t pass, uint64_t reads)
{
	uint64_t sum = 0;

	sequence_pass(seq, pass, 0);
	while (reads--)
		sum = mix(sum + sequence_next(seq));
	return sum;
}

static void laps_read_each_block_once(void **state)
{
	static const int patterns[] = { PATTERN_SHUFFLE, PATTERN_LOOP };

	(void)state;
	for (int p = 0; p < 2; p++) {
		begin(patterns[p], BLOCKS, 1);
		for (uint64_t pass = 0; pass < 3; pass++) {
			count(pass, BLOCKS);
			for (int i = 0; i < BLOCKS; i++)
				assert_int_equal(hits[i], pass + 1);
		}
	}
}

static void shuffle_goes_on_where_the_pass_ended(void **state)
{
	uint64_t whole, parts = 0;

	(void)state;
	begin(PATTERN_SHUFFLE, BLOCKS, 7);
	whole = order(0, 2 * BLOCKS);
	begin(PATTERN_SHUFFLE, BLOCKS, 7);
	for (int part = 0; part < 4; part++)
		for (int i = 0; i < BLOCKS / 2; i++)
			parts = mix(parts + sequence_next(seq));
	assert_true(whole == parts);
}

static void same_seed_same_order(void **state)
{
	(void)state;
	for (int pattern = PATTERN_SHUFFLE; pattern <= PATTERN_SCATTERED; pattern++) {
		uint64_t first, again, other;

		begin(pattern, BLOCKS, 1);
		first = order(0, 10000);
		begin(pattern, BLOCKS, 1);
		again = order(0, 10000);
		begin(pattern, BLOCKS, 2);
		other = order(0, 10000);
		assert_true(first == again);
		if (pattern != PATTERN_LOOP && pattern != PATTERN_STRIDED)
			assert_true(first != other);
	}
}

static void draws_differ_from_pass_to_pass(void **state)
{
	(void)state;
	begin(PATTERN_ZIPF, BLOCKS, 1);
	assert_true(order(0, 1000) != order(1, 1000));
	begin(PATTERN_UNIFORM, BLOCKS, 1);
	assert_true(order(0, 1000) != order(1, 1000));
}

static void strided_reads_one_block_in_sixteen(void **state)
{
	(void)state;
	for (int pattern = PATTERN_STRIDED; pattern <= PATTERN_SCATTERED; pattern++) {
		begin(pattern, BLOCKS - 5, 1);
		count(0, BLOCKS / STRIDE * 2);
		for (int i = 0; i < BLOCKS; i++)
			assert_int_equal(hits[i], i % STRIDE ? 0 : 2);
	}
}

/* Chi-square per degree of freedom: about 1, standard deviation (2 / BLOCKS)^0.5 = 0.022. */
static double chi_square(const double *share, uint64_t reads)
{
	double sum = 0;

	for (int i = 0; i < BLOCKS; i++) {
		uint64_t block = seq->pattern == PATTERN_ZIPF ? seq->permutation[i] : (uint64_t)i;
		double expected = share[i] * reads, off = hits[block] - expected;

		sum += off * off / expected;
	}
	return sum / (BLOCKS - 1);
}

static void zipf_has_the_exact_shares(void **state)
{
	static const double thetas[] = { 0, 0.8, 1.0, 1.1, 1.4 };
	static double share[BLOCKS];
	const uint64_t reads = 8000000;

	(void)state;
	for (size_t t = 0; t < sizeof(thetas) / sizeof(thetas[0]); t++) {
		double total = 0, chi;

		seq->theta = thetas[t];
		for (int i = 0; i < BLOCKS; i++)
			total += share[i] = pow(i + 1, -seq->theta);
		for (int i = 0; i < BLOCKS; i++)
			share[i] /= total;
		begin(PATTERN_ZIPF, BLOCKS, 3);
		count(0, reads);
		chi = chi_square(share, reads);
		if (chi < 0.85 || chi > 1.15)
			fail_msg("theta %g: chi-square per degree of freedom %g", seq->theta, chi);
	}
}

static void zipf_reaches_first_and_last_rank(void **state)
{
	(void)state;
	seq->theta = 1.4;
	begin(PATTERN_ZIPF, BLOCKS, 1);
	assert_int_equal(sequence_rank(seq, 0), 0);
	assert_int_equal(sequence_rank(seq, UINT64_MAX), BLOCKS - 1);
	assert_int_equal(sequence_rank(seq, seq->cumulative[0] - 1), 0);
	assert_int_equal(sequence_rank(seq, seq->cumulative[0]), 1);
	begin(PATTERN_ZIPF, 1, 1);
	assert_int_equal(sequence_rank(seq, UINT64_MAX), 0);
}

static void uniform_has_equal_shares(void **state)
{
	static double share[BLOCKS];
	const uint64_t reads = 4000000;
	double chi;

	(void)state;
	for (int i = 0; i < BLOCKS; i++)
		share[i] = 1.0 / BLOCKS;
	begin(PATTERN_UNIFORM, BLOCKS, 1);
	count(0, reads);
	chi = chi_square(share, reads);
	assert_true(chi > 0.85 && chi < 1.15);
}

static void hot_draws_stay_among_the_hot(void **state)
{
	int touched = 0;

	(void)state;
	seq->hot = 100;
	seq->theta = 0.8;
	begin(PATTERN_ZIPF, BLOCKS, 1);
	count(0, 100000);
	seq->hot = 0;
	for (int i = 0; i < BLOCKS; i++)
		touched += hits[i] > 0;
	assert_int_equal(touched, 100);
}

static void others_come_in_order_and_in_their_share(void **state)
{
	static const uint64_t sizes[] = { 0, 1000 };

	(void)state;
	for (int s = 0; s < 2; s++) {
		uint64_t others = 0;

		seq->other = 0.3;
		seq->other_blocks = sizes[s];
		begin(PATTERN_UNIFORM, BLOCKS, 1);
		sequence_pass(seq, 0, 0);
		for (int i = 0; i < 100000; i++) {
			uint64_t block = sequence_next(seq);

			if (block < BLOCKS)
				continue;
			assert_true(block - BLOCKS == (sizes[s] ? others % sizes[s] : others));
			others++;
		}
		assert_in_range(others, 29500, 30500);
	}
	seq->other = seq->other_blocks = 0;
}

static void reshuffling_changes_the_ranks_half_way(void **state)
{
	uint32_t first;

	(void)state;
	seq->theta = 1.4;
	begin(PATTERN_ZIPF, BLOCKS, 1);
	first = seq->permutation[0];
	sequence_pass(seq, 0, 1000);
	for (int i = 0; i < 999; i++)
		sequence_next(seq);
	assert_int_equal(seq->permutation[0], first);
	sequence_next(seq);
	assert_int_not_equal(seq->permutation[0], first);
}

static void percentiles_are_those_of_the_reads(void **state)
{
	(void)state;
	memset(buckets, 0, sizeof(buckets));
	for (uint64_t ns = 0; ns < 1000; ns++)
		buckets[bucket_of(ns)]++;
	assert_int_equal(percentile(1000, 50), 448);
	assert_int_equal(percentile(1000, 99), 896);
	for (uint64_t ns = 1; ns; ns <<= 1)
		assert_in_range(bucket_of(ns), 0, NR_BUCKETS - 1);
}

static void permutation_moves_nearly_all_blocks(void **state)
{
	int fixed = 0;

	(void)state;
	begin(PATTERN_SHUFFLE, BLOCKS, 1);
	for (int i = 0; i < BLOCKS; i++)
		fixed += seq->permutation[i] == (uint32_t)i;
	/* one on average; many would be a broken shuffle */
	assert_true(fixed < 8);
}

/* --- errors ---------------------------------------------------------------- */

static char path[] = "/tmp/test_reader.XXXXXX";

static int make_file(void **state)
{
	int made;

	(void)state;
	strcpy(path + strlen(path) - 6, "XXXXXX");
	made = mkstemp(path);
	if (made < 0)
		return -1;
	close(made);
	opt.file = path;
	seq->blocks = 64;
	create();
	/* expected errors are not for the eyes of who runs the tests */
	complaints = MAX_COMPLAINTS;
	return 0;
}

static int drop_file(void **state)
{
	(void)state;
	close(fd);
	return unlink(path);
}

static void spoil(off_t at)
{
	int f = open(path, O_WRONLY);

	assert_true(f >= 0);
	assert_int_equal(pwrite(f, "\0spoilt", 7, at), 7);
	close(f);
}

static void fd_reads_tell_wrong_content_and_short_files(void **state)
{
	(void)state;
	opt.engine = ENGINE_FD;
	file_begin();
	for (uint64_t i = 0; i < seq->blocks; i++)
		assert_true(read_fd(i));
	spoil(5 * BLOCK_SIZE);
	spoil(7 * BLOCK_SIZE + BLOCK_SIZE - 8);
	for (uint64_t i = 0; i < seq->blocks; i++)
		assert_int_equal(read_fd(i), i != 5 && i != 7);
	assert_int_equal(truncate(path, 32 * BLOCK_SIZE + 100), 0);
	assert_true(read_fd(31));
	assert_false(read_fd(32));
	assert_false(read_fd(33));
	close(fd);
	assert_false(read_fd(0));
}

static void mmap_reads_survive_bus_errors(void **state)
{
	(void)state;
	opt.engine = ENGINE_MMAP;
	file_begin();
	for (uint64_t i = 0; i < seq->blocks; i++)
		assert_true(read_mmap(i));
	spoil(5 * BLOCK_SIZE);
	for (uint64_t i = 0; i < seq->blocks; i++)
		assert_int_equal(read_mmap(i), i != 5);
	assert_int_equal(truncate(path, 32 * BLOCK_SIZE), 0);
	for (int again = 0; again < 3; again++) {
		assert_true(read_mmap(31));
		assert_false(read_mmap(32));
		assert_false(read_mmap(63));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(laps_read_each_block_once),
		cmocka_unit_test(shuffle_goes_on_where_the_pass_ended),
		cmocka_unit_test(same_seed_same_order),
		cmocka_unit_test(draws_differ_from_pass_to_pass),
		cmocka_unit_test(strided_reads_one_block_in_sixteen),
		cmocka_unit_test(zipf_has_the_exact_shares),
		cmocka_unit_test(zipf_reaches_first_and_last_rank),
		cmocka_unit_test(uniform_has_equal_shares),
		cmocka_unit_test(hot_draws_stay_among_the_hot),
		cmocka_unit_test(others_come_in_order_and_in_their_share),
		cmocka_unit_test(reshuffling_changes_the_ranks_half_way),
		cmocka_unit_test(percentiles_are_those_of_the_reads),
		cmocka_unit_test(permutation_moves_nearly_all_blocks),
		cmocka_unit_test_setup_teardown(fd_reads_tell_wrong_content_and_short_files,
						make_file, drop_file),
		cmocka_unit_test_setup_teardown(mmap_reads_survive_bus_errors,
						make_file, drop_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
