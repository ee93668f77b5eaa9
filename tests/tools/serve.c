/* serve FILE SIZE [OPTION...]: mount over FILE, which exists, one file of SIZE bytes whose I/Os
 * take a known time. K servers work off one queue, first come, first served: each I/O ends at
 * max(its arrival, the end of its server's last one) + the service time, whatever the processor
 * does meanwhile. What is read is made from the offset; what is written is forgotten.
 *
 *   -k K             servers [1]
 *   -s US            service time in microseconds [1000]
 *   -n N -t US       one I/O in N takes another time
 *   -e FROM-TO       I/Os that touch these bytes fail with EIO
 *   -p FROM-TO       I/Os that touch these bytes transfer only a half
 *   -H SECONDS       stop answering so long after the start, as SIGUSR1 does; SIGUSR2: go on
 *   -l LOG           a line for each I/O, written at the end: arrival and end in ns of
 *                    CLOCK_MONOTONIC, offset, length, r or w, the bytes transferred or
 *                    -errno, and when the kernel had taken the answer, 0 if it has not
 *
 * Prints "ready"; ends on SIGTERM, SIGINT, or when FILE is unmounted. SPDX-License-Identifier: MIT
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse_lowlevel.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LARGEST_IO   (1U << 20)
#define QUEUE_LENGTH (1U << 16) /* more than the kernel hands out, see max_background */
#define LOG_LENGTH   (1U << 26)
#define SECTOR	     512U
#define NS_PER_S     1000000000U

struct request {
	fuse_req_t req;
	uint64_t arrival_ns;
	uint64_t offset;
	size_t length;
	bool is_write;
	uint64_t service_ns;
};

struct log_line {
	uint64_t arrival_ns;
	uint64_t end_ns;
	uint64_t offset;
	uint32_t length;
	int32_t answer; /* bytes or -errno */
	uint64_t answered_ns;
	bool is_write;
};

struct range {
	uint64_t from;
	uint64_t to; /* exclusive; 0: no range */
};

/* The options. */
static uint64_t size;
static unsigned long servers = 1;
static uint64_t service_ns = 1000000;
static uint64_t other_every;
static uint64_t other_ns;
static struct range failing;
static struct range halved;
static double hang_after_s;
static const char *log_name;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static pthread_cond_t went_on = PTHREAD_COND_INITIALIZER;
static struct request queue[QUEUE_LENGTH]; /* a ring: taken % QUEUE_LENGTH is the oldest */
static uint64_t queued;
static uint64_t taken;
static bool hanging;

static struct log_line *log_lines;
static _Atomic uint64_t logged;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
	const struct timespec end = {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
}

/* Neither zero nor compressible: the finalizer of splitmix64 over the number of each 8 bytes. */
static void make_data(char *data, uint64_t offset, size_t length)
{
	for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
		uint64_t word = (offset + i) / sizeof(uint64_t) + 0x9e3779b97f4a7c15U;
		size_t rest = length - i;

		word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
		word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
		word ^= word >> 31;
		memcpy(data + i, &word, rest < sizeof(word) ? rest : sizeof(word));
	}
}

static bool touches(const struct request *request, const struct range *range)
{
	return request->offset < range->to && request->offset + request->length > range->from;
}

static struct log_line *log_it(const struct request *request, int32_t answer)
{
	static struct log_line none;
	uint64_t number = atomic_fetch_add(&logged, 1);
	struct log_line *line = number < LOG_LENGTH ? &log_lines[number] : &none;

	*line = (struct log_line){
		.arrival_ns = request->arrival_ns,
		.end_ns = now_ns(),
		.offset = request->offset,
		.length = (uint32_t)request->length,
		.answer = answer,
		.is_write = request->is_write,
	};
	return line;
}

/* How many bytes, or -errno. */
static int32_t answer_to(const struct request *request)
{
	if (touches(request, &failing))
		return -EIO;
	if (touches(request, &halved))
		return (int32_t)(request->length / 2 / SECTOR * SECTOR);
	return (int32_t)request->length;
}

