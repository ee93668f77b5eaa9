#!/usr/bin/env bash
# The table of options, -help, calib(1) and the README have the same options, placeholders and
# defaults.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

"${BUILD_DIR:?the directory of the build}/tests/print_options" >"$work/table"
calib -help
expect_status 0
python3 "$SOURCE_DIR/tests/doc/check_options.py" "$work/table" "$work/out" "$SOURCE_DIR" ||
	fail "the options, as they are and as they are described"
