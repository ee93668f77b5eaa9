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
addpart "$disk" 1 2048 16384
at_end delpart "$disk" 1
addpart "$disk" 2 32768 16384
at_end delpart "$disk" 2
settle
# the kernel knows them; their nodes may be somebody else's work
for number in 1 2; do
	part=${disk}p$number
	if [[ ! -b $part ]]; then
		numbers=$(cat "/sys/class/block/${part##*/}/dev")
		mknod "$part" b "${numbers%:*}" "${numbers#*:}"
		at_end rm -f "$part"
	fi
done

for pair in "$disk ${disk}p1" "${disk}p2 $disk"; do
	tr ' ' '\n' <<<"$pair" >x.lun
	RD x
	ran 1
	messages 1 "x.lun:" "'$disk'" "partition"
	[[ $(result "$prefix" '.luns[0].path') == "$disk" ]] || fail_run "not the whole disk was read"
	warned same_storage
	all_files_sound
done
printf '%s\n' "$disk" "${disk}p1" "${disk}p2" >x.lun
RD x
messages 2 "'${disk}p1'" "'${disk}p2'"
ran_soundly 1

printf '%s\n' "${disk}p1" "${disk}p2" >x.lun
RD x
messages 0
ran_soundly 2
