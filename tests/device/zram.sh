#!/usr/bin/env bash
# A zram device, memory without media: every kind of run to its end, and the kernel's counters agree.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

make_zram 64
echo "$device" >x.lun
measure_everything

# What io_uring cannot do there without a thread of the kernel's shows at once.
calib -run oltp -small_levels 1,16 -duration 1 -ramp 0 -testname x
expect_status 0
[[ $(result "$(prefix_of x)" .settings.engine) != io_uring ]] ||
	fail_run "auto took io_uring: $(result "$(prefix_of x)" .settings.engine_reason)"
check_last x
