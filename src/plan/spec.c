/* What was asked for: defaults, limits, contradictions between options. SPDX-License-Identifier:
 * MIT */
#include "calib/spec.h"

#include "calib/units.h"
#include "plan_private.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#define ORION_FILL_NS (120 * NS_PER_S) /* where -cache_size is not given */

static const char *const matrix_names[] = {
	[MATRIX_BASIC] = "basic", [MATRIX_DETAILED] = "detailed", [MATRIX_POINT] = "point",
	[MATRIX_COL] = "col",	  [MATRIX_ROW] = "row",		  [MATRIX_MAX] = "max",
};

const char *matrix_type_name(enum matrix_type matrix)
{
	return matrix_names[matrix];
}

const char *large_type_name(enum large_type type)
{
	return type == LARGE_RAND ? "rand" : "seq";
}

const char *point_order_name(enum point_order order)
{
	return order == ORDER_SHUFFLED ? "shuffled" : "rising";
}

bool level_list_insert(struct level_list *levels, uint32_t level)
{
	unsigned at = levels->count;

	while (at > 0 && levels->value[at - 1] > level)
		at--;
	if (at > 0 && levels->value[at - 1] == level)
		return true;
	if (levels->count == LEVELS_MAX)
		return false;
	memmove(&levels->value[at + 1], &levels->value[at],
		(levels->count - at) * sizeof(levels->value[0]));
	levels->value[at] = level;
	levels->count++;
	return true;
}

void spec_init(struct spec *spec)
{
	memset(spec, 0, sizeof(*spec));
	spec->run = RUN_NONE;
	spec->matrix = MATRIX_BASIC;
	spec->testname = "calib";
	spec->engine = "auto";
	spec->small_bytes = 8 * BYTES_KIB;
	spec->large_bytes = BYTES_MIB;
	spec->large_type = LARGE_SEQ;
	spec->stream_ios = 4;
	spec->stripe_bytes = BYTES_MIB;
	spec->ramp_ns = NS_PER_S;
	spec->repeat = 1;
	spec->order = ORDER_RISING;
	spec->pages = PAGES_AUTO;
}

/* One level for a class: a matrix needs it, unless it takes a list in its place. */
static int need_num(const struct spec *spec, const char *class, enum spec_given num,
		    enum spec_given list, struct error *err)
{
	const char *matrix = matrix_type_name(spec->matrix);

	if (spec_given(spec, num) && spec_given(spec, list))
		return error_say(err, -EINVAL, "-num_%s and -%s_levels exclude each other", class,
				 class);
	if (spec_given(spec, num) || (spec->matrix == MATRIX_MAX && spec_given(spec, list)))
		return 0;
	if (spec->matrix == MATRIX_MAX)
		return error_say(err, -EINVAL, "-matrix max needs -num_%s or -%s_levels", class,
				 class);
	return error_say(err, -EINVAL, "-matrix %s needs -num_%s", matrix, class);
}

static int check_nums(const struct spec *spec, struct error *err)
{
	bool both = spec->matrix == MATRIX_POINT || spec->matrix == MATRIX_MAX;
	int code = 0;

	if (spec->run != RUN_ADVANCED)
		return 0;
	if (both || spec->matrix == MATRIX_COL)
		code = need_num(spec, "small", SPEC_NUM_SMALL, SPEC_SMALL_LEVELS, err);
	if (code == 0 && (both || spec->matrix == MATRIX_ROW))
		code = need_num(spec, "large", SPEC_NUM_LARGE, SPEC_LARGE_LEVELS, err);
	return code;
}

static int check_size(const char *option, uint64_t bytes, struct error *err)
{
	char text[32];

	if (bytes == 0)
		return error_say(err, -EINVAL, "%s must be more than 0", option);
	if (bytes % SECTOR)
		return error_say(err, -EINVAL, "%s of %llu bytes is no multiple of 512", option,
				 (unsigned long long)bytes);
	if (bytes > IO_BYTES_MAX)
		return error_say(err, -EINVAL, "%s of %s is too large: at most 1 GiB", option,
				 units_format_bytes(text, sizeof(text), bytes));
	return 0;
}

