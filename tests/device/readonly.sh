#!/usr/bin/env bash
# A device that cannot be written is read as any other.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

random_file image 16
make_loop image -r
[[ $(blockdev --getro "$device") == 1 ]] || fail "$device can be written"
echo "$device" >x.lun
sum=$(sha256sum image)
for engine in io_uring libaio psync; do
	measure -engine "$engine" -duration 0.2 -ramp 0.1 -run simple -num_disks 1
done
sha256sum --quiet -c <<<"$sum" || fail "the data was changed"
