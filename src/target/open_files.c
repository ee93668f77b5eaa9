/* Which processes have a LUN open, and what the kernel says of others. SPDX-License-Identifier: MIT
 */
#include "calib/text.h"
#include "target_private.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* a capability, as /proc/PID/status shows them */
#define RIGHT(capability) (UINT64_C(1) << (capability))

#define NAMED 3 /* processes for one LUN; of others the number */

#define LEASE_TRIES    20
#define LEASE_PAUSE_NS 50000000

/* one device or file to look for, and whose it is */
struct watch {
	struct storage storage;
	unsigned lun;
	const char *subject;
	const struct block_device *device; /* NULL: a file, or not in sysfs */
	bool is_path;			   /* of a multipath device */
};

/**
 * struct scan - one pass over /proc
 * @last_pid:  for each LUN, the process that was noted last: it counts once
 * @processes: for each LUN, how many have it open
 * @barred:    the descriptors of process 1 could not be looked at for want of rights
 * @blind:     those of another one, or for another reason, or there may be processes that do not
 *             show
 * @ring:      a process whose io_uring does not tell which files it has; 0: there is none
 * @lost:      what loop devices lie on and has no name any more
 */
struct scan {
	const char *proc;
	struct watch *watches;
	size_t count;
	struct lost_file *lost;
	size_t lost_count;
	long *last_pid;
	unsigned *processes;
	bool barred, blind;
	long ring;
	struct findings *findings;
};

static int compare_watches(const void *left, const void *right)
{
	const struct storage *a = &((const struct watch *)left)->storage;
	const struct storage *b = &((const struct watch *)right)->storage;

	if (a->is_block != b->is_block)
		return a->is_block ? 1 : -1;
	if (a->device != b->device)
		return a->device > b->device ? 1 : -1;
	return (a->inode > b->inode) - (a->inode < b->inode);
}

static bool add_watch(struct scan *scan, unsigned lun, const struct member *member)
{
	struct watch *grown = list_room(scan->watches, scan->count, sizeof(*scan->watches));

	if (!grown)
		return false;
	scan->watches = grown;
	scan->watches[scan->count++] = (struct watch){
		.storage = member->storage,
		.lun = lun,
		.subject = member->subject,
		.device = member->device,
		.is_path = member->kinship == KIN_PATH,
	};
	return true;
}

/* sysfs tells such a name as the kernel does of a registered file; or "?", where it is too long. */
static bool has_lost_name(const struct member *upper)
{
	const char *name = upper->device->backing_path;

	return strcmp(name, "?") == 0 || name_is_deleted(name);
}

static bool add_lost(struct scan *scan, const struct family *family, const struct member *member)
{
	const struct member *upper = &family->members[member->parent];
	struct lost_file *grown;

	if (member->kinship != KIN_BACKING || member->storage.is_block || !has_lost_name(upper))
		return true;
	grown = list_room(scan->lost, scan->lost_count, sizeof(*scan->lost));
	if (!grown)
		return false;
	scan->lost = grown;
	scan->lost[scan->lost_count++] =
		(struct lost_file){upper->device->backing_path, member->storage};
	return true;
}

static bool make_watches(struct scan *scan, unsigned count, const struct family families[])
{
	for (unsigned lun = 0; lun < count; lun++) {
		const struct family *family = &families[lun];

		for (size_t i = 0; i < family->count; i++)
			if (!add_watch(scan, lun, &family->members[i]) ||
			    !add_lost(scan, family, &family->members[i]))
				return false;
	}
	if (scan->count == 0)
		return false;
	qsort(scan->watches, scan->count, sizeof(*scan->watches), compare_watches);
	return true;
}

/* "" where it cannot be read */
static void read_comm(const char *proc, long pid, char *out, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%ld/comm", proc, pid);
	(void)first_line(path, out, size);
}

