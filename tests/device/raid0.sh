#!/usr/bin/env bash
# Two loop devices of different sizes, striped: the kernel's counters of each show the shares that
# the mapping predicts, whether a stripe is larger or smaller than an I/O.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

random_file image1 48
random_file image2 16
make_loop image1
first=$device
make_loop image2
second=$device
printf '%s\n' "$first" "$second" >x.lun

# striped ARGUMENT...: one point; the kernel's sectors of each device go to $sectors1 and $sectors2,
# and what calib says that it issued is the same
striped() {
	local before1 before2 after1 after2
	read -r _ before1 <<<"$(device_reads "$first")"
	read -r _ before2 <<<"$(device_reads "$second")"
	calib -run advanced -matrix point -ramp 0 -simulate raid0 -testname x "$@"
	expect_status 0
	read -r _ after1 <<<"$(device_reads "$first")"
	read -r _ after2 <<<"$(device_reads "$second")"
	sectors1=$((after1 - before1))
	sectors2=$((after2 - before2))
	prefix=$(prefix_of x)
	[[ $(result "$prefix" '[.luns[].issued.read_bytes / 512] | join(" ")') == "$sectors1 $sectors2" ]] ||
		fail_run "the kernel counted $sectors1 and $sectors2 sectors, and that was not issued"
}

# expect_share IOS WITHIN: three quarters went to the first device, which has 48 MiB of 64, where there
# are so many I/Os. 2,000 spread by 1 % (one standard deviation), 300 by 2.5.
expect_share() {
	local share=$((100 * sectors1 / (sectors1 + sectors2)))
	(($(result "$prefix" '[.points[0].classes[].ios] | add') >= $1)) || return 0
	((share >= 75 - $2 && share <= 75 + $2)) ||
		fail_run "$share % of $((sectors1 + sectors2)) sectors on the first device, expected 75"
}

for engine in io_uring libaio psync; do
	short=(-engine "$engine" -duration 0.3)
	for stripe in 1M 8K; do
		striped "${short[@]}" -stripe "$stripe" -num_small 16 -num_large 0
		expect_share 2000 5
		check_last x --kernel
	done
	for stripe in 4M 256K; do
		striped "${short[@]}" -stripe "$stripe" -num_small 0 -num_large 8 -type rand
		expect_share 300 12
		check_last x --kernel
	done
	striped "${short[@]}" -stripe 256K -num_small 3 -num_large 2 -threads 2
	check_last x --kernel
done

# A stream goes through 32 MiB that lie on both devices in turn, then 32 MiB on the first alone, round
# and round, and begins somewhere. Whole rounds bring a quarter to the second device, and the rest of
# one at most 8 MiB more or less, and an I/O.
for stripe in 1M 256K; do
	striped -duration 1 -stripe "$stripe" -num_small 0 -num_large 1
	apart=$((sectors2 * 4 - (sectors1 + sectors2)))
	((apart >= -36 * 2048 && apart <= 36 * 2048)) ||
		fail_run "$sectors2 of $((sectors1 + sectors2)) sectors on the second device, no quarter"
	both=$(result "$prefix" '.points[0].classes.large_read | .ios < (.luns | map(.ios) | add) | tostring')
	[[ $both == "$([[ $stripe == 1M ]] && echo false || echo true)" ]] ||
		fail_run "I/Os that count on both devices: $both"
	check_last x --kernel
done

# the end of one device is lost: an I/O with a part there fails
truncate -s 8M image2
calib -run advanced -matrix point -ramp 0 -simulate raid0 -testname x -duration 0.3 -stripe 256K \
	-num_small 0 -num_large 2 -type rand
expect_status 4
prefix=$(prefix_of x)
[[ $(result "$prefix" '.points[0].classes.large_read |
	.ios > 0 and .errors.EIO > 0 and .errors.EIO == .luns[1].errors and .luns[0].errors == 0') == true ]] ||
	fail_run "not good I/Os, and EIO of the second device alone"
expect_err "'$second'" "(EIO)"
check_last x

# blocks of 4 KiB: a part of an I/O is no smaller
losetup -d "$second"
truncate -s 16M image2
make_loop image2 --sector-size 4096
printf '%s\n' "$first" "$device" >x.lun
calib -run dss -large_levels 1 -simulate raid0 -stripe 512 -testname x -dry_run
expect_status 0
calib -run dss -large_levels 1 -simulate raid0 -stripe 0.5 -testname x
refused 2 "x.lun:2: '$device': -stripe, 512 B, must be a multiple of 4096"
