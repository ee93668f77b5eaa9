/* Files of ORION's as published, and a directory that tests write them to.
 * SPDX-License-Identifier: MIT */
#ifndef ORION_FILES_H
#define ORION_FILES_H

#include "calib/report.h"
#include "calib/units.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample_results.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static char orion_dir[64];

/** struct orion_case - what is written for one call of orion_read() */
struct orion_case {
	const char *summary, *iops, *mbps, *lat, *hist;
};

static inline int orion_setup(void **state)
{
	(void)state;
	strcpy(orion_dir, "/tmp/calib-orion-XXXXXX");
	return mkdtemp(orion_dir) == NULL;
}

static inline void orion_path(char path[128], const char *suffix)
{
	snprintf(path, 128, "%s/x_%s", orion_dir, suffix);
}

static inline void orion_empty(void)
{
	DIR *dir = opendir(orion_dir);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir != NULL)
		closedir(dir);
}

static inline int orion_teardown(void **state)
{
	(void)state;
	orion_empty();
	return rmdir(orion_dir);
}

static inline void orion_write(const char *suffix, const char *bytes, size_t size)
{
	char path[128];
	FILE *file;

	orion_path(path, suffix);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static inline void orion_write_text(const char *suffix, const char *text)
{
	if (text != NULL)
		orion_write(suffix, text, strlen(text));
}

typedef int orion_render_fn(const struct results *results, FILE *out);

static inline char *orion_render(const struct results *results, orion_render_fn *function)
{
	char *text = sample_render(results, function);

	assert_non_null(text);
	return text;
}

static inline int orion_read_document(struct results *results, const char *document,
				      struct error *err)
{
	char path[128];
	bool more_keys;
	int code;

	orion_write_text("results.json", document);
	orion_path(path, "results.json");
	memset(results, 0, sizeof(*results));
	code = json_read(results, path, &more_keys, err);
	if (code == 0)
		assert_false(more_keys);
	return code;
}

static inline void orion_assert_same(const struct results *made, const struct results *read,
				     orion_render_fn *function)
{
	char *expected = orion_render(made, function);
	char *text = orion_render(read, function);

	assert_string_equal(text, expected);
	free(text);
	free(expected);
}

/* What is read of ORION's files can be read of the document that is made of them, as it was. */
static inline void orion_assert_read_back(const struct results *made)
{
	static orion_render_fn *const formats[] = {
		json_render,	summary_txt_render, iops_csv_render,   mbps_csv_render,
		lat_csv_render, hist_txt_render,    points_csv_render,
	};
	char *document = orion_render(made, json_render);
	struct error err = {0};
	struct results read;

	orion_read_document(&read, document, &err);
	assert_string_equal(err.text, "");
	for (size_t i = 0; i < COUNT(formats); i++)
		orion_assert_same(made, &read, formats[i]);
	results_release(&read);
	free(document);
}

/* whatever it accepts */
static inline int orion_read_dir(struct results *results, struct error *err)
{
	char prefix[128];
	int code;

	memset(results, 0, sizeof(*results));
	snprintf(prefix, sizeof(prefix), "%s/x", orion_dir);
	code = orion_read(results, prefix, err);
	if (code == 0)
		orion_assert_read_back(results);
	return code;
}

static inline int orion_read_case(struct results *results, const struct orion_case *files,
				  struct error *err)
{
	orion_empty();
	orion_write_text("summary.txt", files->summary);
	orion_write_text("iops.csv", files->iops);
	orion_write_text("mbps.csv", files->mbps);
	orion_write_text("lat.csv", files->lat);
	orion_write_text("hist.txt", files->hist);
	return orion_read_dir(results, err);
}

static inline void orion_read_good(struct results *results, const struct orion_case *files)
{
	struct error err = {0};
	int code = orion_read_case(results, files, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(code, 0);
}

static inline const struct point_result *orion_point(const struct results *results, uint32_t small,
						     uint32_t large)
{
	for (size_t i = 0; i < results->point_count; i++)
		if (results->points[i].point.small == small &&
		    results->points[i].point.large == large)
			return &results->points[i];
	return NULL;
}

/* whether a warning has that code and that text in it */
static inline bool orion_warned(const struct results *results, const char *code, const char *text)
{
	for (size_t i = 0; i < results->warning_count; i++)
		if (strcmp(results->warnings[i].code, code) == 0 &&
		    strstr(results->warnings[i].text, text) != NULL)
			return true;
	return false;
}

static inline unsigned orion_count_warnings(const struct results *results, const char *code)
{
	unsigned count = 0;

	for (size_t i = 0; i < results->warning_count; i++)
		count += strcmp(results->warnings[i].code, code) == 0;
	return count;
}

#define VERSION_11 "ORION VERSION 11.1.0.7.0\n"
#define BEST_IOPS  "Maximum Small IOPS=6210 @ Small=5 and Large=0\n"

/* set A: 11.1, -run simple -num_disks 1; the csv files are byte for byte as published */
static const char a_summary[] =
	"ORION VERSION 11.1.0.7.0\n\nCommandline:\n"
	"-run simple -testname mytest -num_disks 1\n\nThis maps to this test:\nTest: mytest\n"
	"Small IO size: 8 KB\nLarge IO size: 1024 KB\n"
	"IO Types: Small Random IOs, Large Random IOs\nSimulated Array Type: CONCAT\nWrite: 0%\n"
	"Cache Size: Not Entered\nDuration for each Data Point: 60 seconds\n"
	"Small Columns:,      0\nLarge Columns:,      0,      1,      2\nTotal Data Points: 8\n\n"
	"Name: /dev/sda2\tSize: 629143441920\n1 FILEs found.\n\n"
	"Maximum Large MBPS=374.26 @ Small=0 and Large=2\n"
	"Maximum Small IOPS=6210 @ Small=5 and Large=0\n"
	"Minimum Small Latency=0.43 @ Small=1 and Large=0\n";
static const char a_iops[] = "Large/Small,      1,      2,      3,      4,      5\n"
			     "          0,   2302,   4398,   5450,   6006,   6210\n"
			     "          1\n"
			     "          2\n";
static const char a_lat[] = "Large/Small,      1,      2,      3,      4,      5\n"
			    "          0,   0.43,   0.45,   0.55,   0.67,   0.80\n"
			    "          1\n"
			    "          2\n";
static const char a_mbps[] = "Large/Small,      0,      1,      2,      3,      4,      5\n"
			     "          1, 271.58\n"
			     "          2, 374.26\n";

/* set B: 11.2.0.1, -run normal; the blanks are those of a web page. Its iops.csv is not published.
 */
static const char b_summary[] =
	"ORION VERSION 11.2.0.1.0\n\nCommand line:\n-testname /tmp/o -run normal\n\n"
	"These options enable these settings:\nTest: /tmp/o\n"
	"Small IO size: 8 KB\nLarge IO size: 1024 KB\n"
	"IO types: small random IOs, large random IOs\n"
	"Sequential stream pattern: one LUN per stream\nWrites: 0%\n"
	"Cache size: not specified\nDuration for each data point: 60 seconds\n"
	"Small Columns:,      0,      1,      2,      3,      4,      5\n"
	"Large Columns:,      0,      1,      2\nTotal Data Points: 18\n\n"
	"Name: /tmp/o.ctl  Size: 18399232\n1 files found.\n\n"
	"Maximum Large MBPS=1086.52 @ Small=0 and Large=1\n\n"
	"Maximum Small IOPS=1954 @ Small=1 and Large=1\n";
static const char b_mbps[] = "Large/Small, 0, 1, 2, 3, 4, 5\n"
			     "1, 1086.52, 101.61, 109.67, 163.55, 119.99, 113.40\n"
			     "2, 987.82, 114.27, 92.76, 155.87, 141.91, 114.85\n";
static const char b_lat[] = "Large/Small, 1, 2, 3, 4, 5\n"
			    "0, 1029.84, 1963.78, 2775.70, 3455.02, 4050.37\n"
			    "1, 511.23, 1207.35, 2093.45, 2952.65, 3667.30\n"
			    "2, 616.09, 1344.66, 1538.38, 2122.24, 3463.90\n";

/* 19.3, simple with 6 LUNs: result lines and histogram */
#define TABLE_19                                                                                   \
	"Small Read / Write Latency Histogram @ Small=2 and Large=0\n"                             \
	"        Latency:                         # of IOs (read)          # of IOs (write)\n"     \
	"        0 - 32         us:               0 (  0.00%)              0 (  0.00%)\n"          \
	"       32 - 64         us:               1 (  0.00%)              0 (  0.00%)\n"          \
	"       64 - 128        us:         1112243 ( 91.12%)              0 (  0.00%)\n"          \
	"      128 - 256        us:          102320 ( 99.50%)              0 (  0.00%)\n"          \
	"      256 - 512        us:            5434 ( 99.95%)              0 (  0.00%)\n"          \
	"      512 - 1024       us:             405 ( 99.98%)              0 (  0.00%)\n"          \
	"     1024 - 2048       us:             259 (100.00%)              0 (  0.00%)\n"          \
	"     2048 - 4096       us:               2 (100.00%)              0 (  0.00%)\n"          \
	"     4096 - 268435456  us:               0 (100.00%)              0 (  0.00%)\n"
#define VERSION_19 "ORION VERSION RDBMS_19.3.0.0.0DBRU_LINUX.X64_190417\n\n"
#define RESULTS_19                                                                                 \
	"Maximum Large MBPS=1571.33 @ Small=0 and Large=5\n\n"                                     \
	"Maximum Small IOPS=58778 @ Small=10 and Large=0\n"                                        \
	"Small Read Latency: avg=169.594 us, min=128.415 us, max=1924.721 us, "                    \
	"std dev=13.566 us @ Small=10 and Large=0\n\n"                                             \
	"Minimum Small Latency=97.677 usecs @ Small=2 and Large=0\n"                               \
	"Small Read Latency: avg=97.677 us, min=63.652 us, max=2133.198 us, "                      \
	"std dev=47.348 us @ Small=2 and Large=0\n"
static const char summary_19[] =
	VERSION_19 "Command line:\n-run simple -testname bm\n\n"
		   "These options enable these settings:\nTest: bm\nSmall IO size: 8 KB\n"
		   "Large IO size: 1024 KB\nIO types: small random IOs, large random IOs\n"
		   "Sequential stream pattern: one LUN per stream\nWrites: 0%\n"
		   "Cache size: not specified\nDuration for each data point: 60 seconds\n"
		   "Small Columns:,      0\nLarge Columns:,      0,      5\n\n" RESULTS_19 TABLE_19;

/* 12.1: what it printed, with a table of each power of two from 1 us on; no settings */
static const char stdout_12[] =
	"ORION: ORacle IO Numbers -- Version 12.1.0.2.0\nob-test_20140828_1804\n"
	"Calibration will take approximately 190 minutes.\n"
	"Using a large value for -cache_size may take longer.\n\n"
	"Maximum Large MBPS=1672.01 @ Small=0 and Large=2\n\n"
	"Maximum Small IOPS=16262 @ Small=13 and Large=1\n"
	"Small Read Latency: avg=796 us, min=111 us, max=4927 us, std dev=254 us @ Small=13 and "
	"Large=1\n\n"
	"Minimum Small Latency=148 usecs @ Small=1 and Large=0\n"
	"Small Read Latency: avg=148 us, min=0 us, max=82630 us, std dev=209 us @ Small=1 and "
	"Large=0\n"
	"Small Read / Write Latency Histogram @ Small=1 and Large=0\n"
	"        Latency:                # of IOs (read)          # of IOs (write)\n"
	"        0 - 1           us:             18                      0\n"
	"        2 - 4           us:             0                       0\n"
	"        4 - 8           us:             0                       0\n"
	"        8 - 16          us:             3                       0\n"
	"       16 - 32          us:             4                       0\n"
	"       32 - 64          us:             5                       0\n"
	"       64 - 128         us:             64513                   0\n"
	"      128 - 256         us:             325674                  0\n"
	"      256 - 512         us:             5759                    0\n"
	"      512 - 1024        us:             139                     0\n"
	"     1024 - 2048        us:             21                      0\n"
	"     2048 - 4096        us:             3                       0\n"
	"     4096 - 8192        us:             1                       0\n"
	"     8192 - 16384       us:             0                       0\n"
	"    16384 - 32768       us:             1                       0\n"
	"    32768 - 65536       us:             0                       0\n"
	"    65536 - 131072      us:             3                       0\n"
	"   131072 - 262144      us:             0                       0\n"
	"   262144 - 524288      us:             0                       0\n"
	"   524288 - 1048576     us:             0                       0\n"
	"  1048576 - 2097152     us:             0                       0\n"
	"  2097152 - 4194304     us:             0                       0\n"
	"  4194304 - 8388608     us:             0                       0\n"
	"  8388608 - 16777216    us:             0                       0\n"
	" 16777216 - 33554432    us:             0                       0\n"
	" 33554432 - 67108864    us:             0                       0\n"
	" 67108864 - 134217728   us:             0                       0\n"
	"134217728 - 268435456   us:             0                       0\n";

#endif
