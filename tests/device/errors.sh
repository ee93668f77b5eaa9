#!/usr/bin/env bash
# I/Os that fail are counted by their error and nowhere else; the rest of the run is kept.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

# longer than a second: where failures come slowly, a LUN is given up after that
run=(-testname x -duration 1.2 -ramp 0)
others=() # LUNs beside the one that is cut

# cut_after POINTS SIZE: when the ledger of x has so many points, the end of the LUN is lost
cut_after() {
	wait_for_points "$1"
	truncate -s "$2" image
}

# lose POINTS SIZE ARGUMENT...: a run that loses it then
lose() {
	local points=$1 size=$2 cutter
	shift 2
	random_file image 32
	make_loop image
	printf '%s\n' "$device" "${others[@]}" >x.lun
	cut_after "$points" "$size" &
	cutter=$!
	calib "${run[@]}" "$@"
	kill "$cutter" 2>/dev/null || wait "$cutter" || true
	expect_status 4
	prefix=$(prefix_of x)
}

for engine in io_uring libaio; do
	# most of the device is lost: good and failed I/Os side by side
	lose 1 4M -engine "$engine" -run oltp -small_levels 1,8,32
	[[ $(result "$prefix" '.points[0] | .status + " " + (.classes.small_read.errors | tostring)') == "ok {}" ]] ||
		fail_run "the point before the loss is not clean"
	[[ $(result "$prefix" '.points[2].classes.small_read |
		.ios > 0 and (.errors | keys) == ["EIO"] and .errors.EIO > 0') == true ]] ||
		fail_run "the last point has not good I/Os and EIO"
	[[ $(result "$prefix" '[.warnings[] | select(.code == "io_errors" and .point == 3)] | length') == 1 ]] ||
		fail_run "not one warning of the last point"
	expect_err "read of 8192 bytes at offset" "'$device'" "Input/output error (EIO)"
	expect_out "I/Os that failed:"
	(($(wc -l <"$work/err") < 20)) || fail_run "more than a few lines for all errors"
	check_last x

	# all of it is lost: the LUN is given up for each point that is left
	lose 1 0 -engine "$engine" -run simple -num_disks 1 -small_levels 1,2,16 -large_levels 1,2 -threads 2
	[[ $(result "$prefix" '.points[0].status') == ok ]] || fail_run "the point before the loss is lost"
	[[ $(result "$prefix" '[.points[2:][].status] | join(" ")') == "failed failed failed" ]] ||
		fail_run "points without a good I/O have not failed"
	[[ $(result "$prefix" '.points[-1].classes.large_read | .ios == 0 and .lat_ns == null') == true ]] ||
		fail_run "there is a latency of I/Os that failed"
	[[ $(result "$prefix" .status) == complete ]] || fail_run "not every point was tried"
	expect_err "LUN given up for this point"
	check_last x
done

# one LUN of two: the other goes on, and the point has failed all the same
random_file good 32
others=(good)
# (the last point: it alone has begun after the loss for certain)
lose 1 0 -run oltp -small_levels 4,8,16
[[ $(result "$prefix" '.points[2] | .status + " " +
	(.classes.small_read.luns | map(select(.lun == 1 and .ios > 0 and .errors == 0)) | length | tostring)') \
	== "failed 1" ]] || fail_run "the LUN that is left has not gone on"
check_last x