/* Logged first: nobody has the answer before the end that is logged. */
static void answer(const struct request *request, const char *data)
{
	int32_t result = answer_to(request);
	struct log_line *line = log_it(request, result);

	if (result < 0)
		fuse_reply_err(request->req, -result);
	else if (request->is_write)
		fuse_reply_write(request->req, (size_t)result);
	else
		fuse_reply_buf(request->req, data, (size_t)result);
	line->answered_ns = now_ns();
}

static struct request take(void)
{
	struct request request;

	pthread_mutex_lock(&lock);
	while (taken == queued)
		pthread_cond_wait(&arrived, &lock);
	request = queue[taken++ % QUEUE_LENGTH];
	request.service_ns = other_every && taken % other_every == 0 ? other_ns : service_ns;
	pthread_mutex_unlock(&lock);
	return request;
}

static void wait_while_hanging(void)
{
	pthread_mutex_lock(&lock);
	while (hanging)
		pthread_cond_wait(&went_on, &lock);
	pthread_mutex_unlock(&lock);
}

/* One server. The data is made while the I/O is in service. */
static void *serve(void *data)
{
	uint64_t end_ns = 0;

	for (;;) {
		const struct request request = take();

		if (end_ns < request.arrival_ns)
			end_ns = request.arrival_ns;
		end_ns += request.service_ns;
		if (!request.is_write)
			make_data(data, request.offset, request.length);
		sleep_until(end_ns);
		wait_while_hanging();
		answer(&request, data);
	}
	return NULL;
}

static void enqueue(fuse_req_t req, off_t offset, size_t length, bool is_write)
{
	const struct request request = {
		.req = req,
		.arrival_ns = now_ns(),
		.offset = (uint64_t)offset,
		.length = length,
		.is_write = is_write,
	};

	pthread_mutex_lock(&lock);
	queue[queued++ % QUEUE_LENGTH] = request;
	pthread_cond_signal(&arrived);
	pthread_mutex_unlock(&lock);
}

static void on_init(void *unused, struct fuse_conn_info *conn)
{
	(void)unused;
	conn->max_background = QUEUE_LENGTH / 2;
	conn->congestion_threshold = QUEUE_LENGTH / 2;
	conn->max_write = LARGEST_IO;
	conn->max_read = LARGEST_IO;
	conn->want &= ~(unsigned)(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE);
}

static void on_getattr(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *file)
{
	const struct stat attributes = {
		.st_ino = inode,
		.st_mode = S_IFREG | 0600,
		.st_nlink = 1,
		.st_size = (off_t)size,
		.st_blksize = 4096,
		.st_blocks = (blkcnt_t)(size / SECTOR),
	};

	(void)file;
	fuse_reply_attr(req, &attributes, 3600);
}

static void on_open(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *file)
{
	(void)inode;
	file->direct_io = 1;
	fuse_reply_open(req, file);
}

static void on_read(fuse_req_t req, fuse_ino_t inode, size_t length, off_t offset,
		    struct fuse_file_info *file)
{
	(void)inode;
	(void)file;
	if ((uint64_t)offset >= size)
		length = 0;
	else if (length > size - (uint64_t)offset)
		length = (size_t)(size - (uint64_t)offset);
	enqueue(req, offset, length, false);
}

static void on_write(fuse_req_t req, fuse_ino_t inode, const char *data, size_t length,
		     off_t offset, struct fuse_file_info *file)
{
	(void)inode;
	(void)data;
	(void)file;
	enqueue(req, offset, length, true);
}

static const struct fuse_lowlevel_ops operations = {
	.init = on_init,
	.getattr = on_getattr,
	.open = on_open,
	.read = on_read,
	.write = on_write,
};

/* Takes the requests off the kernel at once, so that the queue is ours and its times are true. */
static void *receive(void *session)
{
	struct fuse_buf buffer = {.mem = NULL};
	int got;

	while ((got = fuse_session_receive_buf(session, &buffer)) > 0 || got == -EINTR)
		if (got > 0)
			fuse_session_process_buf(session, &buffer);
	kill(getpid(), SIGTERM);
	return NULL;
}

