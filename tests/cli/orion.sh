#!/usr/bin/env bash
# 'calib report' reads the files of ORION from 10.2 to 19.3, and changes none of them.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

mkdir old
cd old

# head_11 VERSION ARGUMENTS, head_12 VERSION ARGUMENTS: the settings in the words of 10.2 and 11.1,
# and in those of 11.2 and later
head_11() {
	printf '%s\n' "ORION VERSION $1" "" "Commandline:" "$2" "" "This maps to this test:" "Test: t" \
		"Small IO size: 8 KB" "Large IO size: 1024 KB" \
		"IO Types: Small Random IOs, Large Random IOs" "Simulated Array Type: CONCAT" \
		"Write: 0%" "Cache Size: Not Entered" "Duration for each Data Point: 60 seconds"
}
head_12() {
	printf '%s\n' "ORION VERSION $1" "" "Command line:" "$2" "" \
		"These options enable these settings:" "Test: t" "Small IO size: 8 KB" \
		"Large IO size: 1024 KB" "IO types: small random IOs, large random IOs" \
		"Sequential stream pattern: one LUN per stream" "Writes: 0%" "Cache size: not specified" \
		"Duration for each data point: 60 seconds"
}

# 10.2: no date in the names, and a file that later versions have not
{
	head_11 10.2.0.1.0 "-run simple -testname t10 -num_disks 4"
	printf '%s\n' "Small Columns:,      0" \
		"Large Columns:,      0,      1,      2,      3,      4,      5,      6,      7,      8" \
		"Total Data Points: 29" "" "Name: /dev/raw/raw1	Size: 536854528" \
		"Name: /dev/raw/raw2	Size: 213893120" "Name: /dev/raw/raw3	Size: 4293563904" \
		"Name: /dev/raw/raw4	Size: 4293563904" "4 FILEs found." "" \
		"Maximum Large MBPS=34.47 @ Small=0 and Large=2" \
		"Maximum Small IOPS=185 @ Small=17 and Large=0" \
		"Minimum Small Latency=7.45 @ Small=1 and Large=0"
} >t10_summary.txt
echo "large,small" >t10_tradeoff.csv

# 11.1: byte for byte as published
eleven=t11_20190329_1057
{
	head_11 11.1.0.7.0 "-run simple -testname t11 -num_disks 1"
	printf '%s\n' "Small Columns:,      0" "Large Columns:,      0,      1,      2" \
		"Total Data Points: 8" "" "Name: /dev/sda2	Size: 629143441920" "1 FILEs found." "" \
		"Maximum Large MBPS=374.26 @ Small=0 and Large=2" \
		"Maximum Small IOPS=6210 @ Small=5 and Large=0" \
		"Minimum Small Latency=0.43 @ Small=1 and Large=0"
} >${eleven}_summary.txt
columns="Large/Small,      1,      2,      3,      4,      5"
printf '%s\n' "$columns" "          0,   2302,   4398,   5450,   6006,   6210" "          1" \
	"          2" >${eleven}_iops.csv
printf '%s\n' "$columns" "          0,   0.43,   0.45,   0.55,   0.67,   0.80" "          1" \
	"          2" >${eleven}_lat.csv
printf '%s\n' "Large/Small,      0,      1,      2,      3,      4,      5" "          1, 271.58" \
	"          2, 374.26" >${eleven}_mbps.csv
echo "unprocessed output" >${eleven}_trace.txt

# 11.2: the whole grid, six lines of text above each matrix
twelve=t12_20110312_0915
{
	head_12 11.2.0.1.0 "-testname t12 -run normal"
	printf '%s\n' "Small Columns:,      0,      1,      2,      3,      4,      5" \
		"Large Columns:,      0,      1,      2" "Total Data Points: 18" "" \
		"Name: /tmp/o.ctl  Size: 18399232" "1 files found." "" \
		"Maximum Large MBPS=1086.52 @ Small=0 and Large=1" \
		"Maximum Small IOPS=1954 @ Small=1 and Large=1"
} >${twelve}_summary.txt
text=("the first of six lines" "1, 2, 3" "" "the fourth" "the fifth" "")
printf '%s\n' "${text[@]}" "Large/Small, 0, 1, 2, 3, 4, 5" \
	"1, 1086.52, 101.61, 109.67, 163.55, 119.99, 113.40" \
	"2, 987.82, 114.27, 92.76, 155.87, 141.91, 114.85" >${twelve}_mbps.csv
