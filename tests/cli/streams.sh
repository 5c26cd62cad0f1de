#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Full disks, closed streams, readers that go away.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

it 'a full disk is exit 4, and said'
command_line='backends >/dev/full'
code=0
"$STEELYARD" backends >/dev/full 2>"$work/err" || code=$?
expect_exit 4
expect_says err 'steelyard backends: standard output: No space left on device'

it 'a stdout that was closed is exit 4 too'
command_line='backends >&-'
code=0
"$STEELYARD" backends >&- 2>"$work/err" || code=$?
expect_exit 4
expect_says err 'steelyard backends: standard output: Bad file descriptor'

it 'a closed stderr costs nothing'
command_line='backends 2>&-'
code=0
"$STEELYARD" backends >"$work/out" 2>&- || code=$?
expect_exit 0
expect_says out 'cpu: available'

it 'a reader that has read enough is no error'
command_line='backends --json | head -n 1'
{ "$STEELYARD" backends --json 2>"$work/err"; echo $? >"$work/code"; } | head -n 1 >"$work/out"
code=$(cat "$work/code")
expect_exit 0
expect_nothing_on err

it 'a reader that never read is no error'
command_line='backends | true'
{ sleep 0.2; "$STEELYARD" backends 2>"$work/err"; echo $? >"$work/code"; } | true
code=$(cat "$work/code")
expect_exit 0
expect_nothing_on err

finish
