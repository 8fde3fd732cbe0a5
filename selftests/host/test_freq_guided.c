// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the rules in policies/freq_guided.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../policies/freq_guided.h"

static void check(struct fg_accessed a, u32 count, enum fg_move move)
{
	assert_int_equal(a.count, count);
	assert_int_equal(a.move, move);
}

static void tiers(void **state)
{
	static const u32 tier[] = { 0, 0, 1, 2, 2, 3, 3, 3 };

	(void)state;
	for (u32 count = 0; count <= FG_MAX_COUNT; count++)
		assert_int_equal(fg_tier(count), tier[count]);
}

static void youngest_and_off_list_only_count(void **state)
{
	(void)state;
	for (u32 gens = 2; gens <= 4; gens++) {
		for (u32 count = 0; count <= FG_MAX_COUNT; count++) {
			for (u32 gen = gens - 1; gen <= gens; gen++) {
				u32 c = fg_min(count + 1, FG_MAX_COUNT);

				check(fg_access(FG_ACCESS_FD, count, gen, gens, false, false),
				      c, FG_STAY);
				check(fg_access(FG_ACCESS_PT, count, gen, gens, false, true),
				      c, FG_STAY);
			}
		}
	}
}

static void read_in_the_oldest_moves_up_at_the_second(void **state)
{
	(void)state;
	check(fg_access(FG_ACCESS_FD, 0, 0, 4, false, false), 1, FG_STAY);
	check(fg_access(FG_ACCESS_FD, 1, 0, 4, false, false), 2, FG_UP);
	check(fg_access(FG_ACCESS_FD, 2, 0, 4, false, false), 3, FG_UP);
	check(fg_access(FG_ACCESS_FD, 6, 0, 4, false, false), 3, FG_UP);
}

static void read_above_the_oldest_counts_until_it_overflows(void **state)
{
	(void)state;
	for (u32 count = 0; count < FG_MAX_COUNT; count++)
		check(fg_access(FG_ACCESS_FD, count, 1, 4, false, false), count + 1, FG_STAY);
	check(fg_access(FG_ACCESS_FD, 7, 1, 4, false, false), 3, FG_UP);
	check(fg_access(FG_ACCESS_FD, 7, 0, 4, false, false), 3, FG_UP);
}

static void marked_counts_as_one_up(void **state)
{
	(void)state;
	check(fg_access(FG_ACCESS_FD, 3, 0, 4, true, false), 4, FG_STAY);
	check(fg_access(FG_ACCESS_FD, 7, 0, 4, true, false), 7, FG_STAY);
	check(fg_access(FG_ACCESS_PT, 0, 0, 4, true, false), 1, FG_STAY);
	/* one up from the second youngest is the youngest */
	check(fg_access(FG_ACCESS_PT, 3, 2, 4, true, false), 4, FG_STAY);
	/* off the lists the mark means nothing */
	check(fg_access(FG_ACCESS_FD, 1, 4, 4, true, false), 2, FG_STAY);
}

static void page_tables_move_to_the_youngest_at_the_second(void **state)
{
	(void)state;
	check(fg_access(FG_ACCESS_PT, 0, 0, 4, false, false), 1, FG_UP);
	check(fg_access(FG_ACCESS_PT, 0, 1, 4, false, false), 1, FG_STAY);
	check(fg_access(FG_ACCESS_PT, 0, 0, 4, false, true), 1, FG_YOUNGEST);
	check(fg_access(FG_ACCESS_PT, 1, 0, 4, false, false), 2, FG_YOUNGEST);
	check(fg_access(FG_ACCESS_PT, 7, 2, 4, false, false), 3, FG_YOUNGEST);
}

static void rmap_keeps_once_then_activates(void **state)
{
	(void)state;
	check(fg_access(FG_ACCESS_RMAP, 0, 4, 4, false, false), 1, FG_STAY);
	check(fg_access(FG_ACCESS_RMAP, 0, 4, 4, false, true), 1, FG_YOUNGEST);
	check(fg_access(FG_ACCESS_RMAP, 1, 4, 4, false, false), 2, FG_YOUNGEST);
	check(fg_access(FG_ACCESS_RMAP, 6, 4, 4, false, false), 3, FG_YOUNGEST);
}

static void placed(struct fg_insertion in, u32 gen, u32 count)
{
	struct fg_placed p = fg_place(&in);

	assert_int_equal(p.gen, gen);
	assert_int_equal(p.count, count);
}

