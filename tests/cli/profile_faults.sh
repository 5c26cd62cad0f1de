#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard profile while the kernel refuses, or kills, at every system call that the real command makes once it has
# named its store: the file is the old one or the new one, success means new, and the next command goes on.
# STEELYARD_ALL_FAULTS=1: each call with each errno, not with one after the other.
# shellcheck disable=SC2086 # the words of keys are split on purpose
[ ! -w /dev/shm ] || TMPDIR=/dev/shm
export TMPDIR
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"
export ASAN_OPTIONS=detect_leaks=0 # it cannot look for leaks in what is traced

command -v strace >/dev/null || skip 'strace is not installed'
strace -o "$work/trace" -e inject=close:error=EIO:when=1000 "$STEELYARD" version >/dev/null 2>"$work/err" ||
    skip "strace may not trace here: $(head -n 1 "$work/err")"

errors_a_call=1
errors='ENOSPC EDQUOT EROFS EACCES EIO EINTR EBUSY EXDEV'
[ -z "${STEELYARD_ALL_FAULTS:-}" ] || errors_a_call=8

# What is the same whenever it was written.
content() {
    sed -e '/^created /d' -e '/^check /d' "$1"
}

# The old file again, in one step: somebody reads it all the while.
restore() {
    cp "$1" "$work/next" && mv "$work/next" "$store"
}

reader() {
    while [ ! -e "$work/done" ]; do
        content "$store" 2>&1 | cksum >>"$work/seen"
        "$STEELYARD" profile check "$store" >/dev/null 2>"$work/reader" || [ -e "$work/damaged" ] ||
            cat "$work/reader" >>"$work/wrong"
        sleep 0.02
    done
}

# Names and numbers of the calls behind the first that names the store: "openat 31", a line each.
calls_of() {
    restore "$work/before"
    strace -f -qq -o "$work/trace" "$STEELYARD" "$@" >"$work/out" 2>"$work/err" </dev/null || wrong "it fails: $*"
    awk -v store="$store" '
        { sub(/^[0-9]+ +/, "") }
        match($0, /^[a-z0-9_]+\(/) {
            name = substr($0, 1, RLENGTH - 1)
            count[name]++
            if (name != "execve" && index($0, "\"" store)) named = 1
            if (named && name !~ /^(exit_group|munmap)$/) print name, count[name]
        }' "$work/trace"
}

# try CALL NUMBER WHAT COMMAND...: WHAT is error=E or signal=KILL.
try() {
    call=$1
    what=$3
    injected="$1:$3:when=$2"
    shift 3
    restore "$work/before"
    command_line="$* under $injected"
    code=0
    strace -f -qq -o "$work/trace" -e trace="$call" -e inject="$injected" "$STEELYARD" "$@" >"$work/out" 2>"$work/err" \
        </dev/null || code=$?
    checks=$((checks + 1))
    content "$store" >"$work/found" || wrong 'there is no file any more'
    if cmp -s "$work/found" "$work/new"; then
        "$STEELYARD" profile check "$store" >/dev/null 2>&1 || wrong 'what was written is damaged'
    elif cmp -s "$store" "$work/before"; then
        [ $code != 0 ] || wrong 'success, and the file is the old one'
    else
        wrong "neither old nor new: $(cat "$work/found")"
    fi
    case $what in
    # A file that was written in the same tick of the clock is read once more: some calls are not there each time.
    signal=*) [ $code = 137 ] || [ $code = 0 ] || wrong "exit code $code of a killed process" ;;
    # What the C library writes to standard output it gives up at a signal; that is said, and the store is written.
    error=EINTR) [ $code = 0 ] || grep -q 'standard output' "$work/err" || case $call in openat | read | write | fsync | rename* | flock | ftruncate | *stat*)
        wrong 'a signal that came in between ended it' ;;
    esac ;;
    *)
        [ $code -lt 128 ] || wrong "it died: $code"
        [ $code = 0 ] || [ "$call" = write ] || [ -s "$work/err" ] || wrong "exit code $code without a word"
        ;;
    esac
}

# all_faults COMMAND...: on $work/before, which it is to change.
all_faults() {
    calls_of "$@" >"$work/calls"
    content "$store" >"$work/new"
    [ "$(wc -l <"$work/calls")" -gt 10 ] || wrong 'hardly a call was seen'
    rm -f "$work/done" "$work/seen"
    restore "$work/before"
    reader &
    reading=$!
    while read -r call number; do
        try "$call" "$number" signal=KILL "$@"
        turns=0
        while [ $turns -lt $errors_a_call ]; do
            try "$call" "$number" "error=${errors%% *}" "$@"
            errors="${errors#* } ${errors%% *}"
            turns=$((turns + 1))
        done
    done <"$work/calls"
    : >"$work/done"
    wait $reading
    { content "$work/before" | cksum && cksum <"$work/new"; } | sort -u >"$work/legal"
    sort -u "$work/seen" | comm -13 "$work/legal" - >"$work/illegal"
    checks=$((checks + 1))
    [ ! -s "$work/illegal" ] || wrong 'a reader saw something that is neither old nor new'
    [ ! -s "$work/wrong" ] || wrong "a reader failed: $(cat "$work/wrong")"
    echo "$*: $(wc -l <"$work/calls") calls"
}

put $portable --policy first
put $exact --policy second
put --structure dtype=f16 --policy third
cp "$store" "$work/before"
cp "$store" "$work/whole"

it 'put'
all_faults profile put --store "$store" $common --structure dtype=bf16 --policy new
it 'merge'
run profile put --store "$work/other.store" $common --structure dtype=f8 --policy elsewhere
all_faults profile merge "$work/other.store" --into "$store"
it 'convert'
all_faults profile convert --store "$store" --format 1
it 'remove'
all_faults profile remove --store "$store" $common $exact
it 'repair'
: >"$work/damaged"
sed 's/^policy "second"/policy "sec0nd"/' "$work/whole" >"$work/before"
all_faults profile repair "$store"

it 'the next command tidies up'
run profile put --store "$store" $common --structure dtype=bf16 --policy last
expect_exit 0
set -- "$store".tmp.*
checks=$((checks + 1))
[ ! -e "$1" ] || wrong "left behind: $*"
finish
