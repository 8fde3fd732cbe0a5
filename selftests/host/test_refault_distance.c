// SPDX-License-Identifier: GPL-2.0
/* Unit tests of the arithmetic in policies/refault_distance.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../policies/refault_distance.h"

#define COOKIE_BITS	20
#define FILE_TYPE	true
#define ANON_TYPE	false

static u64 low_bits(u32 n)
{
	return n < 64 ? (1ULL << n) - 1 : ~0ULL;
}

/* --- order ---------------------------------------------------------------- */

static void order_is_the_smallest_that_reaches_all_of_ram(void **state)
{
	static const u64 ram[] = {
		1, 2, 1024, 4096, 65536,			/* 4 KiB to 256 MiB */
		(1 << 20) - 1, 1 << 20, (1 << 20) + 1,		/* around 4 GiB */
		(1 << 21) - 1, 1 << 21, (1 << 21) + 1,
		1ULL << 28, (1ULL << 32) + 1, 1ULL << 46,	/* to 256 PiB */
		(1ULL << 46) + 1, 1ULL << 52,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ram) / sizeof(ram[0]); i++) {
		for (u32 bits = 1; bits <= 31; bits++) {
			u32 order = rd_order(ram[i], bits);

			assert_true(1ULL << (bits + order) >= ram[i]);
			if (order)
				assert_true(1ULL << (bits + order - 1) < ram[i]);
		}
	}
}

static void order_of_known_machines(void **state)
{
	(void)state;
	assert_int_equal(rd_order(0, COOKIE_BITS), 0);
	assert_int_equal(rd_order(4096, COOKIE_BITS), 0);	/* 16 MiB */
	assert_int_equal(rd_order(1 << 19, COOKIE_BITS), 0);	/* 2 GiB */
	assert_int_equal(rd_order(1 << 20, COOKIE_BITS), 0);	/* 4 GiB */
	assert_int_equal(rd_order((1 << 20) + 1, COOKIE_BITS), 1);
	assert_int_equal(rd_order(1ULL << 28, COOKIE_BITS), 8);	/* 1 TiB */
	assert_int_equal(rd_order(1ULL << 46, COOKIE_BITS), 26);
}

static void order_ends_even_for_impossible_machines(void **state)
{
	(void)state;
	assert_int_equal(rd_order(~0ULL, COOKIE_BITS), 44);
	assert_int_equal(rd_order(1ULL << 63, 31), 32);
	assert_int_equal(rd_order(~0ULL, 31), 33);
}

/* --- cookie and distance -------------------------------------------------- */

/* Every order that rd_order() can give for some width. */
#define for_each_width(bits, order)				\
	for (u32 bits = 1; bits <= 31; bits++)			\
		for (u32 order = 0; bits + order <= 64; order++)

static void cookie_fits_its_width(void **state)
{
	(void)state;
	for_each_width(bits, order) {
		assert_int_equal(rd_cookie(0, order, bits), 0);
		assert_true(rd_cookie(~0ULL, order, bits) <= low_bits(bits));
		if (order < 64)
			assert_int_equal(rd_cookie(1ULL << order, order, bits), 1);
	}
}

/* Whatever the clock was at eviction, also just before it or the cookie wraps. */
static void check_distance(u64 then, u64 passed, u32 order, u32 bits)
{
	u64 span = low_bits(bits + order);
	u64 cut = then & low_bits(order);
	u64 got = rd_distance(then + passed, rd_cookie(then, order, bits), order, bits);

	assert_true(got == ((passed + cut) & span));
	if (passed <= span - cut) {
		assert_true(got >= passed);
		assert_true(got - passed <= low_bits(order));
	}
}

static void distance_across_every_wrap(void **state)
{
	(void)state;
	for_each_width(bits, order) {
		u64 span = low_bits(bits + order);
		u64 unit = order < 64 ? 1ULL << order : 0;
		const u64 clocks[] = {
			0, 1, unit - 1, unit, unit + 1, span / 2, span - unit,
			span - 1, span, span + 1, span + unit, 3 * span + 7,
			1ULL << 63, ~0ULL - unit, ~0ULL - 1, ~0ULL,
		};
		const u64 passed[] = {
			0, 1, unit - 1, unit, unit + 1, span / 3, span / 2,
			span - unit, span - 1, span, span + 1, span + unit,
		};

		for (size_t c = 0; c < sizeof(clocks) / sizeof(clocks[0]); c++)
			for (size_t p = 0; p < sizeof(passed) / sizeof(passed[0]); p++)
				check_distance(clocks[c], passed[p], order, bits);
	}
}

