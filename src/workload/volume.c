/* LUNs joined end to end into one volume. SPDX-License-Identifier: MIT */
#include "calib/volume.h"

#include <errno.h>

uint64_t volume_usable_bytes(uint64_t lun_bytes, uint64_t largest_io_bytes)
{
	return largest_io_bytes == 0 ? lun_bytes : lun_bytes - lun_bytes % largest_io_bytes;
}

int volume_init(struct volume *volume, const uint64_t usable_bytes[], unsigned count,
		uint32_t block_bytes)
{
	if (count == 0 || count > VOLUME_LUNS_MAX || block_bytes == 0)
		return -EINVAL;
	volume->blocks = 0;
	volume->block_bytes = block_bytes;
	volume->lun_count = count;
	for (unsigned i = 0; i < count; i++) {
		uint64_t blocks = usable_bytes[i] / block_bytes;

		if (blocks == 0 || blocks > UINT64_MAX - volume->blocks)
			return -EINVAL;
		volume->first[i] = volume->blocks;
		volume->blocks += blocks;
	}
	return 0;
}