static char *process_name(const char *proc, long pid, char *out, size_t size)
{
	char name[64];

	read_comm(proc, pid, name, sizeof(name));
	return text_quote(out, size, name[0] ? name : "?");
}

/* The kernel's word on a descriptor: "flags:\t0100002", octal. False where it gives none. */
static bool is_read_only(const char *proc, long pid, const char *descriptor)
{
	char path[PATH_MAX];
	char flags[32];

	snprintf(path, sizeof(path), "%s/%ld/fdinfo/%s", proc, pid, descriptor);
	return proc_value(path, "flags", flags, sizeof(flags)) &&
	       (strtoul(flags, NULL, 8) & O_ACCMODE) == O_RDONLY;
}

/* Whether descriptors are all that a process has of it, and it can only read by them. */
static bool only_reads(const char *proc, long pid, const struct storage *storage)
{
	char path[PATH_MAX];
	const struct dirent *entry;
	bool any = false, writes = false;
	DIR *descriptors;

	snprintf(path, sizeof(path), "%s/%ld/fd", proc, pid);
	descriptors = opendir(path);
	while (descriptors && (entry = readdir(descriptors))) {
		struct storage its;

		if (storage_find(dirfd(descriptors), entry->d_name, &its) < 0 ||
		    !storage_same(&its, storage))
			continue;
		any = true;
		writes = writes || !is_read_only(proc, pid, entry->d_name);
	}
	if (descriptors)
		closedir(descriptors);
	return any && !writes;
}

/*
 * Whoever makes the device keeps it open, and is no user of it: multipathd, which checks the paths
 * of its maps, and has them for reading; the process behind an NBD, which the kernel names.
 */
static bool is_its_server(const struct scan *scan, const struct watch *watch, long pid)
{
	char name[64];

	if (watch->is_path) {
		read_comm(scan->proc, pid, name, sizeof(name));
		return strcmp(name, "multipathd") == 0 &&
		       only_reads(scan->proc, pid, &watch->storage);
	}
	return watch->device && strncmp(watch->device->name, "nbd", 3) == 0 &&
	       block_number(watch->device, "pid") == (uint64_t)pid;
}

static void note_process(struct scan *scan, const struct watch *watch, long pid)
{
	char name[NAME_SHOWN];

	if (scan->last_pid[watch->lun] == pid || is_its_server(scan, watch, pid))
		return;
	scan->last_pid[watch->lun] = pid;
	if (++scan->processes[watch->lun] > NAMED)
		return;
	findings_add(&scan->findings[watch->lun], FINDING_OPEN, "%s%sheld open by process %ld (%s)",
		     watch->subject, watch->subject[0] ? " is " : "", pid,
		     process_name(scan->proc, pid, name, sizeof(name)));
}

/* what the visitor of a process's files needs */
struct visit {
	struct scan *scan;
	long pid;
};

static void check_storage(void *context, const struct storage *storage)
{
	const struct visit *visit = context;
	const struct scan *scan = visit->scan;
	const struct watch key = {.storage = *storage};
	const struct watch *found =
		bsearch(&key, scan->watches, scan->count, sizeof(key), compare_watches);

	if (!found)
		return;
	while (found > scan->watches && compare_watches(found - 1, &key) == 0)
		found--;
	for (; found < scan->watches + scan->count && compare_watches(found, &key) == 0; found++)
		note_process(visit->scan, found, visit->pid);
}

static void check_process(struct scan *scan, long pid, bool ours)
{
	const struct process process = {
		.proc = scan->proc,
		.pid = pid,
		.ours = ours,
		.lost = scan->lost,
		.lost_count = scan->lost_count,
	};
	struct visit visit = {.scan = scan, .pid = pid};

	switch (process_files(&process, check_storage, &visit)) {
	case 0:
		break;
	case -EACCES:
		if (pid == 1)
			scan->barred = true;
		else
			scan->blind = true;
		break;
	case -EBUSY:
		scan->ring = pid;
		break;
	default:
		scan->blind = true;
	}
}

