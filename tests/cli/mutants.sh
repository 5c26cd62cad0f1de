#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Products that are wrong in the ways that real libraries were, weighed by the command over steelyard_testing: each is
# refused at every case. MUTANT_CASES names the cases (by default the quick ones and one of each other kind).
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

wrong_outputs='mutant-tf32 mutant-bf16 mutant-k-tail mutant-shifted-row mutant-transposed mutant-stale
    mutant-half-written mutant-nan-last mutant-input-changed mutant-memoised mutant-f16-accumulation mutant-zeros'
cases=${MUTANT_CASES-square-64 square-192 square-512 tall-lora llama3-8b-key-8 llama3-8b-key-64
    skinny-resnet-fc skinny-gram gpt2-up-1 batched-32 batched-vit-scores}

# weigh CASE NAME...: one probe of all these candidates.
weigh() {
    case_name=$1
    shift
    names=$(printf '%s' "$*" | tr -s ' \n' ',,')
    run probe matmul --backend cpu --cases "$case_name" --implementations "$names" --json --seed 11 \
        --max-pairs 10 --budget 5 --wall-limit 600
}

if "$STEELYARD" backends 2>/dev/null | grep -q 'openblas.*not found'; then
    skip 'libopenblas.so.0, the reference, is not here'
fi

weigh square-64 twin
if grep -q 'ReserveShadowMemoryRange' "$work/out"; then
    skip 'the workers of this sanitized build do not start under a memory limit'
fi

for case_name in $cases; do
    it "every wrong output is seen at $case_name"
    # shellcheck disable=SC2086 # a list of words
    weigh "$case_name" $wrong_outputs
    expect_exit 1
    expect_json /decision parity-failed
    i=0
    for name in $wrong_outputs; do
        expect_json "/candidates/$i/name" "$name"
        expect_json "/candidates/$i/decision" parity-failed
        expect_json "/candidates/$i/reason" parity
        expect_json "/candidates/$i/parity" failed
        i=$((i + 1))
    done
done

it 'a write past the end of the output is seen'
weigh square-64 mutant-writes-past
expect_exit 1
expect_json /decision parity-failed

it 'an honest twin passes parity, a nondeterministic product is called one'
weigh square-64 twin mutant-nondeterministic
expect_json /candidates/0/parity passed
expect_json /candidates/1/parity passed
expect_json /candidates/0/error_class exact
expect_json /candidates/1/error_class nondeterministic

for end in 'segfault crashed' 'abort crashed' 'exit crashed' 'garbage crashed' 'hang time-out'; do
    it "a candidate whose process ends by ${end% *} is unavailable, and the command goes on to say so"
    weigh square-64 "mutant-${end% *}"
    expect_exit 3
    expect_json /decision unavailable
    expect_json /reason "${end#* }"
done

it 'mutants are not weighed unless they are named'
run backends
expect_not_says out mutant
run backends --json
expect_not_says out mutant

finish
