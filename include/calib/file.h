/* Writing to a descriptor. SPDX-License-Identifier: MIT */
#ifndef CALIB_FILE_H
#define CALIB_FILE_H

#include <stddef.h>

/** file_write_all - write all @size bytes, in as many calls as it takes; 0, or -errno */
int file_write_all(int fd, const void *bytes, size_t size);

#endif
