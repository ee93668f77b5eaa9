/* The table of engines, and the choice among them. SPDX-License-Identifier: MIT */
#include "calib/units.h"
#include "engine_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

const struct engine_ops *const engine_table[] = {
#ifdef CALIB_HAVE_IO_URING
	&io_uring_engine_ops,
#endif
#ifdef CALIB_HAVE_LIBAIO
	&libaio_engine_ops,
#endif
	&psync_engine_ops,    &null_engine_ops, NULL,
};

const char *engine_names(char *out, size_t size)
{
	size_t used = 0;

	if (size > 0)
		out[0] = '\0';
	for (unsigned i = 0; engine_table[i] && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "",
					 engine_table[i]->name);
	return out;
}

static const struct engine_ops *engine_by_name(const char *name)
{
	for (unsigned i = 0; engine_table[i]; i++)
		if (strcasecmp(engine_table[i]->name, name) == 0)
			return engine_table[i];
	return NULL;
}

uint32_t engine_outstanding_max(const char *name, uint32_t limit)
{
	const struct engine_ops *ops = engine_by_name(name);

	if (!ops || ops->max_depth >= limit / WORKERS_MAX + 1)
		return limit;
	return ops->max_depth * WORKERS_MAX;
}

/*
 * How much of the buffers a trial registers: to pin memory is to take it, and there may be
 * gigabytes. Where the limit on locked memory may be too small, a page more than it allows: then
 * the trial fails if it counts for this user.
 */
static size_t trial_bytes(size_t bytes)
{
	struct rlimit limit;
	uint64_t most = 64 * BYTES_MIB;

	if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur >= most &&
	    limit.rlim_cur < BYTES_GIB)
		most = limit.rlim_cur + 4096;
	return bytes < most ? bytes : (size_t)most;
}

/* @without: gets what the engine has to do without, at least ENGINE_WITHOUT bytes */
static int engine_try(const struct engine_ops *ops, const struct engine_config *config,
		      char *without, struct error *err)
{
	struct engine_config one = *config;
	struct engine *engine;

	without[0] = '\0';
	if (config->depth > engine_outstanding_max(ops->name, config->depth))
		return error_say(err, -ERANGE, "'%s' keeps at most %u I/Os outstanding, not %u",
				 ops->name, engine_outstanding_max(ops->name, UINT32_MAX),
				 config->depth);
	if (one.depth < config->requests)
		one.depth = config->requests;
	if (one.depth > ops->max_depth)
		one.depth = ops->max_depth; /* the rest is for more workers */
	one.buffers_bytes = trial_bytes(config->buffers_bytes);
	engine = ops->open(&one, err);
	if (!engine)
		return err->code;
	snprintf(without, ENGINE_WITHOUT, "%s", engine->without);
	ops->close(engine);
	return 0;
}

static void say_why(char *reason, size_t size, const char *why, const char *without)
{
	snprintf(reason, size, "%s%s%s", why, without[0] != '\0' ? "; without " : "", without);
}

static const struct engine_ops *choose_named(const char *name, const struct engine_config *config,
					     char *reason, size_t reason_size, struct error *err)
{
	const struct engine_ops *ops = engine_by_name(name);
	char without[ENGINE_WITHOUT];
	char names[128];

	if (!ops) {
		error_say(err, -ENOENT, "engine '%s' is not built in; there are: %s", name,
			  engine_names(names, sizeof(names)));
		return NULL;
	}
	if (engine_try(ops, config, without, err) < 0) {
		error_wrap(err, "engine '%s' does not work here", name);
		return NULL;
	}
	say_why(reason, reason_size, "asked for", without);
	return ops;
}

const struct engine_ops *engine_choose(const char *name, const struct engine_config *config,
				       char *reason, size_t reason_size, struct error *err)
{
	size_t used = 0;

	if (strcasecmp(name, "auto") != 0)
		return choose_named(name, config, reason, reason_size, err);
	for (unsigned i = 0; engine_table[i] != &null_engine_ops; i++) {
		const struct engine_ops *ops = engine_table[i];
		char without[ENGINE_WITHOUT];

		if (engine_try(ops, config, without, err) == 0) {
			say_why(reason + used, reason_size - used,
				"auto: the first that works here", without);
			return ops;
		}
		if (used < reason_size)
			used += (size_t)snprintf(reason + used, reason_size - used, "no %s (%s); ",
						 ops->name, err->text);
		if (used >= reason_size)
			used = reason_size - 1;
	}
	if (used > 0)
		error_say(err, err->code, "no engine works here: %.*s", (int)used - 2, reason);
	else
		error_say(err, -ENOSYS, "no engine is built in that reaches a device");
	return NULL;
}

unsigned engine_candidates(const struct engine_config *config,
			   struct engine_candidate candidates[ENGINES_MAX])
{
	unsigned count = 0;

	for (unsigned i = 0; engine_table[i] != &null_engine_ops && count < ENGINES_MAX; i++) {
		struct error ignored = {0};

		candidates[count].ops = engine_table[i];
		if (engine_try(engine_table[i], config, candidates[count].without, &ignored) == 0)
			count++;
	}
	return count;
}
