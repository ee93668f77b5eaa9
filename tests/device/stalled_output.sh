#!/usr/bin/env bash
# Nothing is written before all has been said: whoever comes while the output stands is seen.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"
# shellcheck source=tests/device/refusals.sh
. "$SOURCE_DIR/tests/device/refusals.sh"

write_options+=(-engine io_uring) # with auto what is printed has another length each time
mkdir m
free_file image 16
make_loop image
lun=$device
at_end give_back_upper

give_back_upper() {
	umount -q "$here/m" || true
	[[ ! -s $work/upper ]] || losetup -d "$(<"$work/upper")"
	rm -f "$work/upper"
}

# what is printed before the first point, and with -verbose at its start
echo "$lun" >x.lun
calib "${write_options[@]}" -overwrite -verbose
really_written "$lun" ""
started=$(grep -b -m 1 '^Running point' "$work/out" | cut -d: -f1)

# stalled FREE MEANWHILE TEXT: refused with TEXT, and no file of the run is left
stalled() {
	status=$(python3 "$SOURCE_DIR/tests/lib/stalled_pipe.py" "$1" "$2" "$CALIB" "${write_options[@]}" \
		-overwrite -verbose 2>"$work/err")
	: >"$work/out"
	what="calib with room for $1 bytes of output"
	expect_status 3
	expect_err "$3" "nothing was written"
	! compgen -G 'x_*' || fail_run "files of a run that never began"
}

for free in $((started - 20)) $((started + 20)); do
	free_file clean 16
	dd if=clean of="$lun" bs=1M oflag=direct status=none
	rm clean
	stalled "$free" "losetup -f --show $lun >'$work/upper'; mkfs.ext4 -q -F \$(<'$work/upper')
		mount -o ro \$(<'$work/upper') '$here/m'" "mounted on '$here/m'"
	sum=$(device_sum "$lun")
	give_back_upper
	as_it_was "$lun" "$sum"
done
detach "$lun"

# Also one who came and left: what a LUN carries is read again.
free_file image 16
echo image >x.lun
stalled $((started + 20)) "mkfs.ext4 -q -F '$here/image'" "ext4"
