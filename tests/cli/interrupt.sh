#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C, a polite end, a killed parent: what is said, which code, and that no worker stays behind. Real workers on the
# cpu backend; the time that something takes decides nothing, it is only waited for.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

run backends --json
[ "$(json /backends/0/implementations/0/available)" = true ] || skip 'the reference of matmul on cpu is missing here'
env --default-signal=INT true 2>/dev/null || skip 'env cannot reset signals here'
command -v setsid >/dev/null || skip 'no setsid here'

# A probe that would go on for a minute, in a session of its own: $! is its session.
start() {
    command_line="probe matmul --cases square-512 --implementations blocked ... $*"
    env --default-signal=INT,TERM setsid "$STEELYARD" probe matmul --cases square-512 --implementations blocked \
        --rule medians --max-pairs 2000 --budget 60 --wall-limit 60 "$@" \
        >"$work/out" 2>"$work/err" </dev/null &
    session=$!
}

# The processes of the session, one a line. A zombie without a reaper would count.
members() {
    for stat in /proc/[0-9]*/stat; do
        # shellcheck disable=SC2046 # the words after the name are numbers
        set -- $(sed 's/^\([0-9]*\) (.*) /\1 /' "$stat" 2>/dev/null)
        [ "${5:-}" != "$session" ] || echo "$1"
    done
}

# wait_until COMMAND...: polls for at most 20 s.
wait_until() {
    polls=0
    until "$@"; do
        polls=$((polls + 1))
        [ $polls -lt 200 ] || return 1
        sleep 0.1
    done
}

has_workers() {
    [ "$(members | wc -l)" -ge 3 ]
}

is_empty() {
    [ -z "$(members)" ]
}

# Waits for the workers, sends the signal, collects the exit code.
end_by() {
    checks=$((checks + 1))
    wait_until has_workers || wrong 'no workers came'
    sleep 0.5
    kill "-$1" "$session"
    code=0
    wait "$session" 2>/dev/null || code=$?
}

expect_nobody_left() {
    checks=$((checks + 1))
    wait_until is_empty || wrong "still there: $(members | tr '\n' ' ')"
}

it 'Ctrl-C ends it with 130 and says what was measured'
start
end_by INT
expect_exit 130
expect_says out 'interrupted, inconclusive: keep openblas'
expect_nothing_on err
expect_nobody_left

it 'so does a polite request to end, in the JSON form'
start --json
end_by TERM
expect_exit 130
expect_json /interrupted true
expect_json /completed false
expect_json /decision inconclusive
expect_json /winner openblas
expect_nobody_left

it 'a killed parent leaves no worker'
start
end_by KILL
expect_exit 137
expect_nobody_left

finish
