/* Writes the reports of a run made up, which has everything that calib-results(5) describes and a
 * run with the null engine has not: writes, errors, a device, a signal, warnings.
 * SPDX-License-Identifier: MIT */
#include "calib/report.h"

#include <errno.h>

#include "unit/sample_results.h"

#define LUNS 2

/* Both directions: a point of sample_point() has reads only. */
static int add_mixed(struct results *results, const struct point *asked, enum point_status status,
		     uint64_t ios)
{
	struct point point = *asked;
	struct measure measure;
	int code;

	sample_measure(&measure, &point);
	measure.filled_bytes = 4 * BYTES_GIB;
	measure.filled_ns = 3 * NS_PER_S;
	for (uint32_t load = 0; load < point.load_count; load++) {
		point.loads[load].write_pct = 50;
		measure.classes[load][IO_WRITE] = tally_new(LUNS, measure.interval_count);
		for (unsigned dir = 0; dir < IO_DIRS; dir++) {
			struct tally *tally = measure.classes[load][dir];

			sample_record(tally, (100 + dir) * NS_PER_US, ios, measure.interval_count);
			tally_count_error(tally->errors, EIO, 3);
			tally_count_error(tally->errors, ERRNO_SHORT, 1);
			tally->luns[1].errors += 4;
		}
	}
	code = results_add(results, &point, status, (struct timespec){1774774700, 0}, &measure);
	measure_release(&measure);
	return code;
}

static int add_points(struct results *results)
{
	const struct point first = sample_point(1, 1, 0);
	const struct point mixed = sample_point(2, 1, 2);
	const struct point failed = sample_point(3, 2, 1);
	const struct point broken_off = sample_point(4, 2, 2);

	if (sample_add(results, &first, POINT_OK, 5000, 90 * NS_PER_US, 0) < 0 ||
	    add_mixed(results, &mixed, POINT_OK, 10000) < 0 ||
	    add_mixed(results, &failed, POINT_FAILED, 20) < 0 ||
	    add_mixed(results, &broken_off, POINT_INTERRUPTED, 20) < 0)
		return -ENOMEM;
	if (results_warn(results, "io_errors", SEVERITY_SUSPECT, 3, 1, "I/Os failed") < 0 ||
	    results_warn(results, "same_storage", SEVERITY_NOTE, WARNING_NO_POINT, WARNING_NO_LUN,
			 "x.lun:2: 'b' is the same file as 'a': counted once") < 0)
		return -ENOMEM;
	return 0;
}

/* A block device with a name that is no UTF-8, beside the file of sample_run(). */
static int add_device(struct results *results)
{
	struct lun_info *luns = realloc(results->luns, LUNS * sizeof(luns[0]));

	if (!luns)
		return -ENOMEM;
	luns[0].filesystem = strdup("ext4");
	luns[1] = (struct lun_info){
		.path = strdup("/dev/\xff"),
		.is_block = true,
		.size_bytes = BYTES_GIB,
		.used_bytes = BYTES_GIB,
		.logical_block_bytes = 512,
		.physical_block_bytes = 4096,
		.major = 8,
		.minor = 16,
		.rotational = 1,
		.model = strdup("DISK"),
		.scheduler = strdup("none"),
		.nr_requests = 256,
		.issued_known = true,
		.issued = {.reads = 7, .read_bytes = 57344, .writes = 3, .write_bytes = 24576},
		.kernel = {true, 7, 0, 112, 3, 0, 48},
	};
	results->luns = luns;
	results->lun_count = LUNS;
	return 0;
}

static int make(struct results *results)
{
	struct run_info *run = &results->run;

	sample_run(results);
	run->repeat = 2;
	run->write_pct = 50;
	run->order = ORDER_SHUFFLED;
	run->status = RUN_INTERRUPTED;
	run->cache_given = true;
	run->cache_bytes = 4 * BYTES_GIB;
	run->cache_fill_ns = 120 * NS_PER_S; /* never both, but the page describes both */
	run->signal = 2;
	if (add_device(results) < 0)
		return -ENOMEM;
	return add_points(results);
}

/* print_sample PREFIX: makes PREFIX_summary.txt and so on */
int main(int argc, char *argv[])
{
	struct results results;
	struct error err = {0};
	int code = argc == 2 ? make(&results) : -EINVAL;

	if (code < 0)
		return 1;
	free(results.run.prefix);
	results.run.prefix = strdup(argv[1]);
	for (const struct report_format *format = report_table; format->suffix; format++)
		if (report_write(&results, format, false, &err) < 0)
			code = err.code;
	if (report_write(&results, &report_trace, false, &err) < 0)
		code = err.code;
	results_release(&results);
	if (code < 0)
		fprintf(stderr, "%s\n", err.text);
	return code < 0;
}
