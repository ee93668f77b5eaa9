#!/usr/bin/env bash
# B28: the outstanding I/Os asked for and kept stand in the result, and belong to rate and latency.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"

mk image 64
make_loop image
echo "$device" >x.lun

# kept: the mean that was kept is what was asked for, by 10 %, and rate x latency by 10 %
kept() {
	# shellcheck disable=SC2016 # jq's variables
	[[ $(result "$prefix" '.points[] | .loads as $loads | [.classes | to_entries[] |
		($loads[] | .level * .per_level) as $asked | .value |
		(.iops * .lat_ns.mean / 1e9 / .outstanding_mean) as $little |
		.outstanding_mean > 0.9 * $asked and .outstanding_mean <= $asked * 1.001 and
		$little > 0.9 and $little < 1.1] | all') == true ]] ||
		fail_run "what was kept does not belong to rate and latency, or is not what was asked for"
}

seconds=0.5
for engine in io_uring libaio psync; do
	point 64 0 x -engine $engine
	ran 1
	expect_out "small outstanding: 64 asked, 6"
	kept
	all_files_sound
done
point 0 4 x # 16 outstanding
ran 1
expect_out "large outstanding: 16 asked, 1"
kept
all_files_sound
seconds=0.2
point 1 0 x
ran 1
kept
all_files_sound
