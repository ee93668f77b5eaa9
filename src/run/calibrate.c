/* The outer loop: next point, run it, keep its results. SPDX-License-Identifier: MIT */
#include "calib/clock.h"
#include "calib/judge.h"
#include "calib/text.h"
#include "run_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Below this share of the outstanding I/Os that were asked for, a point is not what it says. */
#define DEPTH_KEPT_MIN 0.9

static void tell_warnings(const struct observer *observer, const struct results *results,
			  size_t first)
{
	for (size_t i = first; observer->warned && i < results->warning_count; i++)
		observer->warned(observer->arg, &results->warnings[i]);
}

static const char *failure_words(int code, char *out, size_t size)
{
	if (code == ERRNO_SHORT) {
		snprintf(out, size, "short transfer");
		return out;
	}
	return strerror_r(code, out, size);
}

/* @what failed, and the first of it; @number may be WARNING_NO_POINT. */
static int warn_errors(struct results *results, uint32_t number, const char *what,
		       const struct io_failure *first)
{
	char path[512];
	char words[128];
	char name[32];

	return results_warn(results, "io_errors", SEVERITY_SUSPECT, number, (int)first->lun,
			    "%s; first: %s of %u bytes at offset %llu of '%s': %s (%s)", what,
			    first->dir == IO_WRITE ? "write" : "read", first->bytes,
			    (unsigned long long)first->offset,
			    text_quote(path, sizeof(path), results->luns[first->lun].path),
			    failure_words(first->code, words, sizeof(words)),
			    error_code_name(first->code, name, sizeof(name)));
}

static int warn_failures(struct results *results, const struct io_failure *first)
{
	const struct point_result *last = &results->points[results->point_count - 1];
	const struct point *point = &last->point;
	char what[128];

	if (first->code == 0)
		return 0;
	snprintf(what, sizeof(what), "small=%u large=%u: %llu I/Os failed%s", point->small,
		 point->large, (unsigned long long)point_failed_ios(last),
		 last->status == POINT_FAILED ? ", LUN given up for this point" : "");
	return warn_errors(results, point->number, what, first);
}

/* Where the volume has fewer blocks than are kept outstanding, I/Os hit a block that is in flight.
 */
static int warn_overlap(struct results *results, const struct run_target *target,
			const struct point *point)
{
	for (unsigned i = 0; i < point->load_count; i++) {
		const struct load *load = &point->loads[i];
		uint64_t blocks = 0;

		for (unsigned lun = 0; lun < target->lun_count; lun++)
			blocks += target->usable_bytes[lun] / load->bytes;
		/* once is enough: its repeats are no different */
		if (blocks >= load_outstanding(load) || point->repeat > 1)
			continue;
		return results_warn(results, "overlap", SEVERITY_SUSPECT, point->number,
				    WARNING_NO_LUN,
				    "small=%u large=%u: %u %s I/Os outstanding on a volume of %llu "
				    "%s: they overlap, a cache may answer them",
				    point->small, point->large, load_outstanding(load), load->name,
				    (unsigned long long)blocks, blocks == 1 ? "block" : "blocks");
	}
	return 0;
}

/* A figure at a load that was not kept is a figure at another load. */
static int warn_depth(struct results *results)
{
	const struct point_result *last = &results->points[results->point_count - 1];
	const struct point *point = &last->point;

	for (unsigned i = 0; last->status == POINT_OK && i < point->load_count; i++) {
		const struct load *load = &point->loads[i];
		double kept = last->classes[i][IO_READ].outstanding_mean +
			      last->classes[i][IO_WRITE].outstanding_mean;

		if (kept >= DEPTH_KEPT_MIN * load_outstanding(load))
			continue;
		return results_warn(
			results, "outstanding", SEVERITY_SUSPECT, point->number, WARNING_NO_LUN,
			"small=%u large=%u: %u %s I/Os outstanding asked, %.2f kept on "
			"average: the figures belong to a lower load",
			point->small, point->large, load_outstanding(load), load->name, kept);
	}
	return 0;
}

static int keep_point(struct results *results, const struct run_target *target,
		      const struct point *point, enum point_status status, struct timespec started,
		      const struct measure *measure)
{
	int code = results_add(results, point, status, started, measure);

	if (code == 0)
		code = warn_overlap(results, target, point);
	if (code == 0 && strcmp(target->engine->name, "null") != 0) /* which is no device's load */
		code = warn_depth(results);
	if (code == 0)
		code = warn_failures(results, &measure->first_failure);
	return code;
}

/* The rows and columns of the matrices grow with an adaptive plan. */
static void keep_levels(struct results *results, const struct plan *plan)
{
	results->run.small_levels = *plan_small_levels(plan);
	results->run.large_levels = *plan_large_levels(plan);
	results->run.total_points = plan_total_points(plan);
	results->run.run_points = plan_run_points(plan);
}

/* struct calibration - what does not change from point to point */
struct calibration {
	const struct run_target *target;
	struct stop *stop;
	const struct observer *observer;
	struct results *results;
	struct io_count *issued;
};

