/* Which engine a run takes: the one asked for, or the one that adds least here.
 * SPDX-License-Identifier: MIT */
#include "calib/engine_probe.h"
#include "calib/limits.h"
#include "calib/text.h"
#include "calib/units.h"
#include "session_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sysmacros.h>

#define REASON_SIZE 640

#define KINDS_MAX 4u   /* of storage that are looked at */
#define TOP_MOST  256u /* beyond it no engine gets faster */

/* Figures that look like a device's and are not must say so in every report. */
static int warn_null(struct session *session, struct error *err)
{
	int code;

	if (strcmp(session->engine->name, "null") != 0)
		return 0;
	code = results_warn(&session->results, "null_engine", SEVERITY_SUSPECT, WARNING_NO_POINT,
			    WARNING_NO_LUN,
			    "engine 'null' sends nothing to the LUNs: the figures are calib's own "
			    "limits, not the storage's");
	return code < 0 ? error_set(err, code, "cannot keep a warning") : 0;
}

static int check_workers(const struct session *session, struct error *err)
{
	unsigned workers = run_worker_count(session->engine, session->spec.threads,
					    plan_requests_max(session->plan),
					    plan_outstanding_max(session->plan));

	if (limits_need_descriptors(
		    LIMITS_OTHER_DESCRIPTORS + workers * session->engine->descriptors, err) < 0)
		return error_wrap(err, "%u LUNs and %u worker%s", session->target_count, workers,
				  workers == 1 ? "" : "s");
	return run_try_threads(workers, err);
}

static struct engine_config config_of(const struct session *session)
{
	return (struct engine_config){
		.depth = plan_outstanding_max(session->plan),
		.requests = plan_requests_max(session->plan),
		.fds = session->fds,
		.fd_count = session->target_count,
		.buffers = session->memory.base,
		.buffers_bytes = plan_buffer_bytes_max(session->plan),
		.poll = session->spec.poll,
	};
}

static int keep_engine(struct session *session, unsigned taken, const char *why, struct error *err)
{
	struct run_info *run = &session->results.run;
	char reason[2 * REASON_SIZE];

	engine_reason(&session->engines, taken, why, reason, sizeof(reason));
	free(run->engine);
	free(run->engine_reason);
	run->engine = strdup(session->engine->name);
	run->engine_reason = strdup(reason);
	return run->engine && run->engine_reason
		       ? 0
		       : error_set(err, -ENOMEM, "cannot keep the settings");
}

static void find_cpus(struct session *session)
{
	cpu_set_t allowed;

	session->cpus = limits_cpus_granted(SESSION_PROC);
	session->has_near = sched_getaffinity(0, sizeof(allowed), &allowed) == 0 &&
			    targets_near_cpus(session->targets, session->target_count,
					      SESSION_SYSFS, &allowed, &session->near);
	if (session->has_near && session->cpus > (unsigned)CPU_COUNT(&session->near))
		session->cpus = (unsigned)CPU_COUNT(&session->near);
}

static int check_poll(const struct session *session, struct error *err)
{
	char name[768];

	for (unsigned i = 0; session->spec.poll && i < session->target_count; i++)
		if (!target_can_poll(&session->targets[i], SESSION_SYSFS))
			return error_say(
				err, -EOPNOTSUPP,
				"-poll: '%s' has no poll queues (queue/io_poll of its disk "
				"is not 1; of NVMe: the module parameter nvme.poll_queues)",
				text_quote(name, sizeof(name), session->targets[i].path));
	return 0;
}

static bool is_auto(const struct session *session)
{
	return !session->spec.poll && strcasecmp(session->spec.engine, "auto") == 0;
}

static const char *why_first(const struct session *session)
{
	if (session->spec.poll)
		return "asked for by -poll";
	if (!is_auto(session))
		return "asked for";
	return session->spec.dry_run ? "auto: it works here; a probe before the first point may "
				       "find one that is sooner"
				     : "auto: the first that works here";
}

