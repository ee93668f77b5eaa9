#!/usr/bin/env bash
# A loop device whose backing device somebody has claimed whom no table shows is not written: only an
# exclusive open of that one tells.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"
# shellcheck source=tests/device/refusals.sh
. "$SOURCE_DIR/tests/device/refusals.sh"

in_memory
at_end let_go
mkdir m keep
file_system=(mkfs.ext4 -q -F -E "lazy_itable_init=0,lazy_journal_init=0" -O ^has_journal)

# the LUN: a part of $lower that carries no mark
free_file image 48
make_loop image
lower=$device
make_loop "$lower" --offset $((40 << 20))
part=$device

# claimed: neither the part nor what lies on it is written
claimed() {
	local sum in_use="its backing device '$lower' is in use: the kernel refuses an exclusive open"
	sum=$(device_sum "$lower")
	echo "$part" >x.lun
	refuses_writing -overwrite -force
	expect_err "$in_use"
	make_loop "$part" --offset 4096
	echo "$device" >x.lun
	refuses_writing -overwrite -force
	expect_err "$in_use"
	detach "$device"
	as_it_was "$lower" "$sum"
}

# mounted, and no longer to be seen: a shell still stands in there
"${file_system[@]}" "$lower" 32M
mount -o ro "$lower" m
(cd m && exec sleep 300) &
holder=$!
until [[ $(readlink "/proc/$holder/cwd") == "$here/m" ]]; do sleep 0.02; done
umount -l m
claimed
let_go

# mounted in a mount namespace without a process, which a bind mount keeps
mount --bind keep keep
at_end umount -q -l "$here/keep"
mount --make-private keep
touch keep/namespace
unshare --mount=keep/namespace mount -o ro "$lower" m
claimed
umount keep/namespace
umount keep

# the journal of a file system elsewhere, which alone the mount table names
mkfs.ext4 -q -F -O journal_dev -b 4096 "$lower" 16M
free_file other 16
make_loop other
mkfs.ext4 -q -F -b 4096 -J "device=$lower" "$device"
mount -o ro "$device" m
at_end umount -q "$here/m"
claimed
umount m
detach "$device"

# let go: it is written, as is what lies on it
written_when_told "$part" "$part"
make_loop "$part" --offset 4096
written_when_told "$device" "$device"
detach "$device"

# Two parts of it as two LUNs, or of two runs that begin at the same moment.
make_loop "$lower" --offset $((32 << 20)) --sizelimit $((4 << 20))
printf '%s\n' "$device" "$part" >x.lun
calib "${write_options[@]}" -overwrite
really_written "$part" ""
mkdir one two
echo "$device" >one/x.lun
echo "$part" >two/x.lun
for _ in {1..10}; do
	(cd one && "$CALIB" "${write_options[@]}" -overwrite -quiet >out 2>err) &
	beside=$!
	(cd two && "$CALIB" "${write_options[@]}" -overwrite -quiet >out 2>err) ||
		fail "beside another run: $(<two/err)"
	wait $beside || fail "beside another run: $(<one/err)"
	rm one/x_2* two/x_2*
done
detach "$device"
