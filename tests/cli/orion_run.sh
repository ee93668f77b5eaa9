#!/usr/bin/env bash
# What a script written for ORION expects: its command lines, defaults, estimate, summary and matrices.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

for name in mytest orion; do
	"$CALIB" mklun -testname $name -size 8M >/dev/null
done
ln -s "$CALIB" orion
ln -s "$CALIB" orion_linux_x86-64
short=(-engine null -duration 20ms)

# orion ARGUMENT...: called under that name, whatever the directory
orion() {
	local program=$CALIB
	CALIB=$here/orion
	calib "$@"
	CALIB=$program
	expect_status 0
}

# setting EXPRESSION VALUE: of the last run of test $1
setting() { # NAME EXPRESSION VALUE
	[[ $(jq -c ".settings | $2" "$1"_2*_results.json) == "$3" ]] || fail_run "not $3: $2"
}

# the name, and -orion: ORION's defaults; what is given stays
before=$(files_here)
orion -run simple -dry_run -engine null
expect_out "Total Data Points: 8" "Calibration will take approximately 9 minutes." \
	"Using a large value for -cache_size may take longer." \
	"Calibration will take approximately 420 seconds (calib's own estimate)."
for line in "-run dss" "-run dss -cache_size 0"; do
	eval "orion $line -dry_run -engine null"
	expect_out "small=0 large=15 repeat=1 (4 min)" "approximately 65 minutes." "approximately 3600 seconds"
done
orion -run oltp -num_disks 3 -dry_run -engine null
expect_out "approximately 24 minutes."
calib -orion -run dss -type seq -duration 10 -dry_run -engine null
expect_status 0
expect_out "large=15 repeat=1 (10 s, the cache filled before)" "approximately 1950 seconds" \
	"The cache is filled for 2 min before each of 15 points."
expect_unchanged "$before"
CALIB=./orion_linux_x86-64 calib -run simple -dry_run -engine null
expect_out "approximately 9 minutes."
calib -run simple -testname mytest -dry_run -engine null
! grep -q minutes "$work/out" || fail_run "ORION's estimate where nobody asked for it"

orion -run simple "${short[@]}"
mapfile -t lines <"$work/out" # where scripts find the names of the files, before the estimate
[[ ${lines[0]} == "CALIB: version "* && ${lines[1]} == "$(prefix_of orion)" &&
	${lines[2]} == "Calibration will take "* ]] || fail_run "not the version, the prefix and the estimate"
setting orion '[.large_type, .ramp_s, .cache_bytes, .cache_fill_s]' '["rand",0,null,0]'
expect_out "Cache size: not specified" "IO types: small random IOs, large random IOs"
check_last orion --argv calib -orion -run simple "${short[@]}"
orion -run simple -testname mytest.lun -ramp 5ms -type SEQ -cache_size 16 "${short[@]}"
setting mytest '[.large_type, .ramp_s, .cache_bytes, .cache_fill_s]' '["seq",0.005,16777216,0]'
expect_out "Test: mytest" "Cache size: 16 MB"
check_last mytest

# -cache_size: before each point with streams, and before no other
calib -run simple -testname mytest -cache_size 3M "${short[@]}" -ramp 0
expect_status 0
expect_out "Calibration will take approximately 0.14 seconds." \
	"The cache is filled with 3 MiB before each of 2 points"
[[ $(jq -c '[.points[].filled_bytes]' mytest_2*_results.json) == "[0,0,0,0,0,3145728,3145728]" ]] ||
	fail_run "not filled before the two large points"
grep -q 'large=2 .* filled_bytes=3145728 filled_s=' mytest_2*_trace.txt || fail_run "not in the trace"
check_last mytest
calib -run normal -testname mytest -cache_size 1M -small_levels 0,1 -large_levels 0,1 "${short[@]}"
expect_status 0
[[ $(jq -c '[.points[] | [.small, .large, .filled_bytes]]' mytest_2*_results.json) == \
	"[[1,0,0],[0,1,1048576],[1,1,1048576]]" ]] || fail_run "not before the mixed point"
check_last mytest
calib -run simple -testname mytest -cache_size 0 "${short[@]}"
expect_status 0
expect_out "Cache size: 0 MB"
setting mytest '[.cache_bytes, (.cache_fill_s)]' '[0,0]'
check_last mytest

# by a real engine, with the kernel's hints: the junk is in what was issued
calib -run advanced -matrix point -num_small 0 -num_large 1 -testname mytest -cache_size 32 -duration 50ms
expect_status 0
[[ $(jq '.issued.read_bytes >= 33554432 + .points[0].classes.large_read.bytes' mytest_2*_results.json) \
	== true ]] || fail_run "the filling was not issued"
check_last mytest

# absurd: bytes where MB are meant; the run is the user's all the same
calib -run simple -testname mytest -cache_size 67108864 -dry_run -engine null
expect_status 0
expect_err "-cache_size is 64 TiB, more than 4 times the volume of 8 MiB" "18.2 hours before each of 2" \
	"36.4 hours in all" "is -cache_size 64 meant"
calib -run simple -testname mytest -cache_size 32 -dry_run -engine null
expect_status 0
! grep -q cache_size "$work/err" || fail_run "4 times the volume is not absurd yet"
for size in 32769K 33; do
	calib -run simple -testname mytest -cache_size $size -dry_run -engine null
	expect_status 0
	expect_err ", more than 4 times the volume of 8 MiB: "
	! grep -q "bare number" "$work/err" || fail_run "a hint where no bytes were meant"
