// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the rules in policies/ladder.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../policies/ladder.h"

#define BITS	20

static void count_saturates(void **state)
{
	(void)state;
	assert_int_equal(ld_inc(0), 1);
	assert_int_equal(ld_inc(6), 7);
	assert_int_equal(ld_inc(7), 7);
	assert_int_equal(ld_restored(0, 0), 0);
	assert_int_equal(ld_restored(7, 1), 7);
	assert_int_equal(ld_restored(3, UINT32_MAX), 7);
}

static void order_reaches_four_times_ram(void **state)
{
	(void)state;
	assert_int_equal(ld_order(1 << 15, BITS), 0);
	assert_int_equal(ld_order((1 << 15) + 1, BITS), 1);
	assert_int_equal(ld_order(1 << 19, BITS), 4);		/* 2 GiB */
	for (u64 ram = 1; ram < 1ULL << 46; ram = ram * 3 + 1)
		assert_true(1ULL << (BITS - 3 + ld_order(ram, BITS)) >= 4 * ram);
}

static void cookie_keeps_count_and_clock(void **state)
{
	(void)state;
	for (u32 order = 0; order <= 12; order += 4) {
		for (u64 clock = 0; clock < 1ULL << 40; clock = clock * 5 + 77) {
			for (u32 count = 0; count <= LD_MAX_COUNT; count++) {
				u32 cookie = ld_cookie(count, clock, order, BITS);

				assert_true(cookie < 1U << BITS);
				assert_int_equal(ld_cookie_count(cookie), count);
				assert_int_equal(ld_elapsed(clock, cookie, order, BITS), 0);
			}
		}
	}
}

static void elapsed_survives_wrapping(void **state)
{
	const u64 starts[] = { 0, (1 << 17) - 1, (1ULL << 32) - 5, ~0ULL - 3 };

	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		for (u32 order = 0; order <= 6; order += 3) {
			u32 cookie = ld_cookie(5, starts[i], order, BITS);
			u64 reach = 1ULL << (BITS - 3 + order), unit = 1ULL << order;

			for (u64 d = 0; d + unit < reach; d = d * 2 + 3) {
				u64 e = ld_elapsed(starts[i] + d, cookie, order, BITS);

				assert_true(e < d + unit && e + unit > d);
			}
			assert_int_equal(ld_elapsed(starts[i] + reach, cookie, order, BITS), 0);
		}
	}
}

static void decay(void **state)
{
	(void)state;
	assert_int_equal(ld_decay(7, 0, 4000, 4), 7);
	assert_int_equal(ld_decay(7, 999, 4000, 4), 7);
	assert_int_equal(ld_decay(7, 1000, 4000, 4), 6);
	assert_int_equal(ld_decay(7, 6999, 4000, 4), 1);
	assert_int_equal(ld_decay(7, 7000, 4000, 4), 0);
	assert_int_equal(ld_decay(1, ~0ULL, 4000, 4), 0);
	/* no such thing as division by zero */
	assert_int_equal(ld_decay(3, 2, 0, 4), 1);
	assert_int_equal(ld_decay(3, 2, 3, 4), 1);
	assert_int_equal(ld_decay(3, ~0ULL, 4000, 0), 3);
}

static void placement(void **state)
{
	(void)state;
	assert_int_equal(ld_place(99, 10000, 100), 1);
	assert_int_equal(ld_place(100, 10000, 100), 0);
	assert_int_equal(ld_place(0, 10000, 100), 1);
	assert_int_equal(ld_place(0, 10000, 0), 0);
	assert_int_equal(ld_place(0, 0, 100), 0);
}

static void up_from_the_two_oldest(void **state)
{
	(void)state;
	for (u32 count = 0; count <= LD_MAX_COUNT; count++) {
		assert_int_equal(ld_up(count, 0, 3), count >= 3);
		assert_int_equal(ld_up(count, 1, 3), count >= 3);
		assert_false(ld_up(count, 2, 3));
	}
}

static void first_young_bit_does_not_keep(void **state)
{
	(void)state;
	assert_false(ld_keep(0));
	assert_true(ld_keep(1));
}

static void threshold_falls_while_the_oldest_is_large(void **state)
{
	(void)state;
	assert_int_equal(ld_threshold(2500, 10000, 3, 4), 3);
	assert_int_equal(ld_threshold(2501, 10000, 3, 4), 1);
	assert_int_equal(ld_threshold(10000, 10000, 3, 0), 3);
	/* a count of 0 has nothing to pay with */
	assert_int_equal(ld_threshold(0, 10000, 0, 4), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(count_saturates),
		cmocka_unit_test(order_reaches_four_times_ram),
		cmocka_unit_test(cookie_keeps_count_and_clock),
		cmocka_unit_test(elapsed_survives_wrapping),
		cmocka_unit_test(decay),
		cmocka_unit_test(placement),
		cmocka_unit_test(up_from_the_two_oldest),
		cmocka_unit_test(first_young_bit_does_not_keep),
		cmocka_unit_test(threshold_falls_while_the_oldest_is_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
