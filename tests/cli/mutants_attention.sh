#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Attentions that are wrong in the ways that real kernels were, weighed by the command over steelyard_testing: each is
# refused at every quick case, and where a mask or the causal rule is at stake, at a case that has one.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

# Wrong in every storage type; with f16 and f32; with f32 alone.
everywhere='mutant-key-tail mutant-last-head mutant-wrong-scale mutant-narrow-sums mutant-nan-last mutant-stale
    mutant-memoised mutant-half-written mutant-zeros mutant-input-changed'
above_bf16='mutant-bf16 mutant-bf16-weights'
above_f16='mutant-tf32'

# weigh CASE NAME...: one probe of all these candidates.
weigh() {
    case_name=$1
    shift
    names=$(printf '%s' "$*" | tr -s ' \n' ',,')
    run probe attention --backend cpu --cases "$case_name" --implementations "$names" --json --seed 11 \
        --max-pairs 10 --budget 5 --wall-limit 600
}

# refuses CASE NAME...: each of them fails parity there.
refuses() {
    it "every wrong output is seen at $1"
    weigh "$@"
    shift
    expect_exit 1
    expect_json /decision parity-failed
    i=0
    # shellcheck disable=SC2048 # a list of words
    for name in $*; do
        expect_json "/candidates/$i/name" "$name"
        expect_json "/candidates/$i/decision" parity-failed
        expect_json "/candidates/$i/reason" parity
        expect_json "/candidates/$i/parity" failed
        i=$((i + 1))
    done
}

if "$STEELYARD" backends 2>/dev/null | grep -q 'openblas.*not found'; then
    skip 'libopenblas.so.0, the reference, is not here'
fi

weigh llama3-8b-decode-512 flash
if grep -q 'ReserveShadowMemoryRange' "$work/out"; then
    skip 'the workers of this sanitized build do not start under a memory limit'
fi

# shellcheck disable=SC2086 # lists of words
{
    refuses sd15-self-256 $everywhere $above_bf16 $above_f16
    refuses gpt2-prefill-256 $everywhere $above_bf16 $above_f16
    refuses sdxl-cross-1024 $everywhere $above_bf16
    refuses llama3-8b-decode-512 $everywhere
}
refuses bert-padded-128 mutant-mask-ignored
refuses gpt2-left-padded-128 mutant-finite-mask mutant-mask-ignored
refuses llama3-8b-chunk-64 mutant-causal-from-start

finish
