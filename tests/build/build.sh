# Sourced by the tests that build calib another way, in a directory of their own.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash
set -euo pipefail
: "${SOURCE_DIR:?the clone}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CFLAGS CPPFLAGS LDFLAGS DESTDIR

fail() {
	printf 'failed: %s\n' "$*"
	exit 1
}

configure_and_build() { # DIRECTORY CMAKE-ARGUMENT...
	local directory=$1
	shift
	cmake -S "$SOURCE_DIR" -B "$directory" -G Ninja "$@" || return
	cmake --build "$directory"
}

# build NAME CMAKE-ARGUMENT...: into $work/NAME
build() {
	local name=$1
	shift
	configure_and_build "$work/$name" "$@" >"$work/$name.log" 2>&1 || {
		cat "$work/$name.log"
		fail "build $name"
	}
}
