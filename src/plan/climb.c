/* How an adaptive class finds its levels: double until it pays no more. SPDX-License-Identifier:
 * MIT */
#include "plan_private.h"

#define GAIN_MIN  1.05 /* a doubling that brings less than 5 % is weak */
#define WEAK_MOST 2    /* so many weak ones in a row end the climb */

void climb_init(struct climb *climb, uint32_t ceiling)
{
	*climb = (struct climb){.top = 1};
	while (climb->top <= ceiling / 2)
		climb->top *= 2;
}

/* Half way between a level and the one tried before it, its half; 0: no whole number between. */
static uint32_t halfway_below(uint32_t level)
{
	return level < 4 ? 0 : level - level / 4;
}

static bool worth_doubling(struct climb *climb, double value)
{
	bool first = climb->best_level == 0;
	/* the second comparison: nothing after nothing is no gain either */
	bool weak = !first && (value < climb->best * GAIN_MIN || value <= climb->best);

	climb->weak = weak ? climb->weak + 1 : 0;
	if (first || value > climb->best) {
		climb->best = value;
		climb->best_level = climb->level;
	}
	return climb->weak < WEAK_MOST && climb->level < climb->top;
}

static uint32_t choose(struct climb *climb, bool known, double value)
{
	if (climb->level == 0)
		return 1;
	/* a level that failed says that more load will too */
	if (climb->state == CLIMB_HALFWAY || !known)
		return 0;
	if (worth_doubling(climb, value))
		return climb->level * 2;
	climb->state = CLIMB_HALFWAY;
	return halfway_below(climb->best_level);
}

uint32_t climb_next(struct climb *climb, bool known, double value)
{
	uint32_t level = 0;

	if (climb->top && climb->state != CLIMB_ENDED)
		level = choose(climb, known, value);
	if (level)
		climb->tried++;
	else
		climb->state = CLIMB_ENDED;
	climb->level = level;
	climb->repeat = 0;
	return level;
}

static uint32_t doublings(const struct climb *climb)
{
	uint32_t count = 0;

	for (uint32_t level = climb->top; level; level /= 2)
		count++;
	return count;
}

uint32_t climb_count(const struct climb *climb)
{
	if (climb->state == CLIMB_ENDED)
		return climb->tried;
	return doublings(climb) + (halfway_below(climb->top) != 0);
}

uint32_t climb_peek(const struct climb *climb, size_t index)
{
	uint32_t count = doublings(climb);

	if (index < count)
		return UINT32_C(1) << index;
	return index == count ? halfway_below(climb->top) : 0;
}