static void placement(void **state)
{
	(void)state;
	placed((struct fg_insertion){ .nr_gens = 4, .count = 0 }, 0, 0);
	placed((struct fg_insertion){ .nr_gens = 4, .count = 1 }, 0, 1);
	placed((struct fg_insertion){ .nr_gens = 4, .count = 2 }, 1, 2);
	placed((struct fg_insertion){ .nr_gens = 3, .count = 2 }, 0, 2);
	placed((struct fg_insertion){ .nr_gens = 4, .count = 1, .active = true }, 2, 1);
	placed((struct fg_insertion){ .nr_gens = 4, .count = 2, .active = true }, 3, 2);
	placed((struct fg_insertion){ .nr_gens = 4, .count = 3, .rotated = true }, 0, 3);
	placed((struct fg_insertion){ .nr_gens = 4, .count = 0, .unswapped = true }, 2, 0);
	placed((struct fg_insertion){ .nr_gens = 4, .count = 3, .reclaim_dirty = true }, 2, 3);
	placed((struct fg_insertion){ .nr_gens = 2, .count = 0, .unswapped = true }, 0, 0);
}

static void put_back_is_capped_and_not_the_oldest(void **state)
{
	(void)state;
	placed((struct fg_insertion){ .nr_gens = 4, .count = 1, .put_back = true }, 2, 1);
	placed((struct fg_insertion){ .nr_gens = 4, .count = 3, .put_back = true }, 1, 2);
	placed((struct fg_insertion){ .nr_gens = 3, .count = 3, .put_back = true }, 1, 2);
	/* what the check before eviction has activated keeps its count */
	placed((struct fg_insertion){ .nr_gens = 4, .count = 3, .put_back = true,
				      .active = true }, 3, 3);
}

static void placement_is_always_a_generation_that_exists(void **state)
{
	(void)state;
	for (u32 gens = 1; gens <= 4; gens++) {
		for (u32 bits = 0; bits < 32 * (FG_MAX_COUNT + 1); bits++) {
			struct fg_insertion in = {
				.nr_gens = gens, .count = bits >> 5, .active = bits & 1,
				.rotated = bits & 2, .unswapped = bits & 4,
				.reclaim_dirty = bits & 8, .put_back = bits & 16,
			};
			struct fg_placed p = fg_place(&in);

			assert_true(p.gen < gens);
			assert_true(p.count <= in.count);
		}
	}
}

static void tier_idx(void **state)
{
	struct fg_tier_pos few[4] = { { 0, 1000 }, { 63, 63 }, { 63, 63 }, { 63, 63 } };
	struct fg_tier_pos none[4] = { 0 };
	struct fg_tier_pos second[4] = { { 100, 1000 }, { 300, 1000 }, { 0, 0 }, { 0, 0 } };
	struct fg_tier_pos third[4] = { { 100, 1000 }, { 180, 1000 }, { 500, 1000 }, { 0, 0 } };
	struct fg_tier_pos chain[4] = { { 100, 1000 }, { 185, 1000 }, { 340, 1000 },
					{ 600, 1000 } };

	(void)state;
	assert_int_equal(fg_tier_idx(none, 2), 3);
	assert_int_equal(fg_tier_idx(few, 2), 3);
	assert_int_equal(fg_tier_idx(second, 2), 0);
	assert_int_equal(fg_tier_idx(second, 4), 3);
	assert_int_equal(fg_tier_idx(third, 2), 1);
	/* each less than twice the one below, though not than the first */
	assert_int_equal(fg_tier_idx(chain, 2), 3);
}

static void gain_is_a_ratio_of_two(void **state)
{
	struct fg_tier_pos below = { 999, 10000 - 64 }, above = { 2000, 10000 };

	(void)state;
	assert_true(fg_tier_evictable(&below, &above, 2));
	above.refaulted++;
	assert_false(fg_tier_evictable(&below, &above, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiers),
		cmocka_unit_test(youngest_and_off_list_only_count),
		cmocka_unit_test(read_in_the_oldest_moves_up_at_the_second),
		cmocka_unit_test(read_above_the_oldest_counts_until_it_overflows),
		cmocka_unit_test(marked_counts_as_one_up),
		cmocka_unit_test(page_tables_move_to_the_youngest_at_the_second),
		cmocka_unit_test(rmap_keeps_once_then_activates),
		cmocka_unit_test(placement),
		cmocka_unit_test(put_back_is_capped_and_not_the_oldest),
		cmocka_unit_test(placement_is_always_a_generation_that_exists),
		cmocka_unit_test(tier_idx),
		cmocka_unit_test(gain_is_a_ratio_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
