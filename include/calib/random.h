/* Seeded pseudo-random numbers, for offsets and data, not for secrets. SPDX-License-Identifier: MIT
 */
#ifndef CALIB_RANDOM_H
#define CALIB_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct random - xoshiro256** (Blackman, Vigna: "Scrambled linear pseudorandom number
 * generators", 2018): period 2^256-1, all 64 bits of the output usable
 */
struct random {
	uint64_t state[4];
};

/** random_mix - stirs all bits, one to one: the output function of SplitMix64 (Steele, Lea, Flood,
 * 2014) */
static inline uint64_t random_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/**
 * random_seed - start the sequence number @stream of @seed
 *
 * The state is filled by SplitMix64 over a mix of both, so that near seeds and streams give
 * unrelated sequences; the same pair always gives the same one, on every machine.
 */
void random_seed(struct random *random, uint64_t seed, uint64_t stream);

static inline uint64_t random_next(struct random *random)
{
	uint64_t *s = random->state;
	uint64_t five = s[1] * 5;
	uint64_t result = ((five << 7) | (five >> 57)) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return result;
}

/**
 * random_below - uniform over 0..@bound-1, without a division (Lemire 2019, the multiply step)
 *
 * The bias is at most @bound / 2^64 for each value. @bound 0 answers 0.
 */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)(((wide)random_next(random) * bound) >> 64);
}

/** random_fill - fill @length bytes (any length) with incompressible data */
void random_fill(struct random *random, void *buffer, size_t length);

#endif
