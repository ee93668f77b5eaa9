#!/usr/bin/env bash
# B13: a bare number in -size_small and -size_large is KiB, and every report says what MBPS is.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"
# shellcheck source=tests/device/trace.sh
. "$SOURCE_DIR/tests/device/trace.sh"

check=(--kernel)

mk image 16
make_loop image
echo "$device" >x.lun

# requests_of COMMAND BYTES: the device gets those, each at a multiple of its size, and no others
# but the looks at signatures, which are the same in every run
requests_of() {
	trace_begin "$device"
	$1
	trace_end "$work/trace"
	ran 1
	awk -v wanted=$(($2 / 512)) -v issued="$(result "$prefix" '.points[0].classes[].ios')" '
		$3 == wanted && $2 % wanted == 0 { seen++ }
		END { if (seen < issued) { print seen " of " issued " are so"; exit 1 } }' "$work/trace" ||
		fail_run "not every request is of $2 bytes at a multiple of them"
	[[ $(result "$prefix" '.points[0].classes[] | .bytes / .ios') == "$2" ]] ||
		fail_run "another size in the JSON"
	all_files_sound
}

requests_of "RD x -size_small 8" 8192
requests_of "RD x -size_small 8K" 8192
requests_of "RD x -size_small 4" 4096
requests_of "RD x -size_small 0.5" 512
requests_of "RD x -size_small 1000" 1024000
requests_of "LG x -size_large 64" 65536
requests_of "LG x -size_large 1000 -type rand" 1024000

# the unit of MBPS
LG x
ran 1
expect_out "MBPS is 2^20 bytes a second"
[[ $(result "$prefix" '.points[0] | (.large_mbps - .classes.large_read.bytes / 1048576 / .seconds) |
	. < 0.01 and . > -0.01') == true ]] || fail_run "MBPS is not 2^20 bytes a second"
all_files_sound
