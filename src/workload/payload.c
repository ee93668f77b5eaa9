/* What writes put on the storage: incompressible, and no two blocks equal.
 * SPDX-License-Identifier: MIT */
#include "calib/payload.h"

#include "calib/random.h"

#define BLOCK_WORDS (PAYLOAD_BLOCK_BYTES / sizeof(uint64_t))
#define WINDOWS	    (PAYLOAD_POOL_BYTES / sizeof(uint64_t) - BLOCK_WORDS)

void payload_init(struct payload *payload, const uint64_t *pool, uint64_t base, uint32_t point,
		  uint32_t worker)
{
	*payload = (struct payload){
		.pool = pool,
		.base = base,
		.number = (uint64_t)point << PAYLOAD_POINT_SHIFT | (uint64_t)worker
									   << PAYLOAD_WORKER_SHIFT,
	};
}

/* The compiler makes vector instructions of a loop whose count it knows. */
static void copy_block(uint64_t *restrict to, const uint64_t *restrict from, uint64_t key)
{
	for (size_t i = 0; i < BLOCK_WORDS; i++)
		to[i] = from[i] ^ key;
}

void payload_fill(struct payload *payload, void *buffer, size_t bytes)
{
	uint64_t *to = buffer;
	size_t words = bytes / sizeof(*to);

	while (words > 0) {
		/* one to one: different numbers give different keys */
		uint64_t key = random_mix(payload->base ^ payload->number++);
		const uint64_t *from = payload->pool + ((key >> 32) * WINDOWS >> 32);

		if (words < BLOCK_WORDS) {
			for (size_t i = 0; i < words; i++)
				to[i] = from[i] ^ key;
			return;
		}
		copy_block(to, from, key);
		to += BLOCK_WORDS;
		words -= BLOCK_WORDS;
	}
}
