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
# large. 4,000 of them spread by 0.7 % (one standard deviation); four are allowed.
for duration in 0.5 4 20; do
	calib -run advanced -matrix point -num_small 16 -num_large 0 -duration "$duration" -ramp 0 \
		-seed 1 -threads 1 -testname x
	expect_status 0
	prefix=$(prefix_of x)
	share=$(result "$prefix" '.points[0].classes.small_read.luns | map(.ios) |
		(1000 * .[0] / (.[0] + .[1])) | floor')
	ios=$(result "$prefix" '.points[0].classes.small_read.ios')
	check_last x --kernel
	((ios < 4000)) || break
done
((ios >= 4000)) || fail_run "only $ios I/Os"
((share >= 710 && share <= 790)) ||
	fail_run "$share of 1000 of $ios I/Os went to three quarters of the volume"
