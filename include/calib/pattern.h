/* The next block of a random or sequential load. SPDX-License-Identifier: MIT */
#ifndef CALIB_PATTERN_H
#define CALIB_PATTERN_H

#include "calib/point.h"
#include "calib/random.h"

#include <stdatomic.h>
#include <stdint.h>

/**
 * struct stream - one sequential stream: its own part of the volume, in order, wrapping
 * @dir: all its I/Os read, or all write
 *
 * Several workers may take blocks of one stream; each block of a pass is given once.
 */
struct stream {
	uint64_t begin, end; /* blocks of the volume; end is exclusive */
	enum io_dir dir;
	_Atomic uint64_t next;
};

/**
 * streams_init - divide a volume of @blocks among @count streams
 * @writing: so many of them write, spread evenly over the volume
 *
 * Stream i has blocks floor(i * blocks / count) up to that of i + 1, and starts at a random one.
 * Where there are fewer blocks than streams, streams share: stream i is block i modulo @blocks.
 */
void streams_init(struct stream streams[], unsigned count, unsigned writing, uint64_t blocks,
		  struct random *random);

/** stream_next - the next block of the stream */
static inline uint64_t stream_next(struct stream *stream)
{
	uint64_t block = atomic_load_explicit(&stream->next, memory_order_relaxed);
	uint64_t after;

	do {
		after = block + 1 == stream->end ? stream->begin : block + 1;
	} while (!atomic_compare_exchange_weak_explicit(
		&stream->next, &block, after, memory_order_relaxed, memory_order_relaxed));
	return block;
}

#endif
