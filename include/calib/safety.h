/* What protects your data: what is known of a LUN, and whether it may be written.
 * SPDX-License-Identifier: MIT */
#ifndef CALIB_SAFETY_H
#define CALIB_SAFETY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * enum finding_kind - one thing that speaks against writing to a LUN (spec/calib.md, "Writing")
 *
 * From FINDING_CARRIES on -force overrides it; nothing overrides the others.
 */
enum finding_kind {
	FINDING_MOUNTED, /* it, its disk or one of its partitions carries a mounted file system */
	FINDING_SWAP,	 /* swapped on */
	FINDING_HELD,	 /* a member of LVM, MD, dm, bcache: another device lies on it */
	FINDING_LOOP,	 /* a loop device lies on it, or on what it lies on */
	FINDING_OPEN,	 /* another process has it open, or an exclusive open was refused */
	FINDING_SYSTEM_DISK, /* the root file system's disk, what lies below it, its partitions */
	FINDING_ZONED,	     /* host-managed zones take no random writes */
	FINDING_READ_ONLY,   /* the device or its file system refuses writes */
	FINDING_ALIAS,	     /* the list names the same storage twice */
	FINDING_CARRIES,     /* a signature: somebody's data may be there */
	FINDING_UNKNOWN,     /* something of this could not be found out, or read */
	FINDING_KINDS,
};

#define FINDING_TEXT 240
#define FINDINGS_MAX 12

struct finding {
	enum finding_kind kind;
	char text[FINDING_TEXT];
};

/**
 * struct findings - all that is known against writing to one LUN
 * @list:  the first @count of them, for the message
 * @kinds: a bit for each kind found, also where @list had no room for another
 *
 * Zeroed memory is a valid empty one; holds no pointer.
 */
struct findings {
	struct finding list[FINDINGS_MAX];
	unsigned count;
	unsigned kinds;
};

/**
 * findings_add - keep one more; @format makes a phrase that follows the LUN's name: "mounted on
 * '/data' (ext4)", "carries an LVM physical volume". The same phrase twice is kept once
 */
void findings_add(struct findings *findings, enum finding_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static inline bool findings_has(const struct findings *findings, enum finding_kind kind)
{
	return (findings->kinds >> kind) & 1;
}

/** struct consent - what the user allowed: -overwrite, -force */
struct consent {
	bool overwrite, force;
};

enum verdict {
	VERDICT_MAY_WRITE,
	VERDICT_NOT_CONFIRMED, /* nothing speaks against it, but -overwrite was not given */
	VERDICT_NEEDS_FORCE,   /* only what -force overrides speaks against it */
	VERDICT_REFUSED,
};

/** safety_judge - whether a LUN may be written; the facts and the user's word alone decide */
enum verdict safety_judge(const struct findings *findings, const struct consent *consent);

/**
 * safety_reason - the findings as one phrase, what weighs most first; "" where there are none
 *
 * "mounted on '/data' (ext4); carries an ext4 file system". Answers @out.
 */
const char *safety_reason(const struct findings *findings, char *out, size_t size);

#endif
