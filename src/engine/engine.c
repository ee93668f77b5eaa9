/* The table of engines, and the choice among them. SPDX-License-Identifier: MIT */
#include "engine_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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

static int engine_try(const struct engine_ops *ops, const struct engine_config *config,
		      struct error *err)
{
	struct engine_config one = *config;
	struct engine *engine;

	if (config->depth > engine_outstanding_max(ops->name, config->depth))
		return error_say(err, -ERANGE, "'%s' keeps at most %u I/Os outstanding, not %u",
				 ops->name, engine_outstanding_max(ops->name, UINT32_MAX),
				 config->depth);
	if (one.depth > ops->max_depth)
		one.depth = ops->max_depth; /* the rest is for more workers */
	engine = ops->open(&one, err);
	if (!engine)
		return err->code;
	ops->close(engine);
	return 0;
}

static const struct engine_ops *choose_named(const char *name, const struct engine_config *config,
					     char *reason, size_t reason_size, struct error *err)
{
	const struct engine_ops *ops = engine_by_name(name);
	char names[128];

	if (!ops) {
		error_say(err, -ENOENT, "engine '%s' is not built in; there are: %s", name,
			  engine_names(names, sizeof(names)));
		return NULL;
	}
	if (engine_try(ops, config, err) < 0) {
		error_wrap(err, "engine '%s' does not work here", name);
		return NULL;
	}
	snprintf(reason, reason_size, "asked for");
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

		if (engine_try(ops, config, err) == 0) {
			snprintf(reason + used, reason_size - used,
				 "auto: the first that works here");
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