static int check_values(const struct spec *spec, struct error *err)
{
	int code = check_size("-size_small", spec->small_bytes, err);

	if (code == 0)
		code = check_size("-size_large", spec->large_bytes, err);
	if (code < 0)
		return code;
	if (spec->duration_ns == 0)
		return error_say(err, -EINVAL, "-duration must be more than 0");
	return 0;
}

/* ORION takes -cache_size with every run; where it can do nothing only ORION's scripts may have it.
 */
static int check_cache(const struct spec *spec, struct error *err)
{
	char size[32];

	if (spec->cache_bytes > CACHE_BYTES_MAX)
		return error_say(err, -EINVAL, "-cache_size of %s is too large: at most 4 EiB",
				 units_format_bytes(size, sizeof(size), spec->cache_bytes));
	if (spec->orion || spec->cache_bytes == 0 || spec_has_streams(spec))
		return 0;
	return error_say(err, -EINVAL,
			 "-cache_size is for points with large sequential streams, and %s has "
			 "none: leave it out, or give -cache_size 0",
			 spec_has_large(spec) ? "-type rand" : "a run without large I/Os");
}

/* Whether the stripe and one I/O size fit: no I/O may begin within a stripe and end in another. */
static int check_stripe_with(const struct spec *spec, uint64_t bytes, bool may_divide,
			     const char *option, struct error *err)
{
	uint64_t stripe = spec->stripe_bytes;

	if (stripe % bytes == 0 || (may_divide && bytes % stripe == 0))
		return 0;
	return error_say(err, -EINVAL, "-stripe of %.10g KiB%s is no multiple of %s of %.10g KiB%s",
			 (double)stripe / (double)BYTES_KIB,
			 spec_given(spec, SPEC_STRIPE) ? "" : ", the default,", option,
			 (double)bytes / (double)BYTES_KIB,
			 may_divide ? ", and does not divide it" : "");
}

static int settle_stripe(struct spec *spec, struct error *err)
{
	int code = 0;

	if (spec->layout != LAYOUT_RAID0) {
		if (spec_given(spec, SPEC_STRIPE))
			return error_say(err, -EINVAL,
					 "-stripe is for -simulate raid0, not -simulate concat");
		spec->stripe_bytes = 0;
		return 0;
	}
	code = check_size("-stripe", spec->stripe_bytes, err);
	if (code == 0 && spec_has_small(spec))
		code = check_stripe_with(spec, spec->small_bytes, false, "-size_small", err);
	if (code == 0 && spec_has_large(spec))
		code = check_stripe_with(spec, spec->large_bytes, true, "-size_large", err);
	return code;
}

static int check_pairs(const struct spec *spec, struct error *err)
{
	if (spec->huge_not_needed && spec->pages == PAGES_HUGE)
		return error_say(err, -EINVAL,
				 "-hugenotneeded and -pages huge exclude each other: the second "
				 "demands huge pages");
	if (spec_given(spec, SPEC_STREAM_IOS) && spec->large_type == LARGE_RAND)
		return error_say(err, -EINVAL,
				 "-num_streamIO is for -type seq: -type rand has no streams");
	if (spec->order == ORDER_SHUFFLED && spec->run == RUN_BASIC)
		return error_say(err, -EINVAL,
				 "-order shuffled is not for -run basic, which chooses each point "
				 "by the results before it");
	if (spec->json && spec->dry_run)
		return error_say(err, -EINVAL,
				 "-json and -dry_run exclude each other: there are no results to "
				 "print");
	if (spec->poll && strcasecmp(spec->engine, "auto") != 0 &&
	    strcasecmp(spec->engine, "io_uring") != 0)
		return error_say(err, -EINVAL,
				 "-poll and -engine %s exclude each other: only io_uring can ask "
				 "a device for its completions",
				 spec->engine);
	if (spec->quiet && spec->verbose)
		return error_say(err, -EINVAL, "-quiet and -verbose exclude each other");
	if (spec->write_pct == 0 && (spec->overwrite || spec->force))
		return error_say(err, -EINVAL,
				 "-%s is for runs that write: -write PCT, more than 0",
				 spec->overwrite ? "overwrite" : "force");
	if (spec_given(spec, SPEC_OUT) && strchr(spec->testname, '/'))
		return error_say(err, -EINVAL,
				 "-out and a directory in -testname exclude each other: both say "
				 "where the output goes");
	return 0;
}

