/* LUNs on a scripted device and clock, for the tests of src/run. SPDX-License-Identifier: MIT */
#ifndef CALIB_TEST_RUN_HELPERS_H
#define CALIB_TEST_RUN_HELPERS_H

#include "calib/run.h"
#include "calib/units.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fakes/fake_clock.h"
#include "fakes/fake_engine.h"
/* needs the headers above */
#include <cmocka.h>

#define LUNS	  3 /* there are; a target has the first of them */
#define LUN_BYTES (64 * BYTES_MIB)

struct bench {
	struct spec spec;
	struct io_memory memory;
	uint64_t usable[LUNS];
	struct run_target target;
	struct point point;
	struct measure measure;
	struct io_count issued[LUNS];
	enum point_status status;
	struct results results;
	struct error err;
};

/* One LUN; a request takes 100 us, one after the other. */
static inline int bench_setup(void **state)
{
	static const int fds[LUNS] = {-1, -1, -1};
	struct bench *bench = calloc(1, sizeof(*bench));

	assert_non_null(bench);
	fake_engine_reset();
	fake_clock_set(5 * NS_PER_S);
	fake_clock_step(0);
	assert_int_equal(io_memory_init(&bench->memory, 64 * BYTES_MIB, PAGES_AUTO, &bench->err),
			 0);
	for (unsigned i = 0; i < LUNS; i++)
		bench->usable[i] = LUN_BYTES;
	bench->target = (struct run_target){
		.engine = &fake_engine_ops,
		.fds = fds,
		.usable_bytes = bench->usable,
		.lun_count = 1,
		.seed = 1,
		.data_seed = 1,
		.memory = &bench->memory,
	};
	*state = bench;
	return 0;
}

static inline int bench_teardown(void **state)
{
	struct bench *bench = *state;

	measure_release(&bench->measure);
	results_release(&bench->results);
	io_memory_release(&bench->memory);
	free(bench);
	return 0;
}

#endif
