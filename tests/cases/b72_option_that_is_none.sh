#!/usr/bin/env bash
# B72: an option or a value that is none is refused by its name, never ignored.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

mk a 2
echo a >x.lun

# bad 'ARGUMENTS as typed in a shell' TEXT...
bad() {
	typed=$1
	refuses 2 run_typed "${@:2}"
}

run_typed() {
	eval "calib $typed"
}

# how-tos as they were pasted
bad '-run advanced -testname x -size_large 1024 -typerand' "-typerand" "'-type rand'"
bad '-run simple -testname x -num_disks 4 –write 0 –type seq –cache_size 0' \
	"–write" "U+2013" "'-write'"
bad '–run simple'                        "–run" "U+2013" "'-run'"
bad '-run advanced –type rand'           "–type" "U+2013" "'-type'"
bad '-run simple —duration 5'            "—duration" "U+2014" "'-duration'"
bad '-run simple −testname x'            "−testname" "U+2212" "'-testname'"
bad '-run simple -duration5'             "-duration5" "'-duration 5'"
bad '-run simple -testnamex'             "-testnamex" "'-testname x'"
bad '-run simple - duration 5'           "'-'"
bad '-run simple -durration 5'           "-durration" "'-duration'"
bad '-run simple /duration 5'            "'/duration'"
bad '-run simple duration=5'             "'duration=5'"
bad $'-run simple -type \u00a0rand'      "-type"

for value in 0 -1 1e3 9999999999999999999 5q 5,0 ٣ '5 s' 0x5 1h30; do
	bad "-run simple -testname x -duration '$value'" "-duration" "$value"
	bad "-run simple -testname x -duration='$value'" "-duration" "$value"
done
for value in -1 101 1.5 5% x ''; do
	bad "-run simple -testname x -write '$value'" "-write" "$value"
done
for option in size_small size_large; do
	for value in 0 -8 8q 1e3 9999999999999999999; do
		bad "-run simple -testname x -$option '$value'" "-$option" "$value"
	done
done
bad '-run simple -testname x -write 10 -write 20' "-write" "twice"
bad '-run simple -testname x -overwrite yes' "'yes'"
bad '-run simple -testname x -force=1'   "-force"
