#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard run exec killed at any moment: the row is there, the ledger is whole, the device is free, the command is
# gone; a sweep closes what can never end.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/run_exec_support.sh
. "$(dirname -- "$0")/run_exec_support.sh"

cat >"$work/slow.sh" <<'END'
echo $$ >"$0.pid"
i=0
while [ $i -lt 600 ]; do
    echo "sample wall $i ms" >&3
    sleep 0.1
    i=$((i + 1))
done
END

# A dead one whose parent has not looked yet is gone as well.
is_gone() {
    ! grep -q '^State:[^Z]*$' "/proc/$1/status" 2>/dev/null
}

# The command runs, and has said so.
has_begun() {
    [ -s "$work/slow.sh.pid" ]
}

# Kills it when so many seconds have passed, or (begun) while the command runs.
kill_after() {
    "$STEELYARD" run start "$gate" --question "Killed after $1?" >"$work/out" 2>"$work/err" || wrong "$(cat "$work/err")"
    rm -f "$work/slow.sh.pid"
    "$STEELYARD" run exec last --env ORDER -- sh "$work/slow.sh" >"$work/killed" 2>&1 &
    victim=$!
    if [ "$1" = begun ]; then
        wait_until has_begun || wrong 'the command never began'
    else
        sleep "$1"
    fi
    kill -KILL "$victim" 2>/dev/null || true
    wait "$victim" 2>/dev/null || true
    checks=$((checks + 2))
    status=$(last_status)
    case $status in
    planned | running) ;;
    *) wrong "killed after $1, the run is '$status'" ;;
    esac
    ! has_begun || wait_until is_gone "$(cat "$work/slow.sh.pid")" ||
        wrong 'the command lives on'
}

it 'killed at any moment, the run stays visible and nothing lives on'
for after in 0 0.01 0.02 0.04 0.06 0.1 0.15 0.3; do
    kill_after $after
done
kill_after begun
checks=$((checks + 1))
[ "$status" = running ] || wrong "the last of them is $status, not running"

it 'the device is free at once'
run run leases --json
expect_json /leases/0/held false

it 'the ledger is whole'
run ledger verify --json
expect_exit 0

it 'a sweep closes as lost what was running'
run run sweep
expect_exit 0
run run show last
expect_says out 'failed: lost'
run run exec last -- true
expect_exit 1

it 'what was only planned can still be run'
run run start "$gate" --question 'Planned?'
run run exec last --env ORDER
expect_exit 0

finish
