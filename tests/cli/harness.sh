# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# What the command's tests share: run it, hold stdout, stderr and the exit code against what is expected. Sourced by
# each tests/cli/*.sh; STEELYARD names the command (or the one over steelyard_testing), JSON_VALUE the reader of
# json_value.c, SOURCE_DIR the project's root.

: "${STEELYARD:?the command to test}" "${JSON_VALUE:?the JSON reader}" "${SOURCE_DIR:?the root of the project}"
export LC_ALL=C TERM=dumb
unset NO_COLOR POSIXLY_CORRECT

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
checks=0
subject=
command_line=
code=
shown=

# it SENTENCE: what the next checks are about.
it() {
    subject=$1
}

# A failure elsewhere has to be understood from this: what the command printed stands behind the first of its faults.
wrong() {
    failures=$((failures + 1))
    printf 'not so: %s\n  command: steelyard %s\n  %s\n' "$subject" "$command_line" "$1"
    printed=$(cat "$work/out" "$work/err" 2>/dev/null | cksum)
    [ "$printed" != "$shown" ] || return 0
    shown=$printed
    for stream in out err; do
        [ ! -s "$work/$stream" ] || sed -e "s/^/  std$stream: /" -e 40q "$work/$stream"
    done
}

# Ends a script about stored decisions where none can be kept: in a chroot without control groups, for instance.
need_certain_machine() {
    if "$STEELYARD" select matmul --mode store-only --store "$work/none" 2>&1 | grep -q 'a key fact of this machine'; then
        echo 'skipped: a key fact of this machine is unknown, so that no decision is kept'
        exit 77
    fi
}

# run ARGUMENTS...: the command, its output kept in $work/out and $work/err, its exit code in $code.
run() {
    command_line=$*
    code=0
    "$STEELYARD" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
}

expect_exit() {
    checks=$((checks + 1))
    [ "$code" = "$1" ] || wrong "exit code $code, not $1"
}

# The whole of a stream, as on stdin.
expect_file_is() {
    checks=$((checks + 1))
    cat >"$work/expected"
    diff -u "$work/expected" "$work/$1" >"$work/diff" || wrong "$(cat "$work/diff")"
}

expect_stdout() {
    expect_file_is out
}

expect_stderr() {
    expect_file_is err
}

expect_nothing_on() {
    checks=$((checks + 1))
    [ ! -s "$work/$1" ] || wrong "something on std$1"
}

# expect_says out|err TEXT: the stream, with every run of spaces and newlines as one space, holds the text.
expect_says() {
    checks=$((checks + 1))
    tr -s ' \n' '  ' <"$work/$1" | grep -qF -e "$2" || wrong "std$1 lacks '$2'"
}

expect_not_says() {
    checks=$((checks + 1))
    ! tr -s ' \n' '  ' <"$work/$1" | grep -qF -e "$2" || wrong "std$1 has '$2'"
}

# expect_width N: no line of stdout is longer (stdout is ASCII here: LC_ALL=C).
expect_width() {
    checks=$((checks + 1))
    awk -v most="$1" 'length($0) > most { print; found = 1 } END { exit found }' "$work/out" >"$work/long" ||
        wrong "longer than $1: $(cat "$work/long")"
}

# json POINTER: the value at the pointer in stdout, one line; fails the check if stdout is no JSON.
json() {
    "$JSON_VALUE" "$work/out" "$1"
}

# expect_json POINTER VALUE
expect_json() {
    checks=$((checks + 1))
    found=$(json "$1" 2>&1) || true
    [ "$found" = "$2" ] || wrong "$1 is $found, not $2"
}

# expect_members POINTER NAME...: the object there has all these members.
expect_members() {
    pointer=$1
    shift
    for name in "$@"; do
        checks=$((checks + 1))
        json "$pointer/$name" >/dev/null 2>"$work/json_error" || wrong "$(cat "$work/json_error")"
    done
}

# skip REASON: ends the script as skipped.
skip() {
    echo "skipped: $1"
    exit 77
}

finish() {
    echo "$checks checks, $failures failed"
    [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
}
