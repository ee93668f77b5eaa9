/* Most IOPS, most MBPS, least latency, and at which point. SPDX-License-Identifier: MIT */
#include "results_private.h"

#include <stdlib.h>
#include <string.h>

/**
 * struct median - a figure's median over the good repeats of a point
 * @count:  repeats that have the figure; 0: there is no median
 * @point:  number of the repeat that has it; of two in the middle, the lower figure's
 */
struct median {
	size_t count;
	double value;
	uint32_t point;
};

struct sample {
	double value;
	uint32_t point;
};

int point_load(const struct point *point, const char *name)
{
	for (uint32_t i = 0; i < point->load_count && i < POINT_LOADS_MAX; i++)
		if (strcmp(point->loads[i].name, name) == 0)
			return (int)i;
	return -1;
}

double point_small_iops(const struct point_result *point)
{
	int load = point_load(&point->point, "small");

	if (point->told.is)
		return point->told.value[FIGURE_SMALL_IOPS];
	if (load < 0)
		return 0.0;
	return point->classes[load][IO_READ].iops + point->classes[load][IO_WRITE].iops;
}

double point_large_mbps(const struct point_result *point)
{
	int load = point_load(&point->point, "large");

	if (point->told.is)
		return point->told.value[FIGURE_LARGE_MBPS];
	if (load < 0)
		return 0.0;
	return point->classes[load][IO_READ].mbps + point->classes[load][IO_WRITE].mbps;
}

double point_small_latency_ns(const struct point_result *point)
{
	int load = point_load(&point->point, "small");
	const struct class_result *reads, *writes;

	if (point->told.is)
		return point->told.value[FIGURE_SMALL_LATENCY_NS];
	if (load < 0)
		return 0.0;
	reads = &point->classes[load][IO_READ];
	writes = &point->classes[load][IO_WRITE];
	/* as it stands where there is one direction only: no rounding, equal in every report */
	if (writes->ios == 0)
		return reads->latency.mean_ns;
	if (reads->ios == 0)
		return writes->latency.mean_ns;
	return (reads->latency.mean_ns * (double)reads->ios +
		writes->latency.mean_ns * (double)writes->ios) /
	       (double)(reads->ios + writes->ios);
}

bool point_figure(const struct point_result *point, enum figure figure, double *value)
{
	if (point->told.is) {
		*value = point->told.value[figure];
		return point->told.has >> figure & 1;
	}
	switch (figure) {
	case FIGURE_SMALL_IOPS:
		*value = point_small_iops(point);
		return point_load(&point->point, "small") >= 0;
	case FIGURE_LARGE_MBPS:
		*value = point_large_mbps(point);
		return point_load(&point->point, "large") >= 0;
	case FIGURE_SMALL_LATENCY_NS:
		*value = point_small_latency_ns(point);
		return *value > 0;
	}
	return false;
}

static bool in_or_before(const struct point *point, uint32_t small, uint32_t large)
{
	return point->small < small || (point->small == small && point->large <= large);
}

