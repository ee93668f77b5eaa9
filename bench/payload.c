/* What the data of writes costs: CPU for each GB made, against a copy of as much.
 * SPDX-License-Identifier: MIT
 *
 * cmake --build BUILD --target bench_payload && BUILD/bench_payload
 */
#include "calib/payload.h"

#include "calib/random.h"
#include "calib/units.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS	     9
#define BYTES	     (UINT64_C(1) << 30)
#define BUFFER_BYTES (UINT64_C(32) << 20) /* more than the caches near a core hold */

static struct payload payload;
static uint8_t *from, *to;

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / (double)NS_PER_S;
}

/* Seconds of CPU for a GB (10^9 bytes), in I/Os of that size through one large buffer. */
static double measure(size_t io_bytes, bool make)
{
	double began = cpu_s();

	for (uint64_t done = 0; done < BYTES; done += io_bytes) {
		uint8_t *at = to + done % BUFFER_BYTES;

		if (make)
			payload_fill(&payload, at, io_bytes);
		else
			memcpy(at, from + done % BUFFER_BYTES, io_bytes);
	}
	return (cpu_s() - began) * 1e9 / (double)BYTES;
}

static int compare(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* The two in turn, so that whatever else the machine does meets both. */
static void compare_with_copy(size_t io_bytes)
{
	double made[ROUNDS], copied[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		made[i] = measure(io_bytes, true);
		copied[i] = measure(io_bytes, false);
	}
	qsort(made, ROUNDS, sizeof(made[0]), compare);
	qsort(copied, ROUNDS, sizeof(copied[0]), compare);
	printf("%8zu %12.3f %12.3f %8.2f\n", io_bytes, made[ROUNDS / 2], copied[ROUNDS / 2],
	       made[ROUNDS / 2] / copied[ROUNDS / 2]);
}

int main(void)
{
	uint64_t *pool = malloc(PAYLOAD_POOL_BYTES);
	struct random random;

	from = malloc(BUFFER_BYTES);
	to = malloc(BUFFER_BYTES);
	if (!pool || !from || !to)
		return 1;
	random_seed(&random, 1, 0);
	random_fill(&random, pool, PAYLOAD_POOL_BYTES);
	random_fill(&random, from, BUFFER_BYTES);
	memset(to, 1, BUFFER_BYTES);
	payload_init(&payload, pool, random_next(&random), 1, 0);
	printf("CPU seconds for a GB, medians of %d:\n%8s %12s %12s %8s\n", ROUNDS, "bytes", "made",
	       "copied", "ratio");
	for (size_t bytes = 512; bytes <= BYTES_MIB; bytes *= bytes < 8192 ? 4 : 128)
		compare_with_copy(bytes);
	free(pool);
	free(from);
	free(to);
	return 0;
}
