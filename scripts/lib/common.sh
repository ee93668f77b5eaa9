# Sourced by every script: where the clone is, how to say what happens. SPDX-License-Identifier: MIT
# shellcheck shell=bash
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

say() {
	printf '== %s\n' "$*"
}

die() {
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit 1
}

# show_help FILE: the comment block below the first line of a script
show_help() {
	sed -n '2,/^$/s/^# \{0,1\}//p' "$1"
}

# quietly LOG COMMAND...: keep a command's output in LOG, show it only where the command fails
quietly() {
	local log=$1
	shift
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 || {
		cat "$log" >&2
		die "failed: $*"
	}
}

# build_preset PRESET: configure and build it into build/PRESET
build_preset() {
	say "building build/$1 ($(sed -n "/\"name\": \"$1\"/{n;s/.*\"displayName\": \"\(.*\)\",/\1/p}" \
		"$top/CMakePresets.json"))"
	quietly "$top/build/$1.log" cmake --preset "$1"
	quietly "$top/build/$1.log" cmake --build --preset "$1"
}
