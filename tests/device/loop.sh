#!/usr/bin/env bash
# A loop device over a file: every kind of run to its end, and the kernel's counters agree.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

random_file image 64
make_loop image
echo "$device" >x.lun
measure_everything