printf '%s\n' "${text[@]}" "Large/Small, 1, 2, 3, 4, 5" \
	"0, 1029.84, 1963.78, 2775.70, 3455.02, 4050.37" \
	"1, 511.23, 1207.35, 2093.45, 2952.65, 3667.30" \
	"2, 616.09, 1344.66, 1538.38, 2122.24, 3463.90" >${twelve}_lat.csv

# 12.1, 12.2: latencies of reads and writes; a _hist.txt that nobody has described
thirteen=t13_20130719_1200
{
	head_12 12.1.0.1.0 "-run oltp -testname t13 -num_disks 1"
	printf '%s\n' "Small Columns:,      1,     17" "Large Columns:,      0" "" \
		"Name: /dev/sdb	Size: 1073741824" "1 files found." "" \
		"Maximum Small IOPS=9899 @ Small=17 and Large=0" \
		"Small Read Latency: avg=1711 us, min=791 us, max=12316 us, std dev=454 us @ Small=17 and Large=0" \
		"" "Minimum Small Latency=123.58 usecs @ Small=1 and Large=0" \
		"Small Read Latency: avg=124 us, min=41 us, max=4496 us, std dev=76 us @ Small=1 and Large=0"
} >${thirteen}_summary.txt
echo "small reads" >${thirteen}_hist.txt

# 19.3: histogram at the end; a sum of 1220664 reads in 60 s
nineteen=t19_20230904_1100
{
	head_12 RDBMS_19.3.0.0.0DBRU_LINUX.X64_190417 "-run simple -testname t19"
	printf '%s\n' "Small Columns:,      0" "Large Columns:,      0,      5" "" \
		"Maximum Large MBPS=1571.33 @ Small=0 and Large=5" "" \
		"Maximum Small IOPS=58778 @ Small=10 and Large=0" \
		"Small Read Latency: avg=169.594 us, min=128.415 us, max=1924.721 us, std dev=13.566 us @ Small=10 and Large=0" \
		"" "Minimum Small Latency=97.677 usecs @ Small=2 and Large=0" \
		"Small Read Latency: avg=97.677 us, min=63.652 us, max=2133.198 us, std dev=47.348 us @ Small=2 and Large=0" \
		"Small Read / Write Latency Histogram @ Small=2 and Large=0" \
		"        Latency:                         # of IOs (read)          # of IOs (write)" \
		"        0 - 32         us:               0 (  0.00%)              0 (  0.00%)" \
		"       32 - 64         us:               1 (  0.00%)              0 (  0.00%)" \
		"       64 - 128        us:         1112243 ( 91.12%)              0 (  0.00%)" \
		"      128 - 256        us:          102320 ( 99.50%)              0 (  0.00%)" \
		"      256 - 512        us:            5434 ( 99.95%)              0 (  0.00%)" \
		"      512 - 1024       us:             405 ( 99.98%)              0 (  0.00%)" \
		"     1024 - 2048       us:             259 (100.00%)              0 (  0.00%)" \
		"     2048 - 4096       us:               2 (100.00%)              0 (  0.00%)" \
		"     4096 - 268435456  us:               0 (100.00%)              0 (  0.00%)"
} >${nineteen}_summary.txt

