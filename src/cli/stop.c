/* Signals that end a run: the first asks, the second kills. SPDX-License-Identifier: MIT */
#include "calib/stop.h"

#include "calib/clock.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* A second signal within this time is the first one again: timeout(1) and some shells send one to
 * the process and one to its group. */
#define SAME_SIGNAL_NS UINT64_C(300000000)

static struct stop *caught; /* a handler has no argument of ours */
static uint64_t first_ns;

static void handle(int signal_number)
{
	const uint64_t one = 1;
	int saved = errno;

	if (atomic_load(&caught->signal) == 0) {
		first_ns = clock_now_ns();
		atomic_store(&caught->signal, signal_number);
		if (caught->fd >= 0 && write(caught->fd, &one, sizeof(one)) < 0)
			errno = saved; /* the flag alone is seen within a tick */
	} else if (clock_now_ns() - first_ns > SAME_SIGNAL_NS) {
		signal(signal_number, SIG_DFL);
		raise(signal_number); /* held back until this handler returns */
	}
	errno = saved;
}

void stop_catch(struct stop *stop)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = handle};
	struct sigaction before;

	atomic_init(&stop->signal, 0);
	stop->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	caught = stop;
	sigfillset(&action.sa_mask); /* one at a time: they share first_ns */
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

void stop_die(int status)
{
	if (status <= STATUS_SIGNAL)
		return;
	signal(status - STATUS_SIGNAL, SIG_DFL);
	raise(status - STATUS_SIGNAL);
}
