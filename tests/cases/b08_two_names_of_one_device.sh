#!/usr/bin/env bash
# B08: one file or device under two names is one LUN.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"

# counted_once NAME OTHER...: reads take NAME alone and name the others
counted_once() {
	local line other size
	printf '%s\n' "$@" >x.lun
	RD x
	ran 1
	line=2
	for other in "${@:2}"; do
		expect_err "x.lun:$line:" "'$other'" "the same"
		line=$((line + 1))
	done
	messages $(($# - 1)) "'$1'"
	size=$(stat -Lc %s "$1")
	[[ ! -b $1 ]] || size=$(blockdev --getsize64 "$1")
	[[ $(result "$prefix" '[.luns[].size_bytes] | add') == "$size" ]] || fail_run "counted twice"
	expect_out "1 files found."
	warned same_storage
	all_files_sound
	twice_refused a
}

mk a 16
ln -s a symlink
ln a hardlink
mkdir bound directory
mv hardlink directory
counted_once a symlink
counted_once "$T/a" a
counted_once symlink directory/hardlink ./a directory/../a
mount --bind directory bound
at_end umount "$here/bound"
counted_once a bound/hardlink

make_loop a
loop=$device
make_node "$loop" node
ln -s "$loop" by-id
counted_once "$loop" node
counted_once by-id "$loop" node

detach "$loop"

# two files of equal content, or hard to tell apart, are two
cp a b
printf '%s\n' a b >x.lun
RD x
messages 0
ran_soundly 2
