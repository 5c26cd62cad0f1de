#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# On a terminal: colour, width and the progress line, which is drawn in place, never breaks and is gone at the end.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

command -v script >/dev/null || skip 'no script(1) here, which makes terminals'

cat >"$work/toy.json" <<'END'
{"schema": "steelyard.fake/1", "operation": "toy", "cases": [{"name": "only"}],
 "implementations": [{"name": "slow", "role": "reference", "times": [2000000]}, {"name": "fast", "times": [1500000]}]}
END

# on_terminal COLUMNS COMMAND: what the terminal received, in $work/out; carriage returns at line ends taken away.
on_terminal() {
    command_line=$2
    code=0
    TERM=xterm script -qec "stty cols $1 rows 24 -onlcr; exec $2" /dev/null >"$work/out" 2>"$work/err" </dev/null || code=$?
}

escape=$(printf '\033')

it 'on a terminal the text is coloured'
on_terminal 80 "$STEELYARD backends"
expect_exit 0
expect_says out "${escape}[1"

it 'NO_COLOR keeps it plain, --color never too'
NO_COLOR=1
export NO_COLOR
on_terminal 80 "$STEELYARD backends"
expect_not_says out "${escape}["
unset NO_COLOR
on_terminal 80 "$STEELYARD backends --color never"
expect_not_says out "${escape}["

it 'the text fits the width of the terminal'
for columns in 40 57 80 120; do
    on_terminal $columns "$STEELYARD probe toy --backend fake --script $work/toy.json --seed 7 --color never --quiet"
    expect_exit 0
    expect_width $columns
    on_terminal $columns "$STEELYARD help probe"
    expect_width $columns
done

it 'a terminal narrower than 40 columns gets 40'
on_terminal 20 "$STEELYARD backends --color never"
expect_exit 0
expect_width 40

it 'a quick probe draws no progress line'
before=$(date +%s%N)
on_terminal 80 "$STEELYARD probe toy --backend fake --script $work/toy.json --seed 7 --color never"
if [ $(($(date +%s%N) - before)) -lt 1000000000 ]; then # what takes a second is no quick one
    expect_not_says out "${escape}[J"
else
    echo 'a quick probe was not tried: this machine is too busy for one'
fi

run backends --json
[ "$(json /backends/0/implementations/0/available)" = true ] || {
    echo 'the progress line was not tried: the reference of matmul on cpu is missing here'
    finish
    exit
}

long="$STEELYARD probe matmul --cases square-512 --implementations blocked --rule medians --max-pairs 1000 --budget 2 \
    --color never"

# expect_lines_below N: every drawing of the line, between "erase" and "return", has fewer characters.
expect_lines_below() {
    checks=$((checks + 1))
    tr '\r' '\n' <"$work/out" | sed -n "s/^${escape}\[J\(.*\)/\1/p" >"$work/lines"
    [ -s "$work/lines" ] || wrong 'no line was drawn'
    awk -v most="$1" 'length($0) >= most { exit 1 }' "$work/lines" || wrong "a line of $1 or more: $(cat "$work/lines")"
}

# On a busy machine the budget may end first.
expect_a_decision() {
    checks=$((checks + 1))
    [ "$code" = 0 ] || [ "$code" = 5 ] || wrong "exit code $code, not 0 or 5; stderr: $(cat "$work/err")"
}

it 'a long one draws a line that says what it does, in place'
on_terminal 80 "$long"
expect_a_decision
expect_lines_below 80
checks=$((checks + 1))
grep -q 'weighing pairs [0-9]* of 1000  blocked  .*gain' "$work/lines" || wrong "$(cat "$work/lines")"

it 'the line is erased before the answer'
checks=$((checks + 1))
tr '\r' '\n' <"$work/out" | grep -q "^${escape}\[J\(win\|no-gain\|inconclusive\):" || wrong "$(cat "$work/out")"

it 'in 40 columns it is short'
on_terminal 40 "$long"
expect_a_decision
expect_lines_below 40

it '--quiet draws nothing'
on_terminal 80 "$long --quiet"
expect_a_decision
expect_not_says out "${escape}[J"

it 'in a pipe nothing is drawn'
# shellcheck disable=SC2086 # words
run ${long#"$STEELYARD "}
expect_nothing_on err

finish
