/* An engine whose device is a script. SPDX-License-Identifier: MIT */
#include "fake_engine.h"

#include "calib/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fake_clock.h"

#define SERVERS_MAX 1024

struct fake {
	struct engine engine;
	unsigned depth;
	unsigned count;
	uint64_t free_at[SERVERS_MAX]; /* when each server is idle again */
	struct {
		struct io *io;
		uint64_t done_at;
	} held[];
};

struct fake_engine fake_engine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* several workers, one script */
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

void fake_engine_reset(void)
{
	memset(&fake_engine, 0, sizeof(fake_engine));
	fake_engine.service_ns = 100000;
	fake_engine.servers = 1;
	fake_engine_ops.max_depth = 10000;
}

static void note_cpu(void)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0 || CPU_COUNT(&allowed) != 1)
		return;
	fake_engine.pinned++;
	CPU_OR(&fake_engine.cpus, &fake_engine.cpus, &allowed);
}

static struct engine *fake_open(const struct engine_config *config, struct error *err)
{
	struct fake *fake;

	if (fake_engine.refuse_open) {
		error_set(err, -EPERM, "the script refuses to open");
		return NULL;
	}
	pthread_mutex_lock(&lock);
	if (config->depth == 0)
		fake_engine.idle_opens++;
	note_cpu();
	pthread_mutex_unlock(&lock);
	fake = calloc(1, sizeof(*fake) + config->depth * sizeof(fake->held[0]));
	if (!fake)
		abort();
	fake->engine.ops = &fake_engine_ops;
	fake->depth = config->depth;
	return &fake->engine;
}

static uint64_t serve(struct fake *fake, uint64_t now)
{
	unsigned first = 0;

	for (unsigned i = 1; i < fake_engine.servers; i++)
		if (fake->free_at[i] < fake->free_at[first])
			first = i;
	if (fake->free_at[first] < now)
		fake->free_at[first] = now;
	fake->free_at[first] += fake_engine.service_ns;
	return fake->free_at[first];
}

static int32_t outcome(const struct io *io)
{
	if (fake_engine.submitted <= fake_engine.fail_first)
		return fake_engine.fail_code;
	if (fake_engine.fail_code != 0 && io->file == fake_engine.fail_file &&
	    io->offset >= fake_engine.fail_begin && io->offset < fake_engine.fail_end)
		return fake_engine.fail_code;
	if (fake_engine.short_every > 0 && fake_engine.submitted % fake_engine.short_every == 0)
		return (int32_t)io->bytes / 2;
	return (int32_t)io->bytes;
}

static int fake_submit(struct engine *engine, struct io *const ios[], unsigned count)
{
	struct fake *fake = (struct fake *)engine;

	if (count > fake->depth - fake->count)
		return -EAGAIN;
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < count; i++) {
		uint64_t at = fake_engine.submitted++;

		if (at < FAKE_SEEN_MAX) {
			fake_engine.seen[at].file = ios[i]->file;
			fake_engine.seen[at].bytes = ios[i]->bytes;
			fake_engine.seen[at].offset = ios[i]->offset;
			fake_engine.seen[at].dir = ios[i]->dir;
			fake_engine.seen[at].data =
				ios[i]->dir == IO_WRITE ? *(const uint64_t *)ios[i]->buffer : 0;
		}
		ios[i]->result = outcome(ios[i]);
		fake->held[fake->count].io = ios[i];
		fake->held[fake->count++].done_at = serve(fake, clock_now_ns());
	}
	fake_engine.in_flight += count;
	if (fake_engine.in_flight > fake_engine.in_flight_most)
		fake_engine.in_flight_most = fake_engine.in_flight;
	pthread_cond_broadcast(&more);
	pthread_mutex_unlock(&lock);
	return 0;
}

static uint64_t next_done(const struct fake *fake)
{
	uint64_t next = UINT64_MAX;

	for (unsigned i = 0; i < fake->count; i++)
		if (fake->held[i].done_at < next)
			next = fake->held[i].done_at;
	return next;
}

static int fake_reap(struct engine *engine, struct io *done[], unsigned min, unsigned max,
		     uint64_t timeout_ns)
{
	struct fake *fake = (struct fake *)engine;
	unsigned count = 0;
	uint64_t now;

	(void)min;
	(void)timeout_ns;
	pthread_mutex_lock(&lock);
	if (engine->spins > fake_engine.spins_most)
		fake_engine.spins_most = engine->spins;
	while (fake_engine.in_flight_most < fake_engine.meet)
		pthread_cond_wait(&more, &lock);
	if (fake_engine.break_after > 0 && fake_engine.submitted >= fake_engine.break_after) {
		fake_engine.break_after = 0;
		pthread_mutex_unlock(&lock);
		return -EIO;
	}
	now = clock_now_ns();
	if (fake->count > 0 && next_done(fake) > now)
		fake_clock_advance(next_done(fake) - now);
	now = clock_now_ns();
	for (unsigned i = 0; i < fake->count && count < max;) {
		if (fake->held[i].done_at > now) {
			i++;
			continue;
		}
		done[count++] = fake->held[i].io;
		fake->held[i] = fake->held[--fake->count];
	}
	fake_engine.reaped += count;
	if (count > 0 && fake_engine.on_reap)
		atomic_store(&fake_engine.on_reap->signal, 15);
	fake_engine.in_flight -= count;
	pthread_mutex_unlock(&lock);
	return (int)count;
}

static void fake_close(struct engine *engine)
{
	free(engine);
}

struct engine_ops fake_engine_ops = {
	.name = "fake",
	.max_depth = 10000,
	.open = fake_open,
	.submit = fake_submit,
	.reap = fake_reap,
	.close = fake_close,
};
