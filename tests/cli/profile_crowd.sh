#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# 64 processes that each put 20 profiles into one file at once, and readers meanwhile: nothing is lost.
# shellcheck disable=SC2086 # the words of keys are split on purpose
# In memory where there is such a place: what is tested is the crowd, not how fast a disk writes.
[ ! -w /dev/shm ] || TMPDIR=/dev/shm
export TMPDIR
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"

writer() {
    n=0
    while [ $n -lt 20 ]; do
        "$STEELYARD" profile put --store "$store" $common --structure "writer=$1" --structure "n=$n" --policy "$1.$n" \
            >>"$work/said.$1" 2>>"$work/wrong.$1" || echo "exit code $?" >>"$work/wrong.$1"
        n=$((n + 1))
    done
}

reader() {
    while [ ! -e "$work/done" ]; do
        "$STEELYARD" profile list --store "$store" >/dev/null 2>>"$work/wrong.reader" ||
            echo "exit code $?" >>"$work/wrong.reader"
        sleep 0.1
    done
}

it 'nothing is lost, no reader sees damage'
command_line='profile put, 64 x 20'
writers=
reader &
reading=$!
w=0
while [ $w -lt 64 ]; do
    writer $w &
    writers="$writers $!"
    w=$((w + 1))
done
wait $writers
: >"$work/done"
wait $reading
cat "$work"/wrong.* >"$work/err"
expect_nothing_on err
run profile check "$store"
expect_exit 0
expect_stdout <<END
$store: whole: format 2, 1280 profiles
END
checks=$((checks + 1))
[ "$(sed -n 's/^policy "\(.*\)"$/\1/p' "$store" | sort -u | wc -l)" = 1280 ] || wrong 'some were stored twice'
set -- "$work"/store.tmp.*
checks=$((checks + 1))
[ ! -e "$1" ] || wrong "left behind: $*"

finish
