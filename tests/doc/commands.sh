# Sourced by the tests that run the commands of a document. SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The commands are run as they stand, in a directory of their own, with what makes them quick and
# harmless:
# - a calib on the PATH that has -duration 20ms and -ramp 0 where others are given or none, fills
#   caches with 8 MiB and makes files of 8 MiB; with dry_run=1 it adds -dry_run to every run
# - /dev/sdb and so on are files of 8 MiB that carry nothing
# - NAME_yyyymmdd_hhmm is the newest run of that name
# shellcheck source=tests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

mkdir "$work/bin"
cat >"$work/bin/calib" <<-'CALIB'
	#!/usr/bin/env bash
	arguments=()
	is_run=
	while (($# > 0)); do
		case $1 in
		-duration | -ramp) shift ;;
		-cache_size)
			arguments+=(-cache_size 8M)
			shift
			;;
		-size)
			arguments+=(-size 8M)
			shift
			;;
		-dry_run) ;;
		*) arguments+=("$1") ;;
		esac
		[[ $1 != -run ]] || is_run=1
		[[ $1 != -dry_run ]] || dry_run=1
		shift
	done
	[[ -z $is_run ]] || arguments+=(-duration 20ms -ramp 0 ${dry_run:+-dry_run})
	exec "$CALIB" "${arguments[@]}"
	CALIB
chmod +x "$work/bin/calib"
export PATH=$work/bin:$PATH CALIB

# make_devices: what stands for /dev/sdb, a disk with two partitions
make_devices() {
	local name
	mkdir dev
	for name in sdb sdb1 sdb2; do
		head -c 8M /dev/zero >"dev/$name" # random data may look like a signature
	done
}

# here_and_now COMMAND: with files for devices, and a prefix that exists
here_and_now() {
	local command=${1//\/dev\//$PWD/dev/} rest=$1 prefix newest
	while [[ $rest =~ ([a-z0-9]+)_[0-9]{8}_[0-9]{4}(.*) ]]; do
		prefix=${BASH_REMATCH[0]%"${BASH_REMATCH[2]}"}
		newest=$(find . -maxdepth 1 -name "${BASH_REMATCH[1]}_*_results.json" | sort | tail -1)
		[[ -n $newest ]] || fail "no run of '${BASH_REMATCH[1]}' before: $command"
		newest=${newest%_results.json}
		command=${command//$prefix/${newest#./}}
		rest=${BASH_REMATCH[2]}
	done
	printf '%s\n' "$command"
}

# run_command COMMAND: it succeeds, and jq finds something
run_command() {
	local command
	command=$(here_and_now "$1")
	bash -euo pipefail -c "$command" >"$work/out" 2>"$work/err" || {
		status=$? what=$1
		fail_run "exit status $status of an example: $1"
	}
	[[ $1 != *jq* ]] || grep -q '[0-9]' "$work/out" || fail "an example prints nothing: $1"
}
