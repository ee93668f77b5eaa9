/* The next data point, given the results so far. SPDX-License-Identifier: MIT */
#include "calib/plan.h"

#include "calib/random.h"
#include "calib/results.h"
#include "calib/units.h"
#include "plan_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 1000000u /* more than anyone waits for; what they measure must stay in memory */

/**
 * struct plan - small climb, static steps, large climb: in this order, each may be empty
 * @levels:  of the reports
 * @steps:   all passes one after the other
 * @cursor:  the step to come
 */
struct plan {
	struct spec spec;
	struct level_list levels[CLASSES];
	struct climb climbs[CLASSES];
	struct step *steps;
	size_t step_count;
	size_t cursor;
	size_t static_points; /* ORION's count of one pass, the empty point included */
	uint32_t given;
	uint32_t outstanding_max;
	uint32_t requests_max;
	uint64_t buffer_bytes_max;
	struct plan_limits limits;
};

static struct load class_load(const struct spec *spec, enum load_class class, uint32_t level)
{
	bool stream = class == CLASS_LARGE && spec->large_type == LARGE_SEQ;
	struct load load;

	memset(&load, 0, sizeof(load));
	strcpy(load.name, class == CLASS_SMALL ? "small" : "large");
	load.pattern = stream ? PATTERN_STREAM : PATTERN_RANDOM;
	load.bytes = (uint32_t)(class == CLASS_SMALL ? spec->small_bytes : spec->large_bytes);
	load.level = level;
	load.per_level = stream ? spec->stream_ios : 1;
	load.write_pct = spec->write_pct;
	return load;
}

/* Junk before each point with streams, so that no cache has their blocks. */
static void set_cache_fill(const struct spec *spec, struct point *point)
{
	if (!point->large || spec->large_type != LARGE_SEQ)
		return;
	point->fill_bytes = spec->cache_bytes;
	point->fill_ns = spec->cache_fill_ns;
}

static void point_fill(const struct plan *plan, const struct step *step, uint32_t number,
		       struct point *point)
{
	memset(point, 0, sizeof(*point)); /* its padding may be stored and compared */
	point->number = number;
	point->repeat = step->repeat;
	point->small = step->small;
	point->large = step->large;
	if (step->small)
		point->loads[point->load_count++] =
			class_load(&plan->spec, CLASS_SMALL, step->small);
	if (step->large)
		point->loads[point->load_count++] =
			class_load(&plan->spec, CLASS_LARGE, step->large);
	point->ramp_ns = plan->spec.ramp_ns;
	point->duration_ns = plan->spec.duration_ns;
	set_cache_fill(&plan->spec, point);
}

/* Set what a point at these levels needs; refuse more than a point may have outstanding. */
static int plan_allow(struct plan *plan, uint32_t small, uint32_t large, struct error *err)
{
	struct load a = class_load(&plan->spec, CLASS_SMALL, small);
	struct load b = class_load(&plan->spec, CLASS_LARGE, large);
	uint64_t of_small = (uint64_t)a.level * a.per_level;
	uint64_t of_large = (uint64_t)b.level * b.per_level;
	uint64_t bytes = of_small * a.bytes + of_large * b.bytes;
	uint64_t requests =
		of_small + of_large * spec_large_parts(&plan->spec, plan->limits.lun_count);

	if (of_small + of_large > plan->limits.outstanding)
		return error_say(err, -EINVAL,
				 "the point small %u, large %u needs %llu I/Os outstanding (%u for "
				 "each large level), and a point with -engine %s keeps at most %u: "
				 "lower the levels, -num_disks or -num_streamIO",
				 small, large, (unsigned long long)(of_small + of_large),
				 b.per_level, plan->spec.engine, plan->limits.outstanding);
	if (of_small + of_large > plan->outstanding_max)
		plan->outstanding_max = (uint32_t)(of_small + of_large);
	if (requests > plan->requests_max)
		plan->requests_max = (uint32_t)requests;
	if (bytes > plan->buffer_bytes_max)
		plan->buffer_bytes_max = bytes;
	return 0;
}

/* The same for what fills the cache: another I/O than those of the points, of the large size. */
static void allow_cache_fill(struct plan *plan)
{
	const struct spec *spec = &plan->spec;
	uint32_t outstanding = cache_fill_outstanding(spec->large_bytes);
	uint32_t requests = outstanding * spec_large_parts(spec, plan->limits.lun_count);

	if (!spec_has_streams(spec) || (spec->cache_bytes == 0 && spec->cache_fill_ns == 0))
		return;
	if (outstanding > plan->outstanding_max)
		plan->outstanding_max = outstanding;
	if (requests > plan->requests_max)
		plan->requests_max = requests;
	if (outstanding * spec->large_bytes > plan->buffer_bytes_max)
		plan->buffer_bytes_max = outstanding * spec->large_bytes;
}

/* Fisher-Yates; the sequence belongs to the pass, far from those that I/O offsets are drawn from.
 */