/* Our own number as that proc tree counts, which may be another PID namespace's; 0: we are not in
 * it.
 */
static long own_pid(const char *proc)
{
	char path[PATH_MAX];
	char number[32] = "";
	ssize_t length;

	snprintf(path, sizeof(path), "%s/self", proc);
	length = readlink(path, number, sizeof(number) - 1);
	if (length > 0)
		return isdigit((unsigned char)number[0]) ? strtol(number, NULL, 10) : 0;
	return errno == EINVAL ? (long)getpid() : 0; /* a directory: in a fixture tree */
}

/* From within a container only its own processes are seen. The first namespaces have fixed
 * numbers: PROC_PID_INIT_INO and PROC_USER_INIT_INO of the kernel. */
static bool is_first_namespace(const char *proc, const char *kind, const char *first)
{
	char path[PATH_MAX];
	char link[64];
	ssize_t length;

	snprintf(path, sizeof(path), "%s/self/ns/%s", proc, kind);
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0 && errno == ENOENT) {
		/* a kernel without namespaces has but one; where we are not in it, proc is not ours
		 */
		snprintf(path, sizeof(path), "%s/self", proc);
		return access(path, F_OK) == 0;
	}
	if (length < 0)
		return false;
	link[length] = '\0';
	return strcmp(link, first) == 0;
}

/*
 * Whether this program may look into every process, as far as it is up to its rights: those that
 * proc asks for, in the first user namespace. Process 1 may be hidden even then, by whoever runs
 * the machine. Were others hidden too, it would be calib that is confined.
 */
static bool has_all_rights(const char *proc)
{
	const uint64_t ptrace = RIGHT(CAP_SYS_PTRACE);
	const uint64_t restore = RIGHT(CAP_SYS_ADMIN) | RIGHT(CAP_CHECKPOINT_RESTORE);
	const uint64_t search = RIGHT(CAP_DAC_OVERRIDE) | RIGHT(CAP_DAC_READ_SEARCH);
	struct storage storage;
	char path[PATH_MAX];
	char line[32] = "";
	uint64_t rights;

	snprintf(path, sizeof(path), "%s/self/status", proc);
	if (storage_find(AT_FDCWD, path, &storage) < 0) /* a filter bars every look */
		return false;
	(void)proc_value(path, "CapEff", line, sizeof(line));
	rights = strtoull(line, NULL, 16);
	return (rights & ptrace) && (rights & restore) && (rights & search) &&
	       is_first_namespace(proc, "user", "user:[4026531837]");
}

static void check_processes(struct scan *scan)
{
	const long self = own_pid(scan->proc);
	const struct dirent *entry;
	bool first_seen = false;
	DIR *processes = opendir(scan->proc);

	while (processes && (entry = readdir(processes))) {
		long pid = strtol(entry->d_name, NULL, 10);

		if (pid <= 0)
			continue;
		first_seen = first_seen || pid == 1;
		if (pid != self)
			check_process(scan, pid, self == (long)getpid());
	}
	if (scan->barred && !has_all_rights(scan->proc))
		scan->blind = true;
	/* Process 1 always lives: where proc does not show it, others are hidden as well (hidepid).
	 */
	if (!processes || (!first_seen && self != 1) ||
	    !is_first_namespace(scan->proc, "pid", "pid:[4026531836]"))
		scan->blind = true;
	if (processes)
		closedir(processes);
}

enum lease {
	LEASE_HAD,     /* nobody else has the file open */
	LEASE_REFUSED, /* somebody has */
	LEASE_UNKNOWN, /* not ours to ask, or not known to the file system */
};

/* There the client may give a lease only while the server has handed it the file, which it does as
 * it likes: EAGAIN says nothing of other users. */