orions=$(sha256sum ./*)

# reads PREFIX UNIT BEST: unit of its latencies, most IOPS and MBPS, least latency in ns
reads() {
	calib report "$1"
	expect_status 0
	expect_out "Source: orion"
	expect_err "'${1}_summary.txt' is ORION's and stays"
	[[ $(result "$1" '[.source.program, .source.latency_unit, .best.max_iops.value,
		.best.max_mbps.value, .best.min_latency_ns.value] | tostring') == "[\"orion\",$2]" ]] ||
		fail_run "other best figures than $2"
	sha256sum --quiet -c <<<"$orions" || fail_run "a file of ORION's is another"
}
reads t10 '"ms",185,34.47,7450000'
reads $eleven '"ms",6210,374.26,430000'
reads $twelve '"us",1954,1086.52,511230'
reads $thirteen '"us",9899,null,123580'
reads $nineteen '"us",58778,1571.33,97677'

mapfile -t made < <(find . -type f ! -name '*_results.json')
((${#made[@]} == $(wc -l <<<"$orions"))) || fail "more than the results documents was written"
[[ $(result t10 '[.luns[].size_bytes] | tostring') == '[536854528,213893120,4293563904,4293563904]' ]] ||
	fail "other LUNs"
[[ $(result $eleven '[.settings.num_disks, .settings.small_levels, (.points | length)] | tostring') == \
	'[1,[0,1,2,3,4,5],7]' ]] || fail "other points of 11.1"
[[ $(result $twelve '[.points[] | select(.small == 3 and .large == 2) |
	.small_iops, .large_mbps, .small_latency_ns] | tostring') == '[null,155.87,1538380]' ]] ||
	fail "another point of 11.2"
[[ $(result $thirteen '[.warnings[].code] | unique | tostring') == '["source_incomplete","source_unread"]' ]] ||
	fail "other warnings of 12.1"
[[ $(result $nineteen '.points[0].classes.small_read | [.ios, .hist[1], .lat_ns.max] | tostring') == \
	'[1220664,[128000,1112243],2133198]' ]] || fail "another histogram of 19.3"

# again from the document, and the other reports elsewhere
for prefix in t10 $eleven $twelve $thirteen $nineteen; do
	calib report "$prefix" -json
	expect_status 0
	cmp "$work/out" "${prefix}_results.json" || fail_run "-json prints another document"
	calib report "$prefix" -out elsewhere
	expect_status 0
	[[ ! -s $work/err ]] || fail_run "it says something on standard error"
	cmp "$work/out" "elsewhere/${prefix}_summary.txt" || fail_run "it prints another summary"
	cmp "${prefix}_results.json" "elsewhere/${prefix}_results.json" || fail_run "another document"
	(cd elsewhere && calib report "$prefix" -out third && expect_status 0)
	diff -r elsewhere elsewhere/third -x third || fail_run "the reports are others when made again"
	rm -r elsewhere
done
calib report $eleven -out elsewhere
cmp ${eleven}_iops.csv elsewhere/${eleven}_iops.csv || fail_run "another matrix of IOPS"
cmp ${eleven}_mbps.csv elsewhere/${eleven}_mbps.csv || fail_run "another matrix of MBPS"
grep -Fx '5,0,1,ok,small_read,,,,6210.000000,,800.000,,,,,,,,,,' elsewhere/${eleven}_points.csv >/dev/null ||
	fail_run "another row of points.csv"

# nor over what another run with the same name and options has left there
mkdir twin
sed 's/=185 /=186 /' t10_summary.txt >twin/t10_summary.txt
calib report t10 -out both
expect_status 0
sums=$(sha256sum both/*)
calib report twin/t10 -out both
refused 2 "t10" "not of this run"
sha256sum --quiet -c <<<"$sums" || fail_run "a report of the other run is another"
calib report t10 -out both
expect_status 0
rm -r twin both

# not over ORION's files with -out either; PREFIX may be the name of one of them
rm ${eleven}_results.json
calib report ${eleven}_summary.txt -out .
expect_status 0
sha256sum --quiet -c <<<"$orions" || fail_run "a file of ORION's is another"
[[ -s ${eleven}_results.json ]] || fail_run "no results document"
rm ./*_results.json
calib report $eleven -out fresh -json
expect_status 0
cmp "$work/out" fresh/${eleven}_results.json || fail_run "-json prints another document"
[[ ! -e ${eleven}_results.json ]] || fail_run "a document beside ORION's files, with -out"

# what cannot be read: one line, and nothing is written
before=$(files_here)
printf 'Large/Small,      1\n          0,  12x2\n' >${eleven}_iops.csv
calib report $eleven
refused 2 "${eleven}_iops.csv':2" "12x2"
expect_unchanged "$before"
printf 'CALIB VERSION 0.1.0\n' >${eleven}_summary.txt
calib report $eleven
refused 2 "${eleven}_results.json" "summary.txt is not one of ORION's"
