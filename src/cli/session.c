/* The stages of one run, wired together. SPDX-License-Identifier: MIT */
#include "calib/session.h"

#include "calib/clock.h"
#include "calib/random.h"
#include "calib/text.h"
#include "calib/units.h"
#include "session_private.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct session *session_new(const struct spec *spec, int argc, char *argv[], struct stop *stop)
{
	struct session *session = calloc(1, sizeof(*session));

	if (!session)
		return NULL;
	session->spec = *spec;
	session->argc = argc;
	session->argv = argv;
	session->stop = stop;
	session->ledger.fd = -1;
	session->trace.fd = -1;
	session->message_out = spec->json ? stderr : stdout;
	return session;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	targets_close(session->targets, session->target_count);
	free(session->findings);
	lun_list_release(&session->list);
	plan_free(session->plan);
	io_memory_release(&session->memory);
	ledger_close(&session->ledger);
	trace_close(&session->trace);
	results_release(&session->results);
	free(session);
}

/* As ORION prints them, for scripts that read them there. */
static void say_orion_estimate(const struct session *session, FILE *out)
{
	unsigned long long minutes = plan_orion_minutes(session->plan);

	if (session->spec.orion && !plan_is_adaptive(session->plan))
		fprintf(out,
			"Calibration will take approximately %llu minutes.\n"
			"Using a large value for -cache_size may take longer.\n",
			minutes);
}

/* What the estimate is: an adaptive plan may be done sooner; the fill by size is a guess. */
static const char *estimate_kind(const struct session *session)
{
	bool guessed = session->spec.cache_bytes > 0 && plan_fills(session->plan) > 0;

	return plan_is_adaptive(session->plan) && !guessed ? "at most" : "approximately";
}

static void say_estimate(const struct session *session, FILE *out)
{
	/* to a hundredth: the whole run may be shorter than a second */
	uint64_t hundredths = plan_estimate_ns(session->plan) / (10 * NS_PER_MS);
	double seconds = (double)hundredths / 100.0;
	size_t fills = plan_fills(session->plan);
	char each[32];

	say_orion_estimate(session, out);
	fprintf(out, "Calibration will take %s %.15g %s%s.\n", estimate_kind(session), seconds,
		seconds == 1.0 ? "second" : "seconds",
		session->spec.orion ? " (calib's own estimate)" : "");
	if (fills == 0)
		return;
	if (session->spec.cache_bytes > 0)
		fprintf(out,
			"The cache is filled with %s before each of %zu points, counted at 1 GiB a "
			"second.\n",
			units_format_bytes(each, sizeof(each), session->spec.cache_bytes), fills);
	else
		fprintf(out, "The cache is filled for %s before each of %zu points.\n",
			units_format_time(each, sizeof(each), session->spec.cache_fill_ns), fills);
}

static void say_engine(const struct session *session, FILE *out)
{
	fprintf(out, "Engine: %s (%s)\n", session->results.run.engine,
		session->results.run.engine_reason);
}

static void show_warnings(struct session *session)
{
	char name[768];

	if (session->spec.lun_suffix)
		fprintf(stderr, "calib: note: -testname is '%s', without the suffix .lun\n",
			text_quote(name, sizeof(name), session->spec.testname));
	for (size_t i = 0; i < session->results.warning_count; i++)
		progress_warning(&session->progress, &session->results.warnings[i]);
}

static void parent_directory(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash)
		slash[slash == path ? 1 : 0] = '\0';
	else
		strcpy(path, ".");
}

/* Whether the run could write its files; -out is made when missing, so look where it would be. */
static int check_out_dir(const struct session *session, struct error *err)
{
	const struct spec *spec = &session->spec;
	char dir[PATH_MAX];
	char name[768];

	snprintf(dir, sizeof(dir), "%s", spec->out_dir ? spec->out_dir : spec->testname);
	if (!spec->out_dir)
		parent_directory(dir);
	while (spec->out_dir && access(dir, F_OK) < 0 && errno == ENOENT && strcmp(dir, ".") != 0)
		parent_directory(dir);
	if (access(dir, W_OK | X_OK) < 0)
		return error_set(err, -errno, "cannot write to directory '%s'",
				 text_quote(name, sizeof(name), dir));
	return 0;
}

