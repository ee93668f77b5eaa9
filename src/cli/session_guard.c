/* Before the first I/O: what the LUNs are used for, and whether this run may go on.
 * SPDX-License-Identifier: MIT */
#include "calib/clock.h"
#include "calib/limits.h"
#include "calib/session.h"
#include "calib/text.h"
#include "calib/units.h"
#include "session_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BIT(kind) (1u << (kind))
#define IN_USE                                                                                     \
	(BIT(FINDING_MOUNTED) | BIT(FINDING_SWAP) | BIT(FINDING_HELD) | BIT(FINDING_LOOP) |        \
	 BIT(FINDING_OPEN) | BIT(FINDING_SYSTEM_DISK))

/* 0.7 s in all: longer than such a look takes */
#define LOOKS	       4
#define FIRST_PAUSE_NS 100000000

/* What a LUN carries is read again where that was so long ago: mkfs takes longer to be called. */
#define MARKS_GOOD_NS (NS_PER_S / 2)

#define QUOTED	    768
#define REASON_SIZE (FINDINGS_MAX * FINDING_TEXT)

/* A run that only reads looks for signatures to say what it found, and does not wait for that. */
#define LOOK_NS NS_PER_S

static const struct probe_roots roots = {
	.sysfs = SESSION_SYSFS, .proc = SESSION_PROC, .dev = SESSION_DEV};

static bool writes(const struct session *session)
{
	return session->spec.write_pct > 0;
}

static int warn_alias(struct session *session, const struct relation *relation, struct error *err)
{
	const struct target *kept = &session->targets[relation->kept];
	const struct target *dropped = &session->targets[relation->dropped];
	char file[QUOTED], name[QUOTED], other[QUOTED];
	int code = results_warn(&session->results, "same_storage", SEVERITY_NOTE, WARNING_NO_POINT,
				WARNING_NO_LUN, "%s:%u: '%s' %s '%s': counted once",
				text_quote(file, sizeof(file), session->list.file), dropped->line,
				text_quote(name, sizeof(name), dropped->path), relation->how,
				text_quote(other, sizeof(other), kept->path));

	return code < 0 ? error_set(err, code, "cannot keep a warning") : 0;
}

static void note_alias(struct session *session, const struct relation *relation)
{
	const struct target *dropped = &session->targets[relation->dropped];
	char name[QUOTED];

	findings_add(&session->findings[relation->kept], FINDING_ALIAS,
		     "listed twice: '%s' of line %u %s it",
		     text_quote(name, sizeof(name), dropped->path), dropped->line, relation->how);
}

static void drop_target(struct session *session, unsigned index)
{
	size_t after = session->target_count - index - 1;

	target_close(&session->targets[index]);
	memmove(&session->targets[index], &session->targets[index + 1],
		after * sizeof(session->targets[0]));
	memmove(&session->findings[index], &session->findings[index + 1],
		after * sizeof(session->findings[0]));
	session->target_count--;
}

int session_drop_aliases(struct session *session, struct error *err)
{
	struct relation relation;

	session->findings = calloc(session->target_count + 1, sizeof(*session->findings));
	if (!session->findings)
		return error_set(err, -ENOMEM, "cannot keep what is known of the LUNs");
	if (targets_check_output(session->targets, session->target_count, &roots, err) < 0)
		return err->code;
	while (targets_related(session->targets, session->target_count, &roots, &relation)) {
		if (writes(session))
			note_alias(session, &relation);
		else if (warn_alias(session, &relation, err) < 0)
			return err->code;
		drop_target(session, relation.dropped);
	}
	return 0;
}

/* Whether blocks of the LUNs are read before the run. */
static bool reads_marks(const struct session *session)
{
	if (writes(session))
		return true; /* also for -dry_run, which ends as the run would */
	return !session->spec.dry_run && strcasecmp(session->spec.engine, "null") != 0;
}

