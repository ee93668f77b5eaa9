/* What writes put on the storage: data that no cache, thin pool or compression can shrink.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_PAYLOAD_H
#define CALIB_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>

#define PAYLOAD_POOL_BYTES  65536u
#define PAYLOAD_BLOCK_BYTES 4096u

/* the parts of a block's number, from the top: point, worker, block */
#define PAYLOAD_WORKER_SHIFT 34
#define PAYLOAD_POINT_SHIFT  44

/**
 * struct payload - one worker's share of the blocks of a run
 * @pool:   PAYLOAD_POOL_BYTES of random data, shared and never changed
 * @base:   of the run: two runs write different data
 * @number: of the next block; no two blocks of a run have the same one
 */
struct payload {
	const uint64_t *pool;
	uint64_t base;
	uint64_t number;
};

/**
 * payload_init - the sequence of one worker in one point
 * @pool:   filled by random_fill(); not owned
 * @point:  below 2^20; @worker: below 2^10; room for 2^34 blocks of each pair
 */
void payload_init(struct payload *payload, const uint64_t *pool, uint64_t base, uint32_t point,
		  uint32_t worker);

/**
 * payload_fill - the data of one I/O
 * @bytes: a multiple of 512
 *
 * Each 4 KiB block (or the shorter rest) is a window of the pool, XORed with a number that no
 * other block of the run has: as random as the pool, equal to no other, at the cost of a copy.
 */
void payload_fill(struct payload *payload, void *buffer, size_t bytes);

#endif
