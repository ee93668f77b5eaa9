#!/usr/bin/env bash
# The command lines in the README are valid: those of a run with -dry_run.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/doc/commands.sh
. "$(dirname "$0")/commands.sh"

export dry_run=1
python3 "$SOURCE_DIR/tests/doc/print_commands.py" --calib "$SOURCE_DIR/README.md" >"$work/commands"
[[ -s $work/commands ]] || fail "no commands in the README"
make_devices

runs=0
while IFS= read -rd '' command; do
	[[ $command == *" -"* ]] || continue # only a name: "calib mklun"
	name=calib
	[[ ! $command =~ -testname\ ([a-z0-9]+) ]] || name=${BASH_REMATCH[1]}
	if [[ $command == *" mklun "* ]]; then
		rm -f "$name".lun "$name"_*.dat
	else
		echo "$PWD/dev/sdb" >"$name.lun"
	fi
	run_command "$command"
	runs=$((runs + 1))
done <"$work/commands"
((runs >= 3)) || fail "only $runs commands in the README"
