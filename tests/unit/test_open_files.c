/* Which processes have a LUN open, on fixture trees of proc and with real leases.
 * SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <time.h>

#include "holds_helpers.h"

#define CANNOT_SEE                                                                                 \
	"cannot see which processes have it open (try as root, and outside of a container)"
#define NO_LEASE "held open by another process or the kernel (no write lease)"

/* opendir() of a path that ends in @refused fails with @refused_code */
static const char *refused;
static int refused_code;
static unsigned proc_readings;

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);

DIR *__wrap_opendir(const char *path)
{
	size_t length = strlen(path);

	if (strcmp(path, fixture_proc) == 0)
		proc_readings++;
	if (refused && length >= strlen(refused) &&
	    strcmp(path + length - strlen(refused), refused) == 0) {
		errno = refused_code;
		return NULL;
	}
	return __real_opendir(path);
}

/* nanosleep() takes no time; the @closing_sleep-th of a test closes @closing_fd */
static unsigned sleeps, closing_sleep;
static int closing_fd;

int __wrap_nanosleep(const struct timespec *asked, struct timespec *left);

int __wrap_nanosleep(const struct timespec *asked, struct timespec *left)
{
	(void)asked;
	(void)left;
	if (++sleeps == closing_sleep)
		close(closing_fd);
	return 0;
}

static long fs_type;

int __wrap_fstatfs(int fd, struct statfs *facts);

int __wrap_fstatfs(int fd, struct statfs *facts)
{
	(void)fd;
	*facts = (struct statfs){.f_type = fs_type};
	return 0;
}

static int make(void **state)
{
	fs_type = EXT4_SUPER_MAGIC;
	sleeps = 0;
	closing_sleep = 0;
	refused = NULL;
	proc_readings = 0;
	return fixture_make(state);
}

/* A process that has @path open: in /dev, or a file of the fixture. */
static void process(long pid, const char *name, unsigned descriptor, const char *path)
{
	char entry[64];

	snprintf(entry, sizeof(entry), "proc/%ld/comm", pid);
	fixture_file(entry, name);
	snprintf(entry, sizeof(entry), "proc/%ld/fd/%u", pid, descriptor);
	fixture_link(path, entry);
}

static void sda_with_a_partition(void)
{
	device("sda", 8, 0);
	device("sda/sda1", 8, 1);
	device("sda/sda2", 8, 2);
	device("sdb", 8, 16);
}

static void processes_are_named(void **state)
{
	static const struct {
		unsigned minor_number;
		const char *expected;
	} cases[] = {
		{0, "held open by process 100 (postgres); "
		    "its partition sda1 is held open by process 300 (a\\x1b b)"},
		{1, "its disk sda is held open by process 100 (postgres); "
		    "held open by process 300 (a\\x1b b)"},
		{2, "its disk sda is held open by process 100 (postgres)"},
		{16, ""},
	};

	(void)state;
	sda_with_a_partition();
	process(100, "postgres\n", 3, "/dev/sda");
	fixture_link("/dev/sda", "proc/100/fd/4");
	fixture_link("/dev/null", "proc/100/fd/0");
	fixture_link("pipe:[123]", "proc/100/fd/1");
	process(300, "a\033 b\n", 7, "/dev/sda1");
	fixture_directory("proc/2/fd"); /* a kernel thread */
	fixture_file("proc/uptime", "1 1\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct target target = block_target(8, cases[i].minor_number);

		assert_finds("sd", &target, true, cases[i].expected,
			     cases[i].expected[0] ? BIT(FINDING_OPEN) : 0);
		assert_finds("not asked for", &target, false, "", 0);
	}
}

