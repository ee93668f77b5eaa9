#!/usr/bin/env bash
# clang-tidy finds nothing in the program's files, see .clang-tidy. SPDX-License-Identifier: MIT
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

need_tool clang-tidy
build=${BUILD_DIR:?the directory of a build by a CMake preset}
[[ -e $build/compile_commands.json ]] || cannot_run "no compile_commands.json in '$build'"

# tidy OPTION... : files on stdin, one a process: clang-tidy 14 forgets va_start() after the first.
# grep: a summary line for each file is of no use to anybody
tidy() {
	xargs -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build" "$@" \
		2> >(grep -v 'warnings\? generated' >&2)
}

# error.c defines what the model stands for
find src -name '*.c' ! -path src/base/error.c |
	tidy --extra-arg=-include --extra-arg="$PWD/tests/lint/analyzer_model.h"
echo src/base/error.c | tidy
