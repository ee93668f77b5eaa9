#!/usr/bin/env bash
# B24: no room for asynchronous I/O: the limit is named, and auto takes another engine.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/cases/cases.sh
. "$(dirname "$0")/cases.sh"

refuse_calls=${TOOLS_DIR:?where refuse_calls is}/refuse_calls
mk a 16
echo a >x.lun

launcher=("$refuse_calls" io_setup=EAGAIN --)
refuses 4 "RD x -engine libaio" libaio fs.aio-max-nr "$(</proc/sys/fs/aio-max-nr)"
refuses 4 "RD x -engine libaio -threads 2" fs.aio-max-nr
refuses 4 "RD x -engine libaio -dry_run" fs.aio-max-nr
RD x
ran_soundly 1

launcher=("$refuse_calls" io_setup=EAGAIN io_uring_setup=EPERM --)
refuses 4 "RD x -engine libaio" fs.aio-max-nr
RD x
ran 1
[[ $(result "$prefix" .settings.engine) == psync ]] || fail_run "the engine is not psync"
[[ $(result "$prefix" .settings.engine_reason) == *fs.aio-max-nr* ]] ||
	fail_run "the reason does not name the limit"
all_files_sound

launcher=("$refuse_calls" io_setup=ENOSYS io_uring_setup=EPERM --)
refuses 4 "RD x -engine libaio" libaio "Function not implemented"
RD x
ran_soundly 1
