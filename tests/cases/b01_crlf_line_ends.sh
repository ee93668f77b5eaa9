#!/usr/bin/env bash
# B01: a list with the line ends of another system names the same LUNs.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

mk a 16
mk b 2

# runs_on NAME...: one LUN for each, with that name and no byte more
runs_on() {
	RD x
	ran $#
	[[ $(result "$prefix" '[.luns[].path] | join(" ")') == "$*" ]] || fail_run "other names"
	messages 0
	all_files_sound
}

printf '%s\r\n' "$T/a" >x.lun
runs_on "$T/a"
printf '%s\r\n\r\n%s\r\n' "$T/a" "$T/b" >x.lun
runs_on "$T/a" "$T/b"
printf 'a \t\r\n# the other\r\nb' >x.lun
runs_on a b
printf 'a\r\r\n' >x.lun
runs_on a
printf '\xef\xbb\xbfa\r\n' >x.lun
runs_on a

# a carriage return that belongs to the name is shown, and does not garble the message
printf 'a\rb\r\n' >x.lun
refuses 2 "RD x" "x.lun:1:" "'a\\x0db'"
! grep -q $'\r' "$work/err" || fail_run "a carriage return in the message"
