#!/usr/bin/env bash
# Three loop devices of different sizes, striped: the kernel's counters of each show the shares that
# the mapping predicts, whether a stripe is larger or smaller than an I/O.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

# The volume of 96 MiB: 48 in turn on all three, then 32 in turn on the first and the last, then 16 on
# the first alone. End to end the first half would be the first device.
mount_memory
luns=()
for mib in 48 16 32; do
	random_file "memory/image$mib" "$mib"
	make_loop "memory/image$mib"
	luns+=("$device")
done
printf '%s\n' "${luns[@]}" >x.lun
mib=2048 # sectors

# count_sectors ARGUMENT...: one point; the kernel's sectors of each device go to reads[] and writes[],
# and what calib says that it issued is the same
count_sectors() {
	local lun index
	local -a was is before=() threads=(-threads 1) # more would be tried before, at other places
	[[ " $* " != *" -threads "* ]] || threads=()
	for lun in "${luns[@]}"; do before+=("$(device_counts "$lun")"); done
	calib -run advanced -matrix point -ramp 0 -simulate raid0 -seed 1 -testname x "${threads[@]}" "$@"
	expect_status 0
	prefix=$(prefix_of x)
	for index in "${!luns[@]}"; do
		read -r -a was <<<"${before[index]}"
		read -r -a is <<<"$(device_counts "${luns[index]}")"
		reads[index]=$((is[1] - was[1]))
		writes[index]=$((is[3] - was[3]))
		expect_counted "${luns[index]}" "$index" 0
		expect_counted "${luns[index]}" "$index" 2
	done
}

# striped LEAST ARGUMENT...: the same for as long as it takes for so many I/Os of each class
striped() {
	local least=$1 duration ios
	shift
	for duration in 0.3 3 20; do
		count_sectors -duration "$duration" "$@"
		ios=$(result "$prefix" '[.points[0].classes[].ios] | min')
		((ios < least)) || return 0
		rm "${prefix}"_*
	done
	fail_run "only $ios I/Os in $duration s, not $least"
}

# expect_share INDEX PERMILLE: of what was read. Of 4,000 I/Os half is off by 8 permille (one standard
# deviation); a device too many or too few in a zone makes 80 and more.
expect_share() {
	local share=$((1000 * reads[$1] / (reads[0] + reads[1] + reads[2])))
	((share >= $2 - 40 && share <= $2 + 40)) ||
		fail_run "$share, not $2 of 1000 sectors on ${luns[$1]}: ${reads[*]}"
}

# random LEAST ARGUMENT...: each device has what it is of the volume
random() {
	striped "$@"
	expect_share 0 500
	expect_share 1 167
	expect_share 2 333
	check_last x --kernel
}

for engine in io_uring libaio psync; do
	for stripe in 1M 8K; do
		random 4000 -engine "$engine" -stripe "$stripe" -num_small 16 -num_large 0
	done
	for stripe in 1M 64K; do
		random 4000 -engine "$engine" -stripe "$stripe" -num_small 0 -num_large 8 -size_large 256 \
			-type rand
	done
	striped 100 -engine "$engine" -stripe 256K -num_small 3 -num_large 2 -type rand \
		-threads 2
	check_last x --kernel
done

# about WHAT SECTORS EXPECTED APART
about() {
	(($2 >= $3 - $4 && $2 <= $3 + $4)) ||
		fail_run "$1: $2 sectors, not $3, reads ${reads[*]}, writes ${writes[*]}"
}

# One stream reads the first half of the volume, round and round from somewhere, and one writes the
# second. So all three are read alike, but for one stripe or I/O and the look for signatures. Of 48 MiB
# that are written 16 are the last device's; what is begun of a round is 16 MiB off at most.
for stripe in 4M 1M 256K; do
	striped 256 -engine io_uring -overwrite -force -stripe "$stripe" -num_small 0 -num_large 2 -type seq \
		-write 50
	about "the second device" "${reads[1]}" "${reads[0]}" $((5 * mib))
	about "the third device" "${reads[2]}" "${reads[0]}" $((5 * mib))
	about "written to the first device" "${writes[0]}" $((2 * writes[2])) $((20 * mib))
	about "written to the second device" "${writes[1]}" 0 0
	both=$(result "$prefix" '.points[0].classes.large_read | .ios < (.luns | map(.ios) | add) | tostring')
	[[ $both == "$([[ $stripe == 256K ]] && echo true || echo false)" ]] ||
		fail_run "I/Os that count on several devices: $both"
	check_last x --kernel
done

# the end of one device is lost: an I/O with a part there fails
truncate -s 8M memory/image16
calib -run advanced -matrix point -ramp 0 -simulate raid0 -testname x -duration 0.3 -stripe 256K \
	-num_small 0 -num_large 2 -type rand
expect_status 4
prefix=$(prefix_of x)
[[ $(result "$prefix" '.points[0].classes.large_read |
	.ios > 0 and .errors.EIO > 0 and .errors.EIO == .luns[1].errors and .luns[0].errors + .luns[2].errors == 0') == true ]] ||
	fail_run "not good I/Os, and EIO of the second device alone"
expect_err "'${luns[1]}'" "(EIO)"
check_last x

# blocks of 4 KiB: a part of an I/O is no smaller
detach "${luns[1]}"
truncate -s 16M memory/image16
make_loop memory/image16 --sector-size 4096
printf '%s\n' "${luns[0]}" "$device" >x.lun
calib -run dss -large_levels 1 -simulate raid0 -stripe 512 -testname x -dry_run
expect_status 0
calib -run dss -large_levels 1 -simulate raid0 -stripe 0.5 -testname x
refused 2 "x.lun:2: '$device': -stripe, 512 B, must be a multiple of 4096"
