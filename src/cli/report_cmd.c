/* calib report: every report of a run again, from its results, its ledger or ORION's files.
 * SPDX-License-Identifier: MIT */
#include "calib/report_cmd.h"

#include "calib/report.h"
#include "calib/results.h"
#include "calib/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEDGER_SUFFIX  "points.jsonl"
#define RESULTS_SUFFIX "results.json"

/**
 * struct job - one call of calib report
 * @prefix:    of the run's files
 * @source:    the one that is read
 * @target:    prefix of what is written
 * @is_ledger: @source is the ledger: the run was broken off
 * @is_orion:  @source is the summary of a run of ORION's
 * @beside:    there are ORION's files under @target, which stay as they are
 * @more_keys: @source says more than this version knows
 */
struct job {
	char *prefix, *source, *target;
	bool is_ledger, is_orion, beside;
	bool more_keys;
	struct results results;
};

static void say(const struct error *err)
{
	fprintf(stderr, "calib: %s\n", err->text);
}

/* "x_20260329_1057_summary.txt" -> "x_20260329_1057"; also with the "_" that a shell completes */
static void cut_suffix(char *prefix, const char *suffix)
{
	size_t length = strlen(prefix);
	size_t cut = strlen(suffix) + 1;

	if (length > cut && prefix[length - cut] == '_' &&
	    strcmp(prefix + length - cut + 1, suffix) == 0)
		prefix[length - cut] = '\0';
}

static char *bare_prefix(const char *typed)
{
	char *prefix = strdup(typed);

	if (prefix == NULL)
		return NULL;
	cut_suffix(prefix, LEDGER_SUFFIX);
	cut_suffix(prefix, report_trace.suffix);
	for (const struct report_format *format = report_table; format->suffix; format++)
		cut_suffix(prefix, format->suffix);
	cut_suffix(prefix, "");
	return prefix;
}

static char *path_of(const char *prefix, const char *suffix)
{
	char *path;

	return asprintf(&path, "%s_%s", prefix, suffix) < 0 ? NULL : path;
}

static bool is_missing(const char *path)
{
	return access(path, F_OK) < 0 && errno == ENOENT;
}

static int no_memory(struct error *err)
{
	return error_set(err, -ENOMEM, "cannot read the results");
}

static int say_no_source(const struct job *job, bool summary, struct error *err)
{
	char quoted[sizeof(err->text)];

	text_quote(quoted, sizeof(quoted), job->prefix);
	return error_say(err, -ENOENT,
			 "there is neither '%s_" RESULTS_SUFFIX "' nor '%s_" LEDGER_SUFFIX "'%s",
			 quoted, quoted,
			 summary ? ", and its " SUMMARY_SUFFIX " is not one of ORION's"
				 : ", nor a " SUMMARY_SUFFIX " of ORION's");
}

static int find_orion(struct job *job, struct error *err)
{
	char *summary = path_of(job->prefix, SUMMARY_SUFFIX);
	bool is_there;

	if (summary == NULL)
		return no_memory(err);
	is_there = !is_missing(summary);
	job->is_orion = is_there && orion_is_summary(summary);
	free(job->source);
	job->source = summary;
	return job->is_orion ? 0 : say_no_source(job, is_there, err);
}

/* the results where they are there, else the ledger, else what ORION has written */
static int find_source(struct job *job, const char *typed, struct error *err)
{
	char *ledger;

	job->prefix = bare_prefix(typed);
	if (job->prefix == NULL)
		return no_memory(err);
	job->source = path_of(job->prefix, RESULTS_SUFFIX);
	if (job->source == NULL)
		return no_memory(err);
	if (!is_missing(job->source))
		return 0;
	ledger = path_of(job->prefix, LEDGER_SUFFIX);
	if (ledger == NULL)
		return no_memory(err);
	free(job->source);
	job->source = ledger;
	job->is_ledger = !is_missing(ledger);
	return job->is_ledger ? 0 : find_orion(job, err);
}

