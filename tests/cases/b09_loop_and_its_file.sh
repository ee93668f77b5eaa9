#!/usr/bin/env bash
# B09: a loop device and the file below it are one storage.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"

# one_storage FILE NAME OTHER: both lie on the file: reads count it once and say how they belong
# together, writes are refused
one_storage() {
	local file=$1
	shift
	printf '%s\n' "$@" >x.lun
	RD x
	ran 1
	[[ $(grep -c 'counted once' "$work/err") == 1 ]] || fail_run "not counted once"
	grep 'counted once' "$work/err" | grep -F "'$1'" | grep -qF "'$2'" || fail_run "not both are named"
	warned same_storage
	all_files_sound
	twice_refused "$file"
}

mk a 16
mk parts 16
make_loop a
loop=$device
one_storage a "$loop" "$T/a"
one_storage a a "$loop"

# a second loop device on the file; one on the other
make_loop a
one_storage a "$loop" "$device"
make_loop "$loop"
one_storage a "$loop" "$device"
one_storage a "$device" a

# a file on a file system on the device is stored on it, as all its others are
mk image 32
mkfs.ext4 -q image
mkdir fs
make_loop image
mount "$device" fs
at_end umount "$here/fs"
mk fs/a 8
make_loop fs/a
one_storage fs/a fs/a "$device"

# parts of one file that do not overlap are two
make_loop parts -o 0 --sizelimit 8M
first=$device
make_loop parts -o 8M --sizelimit 8M
printf '%s\n' "$first" "$device" >x.lun
RD x
messages 0
ran_soundly 2
