# Sourced by quickstart and test: Debian packages, only those that are missing, with apt-get.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # the two lists are for the scripts
# shellcheck source=scripts/lib/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build_packages=(gcc libc6-dev cmake ninja-build pkg-config
	libaio-dev libblkid-dev libjansson-dev liburing-dev)
test_packages=(libcmocka-dev libfuse3-dev clang clang-format clang-tidy mandoc
	shellcheck btrfs-progs e2fsprogs fdisk jq kmod locales mount python3 util-linux xfsprogs)

as_root() {
	if ((EUID == 0)); then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "needs root or sudo for: $*"
	fi
}

# packages_missing NAME...: those that are not installed, one a line
packages_missing() {
	local name
	for name; do
		[[ $(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null) == installed ]] ||
			echo "$name"
	done
}

apt_get() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"
}

apt_install() {
	apt_get install -y --no-install-recommends "$@"
}

apt_lists_are_empty() {
	! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null
}

# install_packages NAME...: does nothing, and needs no network, where all of them are there
install_packages() {
	local missing log=$top/build/packages.log
	if ! command -v dpkg-query >/dev/null; then
		say "no Debian packages here: taking compilers and libraries as they are"
		return
	fi
	mapfile -t missing < <(packages_missing "$@")
	((${#missing[@]})) || return 0
	say "installing with apt-get: ${missing[*]}"
	mkdir -p "$top/build"
	if ! apt_lists_are_empty && apt_install "${missing[@]}" >"$log" 2>&1; then
		return
	fi
	say "fetching the package lists with apt-get update"
	quietly "$log" apt_get update
	quietly "$log" apt_install "${missing[@]}"
}
