#!/usr/bin/env bash
# Every source file and every test is named in a CMake file: none is forgotten there.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/lint/lint.sh
. "$(dirname "$0")/lint.sh"

missing=0
expect_listed() { # FILE NAME-AS-LISTED CMAKE-FILE...
	local file=$1 name=$2
	shift 2
	grep -qF -- "$name" "$@" && return
	echo "$file is not listed in $*"
	missing=1
}

while read -r file; do
	expect_listed "$file" "$file" CMakeLists.txt cmake/CalibEngines.cmake
done < <(find src -name '*.c' | sort)

# a script without #! is read by others
while read -r file; do
	expect_listed "$file" "${file#tests/}" tests/CMakeLists.txt
done < <(find tests/unit -name 'test_*.c' && grep -rl -m 1 '^#!' tests --include='*.sh' | sort)

if compgen -G 'man/*.[1-8]' >/dev/null; then
	for file in man/*.[1-8]; do
		expect_listed "$file" "$file" CMakeLists.txt
	done
fi
exit $missing
