#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Keeping a decision and using it again: probe --save, select in another process, misses and their working off.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

script=$SOURCE_DIR/tests/data/fake/quiet-win.json
store=$work/cache/profiles
fake() {
    subcommand=$1
    shift
    run "$subcommand" ring --backend fake --script "$script" --store "$store" "$@"
}

it 'nothing is known at first'
fake select
expect_exit 6
expect_says out 'no answer for ring on fake'
expect_says err 'the miss was written down'
[ -s "$store.misses" ] || wrong 'no file of misses'
fake select --json --quiet
expect_exit 6
expect_nothing_on err
expect_json /implementation null
expect_json /source null
expect_json /timed_runs 0
[ "$(wc -l <"$store.misses")" = 1 ] || wrong 'a miss was written twice'

it 'a miss is not written down where only the store is asked'
rm -f "$store.misses"
fake select --mode store-only
expect_exit 6
[ ! -e "$store.misses" ] || wrong 'a file of misses appeared'

it 'what probe keeps, select answers in another process without a timed run'
fake probe --save
expect_exit 0
expect_says out 'win: use fast'
expect_says err "kept in $store"
fake select --json
expect_exit 0
expect_json /schema steelyard.selection/1
expect_json /implementation fast
expect_json /source store
expect_json /rank calibrated-exact
expect_json /timed_runs 0
expect_json /prior false
expect_json /undecided false
expect_members /key backend operator implementation_version model_digest processor thread_count
fake select
expect_exit 0
expect_says out 'use fast for ring on fake'
expect_width 80

it 'another model is another key'
fake select --model-digest abc --mode store-only
expect_exit 6
expect_says out 'nearest: different model'

it 'the second probe of a key runs at half of alpha'
fake probe --save --json
expect_exit 0
expect_json /alpha 0.025
grep -q '^decision win capped 60 .* 2$' "$store" || wrong "not the second probe: $(grep '^decision' "$store")"

it 'select may probe by itself'
rm -rf "$work/cache"
fake select --mode probe --json
expect_exit 0
expect_json /source probe
expect_json /implementation fast
fake select --mode probe --json
expect_json /source store
expect_json /timed_runs 0

it 'misses are worked off in another process'
rm -rf "$work/cache"
fake select --quiet
run select --work-off "$store.misses" --save --store "$store"
expect_exit 0
expect_says out '1 misses: 1 probed'
[ ! -s "$store.misses" ] || wrong 'the miss is still there'
fake select --json
expect_json /source store

it 'a probe that is none to keep says so and keeps nothing'
rm -rf "$work/cache"
fake probe --save --rule medians
expect_exit 0
expect_says err 'this probe is not stored: the medians rule'
[ ! -e "$store" ] || wrong 'a store appeared'

it 'an undecided probe is answered by the reference until it expires'
script=$SOURCE_DIR/tests/data/fake/noise.json
fake probe --save --quiet --seed 1
expect_exit 5
fake select --json
expect_exit 0
expect_json /undecided true
script=$SOURCE_DIR/tests/data/fake/quiet-win.json

it 'what is wrong is said'
run select
expect_exit 2
expect_says err 'no OPERATION is given'
run select --work-off "$store.misses"
expect_exit 2
expect_says err 'needs --save'
run select ring --work-off "$store.misses" --save
expect_exit 2
run select --work-off "$work/none" --save
expect_exit 2
expect_says err "$work/none"
echo '{"schema": "steelyard.miss/1"' >"$work/damaged"
run select --work-off "$work/damaged" --save --store "$store"
expect_exit 4
expect_says err "$work/damaged:1:"
echo damaged >"$work/store"
store=$work/store
fake select
expect_exit 6
fake probe --save
expect_exit 4
expect_says out 'win: use fast'
[ "$(cat "$work/store")" = damaged ] || wrong 'a damaged store was written'

it 'a real operation is answered without opening an implementation library'
store=$work/real/profiles
if command -v strace >/dev/null && strace -e trace=none true 2>/dev/null; then
    # A leak checker cannot work under strace.
    ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" strace -f -e trace=open,openat,execve -o "$work/trace" "$STEELYARD" select matmul --cases quick --store "$store" >"$work/out" 2>"$work/err"
    code=$?
    command_line='select matmul under strace'
    expect_exit 6
    checks=$((checks + 1))
    ! grep -E 'libopenblas|libblis|libdnnl' "$work/trace" || wrong 'an implementation library was opened'
    checks=$((checks + 1))
    [ "$(grep -c execve "$work/trace")" = 1 ] || wrong 'another process was started'
else
    echo 'skipped the last check: strace cannot trace here'
fi

finish
