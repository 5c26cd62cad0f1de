#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Convolution on this machine's processor: what is listed, what is weighed by which name, what oneDNN's list does to
# stored decisions.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

store=$work/profiles
small=mobilenetv2-3x3-576-14

it 'what is built in is listed without asking any library, and that there is more is said'
run backends
expect_exit 0
expect_width 80
expect_says out 'convolution im2col'
expect_says out 'convolution direct available candidate'
expect_says out 'convolution onednn'
expect_says out 'convolution plain available oracle'
expect_says out 'each implementation that oneDNN lists'
expect_not_says out 'onednn:jit'

run backends --json
if grep -q 'libopenblas.so.0 not found' "$work/out"; then
    skip 'libopenblas.so.0, under the reference, is not here'
fi
if grep -q 'libdnnl.so.2 or .3 not found' "$work/out"; then
    skip 'libdnnl.so.2 is not here'
fi

it 'a shape that does not suit an implementation makes it unavailable, and the reason says whose word it is'
run probe convolution --cases "$small" --implementations im2col,onednn:x64:gemm:jit,onednn:brgconv:avx512_core \
    --max-pairs 10 --budget 5 --wall-limit 100 --seed 3 --json
if [ "$code" = 2 ]; then
    expect_says err 'has no implementation'
    skip "another processor's list: $(head -1 "$work/err")"
fi
expect_json /operation convolution
expect_json /candidates/0/name onednn:x64:gemm:jit
expect_json /candidates/0/parity passed
expect_json /candidates/1/name onednn:brgconv:avx512_core
expect_json /candidates/1/decision unavailable
expect_json /candidates/1/reason unsupported
expect_says out 'does not list it for this shape'

it 'a name that the library does not list here is unknown'
run probe convolution --cases "$small" --implementations onednn:nothing
expect_exit 2
expect_says err "convolution has no implementation 'onednn:nothing'"

it 'Winograd is of class tolerance, and right within it'
run probe convolution --cases resnet50-3x3-64-56 --implementations im2col,onednn:jit_wino_4x3:avx512_core \
    --max-pairs 8 --budget 5 --wall-limit 100 --seed 3 --json
expect_json /candidates/0/error_class tolerance
expect_json /candidates/0/parity qualified

it 'the library may be told to list less'
ONEDNN_MAX_CPU_ISA=AVX2
export ONEDNN_MAX_CPU_ISA
run probe convolution --cases resnet50-3x3-64-56 --implementations onednn:jit_wino_4x3:avx512_core
expect_exit 2
expect_says err 'has no implementation'
unset ONEDNN_MAX_CPU_ISA

need_certain_machine

it 'what was stored with the longer list was stored for a different processor'
run probe convolution --cases "$small" --implementations im2col,direct --max-pairs 20 --seed 3 --wall-limit 100 \
    --save --store "$store" --quiet
[ -s "$store" ] || wrong 'nothing was stored'
run profile explain --here convolution --cases "$small" --store "$store"
expect_exit 0
ONEDNN_MAX_CPU_ISA=AVX2
export ONEDNN_MAX_CPU_ISA
run profile explain --here convolution --cases "$small" --store "$store"
expect_exit 6
expect_says out 'different processor'
expect_says out 'env.ONEDNN_MAX_CPU_ISA'
run select convolution --cases "$small" --store "$store" --mode store-only
expect_exit 6
expect_says out 'nearest: different processor'
unset ONEDNN_MAX_CPU_ISA

finish
