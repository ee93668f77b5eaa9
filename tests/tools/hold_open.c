/* hold_open HOW NAME: keep a device or file in use in a way that is hard to see, until a signal
 * comes. Prints "ready" when it does. "mark" leaves soon, and a signature behind; "rings" holds
 * nothing, and makes and gives back one io_uring after the other; "busy-ring" has one that is
 * hardly ever idle. SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *name;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int open_it(void)
{
	int fd = open(name, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		die(name);
	return fd;
}

static void stay(void)
{
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

static void map_it(void)
{
	int fd = open_it();

	if (mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		die("mmap");
	close(fd);
}

/* Registered, then closed: only the ring has it. */
static int give_to_ring(unsigned entries, struct io_uring_params *params)
{
	int fd = open_it();
	int ring = (int)syscall(SYS_io_uring_setup, entries, params);

	if (ring < 0 || syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, &fd, 1) < 0)
		die("io_uring");
	close(fd);
	return ring;
}

static void *map_ring(int ring, size_t size, off_t offset)
{
	void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring, offset);

	if (mapped == MAP_FAILED)
		die("mmap");
	return mapped;
}

/* As many operations at a time as fit, which do nothing. */
static void keep_ring_busy(void)
{
	const unsigned count = 4096;
	struct io_uring_params params = {0};
	int ring = give_to_ring(count, &params);
	char *queue =
		map_ring(ring, params.sq_off.array + count * sizeof(unsigned), IORING_OFF_SQ_RING);
	char *done =
		map_ring(ring, params.cq_off.cqes + params.cq_entries * 16, IORING_OFF_CQ_RING);
	struct io_uring_sqe *operations =
		map_ring(ring, count * sizeof(*operations), IORING_OFF_SQES);
	unsigned *array = (void *)(queue + params.sq_off.array);
	_Atomic unsigned *tail = (void *)(queue + params.sq_off.tail);
	_Atomic unsigned *head = (void *)(done + params.cq_off.head);

	puts("ready");
	fflush(stdout);
	for (;;) {
		memset(operations, 0, count * sizeof(*operations)); /* IORING_OP_NOP */
		for (unsigned i = 0; i < count; i++)
			array[i] = i;
		*tail += count;
		if (syscall(SYS_io_uring_enter, ring, count, count, IORING_ENTER_GETEVENTS, NULL,
			    0) < 0)
			die("io_uring_enter");
		*head += count;
	}
}

/* Each is there for a while, and then none: whoever looks meets every moment of that. */
static void make_rings(void)
{
	puts("ready");
	fflush(stdout);
	for (;;) {
		struct io_uring_params params = {0};
		int ring = (int)syscall(SYS_io_uring_setup, 4, &params);
		const size_t size = params.cq_off.cqes + params.cq_entries * 16;
		void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
				    IORING_OFF_SQ_RING);

		if (ring < 0 || mapped == MAP_FAILED)
			die("io_uring");
		usleep(100);
		munmap(mapped, size);
		close(ring);
	}
}

/* As mkfs does: it is gone before calib has stopped waiting for it. */
static void mark_and_leave(void)
{
	int fd = open_it();

	puts("ready");
	fflush(stdout);
	usleep(300000);
	if (pwrite(fd, "XFSB", 4, 0) != 4 || fsync(fd) < 0)
		die("pwrite");
	close(fd);
	exit(0);
}

static void *open_in_thread(void *arg)
{
	const char *how = arg;

	if (strcmp(how, "own-table") == 0 && unshare(CLONE_FILES) < 0)
		die("unshare");
	if (strcmp(how, "dead-leader-map") == 0)
		map_it();
	else
		open_it();
	stay();
	return NULL;
}

static void start_thread(char *how)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, open_in_thread, how) != 0)
		die("pthread_create");
	if (strcmp(how, "own-table") != 0)
		pthread_exit(NULL); /* the first thread: what is left of it has no descriptors */
}

int main(int argc, char *argv[])
{
	if (argc != 3)
		return 2;
	name = argv[2];
	if (strcmp(argv[1], "map") == 0)
		map_it();
	else if (strcmp(argv[1], "ring") == 0)
		give_to_ring(4, &(struct io_uring_params){0});
	else if (strcmp(argv[1], "busy-ring") == 0)
		keep_ring_busy();
	else if (strcmp(argv[1], "open") == 0)
		open_it();
	else if (strcmp(argv[1], "rings") == 0)
		make_rings();
	else if (strcmp(argv[1], "mark") == 0)
		mark_and_leave();
	else {
		start_thread(argv[1]);
		for (;;)
			pause();
	}
	stay();
}