done
orion -run simple -testname mytest -cache_size 64 -dry_run -engine null
expect_err "-cache_size has no effect"

# a signal ends the filling at once, and the points before it are kept
"$CALIB" -orion -run simple -type seq -testname mytest -duration 20ms >"$work/out" 2>"$work/err" &
pid=$!
for ((tries = 0; tries < 1000; tries++)); do
	[[ $(cat mytest_*_points.jsonl 2>/dev/null | wc -l) -lt 6 ]] || break
	sleep 0.02
done
kill -TERM $pid
status=0 what="a run that fills the cache"
wait $pid || status=$?
expect_status 143
expect_out "Status: interrupted by SIGTERM at point 6 of 7"
[[ $(jq '.points | length' mytest_2*_results.json) == 5 ]] || fail_run "not the five small points"
check_last mytest --status interrupted

# the live line shows what is being done
if command -v script >/dev/null; then
	script -qec "'$CALIB' -orion -run advanced -matrix point -num_small 0 -num_large 1 -type seq \
		-testname mytest -duration 20ms -engine null & echo \$! >'$work/pid'; wait" /dev/null \
		</dev/null >"$work/out" 2>&1 &
	for ((tries = 0; tries < 1000; tries++)); do
		! grep -q 'filling the cache: ' "$work/out" || break
		sleep 0.02
	done
	kill -TERM "$(<"$work/pid")"
	wait $! || true
	expect_out "1/1 small=0 large=1 (filling the cache: "
	rm mytest_2*
else
	skip_part "script is not there: no terminal"
fi

# command lines of published scripts: all end with 0 and have ORION's points
# accepts TOTAL ARGUMENT...
accepts() {
	local total=$1
	shift
	calib "$@" -engine null -dry_run
	expect_status 0
	expect_out "Total Data Points: $total"
}
full=(-size_small 8 -size_large 1024 -type rand -simulate concat -write 0 -duration 60)
accepts 38 -run simple -testname mytest -num_disks 8
accepts 8 -run advanced -testname mytest "${full[@]}" -matrix basic
accepts 18 -run advanced -testname mytest "${full[@]}" -matrix detailed
accepts 6 -run advanced -testname mytest -num_large 0 -size_small 8 -type rand -simulate concat -write 0 \
	-duration 60 -matrix row
accepts 3 -run advanced -testname mytest -num_small 0 -size_large 1024 -type rand -simulate concat \
	-write 0 -matrix col
accepts 3 -run advanced -matrix col -num_small 0 -testname mytest
accepts 6 -run advanced -matrix row -num_large 0 -testname mytest
accepts 1 -run advanced -matrix point -num_small 5 -num_large 1 -testname mytest
accepts 15 -run advanced -matrix max -num_small 4 -num_large 2 -testname mytest
accepts 8 -run simple -testname mytest.lun -verbose -hugenotneeded -storax skgfr
accepts 8 -run advanced -testname mytest -type seq -num_streamIO 4 -cache_size 0
accepts 8 -run SIMPLE -testname mytest -type RAND -simulate CONCAT
mkdir o
cp mytest.lun o/o.lun
calib -run simple -testname "$here/o/o" "${short[@]}" -ramp 0
expect_status 0
expect_out "Test: $here/o/o"
check_last "$here/o/o"
calib -run oltp -write 50 -testname mytest
expect_status 3
expect_err "-overwrite"
calib -run oltp -write 50 -overwrite -testname mytest "${short[@]}" -ramp 0
expect_status 0
expect_out "Small Read Latency: avg=" "Small Write Latency: avg=" "Writes: 50%" "Total Data Points: 21"
check_last mytest

# a reader of ORION's files: the summary's labels, and matrices from "Large/Small" on
calib -run simple -testname mytest "${short[@]}" -ramp 0 -verbose
expect_status 0
labels=("These options enable these settings:" "Test: mytest" "Small IO size: 8 KB"
	"Large IO size: 1024 KB" "Writes: 0%" "Cache size: not specified"
	"Duration for each data point: 0.02 seconds" "Total Data Points: 8" "1 files found.")
for label in "Command line:" "${labels[@]}"; do
	grep -qxF "$label" mytest_2*_summary.txt || fail_run "no line '$label' in the summary"
done
for label in 'Small Columns:,      0,' 'Large Columns:,      0,      1,      2$' \
	'Maximum Large MBPS=[0-9.]* @ Small=0 and Large=[12]$' \
	'Maximum Small IOPS=[0-9]* @ Small=[1-5] and Large=0$' \
	'Minimum Small Latency=[0-9]*\.[0-9]\{3\} usecs @ Small=[1-5] and Large=0$' \
	'Small Read / Write Latency Histogram @ Small=[1-5] and Large=0$' \
	'Large Read / Write Latency Histogram @ Small=0 and Large=[12]$'; do
	grep -q "^$label" mytest_2*_summary.txt || fail_run "no line like '$label' in the summary"
done
grep -qx 'Name: .*mytest_1.dat	Size: 8388608' mytest_2*_summary.txt || fail_run "no LUN in the summary"
expect_out "Running point: Small=1, Large=0" "Point 2 out of 8"
[[ $(head -1 mytest_2*_iops.csv) == "Large/Small,      1,      2,      3,      4,      5" ]] ||
	fail_run "not ORION's header"
[[ $(tail -2 mytest_2*_lat.csv) == $'          1\n          2' ]] || fail_run "not ORION's empty rows"
[[ $(cut -d, -f1 mytest_2*_mbps.csv) == $'Large/Small\n          1\n          2' ]] ||
	fail_run "not ORION's large levels"
check_last mytest
