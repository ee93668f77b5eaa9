/* What one point measures while it runs, by class. SPDX-License-Identifier: MIT */
#include "calib/tally.h"

#include "calib/units.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_LINE    64u
#define INTERVALS_MAX 120u

static size_t round_to_line(size_t size)
{
	return (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

struct tally *tally_new(unsigned lun_count, unsigned interval_count)
{
	/* one block, on cache lines of its own: no two workers share a line */
	size_t luns_at = round_to_line(sizeof(struct tally));
	size_t series_at = luns_at + round_to_line(lun_count * sizeof(struct lun_tally));
	size_t size = series_at + round_to_line(interval_count * sizeof(struct series_tally));
	char *block = aligned_alloc(CACHE_LINE, size);
	struct tally *tally = (struct tally *)(void *)block;

	if (block == NULL)
		return NULL;
	/* explicit: a compiler may turn malloc and memset into calloc, which touches nothing */
	explicit_bzero(block, size);
	tally->luns = (struct lun_tally *)(void *)(block + luns_at);
	tally->series = (struct series_tally *)(void *)(block + series_at);
	tally_reset(tally, lun_count, interval_count);
	return tally;
}

void tally_reset(struct tally *tally, unsigned lun_count, unsigned interval_count)
{
	histogram_reset(&tally->latency);
	memset(tally->errors, 0, sizeof(tally->errors));
	tally->in_flight_ns = 0;
	memset(tally->luns, 0, lun_count * sizeof(tally->luns[0]));
	memset(tally->series, 0, interval_count * sizeof(tally->series[0]));
}

void tally_free(struct tally *tally)
{
	free(tally);
}

static void merge_lun(struct lun_tally *lun, const struct lun_tally *other)
{
	lun->ios += other->ios;
	lun->sum_ns += other->sum_ns;
	lun->errors += other->errors;
	lun->unmeasured += other->unmeasured;
	lun->elsewhere_bytes += other->elsewhere_bytes;
	lun->other_elsewhere_bytes += other->other_elsewhere_bytes;
}

static void merge_interval(struct series_tally *interval, const struct series_tally *other)
{
	interval->ios += other->ios;
	interval->sum_ns += other->sum_ns;
	if (other->max_ns > interval->max_ns)
		interval->max_ns = other->max_ns;
}

void tally_merge(struct tally *tally, const struct tally *other, unsigned lun_count,
		 unsigned interval_count)
{
	histogram_merge(&tally->latency, &other->latency);
	for (unsigned i = 0; i < ERROR_KINDS_MAX; i++)
		if (other->errors[i].code != 0)
			tally_count_error(tally->errors, other->errors[i].code,
					  other->errors[i].count);
	tally->in_flight_ns += other->in_flight_ns;
	for (unsigned i = 0; i < lun_count; i++)
		merge_lun(&tally->luns[i], &other->luns[i]);
	for (unsigned i = 0; i < interval_count; i++)
		merge_interval(&tally->series[i], &other->series[i]);
}

void measure_release(struct measure *measure)
{
	for (unsigned load = 0; load < POINT_LOADS_MAX; load++)
		for (unsigned dir = 0; dir < IO_DIRS; dir++)
			tally_free(measure->classes[load][dir]);
	*measure = (struct measure){0};
}

void tally_count_error(struct error_count errors[ERROR_KINDS_MAX], int code, uint64_t count)
{
	unsigned i = 0;

	while (i < ERROR_KINDS_MAX - 1 && errors[i].code != 0 && errors[i].code != code)
		i++;
	if (errors[i].code == 0)
		errors[i].code = code;
	errors[i].count += count;
}

const char *error_code_name(int code, char *out, size_t size)
{
	const char *name = code > 0 ? strerrorname_np(code) : NULL;

	if (code == ERRNO_SHORT)
		return "short";
	if (name != NULL)
		return name;
	snprintf(out, size, "errno %d", code);
	return out;
}

int error_code_from_name(const char *name)
{
	static const char unknown[] = "errno ";
	char *end;

	if (strcmp(name, "short") == 0)
		return ERRNO_SHORT;
	if (strncmp(name, unknown, sizeof(unknown) - 1) == 0) {
		long code = strtol(name + sizeof(unknown) - 1, &end, 10);

		return *end == '\0' && code > 0 && code <= INT_MAX ? (int)code : 0;
	}
	for (int code = 1; code < ERRNO_SHORT; code++) {
		const char *known = strerrorname_np(code);

		if (known != NULL && strcmp(known, name) == 0)
			return code;
	}
	return 0;
}

uint64_t series_interval_ns(uint64_t duration_ns)
{
	static const unsigned factor[] = {1, 2, 5};
	uint64_t least = duration_ns / INTERVALS_MAX + (duration_ns % INTERVALS_MAX != 0);

	for (uint64_t decade = 100 * NS_PER_MS;; decade *= 10)
		for (unsigned i = 0; i < 3; i++)
			if (decade * factor[i] >= least)
				return decade * factor[i];
}
