#!/usr/bin/env bash
# Runs that write: how much, what and where, and that nothing else is written.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

# In random data a signature of two bytes turns up now and then: with -force that does not matter.
confirmed=(-overwrite -force)
point=(-run advanced -matrix point -testname x -ramp 0)

# measure_writes: each engine, run type and share of writes on the LUNs of x.lun
measure_writes() {
	local engine short
	for engine in io_uring libaio psync; do
		short=("${confirmed[@]}" -engine "$engine" -duration 60ms -ramp 20ms)
		measure "${short[@]}" -run simple -num_disks 1 -threads 3 -write 30
		measure "${short[@]}" -run oltp -small_levels 1,64 -write 1
		measure "${short[@]}" -run dss -large_levels 1,5 -write 50
		measure "${short[@]}" -run advanced -matrix detailed -small_levels 0,5 -large_levels 0,3 \
			-write 100
		[[ $engine == io_uring ]] || continue # the rest shows nothing more about an engine
		measure "${short[@]}" -run oltp -small_levels 16 -write 100
		measure "${short[@]}" -run advanced -matrix max -num_small 2 -num_large 2 -type rand -write 30
	done
}

random_file image 32
make_loop image
echo "$device" >x.lun
measure_writes
measure "${confirmed[@]}" -duration 60ms -ramp 20ms -run basic -write 50

random_file image4k 32
make_loop image4k --sector-size 4096
echo "$device" >x.lun
measure_writes

random_file data 32
echo data >x.lun
measure_writes

make_zram 32
echo "$device" >x.lun
measure_writes

# writes_three_in_ten: of the I/Os of the device, as the kernel counts them. 20,000 draws are off by a
# whole percent once in 500 times, so the draws are always the same
writes_three_in_ten() {
	local duration ios writes
	local -a was is
	echo "$device" >x.lun
	for duration in 1 4 16; do
		read -r -a was <<<"$(device_counts "$device")"
		calib "${point[@]}" "${confirmed[@]}" -engine io_uring -num_small 16 -num_large 0 -write 30 \
			-seed 1 -threads 1 -duration "$duration"
		expect_status 0
		read -r -a is <<<"$(device_counts "$device")"
		check_last x --kernel
		ios=$((is[0] - was[0] + is[2] - was[2]))
		((ios < 20000)) || break
	done
	((ios >= 20000)) || fail_run "only $ios I/Os"
	writes=$((is[2] - was[2]))
	((100 * writes >= 29 * ios && 100 * writes <= 31 * ios)) ||
		fail_run "$device: $writes of $ios I/Os were writes"
}

writes_three_in_ten
make_memory_loop 32M
writes_three_in_ten

zeros() { # NAME MIB
	head -c "$(($2 << 20))" /dev/zero >"$1"
	echo "$1" >x.lun
}

# check_data FILE BLOCK LEAST: see there
check_data() {
	python3 "$SOURCE_DIR/tests/lib/check_data.py" "$@" || fail_run "what was written"
}

# what streams write over the whole of a file, in several points. It carries nothing, so there is no
# need of -force
zeros data 64
calib -run dss -large_levels 1,2,5 -write 100 -overwrite -duration 0.5 -ramp 0.2 -testname x
expect_status 0
check_last x
check_data data 4096 $((64 << 8))
((100 * $(gzip -c data | wc -c) >= 98 * (64 << 20))) || fail_run "gzip makes it smaller"

# what random I/Os write, those that are smaller than a block of 4 KiB too
for size in 0.5 1 2 4 8; do
	zeros small 1
	make_loop small
	echo "$device" >x.lun
	calib "${point[@]}" "${confirmed[@]}" -num_small 8 -num_large 0 -size_small $size -write 100 \
		-duration 0.3 -threads 2
	expect_status 0
	check_last x --kernel
	detach "$device"
	bytes=$(awk "BEGIN { print 1024 * $size }")
	check_data small $((bytes < 4096 ? bytes : 4096)) 100 # no larger: a part may not be written yet
done

# of four streams two write: the second and the last quarter, and nothing else
zeros data 16
calib "${point[@]}" -engine io_uring -overwrite -num_small 0 -num_large 4 -write 50 -duration 0.5
expect_status 0
check_last x
for quarter in 0 1 2 3; do
	dd if=data of=part bs=4M skip=$quarter count=1 status=none
	if ((quarter % 2)); then
		check_data part 4096 $((4 << 8))
	else
		cmp -s part <(head -c 4M /dev/zero) || fail_run "quarter $quarter is written"
	fi
done

