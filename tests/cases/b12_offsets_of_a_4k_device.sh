#!/usr/bin/env bash
# B12: every I/O is aligned to the block of the device; a size that cannot be is refused.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"

truncate -s 64M image
make_loop image --sector-size 4096
[[ $(blockdev --getss "$device") == 4096 ]] || skip "losetup cannot make blocks of 4096 bytes"
echo "$device" >x.lun

for engine in io_uring libaio psync; do
	RD x -engine $engine
	ran_soundly 1
	LG x -engine $engine
	ran_soundly 1
	RD x -engine $engine -size_small 4
	ran_soundly 1
done
for size in 2 0.5 6; do
	refuses 2 "RD x -size_small $size" "x.lun:1:" "'$device'" "must be a multiple of 4096"
	refuses 2 "RD x -dry_run -size_small $size" "x.lun:1:" "must be a multiple of 4096"
done
refuses 2 "LG x -size_large 1022" "x.lun:1:" "'$device'" "must be a multiple of 4096"
LG x -size_large 12
ran_soundly 1

# beside a device of 512-byte blocks the larger block counts
head -c 65M /dev/zero >other
make_loop other
echo "$device" >>x.lun
RD x
ran_soundly 2
refuses 2 "RD x -size_small 2" "x.lun:1:" "must be a multiple of 4096"
