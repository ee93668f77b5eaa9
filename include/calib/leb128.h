/* Whole numbers in as few bytes as they need: seven bits each, the low ones first.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_LEB128_H
#define CALIB_LEB128_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#define LEB128_MORE 0x80u
#define LEB128_MAX  10 /* bytes of the largest uint64_t */

/** leb128_put - answers how many bytes; @out NULL to ask for that only */
static inline size_t leb128_put(uint64_t value, uint8_t *out)
{
	size_t size = 0;

	do {
		uint8_t byte = (uint8_t)(value & (LEB128_MORE - 1));

		value >>= 7;
		if (value != 0)
			byte |= LEB128_MORE;
		if (out != NULL)
			out[size] = byte;
		size++;
	} while (value != 0);
	return size;
}

/** leb128_get - the number at *@position, which moves behind it; -EINVAL where it is cut off or
 * longer than it need be: there is one way to write each */
static inline int leb128_get(const uint8_t *packed, size_t size, size_t *position, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte;

		if (*position >= size)
			return -EINVAL;
		byte = packed[(*position)++];
		if (shift == 63 && byte > 1)
			return -EINVAL;
		*value |= (uint64_t)(byte & (LEB128_MORE - 1)) << shift;
		if (byte & LEB128_MORE)
			continue;
		return byte == 0 && shift > 0 ? -EINVAL : 0;
	}
	return -EINVAL;
}

#endif
