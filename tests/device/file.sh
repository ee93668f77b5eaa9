#!/usr/bin/env bash
# A file of a file system: every kind of run to its end. SPDX-License-Identifier: MIT
# shellcheck source=tests/device/devices.sh
. "$(dirname "$0")/devices.sh"

random_file data 64
echo data >x.lun
measure_everything
