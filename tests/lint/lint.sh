# Sourced by the lint tests. SPDX-License-Identifier: MIT
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# need_tool NAME [WHY]: skip where a tool is missing, but fail in CI, where nothing may be skipped
need_tool() {
	command -v "$1" >/dev/null && return
	cannot_run "'$1' is not installed"
}

cannot_run() {
	echo "skipped: $1"
	[[ ${CI:-} == true ]] && exit 1
	exit 77
}