/* Its reports would be in the way of those that a run writes there when it ends. */
static int check_ended(const struct job *job, struct error *err)
{
	char quoted[sizeof(err->text)];
	char *ledger = path_of(job->target, LEDGER_SUFFIX);
	bool in_use = ledger && ledger_in_use(ledger);

	free(ledger);
	if (!ledger)
		return no_memory(err);
	if (!in_use)
		return 0;
	return error_say(err, -EBUSY,
			 "the run '%s' still goes on: wait for its end, or say with -out DIR where "
			 "else its reports so far should go",
			 text_quote(quoted, sizeof(quoted), job->target));
}

static bool is_same_told(const struct point_result *one, const struct point_result *other)
{
	bool same = one->point.small == other->point.small &&
		    one->point.large == other->point.large && one->told.has == other->told.has;

	for (unsigned i = 0; i < FIGURES && same; i++)
		same = !(one->told.has & 1u << i) || one->told.value[i] == other->told.value[i];
	return same;
}

/* ORION tells neither when nor where: what two runs have measured tells them apart. */
static bool has_same_figures(const struct results *one, const struct results *other)
{
	bool same = one->point_count == other->point_count;

	for (size_t i = 0; i < one->point_count && same; i++)
		same = is_same_told(&one->points[i], &other->points[i]);
	return same;
}

/* Whether the results that are there already are of the same run. */
static bool is_same_run(const struct results *there, const struct results *here)
{
	const struct run_info *one = &there->run, *other = &here->run;
	const char *line = one->command_line ? one->command_line : "";
	const char *other_line = other->command_line ? other->command_line : "";

	return (!results_foreign(here) || has_same_figures(there, here)) &&
	       one->seed == other->seed && one->started.tv_sec == other->started.tv_sec &&
	       one->started.tv_nsec == other->started.tv_nsec &&
	       strcmp(one->host.hostname, other->host.hostname) == 0 &&
	       strcmp(line, other_line) == 0;
}

/* What the files with that prefix say of their run; -ENOENT where there are none. */
static int read_run(const char *prefix, struct results *results)
{
	struct error unread = {0};
	char *document = path_of(prefix, RESULTS_SUFFIX);
	char *ledger = path_of(prefix, LEDGER_SUFFIX);
	bool more_keys;
	int code = -ENOMEM;

	if (document && ledger) {
		if (!is_missing(document))
			code = json_read(results, document, &more_keys, &unread);
		else if (!is_missing(ledger))
			code = ledger_read(results, ledger, &more_keys, &unread);
		else
			code = -ENOENT;
	}
	free(document);
	free(ledger);
	return code;
}

static bool has_file(const char *prefix, const char *suffix)
{
	char *path = path_of(prefix, suffix);
	bool has = !path || !is_missing(path);

	free(path);
	return has;
}

/* Reports that were copied without the document they came from. */
static bool any_report(const char *prefix)
{
	for (const struct report_format *format = report_table; format->suffix; format++)
		if (has_file(prefix, format->suffix))
			return true;
	return has_file(prefix, report_trace.suffix);
}

/* Whether the reports go beside what is read, however -out names that directory. */
static bool is_in_place(const struct job *job)
{
	const char *suffix = job->source + strlen(job->prefix) + 1;
	char *path = path_of(job->target, suffix);
	struct stat here, there;
	bool same = path && stat(job->source, &here) == 0 && stat(path, &there) == 0 &&
		    here.st_dev == there.st_dev && here.st_ino == there.st_ino;

	free(path);
	return same;
}

/* Runs of two hosts may have one prefix: the files of the other are not to be lost. */
static int check_target(const struct job *job, struct error *err)
{
	char quoted[sizeof(err->text)];
	struct results *there = calloc(1, sizeof(*there));
	int code = there ? read_run(job->target, there) : -ENOMEM;

	if (code == 0 && !is_same_run(there, &job->results))
		code = -EEXIST;
	if (there)
		results_release(there);
	free(there);
	if (code == -ENOENT)
		code = any_report(job->target) ? -EEXIST : 0;
	if (code == 0)
		return 0;
	if (code == -ENOMEM)
		return no_memory(err);
	return error_say(err, -EEXIST,
			 "files of '%s' are there already, and not of this run: say with -out DIR "
			 "where else its reports should go",
			 text_quote(quoted, sizeof(quoted), job->target));
}

