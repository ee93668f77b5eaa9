/* What sysfs tells of a LUN, read from a fixture tree. SPDX-License-Identifier: MIT */
#include "calib/target.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
/* needs the headers above */
#include <cmocka.h>

static char root[] = "/tmp/calib_probe_XXXXXX";

static void make_directory(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0777), 0);
}

static void make_file(const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_link(const char *target, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(symlink(target, path), 0);
}

/* A disk 8:16 with a partition 8:17, as the kernel lays them out. */
static int make_tree(void **state)
{
	static const char *const directories[] = {"dev",
						  "dev/block",
						  "devices",
						  "devices/sdb",
						  "devices/sdb/queue",
						  "devices/sdb/device",
						  "devices/sdb/sdb1"};

	(void)state;
	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		make_directory(directories[i]);
	make_link("../../devices/sdb", "dev/block/8:16");
	make_link("../../devices/sdb/sdb1", "dev/block/8:17");
	make_file("devices/sdb/queue/rotational", "1\n");
	make_file("devices/sdb/queue/scheduler", "none [mq-deadline] bfq \n");
	make_file("devices/sdb/queue/nr_requests", "256\n");
	make_file("devices/sdb/queue/io_poll", "0\n");
	make_file("devices/sdb/device/model", "  FAST DISK 9000  \n");
	make_file("devices/sdb/stat",
		  "     101       12    20304      55      201       22    40506      66        0  "
		  "    "
		  "99      121        0        0        0        0        3        1\n");
	make_file("devices/sdb/sdb1/stat", "1 2 3 4 5 6 7 8 9 10 11\n");
	return 0;
}

static int remove_tree(void **state)
{
	char command[sizeof(root) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static struct target block_target(unsigned minor_number)
{
	return (struct target){
		.path = "/dev/sdb",
		.fd = -1,
		.is_block = true,
		.size_bytes = 1 << 20,
		.logical_block_bytes = 512,
		.physical_block_bytes = 4096,
		.device = makedev(8, minor_number),
	};
}

static void release(struct lun_info *info)
{
	free(info->model);
	free(info->scheduler);
	free(info->filesystem);
}

static void a_disk_polls_that_has_queues_for_it(void **state)
{
	const struct target disk = block_target(16), partition = block_target(17),
			    none = block_target(18);

	(void)state;
	assert_false(target_can_poll(&disk, root));
	assert_false(target_can_poll(&partition, root));
	make_file("devices/sdb/queue/io_poll", "1\n");
	assert_true(target_can_poll(&disk, root));
	assert_true(target_can_poll(&partition, root));
	assert_false(target_can_poll(&none, root));
}

static void disk_tells_its_queue_and_model(void **state)
{
	struct target target = block_target(16);
	struct lun_info info = {0};

	(void)state;
	probe_lun(&target, root, &info);
	assert_true(info.is_block);
	assert_int_equal(info.size_bytes, 1 << 20);
	assert_int_equal(info.physical_block_bytes, 4096);
	assert_int_equal(info.major, 8);
	assert_int_equal(info.minor, 16);
	assert_int_equal(info.rotational, 1);
	assert_string_equal(info.scheduler, "mq-deadline");
	assert_int_equal(info.nr_requests, 256);
	assert_string_equal(info.model, "FAST DISK 9000");
	assert_null(info.filesystem);
	release(&info);
}

static void partition_has_the_queue_of_its_disk(void **state)
{
	struct target target = block_target(17);
	struct lun_info info = {0};

	(void)state;
	probe_lun(&target, root, &info);
	assert_int_equal(info.rotational, 1);
	assert_string_equal(info.scheduler, "mq-deadline");
	assert_string_equal(info.model, "FAST DISK 9000");
	release(&info);
}

static void what_sysfs_does_not_tell_is_unknown(void **state)
{
	struct target target = block_target(99);
	struct lun_info info = {0};
	struct kernel_count count;

	(void)state;
	probe_lun(&target, root, &info);
	assert_int_equal(info.rotational, -1);
	assert_int_equal(info.nr_requests, -1);
	assert_null(info.scheduler);
	assert_null(info.model);
	probe_kernel_count(&target, root, &count);
	assert_false(count.known);
}

static void counters_are_read_by_column(void **state)
{
	struct target target = block_target(16);
	struct kernel_count count;

	(void)state;
	probe_kernel_count(&target, root, &count);
	assert_true(count.known);
	assert_int_equal(count.read_ios, 101);
	assert_int_equal(count.read_merges, 12);
	assert_int_equal(count.read_sectors, 20304);
	assert_int_equal(count.write_ios, 201);
	assert_int_equal(count.write_merges, 22);
	assert_int_equal(count.write_sectors, 40506);
}

static void partition_has_counters_of_its_own(void **state)
{
	struct target target = block_target(17);
	struct kernel_count count;

	(void)state;
	probe_kernel_count(&target, root, &count);
	assert_true(count.known);
	assert_int_equal(count.read_sectors, 3);
	assert_int_equal(count.write_sectors, 7);
}

static bool mount_table_lists(dev_t device)
{
	FILE *file = fopen("/proc/self/mountinfo", "r");
	char line[4096];
	char wanted[32];
	bool found = false;

	assert_non_null(file);
	snprintf(wanted, sizeof(wanted), " %u:%u ", major(device), minor(device));
	while (fgets(line, sizeof(line), file))
		found = found || strstr(line, wanted);
	fclose(file);
	return found;
}

static void file_has_no_counters_but_a_file_system(void **state)
{
	char path[PATH_MAX];
	struct target target;
	struct error err = {0};
	struct lun_info info = {0};
	struct kernel_count count;

	(void)state;
	make_file("lun", "0123456789abcdef");
	snprintf(path, sizeof(path), "%s/lun", root);
	if (target_open(&target, path, false, &err) < 0)
		fail_msg("%s", err.text);
	assert_false(target.is_block);
	assert_int_equal(target.write_code, 0);
	assert_int_equal(fcntl(target.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(target.size_bytes, 16);
	assert_true(target.fd > 2);
	assert_int_equal(fcntl(target.fd, F_GETFL) & (O_DIRECT | O_NONBLOCK), O_DIRECT);
	assert_true(target.logical_block_bytes >= 1);
	probe_kernel_count(&target, "/sys", &count);
	assert_false(count.known);
	probe_lun(&target, "/sys", &info);
	assert_false(info.is_block);
	/* the mount table of a chroot does not list what the chroot lies on */
	assert_int_equal(info.filesystem != NULL, mount_table_lists(target.device));
	release(&info);
	target_close(&target);
	target_close(&target);
}

static void other_kinds_are_refused_by_name(void **state)
{
	char path[PATH_MAX];
	struct target target;
	struct error err = {0};

	(void)state;
	snprintf(path, sizeof(path), "%s/fifo", root);
	assert_int_equal(mkfifo(path, 0600), 0);
	for (int writing = 0; writing < 2; writing++) {
		snprintf(path, sizeof(path), "%s/fifo", root);
		assert_int_equal(target_open(&target, root, writing, &err), -EINVAL);
		assert_non_null(strstr(err.text, "a directory"));
		assert_int_equal(target_open(&target, "/dev/zero", writing, &err), -EINVAL);
		assert_non_null(strstr(err.text, "a character device"));
		assert_int_equal(target_open(&target, path, writing, &err), -EINVAL);
		assert_non_null(strstr(err.text, "a FIFO"));
		snprintf(path, sizeof(path), "%s/nosuch", root);
		assert_int_equal(target_open(&target, path, writing, &err), -ENOENT);
		assert_int_equal(access(path, F_OK), -1);
		assert_int_equal(target.fd, -1);
	}
}

static void a_file_to_be_written_is_open_for_both(void **state)
{
	char path[PATH_MAX];
	struct target target;
	struct error err = {0};

	(void)state;
	make_file("both", "0123456789abcdef");
	snprintf(path, sizeof(path), "%s/both", root);
	if (target_open(&target, path, true, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(target.write_code, 0);
	assert_int_equal(fcntl(target.fd, F_GETFL) & (O_ACCMODE | O_DIRECT), O_RDWR | O_DIRECT);
	assert_true(target.fd > 2);
	assert_int_equal(target.size_bytes, 16); /* not truncated */
	target_close(&target);
}

/* What an ordinary user gets who opens @path for writing: a child takes the part. */
static int open_as_user(const char *path)
{
	struct target target;
	struct error err = {0};
	pid_t child = fork();
	int status, code;

	assert_true(child >= 0);
	if (child == 0) {
		if (geteuid() == 0 &&
		    (setgroups(0, NULL) < 0 || setgid(65534) < 0 || setuid(65534) < 0))
			_exit(1);
		code = target_open(&target, path, true, &err);
		_exit(strstr(err.text, "cannot open") && target.fd == -1 ? -code : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

static void without_permission_to_write_nothing_is_opened(void **state)
{
	char path[PATH_MAX];

	(void)state;
	make_file("readable", "0123456789abcdef");
	snprintf(path, sizeof(path), "%s/readable", root);
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(root, 0755), 0);
	assert_int_equal(open_as_user(path), -EACCES);
}

/* A copy of cat, which waits for its input to end. */
static pid_t start_program(char *path, int input)
{
	char *argv[] = {path, NULL};
	posix_spawn_file_actions_t actions;
	pid_t child;

	assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
	assert_int_equal(posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO), 0);
	/* comes back when the child has become the program */
	assert_int_equal(posix_spawn(&child, path, &actions, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	return child;
}

static void a_running_program_can_only_be_read(void **state)
{
	char command[PATH_MAX], path[PATH_MAX];
	struct target target;
	struct error err = {0};
	int ends[2];
	pid_t child;

	(void)state;
	snprintf(path, sizeof(path), "%s/program", root);
	snprintf(command, sizeof(command), "cp \"$(command -v cat)\" %s/program", root);
	assert_int_equal(system(command), 0);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = start_program(path, ends[0]);
	assert_int_equal(target_open(&target, path, true, &err), 0);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(target.write_code, -ETXTBSY);
	assert_int_equal(fcntl(target.fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	target_close(&target);
}

static void host_is_described(void **state)
{
	struct host_info host;

	(void)state;
	probe_host(&host);
	assert_true(host.cpus >= 1);
	assert_true(host.memory_bytes > 1 << 20);
	assert_non_null(strstr(host.kernel, "Linux"));
	assert_true(host.hostname[0] != '\0');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_disk_polls_that_has_queues_for_it),
		cmocka_unit_test(disk_tells_its_queue_and_model),
		cmocka_unit_test(partition_has_the_queue_of_its_disk),
		cmocka_unit_test(what_sysfs_does_not_tell_is_unknown),
		cmocka_unit_test(counters_are_read_by_column),
		cmocka_unit_test(partition_has_counters_of_its_own),
		cmocka_unit_test(file_has_no_counters_but_a_file_system),
		cmocka_unit_test(other_kinds_are_refused_by_name),
		cmocka_unit_test(a_file_to_be_written_is_open_for_both),
		cmocka_unit_test(without_permission_to_write_nothing_is_opened),
		cmocka_unit_test(a_running_program_can_only_be_read),
		cmocka_unit_test(host_is_described),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
