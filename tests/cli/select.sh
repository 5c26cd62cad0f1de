#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Keeping a decision and using it again: probe --save, select in another process, misses and their working off.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
need_certain_machine

script=$SOURCE_DIR/tests/data/fake/quiet-win.json
store=$work/cache/profiles
# seeded VERB: the coins of a probe are always the same; a select has no such option.
seeded() {
    [ "$1" != probe ] || echo --seed 1
}
fake() {
    subcommand=$1
    shift
    # shellcheck disable=SC2046 # two words or none
    run "$subcommand" ring --backend fake --script "$script" --store "$store" $(seeded "$subcommand") "$@"
}

it 'nothing is known at first'
fake select
expect_exit 6
expect_says out 'no answer for ring on fake'
expect_says err "the miss was written down in $store.misses"
expect_says out 'store: no profile of ring on fake'
checks=$((checks + 1))
[ "$(grep -c 'no answer for' "$work/out")" = 1 ] || wrong 'the text says twice that there is no answer'
[ -s "$store.misses" ] || wrong 'no file of misses'
fake select --json --quiet
expect_exit 6
expect_nothing_on err
expect_json /implementation null
expect_json /source null
expect_json /timed_runs 0
expect_json /stored false
expect_json /why/0 'store: no profile of ring on fake'
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
expect_says err 'probe 2 of this key, at alpha 0.025; together below 0.1'

it 'a key that was probed too often is not probed at an alpha that cannot decide'
probes=0
while [ $probes -lt 10 ]; do
    probes=$((probes + 1))
    fake probe --save --model-digest often --max-pairs 8
    [ "$code" != 2 ] || break
done
expect_exit 2
expect_says err "this key has been probed $((probes - 1)) times"
expect_says err 'profile remove --here ring'
expect_nothing_on out
fake probe --save --model-digest often
expect_exit 0

it 'a probe of some candidates does not replace a winner that it did not weigh'
cat >"$work/three.json" <<'SCRIPT'
{"schema": "steelyard.fake/1", "operation": "ring", "cases": [{"name": "one"}], "implementations": [
  {"name": "plain", "role": "reference", "law": {"base_ns": 1000000, "model": "quiet"}},
  {"name": "good", "law": {"base_ns": 700000, "model": "quiet"}},
  {"name": "bad", "law": {"base_ns": 1100000, "model": "quiet"}}]}
SCRIPT
three() {
    subcommand=$1
    shift
    # shellcheck disable=SC2046 # two words or none
    run "$subcommand" ring --backend fake --script "$work/three.json" --store "$work/three" $(seeded "$subcommand") "$@"
}
three probe --save --quiet
expect_exit 0
three probe --save --implementations bad
expect_exit 0
expect_says err 'it did not weigh good'
three select --json
expect_json /implementation good

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
expect_says out '1 miss: 1 probed'
[ ! -s "$store.misses" ] || wrong 'the miss is still there'
fake select --json
expect_json /source store

it 'a miss whose decision cannot be stored stays'
rm -rf "$work/cache"
fake select --quiet
echo damaged >"$store"
run select --work-off "$store.misses" --save --store "$store"
expect_exit 3
expect_says out '1 miss: 0 probed, 0 known by now, 1 failed'
expect_says err 'it is not stored'
[ "$(wc -l <"$store.misses")" = 1 ] || wrong 'the miss was taken out'

it 'an interrupted work says so and leaves the misses'
if env --default-signal=INT true 2>/dev/null; then
    rm -rf "$work/cache"
    cat >"$work/hang.json" <<'SCRIPT'
{"schema": "steelyard.fake/1", "operation": "ring", "isolation": "worker", "cases": [{"name": "one"}],
 "implementations": [{"name": "plain", "role": "reference", "law": {"base_ns": 1000000}},
  {"name": "hang", "law": {"base_ns": 900000}, "hang_at": 12}]}