static bool leases_are_the_servers(int fd)
{
	struct statfs facts;

	if (fstatfs(fd, &facts) < 0)
		return false;
	return facts.f_type == NFS_SUPER_MAGIC || (uint32_t)facts.f_type == CIFS_SUPER_MAGIC ||
	       (uint32_t)facts.f_type == SMB2_SUPER_MAGIC;
}

static enum lease ask_lease(int fd)
{
	int code;

	/* Somebody who opens the file meanwhile breaks the lease, of which the kernel tells by a
	 * signal: not by SIGIO, which would end us, but by one that is ignored. */
	if (fcntl(fd, F_SETSIG, SIGURG) < 0)
		return LEASE_UNKNOWN;
	code = fcntl(fd, F_SETLEASE, F_WRLCK) < 0 ? errno : 0;
	if (code == 0)
		(void)fcntl(fd, F_SETLEASE, F_UNLCK);
	(void)fcntl(fd, F_SETSIG, 0);
	if (code == 0)
		return LEASE_HAD;
	if ((code != EAGAIN && code != EBUSY) || leases_are_the_servers(fd))
		return LEASE_UNKNOWN;
	return LEASE_REFUSED;
}

/* What explains that the kernel knows of another user. */
static bool is_explained(const struct findings *findings)
{
	return claim_is_explained(findings) || findings_has(findings, FINDING_LOOP) ||
	       findings_has(findings, FINDING_OPEN);
}

/* io_uring gives the files of a process that has ended back a little late: ask again for a while.
 * @tries: what is left of them, for all LUNs together */
static enum lease ask_lease_patiently(int fd, unsigned *tries)
{
	const struct timespec pause = {.tv_nsec = LEASE_PAUSE_NS};
	enum lease lease;

	while ((lease = ask_lease(fd)) == LEASE_REFUSED && *tries > 0) {
		nanosleep(&pause, NULL);
		(*tries)--;
	}
	return lease;
}

static void note_gaps(const struct scan *scan, bool blind, struct findings *findings)
{
	char name[NAME_SHOWN];

	if (blind)
		findings_add(findings, FINDING_UNKNOWN,
			     "cannot see which processes have it open (try as root, and outside of "
			     "a container)");
	if (scan->ring)
		findings_add(
			findings, FINDING_UNKNOWN,
			"cannot find out which files process %ld (%s) keeps in an io_uring (end it "
			"first)",
			scan->ring, process_name(scan->proc, scan->ring, name, sizeof(name)));
}

static void conclude(const struct scan *scan, const struct target *target, unsigned processes,
		     bool blind, unsigned *tries, struct findings *findings)
{
	unsigned none = 0;
	enum lease lease = LEASE_UNKNOWN;

	if (!target->is_block && target_is_writable(target))
		lease = ask_lease_patiently(target->fd, is_explained(findings) ? &none : tries);
	if (processes > NAMED)
		findings_add(findings, FINDING_OPEN, "held open by %u more", processes - NAMED);
	if (lease == LEASE_REFUSED && !is_explained(findings))
		findings_add(findings, FINDING_OPEN,
			     "held open by another process or the kernel (no write lease)");
	if (lease == LEASE_UNKNOWN)
		note_gaps(scan, blind, findings);
}

void open_files_find(const struct target targets[], unsigned count, const struct family families[],
		     const char *proc, struct findings findings[])
{
	struct scan scan = {
		.proc = proc,
		.last_pid = calloc(count, sizeof(*scan.last_pid)),
		.processes = calloc(count, sizeof(*scan.processes)),
		.findings = findings,
	};
	unsigned tries = LEASE_TRIES;
	bool ready = scan.last_pid && scan.processes && make_watches(&scan, count, families);

	if (ready)
		check_processes(&scan);
	for (unsigned lun = 0; lun < count; lun++)
		conclude(&scan, &targets[lun], scan.processes ? scan.processes[lun] : 0,
			 scan.blind || !ready, &tries, &findings[lun]);
	free(scan.watches);
	free(scan.lost);
	free(scan.last_pid);
	free(scan.processes);
}
