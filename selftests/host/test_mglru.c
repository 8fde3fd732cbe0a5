// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the rules in policies/mglru.h and policies/fg_rd.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../policies/fg_rd.h"
#include "../../policies/mglru.h"

static void generations(void **state)
{
	(void)state;
	assert_int_equal(mglru_gen_behind(4, 0), 3);
	assert_int_equal(mglru_gen_behind(4, 3), 0);
	assert_int_equal(mglru_gen_behind(3, 3), 0);
	assert_int_equal(mglru_gen_behind(2, 1), 0);
}

static void tiers(void **state)
{
	static const u32 tier[] = { 0, 0, 1, 2, 2 };

	(void)state;
	for (u32 refs = 0; refs <= MGLRU_MAX_REFS; refs++) {
		assert_int_equal(mglru_tier(refs, false), tier[refs]);
		assert_int_equal(mglru_tier(refs, true), 3);
	}
}

static u32 place(struct mglru_insertion in)
{
	return mglru_place(&in);
}

static void insertion(void **state)
{
	(void)state;
	assert_int_equal(place((struct mglru_insertion){ .nr_gens = 4 }), 0);
	assert_int_equal(place((struct mglru_insertion){ .nr_gens = 4, .used = true }), 1);
	assert_int_equal(place((struct mglru_insertion){ .nr_gens = 3, .used = true }), 0);
	assert_int_equal(place((struct mglru_insertion){ .nr_gens = 4, .workingset = true }), 1);
	assert_int_equal(place((struct mglru_insertion){ .nr_gens = 4, .unswapped = true }), 2);
	assert_int_equal(place((struct mglru_insertion){ .nr_gens = 4, .reclaim_dirty = true }), 2);
	assert_int_equal(place((struct mglru_insertion){ .nr_gens = 4, .active = true }), 2);
	assert_int_equal(place((struct mglru_insertion){
			       .nr_gens = 4, .active = true, .workingset = true }), 3);
	/* rotated beats all but active */
	assert_int_equal(place((struct mglru_insertion){
			       .nr_gens = 4, .rotated = true, .workingset = true,
			       .unswapped = true }), 0);
	assert_int_equal(place((struct mglru_insertion){
			       .nr_gens = 4, .rotated = true, .active = true }), 2);
}

static void by_descriptor(void **state)
{
	(void)state;
	for (u32 refs = 0; refs < MGLRU_MAX_REFS; refs++) {
		assert_int_equal(mglru_access_fd(refs).refs, refs + 1);
		assert_false(mglru_access_fd(refs).mark);
	}
	assert_int_equal(mglru_access_fd(MGLRU_MAX_REFS).refs, MGLRU_MAX_REFS);
	assert_true(mglru_access_fd(MGLRU_MAX_REFS).mark);
}

static void check_pt(struct mglru_accessed a, u32 refs, bool mark, bool promote)
{
	assert_int_equal(a.refs, refs);
	assert_int_equal(a.mark, mark);
	assert_int_equal(a.promote, promote);
}

static void by_page_tables(void **state)
{
	(void)state;
	/* the first time it is only counted, unless executable */
	check_pt(mglru_access_pt(0, false, false, true), 1, false, false);
	check_pt(mglru_access_pt(0, false, false, false), 1, false, false);
	check_pt(mglru_access_pt(0, false, true, true), 0, true, true);
	check_pt(mglru_access_pt(0, false, true, false), 0, true, true);
	/* a walk promotes at the second */
	check_pt(mglru_access_pt(1, false, false, true), 0, true, true);
	check_pt(mglru_access_pt(0, true, false, true), 0, true, true);
	/* at eviction the mark needs one more */
	check_pt(mglru_access_pt(1, false, false, false), 2, false, true);
	check_pt(mglru_access_pt(0, true, false, false), 1, false, true);
	check_pt(mglru_access_pt(2, false, false, false), 0, true, true);
}

static void controller(void **state)
{
	struct mglru_pos pos[MGLRU_TIERS] = {
		{ .refaulted = 100, .total = 1000 },
		{ .refaulted = 100, .total = 1000 },
		{ .refaulted = 400, .total = 1000 },
		{ .refaulted = 10, .total = 10 },
	};
	struct mglru_pos few = { .refaulted = 63, .total = 63, .gain = 1 };

	(void)state;
	/* the ratio of tier 2 is four times that of tier 0, 3/2 is allowed */
	assert_int_equal(mglru_tier_idx(pos), 1);
	pos[2].refaulted = 140;
	assert_int_equal(mglru_tier_idx(pos), 3);
	pos[0].gain = 1;
	assert_true(mglru_error(&pos[0], &few));
	few.refaulted = few.total = 64;
	assert_false(mglru_error(&pos[0], &few));
}

static void type(void **state)
{
	struct mglru_pos anon = { .refaulted = 100, .total = 1000 };
	struct mglru_pos file = { .refaulted = 100, .total = 1000 };

	(void)state;
	assert_true(mglru_file_next(&anon, &file, 60));
	assert_false(mglru_file_next(&anon, &file, 140));
	assert_true(mglru_file_next(&anon, &file, 1));
	assert_false(mglru_file_next(&anon, &file, 200));
	file.refaulted = 900;
	assert_false(mglru_file_next(&anon, &file, 60));
}

static void ageing(void **state)
{
	(void)state;
	assert_false(mglru_age(3, 3, 60, MGLRU_PRIORITY));
	assert_true(mglru_age(3, 3, 60, MGLRU_PRIORITY - 1));
	assert_false(mglru_age(4, 3, 60, 0));
	assert_true(mglru_age(4, 3, 0, 0));
	assert_true(mglru_age(3, 4, 201, 0));
	assert_false(mglru_age(2, 2, 60, 0));
}

static void count_and_time_share_a_cookie(void **state)
{
	(void)state;
	for (u32 count = 0; count <= FG_MAX_COUNT; count++) {
		u32 cookie = fgrd_cookie(count, 0x1ffff);

		assert_int_equal(fgrd_cookie_count(cookie), count);
		assert_int_equal(fgrd_cookie_time(cookie), 0x1ffff);
		assert_true(cookie < 1U << 20);
		assert_in_range(fgrd_restored(count), 2, FG_CAP_PROMOTED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generations),
		cmocka_unit_test(tiers),
		cmocka_unit_test(insertion),
		cmocka_unit_test(by_descriptor),
		cmocka_unit_test(by_page_tables),
		cmocka_unit_test(controller),
		cmocka_unit_test(type),
		cmocka_unit_test(ageing),
		cmocka_unit_test(count_and_time_share_a_cookie),
	};

	return cmocka_run_group_tests_name("mglru", tests, NULL, NULL);
}
