#!/usr/bin/env bash
# As a distribution builds it: without tests or cmocka, with its own flags, into a DESTDIR.
# SPDX-License-Identifier: MIT
# shellcheck source=tests/build/build.sh
. "$(dirname "$0")/build.sh"

# pkg-config sees these libraries and no other, so that asking for cmocka would fail
mkdir "$work/pc"
for library in blkid jansson liburing; do
	cp "$(pkg-config --variable=pcfiledir $library)/$library.pc" "$work/pc"
done
export PKG_CONFIG_LIBDIR=$work/pc

export CFLAGS="-O3 -fstack-protector-strong" CPPFLAGS="-DPACKAGER_WAS_HERE" LDFLAGS="-Wl,-z,now"
build package -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_EXPORT_COMPILE_COMMANDS=ON

commands=$(grep '"command"' "$work/package/compile_commands.json")
while read -r command; do
	for flag in -O3 -fstack-protector-strong -DPACKAGER_WAS_HERE; do
		[[ $command == *" $flag "* ]] || fail "no $flag in: $command"
	done
	for flag in -O0 -O1 -O2 -g -march -Werror -DNDEBUG; do
		[[ $command != *" $flag"* ]] || fail "$flag in: $command"
	done
done <<<"$commands"
readelf -d "$work/package/calib" | grep -q BIND_NOW || fail "LDFLAGS are not used"

DESTDIR=$work/root cmake --install "$work/package" >/dev/null
(cd "$work/root" && find . -type f | sort) >"$work/installed"
diff - "$work/installed" <<'LIST' || fail "installed files differ"
./usr/bin/calib
./usr/share/doc/calib/CHANGELOG.md
./usr/share/doc/calib/LICENSE
./usr/share/doc/calib/README.md
./usr/share/doc/calib/lun.example
./usr/share/man/man1/calib.1
./usr/share/man/man5/calib-lun.5
./usr/share/man/man5/calib-results.5
LIST

version=$(sed -n 's/^project(calib VERSION \([0-9.]*\).*/\1/p' "$SOURCE_DIR/CMakeLists.txt")
cd "$work"
answer=$(root/usr/bin/calib -version)
[[ $answer == *"$version"* ]] || fail "-version says '$answer', not '$version'"
root/usr/bin/calib mklun -testname t1 -size 4M
root/usr/bin/calib -run advanced -matrix point -num_small 1 -num_large 0 -duration 1 -ramp 0 \
	-engine null -testname t1
compgen -G 't1_*_results.json' >/dev/null || fail "the installed program wrote no results"
