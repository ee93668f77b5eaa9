#!/usr/bin/env bash
# B27: a file system without direct I/O: it is named before any I/O, and nothing is read from the
# page cache.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

refuse_calls=${TOOLS_DIR:?where refuse_calls is}/refuse_calls
mk a 16
echo a >x.lun
type=$(stat -f -c %T a) # of the file system, by another tool
case $type in
ext2/ext3) type=ext ;;
overlayfs) type=overlay ;;
esac

# at the open, and at the first I/O: the same message
for code in EINVAL EOPNOTSUPP; do
	for call in openat_direct pread64; do
		[[ $code$call != EOPNOTSUPPopenat_direct ]] || continue # no file system says so
		launcher=("$refuse_calls" "$call=$code" --)
		for command in "RD x" "LG x" "GRID x -engine libaio" "RD x -engine psync"; do
			refuses 2 "$command" "x.lun:1:" "'a'" "direct I/O" "$type"
		done
	done
done
launcher=("$refuse_calls" openat_direct=EINVAL --)
refuses 2 "RD x -dry_run" "x.lun:1:" "'a'" "direct I/O" "$type"

# another error of the open is what it is
launcher=("$refuse_calls" openat_direct=EMFILE --)
refuses 2 "RD x" "x.lun:1:" "'a'" "Too many open files"

launcher=("$refuse_calls" openat_direct=EINVAL --)
for option in "-write 100" "-write 100 -overwrite" "-write 100 -overwrite -force"; do
	refuses 2 "RD x $option" "x.lun:1:" "'a'" "direct I/O" "$type"
done