# so large a share that one stream of one writes, and one that is too small
zeros data 16
for pct in 49 50; do
	calib "${point[@]}" -engine io_uring -overwrite -num_small 0 -num_large 1 -write $pct -duration 0.1
	expect_status 0
	[[ $(result "$(prefix_of x)" '.points[0].classes | keys | join(" ")') == \
		"$( ((pct < 50)) && echo large_read || echo large_write)" ]] || fail_run "at $pct %"
	check_last x
	[[ $pct == 50 ]] || cmp -s data <(head -c 16M /dev/zero) || fail_run "there are writes"
done

# sum_around FILE FROM TO: of what lies before and behind
sum_around() {
	{ head -c "$2" "$1" && tail -c "+$(($3 + 1))" "$1"; } | sha256sum
}

# what lies behind used_bytes, outside of the device, or beside the file, is not touched
random_file outside 24
make_loop outside --offset $((8 << 20)) --sizelimit $(((8 << 20) + 1536))
random_file data 4
head -c 5000 /dev/urandom >>data
random_file beside 1
printf '%s\n' "$device" data >x.lun
for engine in io_uring libaio psync; do
	before=$(sum_around outside $((8 << 20)) $((16 << 20)); sum_around data 0 $((4 << 20))
		sha256sum beside; stat -c '%n %y %z' beside x.lun)
	inside=$(sha256sum outside data)
	calib -run advanced -matrix detailed -small_levels 0,64 -large_levels 0,1,3 -write 50 \
		"${confirmed[@]}" -engine $engine -duration 0.1 -ramp 0 -testname x
	expect_status 0
	after=$(sum_around outside $((8 << 20)) $((16 << 20)); sum_around data 0 $((4 << 20))
		sha256sum beside; stat -c '%n %y %z' beside x.lun)
	[[ $before == "$after" ]] || fail_run "more was written than the LUNs in use"
	[[ $(sha256sum outside data) != "$inside" ]] || fail_run "nothing was written"
	check_last x --kernel
done

# the LUNs as they are: their bytes, times and counters of writes
luns_as_they_are() {
	sha256sum outside data
	stat -c '%n %y %z' outside data x.lun
	device_counts "$device" | cut -d ' ' -f 3,4
}

# writes_nothing STATUS ARGUMENT...
writes_nothing() {
	local expected=$1 before
	shift
	before=$(luns_as_they_are)
	calib "${point[@]}" -num_small 4 -num_large 1 -duration 0.1 "$@"
	expect_status "$expected"
	diff <(printf '%s\n' "$before") <(luns_as_they_are) || fail_run "the LUNs were touched"
}

here_before=$(files_here)
writes_nothing 3 -write 100
writes_nothing 3 -write 1
writes_nothing 2 -write 0 -overwrite
writes_nothing 2 -write 101 -overwrite
writes_nothing 2 -overwrite -force
writes_nothing 3 -write 100 -dry_run
expect_out "Total Data Points: 1"
writes_nothing 0 -write 100 "${confirmed[@]}" -dry_run
expect_unchanged "$here_before"
writes_nothing 0
check_last x --kernel
writes_nothing 0 -write 100 "${confirmed[@]}" -engine null
[[ $(result "$(prefix_of x)" '[.luns[].issued.writes] | min > 0') == true ]] ||
	fail_run "the null engine had nothing to do"
check_last x

# A run that reads shows its plan without a look at the LUN; one that would write has to look.
reads=$(device_reads "$device")
calib "${point[@]}" -num_small 1 -num_large 0 -dry_run
expect_status 0
calib "${point[@]}" -num_small 1 -num_large 0 -duration 0.1 -engine null
expect_status 0
check_last x
[[ $(device_reads "$device") == "$reads" ]] || fail_run "the device was read"
calib "${point[@]}" -num_small 1 -num_large 0 -write 1 "${confirmed[@]}" -dry_run
expect_status 0
[[ $(device_reads "$device") != "$reads" ]] || fail_run "the device was not looked at"

# calib report makes the same files again, and from the ledger all but what only the end can tell
calib -run advanced -matrix detailed -small_levels 0,4 -large_levels 0,3 -write 30 \
	"${confirmed[@]}" -duration 0.1 -ramp 0 -testname x
expect_status 0
prefix=$(prefix_of x)
calib report "$prefix" -out again
expect_status 0
for file in "${prefix}"_*[!l]; do # but the ledger
	cmp "$file" "again/$file" || fail_run "$file is another"
done
rm -r again
mkdir ledger
cp "${prefix}_points.jsonl" ledger
calib report "ledger/$prefix"
expect_status 0
for file in iops.csv mbps.csv lat.csv points.csv hist.txt; do
	cmp "${prefix}_$file" "ledger/${prefix}_$file" || fail_run "$file is another from the ledger"
done
