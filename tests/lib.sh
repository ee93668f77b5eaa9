# Sourced by every script of cli/ and device/: a work directory, what is given back at the end, and
# words for what is expected. SPDX-License-Identifier: MIT
# shellcheck shell=bash
set -eEuo pipefail
: "${CALIB:?the program}" "${SOURCE_DIR:?the clone}"
export LC_ALL=C TZ=UTC PYTHONDONTWRITEBYTECODE=1
umask 022
work=$(mktemp -d)
here=$work/here # the current directory of every test; $work itself keeps what is not under test
mkdir "$here"
chmod 755 "$work" "$here" # an ordinary user comes here too
undo=()

# at_end COMMAND ARGUMENT...: run it when the script ends, however it ends; the last comes first
at_end() {
	undo=("$(printf '%q ' "$@")" "${undo[@]}")
}

give_back() {
	local status=$? command
	trap '' INT TERM HUP
	set +e
	cd /
	for command in "${undo[@]}"; do
		eval "$command"
	done
	rm -rf "$work"
	exit "$status"
}
trap give_back EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
trap 'echo "failed: \"$BASH_COMMAND\" in line $LINENO of ${BASH_SOURCE[0]}" >&2' ERR
cd "$here"

# free_file NAME MIB: of random data in which nothing looks like a signature: the same each time,
# since among random bytes a mark of two bytes turns up now and then
free_file() {
	python3 - "$2" >"$1" <<-'PYTHON'
		import random, sys
		numbers = random.Random(7)
		for _ in range(int(sys.argv[1])):
		    sys.stdout.buffer.write(numbers.randbytes(1 << 20))
	PYTHON
}

# wait_for_points N: until the ledger of test x has more than N lines; a run that failed never will,
# so at most a minute
wait_for_points() {
	local tries
	for ((tries = 0; tries < 3000; tries++)); do
		[[ $(cat x_*_points.jsonl 2>/dev/null | wc -l) -le $1 ]] || return 0
		sleep 0.02
	done
	return 1
}

fail() {
	printf 'failed: %s\n' "$*"
	exit 1
}

# skip REASON: not here, and not a failure, but on CI's machine nothing may be missing
skip() {
	[[ ${CI:-} != true ]] || fail "cannot be tested here: $*"
	printf 'skipped: %s\n' "$*"
	exit 77
}

# sanitized: a build that asks the system for more than calib does, and takes far more memory
sanitized() {
	grep -qE '__(asan|tsan|hwasan)_init' "$CALIB"
}

# skip_part REASON: the same for a part of a script
skip_part() {
	[[ ${CI:-} != true ]] || fail "cannot be tested here: $*"
	printf 'a part was skipped: %s\n' "$*"
}

# calib ARGUMENT...: its output goes to $work/out and $work/err, its exit status to $status
status=0
launcher=(env) # what starts it
limit=100 # seconds, against a hang; nothing here takes a fifth of it
calib() {
	status=0
	"${launcher[@]}" timeout --foreground -k 5 "$limit" "$CALIB" "$@" >"$work/out" 2>"$work/err" || status=$?
	what="calib $*"
}

# as_user COMMAND ARGUMENT...: as one who is not root
user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
as_user() {
	if ((EUID == 0)); then "${user[@]}" "$@"; else "$@"; fi
}

calib_as_user() {
	status=0
	as_user "${launcher[@]}" timeout --foreground -k 5 "$limit" "$work/calib" "$@" >"$work/out" 2>"$work/err" ||
		status=$?
	what="calib $* (as an ordinary user)"
}

# prepare_user: a copy of the program that an ordinary user can run; false where there is none
prepare_user() {
	cp "$CALIB" "$work/calib"
	as_user "$work/calib" -version >/dev/null 2>&1
}

show_output() {
	printf -- '--- exit status %s of: %s\n--- standard output:\n' "$status" "$what"
	head -c 4000 "$work/out"
	printf -- '--- standard error:\n'
	head -c 4000 "$work/err"
	printf -- '---\n'
}

fail_run() {
	show_output
	fail "$*"
}

expect_status() {
	[[ $status == "$1" ]] || fail_run "exit status $status of '$what', expected $1"
}

# expect_err TEXT...: each stands on standard error, as it is
expect_err() {
	local text
	for text; do
		grep -qF -- "$text" "$work/err" || fail_run "'$text' is not in the message"
	done
}

expect_out() {
	local text
	for text; do
		grep -qF -- "$text" "$work/out" || fail_run "'$text' is not on standard output"
	done
}

# refused STATUS TEXT...: ended so, with one line on standard error that has each text in it
refused() {
	local expected=$1
	shift
	expect_status "$expected"
	[[ ! -s $work/out ]] || fail_run "output of a command that was refused"
	[[ $(wc -l <"$work/err") == 1 ]] || fail_run "not one line on standard error"
	expect_err "$@"
}

files_here() {
	(cd "$here" && find . -mindepth 1 | sort)
}

# expect_unchanged LISTING: files_here gives what it gave before
expect_unchanged() {
	diff <(printf '%s\n' "$1") <(files_here) || fail_run "files came or went: '$what'"
}

# prefix_of NAME: of its only run
prefix_of() {
	local found
	mapfile -t found < <(compgen -G "$1_[0-9]*_results.json")
	((${#found[@]} == 1)) || fail "not one $1_..._results.json here: ${found[*]:-none}"
	printf '%s\n' "${found[0]%_results.json}"
}

# check_run PREFIX ARGUMENT...: its files do not contradict each other
check_run() {
	python3 "$SOURCE_DIR/tests/lib/check_run.py" "$@" || fail "contradictions in $1: ${what:-}"
}

# check_last NAME ARGUMENT...: its only run, and what the run has just printed; then its files go
check_last() {
	local prefix
	prefix=$(prefix_of "$1")
	shift
	check_run "$prefix" --stdout "$work/out" --stderr "$work/err" "$@"
	rm "$prefix"_*
}

# result PREFIX EXPRESSION: of jq, on its JSON document
result() {
	jq -er "$2" "$1_results.json" || fail "no $2 in $1_results.json"
}