static void set_hanging(bool value)
{
	pthread_mutex_lock(&lock);
	hanging = value;
	pthread_cond_broadcast(&went_on);
	pthread_mutex_unlock(&lock);
}

static void obey_signals(const sigset_t *signals)
{
	const struct timespec wait = {
		.tv_sec = (time_t)hang_after_s,
		.tv_nsec = (long)((hang_after_s - (double)(time_t)hang_after_s) * NS_PER_S),
	};
	int sig =
		hang_after_s > 0 ? sigtimedwait(signals, NULL, &wait) : sigwaitinfo(signals, NULL);

	while (sig != SIGTERM && sig != SIGINT) {
		set_hanging(sig != SIGUSR2);
		sig = sigwaitinfo(signals, NULL);
	}
}

static void write_log(void)
{
	FILE *file = fopen(log_name, "w");
	uint64_t count = logged < LOG_LENGTH ? logged : LOG_LENGTH;

	if (!file)
		die(log_name);
	for (const struct log_line *line = log_lines; line < log_lines + count; line++)
		fprintf(file, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %u %c %d %" PRIu64 "\n",
			line->arrival_ns, line->end_ns, line->offset, line->length,
			line->is_write ? 'w' : 'r', line->answer, line->answered_ns);
	if (fclose(file) != 0)
		die(log_name);
}

static void start_thread(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg) != 0)
		die("pthread_create");
}

static void *memory(size_t bytes)
{
	void *got = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (got == MAP_FAILED)
		die("mmap");
	return got;
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 10);

	if (end == text || *end) {
		fprintf(stderr, "serve: '%s' is no number\n", text);
		exit(2);
	}
	return value;
}

static struct range range(const char *text)
{
	struct range value;

	if (sscanf(text, "%" SCNu64 "-%" SCNu64, &value.from, &value.to) != 2) {
		fprintf(stderr, "serve: '%s' is no FROM-TO\n", text);
		exit(2);
	}
	return value;
}

static void parse(int argc, char *argv[])
{
	int option;

	while ((option = getopt(argc, argv, "k:s:n:t:e:p:H:l:")) != -1) {
		if (option == 'k')
			servers = number(optarg);
		else if (option == 's')
			service_ns = number(optarg) * 1000;
		else if (option == 'n')
			other_every = number(optarg);
		else if (option == 't')
			other_ns = number(optarg) * 1000;
		else if (option == 'e')
			failing = range(optarg);
		else if (option == 'p')
			halved = range(optarg);
		else if (option == 'H')
			hang_after_s = strtod(optarg, NULL);
		else if (option == 'l')
			log_name = optarg;
		else
			exit(2);
	}
	if (argc - optind != 2) {
		fprintf(stderr, "usage: serve FILE SIZE [OPTION...]\n");
		exit(2);
	}
	size = number(argv[optind + 1]);
}

static struct fuse_session *mount_over(const char *name)
{
	char program[] = "serve";
	char options[] = "-omax_read=1048576,fsname=served,subtype=serve";
	char *words[] = {program, options, NULL};
	struct fuse_args args = FUSE_ARGS_INIT(2, words);
	struct fuse_session *session =
		fuse_session_new(&args, &operations, sizeof(operations), NULL);

	if (!session || fuse_session_mount(session, name) != 0)
		exit(1); /* libfuse has said why */
	return session;
}

int main(int argc, char *argv[])
{
	struct fuse_session *session;
	sigset_t signals;

	parse(argc, argv);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	prctl(PR_SET_TIMERSLACK, 1UL);
	log_lines = memory(LOG_LENGTH * sizeof(*log_lines));
	session = mount_over(argv[optind]);
	for (unsigned long i = 0; i < servers; i++)
		start_thread(serve, memory(LARGEST_IO));
	start_thread(receive, session);
	puts("ready");
	fflush(stdout);
	obey_signals(&signals);
	umount2(argv[optind], MNT_DETACH);
	if (log_name)
		write_log();
	_exit(0); /* which ends what is still outstanding */
}
