/* Whether a LUN may be written: what is known of it, and what the user allowed.
 * SPDX-License-Identifier: MIT */
#include "calib/safety.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BIT(kind)  (1u << (kind))
#define OVERRIDDEN (BIT(FINDING_CARRIES) | BIT(FINDING_UNKNOWN))

static bool is_known(const struct findings *findings, const char *text)
{
	for (unsigned i = 0; i < findings->count; i++)
		if (strcmp(findings->list[i].text, text) == 0)
			return true;
	return false;
}

void findings_add(struct findings *findings, enum finding_kind kind, const char *format, ...)
{
	struct finding finding = {.kind = kind};
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(finding.text, sizeof(finding.text), format, arguments);
	va_end(arguments);
	findings->kinds |= BIT(kind);
	if (is_known(findings, finding.text))
		return;
	if (findings->count < FINDINGS_MAX)
		findings->list[findings->count++] = finding;
	else if (kind < findings->list[FINDINGS_MAX - 1].kind) /* what weighs more is said */
		findings->list[FINDINGS_MAX - 1] = finding;
}

enum verdict safety_judge(const struct findings *findings, const struct consent *consent)
{
	if (findings->kinds & ~OVERRIDDEN)
		return VERDICT_REFUSED;
	if (findings->kinds && !consent->force)
		return VERDICT_NEEDS_FORCE;
	return consent->overwrite ? VERDICT_MAY_WRITE : VERDICT_NOT_CONFIRMED;
}

const char *safety_reason(const struct findings *findings, char *out, size_t size)
{
	size_t used = 0;

	if (size > 0)
		out[0] = '\0';
	/* by kind, which is by weight, whatever the order they were found in */
	for (unsigned kind = 0; kind < FINDING_KINDS; kind++)
		for (unsigned i = 0; i < findings->count && used < size; i++)
			if (findings->list[i].kind == kind)
				used += (size_t)snprintf(out + used, size - used, "%s%s",
							 used > 0 ? "; " : "",
							 findings->list[i].text);
	return out;
}
