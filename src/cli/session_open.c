/* From the spec to a run that is ready: LUNs, plan, memory, engine. SPDX-License-Identifier: MIT */
#include "calib/limits.h"
#include "calib/options.h"
#include "calib/session.h"
#include "calib/text.h"
#include "calib/units.h"
#include "session_private.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define SEED_MASK ((UINT64_C(1) << 53) - 1)

/* ORION's help calls 2 to 32K small and 128K and more large; far above both */
#define SMALL_USUAL BYTES_MIB
#define LARGE_USUAL (32 * BYTES_MIB)

/* The parts of large I/Os are stripes: what a LUN asks of an I/O it asks of a stripe. */
static int check_stripe(const struct session *session, const struct target *target,
			struct error *err)
{
	uint64_t stripe = session->spec.stripe_bytes;
	char name[768], file[768], size[32];

	text_quote(name, sizeof(name), target->path);
	units_format_bytes(size, sizeof(size), stripe);
	if (stripe % target->logical_block_bytes != 0)
		error_say(err, -EINVAL,
			  "'%s': -stripe, %s, must be a multiple of %u, its logical block", name,
			  size, target->logical_block_bytes);
	else if (target->size_bytes < stripe)
		error_say(err, -EINVAL,
			  "'%s' (%llu bytes) is smaller than one stripe (%s): try a smaller "
			  "-stripe",
			  name, (unsigned long long)target->size_bytes, size);
	else
		return 0;
	return error_wrap(err, "%s:%u", text_quote(file, sizeof(file), session->list.file),
			  target->line);
}

static int open_targets(struct session *session, struct error *err)
{
	const struct spec *spec = &session->spec;
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s.lun", spec->testname) >= sizeof(path))
		return error_set(err, -ENAMETOOLONG, "cannot open the .lun file");
	if (lun_list_read(&session->list, spec->lun_path ? spec->lun_path : path, err) < 0)
		return err->code;
	if (targets_open(session->targets, &session->target_count, &session->list,
			 spec_has_small(spec) ? spec->small_bytes : 0,
			 spec_has_large(spec) ? spec->large_bytes : 0, spec->write_pct > 0,
			 err) < 0 ||
	    session_drop_aliases(session, err) < 0)
		return err->code;
	for (unsigned i = 0; i < session->target_count; i++) {
		if (check_stripe(session, &session->targets[i], err) < 0)
			return err->code;
		session->fds[i] = session->targets[i].fd;
		session->usable_bytes[i] = volume_usable_bytes(session->targets[i].size_bytes,
							       spec_largest_bytes(spec));
	}
	return 0;
}

static int keep_luns(struct session *session, struct error *err)
{
	struct results *results = &session->results;

	results->luns = calloc(session->target_count, sizeof(*results->luns));
	if (!results->luns)
		return error_set(err, -ENOMEM, "cannot keep the LUNs");
	results->lun_count = session->target_count;
	for (unsigned i = 0; i < session->target_count; i++) {
		struct lun_info *info = &results->luns[i];

		info->used_bytes = session->usable_bytes[i];
		probe_lun(&session->targets[i], SESSION_SYSFS, info);
		info->path = strdup(session->targets[i].path);
		if (!info->path)
			return error_set(err, -ENOMEM, "cannot keep the LUNs");
	}
	return 0;
}

