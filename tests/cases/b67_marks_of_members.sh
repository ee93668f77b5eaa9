#!/usr/bin/env bash
# B67: the bare mark of ASM, LVM, MD, LUKS, ZFS and others is enough to refuse.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

mk clean 16

# mark WHAT OFFSET BYTES: a file with nothing but the mark is refused for it, unless forced
mark() {
	local before
	cp clean a
	# shellcheck disable=SC2059 # with escapes
	printf "$3" | dd of=a bs=1 seek="$2" conv=notrunc status=none
	before=$(sha256sum a)
	for options in "" -overwrite; do
		write_refused "WR x $options" a "$1"
	done
	sha256sum --quiet -c <<<"$before" || fail_run "the file was changed"
	RD x -quiet
	ran 1
	messages 1 "'a'"
	grep '^calib: ' "$work/err" | grep -qiF "$1" || fail_run "the warning does not name $1"
	warned carries_data
	rm x_2*
}

seconds=0.05
echo a >x.lun
mark ASM 32 'ORCLDISKVOL1'
mark ASM 32 'ORCLDISK'
mark LUKS 0 'LUKS\xba\xbe\x00\x01'
mark LUKS 0 'LUKS\xba\xbe\x00\x02'
mark btrfs 65600 '_BHRfS_M'
for sector in 0 1 2 3; do
	mark LVM $((sector * 512)) 'LABELONE'
done
mark MD 4096 '\xfc\x4e\x2b\xa9'
mark MD 0 '\xfc\x4e\x2b\xa9'
mark MD $(((16 << 20) - 65536)) '\xfc\x4e\x2b\xa9'
mark MD $(((16 << 20) - 8192)) '\xfc\x4e\x2b\xa9'
mark XFS 0 'XFSB'
mark swap 4086 'SWAPSPACE2'
mark swap 65526 'SWAPSPACE2'
mark ext 1080 '\x53\xef'
mark ZFS $((131072)) '\x0c\xb1\xba\x00\x00\x00\x00\x00'
mark ZFS $(((16 << 20) - 131072)) '\x00\x00\x00\x00\x00\xba\xb1\x0c'
mark GPT $(((16 << 20) - 512)) 'EFI PART'

# by force it is written
before=$(sha256sum a)
WR x -overwrite -force
expect_status 0
! sha256sum --status -c <<<"$before" || fail_run "nothing was written"
prefix=$(prefix_of x)
all_files_sound

# real ones
cp clean a
mkswap -q a 2>/dev/null || mkswap a >/dev/null
write_refused "WR x -overwrite" a swap
cp clean a
mkfs.ext4 -q -F a
write_refused "WR x -overwrite" a ext4

# one letter less is no mark
cp clean a
printf 'LABELONF' | dd of=a bs=1 seek=512 conv=notrunc status=none
before=$(sha256sum a)
WR x -overwrite
expect_status 0
! sha256sum --status -c <<<"$before" || fail_run "nothing was written"
