#!/usr/bin/env bash
# A zram device, memory without media: every kind of run to its end, and the kernel's counters agree.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

make_zram 64
echo "$device" >x.lun
measure_everything