static void keep_settings(struct session *session)
{
	const struct spec *spec = &session->spec;
	struct run_info *run = &session->results.run;

	snprintf(run->version, sizeof(run->version), "%s", CALIB_VERSION);
	run->run = spec->run;
	run->matrix = spec->matrix;
	run->small_bytes = spec->small_bytes;
	run->large_bytes = spec->large_bytes;
	run->large_type = spec->large_type;
	run->stream_ios = spec->stream_ios;
	run->layout = spec->layout;
	run->stripe_bytes = spec->stripe_bytes;
	run->write_pct = spec->write_pct;
	run->cache_given = spec_given(spec, SPEC_CACHE_SIZE);
	run->cache_bytes = spec->cache_bytes;
	run->cache_fill_ns = spec->cache_fill_ns;
	run->num_disks = spec->num_disks > 0 ? spec->num_disks : session->target_count;
	run->repeat = spec->repeat;
	run->order = spec->order;
	run->seed = spec->seed;
	run->duration_ns = spec->duration_ns;
	run->ramp_ns = spec->ramp_ns;
	run->has_small = spec_has_small(spec);
	run->has_large = spec_has_large(spec);
	run->total_points = plan_total_points(session->plan);
	run->run_points = plan_run_points(session->plan);
	run->small_levels = *plan_small_levels(session->plan);
	run->large_levels = *plan_large_levels(session->plan);
}

/* The command line as a user would type it again, wherever the program lies and however it is
 * called.
 */
static char *command_line(const struct session *session)
{
	char **argv = calloc((size_t)session->argc + 2, sizeof(*argv));
	char program[] = "calib", orion[] = "-orion";
	size_t own = 1;
	char *line = NULL;

	if (!argv)
		return NULL;
	argv[0] = program;
	if (options_called_orion(session->argv[0]))
		argv[own++] = orion;
	memcpy(argv + own, session->argv + 1, ((size_t)session->argc - 1) * sizeof(*argv));
	line = options_command_line((int)own + session->argc - 1, argv);
	free(argv);
	return line;
}

static int keep_run(struct session *session, struct error *err)
{
	struct run_info *run = &session->results.run;

	keep_settings(session);
	probe_host(&run->host);
	run->testname = strdup(session->spec.testname);
	run->command_line = command_line(session);
	if (!run->testname || !run->command_line)
		return error_set(err, -ENOMEM, "cannot keep the settings");
	return keep_luns(session, err);
}

static int make_plan(struct session *session, struct error *err)
{
	struct spec *spec = &session->spec;
	struct plan_limits limits = {
		.lun_count = session->target_count,
		.buffer_bytes = limits_memory_total() / 4,
		.outstanding = engine_outstanding_max(spec->engine, LEVEL_MAX),
	};

	if (!spec_given(spec, SPEC_SEED)) {
		if (getrandom(&spec->seed, sizeof(spec->seed), 0) < 0)
			return error_set(err, -errno, "cannot get a random seed");
		spec->seed &= SEED_MASK;
	}
	session->plan = plan_new(spec, &limits, err);
	return session->plan ? 0 : err->code;
}

/* of three digits, and without an exponent */
static const char *in_unit(char *out, size_t size, double value, const char *unit)
{
	if (value < 1000)
		snprintf(out, size, "%.3g %s", value, unit);
	else
		snprintf(out, size, "%.0f %s", value, unit);
	return out;
}

static const char *in_tib(char *out, size_t size, uint64_t bytes)
{
	if (bytes < 10 * BYTES_GIB)
		return units_format_bytes(out, size, bytes);
	return in_unit(out, size, (double)bytes / (double)BYTES_GIB / 1024, "TiB");
}

static const char *in_hours(char *out, size_t size, double ns)
{
	double hours = ns / (double)NS_PER_S / 3600;

	if (hours < 0.01)
		return in_unit(out, size, ns / (double)NS_PER_S, "s");
	return in_unit(out, size, hours, "hours");
}

/* Users give bytes where MiB are meant. */
static int warn_absurd(struct session *session, uint64_t volume_bytes)
{
	uint64_t bytes = session->spec.cache_bytes;
	size_t fills = plan_fills(session->plan);
	double fill_ns = (double)plan_fill_ns(session->plan);
	char amount[32], volume[32], each[32], all[32], hint[80] = "";

	if (bytes % (BYTES_MIB * BYTES_MIB) == 0)
		snprintf(hint, sizeof(hint), " (a bare number is MiB: is -cache_size %ju meant?)",
			 (uintmax_t)(bytes / BYTES_MIB / BYTES_MIB));
	return results_warn(
		&session->results, "cache_size", SEVERITY_NOTE, WARNING_NO_POINT, WARNING_NO_LUN,
		"-cache_size is %s, more than 4 times the volume of %s: at 1 GiB a second "
		"%s before each of %zu points, %s in all%s",
		in_tib(amount, sizeof(amount), bytes),
		units_format_bytes(volume, sizeof(volume), volume_bytes),
		in_hours(each, sizeof(each), fill_ns), fills,
		in_hours(all, sizeof(all), fill_ns * (double)fills), hint);
}

