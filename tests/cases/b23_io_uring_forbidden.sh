#!/usr/bin/env bash
# B23: where io_uring is forbidden the next engine is taken, and the reason is part of the result.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

refuse_calls=${TOOLS_DIR:?where refuse_calls is}/refuse_calls
mk a 16
echo a >x.lun

# takes ENGINE TEXT...: -engine auto does so, and says in one line why
takes() {
	local text
	RD x
	ran 1
	[[ $(result "$prefix" .settings.engine) =~ ^$1$ ]] || fail_run "the engine is not $1"
	for text in "${@:2}"; do
		[[ $(result "$prefix" .settings.engine_reason) == *"$text"* ]] ||
			fail_run "no '$text' in the reason"
	done
	[[ $(grep -c '^Engine: ' "$work/out") -ge 1 ]] || fail_run "no line of the engine"
	messages 0
	all_files_sound
}

for pair in "EPERM:Operation not permitted" "ENOSYS:Function not implemented" \
	"EOPNOTSUPP:Operation not supported"; do
	for call in io_uring_setup io_uring_enter; do
		launcher=("$refuse_calls" "$call=${pair%:*}" --)
		takes '(libaio|psync)' io_uring "${pair#*:}"
		# by name: no other engine in silence, and no file
		refuses 4 "RD x -engine io_uring" io_uring "${pair#*:}"
		refuses 4 "RD x -engine io_uring -dry_run" io_uring "${pair#*:}"
		RD x -engine libaio
		ran_soundly 1
	done
	launcher=("$refuse_calls" "io_uring_setup=${pair%:*}" io_setup=ENOSYS --)
	takes psync io_uring libaio "${pair#*:}"
done
