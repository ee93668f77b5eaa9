/* How load levels are chosen, and which of them are combined. SPDX-License-Identifier: MIT */
#include "plan_private.h"

#include <errno.h>

static void levels_append(struct level_list *levels, uint32_t level)
{
	if (levels->count < LEVELS_MAX)
		levels->value[levels->count++] = level;
}

unsigned levels_derive_step(uint32_t max, uint32_t step, struct level_list *levels)
{
	levels->count = 0;
	if (step == 0)
		step = 1;
	for (uint32_t level = 1; level < step && level <= max && levels->count < LEVELS_MAX;
	     level++)
		levels_append(levels, level);
	for (uint64_t level = step; level <= max && levels->count < LEVELS_MAX; level += step)
		levels_append(levels, (uint32_t)level);
	return levels->count;
}

unsigned levels_derive(uint32_t max, struct level_list *levels)
{
	return levels_derive_step(max, max / 20, levels);
}

const struct level_list *spec_levels(const struct spec *spec, enum load_class class)
{
	return class == CLASS_SMALL ? &spec->small_levels : &spec->large_levels;
}

static uint32_t spec_num(const struct spec *spec, enum load_class class)
{
	return class == CLASS_SMALL ? spec->num_small : spec->num_large;
}

/* The class that a row, column or point keeps at one level. */
static bool is_fixed(const struct spec *spec, enum load_class class)
{
	if (spec->matrix == MATRIX_POINT)
		return true;
	return spec->matrix == (class == CLASS_SMALL ? MATRIX_COL : MATRIX_ROW);
}

static bool is_single(const struct spec *spec)
{
	return (spec->matrix == MATRIX_ROW && spec->num_large == 0) ||
	       (spec->matrix == MATRIX_COL && spec->num_small == 0);
}

static int derive(struct level_list *levels, const struct spec *spec, enum load_class class,
		  unsigned disks, struct error *err)
{
	static const char *const word[CLASSES] = {"small", "large"};
	const struct preset *preset = preset_of(spec->run);
	uint64_t max = (uint64_t)preset->per_disk[class] * disks;

	if (spec->matrix == MATRIX_MAX)
		max = spec_num(spec, class);
	if (preset->adaptive)
		max = 0;
	if (max > LEVEL_MAX)
		return error_say(err, -EINVAL,
				 "%u disks make %s levels up to %llu, and a point keeps at most %u "
				 "I/Os outstanding: give a smaller -num_disks, or -%s_levels",
				 disks, word[class], (unsigned long long)max, LEVEL_MAX,
				 word[class]);
	if (preset->step_is_disks)
		levels_derive_step((uint32_t)max, disks, levels);
	else
		levels_derive((uint32_t)max, levels);
	return 0;
}

static int class_levels(struct shape *shape, const struct spec *spec, enum load_class class,
			unsigned disks, struct error *err)
{
	const struct level_list *given = spec_levels(spec, class);
	struct level_list *levels = &shape->levels[class];
	int code = 0;

	levels->count = 0;
	if (is_fixed(spec, class)) {
		levels_append(levels, spec_num(spec, class));
		return 0;
	}
	if (given->count >= LEVELS_MAX) /* its 0 would have no room */
		return error_say(err, -E2BIG, "a list of %u levels is too long: at most %u",
				 given->count, LEVELS_MAX - 1);
	for (unsigned i = 0; i < given->count; i++)
		(void)level_list_insert(levels, given->value[i]);
	if (given->count == 0)
		code = derive(levels, spec, class, disks, err);
	/* in a grid, and in a row or column beside a load, a list is taken as given */
	if (given->count == 0 || shape->cross || shape->single)
		(void)level_list_insert(levels, 0);
	return code;
}

int shape_init(struct shape *shape, const struct spec *spec, unsigned disks, struct error *err)
{
	int code;

	shape->cross = spec->matrix == MATRIX_BASIC;
	shape->single = is_single(spec);
	code = class_levels(shape, spec, CLASS_SMALL, disks, err);
	if (code == 0)
		code = class_levels(shape, spec, CLASS_LARGE, disks, err);
	return code;
}

bool shape_has_empty(const struct shape *shape)
{
	const struct level_list *small = &shape->levels[CLASS_SMALL];
	const struct level_list *large = &shape->levels[CLASS_LARGE];

	return small->count && large->count && small->value[0] == 0 && large->value[0] == 0;
}

size_t shape_points(const struct shape *shape)
{
	size_t small = shape->levels[CLASS_SMALL].count;
	size_t large = shape->levels[CLASS_LARGE].count;
	size_t all = shape->cross ? small + large - 1 : small * large;

	return all - shape_has_empty(shape);
}

void shape_walk(const struct shape *shape, uint32_t repeat, struct step steps[])
{
	const struct level_list *smalls = &shape->levels[CLASS_SMALL];
	const struct level_list *larges = &shape->levels[CLASS_LARGE];

	for (unsigned row = 0; row < larges->count; row++) {
		for (unsigned column = 0; column < smalls->count; column++) {
			uint32_t small = smalls->value[column];
			uint32_t large = larges->value[row];
			bool empty = !small && !large;

			if (empty || (shape->cross && small && large))
				continue;
			*steps++ = (struct step){small, large, repeat};
		}
	}
}