static void shuffle(struct step steps[], size_t count, uint64_t seed, uint32_t pass)
{
	struct random random;

	random_seed(&random, seed, UINT64_MAX - pass);
	for (size_t left = count; left > 1; left--) {
		size_t chosen = (size_t)random_below(&random, left);
		struct step last = steps[left - 1];

		steps[left - 1] = steps[chosen];
		steps[chosen] = last;
	}
}

static int plan_steps(struct plan *plan, const struct shape *shape, struct error *err)
{
	size_t count = shape_points(shape);
	int code = 0;

	plan->static_points = count + shape_has_empty(shape);
	if (count > STEPS_MAX / plan->spec.repeat)
		return error_say(err, -EINVAL,
				 "the plan has %zu points, %u times each, and calib runs at most "
				 "%u: give fewer levels",
				 count, plan->spec.repeat, STEPS_MAX);
	plan->step_count = count * plan->spec.repeat;
	plan->steps = calloc(plan->step_count + 1, sizeof(plan->steps[0]));
	if (!plan->steps)
		return error_set(err, -ENOMEM, "cannot make the plan");
	for (uint32_t pass = 0; pass < plan->spec.repeat; pass++) {
		struct step *steps = plan->steps + pass * count;

		shape_walk(shape, pass + 1, steps);
		if (plan->spec.order == ORDER_SHUFFLED)
			shuffle(steps, count, plan->spec.seed, pass);
	}
	for (size_t i = 0; i < count && code == 0; i++)
		code = plan_allow(plan, plan->steps[i].small, plan->steps[i].large, err);
	return code;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int plan_climb(struct plan *plan, enum load_class class, unsigned disks, struct error *err)
{
	uint64_t buffer_bytes = plan->limits.buffer_bytes;
	struct load one = class_load(&plan->spec, class, 1);
	uint64_t one_bytes = (uint64_t)one.bytes * one.per_level;
	uint64_t ceiling = (uint64_t)preset_of(plan->spec.run)->per_disk[class] * disks;
	char need[32], most[32];

	if (spec_levels(&plan->spec, class)->count)
		return 0;
	if (one_bytes > buffer_bytes)
		return error_say(err, -EINVAL,
				 "one %s %s needs %s of buffers, more than the %s that -run %s may "
				 "take",
				 one.name, one.pattern == PATTERN_STREAM ? "stream" : "I/O",
				 units_format_bytes(need, sizeof(need), one_bytes),
				 units_format_bytes(most, sizeof(most), buffer_bytes),
				 run_type_name(plan->spec.run));
	ceiling = smaller(ceiling, buffer_bytes / one_bytes);
	ceiling = smaller(ceiling, plan->limits.outstanding / one.per_level);
	climb_init(&plan->climbs[class], (uint32_t)ceiling);
	return class == CLASS_SMALL ? plan_allow(plan, plan->climbs[class].top, 0, err)
				    : plan_allow(plan, 0, plan->climbs[class].top, err);
}

/* The reports' rows and columns: those of the shape, without the 0 of a class that is alone. */
static void plan_take_levels(struct plan *plan, const struct shape *shape)
{
	for (unsigned i = 0; i < CLASSES; i++) {
		struct level_list *levels = &plan->levels[i];

		*levels = shape->levels[i];
		if (!shape->single || levels->count < 2)
			continue;
		levels->count--;
		memmove(levels->value, levels->value + 1, levels->count * sizeof(levels->value[0]));
	}
}

static int plan_build(struct plan *plan, struct error *err)
{
	unsigned disks = plan->spec.num_disks ? plan->spec.num_disks : plan->limits.lun_count;
	struct shape *shape = malloc(sizeof(*shape)); /* large for a stack */
	int code;

	if (!shape)
		return error_set(err, -ENOMEM, "cannot make the plan");
	code = shape_init(shape, &plan->spec, disks, err);
	if (code == 0) {
		plan_take_levels(plan, shape);
		code = plan_steps(plan, shape, err);
	}
	for (unsigned i = 0; i < CLASSES && code == 0; i++) {
		if (preset_of(plan->spec.run)->adaptive)
			code = plan_climb(plan, i, disks, err);
	}
	free(shape);
	allow_cache_fill(plan);
	if (code == 0 && plan_run_points(plan) == 0)
		code = error_say(err, -EINVAL, "nothing to run: every load level is 0");
	return code;
}

struct plan *plan_new(const struct spec *spec, const struct plan_limits *limits, struct error *err)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (!plan) {
		error_set(err, -ENOMEM, "cannot make the plan");
		return NULL;
	}
	plan->spec = *spec;
	plan->limits = *limits;
	if (plan_build(plan, err) < 0) {
		plan_free(plan);
		return NULL;
	}
	return plan;
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	free(plan->steps);
	free(plan);
}

static struct step climb_step(const struct climb *climb, enum load_class class)
{
	return (struct step){
		.small = class == CLASS_SMALL ? climb->level : 0,
		.large = class == CLASS_LARGE ? climb->level : 0,
		.repeat = climb->repeat,
	};
}

