#!/usr/bin/env bash
# A device of 4096-byte blocks: every I/O is aligned to them, and a smaller one refused at once.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

run=(-duration 0.1 -ramp 0)
random_file image 32
make_loop image --sector-size 4096
[[ $(blockdev --getss "$device") == 4096 ]] || skip "losetup cannot make blocks of 4096 bytes"
echo "$device" >x.lun
for engine in io_uring libaio psync; do
	measure "${run[@]}" -engine "$engine" -run simple -num_disks 1
	measure "${run[@]}" -engine "$engine" -run advanced -small_levels 4 -large_levels 2 -size_small 4 \
		-size_large 12K -type rand
done

# refuse LUN ARGUMENT...: before any I/O, with the block that would do
refuse() {
	local lun=$1 before counted
	shift
	before=$(files_here)
	counted=$(device_reads "$device")
	calib "${run[@]}" -testname x "$@"
	refused 2 "x.lun:1:" "'$lun'" "must be a multiple of 4096"
	expect_unchanged "$before"
	calib "${run[@]}" -testname x "$@" -dry_run
	refused 2 "must be a multiple of 4096"
	[[ $(device_reads "$device") == "$counted" ]] || fail_run "the device was read"
}

refuse "$device" -run simple -size_small 2
refuse "$device" -run oltp -size_small 0.5
refuse "$device" -run simple -size_large 1022K

# a file of a file system on it
mkfs.ext4 -q -b 4096 "$device"
mkdir fs
mount "$device" fs
at_end umount "$here/fs"
random_file fs/data 8
sync
echo fs/data >x.lun
calib "${run[@]}" -run simple -num_disks 1 -testname x
expect_status 0
check_last x
before=$(files_here)
calib "${run[@]}" -run simple -size_small 2 -testname x
refused 2 "x.lun:1:" "'fs/data'" "must be a multiple of 4096"
expect_unchanged "$before"