/* How many workers it takes, then the point; @interrupted: a stop came before it. */
static int one_point(const struct calibration *run, const struct point *point,
		     const struct filled *filled, bool *interrupted, struct error *err)
{
	struct run_target target = *run->target;
	struct timespec started;
	size_t warnings = run->results->warning_count;
	struct measure measure;
	enum point_status status;
	int code;

	code = scale_workers(&target, point, run->stop, run->observer, run->issued, &target.threads,
			     err);
	*interrupted = code == 0 && stop_asked(run->stop);
	if (code < 0 || *interrupted)
		return code;
	started = clock_wall();
	code = point_run(&target, point, run->stop, run->observer, &measure, run->issued, &status,
			 err);
	if (code == 0) {
		measure.filled_bytes = filled->bytes;
		measure.filled_ns = filled->ns;
		code = keep_point(run->results, run->target, point, status, started, &measure);
		if (code < 0)
			code = error_say(err, -ENOBUFS, "no memory for the results of a point");
	}
	measure_release(&measure);
	tell_warnings(run->observer, run->results, warnings);
	return code;
}

/* The point is not there yet, so the warning belongs to none. */
static int warn_filling(struct results *results, const struct point *point,
			const struct filled *filled)
{
	char what[128];

	if (filled->first_failure.code == 0)
		return 0;
	snprintf(what, sizeof(what),
		 "filling the cache before small=%u large=%u: %llu I/Os failed%s", point->small,
		 point->large, (unsigned long long)filled->failed_ios,
		 filled->dropped ? ", LUN given up for the filling" : "");
	return warn_errors(results, WARNING_NO_POINT, what, &filled->first_failure);
}

static int fill_before(const struct calibration *run, const struct point *point,
		       struct filled *filled, struct error *err)
{
	size_t warnings = run->results->warning_count;
	int code =
		cache_fill(run->target, point, run->stop, run->observer, run->issued, filled, err);

	if (code < 0)
		return code;
	if (warn_filling(run->results, point, filled) < 0)
		return error_say(err, -ENOBUFS, "no memory for a warning");
	tell_warnings(run->observer, run->results, warnings);
	return 0;
}

/* What fills the cache, then the point; @interrupted: a stop ended either. */
static int next_point(const struct calibration *run, const struct point *point, bool *interrupted,
		      struct error *err)
{
	struct filled filled;
	int code;

	if (run->observer->point_started)
		run->observer->point_started(run->observer->arg, run->results, point);
	code = fill_before(run, point, &filled, err);
	*interrupted = code == 0 && stop_asked(run->stop);
	if (code < 0 || *interrupted)
		return code;
	code = one_point(run, point, &filled, interrupted, err);
	if (code == 0 && !*interrupted)
		*interrupted = run->results->points[run->results->point_count - 1].status ==
			       POINT_INTERRUPTED;
	return code;
}

/* A latency that falls as the load rises speaks of something that is not the load. */
static int judge_run(const struct calibration *run, struct error *err)
{
	size_t warnings = run->results->warning_count;

	if (strcmp(run->target->engine->name, "null") == 0) /* which has no load to answer */
		return 0;
	if (warn_latency_falls(run->results) < 0)
		return error_say(err, -ENOBUFS, "no memory for a warning");
	tell_warnings(run->observer, run->results, warnings);
	return 0;
}

static void settle_run(struct run_info *run, int code, bool interrupted, const struct stop *stop)
{
	run->status = RUN_COMPLETE;
	if (code < 0)
		run->status = RUN_FAILED;
	if (interrupted) {
		run->status = RUN_INTERRUPTED;
		run->signal = atomic_load(&stop->signal);
	}
}

/* To what was read before the first I/O. */
static void add_issued(struct io_count *sum, const struct io_count *issued)
{
	sum->reads += issued->reads;
	sum->read_bytes += issued->read_bytes;
	sum->writes += issued->writes;
	sum->write_bytes += issued->write_bytes;
}

int calibrate(struct plan *plan, const struct run_target *target, struct stop *stop,
	      const struct observer *observer, struct results *results, struct error *err)
{
	struct io_count issued[VOLUME_LUNS_MAX] = {0};
	const struct calibration run = {target, stop, observer, results, issued};
	struct point point;
	bool interrupted = false;
	int code = 0;

	keep_levels(results, plan);
	while (code == 0 && !interrupted && plan_next(plan, results, &point)) {
		size_t before = results->point_count;

		interrupted = stop_asked(stop);
		if (!interrupted)
			code = next_point(&run, &point, &interrupted, err);
		if (code < 0 || results->point_count == before)
			break;
		keep_levels(results, plan);
		if (observer->point_ended)
			observer->point_ended(observer->arg, results, &results->points[before]);
	}
	keep_levels(results, plan); /* an adaptive plan knows its count only now */
	for (unsigned i = 0; i < target->lun_count; i++) {
		add_issued(&results->luns[i].issued, &issued[i]);
		results->luns[i].issued_known = true;
	}
	if (code == 0)
		code = judge_run(&run, err);
	settle_run(&results->run, code, interrupted, stop);
	return code;
}
