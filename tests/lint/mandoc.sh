#!/usr/bin/env bash
# Every man page is correct mdoc(7). SPDX-License-Identifier: MIT
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

need_tool mandoc
mandoc -T lint -W warning man/*.[1-8]
