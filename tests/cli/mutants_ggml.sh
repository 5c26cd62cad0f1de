#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Graphs of ggml that are wrong in the ways that kernels were, weighed by the command over steelyard_testing: each is
# refused at every quick case, and a reference that gives NaN is called wrong by name.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

attention='mutant-key-tail mutant-wrong-scale mutant-wrong-heads mutant-bf16-values mutant-zeroed-tail mutant-moved mutant-nan'
convolution='mutant-shifted-taps mutant-zeroed-tail mutant-moved mutant-nan'

# weigh OPERATION CASE NAME...: one probe of all these candidates.
weigh() {
    operation=$1
    case_name=$2
    shift 2
    names=$(printf '%s' "$*" | tr -s ' \n' ',,')
    run probe "$operation" --backend ggml:CPU --cases "$case_name" --implementations "$names" --threads 1 --json \
        --seed 11 --max-pairs 10 --budget 5 --wall-limit 600
}

# refuses OPERATION CASE NAME...: each of them fails parity there.
refuses() {
    it "every wrong output of $1 is seen at $2"
    weigh "$@"
    shift 2
    expect_exit 1
    expect_json /decision parity-failed
    i=0
    # shellcheck disable=SC2048 # a list of words
    for name in $*; do
        expect_json "/candidates/$i/name" "$name"
        expect_json "/candidates/$i/decision" parity-failed
        expect_json "/candidates/$i/parity" failed
        i=$((i + 1))
    done
}

weigh convolution-depthwise mobilenetv2-3x3-576-14 direct
if grep -q 'ReserveShadowMemoryRange' "$work/out"; then
    skip 'the workers of this sanitized build do not start under a memory limit'
fi

# shellcheck disable=SC2086 # lists of words
{
    for name in sd15-self-256 sdxl-cross-1024 llama3-8b-chunk-64 gpt2-prefill-256; do
        refuses attention $name $attention
    done
    for name in sd15-in-64-f32 sd15-1x1-320-64 sd15-out-64; do
        refuses convolution $name $convolution
    done
    for name in mobilenetv2-3x3-144-56-stride-2 mobilenetv2-3x3-576-14 convnext-7x7-96-56; do
        refuses convolution-depthwise $name $convolution
    done
    for name in wan-patch-1 r3d-3x3x3-512-7; do
        refuses convolution-3d $name $convolution
    done
}
refuses attention llama3-8b-chunk-64 mutant-mask-ignored

# Fewer bits or one channel of many less are no more than f16 sums may err; small integers show them.
it 'what is within the error of f16 sums is told by the exact stage'
weigh convolution sd15-out-64 mutant-channel-tail mutant-bf16-image
expect_json /candidates/0/error_class tolerance
expect_json /candidates/1/error_class tolerance

it 'a reference that gives NaN is named, and the candidate is not blamed'
run probe attention --backend ggml:CPU --cases gpt2-prefill-256 --reference mutant-nan \
    --implementations mutant-nan,flash --threads 1 --json --seed 11 --max-pairs 10
expect_json /decision parity-failed
checks=$((checks + 1))
case $(json /error) in
    *mutant-nan*'nonfinite: reference'*) ;;
    *) wrong "the error is: $(json /error)" ;;
esac

finish