int session_choose_engine(struct session *session, struct error *err)
{
	/* the only one that can poll */
	const char *name = session->spec.poll ? "io_uring" : session->spec.engine;
	const struct engine_config config = config_of(session);
	const char *why = why_first(session);
	int code;

	if (check_poll(session, err) < 0)
		return STATUS_USAGE;
	code = engine_find(name, &config, &session->engines, err);
	if (code < 0)
		return code == -ENOENT || code == -ERANGE ? STATUS_USAGE : STATUS_IO;
	session->engine = session->engines.candidates[0].ops;
	if (keep_engine(session, 0, why, err) < 0)
		return STATUS_INTERNAL;
	find_cpus(session);
	if (check_workers(session, err) < 0)
		return STATUS_USAGE;
	return warn_null(session, err) < 0 ? STATUS_INTERNAL : STATUS_DONE;
}

/* What one driver or one file system serves behaves alike. */
static bool same_kind(const struct target *one, const struct target *other)
{
	if (one->is_block != other->is_block)
		return false;
	return one->is_block ? major(one->device) == major(other->device)
			     : one->device == other->device;
}

static unsigned find_kinds(const struct session *session, unsigned luns[KINDS_MAX])
{
	unsigned count = 0;

	for (unsigned i = 0; i < session->target_count && count < KINDS_MAX; i++) {
		bool is_known = false;

		for (unsigned j = 0; j < count; j++)
			is_known = is_known ||
				   same_kind(&session->targets[i], &session->targets[luns[j]]);
		if (!is_known)
			luns[count++] = i;
	}
	return count;
}

/* So many I/Os as one LUN gets of the plan's most, and has buffers for. */
static uint32_t probe_top(const struct session *session, uint64_t bytes)
{
	uint64_t top = plan_outstanding_max(session->plan) / session->target_count;
	uint64_t room = plan_buffer_bytes_max(session->plan) / bytes;

	if (top > TOP_MOST)
		top = TOP_MOST;
	if (top > room)
		top = room;
	return top > 0 ? (uint32_t)top : 1;
}

/* Take it in place of the first that works; back to that where it cannot have so many workers. */
static bool take_instead(struct session *session, const struct engine_ops *engine)
{
	const struct engine_ops *first = session->engine;
	struct error ignored = {0};

	session->engine = engine;
	if (check_workers(session, &ignored) == 0)
		return true;
	session->engine = first;
	return false;
}

static int tell_choice(struct session *session, unsigned taken, const char *figures,
		       struct error *err)
{
	char why[REASON_SIZE];

	snprintf(why, sizeof(why), "auto: %s: %s",
		 taken == 0 ? "no other is 10 % sooner here" : "the soonest here", figures);
	return keep_engine(session, taken, why, err) < 0 ? STATUS_INTERNAL : STATUS_DONE;
}

static int probe_luns(struct session *session, const struct engine_probe *probe, char *figures,
		      size_t size, struct error *err)
{
	const struct run_target target = session_run_target(session);
	struct io_count issued[VOLUME_LUNS_MAX];
	int chosen;

	for (unsigned i = 0; i < session->target_count; i++)
		issued[i] = session->results.luns[i].issued;
	chosen = engine_probe_run(probe, &target, session->stop, issued, figures, size, err);
	for (unsigned i = 0; i < session->target_count; i++)
		session->results.luns[i].issued = issued[i];
	return chosen;
}

static int probe_engines(struct session *session, struct error *err)
{
	const struct engine_choice *engines = &session->engines;
	const struct spec *spec = &session->spec;
	unsigned luns[KINDS_MAX];
	struct engine_probe probe = {
		.count = engines->count,
		.luns = luns,
		.lun_count = find_kinds(session, luns),
		.bytes = (uint32_t)(spec_has_small(spec) ? spec->small_bytes : spec->large_bytes),
		.slice_ns = trial_ns(spec->duration_ns),
	};
	char figures[REASON_SIZE / 2];
	int chosen;

	if (engines->count < 2)
		return STATUS_DONE;
	for (unsigned i = 0; i < engines->count; i++)
		probe.engines[i] = engines->candidates[i].ops;
	probe.top = probe_top(session, probe.bytes);
	chosen = probe_luns(session, &probe, figures, sizeof(figures), err);
	if (chosen < 0)
		return STATUS_USAGE; /* as where it is stopped while it looks at the LUNs */
	if (chosen > 0 && !take_instead(session, probe.engines[chosen]))
		chosen = 0;
	return tell_choice(session, (unsigned)chosen, figures, err);
}

int session_probe_engines(struct session *session, struct error *err)
{
	return is_auto(session) ? probe_engines(session, err) : STATUS_DONE;
}