static void three_processes_are_named_and_the_others_counted(void **state)
{
	const struct target target = block_target(8, 16);
	struct findings findings = {0};
	unsigned named = 0;

	(void)state;
	sda_with_a_partition();
	for (long pid = 100; pid < 105; pid++) {
		process(pid, "dbw\n", 3, "/dev/sdb");
		process(pid, "dbw\n", 4, "/dev/sdb"); /* twice, and counts once */
	}
	probe_holds(&target, 1, &fixture_roots, true, &findings);
	assert_int_equal(findings.count, 4);
	for (unsigned i = 0; i < 3; i++)
		named += strncmp(findings.list[i].text, "held open by process 10", 23) == 0;
	assert_int_equal(named, 3);
	assert_string_equal(findings.list[3].text, "held open by 2 more");
}

static void own_descriptors_do_not_count(void **state)
{
	const struct target target = block_target(8, 16);

	(void)state;
	sda_with_a_partition();
	process((long)getpid(), "calib\n", 3, "/dev/sdb");
	assert_finds("own", &target, true, "", 0);
}

/* As in a proc tree of another PID namespace: there this process is number 77. */
static void own_number_is_that_of_the_proc_tree(void **state)
{
	const struct target target = block_target(8, 16);
	char expected[64], path[PATH_MAX];

	(void)state;
	sda_with_a_partition();
	fixture_path(path, "proc/self/mountinfo");
	assert_int_equal(unlink(path), 0);
	fixture_path(path, "proc/self");
	assert_int_equal(rmdir(path), 0);
	fixture_link("77", "proc/self");
	fixture_file("proc/77/mountinfo", "");
	process(77, "calib\n", 3, "/dev/sdb");
	process((long)getpid(), "other\n", 3, "/dev/sdb");
	snprintf(expected, sizeof(expected), "held open by process %ld (other)", (long)getpid());
	assert_finds("other number", &target, true, expected, BIT(FINDING_OPEN));
}

static void mappings_count_without_a_descriptor(void **state)
{
	const struct target disk = block_target(8, 16), partition = block_target(8, 1);

	(void)state;
	sda_with_a_partition();
	fixture_directory("proc/100/fd");
	fixture_file("proc/100/comm", "mapper\n");
	fixture_file("proc/100/maps",
		     "7f00-7f10 rw-s 00000000 00:05 112      /dev/sdb\n"
		     "7f20-7f30 r-xp 00000000 00:05 113      /dev/sda1\n"
		     "7f40-7f50 rw-p 00000000 00:00 0 \n"
		     "7f60-7f70 rw-s 00000000 00:01 5        /SYSV00000000 (deleted)\n");
	fixture_link("/dev/sdb", "proc/100/map_files/7f00-7f10");
	fixture_link("/dev/sda1", "proc/100/map_files/7f20-7f30");
	assert_finds("shared", &disk, true, "held open by process 100 (mapper)", 0);
	assert_finds("private", &partition, true, "held open by process 100 (mapper)", 0);
}

/* The process's own directory shows nothing once its first thread has ended. */
static void threads_count_where_the_first_has_ended(void **state)
{
	const struct target disk = block_target(8, 16), partition = block_target(8, 1);
	char name[64];

	(void)state;
	sda_with_a_partition();
	fixture_directory("proc/100/fd");
	fixture_file("proc/100/comm", "server\n");
	fixture_file("proc/100/maps", "");
	fixture_directory("proc/100/task/100/fd");
	fixture_link("/dev/sdb", "proc/100/task/101/fd/5");
	/* a thread that the list of processes does not show: so is our own number */
	snprintf(name, sizeof(name), "proc/100/task/%ld/fd", (long)getpid());
	fixture_directory(name);
	snprintf(name, sizeof(name), "proc/%ld/maps", (long)getpid());
	fixture_file(name, "7f20-7f30 r--p 00000000 00:05 113      /dev/sda1\n");
	snprintf(name, sizeof(name), "proc/%ld/map_files/7f20-7f30", (long)getpid());
	fixture_link("/dev/sda1", name);
	assert_finds("descriptor", &disk, true, "held open by process 100 (server)", 0);
	assert_finds("mapping", &partition, true, "held open by process 100 (server)", 0);
}

