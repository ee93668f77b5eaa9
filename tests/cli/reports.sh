#!/usr/bin/env bash
# All files of a run, of each run type and matrix, say the same. SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

"$CALIB" mklun -testname one -size 16M >/dev/null
"$CALIB" mklun -testname x -size 4M -count 3 >/dev/null
short=(-engine null -duration 20ms -ramp 5ms)
long=(-engine null -duration 0.25 -ramp 0) # three intervals of a series, the last one short

# agree POINTS ARGUMENT...: runs to its end with so many points, and no file contradicts another
agree() {
	local points=$1
	shift
	calib "$@"
	expect_status 0
	prefix=$(prefix_of x)
	[[ $(result "$prefix" '.points | length') == "$points" ]] || fail_run "not $points points"
	check_last x
}

agree 7 "${long[@]}" -testname x -lun one.lun -run simple
agree 17 "${short[@]}" -testname x -lun one.lun -run normal -type rand
agree 20 "${short[@]}" -testname x -lun one.lun -run oltp
agree 15 "${short[@]}" -testname x -lun one.lun -run dss
agree 21 "${short[@]}" -testname x -run simple -threads 2

# how many points basic tries depends on the machine; the first and last of a class are known
calib "${short[@]}" -testname x -lun one.lun -run basic
expect_status 0
prefix=$(prefix_of x)
[[ $(result "$prefix" '[.points[] | select(.large == 0).small][0:2] | join(" ")') == "1 2" ]] ||
	fail_run "basic does not begin with 1 and 2 small I/Os"
check_last x

advanced=(-run advanced -testname x)
agree 5 "${short[@]}" "${advanced[@]}" -small_levels 1,4,9 -large_levels 2,3
agree 9 "${long[@]}" "${advanced[@]}" -matrix detailed -small_levels 9,1,4 -large_levels 0,2,3
agree 1 "${short[@]}" "${advanced[@]}" -matrix point -num_small 7 -num_large 2
agree 1 "${short[@]}" "${advanced[@]}" -matrix point -num_small 0 -num_large 3 -type rand
agree 3 "${short[@]}" "${advanced[@]}" -matrix col -num_small 2 -large_levels 0,5,7
agree 2 "${short[@]}" "${advanced[@]}" -matrix col -num_small 0 -large_levels 1,6
agree 3 "${short[@]}" "${advanced[@]}" -matrix row -num_large 2 -small_levels 0,3,1
agree 2 "${short[@]}" "${advanced[@]}" -matrix row -num_large 0 -small_levels 1,300
agree 8 "${short[@]}" "${advanced[@]}" -matrix max -num_small 2 -num_large 2

# other sizes, repeats, order, a number of disks, no ramp
agree 8 "${short[@]}" "${advanced[@]}" -matrix detailed -small_levels 1,2 -large_levels 0,1 \
	-repeat 2 -order shuffled
agree 9 "${short[@]}" "${advanced[@]}" -matrix row -num_large 1 -small_levels 1,2,3 -repeat 3
agree 2 "${short[@]}" "${advanced[@]}" -size_small 0.5 -size_large 64K -num_streamIO 3 -small_levels 2 \
	-large_levels 2
agree 21 "${short[@]}" -testname x -run simple -num_disks 3 -seed 9007199254740991

# striped: the stripe larger than a large I/O, as large, and smaller; LUNs of one size and of several
"$CALIB" mklun -testname odd -size 3M -count 1 >/dev/null
cat x.lun one.lun odd.lun >mixed.lun
for stripe in 1536 512 128 8; do
	agree 8 "${short[@]}" "${advanced[@]}" -matrix detailed -small_levels 0,2,7 -large_levels 0,1,3 \
		-size_large 512 -simulate raid0 -stripe "$stripe"
	agree 3 "${short[@]}" "${advanced[@]}" -lun mixed.lun -matrix col -num_small 3 -large_levels 0,1,3 \
		-size_large 512 -simulate RAID0 -stripe "$stripe" -type rand -threads 2
done
agree 21 "${short[@]}" -testname x -run simple -simulate raid0
agree 1 "${short[@]}" "${advanced[@]}" -lun mixed.lun -matrix point -num_small 3 -num_large 2 \
	-size_small 12 -size_large 504 -simulate raid0 -stripe 84
agree 7 "${long[@]}" -testname x -lun one.lun -run simple -simulate raid0 -stripe 256

# -seed stands in every file as given; without it each run has another
calib "${short[@]}" "${advanced[@]}" -matrix point -num_small 1 -num_large 1 -seed 4711
[[ $(result "$(prefix_of x)" .seed) == 4711 ]] || fail_run "another seed than 4711"
check_last x

# -json: the document and nothing else on stdout; -quiet: the summary and nothing else
calib "${short[@]}" -run simple -testname x -lun one.lun -json
expect_status 0
prefix=$(prefix_of x)
check_run "$prefix" --stderr "$work/err"
cmp "$work/out" "${prefix}_results.json" || fail_run "-json prints another document"
rm "$prefix"_*
calib "${short[@]}" -run simple -testname x -lun one.lun -quiet
expect_status 0
prefix=$(prefix_of x)
check_run "$prefix"
cmp "$work/out" "${prefix}_summary.txt" || fail_run "-quiet prints more than the summary"
! grep -v "warning: engine 'null' sends nothing" "$work/err" ||
	fail_run "-quiet says more than the warning while running"
rm "$prefix"_*
calib "${short[@]}" -run simple -testname x -lun one.lun -json -quiet
expect_status 0
jq -e . "$work/out" >/dev/null || fail_run "no JSON"
! grep -v "warning: engine 'null' sends nothing" "$work/err" ||
	fail_run "-quiet says more than the warning while running"
rm x_*

# -verbose: ORION's lines for each point, with its count that begins with the empty one
calib "${short[@]}" -run simple -testname x -lun one.lun -verbose
expect_status 0
expect_out "Running point: Small=1, Large=0" "Point 2 out of 8" "Running point: Small=0, Large=2" \
	"Point 8 out of 8"
check_last x
calib "${short[@]}" -run advanced -matrix col -num_small 3 -testname z -lun one.lun -verbose
expect_status 0
expect_out "Running point: Small=3, Large=0" "Point 1 out of 3" "Point 3 out of 3" "Total Data Points: 3"
check_last z