SCRIPT
    run select ring --backend fake --script "$work/hang.json" --store "$store" --quiet
    run select ring --backend fake --script "$work/hang.json" --store "$store" --quiet --model-digest b
    env --default-signal=INT "$STEELYARD" select --work-off "$store.misses" --save --store "$store" \
        >"$work/out" 2>"$work/err" &
    pid=$!
    polls=0
    until [ -n "$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)" ] || [ $polls -ge 200 ]; do # its workers
        polls=$((polls + 1))
        sleep 0.1
    done
    kill -INT "$pid"
    code=0
    wait "$pid" || code=$?
    command_line='select --work-off, interrupted'
    expect_exit 130
    expect_says out '2 misses: 0 probed, 0 known by now, 0 failed, 2 left by the interruption'
    [ "$(wc -l <"$store.misses")" = 2 ] || wrong 'a miss was taken out'
else
    echo 'skipped: env cannot reset signals here'
fi

it 'a probe that is none to keep says so and keeps nothing'
rm -rf "$work/cache"
fake probe --save --rule medians
expect_exit 0
expect_says err 'this probe is not stored: the medians rule'
[ ! -e "$store" ] || wrong 'a store appeared'

it 'an undecided probe is answered by the reference until it expires'
script=$SOURCE_DIR/tests/data/fake/noise.json
fake probe --save --quiet
expect_exit 5
fake select --json
expect_exit 0
expect_json /undecided true
script=$SOURCE_DIR/tests/data/fake/quiet-win.json

it 'a known device is answered by its shortcut, with the evidence, and nothing is kept'
rm -rf "$work/cache"
cat >"$work/known.json" <<'SCRIPT'
{"schema": "steelyard.fake/1", "operation": "ring", "cases": [{"name": "small"}, {"name": "large", "n": 4096}],
 "implementations": [{"name": "plain", "role": "reference", "law": {"base_ns": 1000000, "model": "quiet"}},
  {"name": "fast", "law": {"base_ns": 850000, "model": "quiet"}}],
 "shortcut": {"implementation": "fast", "evidence": "report 7", "date": "2026-01-02", "largest_n": 2560}}
SCRIPT
script=$work/known.json
fake select --cases small --json
expect_exit 0
expect_json /implementation fast
expect_json /source shortcut
expect_json /evidence/text 'report 7'
expect_json /evidence/date 2026-01-02
expect_json /rank null
expect_json /stored false
expect_json /timed_runs 0
expect_json /why/1 'shortcut: report 7 (2026-01-02)'
fake select --cases small --mode probe
expect_exit 0
expect_says out 'shortcut: report 7 (2026-01-02)'
[ ! -e "$work/cache" ] || wrong 'a shortcut left a file'

it 'a shape above the largest proven one is not answered by it'
fake select --cases large --json --quiet
expect_exit 6
expect_json /source null
expect_json /evidence null
expect_json /why/1 \
    "shortcut: passed over: case 'large': n 4096 is above the largest proven one, 2560 (report 7)"
fake select --per-case --quiet
expect_exit 6
expect_says out 'small: fast (shortcut)'
expect_says out "large: shortcut: passed over: case 'large'"

it 'who wants no shortcuts gets none, and the miss is probed'
rm -rf "$work/cache"
fake select --cases small --no-shortcuts --json --quiet
expect_exit 6
expect_json /why/1 'shortcut: none is asked for'
run select --work-off "$store.misses" --save --store "$store"
expect_exit 0
expect_says out '1 miss: 1 probed'
fake select --cases small --json
expect_json /source store
expect_json /rank calibrated-exact
run select --work-off "$store.misses" --save --no-shortcuts
expect_exit 2
expect_says err '--no-shortcuts: not with --work-off'
script=$SOURCE_DIR/tests/data/fake/quiet-win.json

it 'what is wrong is said'
rm -rf "$work/cache"
run select
expect_exit 2
expect_says err 'no OPERATION is given'
run select --work-off "$store.misses"
expect_exit 2
expect_says err 'needs --save'
run select ring --work-off "$store.misses" --save
expect_exit 2
run select --work-off "$store.misses" --save --threads 2
expect_exit 2
expect_says err '--threads: not with --work-off'
run select --work-off "$store.misses" --save --model-digest abc
expect_exit 2
fake select --save
expect_exit 2
expect_says err 'only with --work-off'
fake select --force-portable
expect_exit 2
expect_says err 'no structure'
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
checks=$((checks + 1))
! grep -q "$script:" "$work/err" || wrong 'the damage is said to be in the script'
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
