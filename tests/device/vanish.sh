#!/usr/bin/env bash
# A device that goes away in mid-run: the run ends by itself, and keeps what it had.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

# longer than a second: see errors.sh
run=(-run oltp -small_levels '1,4,16' -duration 1.2 -ramp 0 -testname x)

# meanwhile COMMAND ARGUMENT...: run calib on a new loop device, and the command after its first
# point
meanwhile() {
	random_file image 16
	make_loop image
	echo "$device" >x.lun
	(
		wait_for_points 1
		"$@"
	) &
	calib "${run[@]}" -engine "$engine"
	wait $! || fail_run "'$*' failed"
	prefix=$(prefix_of x)
}

take_away() {
	losetup -d "$device"
}

shrink() { # to nothing, and tell the kernel so
	truncate -s 0 image
	losetup -c "$device"
}

for engine in io_uring libaio psync; do
	# a loop device that is detached stays as long as somebody has it open
	meanwhile take_away
	[[ $status == 0 || $status == 4 ]] || fail_run "exit status $status, expected 0 or 4"
	check_last x

	meanwhile shrink
	expect_status 4
	[[ $(result "$prefix" '.points[0].status + " " + .points[2].status') == "ok failed" ]] ||
		fail_run "not a good point before the loss and a failed one after it"
	(($(wc -l <"$work/err") < 20)) || fail_run "more than a few lines for all errors"
	check_last x
done