/* What the run type sets, and ORION's defaults: only what was not asked for. */
static void set_defaults(struct spec *spec)
{
	const struct preset *preset = preset_of(spec->run);

	if (!spec_given(spec, SPEC_MATRIX))
		spec->matrix = preset->matrix;
	if (!spec_given(spec, SPEC_DURATION))
		spec->duration_ns =
			spec->orion && preset->orion_ns ? preset->orion_ns : preset->duration_ns;
	if (!spec->orion)
		return;
	if (!spec_given(spec, SPEC_TYPE))
		spec->large_type = LARGE_RAND;
	if (!spec_given(spec, SPEC_RAMP))
		spec->ramp_ns = 0;
	if (!spec_given(spec, SPEC_TESTNAME))
		spec->testname = "orion";
	if (!spec_given(spec, SPEC_CACHE_SIZE) && spec_has_streams(spec))
		spec->cache_fill_ns = ORION_FILL_NS;
}

int spec_settle(struct spec *spec, struct error *err)
{
	int code;

	if (spec->run == RUN_NONE)
		return error_say(err, -EINVAL,
				 "-run is missing: -run basic, simple, normal, oltp, dss or "
				 "advanced");
	set_defaults(spec);
	code = preset_check(spec, err);
	if (code == 0)
		code = check_nums(spec, err);
	if (code == 0)
		code = check_values(spec, err);
	if (code == 0)
		code = settle_stripe(spec, err);
	if (code == 0)
		code = check_pairs(spec, err);
	if (code == 0)
		code = check_cache(spec, err);
	return code;
}

static bool any_load(const struct level_list *levels)
{
	for (unsigned i = 0; i < levels->count; i++) {
		if (levels->value[i])
			return true;
	}
	return levels->count == 0;
}

bool spec_has_small(const struct spec *spec)
{
	bool by_num = spec->matrix == MATRIX_POINT || spec->matrix == MATRIX_COL ||
		      (spec->matrix == MATRIX_MAX && spec->small_levels.count == 0);

	return by_num ? spec->num_small > 0 : any_load(&spec->small_levels);
}

bool spec_has_large(const struct spec *spec)
{
	bool by_num = spec->matrix == MATRIX_POINT || spec->matrix == MATRIX_ROW ||
		      (spec->matrix == MATRIX_MAX && spec->large_levels.count == 0);

	return by_num ? spec->num_large > 0 : any_load(&spec->large_levels);
}

bool spec_has_streams(const struct spec *spec)
{
	return spec->large_type == LARGE_SEQ && spec_has_large(spec);
}

uint64_t spec_largest_bytes(const struct spec *spec)
{
	uint64_t small = spec_has_small(spec) ? spec->small_bytes : 0;
	uint64_t large = spec_has_large(spec) ? spec->large_bytes : 0;
	uint64_t larger = small > large ? small : large;

	return larger > spec->stripe_bytes ? larger : spec->stripe_bytes;
}

uint32_t spec_large_parts(const struct spec *spec, unsigned lun_count)
{
	uint64_t stripes;

	if (spec->stripe_bytes == 0 || spec->stripe_bytes >= spec->large_bytes)
		return 1;
	stripes = spec->large_bytes / spec->stripe_bytes;
	return (uint32_t)(stripes < lun_count ? stripes : lun_count);
}
