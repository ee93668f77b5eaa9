/* A run of ORION's, from its files. SPDX-License-Identifier: MIT */
#include "calib/text.h"
#include "orion_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "orion"

bool orion_is_summary(const char *path)
{
	struct orion_text text;
	struct error err;
	const char *line;
	bool is = false;

	/* its version stands in the first lines */
	if (orion_text_open_head(&text, path, &err) < 0)
		return false;
	while (!is && (line = orion_text_line(&text)) != NULL)
		is = orion_take(&line, "ORION VERSION") ||
		     orion_take(&line, "ORION: ORacle IO Numbers -- Version");
	orion_text_close(&text);
	return is;
}

static int add_file(struct orion *orion, const char *path)
{
	struct source *source = &orion->results->run.source;
	const char *name = text_last_part(path);
	char **grown = reallocarray(source->files, source->file_count + 1, sizeof(*grown));
	size_t size = 4 * strlen(name) + 1;
	char *quoted = malloc(size);

	if (grown != NULL)
		source->files = grown;
	if (grown == NULL || quoted == NULL) {
		free(quoted);
		return orion_no_memory(orion);
	}
	source->files[source->file_count++] = text_quote(quoted, size, name);
	return 0;
}

static int say_missing(struct orion *orion, const char *path)
{
	char quoted[sizeof(orion->err->text)];

	*orion->err = (struct error){0};
	return orion_warn(orion, ORION_INCOMPLETE, SEVERITY_NOTE, "there is no '%s'",
			  text_quote(quoted, sizeof(quoted), text_last_part(path)));
}

static int read_matrix(struct orion *orion, enum figure figure, const char *path)
{
	struct orion_matrix *matrix = &orion->matrix[figure];
	int code = orion_matrix_read(matrix, figure, path, orion->err);

	if (code == -ENOENT)
		return say_missing(orion, path);
	if (code == 0)
		code = add_file(orion, path);
	if (code == 0 && matrix->stray_line > 0)
		code = orion_warn(orion, ORION_CONTRADICTION, SEVERITY_SUSPECT,
				  "'%s':%u: a figure of %s I/Os where there are none is left out",
				  matrix->name, matrix->stray_line,
				  figure == FIGURE_LARGE_MBPS ? "large" : "small");
	if (code == 0 && matrix->torn)
		code = orion_warn(orion, ORION_INCOMPLETE, SEVERITY_NOTE,
				  "the last line of '%s' has no end: the file may be cut off",
				  matrix->name);
	return code;
}

static int read_iops(struct orion *orion, const char *path)
{
	return read_matrix(orion, FIGURE_SMALL_IOPS, path);
}

static int read_mbps(struct orion *orion, const char *path)
{
	return read_matrix(orion, FIGURE_LARGE_MBPS, path);
}

static int read_latencies(struct orion *orion, const char *path)
{
	return read_matrix(orion, FIGURE_SMALL_LATENCY_NS, path);
}

static int read_summary(struct orion *orion, const char *path)
{
	int code = orion_summary_read(orion, path);

	return code < 0 ? code : add_file(orion, path);
}

/* 10.2 and 11.1 have none */
static int read_hist_txt(struct orion *orion, const char *path)
{
	size_t before = orion->histogram_count;
	int code = orion_hist_txt_read(orion, path);

	if (code == -ENOENT) {
		*orion->err = (struct error){0};
		return 0;
	}
	if (code == 0 && orion->histogram_count > before)
		code = add_file(orion, path);
	return code;
}

/**
 * struct part - one of the files, in the order in which they are read
 */
static const struct part {
	const char *suffix;
	int (*read)(struct orion *orion, const char *path);
} parts[] = {
	{SUMMARY_SUFFIX, read_summary}, {"iops.csv", read_iops},     {"mbps.csv", read_mbps},
	{"lat.csv", read_latencies},	{"hist.txt", read_hist_txt},
};

static int read_part(struct orion *orion, const struct part *part, const char *prefix)
{
	char *path;
	int code;

	if (asprintf(&path, "%s_%s", prefix, part->suffix) < 0)
		return orion_no_memory(orion);
	code = part->read(orion, path);
	free(path);
	return code;
}

