/* A launcher: the command finds some system calls refused, as a container's filter would do.
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#error "refuse_calls knows x86-64 and aarch64 only"
#endif

#define CONDITIONS 2
#define PROGRAM	   512
#define ERRNO_MAX  256

/* struct condition - (argument & mask) == value, of its low 32 bits; mask 0: always */
struct condition {
	unsigned argument;
	uint32_t mask, value;
};

struct rule {
	const char *name;
	long number;
	struct condition conditions[CONDITIONS];
};

/* The loader reads the heads of libraries with pread64 too, but no whole blocks. */
#define BLOCK_MASK 511

/* A name may have several rows: the calls by which a library may do the same. */
static const struct rule rules[] = {
	{"io_uring_setup", SYS_io_uring_setup, {{0}}},
	{"io_uring_enter", SYS_io_uring_enter, {{0}}},
	{"io_uring_register", SYS_io_uring_register, {{0}}},
	{"io_setup", SYS_io_setup, {{0}}},
	{"io_submit", SYS_io_submit, {{0}}},
	{"io_getevents", SYS_io_getevents, {{0}}},
	{"pread64", SYS_pread64, {{2, BLOCK_MASK, 0}, {3, BLOCK_MASK, 0}}},
	{"pwrite64", SYS_pwrite64, {{0}}},
	{"openat_direct", SYS_openat, {{2, O_DIRECT, O_DIRECT}}},
#ifdef SYS_open
	{"openat_direct", SYS_open, {{1, O_DIRECT, O_DIRECT}}},
#endif
	/* its flags lie in memory, where a filter cannot look: refused with any */
	{"openat_direct", SYS_openat2, {{0}}},
	{"renameat2", SYS_renameat2, {{0}}},
	{"link", SYS_linkat, {{0}}},
#ifdef SYS_link
	{"link", SYS_link, {{0}}},
#endif
	{"linkat", SYS_linkat, {{0}}},
	{"mkdir", SYS_mkdirat, {{0}}},
#ifdef SYS_mkdir
	{"mkdir", SYS_mkdir, {{0}}},
#endif
	{"fsync", SYS_fsync, {{0}}},
	{"flock", SYS_flock, {{0}}},
	{"fcntl-setlease", SYS_fcntl, {{1, UINT32_MAX, F_SETLEASE}}},
	{"mlock", SYS_mlock, {{0}}},
	{"mlock", SYS_mlock2, {{0}}},
	{"sched_setaffinity", SYS_sched_setaffinity, {{0}}},
	{"sched_getaffinity", SYS_sched_getaffinity, {{0}}},
	{"memfd_create", SYS_memfd_create, {{0}}},
	{"eventfd2", SYS_eventfd2, {{0}}},
	{"statx", SYS_statx, {{0}}},
};

static const size_t rule_count = sizeof(rules) / sizeof(rules[0]);

struct program {
	struct sock_filter code[PROGRAM];
	unsigned short length;
};

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "refuse_calls: %s '%s'\n", what, name);
	exit(125);
}

static void emit(struct program *program, struct sock_filter step)
{
	if (program->length == PROGRAM)
		fail("too many calls at", "the last one");
	program->code[program->length++] = step;
}

static void emit_load(struct program *program, size_t offset)
{
	emit(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static unsigned char conditions_length(const struct rule *rule)
{
	unsigned char steps = 0;

	for (unsigned i = 0; i < CONDITIONS; i++)
		steps = (unsigned char)(steps + (rule->conditions[i].mask != 0 ? 3 : 0));
	return steps;
}

/* If the call is the rule's and all conditions hold: this errno; else on behind the last step. */
static void emit_rule(struct program *program, const struct rule *rule, int code)
{
	unsigned char left = conditions_length(rule);

	emit_load(program, offsetof(struct seccomp_data, nr));
	emit(program,
	     (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->number, 0,
					  (unsigned char)(left + 1)));
	for (unsigned i = 0; i < CONDITIONS; i++) {
		const struct condition *condition = &rule->conditions[i];

		if (condition->mask == 0)
			continue;
		left = (unsigned char)(left - 3);
		/* little-endian machines both: the low half of the argument comes first */
		emit_load(program, offsetof(struct seccomp_data, args) + 8 * condition->argument);
		emit(program,
		     (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, condition->mask));
		emit(program,
		     (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, condition->value, 0,
						  (unsigned char)(left + 1)));
	}
	emit(program,
	     (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)code));
}

/* "EPERM" or "1" */
static int errno_of(const char *text)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end != text && *end == '\0' && number > 0 && number < ERRNO_MAX)
		return (int)number;
	for (int code = 1; code < ERRNO_MAX; code++) {
		const char *name = strerrorname_np(code);

		if (name && strcmp(name, text) == 0)
			return code;
	}
	fail("no such error:", text);
	return 0;
}

static void add_call(struct program *program, const char *argument)
{
	const char *sign = strchr(argument, '=');
	size_t length = sign ? (size_t)(sign - argument) : 0;
	bool known = false;

	if (!sign)
		fail("expected NAME=ERRNO, not", argument);
	for (size_t i = 0; i < rule_count; i++) {
		if (strlen(rules[i].name) != length ||
		    strncmp(rules[i].name, argument, length) != 0)
			continue;
		emit_rule(program, &rules[i], errno_of(sign + 1));
		known = true;
	}
	if (!known)
		fail("no such call:", argument);
}

static void install(struct program *program)
{
	const struct sock_fprog filter = {.len = program->length, .filter = program->code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
		fail("cannot install the filter:", strerror(errno));
}

static void show_usage(void)
{
	fprintf(stderr, "usage: refuse_calls NAME=ERRNO... -- COMMAND [ARGUMENT...]\nnames:");
	for (size_t i = 0; i < rule_count; i++)
		if (i == 0 || strcmp(rules[i].name, rules[i - 1].name) != 0)
			fprintf(stderr, " %s", rules[i].name);
	fputc('\n', stderr);
	exit(125);
}

int main(int argc, char *argv[])
{
	struct program program = {.length = 0};
	int at = 1;

	emit_load(&program, offsetof(struct seccomp_data, arch));
	emit(&program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0));
	emit(&program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	for (; at < argc && strcmp(argv[at], "--") != 0; at++)
		add_call(&program, argv[at]);
	if (at == 1 || at + 1 >= argc)
		show_usage();
	emit(&program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	install(&program);
	execvp(argv[at + 1], argv + at + 1);
	fail("cannot run", argv[at + 1]);
}
