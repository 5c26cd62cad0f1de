#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What decisions have cost and saved, and overrides that measurements contradict.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"

# A win of 10 % (5 % at least) that took 12 s to find; a call of the reference takes 2 ms.
write_store() {
    {
        echo 'steelyard_profiles 2'
        with_check <<'END'
profile exact calibrated
backend "cpu"
operator "attention"
implementation "3"
model_digest "d1"
processor "p"
thread_count 4
measurement "reference_call" 2000000 "ns"
policy "flash"
decision win capped 60 14 14 - 1
gain 0.10 0.05 0.15 14
created 2026-11-30T10:00:00Z
cost 12.5 1
END
    } >"$store"
}
write_store
# shellcheck disable=SC2034 # read by use
key='--backend cpu --operator attention --implementation 3 --model-digest d1 --processor p --threads 4'
use() {
    # shellcheck disable=SC2086 # words
    run profile use --store "$store" $key "$@"
}

it 'a cost without use is said so'
run profile list --store "$store"
expect_exit 0
expect_says out '#1: cost 12.5 s; use is not reported'

it 'a saving is the least that the interval promises'
use --calls 10000
expect_exit 0
expect_says out '10000 calls added'
run profile list --store "$store" --json
expect_json /profiles/0/use/calls 10000
expect_json /profiles/0/balance/saved_seconds_low 1
run profile list --store "$store"
expect_says out 'saved at least 1.00 s in 10,000 calls: pays back after 4 min of use'

it 'calls that were timed need no time of the reference, and it is paid back'
use --calls 31000 --seconds 1900
expect_exit 0
run profile list --store "$store" --json
expect_json /profiles/0/use/calls 41000
expect_json /profiles/0/use/timed_calls 31000
expect_json /profiles/0/balance/pays_back_seconds 237.5
run profile show --store "$store"
expect_says out 'saved at least 101 s in 41,000 calls: paid back after 4 min'

it 'wrong use is refused'
use
expect_exit 2
expect_says err '--calls is missing'
run profile use --store "$store" --backend cpu --operator other --implementation 3 --model-digest d1 --processor p \
    --threads 4 --calls 1
expect_exit 6

it 'an override that measurements contradict is flagged'
# shellcheck disable=SC2086 # words
run profile override --store "$store" $key --policy plain --reason 'a guess'
expect_exit 0
run profile list --store "$store"
expect_says out '#2: calibration says flash, 10.0 % faster (5.0 % to 15.0 %'
run profile list --store "$store" --json
expect_json /profiles/0/contradiction null
# shellcheck disable=SC2086 # words
run profile explain --store "$store" $key
expect_says out 'calibration says flash'

it 'an inconclusive gain claims nothing'
sed -i 's/^decision win/decision undecided/; s/^check .*//' "$store"
{
    echo 'steelyard_profiles 2'
    sed -n '/^profile exact calibrated/,/^end/p' "$store" | grep -v '^end$\|^$' | with_check
} >"$work/undecided"
run profile list --store "$work/undecided"
expect_exit 0
expect_says out 'no saving is proven'

it 'what hardly gains is not said to pay back in days of three hundred digits'
{
    echo 'steelyard_profiles 2'
    printf 'profile exact calibrated\nbackend "b"\noperator "o"\nimplementation "1"\nmodel_digest "m"\nprocessor "p"\nthread_count 1\npolicy "fast"\ndecision win capped 60 14 14 61.5 1\ngain 0.1 1e-300 0.2 14\ncost 10 1\nuse 10 10 5 -\n' | with_check
} >"$work/hardly"
run profile list --store "$work/hardly" --json
expect_exit 0
expect_says out 'pays back after more than 1,000,000 days of use'

finish
