/* Division by a number that is known long before: a multiplication and two shifts.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_DIVISOR_H
#define CALIB_DIVISOR_H

#include <stdint.h>

__extension__ typedef unsigned __int128 divisor_wide;

/** struct divisor - 2^(63 + shift) / divisor, rounded up; 2^(shift - 1) < divisor <= 2^shift */
struct divisor {
	uint64_t multiplier;
	unsigned shift;
};

/** divisor_init - for 1 <= @value <= 2^62 */
static inline struct divisor divisor_init(uint64_t value)
{
	struct divisor divisor = {0};

	while (UINT64_C(1) << divisor.shift < value)
		divisor.shift++;
	divisor.multiplier =
		(uint64_t)((((divisor_wide)1 << (63 + divisor.shift)) + value - 1) / value);
	return divisor;
}

/**
 * divide - @number / divisor, rounded down; exact for numbers below 2^63
 *
 * The multiplier is too large by less than 1, so the product by less than @number, and the quotient
 * by less than number / 2^(63 + shift) < 2^-shift <= 1 / divisor: too little to reach the next
 * whole number.
 */
static inline uint64_t divide(uint64_t number, struct divisor divisor)
{
	return (uint64_t)((divisor_wide)number * divisor.multiplier >> 63) >> divisor.shift;
}

#endif