/* Bytes where KiB are meant: no database asks for so much at once. */
static int warn_size(struct session *session, enum spec_given given, const char *option,
		     uint64_t bytes, uint64_t most, struct error *err)
{
	char size[32];

	if (!spec_given(&session->spec, given) || bytes <= most)
		return 0;
	if (results_warn(&session->results, option, SEVERITY_NOTE, WARNING_NO_POINT, WARNING_NO_LUN,
			 "-%s is %s, which is more than is usual: a bare number is KiB", option,
			 units_format_bytes(size, sizeof(size), bytes)) < 0)
		return error_set(err, -ENOMEM, "cannot keep a warning");
	return 0;
}

static int warn_sizes(struct session *session, struct error *err)
{
	const struct spec *spec = &session->spec;
	int code = warn_size(session, SPEC_SIZE_SMALL, "size_small", spec->small_bytes, SMALL_USUAL,
			     err);

	return code < 0 ? code
			: warn_size(session, SPEC_SIZE_LARGE, "size_large", spec->large_bytes,
				    LARGE_USUAL, err);
}

static int warn_cache(struct session *session, struct error *err)
{
	uint64_t bytes = session->spec.cache_bytes;
	uint64_t volume_bytes = 0;
	int code = 0;

	for (unsigned i = 0; i < session->target_count; i++)
		volume_bytes += session->usable_bytes[i];
	if (bytes > 0 && plan_fills(session->plan) == 0)
		code = results_warn(&session->results, "cache_size", SEVERITY_NOTE,
				    WARNING_NO_POINT, WARNING_NO_LUN,
				    "-cache_size has no effect: no point has large sequential "
				    "streams");
	else if (bytes / 4 > volume_bytes)
		code = warn_absurd(session, volume_bytes);
	return code < 0 ? error_set(err, code, "cannot keep a warning") : 0;
}

static int take_memory(struct session *session, struct error *err)
{
	uint64_t buffers = plan_buffer_bytes_max(session->plan);
	uint64_t needed = buffers + split_bytes(plan_outstanding_max(session->plan),
						plan_requests_max(session->plan));
	uint64_t there = limits_memory_available();
	char need[32], have[32];

	if (needed > there)
		return error_say(err, -ENOMEM,
				 "the largest point needs %s of memory for its I/Os, %s can be "
				 "had: try fewer or smaller large I/Os",
				 units_format_bytes(need, sizeof(need), needed),
				 units_format_bytes(have, sizeof(have), there));
	return io_memory_init(&session->memory, buffers, session->spec.pages, err);
}

int session_open(struct session *session, struct error *err)
{
	int status;

	if (spec_settle(&session->spec, err) < 0 || open_targets(session, err) < 0 ||
	    make_plan(session, err) < 0 || keep_run(session, err) < 0 ||
	    warn_cache(session, err) < 0 || warn_sizes(session, err) < 0 ||
	    take_memory(session, err) < 0)
		return STATUS_USAGE;
	status = session_choose_engine(session, err);
	if (status != STATUS_DONE)
		return status;
	/* The last before the first point: the less time there is for anything to change. */
	session_start_kernel_counts(session);
	if (session_look(session, err) < 0)
		return STATUS_USAGE;
	if (session->spec.dry_run) /* which shows the plan before it is refused */
		return STATUS_DONE;
	status = session_may_write(session, err);
	return status == STATUS_DONE ? session_probe_engines(session, err) : status;
}
