/* What the tests of spec.c share. SPDX-License-Identifier: MIT */
#ifndef CALIB_TEST_SPEC_HELPERS_H
#define CALIB_TEST_SPEC_HELPERS_H

#include "calib/spec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* needs the headers above */
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BIT(option)  (UINT64_C(1) << (option))
#define ANY_MATRIX   99

static struct spec spec; /* large for a stack */

static inline void list_two(struct level_list *levels)
{
	levels->count = 2;
	levels->value[0] = 1;
	levels->value[1] = 2;
}

/* A spec with these options on its command line, each with a good value. */
static inline void spec_make(enum run_type run, unsigned matrix, uint64_t given)
{
	spec_init(&spec);
	spec.run = run;
	spec.given = given;
	if (matrix != ANY_MATRIX) {
		spec.matrix = (enum matrix_type)matrix;
		spec.given |= BIT(SPEC_MATRIX);
	}
	if (given & BIT(SPEC_NUM_SMALL))
		spec.num_small = 3;
	if (given & BIT(SPEC_NUM_LARGE))
		spec.num_large = 2;
	if (given & BIT(SPEC_SMALL_LEVELS))
		list_two(&spec.small_levels);
	if (given & BIT(SPEC_LARGE_LEVELS))
		list_two(&spec.large_levels);
}

static inline void settle_says(const char *text)
{
	struct error err = {0};

	assert_true(spec_settle(&spec, &err) < 0);
	if (!strstr(err.text, text))
		fail_msg("'%s' is not in '%s'", text, err.text);
}

static inline void settle_is_good(void)
{
	struct error err = {0};

	if (spec_settle(&spec, &err) < 0)
		fail_msg("%s", err.text);
}

#endif
