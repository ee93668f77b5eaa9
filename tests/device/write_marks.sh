#!/usr/bin/env bash
# What carries data is not written, as a file and as a device, unless -force is given; what is free
# needs no more than -overwrite. SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"
# shellcheck source=tests/device/refusals.sh
. "$SOURCE_DIR/tests/device/refusals.sh"

in_memory

free_file free 16

# marked KIND: the file 'image' carries it, and so does a device over it
marked() {
	local sum
	sum=$(device_sum image)
	echo image >x.lun
	refuses_writing -overwrite
	expect_err "$@" "-force"
	as_it_was image "$sum"
	make_loop image
	other_names "$device"
	forced_only "$device" node "$@"
	detach "$device"
	rm image
}

cp free image && mkfs.ext4 -q -F image
marked ext4
make_small_xfs image
marked xfs
cp free image && mkfs.btrfs -q -f -M image >/dev/null
marked btrfs
cp free image && mkswap image &>/dev/null
marked swap
cp free image && printf 'label: gpt\n,8M\n' | sfdisk -q image
marked GPT
cp free image && printf 'label: gpt\n' | sfdisk -q image
dd if=free of=image bs=4096 count=16 conv=notrunc status=none
marked GPT # what is left is its copy at the end
cp free image && printf 'label: dos\n,8M,83\n' | sfdisk -q image
marked "partition table"
while read -r kind offset bytes; do
	cp free image
	put image "$offset" "$bytes"
	marked "$kind"
done <<-'MARKS'
	LUKS      0         LUKS\xba\xbe\x00\x01
	LUKS      0         LUKS\xba\xbe\x00\x02
	LUKS      16384     SKUL\xba\xbe\x00\x02
	LVM       512       LABELONE
	MD        4096      \xfc\x4e\x2b\xa9
	MD        16769024  \xfc\x4e\x2b\xa9
	MD        16711680  \xfc\x4e\x2b\xa9
	ASM       32        ORCLDISKDATA01
	ZFS       135168    \x0c\xb1\xba\x00\x00\x00\x00\x00
	ZFS       16650240  \x0c\xb1\xba\x00\x00\x00\x00\x00
	XFS       0         XFSB
	btrfs     65600     _BHRfS_M
	ext       1080      \x53\xef
	swap      4086      SWAPSPACE2
	GPT       512       EFI\x20PART
	MBR       510       \x55\xaa
	bcache    4120      \xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81
	BlueStore 0         bluestore\x20block\x20device
	squashfs  0         hsqs
	NTFS      3         NTFS\x20\x20\x20\x20
	9660      32769     CD001
MARKS

# on a device of 4096-byte blocks, where a GPT lies elsewhere
cp free image
put image 4096 'EFI PART'
make_loop image --sector-size 4096
forced_only "$device" "$device" GPT
detach "$device"

# ---- what is free ----

cp free image
written_when_told image image
cp free image
put image 512 LABELONE
forced_only image image LVM
cp free image
make_loop image
written_when_told "$device" "$device"
detach "$device"
cp free image
make_loop image --sector-size 4096
other_names "$device"
written_when_told "$device" node
detach "$device"
cp free image
make_loop image
disk=$device
make_partition "$disk" 1 2048 16384
written_when_told "$device" "$device"
delete_partition "$disk" 1
detach "$disk"
make_zram 16
dd if=free of="$device" bs=1M oflag=direct status=none
written_when_told "$device" "$device"