size_t cell_end(const struct results *results, uint32_t small, uint32_t large)
{
	size_t low = 0;
	size_t high = results->point_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct point *point = &results->points[results->by_cell[middle]].point;

		if (in_or_before(point, small, large))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* the first index of the cell that ends at @end */
static size_t cell_begin(const struct results *results, size_t end, uint32_t small, uint32_t large)
{
	while (end > 0) {
		const struct point *point = &results->points[results->by_cell[end - 1]].point;

		if (point->small != small || point->large != large)
			break;
		end--;
	}
	return end;
}

static int compare_samples(const void *a, const void *b)
{
	const struct sample *left = a;
	const struct sample *right = b;

	if (left->value != right->value)
		return left->value < right->value ? -1 : 1;
	return (left->point > right->point) - (left->point < right->point);
}

static struct median median_of(struct sample samples[], size_t count)
{
	const struct sample *lower, *upper;

	qsort(samples, count, sizeof(samples[0]), compare_samples);
	lower = &samples[(count - 1) / 2];
	upper = &samples[count / 2];
	return (struct median){
		.count = count,
		.value = lower == upper ? lower->value
					: lower->value + (upper->value - lower->value) / 2,
		.point = lower->point,
	};
}

/**
 * struct span - the repeats of one point: by_cell[begin] .. by_cell[end - 1]
 */
struct span {
	size_t begin, end;
};

static struct span cell_span(const struct results *results, uint32_t small, uint32_t large)
{
	size_t end = cell_end(results, small, large);

	return (struct span){cell_begin(results, end, small, large), end};
}

static size_t collect(const struct results *results, struct span span, enum figure figure,
		      struct sample samples[])
{
	size_t count = 0;

	for (size_t i = span.begin; i < span.end; i++) {
		const struct point_result *point = &results->points[results->by_cell[i]];

		if (point->status == POINT_OK && point_figure(point, figure, &samples[count].value))
			samples[count++].point = point->point.number;
	}
	return count;
}

static struct median span_median(const struct results *results, struct span span,
				 enum figure figure)
{
	struct sample few[16] = {{0}};
	struct sample *samples = few;
	struct median median = {0};
	size_t count;

	if (span.end - span.begin > sizeof(few) / sizeof(few[0]))
		samples = calloc(span.end - span.begin, sizeof(samples[0]));
	if (samples == NULL)
		return median;
	count = collect(results, span, figure, samples);
	if (count > 0)
		median = median_of(samples, count);
	if (samples != few)
		free(samples);
	return median;
}

static unsigned has(enum figure figure, const struct median *median)
{
	return median->count > 0 ? 1u << figure : 0;
}

struct cell results_cell(const struct results *results, uint32_t small, uint32_t large)
{
	struct span span = cell_span(results, small, large);
	struct median iops = span_median(results, span, FIGURE_SMALL_IOPS);
	struct median mbps = span_median(results, span, FIGURE_LARGE_MBPS);
	struct median latency = span_median(results, span, FIGURE_SMALL_LATENCY_NS);

	return (struct cell){
		.known = iops.count > 0 || mbps.count > 0,
		.has = has(FIGURE_SMALL_IOPS, &iops) | has(FIGURE_LARGE_MBPS, &mbps) |
		       has(FIGURE_SMALL_LATENCY_NS, &latency),
		.small_iops = iops.value,
		.large_mbps = mbps.value,
		.small_latency_ns = latency.value,
		.point = iops.count > 0 ? iops.point : mbps.point,
	};
}

static bool is_better(enum figure figure, double value, double than)
{
	return figure == FIGURE_SMALL_LATENCY_NS ? value < than : value > than;
}

static struct best_value best_of(const struct median *median, const struct point *point)
{
	return (struct best_value){
		.known = true,
		.value = median->value,
		.small = point->small,
		.large = point->large,
		.point = median->point,
	};
}

/* the place in the run of the first good repeat; there is one */
static uint32_t first_good(const struct results *results, struct span span)
{
	while (results->points[results->by_cell[span.begin]].status != POINT_OK)
		span.begin++;
	return results->by_cell[span.begin];
}

/* over all cells; of equals, the one that was run first */
static struct best_value search(const struct results *results, enum figure figure)
{
	struct best_value best = {0};
	uint32_t best_first = 0;
	struct span span;

	for (span.begin = 0; span.begin < results->point_count; span.begin = span.end) {
		const struct point *point = &results->points[results->by_cell[span.begin]].point;
		struct median median;
		uint32_t first;

		span.end = cell_end(results, point->small, point->large);
		median = span_median(results, span, figure);
		if (median.count == 0 ||
		    (best.known && is_better(figure, best.value, median.value)))
			continue;
		first = first_good(results, span);
		if (best.known && median.value == best.value && first > best_first)
			continue;
		best = best_of(&median, point);
		best_first = first;
	}
	return best;
}

static void update_one(const struct results *results, struct best_value *best, enum figure figure,
		       const struct point *point)
{
	struct span span = cell_span(results, point->small, point->large);
	struct median median = span_median(results, span, figure);
	bool was_best = best->known && best->small == point->small && best->large == point->large;

	if (median.count == 0)
		return;
	/* a repeat moves its cell's median either way: the best may have to give way to another
	 * cell, or a tie go to the cell that was run first */
	if (median.count > 1 && (was_best || !is_better(figure, best->value, median.value)))
		*best = search(results, figure);
	else if (!best->known || is_better(figure, median.value, best->value))
		*best = best_of(&median, point);
}

void best_update(struct results *results, const struct point_result *point)
{
	struct best *best = &results->best;

	if (point->status != POINT_OK)
		return;
	update_one(results, &best->max_iops, FIGURE_SMALL_IOPS, &point->point);
	update_one(results, &best->max_mbps, FIGURE_LARGE_MBPS, &point->point);
	update_one(results, &best->min_latency_ns, FIGURE_SMALL_LATENCY_NS, &point->point);
}