static void thread_with_descriptors_of_its_own_counts(void **state)
{
	const struct target disk = block_target(8, 16);

	(void)state;
	sda_with_a_partition();
	process(100, "server\n", 3, "/dev/null");
	fixture_link("/dev/null", "proc/100/task/100/fd/3");
	fixture_link("/dev/null", "proc/100/task/101/fd/3");
	fixture_link("/dev/sdb", "proc/100/task/102/fd/3");
	assert_finds("third thread", &disk, true, "held open by process 100 (server)", 0);
}

/* The table fills addresses up to eight digits, the directory does not. */
static void low_mappings_count(void **state)
{
	const struct target disk = block_target(8, 16);

	(void)state;
	sda_with_a_partition();
	process(100, "wine\n", 3, "/dev/null");
	fixture_file("proc/100/maps", "01000000-01100000 r--p 00000000 00:05 112 /dev/sdb\n");
	fixture_link("/dev/sdb", "proc/100/map_files/1000000-1100000");
	assert_finds("low", &disk, true, "held open by process 100 (wine)", 0);
}

static void files_are_found_below_a_loop_device_too(void **state)
{
	struct target target;
	char path[PATH_MAX];

	(void)state;
	fixture_file("files/image", "data");
	fixture_file("files/other", "data");
	fixture_path(path, "files/image");
	loop(0, path, "0\n", "0\n");
	process(100, "qemu\n", 3, path);
	target = file_target("files/image");
	assert_finds("file", &target, true,
		     "held open by process 100 (qemu); loop device loop0 lies on it", 0);
	target = block_target(7, 0);
	assert_finds("loop device", &target, true,
		     "its backing file '@/files/image' is held open by process 100 (qemu)", 0);
	target = file_target("files/other");
	assert_finds("other file", &target, true, "", 0);
}

static void all_luns_take_one_pass(void **state)
{
	const struct target targets[] = {block_target(8, 0), block_target(8, 16),
					 block_target(8, 2)};
	struct findings findings[3] = {0};

	(void)state;
	sda_with_a_partition();
	process(100, "x\n", 3, "/dev/sdb");
	fixture_link("/dev/sda", "proc/100/fd/4");
	probe_holds(targets, 3, &fixture_roots, true, findings);
	assert_found("disk", &findings[0], "held open by process 100 (x)");
	assert_found("other disk", &findings[1], "held open by process 100 (x)");
	assert_found("partition", &findings[2], "its disk sda is held open by process 100 (x)");
	assert_int_equal(proc_readings, 3); /* mount namespaces, before descriptors and after */
}

/* Some of root's rights let a program list names that it may not follow. */
static void names_that_cannot_be_followed_are_unknown(void **state)
{
	const struct target disk = block_target(8, 16);

	(void)state;
	sda_with_a_partition();
	process(100, "x\n", 3, "/dev/denied");
	assert_finds("descriptor", &disk, true, CANNOT_SEE, BIT(FINDING_UNKNOWN));
	process(100, "x\n", 4, "/dev/sdb");
	assert_finds("beside one that can", &disk, true,
		     "held open by process 100 (x); " CANNOT_SEE, 0);
}

/* FUSE shows a user's mount to nobody else: but what lies there is neither a device nor a LUN. */
static void what_a_user_mounted_for_himself_is_no_matter(void **state)
{
	const struct target disk = block_target(8, 16);

	(void)state;
	sda_with_a_partition();
	process(100, "x\n", 3, "/dev/private");
	assert_finds("private", &disk, true, "", 0);
	process(100, "x\n", 4, "/dev/sdb");
	assert_finds("beside the LUN", &disk, true, "held open by process 100 (x)", 0);
}

