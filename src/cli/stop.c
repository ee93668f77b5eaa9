/* Signals that end a run: the first asks, the second kills. SPDX-License-Identifier: MIT */
#include "calib/stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct stop *caught; /* a handler has no argument of ours */

static void handle(int signal_number)
{
	const uint64_t one = 1;
	int saved = errno;

	atomic_store(&caught->signal, signal_number);
	if (caught->fd >= 0 && write(caught->fd, &one, sizeof(one)) < 0)
		errno = saved; /* the flag alone is seen within a tick */
	errno = saved;
}

void stop_catch(struct stop *stop)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = handle, .sa_flags = (int)SA_RESETHAND};
	struct sigaction before;

	atomic_init(&stop->signal, 0);
	stop->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	caught = stop;
	sigemptyset(&action.sa_mask);
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
