#!/usr/bin/env bash
# B02: comments and blank lines of a list are no LUNs.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

mk a 16
printf '# data disks\n\n%s\n   \n' "$T/a" >x.lun
RD x
ran_soundly 1
printf '#a\n\t\n#\n\na\n\n# a\n \t \n' >x.lun
RD x
ran_soundly 1

# nothing else in it: nothing to do, and no blank line becomes the root directory
for text in '# data disks\n' '# data disks' '\n\n' '   \n\t\n' '#\r\n\r\n' '\xef\xbb\xbf' \
	'\xef\xbb\xbf# all\n' ''; do
	# shellcheck disable=SC2059 # with escapes
	printf "$text" >x.lun
	refuses 2 "RD x" "no LUN in x.lun"
done
