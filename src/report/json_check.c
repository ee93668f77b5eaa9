/* What belongs together in results that were read back must fit. SPDX-License-Identifier: MIT */
#include "json_read_private.h"

#include <errno.h>

bool read_is_close(double a, double b)
{
	double apart = a > b ? a - b : b - a;

	return apart <= READ_CLOSE * (a > b ? a : b);
}

static bool has_level(const struct level_list *levels, uint32_t level)
{
	unsigned low = 0;
	unsigned high = levels->count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (levels->value[middle] == level)
			return true;
		if (levels->value[middle] < level)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* the rows of all its classes rise, so the last tells */
static bool has_luns(const struct results *results, const struct point_result *point)
{
	for (unsigned load = 0; load < point->point.load_count; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++) {
			struct slice luns = point->classes[load][dir].luns;

			if (luns.count > 0 &&
			    results->lun_rows[luns.at + luns.count - 1].lun >= results->lun_count)
				return false;
		}
	return true;
}

/* Only an I/O that is larger than a stripe counts on several LUNs. */
static bool may_split(const struct run_info *run, const struct load *load)
{
	return run->layout == LAYOUT_RAID0 && run->stripe_bytes < load->bytes;
}

static bool has_more_on_luns(const struct results *results, const struct class_result *class)
{
	uint64_t ios = 0, errors = 0;

	for (size_t i = 0; i < class->luns.count; i++) {
		ios += results->lun_rows[class->luns.at + i].ios;
		errors += results->lun_rows[class->luns.at + i].errors;
	}
	return ios > class->ios || errors > class->failed;
}

static int check_shares(struct reader *reader, const struct point_result *point)
{
	for (unsigned load = 0; load < point->point.load_count; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			if (!may_split(&reader->results->run, &point->point.loads[load]) &&
			    has_more_on_luns(reader->results, &point->classes[load][dir]))
				return reader_refuse(reader,
						     "its LUNs have more %s I/Os than there are",
						     point->point.loads[load].name);
	return 0;
}

static int check_point(struct reader *reader, const struct point_result *point, uint32_t after)
{
	const struct results *results = reader->results;
	const struct point *asked = &point->point;

	if (asked->number <= after)
		return reader_refuse(reader, "number %u does not rise", asked->number);
	if (asked->repeat > results->run.repeat)
		return reader_refuse(reader, "repeat %u is more than %u", asked->repeat,
				     results->run.repeat);
	if (!has_level(&results->run.small_levels, asked->small) ||
	    !has_level(&results->run.large_levels, asked->large))
		return reader_refuse(reader, "small %u, large %u are no levels of the settings",
				     asked->small, asked->large);
	if (results_foreign(results) && !point->told.is)
		return reader_refuse(reader, "there is no 'small_latency_ns'");
	if (!has_luns(results, point))
		return reader_refuse(reader, "it has a LUN beyond the %zu of the run",
				     results->lun_count);
	return check_shares(reader, point);
}

static int check_points(struct reader *reader)
{
	const struct results *results = reader->results;
	uint32_t number = 0;

	for (size_t i = 0; i < results->point_count; i++) {
		const struct point_result *point = &results->points[i];
		size_t depth = reader_enter(reader, "points", 0);
		int code;

		reader_enter(reader, NULL, i);
		code = check_point(reader, point, number);
		reader_leave(reader, depth);
		if (code < 0)
			return code;
		number = point->point.number;
	}
	return 0;
}

static int check_warning(struct reader *reader, const struct warning *warning, size_t after)
{
	const struct results *results = reader->results;

	if (warning->after < after || warning->after > results->point_count)
		return reader_refuse(reader, "after_points %zu does not rise, or is too many",
				     warning->after);
	if (warning->lun != WARNING_NO_LUN && (size_t)warning->lun >= results->lun_count)
		return reader_refuse(reader, "LUN %d is beyond the %zu of the run", warning->lun,
				     results->lun_count);
	return 0;
}

/* those that stand at a point, too, are all those with its number */
static int check_warnings(struct reader *reader)
{
	const struct results *results = reader->results;
	size_t own = 0, after = 0;

	for (size_t i = 0; i < results->warning_count; i++) {
		const struct warning *warning = &results->warnings[i];
		size_t depth = reader_enter(reader, "warnings", 0);
		int code;

		reader_enter(reader, NULL, i);
		code = check_warning(reader, warning, after);
		reader_leave(reader, depth);
		if (code < 0)
			return code;
		after = warning->after;
		own += results_point(results, warning->point) != NULL;
	}
	if (own != reader->own_warnings)
		return reader_refuse(reader, "warnings of the points are not those of the run");
	return 0;
}

int read_check(struct reader *reader)
{
	int code = reader_check_known(reader);

	if (code == 0)
		code = check_points(reader);
	return code < 0 ? code : check_warnings(reader);
}