/* Go on with a climb; all repeats of a level are run before it is judged. */
static bool plan_next_climb(struct plan *plan, enum load_class class, const struct results *results,
			    struct step *step)
{
	struct climb *climb = &plan->climbs[class];
	struct cell cell = {.known = false};
	uint32_t level = climb->level;

	if (level == 0 || climb->repeat == plan->spec.repeat) {
		if (level)
			cell = class == CLASS_SMALL ? results_cell(results, level, 0)
						    : results_cell(results, 0, level);
		level = climb_next(climb, cell.known,
				   class == CLASS_SMALL ? cell.small_iops : cell.large_mbps);
		if (level == 0)
			return false;
		/* doublings: far fewer than there is room for */
		(void)level_list_insert(&plan->levels[class], level);
	}
	climb->repeat++;
	*step = climb_step(climb, class);
	return true;
}

static bool plan_next_static(struct plan *plan, struct step *step)
{
	if (plan->cursor == plan->step_count)
		return false;
	*step = plan->steps[plan->cursor++];
	return true;
}

bool plan_next(struct plan *plan, const struct results *results, struct point *point)
{
	struct step step;

	if (!plan_next_climb(plan, CLASS_SMALL, results, &step) && !plan_next_static(plan, &step) &&
	    !plan_next_climb(plan, CLASS_LARGE, results, &step))
		return false;
	point_fill(plan, &step, ++plan->given, point);
	return true;
}

static size_t climb_points(const struct plan *plan, enum load_class class)
{
	return (size_t)climb_count(&plan->climbs[class]) * plan->spec.repeat;
}

static struct step peek_climb(const struct plan *plan, enum load_class class, size_t index)
{
	struct climb climb = plan->climbs[class];

	climb.level = climb_peek(&climb, index / plan->spec.repeat);
	climb.repeat = (uint32_t)(index % plan->spec.repeat) + 1;
	return climb_step(&climb, class);
}

bool plan_peek(const struct plan *plan, size_t index, struct point *point)
{
	size_t small = climb_points(plan, CLASS_SMALL);
	size_t before_large = small + plan->step_count;
	struct step step;

	if (index >= plan_run_points(plan))
		return false;
	if (index < small)
		step = peek_climb(plan, CLASS_SMALL, index);
	else if (index < before_large)
		step = plan->steps[index - small];
	else
		step = peek_climb(plan, CLASS_LARGE, index - before_large);
	point_fill(plan, &step, (uint32_t)index + 1, point);
	return true;
}

size_t plan_total_points(const struct plan *plan)
{
	return plan->static_points + climb_count(&plan->climbs[CLASS_SMALL]) +
	       climb_count(&plan->climbs[CLASS_LARGE]);
}

bool plan_is_adaptive(const struct plan *plan)
{
	return plan->climbs[CLASS_SMALL].top || plan->climbs[CLASS_LARGE].top;
}

size_t plan_run_points(const struct plan *plan)
{
	return plan->step_count + climb_points(plan, CLASS_SMALL) + climb_points(plan, CLASS_LARGE);
}

size_t plan_fills(const struct plan *plan)
{
	size_t count = climb_points(plan, CLASS_LARGE);

	if (!spec_has_streams(&plan->spec) ||
	    (plan->spec.cache_bytes == 0 && plan->spec.cache_fill_ns == 0))
		return 0;
	for (size_t i = 0; i < plan->step_count; i++)
		count += plan->steps[i].large > 0;
	return count;
}

uint64_t plan_fill_ns(const struct plan *plan)
{
	double seconds = (double)plan->spec.cache_bytes / (double)PLAN_FILL_RATE;

	return plan->spec.cache_fill_ns + (uint64_t)(seconds * (double)NS_PER_S);
}

/* at most UINT64_MAX */
static uint64_t add_times(uint64_t sum, uint64_t each, uint64_t count)
{
	if (count && each > (UINT64_MAX - sum) / count)
		return UINT64_MAX;
	return sum + each * count;
}

uint64_t plan_estimate_ns(const struct plan *plan)
{
	uint64_t points =
		add_times(0, plan->spec.ramp_ns + plan->spec.duration_ns, plan_run_points(plan));

	return add_times(points, plan_fill_ns(plan), plan_fills(plan));
}

uint64_t plan_orion_minutes(const struct plan *plan)
{
	uint64_t all = add_times(0, plan->spec.duration_ns, plan_total_points(plan));

	return all / (60 * NS_PER_S) + 1;
}

uint32_t plan_outstanding_max(const struct plan *plan)
{
	return plan->outstanding_max;
}

uint32_t plan_requests_max(const struct plan *plan)
{
	return plan->requests_max;
}

uint64_t plan_buffer_bytes_max(const struct plan *plan)
{
	return plan->buffer_bytes_max;
}

const struct level_list *plan_small_levels(const struct plan *plan)
{
	return &plan->levels[CLASS_SMALL];
}

const struct level_list *plan_large_levels(const struct plan *plan)
{
	return &plan->levels[CLASS_LARGE];
}
