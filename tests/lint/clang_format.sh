#!/usr/bin/env bash
# Every C file is as clang-format 14 writes it; other versions differ in details.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

tool=clang-format-14
command -v $tool >/dev/null || tool=clang-format
need_tool $tool
[[ $($tool --version) == *" version 14."* ]] || cannot_run "$($tool --version) is not version 14"

find src include tests -name '*.[ch]' -print0 | xargs -0 "$tool" --dry-run -Werror
