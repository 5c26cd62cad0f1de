#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard gate selftest as its users see it: a quiet key can fail, a noisy one cannot, the same seed gives the same
# figures, the answer is recorded, and what is missing is said.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

: "${MADE_SESSIONS:?the maker of sessions}"
gate=matmul.cpu.square-512.session

# new_project NAME COUNT SPREAD: a project with so many accepted sessions of the gate.
new_project() {
    mkdir "$work/$1"
    cd "$work/$1" || exit 1
    "$STEELYARD" matrix init --quiet >/dev/null
    "$MADE_SESSIONS" .steelyard "$gate" "$2" "$3" 7 || exit 1
}

it 'without a ledger there is nothing to replay'
mkdir "$work/empty"
cd "$work/empty" || exit 1
"$STEELYARD" matrix init --quiet >/dev/null
run gate selftest "$gate"
expect_exit 6
expect_says err 'no ledger in'
expect_says err "steelyard gate command $gate"
expect_nothing_on out
[ ! -e .steelyard/ledger.sqlite ] || wrong 'a ledger was made'

it 'outside of a project it is no question'
cd "$work" || exit 1
run gate selftest "$gate"
expect_exit 2
expect_says err 'steelyard matrix init'

it 'a quiet key can fail'
new_project quiet 12 0.004
run gate selftest "$gate"
expect_exit 0
expect_says out "$gate: can fail"
expect_says out 'wall p50'
expect_says out '10 of 12 sessions as the baseline, 2 new'
expect_says out 'promised: 9.1 % and at most 2 %'
expect_says out 'Slowdown Alarm Fails'
expect_says out '10 % 100.0 % 100.0 %'
expect_width 80

it 'the answer is an event of the ledger, which still verifies'
run ledger verify
expect_exit 0
run ledger export
expect_says out 'selftest'

it 'asking writes nothing, not even where nobody may write'
run ledger verify --json
before=$(json /head/number)
chmod a-w .steelyard .steelyard/*
run gate selftest "$gate" --dry-run --trials 10
expect_exit 0
chmod u+w .steelyard .steelyard/*
run ledger verify --json
expect_json /head/number "$before"

it 'the same seed gives the same figures, another one others'
run gate selftest "$gate" --json --seed 3 --dry-run
expect_exit 0
expect_json /schema steelyard.gate-selftest/1
expect_json /number null
expect_json /tests/0/effects/0/ratio 1
expect_json /tests/0/effects/0/trials 2000
expect_json /tests/0/can_fail true
expect_json /tests/0/seed 3
expect_members /tests/0 gate key metric session_count alpha delta baseline_count new_count repeats alarm_promised \
    as_they_came visible_effect reason
cp "$work/out" "$work/first"
run gate selftest "$gate" --json --seed 3 --dry-run
checks=$((checks + 1))
cmp -s "$work/out" "$work/first" || wrong 'other figures'
run gate selftest "$gate" --json --seed 4 --dry-run
checks=$((checks + 1))
! cmp -s "$work/out" "$work/first" || wrong 'the seed does nothing'

it 'other slowdowns are planted where they are asked for'
run gate selftest "$gate" --json --ratio 1.2,1.5 --trials 100 --dry-run
expect_exit 0
expect_json /tests/0/effects/1/ratio 1.2
expect_json /tests/0/effects/2/trials 100
for ratio in 1 0.5 much; do
    run gate selftest "$gate" --ratio "$ratio"
    expect_exit 2
    expect_says err "--ratio $ratio"
done
run gate selftest "$gate" --trials 0
expect_exit 2

it 'a noisy key cannot fail, and that is a finding'
new_project noisy 12 0.3
run gate selftest "$gate"
expect_exit 1
expect_says out "$gate: cannot fail"
expect_says out "gate-cannot-fail: $gate: wall p50: 1.1 times as slow it fails in"
run gate selftest "$gate" --json --dry-run
expect_exit 1
expect_json /tests/0/can_fail false
expect_json /findings 'array of 1'

it 'fewer than six accepted sessions are too few'
new_project few 5 0.004
run gate selftest "$gate"
expect_exit 1
expect_says err '5 accepted sessions: a self-test needs 6'
expect_says err '1 more'

it 'a gate, a key and a session must be there'
run gate selftest no.such.gate
expect_exit 6
expect_says err "there is no gate 'no.such.gate'"
run gate selftest matmul.cpu.square-512.hot
expect_exit 6
expect_says err 'no accepted session'
run gate selftest "$gate" --key 0123456789ab
expect_exit 6
expect_says err '0123456789ab'
run gate selftest
expect_exit 2

it 'help, pages and completion know it'
run help gate selftest
expect_exit 0
expect_says out 'gate-cannot-fail'
run gate --help
expect_says out 'selftest'
run help --completion bash
expect_says out 'selftest'

finish
