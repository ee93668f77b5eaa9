/* Results made up for the tests of stats and reports. SPDX-License-Identifier: MIT */
#ifndef SAMPLE_RESULTS_H
#define SAMPLE_RESULTS_H

#include "calib/results.h"
#include "calib/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum sample_load {
	SAMPLE_SMALL,
	SAMPLE_LARGE,
};

/** sample_point - both loads where both levels are above 0; small is 8 KiB, large 1 MiB streams */
static inline struct point sample_point(uint32_t number, uint32_t small, uint32_t large)
{
	struct point point = {
		.number = number,
		.repeat = 1,
		.small = small,
		.large = large,
		.ramp_ns = NS_PER_S,
		.duration_ns = 50 * NS_PER_S,
	};

	if (small > 0)
		point.loads[point.load_count++] = (struct load){
			.name = "small",
			.pattern = PATTERN_RANDOM,
			.bytes = 8192,
			.level = small,
			.per_level = 1,
		};
	if (large > 0)
		point.loads[point.load_count++] = (struct load){
			.name = "large",
			.pattern = PATTERN_STREAM,
			.bytes = 1048576,
			.level = large,
			.per_level = 4,
		};
	return point;
}

/** sample_measure - nothing measured yet: 2 LUNs, 50 intervals of a second, reads only */
static inline void sample_measure(struct measure *measure, const struct point *point)
{
	*measure = (struct measure){
		.lun_count = 2,
		.interval_count = 50,
		.interval_ns = NS_PER_S,
		.start_ns = 7 * NS_PER_S,
		.end_ns = 57 * NS_PER_S,
		.threads = 1,
		.cpu_user_ns = 250 * NS_PER_MS,
		.cpu_system_ns = 2 * NS_PER_S,
	};
	for (uint32_t i = 0; i < point->load_count; i++)
		measure->classes[i][IO_READ] =
			tally_new(measure->lun_count, measure->interval_count);
}

/** sample_record - @ios I/Os of one latency, in LUN 0, spread over the intervals */
static inline void sample_record(struct tally *tally, uint64_t ns, uint64_t ios,
				 unsigned interval_count)
{
	for (uint64_t i = 0; i < ios; i++) {
		struct series_tally *interval = &tally->series[i % interval_count];

		histogram_record(&tally->latency, ns);
		interval->ios++;
		interval->sum_ns += ns;
		if (ns > interval->max_ns)
			interval->max_ns = ns;
	}
	tally->luns[0].ios += ios;
	tally->luns[0].sum_ns += ios * ns;
	tally->in_flight_ns += ios * ns;
}

/**
 * sample_add - a point whose loads each did some I/Os of one latency in its 50 seconds
 *
 * IOPS and MBPS are therefore a fiftieth of small_ios and large_ios.
 */
static inline int sample_add(struct results *results, const struct point *point,
			     enum point_status status, uint64_t small_ios, uint64_t small_ns,
			     uint64_t large_ios)
{
	struct measure measure;
	int small = point_load(point, "small");
	int large = point_load(point, "large");
	int code;

	sample_measure(&measure, point);
	if (small >= 0)
		sample_record(measure.classes[small][IO_READ], small_ns, small_ios, 50);
	if (large >= 0)
		sample_record(measure.classes[large][IO_READ], 3 * NS_PER_MS, large_ios, 50);
	code = results_add(results, point, status, (struct timespec){1774774620, 123456789},
			   &measure);
	measure_release(&measure);
	return code;
}

static inline void sample_levels(struct level_list *list, uint32_t first, uint32_t last)
{
	list->count = 0;
	for (uint32_t level = first; level <= last; level++)
		list->value[list->count++] = level;
}

/** sample_run - a finished simple run of one 8 GiB file "/data/a"; 50 seconds a point */
static inline void sample_run(struct results *results)
{
	struct run_info *run = &results->run;

	memset(results, 0, sizeof(*results));
	run->testname = strdup("mytest");
	run->prefix = strdup("mytest_20260329_1057");
	run->command_line = strdup("calib -run simple -testname mytest -num_disks 1");
	run->engine = strdup("libaio");
	run->engine_reason = strdup("io_uring is not allowed here");
	strcpy(run->version, "0.1.0");
	strcpy(run->buffer_pages, "thp");
	strcpy(run->host.hostname, "box");
	strcpy(run->host.kernel, "Linux 6.1.0");
	strcpy(run->host.cpu, "Some CPU");
	run->host.cpus = 2;
	run->host.memory_bytes = 8 * BYTES_GIB;
	run->started = (struct timespec){1774774620, 123456789}; /* 2026-03-29T08:57:00 UTC */
	run->finished = (struct timespec){1774775000, 0};
	run->utc_offset_s = 7200;
	run->run = RUN_SIMPLE;
	run->small_bytes = 8192;
	run->large_bytes = 1048576;
	run->large_type = LARGE_SEQ;
	run->stream_ios = 4;
	run->num_disks = 1;
	run->repeat = 1;
	run->seed = 4711;
	run->duration_ns = 50 * NS_PER_S;
	run->ramp_ns = NS_PER_S;
	run->has_small = run->has_large = true;
	run->total_points = 8;
	run->run_points = 7;
	sample_levels(&run->small_levels, 0, 5);
	sample_levels(&run->large_levels, 0, 2);
	results->luns = calloc(1, sizeof(results->luns[0]));
	results->lun_count = 1;
	results->luns[0] = (struct lun_info){
		.path = strdup("/data/a"),
		.size_bytes = 8 * BYTES_GIB,
		.used_bytes = 8 * BYTES_GIB,
		.logical_block_bytes = 512,
		.rotational = -1,
		.nr_requests = -1,
		.issued_known = true,
		.issued = {.reads = 1000, .read_bytes = 8192000},
	};
}

/** sample_setup, sample_teardown - of a test whose state is the results of sample_run() */
static inline int sample_setup(void **state)
{
	struct results *results = malloc(sizeof(*results));

	if (results == NULL)
		return -1;
	sample_run(results);
	*state = results;
	return 0;
}

static inline int sample_teardown(void **state)
{
	results_release(*state);
	free(*state);
	return 0;
}

/** sample_append - sample_add() of the next point, numbered as it is added; must succeed */
static inline void sample_append(struct results *results, uint32_t small, uint32_t large,
				 enum point_status status, uint64_t small_ios, uint64_t small_ns,
				 uint64_t large_ios)
{
	struct point point = sample_point((uint32_t)results->point_count + 1, small, large);

	if (sample_add(results, &point, status, small_ios, small_ns, large_ios) < 0)
		abort();
}

/** sample_render - what @render writes, as a string to be freed; NULL where it fails */
static inline char *sample_render(const struct results *results,
				  int (*render)(const struct results *results, FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int code;

	if (out == NULL)
		return NULL;
	code = render(results, out);
	if (fclose(out) == 0 && code == 0)
		return text;
	free(text);
	return NULL;
}

#endif
