#!/usr/bin/env bash
# -dry_run shows the points of every run type in order, with ORION's counts; it writes nothing, reads
# nothing of a LUN, and ends as the run would. SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

expected=$SOURCE_DIR/tests/cli/expected
for n in 1 2 3; do
	head -c 2097152 /dev/urandom >"lun$n"
done
echo lun1 >x.lun
printf '# two\nlun2\nlun3\n' >two.lun
before=$(files_here)

plan() {
	calib "$@" -dry_run -engine null
	expect_status 0
	expect_unchanged "$before"
}

# shows FILE ARGUMENT...: the plan is the text of expected/FILE
shows() {
	local file=$expected/$1
	shift
	plan "$@"
	diff -u "$file" "$work/out" || fail_run "the plan differs from $file"
}

shows plan_basic.txt -run basic -testname x
shows plan_simple.txt -run simple -testname x
shows plan_simple_two.txt -run simple -testname two -duration 10 -ramp 0
shows plan_normal.txt -run normal -testname x -duration 500ms -ramp 100ms
shows plan_oltp.txt -run oltp -testname x
shows plan_dss.txt -run dss -testname x -type rand
shows plan_matrix_basic.txt -run advanced -testname x -small_levels 1,4,16 -large_levels 8,2
shows plan_matrix_detailed.txt -run advanced -matrix detailed -testname x \
	-small_levels 4,1 -large_levels 0,2 -repeat 2
shows plan_matrix_point.txt -run advanced -matrix point -num_small 3 -num_large 2 -testname x
shows plan_matrix_col.txt -run advanced -matrix col -num_small 3 -testname x
shows plan_matrix_row.txt -run advanced -matrix row -num_large 0 -testname x
shows plan_matrix_max.txt -run advanced -matrix max -num_small 3 -num_large 2 -testname x

# total NUMBER ARGUMENT...: ORION's "Total Data Points"
total() {
	local number=$1
	shift
	plan "$@" -testname x
	[[ $(grep '^Total Data Points' "$work/out") == "Total Data Points: $number" ]] ||
		fail_run "not $number data points"
}

# disks and ORION's count, as published or by its rule
for pair in 1:8 2:15 3:22 4:29 5:36 6:43 7:50 8:38 10:47 12:47 16:56 20:46 40:53 96:73; do
	total "${pair#*:}" -run simple -num_disks "${pair%:*}"
	total "${pair#*:}" -run advanced -num_disks "${pair%:*}"
done
for pair in 1:18 4:189; do
	total "${pair#*:}" -run normal -num_disks "${pair%:*}"
	total "${pair#*:}" -run advanced -matrix detailed -num_disks "${pair%:*}"
done
for pair in 1:21 3:23 4:24; do
	total "${pair#*:}" -run oltp -num_disks "${pair%:*}"
done
for pair in 1:16 4:19; do
	total "${pair#*:}" -run dss -num_disks "${pair%:*}"
done
total 1 -run advanced -matrix point -num_small 5 -num_large 0

# levels of one class, as the plan shows them
levels() { # small|large
	sed -n "s/^point .* $1=\([0-9]*\).*/\1/p" "$work/out" | grep -vx 0 | tr '\n' ' '
}
plan -run simple -num_disks 8 -testname x
[[ $(levels small) == "1 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 " ]] ||
	fail_run "not ORION's small levels for 8 disks"
[[ $(levels large) == "$(seq -s ' ' 16) " ]] || fail_run "not ORION's large levels for 8 disks"
plan -run oltp -num_disks 3 -testname x
[[ $(levels small) == "1 2 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60 " ]] ||
	fail_run "not ORION's levels of oltp for 3 disks"

# another order has the same points
plan -run normal -testname x
grep -o 'small=.* repeat=1' "$work/out" | sort >"$work/rising"
plan -run normal -testname x -order shuffled -seed 1
grep -o 'small=.* repeat=1' "$work/out" >"$work/shuffled"
diff "$work/rising" <(sort "$work/shuffled") || fail_run "shuffled has other points"
cmp -s "$work/rising" "$work/shuffled" && fail_run "shuffled is not shuffled"
plan -run normal -testname x -order shuffled -seed 1
diff "$work/shuffled" <(grep -o 'small=.* repeat=1' "$work/out") ||
	fail_run "the same seed, another order"

# a warning is shown as well, and what would be refused
printf 'lun1\n./lun1\n' >x.lun
plan -run simple -testname x
expect_err "x.lun:2:" "is the same file as"
expect_out "1 files found."
echo nosuch >x.lun
calib -run simple -testname x -dry_run
refused 2 "x.lun:1:" "nosuch"
calib -run simple -testname nolist -dry_run
refused 2 "nolist.lun"
echo lun1 >x.lun

# nothing is read: the time of the last access stays, where a read would change it
touch -a -d 2001-01-01 lun1
plan -run simple -testname x
[[ $(stat -c %x lun1) == 2001-01-01* ]] || fail_run "the LUN was read"
calib -run advanced -matrix point -num_small 1 -num_large 0 -duration 0.1 -ramp 0 -testname x
expect_status 0
[[ $(stat -c %x lun1) != 2001-01-01* ]] || echo "no access times here: that nothing is read was not seen"