static void distance_is_exact_without_order(void **state)
{
	(void)state;
	assert_true(rd_distance(1000, rd_cookie(400, 0, 20), 0, 20) == 600);
	assert_true(rd_distance(5, rd_cookie((1 << 20) - 5, 0, 20), 0, 20) == 10);
	/* one lap later it looks like now: what the width can't tell apart */
	assert_true(rd_distance(1 << 20, rd_cookie(0, 0, 20), 0, 20) == 0);
}

static void distance_with_order_goes_beyond_the_cookie_width(void **state)
{
	u32 order = rd_order(1ULL << 46, COOKIE_BITS);
	u64 far = (1ULL << 46) - (1ULL << order);

	(void)state;
	/* masked to 20 bits, these would all be near */
	assert_true(rd_distance(1ULL << 40, rd_cookie(0, order, 20), order, 20) == 1ULL << 40);
	assert_true(rd_distance(far, rd_cookie(0, order, 20), order, 20) == far);
}

static void distance_on_a_tiny_machine(void **state)
{
	u32 order = rd_order(4096, COOKIE_BITS);

	(void)state;
	for (u64 then = 0; then < 3 << 20; then += 4093)
		for (u64 passed = 0; passed <= 4096; passed += 64)
			assert_true(rd_distance(then + passed, rd_cookie(then, order, 20),
						order, 20) == passed);
}

/* --- qualification -------------------------------------------------------- */

struct qualify_case {
	const char *what;
	struct rd_sizes sizes;
	u64 limit_file;
	u64 limit_anon;
};

static const struct qualify_case qualify_cases[] = {
	{ "empty", { 0, 0, 0 }, 0, 0 },
	{ "all active: nothing to give", { 100, 0, 0 }, 0, 0 },
	{ "all inactive file: only anon may have it", { 0, 0, 100 }, 0, 100 },
	{ "all inactive anon: only file may have it", { 0, 100, 0 }, 100, 0 },
	{ "file only, active outweighs", { 60, 0, 40 }, 40, 40 },
	{ "file only, equal counts as outweighing", { 50, 0, 50 }, 50, 50 },
	{ "file only, one less", { 49, 0, 50 }, 49, 99 },
	{ "both, active outweighs", { 100, 30, 40 }, 70, 70 },
	{ "both, equal", { 70, 30, 40 }, 70, 70 },
	{ "both, inactive outweighs", { 69, 30, 40 }, 99, 109 },
	{ "idle anon beside a file set", { 10, 1000, 100 }, 1010, 110 },
	{ "2^46 pages, active outweighs",
	  { 1ULL << 46, 1ULL << 44, 1ULL << 45 }, 3ULL << 44, 3ULL << 44 },
	{ "2^46 pages, inactive outweighs",
	  { 1ULL << 44, 1ULL << 45, 1ULL << 46 }, 3ULL << 44, 5ULL << 44 },
};

static void limit_of_every_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(qualify_cases) / sizeof(qualify_cases[0]); i++) {
		const struct qualify_case *c = &qualify_cases[i];

		if (rd_limit(&c->sizes, FILE_TYPE) != c->limit_file)
			fail_msg("%s: file limit %llu", c->what,
				 (unsigned long long)rd_limit(&c->sizes, FILE_TYPE));
		if (rd_limit(&c->sizes, ANON_TYPE) != c->limit_anon)
			fail_msg("%s: anon limit %llu", c->what,
				 (unsigned long long)rd_limit(&c->sizes, ANON_TYPE));
	}
}

static void qualified_is_strictly_below_the_limit(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(qualify_cases) / sizeof(qualify_cases[0]); i++) {
		const struct qualify_case *c = &qualify_cases[i];

		for (int file = 0; file <= 1; file++) {
			u64 limit = file ? c->limit_file : c->limit_anon;

			assert_false(rd_qualifies(limit, &c->sizes, file, 100));
			assert_false(rd_qualifies(limit + 1, &c->sizes, file, 100));
			assert_false(rd_qualifies(~0ULL, &c->sizes, file, 100));
			if (limit) {
				assert_true(rd_qualifies(limit - 1, &c->sizes, file, 100));
				assert_true(rd_qualifies(0, &c->sizes, file, 100));
			}
		}
	}
}

