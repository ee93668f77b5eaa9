/* Sizes, times and counts as a user writes them. SPDX-License-Identifier: MIT */
#ifndef CALIB_UNITS_H
#define CALIB_UNITS_H

#include "calib/error.h"

#include <stddef.h>
#include <stdint.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)
#define BYTES_KIB UINT64_C(1024)
#define BYTES_MIB UINT64_C(1048576)
#define BYTES_GIB UINT64_C(1073741824)
#define SECTOR	  UINT64_C(512) /* the unit of /sys/block/X/stat, whatever the device's block */

/**
 * units_parse_size - "8", "8K", "1M", "2G", "1T" -> bytes
 * @bare_bytes: what 1 means without a suffix (BYTES_KIB for -size_small, 1 for plain bytes)
 *
 * Suffixes are 1024-based, upper or lower case, one letter, optionally followed by "iB" or "B";
 * a decimal fraction is accepted where it gives whole bytes ("1.5M"). Sign, blank, exponent, a
 * stray character, overflow: -EINVAL or -ERANGE with the reason in @err (which names the text,
 * not the option: the caller wraps it).
 */
int units_parse_size(const char *text, uint64_t bare_bytes, uint64_t *bytes, struct error *err);

/**
 * units_parse_time - "10", "0.5", "500us", "500ms", "10s", "2m", "1h" -> nanoseconds
 * @bare_ns: what 1 means without a suffix (NS_PER_S for -duration)
 *
 * Same errors as units_parse_size(). At most 292 years fit; -ERANGE beyond.
 */
int units_parse_time(const char *text, uint64_t bare_ns, uint64_t *ns, struct error *err);

/** units_parse_count - a plain decimal number within @min..@max, both inclusive */
int units_parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *value,
		      struct error *err);

/**
 * units_parse_levels - "0,1,2,8" -> numbers within 0..@max
 * @levels: gets at most @capacity values, in the order given
 *
 * Answers how many, -EINVAL for an empty field, a stray character or a value given twice, -E2BIG
 * where there are more than @capacity.
 */
int units_parse_levels(const char *text, uint32_t max, uint32_t levels[], unsigned capacity,
		       struct error *err);

/** units_format_time - "850 ms", "48 s", "12 min 30 s", "3 h 05 min": rounded for a person */
char *units_format_time(char *out, size_t size, uint64_t ns);

/** units_format_bytes - "512 B", "8 KiB", "1.5 GiB", "16 TiB": 1024-based, at most one decimal */
char *units_format_bytes(char *out, size_t size, uint64_t bytes);

#endif