int session_dry_run(struct session *session, FILE *out, struct error *err)
{
	struct point point;
	char name[768];
	char time[32];

	progress_init(&session->progress, stderr, true);
	show_warnings(session);
	for (size_t i = 0; i < session->results.lun_count; i++)
		fprintf(out, "Name: %s\tSize: %llu\n",
			text_quote(name, sizeof(name), session->results.luns[i].path),
			(unsigned long long)session->results.luns[i].size_bytes);
	fprintf(out, "%zu files found.\n\n", session->results.lun_count);
	for (size_t i = 0; plan_peek(session->plan, i, &point); i++)
		fprintf(out, "point %zu: small=%u large=%u repeat=%u (%s%s)\n", i + 1, point.small,
			point.large, point.repeat,
			units_format_time(time, sizeof(time), point.ramp_ns + point.duration_ns),
			point.fill_bytes > 0 || point.fill_ns > 0 ? ", the cache filled before"
								  : "");
	if (session->spec.write_pct > 0)
		fprintf(out, "\nWrites: %u%%: the data on the LUNs would be destroyed\n",
			session->spec.write_pct);
	fprintf(out, "\nTotal Data Points: %zu%s\n", plan_total_points(session->plan),
		plan_is_adaptive(session->plan) ? " (at most)" : "");
	say_estimate(session, out);
	say_engine(session, out);
	if (check_out_dir(session, err) < 0)
		return STATUS_USAGE;
	fflush(out);
	return session_may_write(session, err);
}

static void output_failed(struct session *session, const struct error *err)
{
	progress_clear(&session->progress);
	fprintf(stderr, "calib: %s\n", err->text);
	session->output_error = true;
}

/* A run goes on without its trace, and says so once. */
static void begin_trace(struct session *session)
{
	struct error err = {0};

	if (trace_begin(&session->trace, &session->results, &err) < 0)
		output_failed(session, &err);
}

static void update_trace(struct session *session)
{
	struct error err = {0};

	if (trace_update(&session->trace, &session->results, &err) < 0)
		output_failed(session, &err);
}

int session_begin(struct session *session, struct error *err)
{
	struct run_info *run = &session->results.run;
	char prefix[PATH_MAX];
	struct tm local;

	run->started = clock_wall();
	if (localtime_r(&run->started.tv_sec, &local))
		run->utc_offset_s = (int)local.tm_gmtoff;
	if (ledger_claim(&session->ledger, session->spec.out_dir, session->spec.testname,
			 run->started, prefix, sizeof(prefix), err) < 0)
		return STATUS_USAGE;
	run->prefix = strdup(prefix);
	session->ledger.prefix = run->prefix;
	if (!run->prefix || ledger_begin(&session->ledger, &session->results, err) < 0) {
		if (!run->prefix)
			error_set(err, -ENOMEM, "cannot keep the settings");
		session->ledger.prefix = prefix;
		ledger_drop(&session->ledger);
		session->ledger.prefix = NULL;
		return STATUS_USAGE;
	}
	progress_init(&session->progress, stderr, session->spec.quiet);
	if (session->spec.verbose)
		session->progress.orion_out = session->message_out;
	if (!session->spec.quiet) {
		fprintf(session->message_out, "CALIB: version %s\n%s\n", run->version, prefix);
		say_estimate(session, session->message_out);
		say_engine(session, session->message_out);
		fputc('\n', session->message_out);
		fflush(session->message_out);
	}
	show_warnings(session);
	begin_trace(session);
	return STATUS_DONE;
}

static void on_point_started(void *arg, const struct results *results, const struct point *point)
{
	struct session *session = arg;
	size_t fills = plan_fills(session->plan);
	size_t left = fills > session->fills ? fills - session->fills : 0;

	progress_point_started(&session->progress, results, point,
			       left * plan_fill_ns(session->plan));
	session->fills += point->fill_bytes > 0 || point->fill_ns > 0;
}

/* By now the terminal, or whoever reads the output, has taken all there was to say, and the file
 * system of the reports the first of them: all that may keep a run waiting for long. */
static int on_ready(void *arg, struct error *err)
{
	struct session *session = arg;

	if (session->begun)
		return 0;
	session->never_begun = session_look_again(session, err);
	session->begun = session->never_begun == STATUS_DONE;
	return session->begun ? 0 : -ECANCELED;
}

static void on_tick(void *arg, const struct live *live)
{
	struct session *session = arg;

	progress_tick(&session->progress, live);
}

static void on_point_ended(void *arg, const struct results *results,
			   const struct point_result *point)
{
	struct session *session = arg;
	struct error err = {0};

	progress_point_ended(&session->progress, results, point);
	update_trace(session);
	if (point->status == POINT_INTERRUPTED || session->ledger.fd < 0)
		return;
	if (ledger_add(&session->ledger, results, point, &err) < 0)
		output_failed(session, &err);
}

static void on_warning(void *arg, const struct warning *warning)
{
	struct session *session = arg;

	progress_warning(&session->progress, warning);
	update_trace(session);
}

