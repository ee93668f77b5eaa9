/* What each run type means, and which options have a meaning in it. SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "plan_private.h"

#include <errno.h>

#define BIT(x)	     (1u << (x))
#define EVERY	     (~0u)
#define WITH_SMALL   (EVERY & ~BIT(RUN_DSS))
#define WITH_LARGE   (EVERY & ~BIT(RUN_OLTP))
#define SMALL_VARIES (EVERY & ~(BIT(MATRIX_POINT) | BIT(MATRIX_COL)))
#define LARGE_VARIES (EVERY & ~(BIT(MATRIX_POINT) | BIT(MATRIX_ROW)))

static const struct preset presets[] = {
	[RUN_NONE] = {.name = "none", .duration_ns = 60 * NS_PER_S},
	[RUN_BASIC] = {.name = "basic",
		       .matrix = MATRIX_BASIC,
		       .duration_ns = 5 * NS_PER_S,
		       .per_disk = {256, 64},
		       .adaptive = true},
	[RUN_SIMPLE] = {.name = "simple",
			.matrix = MATRIX_BASIC,
			.duration_ns = 60 * NS_PER_S,
			.per_disk = {5, 2}},
	[RUN_NORMAL] = {.name = "normal",
			.matrix = MATRIX_DETAILED,
			.duration_ns = 60 * NS_PER_S,
			.per_disk = {5, 2}},
	[RUN_OLTP] = {.name = "oltp",
		      .matrix = MATRIX_ROW,
		      .duration_ns = 60 * NS_PER_S,
		      .per_disk = {20, 0}},
	[RUN_DSS] = {.name = "dss",
		     .matrix = MATRIX_COL,
		     .duration_ns = 60 * NS_PER_S,
		     .orion_ns = 240 * NS_PER_S,
		     .per_disk = {0, 15},
		     .step_is_disks = true},
	[RUN_ADVANCED] = {.name = "advanced",
			  .matrix = MATRIX_BASIC,
			  .duration_ns = 60 * NS_PER_S,
			  .per_disk = {5, 2}},
};

const struct preset *preset_of(enum run_type run)
{
	return (size_t)run < sizeof(presets) / sizeof(presets[0]) ? &presets[run]
								  : &presets[RUN_NONE];
}

const char *run_type_name(enum run_type run)
{
	return preset_of(run)->name;
}

/* Where an option has a meaning: in a run type, and within "advanced" in a matrix. */
static const struct rule {
	enum spec_given option;
	const char *name;
	unsigned runs;
	unsigned matrices;
	const char *place;
} rules[] = {
	{SPEC_MATRIX, "-matrix", BIT(RUN_ADVANCED), EVERY, "-run advanced"},
	{SPEC_NUM_SMALL, "-num_small", BIT(RUN_ADVANCED),
	 BIT(MATRIX_POINT) | BIT(MATRIX_COL) | BIT(MATRIX_MAX), "-matrix point, col and max"},
	{SPEC_NUM_LARGE, "-num_large", BIT(RUN_ADVANCED),
	 BIT(MATRIX_POINT) | BIT(MATRIX_ROW) | BIT(MATRIX_MAX), "-matrix point, row and max"},
	{SPEC_SMALL_LEVELS, "-small_levels", WITH_SMALL, SMALL_VARIES,
	 "runs whose small load varies"},
	{SPEC_LARGE_LEVELS, "-large_levels", WITH_LARGE, LARGE_VARIES,
	 "runs whose large load varies"},
	{SPEC_SIZE_SMALL, "-size_small", WITH_SMALL, EVERY, "runs with small I/Os"},
	{SPEC_SIZE_LARGE, "-size_large", WITH_LARGE, EVERY, "runs with large I/Os"},
	{SPEC_TYPE, "-type", WITH_LARGE, EVERY, "runs with large I/Os"},
	{SPEC_STREAM_IOS, "-num_streamIO", WITH_LARGE, EVERY, "runs with large I/Os"},
};

static int rule_check(const struct rule *rule, const struct spec *spec, struct error *err)
{
	if (!spec_given(spec, rule->option))
		return 0;
	if (!(rule->runs & BIT(spec->run)))
		return error_say(err, -EINVAL, "%s is for %s, not -run %s", rule->name, rule->place,
				 run_type_name(spec->run));
	if (spec->run == RUN_ADVANCED && !(rule->matrices & BIT(spec->matrix)))
		return error_say(err, -EINVAL, "%s is for %s, not -matrix %s", rule->name,
				 rule->place, matrix_type_name(spec->matrix));
	return 0;
}

int preset_check(const struct spec *spec, struct error *err)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		int code = rule_check(&rules[i], spec, err);

		if (code < 0)
			return code;
	}
	return 0;
}
