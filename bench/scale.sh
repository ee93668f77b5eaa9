#!/usr/bin/env bash
# The bars of large and many: memory, set-up and reports of runs with 1,024 LUNs, 10,000 outstanding,
# 100 TiB, 10,000 points. Needs root, for a tmpfs of its own, and 2 GiB of memory.
# usage: bench/scale.sh [--calib PATH] [--only TEXT] SPDX-License-Identifier: MIT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
calib=build/calib
only=
while (($# > 1)); do
	case $1 in
	--calib) calib=$2 ;;
	--only) only=$2 ;;
	*) break ;;
	esac
	shift 2
done
(($# == 0)) || {
	echo "usage: $0 [--calib PATH] [--only TEXT]" >&2
	exit 2
}
calib=$(realpath "$calib")
# shellcheck disable=SC2016 # the inner shell expands them
exec unshare --mount --propagation private bash -c '
	mount -t tmpfs -o size=4g none /mnt && cd /mnt && exec python3 "$@"
' bash "$here/scale.py" --calib "$calib" --only "$only"
