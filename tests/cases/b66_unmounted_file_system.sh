#!/usr/bin/env bash
# B66: a file system or a partition table that nobody uses is data, too: -force alone overwrites it.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"
# shellcheck source=tests/device/refusals.sh
. "$SOURCE_DIR/tests/device/refusals.sh"

in_memory

# guarded TEXT...: as a file and as a device; to read it is a matter for a warning
guarded() {
	echo a >x.lun
	RD x
	ran 1
	messages 1 "'a'" "$@"
	warned carries_data
	all_files_sound
	refuses_writing -overwrite
	expect_err "$@" "-force"
	make_loop a
	forced_only "$device" "$device" "$@"
	detach "$device"
	rm a
}

mk clean 16
for type in ext2 ext4; do
	cp clean a
	mkfs.$type -q -F a
	guarded $type
done
cp clean a
put a 510 '\x55\xaa'
guarded "partition table"
for offset in 512 4096; do
	cp clean a
	put a $offset 'EFI PART'
	guarded GPT
done

# the same image without the mark is free
cp clean a
written_when_told a a