/* Process 1 may be hidden from everybody; were others, it would be calib that is confined. */
static void first_process_may_be_hidden_from_one_who_has_all_rights(void **state)
{
	const struct target disk = block_target(8, 16);

	(void)state;
	sda_with_a_partition();
	process(1, "init\n", 3, "/dev/denied");
	assert_finds("without", &disk, true, CANNOT_SEE, BIT(FINDING_UNKNOWN));
	fixture_file("proc/self/status", "CapEff:\t000001fffefffff9\n"); /* not of others' files */
	fixture_link("user:[4026531837]", "proc/self/ns/user");
	assert_finds("some", &disk, true, CANNOT_SEE, BIT(FINDING_UNKNOWN));
	fixture_file("proc/self/status", "Name:\tcalib\nCapEff:\t000001fffeffffff\n");
	assert_finds("all rights", &disk, true, "", 0);
	/* a failure is another matter: a link that leads to itself */
	fixture_link("loop", "proc/101/fd/loop");
	assert_finds("failure", &disk, true, CANNOT_SEE, BIT(FINDING_UNKNOWN));
	process(102, "x\n", 3, "/dev/denied");
	assert_finds("another process", &disk, true, CANNOT_SEE, BIT(FINDING_UNKNOWN));
}

static void rights_of_another_user_namespace_do_not_count(void **state)
{
	const struct target disk = block_target(8, 16);

	(void)state;
	sda_with_a_partition();
	process(1, "init\n", 3, "/dev/denied");
	fixture_file("proc/self/status", "CapEff:\t000001fffeffffff\n");
	fixture_link("user:[4026532000]", "proc/self/ns/user");
	assert_finds("another namespace", &disk, true, CANNOT_SEE, BIT(FINDING_UNKNOWN));
}

static void descriptors_that_cannot_be_seen_are_unknown(void **state)
{
	static const struct {
		const char *refused;
		int code;
		const char *expected;
	} cases[] = {
		{"proc/100/fd", EACCES, CANNOT_SEE}, {"proc/100/fd", EMFILE, CANNOT_SEE},
		{"proc/100/fd", ENOENT, ""}, /* ended meanwhile */
		{"proc/100/fd", ESRCH, ""},	     {"proc", EACCES, CANNOT_SEE},
	};
	const struct target target = block_target(8, 16);
	char path[PATH_MAX];

	(void)state;
	sda_with_a_partition();
	process(100, "x\n", 3, "/dev/null");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		refused = cases[i].refused;
		refused_code = cases[i].code;
		assert_finds(strerror(cases[i].code), &target, true, cases[i].expected, 0);
	}
	refused = NULL;
	assert_finds("all seen", &target, true, "", 0);
	fixture_path(path, "proc/1/mountinfo");
	assert_int_equal(unlink(path), 0);
	fixture_path(path, "proc/1");
	assert_int_equal(rmdir(path), 0);
	assert_finds("others' processes are hidden", &target, true, CANNOT_SEE,
		     BIT(FINDING_UNKNOWN));
}

/* The file of the fixture, opened as a run that writes opens it. */
static struct target open_file(int access_mode)
{
	struct target target = file_target("files/lun");
	char path[PATH_MAX];

	fixture_path(path, "files/lun");
	target.fd = open(path, access_mode | O_CLOEXEC);
	assert_true(target.fd >= 0);
	return target;
}

static void lease_shows_that_nobody_has_a_file_open(void **state)
{
	struct target target;
	char path[PATH_MAX];
	int other;

	(void)state;
	fixture_directory("files");
	target = open_file(O_RDWR);
	refused = "proc";
	refused_code = EACCES;
	assert_finds("alone", &target, true, "", 0);
	assert_int_equal(fcntl(target.fd, F_GETLEASE), F_UNLCK);
	assert_int_equal(fcntl(target.fd, F_GETSIG), 0);
	fixture_path(path, "files/lun");
	other = open_file(O_RDONLY).fd;
	assert_finds("not alone", &target, true, NO_LEASE, BIT(FINDING_OPEN));
	assert_int_equal(fcntl(target.fd, F_GETSIG), 0);
	assert_finds("not asked for", &target, false, "", 0);
	loop(0, path, "0\n", "0\n");
	assert_finds("explained", &target, true, "loop device loop0 lies on it", 0);
	close(other);
	close(target.fd);
}

