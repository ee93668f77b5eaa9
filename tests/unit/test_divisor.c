/* Tests of divisor.h. SPDX-License-Identifier: MIT */
#include "calib/divisor.h"
#include "calib/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* needs the headers above */
#include <cmocka.h>

#define MOST ((UINT64_C(1) << 63) - 1)

static void assert_exact(uint64_t number, uint64_t value)
{
	uint64_t quotient = divide(number, divisor_init(value));

	if (quotient != number / value)
		fail_msg("%llu / %llu is not %llu", (unsigned long long)number,
			 (unsigned long long)value, (unsigned long long)quotient);
}

static void assert_exact_around(uint64_t multiple, uint64_t value)
{
	for (uint64_t i = 0; i < 3; i++)
		if (multiple + i > 0 && multiple + i - 1 <= MOST)
			assert_exact(multiple + i - 1, value);
}

static void every_small_quotient_is_exact(void **state)
{
	(void)state;
	for (uint64_t value = 1; value <= 130; value++)
		for (uint64_t number = 0; number <= 1000; number++)
			assert_exact(number, value);
}

/* A reciprocal that is off shows first at the largest multiple of the divisor, or just below it. */
static void largest_multiples_are_exact(void **state)
{
	(void)state;
	for (uint64_t value = 1; value <= 4096; value++)
		assert_exact_around(MOST / value * value, value);
	for (unsigned shift = 1; shift <= 62; shift++) {
		assert_exact_around(MOST, UINT64_C(1) << shift);
		assert_exact_around(MOST / ((UINT64_C(1) << shift) - 1) *
					    ((UINT64_C(1) << shift) - 1),
				    (UINT64_C(1) << shift) - 1);
	}
}

static void random_pairs_are_exact(void **state)
{
	struct random random;

	(void)state;
	random_seed(&random, 5, 0);
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t value = random_below(&random, UINT64_C(1) << (1 + i % 62)) + 1;
		uint64_t number = random_next(&random) >> 1;

		assert_exact(number, value);
		assert_exact_around(number / value * value, value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_small_quotient_is_exact),
		cmocka_unit_test(largest_multiples_are_exact),
		cmocka_unit_test(random_pairs_are_exact),
	};

	return cmocka_run_group_tests_name("divisor", tests, NULL, NULL);
}
