/* Names and bytes made printable. SPDX-License-Identifier: MIT */
#ifndef CALIB_TEXT_H
#define CALIB_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** text_is_utf8 - whether all @length bytes are well-formed UTF-8 (no surrogates, no overlong) */
bool text_is_utf8(const char *bytes, size_t length);

/**
 * text_quote - copy a name for a message or a report line
 * @out:  gets at most @size bytes with the final NUL; a cut copy ends in "..."
 *
 * Control bytes and bytes that are no UTF-8 become \xNN; everything else stands as it is.
 * Answers @out.
 */
char *text_quote(char *out, size_t size, const char *name);

/**
 * text_csv - write one CSV field: quoted (RFC 4180) where it holds a comma, quote, CR or LF, or
 * where it begins or ends with a blank
 */
void text_csv(FILE *out, const char *field);

/**
 * text_nearest - the candidate most like @word, for "did you mean"
 * @candidates: @count names
 *
 * Damerau-Levenshtein distance (optimal string alignment); NULL where none is within a third of
 * the word's length (at least 2).
 */
const char *text_nearest(const char *word, const char *const candidates[], size_t count);

/** text_last_part - what follows the last '/' of a path, or all of it */
const char *text_last_part(const char *path);

/** text_unescape_octal - "a\040b" -> "a b", in place: so the kernel writes blanks and backslashes
 * in the tables of proc; answers @text */
char *text_unescape_octal(char *text);

#endif
