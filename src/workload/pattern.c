/* The next block of a random or sequential load. SPDX-License-Identifier: MIT */
#include "calib/pattern.h"

__extension__ typedef unsigned __int128 wide;

/* where the @index-th of @count equal parts begins; the product may need 96 bits */
static uint64_t part_begin(unsigned index, unsigned count, uint64_t blocks)
{
	return (uint64_t)((wide)blocks * index / count);
}

/* As many of the first @index streams as their share of those that write. */
static uint64_t writing_before(unsigned index, unsigned count, unsigned writing)
{
	return (uint64_t)index * writing / count;
}

void streams_init(struct stream streams[], unsigned count, unsigned writing, uint64_t blocks,
		  struct random *random)
{
	for (unsigned i = 0; i < count; i++) {
		struct stream *stream = &streams[i];
		bool writes =
			writing_before(i + 1, count, writing) > writing_before(i, count, writing);

		stream->dir = writes ? IO_WRITE : IO_READ;
		if (blocks < count) {
			stream->begin = i % blocks;
			stream->end = stream->begin + 1;
		} else {
			stream->begin = part_begin(i, count, blocks);
			stream->end = part_begin(i + 1, count, blocks);
		}
		atomic_init(&stream->next,
			    stream->begin + random_below(random, stream->end - stream->begin));
	}
}
