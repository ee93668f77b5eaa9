/* Seeded pseudo-random numbers, for offsets and data. SPDX-License-Identifier: MIT */
#include "calib/random.h"

#include <string.h>

#define GOLDEN_GAMMA UINT64_C(0x9e3779b97f4a7c15)

void random_seed(struct random *random, uint64_t seed, uint64_t stream)
{
	/* Both are stirred before they meet: streams that lay a multiple of the gamma apart would
	 * be one sequence, shifted. For one seed, no two streams start alike. */
	uint64_t x = random_mix(random_mix(seed + GOLDEN_GAMMA) + stream);

	/* four different inputs of a one-to-one function: never four zeros */
	for (int i = 0; i < 4; i++) {
		x += GOLDEN_GAMMA;
		random->state[i] = random_mix(x);
	}
}

void random_fill(struct random *random, void *buffer, size_t length)
{
	struct random own = *random; /* the buffer cannot alias it: the state stays in registers */
	unsigned char *at = buffer;
	uint64_t value;

	for (; length >= sizeof(value); length -= sizeof(value)) {
		value = random_next(&own);
		memcpy(at, &value, sizeof(value));
		at += sizeof(value);
	}
	if (length > 0) {
		value = random_next(&own);
		memcpy(at, &value, length);
	}
	*random = own;
}
