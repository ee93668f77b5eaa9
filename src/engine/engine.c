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

static int find_named(const char *name, const struct engine_config *config,
		      struct engine_choice *choice, struct error *err)
{
	const struct engine_ops *ops = engine_by_name(name);
	char names[128];

	if (!ops)
		return error_say(err, -ENOENT, "engine '%s' is not built in; there are: %s", name,
				 engine_names(names, sizeof(names)));
	choice->candidates[0].ops = ops;
	choice->count = 1;
	if (engine_try(ops, config, choice->candidates[0].without, err) < 0)
		return error_wrap(err, "engine '%s' does not work here", name);
	return 0;
}

static void note_refused(struct engine_choice *choice, const char *name, const struct error *err)
{
	size_t used = strlen(choice->refused);

	snprintf(choice->refused + used, sizeof(choice->refused) - used, "no %s (%s); ", name,
		 err->text);
}

static int find_all(const struct engine_config *config, struct engine_choice *choice,
		    struct error *err)
{
	for (unsigned i = 0; engine_table[i] != &null_engine_ops; i++) {
		struct engine_candidate *candidate = &choice->candidates[choice->count];

		candidate->ops = engine_table[i];
		if (engine_try(candidate->ops, config, candidate->without, err) == 0)
			choice->count++;
		else if (choice->count == 0) /* none that is better was found */
			note_refused(choice, candidate->ops->name, err);
	}
	if (choice->count > 0)
		return 0;
	if (choice->refused[0] == '\0')
		return error_say(err, -ENOSYS, "no engine is built in that reaches a device");
	return error_say(err, err->code, "no engine works here: %.*s",
			 (int)strlen(choice->refused) - 2, choice->refused);
}

int engine_find(const char *name, const struct engine_config *config, struct engine_choice *choice,
		struct error *err)
{
	*choice = (struct engine_choice){0};
	return strcasecmp(name, "auto") == 0 ? find_all(config, choice, err)
					     : find_named(name, config, choice, err);
}

void engine_reason(const struct engine_choice *choice, unsigned taken, const char *why, char *out,
		   size_t size)
{
	const char *without = choice->candidates[taken].without;

	snprintf(out, size, "%s%s%s%s", choice->refused, why, without[0] ? "; without " : "",
		 without);
}
