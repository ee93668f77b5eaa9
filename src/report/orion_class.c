/* One class of a point, from what ORION tells of it. SPDX-License-Identifier: MIT */
#include "orion_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALL_PARTS (CLASS_SERIES * 2 - 1)

static bool is_large(const struct load *load)
{
	return strcmp(load->name, "large") == 0;
}

static const struct orion_spread *find_spread(const struct orion *orion, const struct point *point,
					      const struct load *load, enum io_dir dir)
{
	for (size_t i = 0; i < orion->spread_count; i++) {
		const struct orion_spread *spread = &orion->spreads[i];

		if (spread->is_large == is_large(load) && spread->dir == dir &&
		    spread->small == point->small && spread->large == point->large)
			return spread;
	}
	return NULL;
}

static const struct orion_histogram *
find_histogram(const struct orion *orion, const struct point *point, const struct load *load)
{
	return orion_histogram_find(orion, point->small, point->large, is_large(load));
}

/* Where it is not known how much was written, those classes are there that ORION tells of. */
static bool is_present(const struct orion *orion, const struct point *point,
		       const struct load *load, enum io_dir dir)
{
	const struct orion_histogram *histogram = find_histogram(orion, point, load);

	if (!(orion->results->run.unknown & SETTING_WRITE_PCT))
		return load_has(load, dir);
	return find_spread(orion, point, load, dir) != NULL ||
	       (histogram != NULL && histogram->total[dir] > 0);
}

/* a point's figures are of both directions; where it has one, they are those of the class */
static void take_told(struct class_result *class, const struct told *told, bool large)
{
	enum figure rate = large ? FIGURE_LARGE_MBPS : FIGURE_SMALL_IOPS;

	if (told->has >> rate & 1) {
		*(large ? &class->mbps : &class->iops) = told->value[rate];
		class->unknown &= ~(unsigned)(large ? CLASS_MBPS : CLASS_IOPS);
	}
	if (!large && told->has >> FIGURE_SMALL_LATENCY_NS & 1) {
		class->latency.mean_ns = told->value[FIGURE_SMALL_LATENCY_NS];
		class->unknown &= ~(unsigned)CLASS_MEAN;
	}
}

static bool lies_between(double mean_ns, const struct orion_spread *spread)
{
	return mean_ns >= spread->min_ns && (mean_ns <= spread->max_ns || spread->max_ns == 0);
}

/* A latency of 0 is one that was rounded away: of 12.1, which has whole microseconds. */
static int take_spread(struct orion *orion, struct class_result *class,
		       const struct orion_spread *spread)
{
	struct latency *latency = &class->latency;

	if (class->unknown & CLASS_MEAN && spread->avg_ns > 0) {
		latency->mean_ns = spread->avg_ns;
		class->unknown &= ~(unsigned)CLASS_MEAN;
	}
	if (!(class->unknown & CLASS_MEAN) && !lies_between(latency->mean_ns, spread))
		return orion_warn(orion, ORION_CONTRADICTION, SEVERITY_SUSPECT,
				  "the mean latency @ Small=%u and Large=%u lies outside its min "
				  "and max, which are left out",
				  spread->small, spread->large);
	if (spread->min_ns > 0) {
		latency->min_ns = (uint64_t)spread->min_ns;
		class->unknown &= ~(unsigned)CLASS_MIN;
	}
	if (spread->max_ns > 0) {
		latency->max_ns = (uint64_t)spread->max_ns;
		latency->stddev_ns = spread->stddev_ns;
		class->unknown &= ~(unsigned)CLASS_SPREAD;
	}
	return 0;
}

static int push_edges(struct results *results, struct class_result *class,
		      const struct orion_histogram *histogram)
{
	class->edges = (struct slice){.at = results->edge_count, .count = histogram->rows};
	for (size_t i = 0; i < histogram->rows; i++)
		if (results_push_edge(results, histogram->end_ns[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int push_counts(struct results *results, struct class_result *class,
		       const struct orion_histogram *histogram, enum io_dir dir)
{
	struct histogram *dense = malloc(sizeof(*dense));
	int code;

	if (dense == NULL)
		return -ENOMEM;
	histogram_reset(dense);
	for (size_t i = 0; i < histogram->rows; i++)
		dense->count[histogram_index(histogram->end_ns[i] - 1)] = histogram->ios[dir][i];
	code = results_push_histogram(results, dense, &class->hist);
	free(dense);
	return code;
}

/* each I/O is in it, so it also tells how many there were */
static int take_histogram(struct orion *orion, struct class_result *class, const struct load *load,
			  const struct orion_histogram *histogram, enum io_dir dir)
{
	uint64_t ios = histogram->total[dir];

	if (load->bytes > 0 && ios > INT64_MAX / load->bytes)
		return orion_warn(orion, ORION_UNREAD, SEVERITY_SUSPECT,
				  "the %s histogram @ Small=%u and Large=%u is left out: that many "
				  "I/Os are too many bytes",
				  load->name, histogram->small, histogram->large);
	if (push_edges(orion->results, class, histogram) < 0 ||
	    push_counts(orion->results, class, histogram, dir) < 0)
		return orion_no_memory(orion);
	class->ios = ios;
	class->bytes = ios * load->bytes;
	class->unknown &= ~(unsigned)(CLASS_IOS | CLASS_HIST);
	return 0;
}

int orion_class_fill(struct orion *orion, struct point_result *point, unsigned load_index,
		     enum io_dir dir)
{
	const struct load *load = &point->point.loads[load_index];
	struct class_result *class = &point->classes[load_index][dir];
	enum io_dir other = dir == IO_READ ? IO_WRITE : IO_READ;
	const struct orion_spread *spread = find_spread(orion, &point->point, load, dir);
	const struct orion_histogram *histogram = find_histogram(orion, &point->point, load);
	int code = 0;

	if (!is_present(orion, &point->point, load, dir))
		return 0;
	class->present = true;
	class->unknown = ALL_PARTS;
	if (!(orion->results->run.unknown & SETTING_WRITE_PCT) && !load_has(load, other))
		take_told(class, &point->told, is_large(load));
	if (spread != NULL)
		code = take_spread(orion, class, spread);
	if (code == 0 && histogram != NULL)
		code = take_histogram(orion, class, load, histogram, dir);
	return code;
}
