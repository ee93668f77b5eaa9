#!/usr/bin/env bash
# B10: a disk and its partition overlap; two partitions do not.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"

mk image 32
make_loop image
disk=$device
make_partition "$disk" 1 2048 16384
make_partition "$disk" 2 32768 16384

for pair in "$disk ${disk}p1" "${disk}p2 $disk"; do
	tr ' ' '\n' <<<"$pair" >x.lun
	RD x
	ran 1
	[[ $(grep -c 'counted once' "$work/err") == 1 ]] || fail_run "not counted once"
	expect_err "'${disk}p" "is a partition of '$disk'"
	[[ $(result "$prefix" '.luns[0].path') == "$disk" ]] || fail_run "not the whole disk was read"
	warned same_storage
	all_files_sound
	twice_refused image
done
printf '%s\n' "$disk" "${disk}p1" "${disk}p2" >x.lun
RD x
[[ $(grep -c 'counted once' "$work/err") == 2 ]] || fail_run "not both are counted once"
expect_err "'${disk}p1'" "'${disk}p2'"
ran_soundly 1

printf '%s\n' "${disk}p1" "${disk}p2" >x.lun
RD x
messages 0
ran_soundly 2
