#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Convolutions that are wrong in the ways that real libraries were, weighed by the command over steelyard_testing: each
# is refused at every case where its fault is one.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

everywhere='mutant-tf32 mutant-tf32-tolerant mutant-channel-tail mutant-filter-tail mutant-stride
    mutant-shifted-column mutant-stale mutant-memoised mutant-nan-last'

# weigh CASE NAME...: one probe of all these candidates.
weigh() {
    case_name=$1
    shift
    names=$(printf '%s' "$*" | tr -s ' \n' ',,')
    run probe convolution --backend cpu --cases "$case_name" --implementations "$names" --json --seed 11 \
        --max-pairs 10 --budget 5 --wall-limit 600
}

# refuses CASE NAME...: all of them are seen.
refuses() {
    weigh "$@"
    shift
    expect_exit 1
    expect_json /decision parity-failed
    i=0
    for name in "$@"; do
        expect_json "/candidates/$i/name" "$name"
        expect_json "/candidates/$i/decision" parity-failed
        expect_json "/candidates/$i/reason" parity
        expect_json "/candidates/$i/parity" failed
        i=$((i + 1))
    done
}

if "$STEELYARD" backends 2>/dev/null | grep -q 'openblas.*not found'; then
    skip 'libopenblas.so.0, under the reference, is not here'
fi
weigh mobilenetv2-3x3-576-14 direct
if grep -q 'ReserveShadowMemoryRange' "$work/out"; then
    skip 'the workers of this sanitized build do not start under a memory limit'
fi

it 'at a depthwise case'
# shellcheck disable=SC2086 # a list of words
refuses mobilenetv2-3x3-576-14 $everywhere mutant-ones-around mutant-flipped mutant-groups-ignored

it 'at a case of 3x3'
# shellcheck disable=SC2086 # a list of words
refuses resnet50-3x3-64-56 $everywhere mutant-ones-around mutant-flipped

it 'at a case with a stride, a wide frame and 3 channels'
# shellcheck disable=SC2086 # a list of words
refuses resnet50-7x7-3-224 $everywhere mutant-ones-around mutant-flipped

it 'at a case of 1x1'
# shellcheck disable=SC2086 # a list of words
refuses resnet50-1x1-1024-256-14 $everywhere

it 'at a case of groups'
# shellcheck disable=SC2086 # a list of words
refuses resnext50-3x3-128-56 $everywhere mutant-ones-around mutant-flipped mutant-groups-ignored

it 'where the sums are longest, K = 11520'
refuses sd15-3x3-1280-8 mutant-tf32 mutant-tf32-tolerant mutant-channel-tail mutant-flipped

it 'a fault that is none at a shape makes its mutant unavailable there'
weigh resnet50-1x1-1024-256-14 mutant-flipped
expect_exit 3
expect_json /decision unavailable

it 'the honest are right, and mutants are not weighed unless they are named'
weigh resnet50-3x3-64-56 direct
expect_json /candidates/0/parity passed
run backends
expect_not_says out mutant

finish