/* "usecs" says more than the version */
static int settle_unit(struct orion *orion)
{
	struct orion_matrix *latencies = &orion->matrix[FIGURE_SMALL_LATENCY_NS];
	bool usecs = orion->best[FIGURE_SMALL_LATENCY_NS].usecs || orion->spread_count > 0;
	int code = 0;

	if (usecs && orion->unit_known && orion->in_ms)
		code = orion_warn(orion, ORION_CONTRADICTION, SEVERITY_SUSPECT,
				  "version %s has latencies in ms, but the summary says "
				  "microseconds: taken as those",
				  orion->results->run.source.version);
	if (usecs) {
		orion->unit_known = true;
		orion->in_ms = false;
	}
	if (orion->unit_known || !latencies->read)
		return code;
	code = orion_warn(orion, ORION_UNREAD, SEVERITY_SUSPECT,
			  "the latencies of '%s' are left out: neither the version nor the summary "
			  "tells their unit",
			  latencies->name);
	latencies->left_out = true;
	return code;
}

static int keep_unit(struct orion *orion)
{
	if (!orion->unit_known)
		return 0;
	orion->results->run.source.latency_unit = strdup(orion->in_ms ? "ms" : "us");
	return orion->results->run.source.latency_unit != NULL ? 0 : orion_no_memory(orion);
}

static bool has_above_zero(const struct level_list *levels)
{
	return levels->count > 0 && levels->value[levels->count - 1] > 0;
}

/* a level that the summary does not list; simple runs list only 0 */
static bool has_stranger(const struct level_list *listed, const struct level_list *levels,
			 uint32_t *stranger)
{
	for (unsigned i = 0; has_above_zero(listed) && i < levels->count; i++) {
		*stranger = levels->value[i];
		if (*stranger > 0 && orion_level_index(listed, *stranger) < 0)
			return true;
	}
	return false;
}

static int check_levels(struct orion *orion, const struct orion_matrix *matrix)
{
	const struct run_info *run = &orion->results->run;
	uint32_t stranger;
	bool small = has_stranger(&run->small_levels, &matrix->small, &stranger);

	if (matrix->left_out)
		return 0;
	if (!small && !has_stranger(&run->large_levels, &matrix->large, &stranger))
		return 0;
	return orion_warn(orion, ORION_CONTRADICTION, SEVERITY_SUSPECT,
			  "'%s' has the %s level %u, which the summary does not list", matrix->name,
			  small ? "small" : "large", stranger);
}

static int check_files(struct orion *orion)
{
	size_t count = orion->results->lun_count;

	if (orion->files_found == UINT64_MAX || orion->files_found == count)
		return 0;
	return orion_warn(orion, ORION_CONTRADICTION, SEVERITY_SUSPECT,
			  "the summary says %ju files found, but names %zu",
			  (uintmax_t)orion->files_found, count);
}

static bool has_all(const struct orion *orion)
{
	return orion->matrix[FIGURE_SMALL_IOPS].read && orion->matrix[FIGURE_LARGE_MBPS].read &&
	       orion->matrix[FIGURE_SMALL_LATENCY_NS].read;
}

/* the empty point counts */
static int check_total(struct orion *orion)
{
	const struct results *results = orion->results;
	size_t total = results->run.total_points;

	if (total > 0 && results->point_count + 1 < total && has_all(orion))
		return orion_warn(orion, ORION_INCOMPLETE, SEVERITY_SUSPECT,
				  "the summary says Total Data Points: %zu, but the matrices have "
				  "figures of %zu",
				  total, results->point_count);
	if (total == 0 || results->point_count <= total)
		return 0;
	return orion_warn(orion, ORION_CONTRADICTION, SEVERITY_SUSPECT,
			  "the summary says Total Data Points: %zu, but there are %zu", total,
			  results->point_count);
}

