#!/usr/bin/env bash
# No script gives shellcheck cause to complain. SPDX-License-Identifier: MIT
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

need_tool shellcheck
{
	grep -rlZ -m1 '^#!.*bash' scripts tests .ci
	find scripts tests -name '*.sh' -print0
} | sort -zu | xargs -0 shellcheck -x
