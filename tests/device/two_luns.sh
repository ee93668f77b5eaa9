#!/usr/bin/env bash
# A loop device and a file of another size as one volume: every kind of run to its end, and both
# get their share. SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

random_file image 48
random_file data 16
make_loop image
printf '%s\n' "$device" data >x.lun
measure_everything

# random I/Os are uniform over the volume: three in four go to the device that is three times as
# large. 2,000 of them spread by 1 % (one standard deviation); five are allowed.
calib -run advanced -matrix point -num_small 16 -num_large 0 -duration 0.5 -ramp 0 -testname x
expect_status 0
prefix=$(prefix_of x)
share=$(result "$prefix" '.points[0].classes.small_read.luns | map(.ios) |
	(100 * .[0] / (.[0] + .[1])) | floor')
ios=$(result "$prefix" '.points[0].classes.small_read.ios')
((ios < 2000 || (share >= 70 && share < 80))) || fail_run "$share % of $ios I/Os went to 75 % of the volume"
check_last x --kernel
