/* An engine that completes at once: shows calib's own cost. SPDX-License-Identifier: MIT */
#include "engine_private.h"

#include <errno.h>
#include <stdlib.h>

struct null_engine {
	struct engine engine;
	unsigned depth;
	unsigned count;
	struct io *held[];
};

static struct engine *null_open(const struct engine_config *config, struct error *err)
{
	struct null_engine *null = malloc(sizeof(*null) + config->depth * sizeof(null->held[0]));

	if (!null) {
		error_set(err, -ENOMEM, "cannot set up engine 'null'");
		return NULL;
	}
	*null = (struct null_engine){.engine.ops = &null_engine_ops, .depth = config->depth};
	return &null->engine;
}

static int null_submit(struct engine *engine, struct io *const ios[], unsigned count)
{
	struct null_engine *null = (struct null_engine *)engine;

	if (count > null->depth - null->count)
		return -EAGAIN;
	for (unsigned i = 0; i < count; i++)
		null->held[null->count++] = ios[i];
	return 0;
}

static int null_reap(struct engine *engine, struct io *done[], unsigned min, unsigned max,
		     uint64_t timeout_ns)
{
	struct null_engine *null = (struct null_engine *)engine;
	unsigned count = null->count < max ? null->count : max;

	(void)min;
	(void)timeout_ns;
	for (unsigned i = 0; i < count; i++) {
		done[i] = null->held[i];
		done[i]->result = (int32_t)done[i]->bytes;
	}
	null->count -= count;
	for (unsigned i = 0; i < null->count; i++)
		null->held[i] = null->held[count + i];
	return (int)count;
}

static void null_close(struct engine *engine)
{
	free(engine);
}

const struct engine_ops null_engine_ops = {
	.name = "null",
	.max_depth = 65536,
	.open = null_open,
	.submit = null_submit,
	.reap = null_reap,
	.close = null_close,
};
