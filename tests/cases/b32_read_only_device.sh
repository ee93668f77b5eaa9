#!/usr/bin/env bash
# B32: a read-only device is read, and refused for writing before any I/O.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"

mk image 16
sum=$(sha256sum image)

# only_read LUN: reads run, writes are refused
only_read() {
	echo "$1" >x.lun
	RD x
	ran_soundly 1
	for option in -overwrite "-overwrite -force"; do
		write_refused "WR x $option" "$1" "read-only"
	done
	sha256sum --quiet -c <<<"$sum" || fail "the image was changed"
}

set_writable() { # DEVICE
	[[ ! -v attached[$1] ]] || blockdev --setrw "$1"
}

make_loop image -r
[[ $(blockdev --getro "$device") == 1 ]] || fail "$device can be written"
only_read "$device"
detach "$device"

make_loop image
blockdev --setro "$device"
at_end set_writable "$device"
only_read "$device"

# and its partition
disk=$device
make_partition "$disk" 1 2048 16384
only_read "$device"
set_writable "$disk"

# a file on a file system that is mounted for reading
mk fs.image 32
mkfs.ext4 -q fs.image
mkdir fs
make_loop fs.image
mount "$device" fs
at_end umount "$here/fs"
mk fs/a 8
sync
mount -o remount,ro fs
echo fs/a >x.lun
RD x
ran_soundly 1
write_refused "WR x -overwrite -force" fs/a "read-only"
