#!/usr/bin/env bash
# B04: -testname x.lun is the test x, and a run that never began leaves no file.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

mk a 16
echo a >x.lun
for command in RD GRID; do
	$command x.lun
	ran_soundly 1
	expect_err "-testname is 'x', without the suffix .lun"
done

# neither is there: both names are said, nothing is made
for name in nosuch nosuch.lun; do
	refuses 2 "GRID $name" "'nosuch.lun'" "does not exist"
done

# a list that really has two suffixes
cp x.lun x.lun.lun
refuses 2 "RD .lun" "'.lun'"
rm x.lun
RD x.lun.lun
expect_status 0
compgen -G 'x.lun_2*_results.json' >/dev/null || compgen -G 'x_2*_results.json' >/dev/null ||
	fail_run "no results under a name that was asked for"
