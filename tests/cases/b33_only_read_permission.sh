#!/usr/bin/env bash
# B33: who may only read gets his reads; writes need the permission.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/../device/devices.sh"
# shellcheck source=tests/cases/cases.sh
. "$SOURCE_DIR/tests/cases/cases.sh"

prepare_user || skip "no ordinary user can run $work/calib"
calib=calib_as_user
chmod 777 .
mk a 16
chmod 444 a
mk image 16
make_loop image
make_node "$device" disk
chown 0:65534 disk
chmod 440 disk
sums=$(sha256sum a image)

for lun in a disk; do
	echo $lun >x.lun
	for engine in auto io_uring libaio psync; do
		RD x -engine $engine
		ran_soundly 1
	done
	for option in "" -overwrite "-overwrite -force"; do
		refuses 2 "WR x $option" "x.lun:1:" "'$lun'" "Permission denied"
	done
done
sha256sum --quiet -c <<<"$sums" || fail "data was changed"

# no permission at all
chmod 000 a disk
for lun in a disk; do
	echo $lun >x.lun
	refuses 2 "RD x" "x.lun:1:" "'$lun'" "Permission denied"
done