/* The results get the change alone: a run that is killed leaves them unknown. */
void session_start_kernel_counts(struct session *session)
{
	for (unsigned i = 0; i < session->target_count; i++)
		probe_kernel_count(&session->targets[i], SESSION_SYSFS, &session->kernel_before[i]);
}

/* The block layer counts a request after its completion was seen: read until nothing moves. */
static void settled_kernel_count(const struct target *target, struct kernel_count *count)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct kernel_count before;

	probe_kernel_count(target, SESSION_SYSFS, count);
	for (unsigned tries = 0; count->known && tries < 20; tries++) {
		before = *count;
		nanosleep(&pause, NULL);
		probe_kernel_count(target, SESSION_SYSFS, count);
		if (count->read_ios == before.read_ios && count->write_ios == before.write_ios)
			break;
	}
}

static void end_kernel_counts(struct session *session)
{
	for (unsigned i = 0; i < session->target_count; i++) {
		const struct kernel_count *before = &session->kernel_before[i];
		struct kernel_count *count = &session->results.luns[i].kernel;
		struct kernel_count now;

		settled_kernel_count(&session->targets[i], &now);
		if (!before->known || !now.known)
			continue;
		*count = (struct kernel_count){
			.known = true,
			.read_ios = now.read_ios - before->read_ios,
			.read_merges = now.read_merges - before->read_merges,
			.read_sectors = now.read_sectors - before->read_sectors,
			.write_ios = now.write_ios - before->write_ios,
			.write_merges = now.write_merges - before->write_merges,
			.write_sectors = now.write_sectors - before->write_sectors,
		};
	}
}

struct run_target session_run_target(struct session *session)
{
	return (struct run_target){
		.engine = session->engine,
		.fds = session->fds,
		.usable_bytes = session->usable_bytes,
		.lun_count = session->target_count,
		.stripe_bytes = session->spec.stripe_bytes,
		.threads = session->spec.threads,
		.cpus = session->cpus,
		.poll = session->spec.poll,
		.near = session->has_near ? &session->near : NULL,
		.seed = session->spec.seed,
		.data_seed = random_mix(clock_now_ns() ^ session->spec.seed),
		.memory = &session->memory,
	};
}

int session_measure(struct session *session, struct error *err)
{
	const struct run_target target = session_run_target(session);
	const struct observer observer = {
		.arg = session,
		.point_started = on_point_started,
		.ready = on_ready,
		.tick = on_tick,
		.point_ended = on_point_ended,
		.warned = on_warning,
	};
	struct run_info *run = &session->results.run;
	int code;

	code = calibrate(session->plan, &target, session->stop, &observer, &session->results, err);
	if (session->never_begun != STATUS_DONE) {
		progress_clear(&session->progress);
		trace_drop(&session->trace);
		ledger_drop(&session->ledger);
		return session->never_begun;
	}
	end_kernel_counts(session);
	run->finished = clock_wall();
	snprintf(run->buffer_pages, sizeof(run->buffer_pages), "%s",
		 io_memory_pages(&session->memory));
	progress_clear(&session->progress);
	if (code == 0)
		return STATUS_DONE;
	return code == -ENOBUFS ? STATUS_INTERNAL : STATUS_IO;
}

static bool any_point_failed(const struct results *results)
{
	for (size_t i = 0; i < results->point_count; i++)
		if (results->points[i].status == POINT_FAILED)
			return true;
	return false;
}

/* Also of what filled a cache before a point, which stands in no point. */
static bool any_io_failed(const struct results *results)
{
	for (size_t i = 0; i < results->warning_count; i++)
		if (strcmp(results->warnings[i].code, "io_errors") == 0)
			return true;
	return results_failed_ios(results) > 0;
}

static void write_reports(struct session *session)
{
	struct error err = {0};

	for (const struct report_format *format = report_table; format->suffix; format++)
		if (report_write(&session->results, format, false, &err) < 0)
			output_failed(session, &err);
}

int session_report(struct session *session, int status)
{
	struct results *results = &session->results;
	int stopped_by;

	write_reports(session);
	ledger_close(&session->ledger);
	trace_close(&session->trace);
	if ((session->spec.json ? json_render(results, stdout)
				: summary_txt_render(results, stdout)) < 0)
		session->output_error = true;
	/* asked here: a signal that came after the last point ends the run by that signal too */
	stopped_by = atomic_load(&session->stop->signal);
	if (stopped_by != 0)
		return STATUS_SIGNAL + stopped_by;
	if (session->output_error || status == STATUS_INTERNAL)
		return STATUS_INTERNAL;
	if (status == STATUS_IO || any_point_failed(results) || any_io_failed(results))
		return STATUS_IO;
	return status;
}
