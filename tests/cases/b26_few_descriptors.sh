#!/usr/bin/env bash
# B26: too few descriptors: the limit is raised, or it is an error before any I/O; no LUN is left out.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

"$CALIB" mklun -testname x -size 1M -count 40 >/dev/null

# the soft limit alone: raised
for limits in 24:1024 8:256 24:100; do
	launcher=(prlimit --nofile="$limits")
	point 64 0 x
	ran 40
	expect_out "40 files found."
	[[ $(result "$prefix" '.points[0].classes.small_read.luns | length') == 40 ]] ||
		fail_run "not all 40 LUNs were read"
	messages 0
	all_files_sound
done

# both
for limits in 24:24 8:40 43:43; do
	launcher=(prlimit --nofile="$limits")
	refuses 2 "RD x" "40 LUNs" "descriptors" "the limit is ${limits#*:}"
	refuses 2 "GRID x -threads 2" "descriptors" "the limit is ${limits#*:}"
done

# as many as it says are enough
launcher=(prlimit --nofile=24:24)
calib -run oltp -testname x -small_levels 8 -duration 0.1 -ramp 0
needed=$(grep -oE '(about|need) [0-9]+ ' "$work/err" | grep -oE '[0-9]+' | tail -n 1)
launcher=(prlimit --nofile="$needed:$needed")
calib -run oltp -testname x -small_levels 8 -duration 0.1 -ramp 0
ran_soundly 40
