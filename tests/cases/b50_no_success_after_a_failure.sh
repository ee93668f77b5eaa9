#!/usr/bin/env bash
# B50: a run that failed never ends with 0.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"

mk a 64

# fails STATUS ARGUMENT...: in a shell with set -e, which must not go on
fails() {
	local expected=$1 got=0
	shift
	# shellcheck disable=SC2016 # the inner shell's
	bash -c 'set -e; "$@" >out 2>err; touch went_on' - "${launcher[@]}" "$CALIB" "$@" || got=$?
	what="calib $*"
	status=$got
	cp out "$work/out"
	cp err "$work/err"
	[[ ! -e went_on ]] || fail_run "the shell went on"
	expect_status "$expected"
	grep -q '^calib: ' err || fail_run "no message"
}

run=(-run advanced -matrix point -num_small 2 -num_large 0 -ramp 0 -testname x)

# a LUN that does not exist; a size that the device cannot take
echo "$T/nosuch" >x.lun
fails 2 "${run[@]}"
make_loop a --sector-size 4096
echo "$device" >x.lun
fails 2 "${run[@]}" -size_small 2
detach "$device"

# errors in mid-run
make_loop a
echo "$device" >x.lun
(
	wait_for_points 0
	sleep 0.2
	truncate -s 8M a
) &
cutter=$!
fails 4 "${run[@]}" -duration 2
wait "$cutter"
[[ $(result "$(prefix_of x)" '.points[0].classes.small_read.errors.EIO > 0') == true ]] ||
	fail_run "the errors were not counted"
check_run "$(prefix_of x)"
rm x_2*

# no place for the output; a report that cannot be written; no list; nothing that can be run
mk a 8
echo a >x.lun
fails 2 "${run[@]}" -duration 0.1 -out /proc/sub
fails 2 "${run[@]}" -duration 0.1 -lun nosuch.lun
fails 2 "${run[@]}" -duration 0
fails 2 -run advanced -matrix point -num_small 0 -num_large 0 -testname x
launcher=(prlimit --fsize=6000)
fails 1 -run oltp -small_levels 1,2,3,4,5 -testname x -duration 0.1 -ramp 0