static int look_for_marks(struct session *session, unsigned index, uint64_t until_ns,
			  struct error *err)
{
	const struct target *target = &session->targets[index];
	struct io_count *issued = &session->results.luns[index].issued;
	char file[QUOTED];
	int code = probe_marks(target, until_ns, issued, &session->findings[index]);

	if (code == 0)
		return 0;
	limits_direct_refused(target->path, code, err);
	return error_wrap(err, "%s:%u", text_quote(file, sizeof(file), session->list.file),
			  target->line);
}

/* The findings of some kinds as one phrase; "" where there are none. */
static const char *reason_of(const struct findings *findings, unsigned kinds, char *out,
			     size_t size)
{
	struct findings some = {0};

	for (unsigned i = 0; i < findings->count; i++)
		if (BIT(findings->list[i].kind) & kinds)
			findings_add(&some, findings->list[i].kind, "%s", findings->list[i].text);
	return safety_reason(&some, out, size);
}

static int warn_lun(struct session *session, unsigned index, const char *code, unsigned kinds,
		    const char *so, struct error *err)
{
	char name[QUOTED];
	char reason[REASON_SIZE];

	reason_of(&session->findings[index], kinds, reason, sizeof(reason));
	if (!reason[0])
		return 0;
	if (results_warn(&session->results, code, SEVERITY_NOTE, WARNING_NO_POINT, (int)index,
			 "'%s': %s; %s",
			 text_quote(name, sizeof(name), session->targets[index].path), reason,
			 so) < 0)
		return error_set(err, -ENOMEM, "cannot keep a warning");
	return 0;
}

/* Reading destroys nothing: the user is told, and the run goes on. */
static int warn_uses(struct session *session, struct error *err)
{
	int code = 0;

	for (unsigned i = 0; i < session->target_count && code == 0; i++) {
		code = warn_lun(session, i, "in_use", IN_USE,
				"other I/O on it would show in the figures", err);
		if (code == 0)
			code = warn_lun(session, i, "carries_data", BIT(FINDING_CARRIES),
					"it is only read", err);
	}
	return code;
}

/* Held open, and by nothing that is there to stay: a look of udev or multipathd passes, and the
 * kernel gives up late what io_uring held for a process that has ended. */
static bool may_pass(const struct session *session, unsigned index)
{
	const unsigned passing = BIT(FINDING_OPEN) | BIT(FINDING_CARRIES) | BIT(FINDING_UNKNOWN);
	unsigned kinds = session->findings[index].kinds;

	return (kinds & BIT(FINDING_OPEN)) && !(kinds & ~passing);
}

static bool any_may_pass(const struct session *session)
{
	for (unsigned i = 0; i < session->target_count; i++)
		if (may_pass(session, i))
			return true;
	return false;
}

/* All but what the list itself says. */
static void forget(struct findings *findings)
{
	const struct findings before = *findings;

	*findings = (struct findings){0};
	for (unsigned i = 0; i < before.count; i++)
		if (before.list[i].kind == FINDING_ALIAS)
			findings_add(findings, FINDING_ALIAS, "%s", before.list[i].text);
}

/* Ask for those again that were busy. */
static void ask_again(struct session *session)
{
	for (unsigned i = 0; i < session->target_count; i++) {
		if (may_pass(session, i) && session->targets[i].write_code == -EBUSY)
			(void)target_ask_again(&session->targets[i]);
		session->fds[i] = session->targets[i].fd;
	}
}

static void forget_all(struct session *session)
{
	for (unsigned i = 0; i < session->target_count; i++)
		forget(&session->findings[i]);
}

static int find_marks(struct session *session, uint64_t until_ns, struct error *err)
{
	for (unsigned i = 0; reads_marks(session) && i < session->target_count; i++) {
		if (atomic_load(&session->stop->signal) != 0)
			return error_say(err, -EINTR, "stopped before the first point");
		if (look_for_marks(session, i, until_ns, err) < 0)
			return err->code;
	}
	return 0;
}

static void find_holds(struct session *session)
{
	probe_holds(session->targets, session->target_count, &roots, writes(session),
		    session->findings);
}

