#!/usr/bin/env bash
# The program builds without either of the engines' libraries, or both. SPDX-License-Identifier: MIT
# shellcheck source=tests/build/build.sh
. "$(dirname "$0")/build.sh"

# expect_engines NAME WORDS LIBRARIES: what -version lists, and which of the libraries are loaded
expect_engines() {
	local version libraries
	version=$("$work/$1/calib" -version)
	for engine in io_uring libaio; do
		if [[ " $2 " == *" $engine "* ]]; then
			[[ $version == *$engine* ]] || fail "$1: no $engine in: $version"
		else
			[[ $version != *$engine* ]] || fail "$1: $engine in: $version"
		fi
	done
	libraries=$(ldd "$work/$1/calib" | grep -Eo 'lib(uring|aio)' | sort -u | tr '\n' ' ') || true
	[[ $libraries == "$3" ]] || fail "$1: linked to '$libraries', not '$3'"
}

build both -DBUILD_TESTING=OFF
expect_engines both "io_uring libaio" "libaio liburing "
build libaio -DCALIB_IO_URING=OFF -DCALIB_LIBAIO=ON -DBUILD_TESTING=OFF
expect_engines libaio "libaio" "libaio "
build io_uring -DCALIB_IO_URING=ON -DCALIB_LIBAIO=OFF -DBUILD_TESTING=OFF
expect_engines io_uring "io_uring" "liburing "
build none -DCALIB_IO_URING=OFF -DCALIB_LIBAIO=OFF -DCMAKE_BUILD_TYPE=Debug
expect_engines none "" ""
ctest --test-dir "$work/none" -L '^unit$' --output-on-failure --no-tests=error