/* There the client gives a lease as the server lets it. */
static void lease_of_a_network_file_system_shows_nothing(void **state)
{
	static const long types[] = {NFS_SUPER_MAGIC, (int)CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC};
	struct target target;
	int other;

	(void)state;
	fixture_directory("files");
	target = open_file(O_RDWR);
	other = open_file(O_RDONLY).fd;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		fs_type = types[i];
		refused = NULL;
		assert_finds("nobody seen", &target, true, "", 0);
		refused = "proc";
		refused_code = EACCES;
		assert_finds("nothing seen", &target, true, CANNOT_SEE, BIT(FINDING_UNKNOWN));
	}
	fs_type = EXT4_SUPER_MAGIC;
	assert_finds("local", &target, true, NO_LEASE, BIT(FINDING_OPEN));
	close(other);
	close(target.fd);
}

static void lease_is_asked_for_again_for_a_while(void **state)
{
	struct target targets[2];
	struct findings findings[2] = {0};
	char path[PATH_MAX];

	(void)state;
	fixture_directory("files");
	fixture_path(path, "files/lun");
	targets[0] = open_file(O_RDWR);
	closing_fd = open_file(O_RDONLY).fd;
	closing_sleep = 5;
	assert_finds("given back late", &targets[0], true, "", 0);
	assert_int_equal(sleeps, 5);
	/* not once more for each LUN: here each is what holds the other */
	sleeps = closing_sleep = 0;
	targets[1] = open_file(O_RDWR);
	probe_holds(targets, 2, &fixture_roots, true, findings);
	assert_found("first", &findings[0], NO_LEASE);
	assert_found("second", &findings[1], NO_LEASE);
	assert_int_equal(sleeps, 20);
	/* nor where a process was seen that has it open */
	process(100, "x\n", 3, path);
	sleeps = 0;
	assert_finds("seen", &targets[0], true, "held open by process 100 (x)", 0);
	assert_int_equal(sleeps, 0);
	close(targets[0].fd);
	close(targets[1].fd);
}

static void file_opened_for_reading_gets_no_lease(void **state)
{
	struct target target;

	(void)state;
	fixture_directory("files");
	target = open_file(O_RDONLY);
	assert_finds("all seen", &target, true, "", 0);
	refused = "proc";
	refused_code = EACCES;
	assert_finds("nothing seen", &target, true, CANNOT_SEE, BIT(FINDING_UNKNOWN));
	close(target.fd);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make, fixture_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(processes_are_named),
		TEST(three_processes_are_named_and_the_others_counted),
		TEST(own_descriptors_do_not_count),
		TEST(own_number_is_that_of_the_proc_tree),
		TEST(mappings_count_without_a_descriptor),
		TEST(threads_count_where_the_first_has_ended),
		TEST(thread_with_descriptors_of_its_own_counts),
		TEST(low_mappings_count),
		TEST(files_are_found_below_a_loop_device_too),
		TEST(all_luns_take_one_pass),
		TEST(names_that_cannot_be_followed_are_unknown),
		TEST(what_a_user_mounted_for_himself_is_no_matter),
		TEST(first_process_may_be_hidden_from_one_who_has_all_rights),
		TEST(rights_of_another_user_namespace_do_not_count),
		TEST(descriptors_that_cannot_be_seen_are_unknown),
		TEST(lease_shows_that_nobody_has_a_file_open),
		TEST(lease_of_a_network_file_system_shows_nothing),
		TEST(lease_is_asked_for_again_for_a_while),
		TEST(file_opened_for_reading_gets_no_lease),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
