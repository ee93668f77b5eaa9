#!/usr/bin/env bash
# calib-results(5) describes every file, JSON member, column and line that a run writes, and no
# other. SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

"${BUILD_DIR:?the directory of the build}/tests/print_sample" sample

"$CALIB" mklun -testname x -size 8M -count 2 >/dev/null
run=(-engine null -duration 0.25 -ramp 5ms -testname x)
prefixes=()

# run ARGUMENT...: one more run to look at, complete and without errors
run() {
	calib "${run[@]}" "$@"
	expect_status 0
	prefixes+=("$(sed -n 's/^\(x_[0-9_]*\)$/\1/p' "$work/out")")
}

# a run of ORION's, striped and broken off
printf '%s\n' "ORION VERSION 19.3.0.0.0" "Simulated Array Type: RAID 0" "Writes: 0%" \
	"Small IO size: 8 KB" "Name: /dev/sda	Size: 1048576" \
	"IO types: large random IOs" "Small Read / Write Latency Histogram @ Small=2 and Large=1" \
	"0 - 32 us: 1 0" "32 - 268435456 us: 2 0" >old_summary.txt
printf '%s\n' "Large/Small,2" "1,97.68" >old_lat.csv
calib report old -out orion
expect_status 0

run -run simple
run -run advanced -matrix detailed -small_levels 0,2 -large_levels 0,1 -repeat 2 -type rand

run -run dss -large_levels 1 -simulate raid0

python3 "$SOURCE_DIR/tests/doc/check_results.py" "$SOURCE_DIR/man/calib-results.5" \
	sample orion/old "${prefixes[@]}" || fail "the files, as they are and as they are described"
