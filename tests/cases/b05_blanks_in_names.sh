#!/usr/bin/env bash
# B05: blanks inside a name belong to it.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

mkdir 'my directory'
for name in "$T/my disk" 'my disk' 'my directory/a  b' $'tab\tinside' 'comma, "quote"'; do
	mk "$name" 2
	printf '%s \n' "$name" >x.lun
	RD x
	ran 1
	[[ $(result "$prefix" .luns[0].path) == "$name" ]] || fail_run "another name in the JSON"
	messages 0
	all_files_sound
done

# a test and an output directory with blanks
mk a 2
echo a >'x y.lun'
calib -run advanced -matrix point -num_small 2 -num_large 0 -testname 'x y' -out 'o u t' \
	-duration 0.1 -ramp 0
expect_status 0
check_run "$(prefix_of 'o u t/x y')" --stdout "$work/out" --stderr "$work/err"

# in front of a name they may be a slip, and where there is no such name the message says so
echo ' a' >x.lun
refuses 2 "RD x" "x.lun:1:" "' a'" "blank"
mk ' a' 2
RD x
ran_soundly 1