static int read_source(struct job *job, struct error *err)
{
	if (job->is_orion)
		return orion_read(&job->results, job->prefix, err);
	return job->is_ledger ? ledger_read(&job->results, job->source, &job->more_keys, err)
			      : json_read(&job->results, job->source, &job->more_keys, err);
}

static int choose_target(struct job *job, const char *out_dir, struct error *err)
{
	if (out_dir)
		return report_prefix_in(out_dir, job->prefix, &job->target, err);
	job->target = strdup(job->prefix);
	return job->target ? 0 : no_memory(err);
}

/* All but the results document has the name of a file of ORION's, or one that looks like it. */
static int look_beside(struct job *job, struct error *err)
{
	char quoted[sizeof(err->text)];
	char *summary = path_of(job->target, SUMMARY_SUFFIX);

	if (summary == NULL)
		return no_memory(err);
	job->beside = orion_is_summary(summary);
	if (job->beside)
		fprintf(stderr,
			"calib: note: '%s' is ORION's and stays: only the " RESULTS_SUFFIX
			" is written; say with -out DIR where the other reports should go\n",
			text_quote(quoted, sizeof(quoted), summary));
	free(summary);
	return 0;
}

static int open_job(struct job *job, const struct options *options, struct error *err)
{
	const char *out_dir = options->spec.out_dir;
	int code = find_source(job, options->prefix, err);

	if (code == 0)
		code = choose_target(job, out_dir, err);
	if (code == 0)
		code = check_ended(job, err);
	if (code == 0)
		code = read_source(job, err);
	if (code == 0 && !is_in_place(job))
		code = check_target(job, err);
	if (code == 0)
		code = look_beside(job, err);
	return code;
}

static void release_job(struct job *job)
{
	results_release(&job->results);
	free(job->prefix);
	free(job->source);
	free(job->target);
}

/* What this version does not know would be lost. */
static bool must_stay(const struct job *job, const struct report_format *format)
{
	char quoted[512];

	if (!job->more_keys || job->is_ledger || strcmp(format->suffix, RESULTS_SUFFIX) != 0)
		return false;
	fprintf(stderr,
		"calib: note: '%s' is not written again: it says more than this version of calib "
		"knows\n",
		text_quote(quoted, sizeof(quoted), job->source));
	return true;
}

/* The course of a run is not known of another program's. */
static bool has_trace(const struct job *job)
{
	return !results_foreign(&job->results) && !job->beside;
}

static bool write_one(const struct job *job, const struct report_format *format)
{
	struct error err = {0};

	if (must_stay(job, format) ||
	    report_write_to(job->target, &job->results, format, true, &err) == 0)
		return true;
	say(&err);
	return false;
}

static bool write_all(const struct job *job)
{
	bool good = !has_trace(job) || write_one(job, &report_trace);

	for (const struct report_format *format = report_table; format->suffix; format++)
		if (!job->beside || strcmp(format->suffix, RESULTS_SUFFIX) == 0)
			good = write_one(job, format) && good;
	return good;
}

static void print(const struct job *job, bool as_json)
{
	if (as_json)
		json_render(&job->results, stdout);
	else
		summary_txt_render(&job->results, stdout);
}

int report_command(const struct options *options)
{
	struct job *job = calloc(1, sizeof(*job)); /* the results are large for a stack */
	struct error err = {0};
	int status = STATUS_USAGE;
	int code = job ? open_job(job, options, &err) : no_memory(&err);

	if (code == 0) {
		status = write_all(job) ? STATUS_DONE : STATUS_INTERNAL;
		print(job, options->spec.json);
	} else {
		say(&err);
		if (code == -ENOMEM)
			status = STATUS_INTERNAL;
	}
	if (job)
		release_job(job);
	free(job);
	return status;
}