/* What the LUNs carry, then who uses them: to read takes longer, and a user may come meanwhile. */
static int look_once(struct session *session, uint64_t until_ns, struct error *err)
{
	int code = find_marks(session, until_ns, err);

	if (code == 0)
		find_holds(session);
	session->looked_ns = clock_now_ns();
	return code;
}

/*
 * Who has a LUN open may be writing to it: what it carries counts only if it was read after the
 * last of them had gone, and nobody came before the end.
 */
static int look_patiently(struct session *session, struct error *err)
{
	struct timespec pause = {.tv_nsec = FIRST_PAUSE_NS};

	for (unsigned looks = 1;; looks++) {
		bool last = looks == LOOKS;

		find_holds(session);
		if (last || !any_may_pass(session)) {
			forget_all(session);
			if (look_once(session, UINT64_MAX, err) < 0)
				return err->code;
			if (last || !any_may_pass(session))
				return 0;
		}
		nanosleep(&pause, NULL);
		pause.tv_nsec *= 2;
		ask_again(session);
		forget_all(session);
	}
}

/* What they carry is as it was, unless somebody came, or had the time to come and leave. */
int session_look_again(struct session *session, struct error *err)
{
	if (!writes(session))
		return STATUS_DONE;
	if (atomic_load(&session->stop->signal) != 0) {
		error_say(err, -EINTR, "stopped before the first point");
		return STATUS_USAGE;
	}
	forget_all(session);
	find_holds(session);
	if (any_may_pass(session) || clock_now_ns() - session->looked_ns > MARKS_GOOD_NS) {
		forget_all(session);
		if (look_patiently(session, err) < 0)
			return STATUS_USAGE;
	}
	return session_may_write(session, err);
}

int session_look(struct session *session, struct error *err)
{
	int code;

	if (writes(session))
		return look_patiently(session, err);
	code = look_once(session, clock_now_ns() + LOOK_NS, err);
	return code == 0 ? warn_uses(session, err) : code;
}

static enum verdict judge(const struct session *session, unsigned index)
{
	const struct consent consent = {
		.overwrite = session->spec.overwrite,
		.force = session->spec.force,
	};

	return safety_judge(&session->findings[index], &consent);
}

static void say_refused(const struct session *session, unsigned index)
{
	const struct target *target = &session->targets[index];
	char file[QUOTED], name[QUOTED], size[32];
	char reason[REASON_SIZE];

	safety_reason(&session->findings[index], reason, sizeof(reason));
	fprintf(stderr, "calib: %s:%u: '%s' (%s)%s%s\n",
		text_quote(file, sizeof(file), session->list.file), target->line,
		text_quote(name, sizeof(name), target->path),
		units_format_bytes(size, sizeof(size), target->size_bytes),
		reason[0] ? ": " : " would be overwritten", reason);
}

static const char *what_would_help(enum verdict verdict, bool overwrite)
{
	switch (verdict) {
	case VERDICT_REFUSED:
		return "such a LUN is never written, whatever the options: release it, or take it "
		       "off the "
		       "list";
	case VERDICT_NEEDS_FORCE:
		return overwrite ? "-force overwrites it all the same"
				 : "-overwrite and -force together overwrite it all the same";
	default:
		return "-write destroys the data on the LUNs, which -overwrite allows";
	}
}

int session_may_write(const struct session *session, struct error *err)
{
	enum verdict worst = VERDICT_MAY_WRITE;

	for (unsigned i = 0; writes(session) && i < session->target_count; i++) {
		enum verdict verdict = judge(session, i);

		if (verdict != VERDICT_MAY_WRITE)
			say_refused(session, i);
		if (verdict > worst)
			worst = verdict;
	}
	if (worst == VERDICT_MAY_WRITE)
		return STATUS_DONE;
	error_say(err, -EPERM, "nothing was written: %s",
		  what_would_help(worst, session->spec.overwrite));
	return STATUS_REFUSED;
}
