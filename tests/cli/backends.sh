#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The list of backends as text and JSON.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

it 'all backends are listed with what they have'
run backends
expect_exit 0
expect_nothing_on err
expect_width 80
expect_says out 'cpu: available'
expect_says out 'command: available'
expect_says out 'fake: available'
expect_says out 'matmul plain available oracle'

it 'the JSON form holds each backend and implementation'
run backends --json
expect_exit 0
expect_nothing_on err
expect_json /schema steelyard.backends/1
expect_json /backends/0/name cpu
expect_json /backends/0/available true
expect_json /backends/0/implementations/0/operation matmul
expect_json /backends/0/implementations/0/name openblas
expect_json /backends/0/implementations/0/role reference
expect_members /backends/0 summary reason devices implementations
expect_members /backends/0/devices/0 name description threads memory_bytes kind
expect_members /backends/0/implementations/1 error_class available reason version path
expect_json /backends/1/name command
expect_json /backends/2/name ggml
expect_json /backends/3/name fake

it 'words after it are refused'
run backends cpu
expect_exit 2
expect_nothing_on out
expect_stderr <<'END'
steelyard backends: 'cpu': backends takes no words
  see: steelyard backends --help
END

it 'colour is never on in a pipe unless asked for'
run backends
expect_not_says out "$(printf '\033')"
run backends --color always
expect_says out "$(printf '\033[1')"
run backends --color never
expect_not_says out "$(printf '\033')"

it 'NO_COLOR yields to an explicit wish'
NO_COLOR=1
export NO_COLOR
run backends --color always
expect_says out "$(printf '\033[1')"
unset NO_COLOR

it 'a UTF-8 locale brings line drawing'
LC_ALL=C.UTF-8
run backends
expect_says out "$(printf '\342\224\200')"
LC_ALL=C
run backends
expect_not_says out "$(printf '\342\224\200')"

finish