static void scale_of_the_limit(void **state)
{
	(void)state;
	assert_true(rd_scale(0, 100) == 0);
	assert_true(rd_scale(12345, 100) == 12345);
	assert_true(rd_scale(12345, 0) == 0);
	assert_true(rd_scale(12345, 50) == 6172);
	assert_true(rd_scale(199, 150) == 298);
	assert_true(rd_scale(7, 200) == 14);
	assert_true(rd_scale(7, RD_PCT_MAX) == 700);
	/* out of range is the end of the range */
	assert_true(rd_scale(7, ~0U) == 700);
	/* no overflow at 2^46 pages, nor at 2^56 */
	assert_true(rd_scale(1ULL << 46, 300) == 3ULL << 46);
	assert_true(rd_scale(1ULL << 56, RD_PCT_MAX) == (1ULL << 56) * 100);
	assert_true(rd_scale(~0ULL, 100) == ~0ULL);
}

/* --- answer and charge ---------------------------------------------------- */

static void answer_of_every_folio(void **state)
{
	(void)state;
	for (u32 refs = 0; refs <= 4; refs++) {
		for (int workingset = 0; workingset <= 1; workingset++) {
			struct rd_answer a = rd_answer(true, refs, workingset);

			assert_int_equal(a.active, refs > 1 || workingset);
			assert_true(a.workingset);
			assert_true(a.restore);

			a = rd_answer(false, refs, workingset);
			assert_true(a.active);
			assert_int_equal(a.workingset, workingset);
			assert_int_equal(a.restore, workingset);
		}
	}
}

static const struct {
	u32 refs;
	bool workingset;
	u32 old_tier;		/* as the kernel has it */
	u32 tier;		/* that pays */
	enum rd_charge recent;	/* and from what, if the eviction is recent */
	enum rd_charge old;	/* and if not */
} charge_table[] = {
	{ 0, false, 0, 1, RD_CHARGE_AVERAGES, RD_CHARGE_NONE },
	{ 1, false, 0, 1, RD_CHARGE_AVERAGES, RD_CHARGE_NONE },
	{ 2, false, 1, 2, RD_CHARGE_AVERAGES, RD_CHARGE_NONE },
	{ 3, false, 2, 2, RD_CHARGE_HISTOGRAM, RD_CHARGE_NONE },
	{ 4, false, 2, 3, RD_CHARGE_AVERAGES, RD_CHARGE_NONE },
	{ 0, true, 3, 3, RD_CHARGE_HISTOGRAM, RD_CHARGE_AVERAGES },
	{ 1, true, 3, 3, RD_CHARGE_HISTOGRAM, RD_CHARGE_AVERAGES },
	{ 2, true, 3, 3, RD_CHARGE_HISTOGRAM, RD_CHARGE_AVERAGES },
	{ 3, true, 3, 3, RD_CHARGE_HISTOGRAM, RD_CHARGE_AVERAGES },
	{ 4, true, 3, 3, RD_CHARGE_HISTOGRAM, RD_CHARGE_AVERAGES },
};

static void charge_of_every_folio(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(charge_table) / sizeof(charge_table[0]); i++) {
		bool workingset = charge_table[i].workingset;
		u32 old_tier = charge_table[i].old_tier;
		u32 tier = rd_charged_tier(charge_table[i].refs, workingset);

		assert_int_equal(tier, charge_table[i].tier);
		assert_true(tier < RD_NR_TIERS);
		assert_int_equal(rd_charge_to(tier, old_tier, true, workingset, false),
				 charge_table[i].recent);
		assert_int_equal(rd_charge_to(tier, old_tier, false, workingset, false),
				 charge_table[i].old);
		/* as posted: the same while it is recent, later always the averages */
		assert_int_equal(rd_charge_to(tier, old_tier, true, workingset, true),
				 charge_table[i].recent);
		assert_int_equal(rd_charge_to(tier, old_tier, false, workingset, true),
				 RD_CHARGE_AVERAGES);
	}
}

static void tiers_beyond_what_the_kernel_counts_today(void **state)
{
	(void)state;
	for (u32 refs = 4; refs < 256; refs++)
		assert_int_equal(rd_charged_tier(refs, false), RD_NR_TIERS - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_is_the_smallest_that_reaches_all_of_ram),
		cmocka_unit_test(order_of_known_machines),
		cmocka_unit_test(order_ends_even_for_impossible_machines),
		cmocka_unit_test(cookie_fits_its_width),
		cmocka_unit_test(distance_across_every_wrap),
		cmocka_unit_test(distance_is_exact_without_order),
		cmocka_unit_test(distance_with_order_goes_beyond_the_cookie_width),
		cmocka_unit_test(distance_on_a_tiny_machine),
		cmocka_unit_test(limit_of_every_case),
		cmocka_unit_test(qualified_is_strictly_below_the_limit),
		cmocka_unit_test(scale_of_the_limit),
		cmocka_unit_test(answer_of_every_folio),
		cmocka_unit_test(charge_of_every_folio),
		cmocka_unit_test(tiers_beyond_what_the_kernel_counts_today),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
