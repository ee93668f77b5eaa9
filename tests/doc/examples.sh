#!/usr/bin/env bash
# The examples of the man pages work. SPDX-License-Identifier: MIT
# shellcheck source=tests/doc/commands.sh
. "$(dirname "$0")/commands.sh"

for page in "$SOURCE_DIR"/man/*.[1-8]; do
	python3 "$SOURCE_DIR/tests/doc/print_commands.py" "$page" >"$work/commands"
	[[ -s $work/commands ]] || fail "no examples in $page"
	mkdir "$here/$(basename "$page")"
	cd "$here/$(basename "$page")"
	make_devices
	if [[ $page == *-results.5 ]]; then # whose examples read what a run has left
		echo "$PWD/dev/sdb" >mytest.lun
		run_command 'calib -run simple -testname mytest -engine null'
	fi
	while IFS= read -rd '' command; do
		run_command "$command"
	done <"$work/commands"
done
