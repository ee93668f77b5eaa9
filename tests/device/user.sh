#!/usr/bin/env bash
# An ordinary user who may read a LUN, and no more, runs as root does.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

prepare_user || skip "no ordinary user can run $work/calib"
short=(-duration 0.1 -ramp 20ms -testname x -out out)
random_file data 16
random_file image 16
make_loop image
numbers=$(cat "/sys/block/${device##*/}/dev")
mknod disk b "${numbers%:*}" "${numbers#*:}"
mkdir out
chmod 777 out

# runs ARGUMENT...: as the user, to the end
runs() {
	calib_as_user "${short[@]}" "$@"
	expect_status 0
	check_last out/x
}

chmod 444 data disk
printf 'data\ndisk\n' >x.lun
for engine in auto io_uring libaio psync; do
	runs -engine $engine -run simple -num_disks 2
done

# little memory may be locked, or none
for locked in 65536 0; do
	launcher=(prlimit --memlock="$locked:$locked")
	runs -run advanced -small_levels 1,64 -large_levels 1,4
done
launcher=(env)

# no permission at all
for lun in data disk; do
	chmod 000 $lun
	echo $lun >x.lun
	before=$(files_here)
	calib_as_user "${short[@]}" -run simple
	refused 2 "x.lun:1:" "'$lun'" "Permission denied"
	expect_unchanged "$before"
done
