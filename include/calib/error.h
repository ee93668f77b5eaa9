/* Errors: a code and one sentence for the user. SPDX-License-Identifier: MIT */
#ifndef CALIB_ERROR_H
#define CALIB_ERROR_H

/**
 * struct error - why a call failed, in the words that main prints
 * @code: 0, or a negative errno value
 * @text: one line without a full stop; names in '' and odd bytes escaped (text_quote())
 */
struct error {
	int code;
	char text[1024];
};

/**
 * error_set - record a failed system or library call; the system's words for @code are appended
 * @code: -errno of the failed call
 *
 * Answers @code, so that a caller can return it at once. Text that is too long is cut.
 */
int error_set(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** error_say - like error_set(), but only @format's text: nothing is appended */
int error_say(struct error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** error_wrap - put "@format: " in front of a recorded error; answers its code */
int error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
