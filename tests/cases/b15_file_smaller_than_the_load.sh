#!/usr/bin/env bash
# B15: a LUN smaller than one I/O is refused; one with fewer blocks than I/Os outstanding runs, and
# says so.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

head -c 512K /dev/zero | tr '\0' x >a
echo "$T/a" >x.lun
refuses 2 "LG x" "x.lun:1:" "'$T/a'" "smaller than one large I/O (1 MiB)"
refuses 2 "GRID x" "smaller than one large I/O (1 MiB)"
refuses 2 "WR x -size_small 1M" "smaller than one small I/O (1 MiB)"
RD x
ran_soundly 1 # small ones have room
RD x -size_small 512
ran 1
warned overlap
all_files_sound

# one large I/O and a bit: four streams lie on one block
mk a 1
head -c 8K /dev/zero >>a
point 0 4 x
ran 1
messages 1 "overlap"
warned overlap
[[ $(result "$prefix" .luns[0].used_bytes) == 1048576 ]] || fail_run "not the whole MiB is used"
all_files_sound
point 0 4 x -type rand
ran 1
warned overlap
all_files_sound

# depth x block, of small ones
head -c 40K a >b
echo b >x.lun
point 5 0 x
ran 1
messages 0
all_files_sound
point 6 0 x
ran 1
warned overlap
all_files_sound

# nothing at all
: >empty
head -c 100 a >tiny
for name in empty tiny; do
	printf 'a\n%s\n' $name >x.lun
	refuses 2 "RD x" "x.lun:2:" "'$name'" "smaller than one small I/O"
	refuses 2 "RD x -size_small 0.5" "x.lun:2:" "'$name'" "smaller than one small I/O"
done
