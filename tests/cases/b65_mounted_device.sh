#!/usr/bin/env bash
# B65: a device that is mounted is never written, under no name and with no option; reads say that it is.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"
# shellcheck source=tests/device/refusals.sh
. "$SOURCE_DIR/tests/device/refusals.sh"

in_memory

# unmount DIRECTORY: where it is mounted
unmount() {
	umount "$here/$1" 2>/dev/null || true
}

mk image 32
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 image
make_loop image
disk=$device
mkdir m 'm with blanks'
mount -o noatime "$disk" m # what find reads here must not change it
at_end unmount m
echo kept >m/file
sync

make_node "$disk" node
ln -s "$disk" link
ln -s "$T/link" link2
for name in "$disk" node link link2; do
	never_written "$disk" "$name" "mounted on '$T/m'" "ext4"
	RD x
	ran 1
	messages 2 "'$name'" "mounted on '$T/m'" "ext4"
	warned in_use
	all_files_sound
done

# nor by any run that would write, nor a little
sum=$(device_sum "$disk")
for command in "RD x -write 1" "GRID x -write 50" "LG x -write 100" "WR x -engine null" \
	"WR x -dry_run" "calib -run oltp -testname x -write 100" \
	"calib -run basic -testname x -write 100"; do
	$command -overwrite -force
	expect_status 3
	expect_err "mounted on '$T/m'"
done
as_it_was "$disk" "$sum"

# for reading alone, by another name, with a blank in it: mounted all the same
umount m
mount -o ro "$disk" m
never_written "$disk" "$disk" "mounted on '$T/m'"
umount m
mount -o noatime "$disk" 'm with blanks'
at_end unmount 'm with blanks'
never_written "$disk" "$disk" "mounted on '$T/m with blanks'"
umount 'm with blanks'

# the file below, while a loop device of it is mounted
mount -o noatime "$disk" m
never_written image image "mounted on '$T/m'"
umount m
detach "$disk"
mount -o loop,noatime image m
never_written image image "mounted on '$T/m'"
umount m

# and then not any more: what is left is the file system, which -force overwrites
forced_only image image "ext4"
