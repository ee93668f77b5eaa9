#!/usr/bin/env bash
# B06: a LUN that does not exist is never made.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

mk a 2
ln -s nosuch dangling
ln -s "$T/no/such" far

# absent COMMAND NAME: refused by name, and not made
absent() {
	printf 'a\n%s\n' "$2" >x.lun
	refuses 2 "$1" "x.lun:2:" "'$2'" "No such file"
	[[ ! -e $2 ]] || fail_run "$2 was made"
}

for command in "RD x" "WR x" "WR x -overwrite" "WR x -overwrite -force" "RD x -dry_run"; do
	for name in "$T/nosuch" nosuch no/such dangling far /dev/calib-no-such-disk; do
		absent "$command" "$name"
	done
done

# a file under /dev is what others have made of a typo
if ((EUID == 0)); then
	file=$(mktemp /dev/calib-test.XXXXXX)
	at_end rm -f "$file"
	mk "$file" 2
	ln -s "$file" link
	for name in "$file" link; do
		echo "$name" >x.lun
		for command in "RD x" "WR x -overwrite -force"; do
			refuses 2 "$command" "x.lun:1:" "'$name'" "regular file under /dev"
		done
	done
else
	skip_part "a file under /dev needs root"
fi
