#!/usr/bin/env bash
# A device that is mounted only where this process does not see it, as in a container, is not
# written. Alone: the name space keeps every mount that another test has at that moment.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"
# shellcheck source=tests/device/refusals.sh
. "$SOURCE_DIR/tests/device/refusals.sh"

in_memory
free_file image 16
mkfs.ext4 -q -F image
mkdir m
make_loop image

# shellcheck disable=SC2016 # the inner shell's
unshare -m bash -c 'mount -o ro "$1" m && echo ready >"$2" && exec sleep 300' - "$device" \
	"$work/ready" &
holder=$!
end_holder() {
	kill "$holder" 2>/dev/null || true
	wait "$holder" 2>/dev/null || true
}
at_end end_holder
until [[ -s $work/ready ]]; do
	kill -0 "$holder" || fail "it cannot be mounted in a name space of its own"
	sleep 0.02
done

! grep -q "^$device " /proc/mounts || fail "the mount can be seen here"
other_names "$device"
never_written "$device" "$names" "mounted on '$here/m'"
never_written image image "mounted on '$here/m'"

# over with the name space: what is left is the file system
end_holder
forced_only "$device" "$device" ext4