/* IOPS and latency are of the same points */
static int check_same_points(struct orion *orion)
{
	const struct orion_matrix *iops = &orion->matrix[FIGURE_SMALL_IOPS];
	const struct orion_matrix *latencies = &orion->matrix[FIGURE_SMALL_LATENCY_NS];

	for (size_t i = 0; i < orion->results->point_count; i++) {
		const struct point *point = &orion->results->points[i].point;
		bool has = orion_matrix_cell(iops, point->small, point->large) != NULL;

		if (!iops->read || !latencies->read || latencies->left_out ||
		    has == (orion_matrix_cell(latencies, point->small, point->large) != NULL))
			continue;
		return orion_warn(orion, ORION_CONTRADICTION, SEVERITY_SUSPECT,
				  "'%s' has a figure @ Small=%u and Large=%u, '%s' has none",
				  has ? iops->name : latencies->name, point->small, point->large,
				  has ? latencies->name : iops->name);
	}
	return 0;
}

/* ORION prints its result lines when it ends */
static int settle_end(struct orion *orion)
{
	struct run_info *run = &orion->results->run;

	run->has_small = has_above_zero(&run->small_levels);
	run->has_large = has_above_zero(&run->large_levels);
	run->status = RUN_COMPLETE;
	for (unsigned i = 0; i < FIGURES; i++)
		if (orion->best[i].known)
			return 0;
	run->status = RUN_INTERRUPTED;
	return orion_warn(
		orion, ORION_INCOMPLETE, SEVERITY_SUSPECT,
		"the summary has no best figures: the run did not end, or the file is cut "
		"off");
}

static int settle_names(struct orion *orion, const char *prefix)
{
	struct run_info *run = &orion->results->run;

	run->repeat = 1;
	if (run->num_disks == 0)
		run->num_disks = (unsigned)orion->results->lun_count;
	snprintf(run->version, sizeof(run->version), "%s", CALIB_VERSION);
	run->prefix = strdup(prefix);
	if (run->testname == NULL)
		run->testname = strdup(text_last_part(prefix));
	return run->prefix != NULL && run->testname != NULL ? 0 : orion_no_memory(orion);
}

static int make(struct orion *orion, const char *prefix)
{
	int code = settle_names(orion, prefix);

	if (code == 0)
		code = settle_unit(orion);
	if (code == 0)
		code = keep_unit(orion);
	for (unsigned i = 0; i < FIGURES && code == 0; i++)
		code = check_levels(orion, &orion->matrix[i]);
	if (code == 0)
		code = check_files(orion);
	if (code == 0)
		code = orion_points_make(orion);
	if (code == 0)
		code = check_total(orion);
	if (code == 0)
		code = check_same_points(orion);
	return code < 0 ? code : settle_end(orion);
}

static void release(struct orion *orion)
{
	for (unsigned i = 0; i < FIGURES; i++)
		orion_matrix_release(&orion->matrix[i]);
	for (size_t i = 0; i < orion->histogram_count; i++)
		free(orion->histograms[i]);
	free(orion->spreads);
	free(orion->histograms);
	free(orion);
}

static int read_and_make(struct orion *orion, const char *prefix)
{
	char quoted[sizeof(orion->err->text)];
	int code = 0;

	for (size_t i = 0; i < COUNT(parts) && code == 0; i++)
		code = read_part(orion, &parts[i], prefix);
	if (code == 0)
		code = orion_tell_more(orion);
	if (code == 0)
		code = make(orion, prefix);
	if (code == 0 && orion->results->point_count == 0)
		code = error_say(orion->err, -EINVAL, "'%s_" SUMMARY_SUFFIX "' tells no figure",
				 text_quote(quoted, sizeof(quoted), prefix));
	return code;
}

int orion_read(struct results *results, const char *prefix, struct error *err)
{
	struct orion *orion = calloc(1, sizeof(*orion)); /* large for a stack */
	int code;

	*err = (struct error){0};
	if (orion == NULL)
		return error_set(err, -ENOMEM, "cannot read the results");
	orion->results = results;
	orion->err = err;
	orion->files_found = UINT64_MAX;
	results->run.source.program = strdup(PROGRAM);
	results->run.unknown =
		SETTING_MATRIX | SETTING_LARGE_TYPE | SETTING_SIMULATE | SETTING_WRITE_PCT;
	code = results->run.source.program == NULL ? orion_no_memory(orion)
						   : read_and_make(orion, prefix);
	release(orion);
	return code;
}
