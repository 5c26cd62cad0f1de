#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard measure -- PROGRAM: what is measured, what is refused, and what people ran into. Programs print numbers in
# place of times where a figure matters: no clock decides.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

# A program that keeps a count in the folder where it runs and prints one number of the file `scores` a run.
cat >"$work/scores.sh" <<'END'
#!/bin/sh
n=$(cat count 2>/dev/null || echo 0)
n=$((n + 1))
echo "$n" >count
echo "score $(sed -n "${n}p" scores)"
END
chmod +x "$work/scores.sh"

# score NUMBER...: what it will print, from the beginning.
score() {
    rm -f "$work/count"
    printf '%s\n' "$@" >"$work/scores"
}

scores() {
    run measure --directory "$work" --metric line:score "$@" -- ./scores.sh
}

it 'a program is measured, and where its streams go is said'
run measure --runs 12 -- true
expect_exit 0
expect_nothing_on err
expect_says out 'true '
expect_says out 'Quantile wall'
expect_says out 'runs 12'
expect_says out 'surroundings: standard input null device, output file, error file; addresses '
expect_says out 'timing only: outputs not compared'
expect_width 80

it 'the JSON form says what ran'
run measure --runs 12 --name it --json -- true
expect_exit 0
expect_json /operation command
expect_json /implementation it
expect_json /isolation process
expect_json /parity not-performed
expect_json /measured true
expect_json /series/0/metric wall
expect_json /series/0/run_count 12
expect_json /series/0/batch 1

it 'a number of its own is measured like a time'
score 500 101 102 103 104 105 106 107 108 109 110 111
scores --runs 12
expect_exit 0
expect_says out 'median 106 (98 %: 102..110), n = 11 after a warm-up of 1'
expect_says out 'warm-up: the first of 12 runs gave 4.72 times the rest; no figure counts it'

it 'CMD-3: work that is skipped now and then makes two modes, and no mean'
score 11.1 743.2 743.4 743.1 743.9 11.2 743.6 743.3 743.8 743.7 11.3 743.5 744 742.9 743 11.4 743.2 742.8 743.1 743.6 \
    11.5 743.4 743.3 743.9
scores --runs 24
expect_exit 0
expect_says out 'two modes: 11.3 in 5 of 24 runs, 743 in 19'
expect_not_says out 'median 743 ('

it 'more may be better'
score 50 52 51 53 55 54 56 58 57 59 61 60 62 64 63 65
scores --runs 16 --better higher
expect_says out 'still warming up: the last third is '
expect_says out '% higher than the first'

it 'CMD-1: what goes on in the background voids the run'
run measure --shell sh -- 'echo hello; sleep 30 & true'
expect_exit 5
expect_says out 'left 1 process behind that outlived it'
expect_says out 'shell: sh is /'
expect_not_says out 'median'

it 'CMD-5: output goes to a file, not to the null device, unless that is asked for'
run measure --runs 3 -- sh -c '[ -f /proc/self/fd/1 ]'
expect_exit 0
run measure --output result -- true
expect_exit 2
expect_says err '--output result: must be stdout or null'
run measure --runs 3 --output null -- sh -c '[ -c /proc/self/fd/1 ]'
expect_exit 0
expect_says out 'timing only: output discarded, not compared'

it 'CMD-7: a path with a space and a backslash is one word'
name='Te st\name'
cat >"$work/$name" <<'END'
#!/bin/sh
[ "$1" = 'a  b\c' ]
END
chmod +x "$work/$name"
run measure --runs 3 --directory "$work" -- "./$name" 'a  b\c'
expect_exit 0
run measure --runs 3 --directory "$work" -- "./$name" 'a  b' c
expect_exit 3
expect_says out 'exited 1'

it 'CMD-7: what cannot be started is an error, never a time'
run measure --ignore-failure -- no-such-program-here x
expect_exit 2
expect_says err "cannot start 'no-such-program-here'"
expect_nothing_on out
run measure --ignore-failure -- "$work"
checks=$((checks + 1))
[ "$code" != 0 ] || wrong 'a folder was started'
expect_nothing_on out
cp "$work/scores.sh" "$work/plain"
chmod -x "$work/plain"
run measure -- "$work/plain"
checks=$((checks + 1))
[ "$code" != 0 ] || wrong 'a file that may not be executed was started'
expect_says err "$work/plain"

it 'R-11: the memory of a small program is its own'
run measure --runs 5 --metric memory --json -- true
expect_json /series/0/unit bytes
if ldd "$STEELYARD" | grep -q asan; then
    echo 'the memory of a small program was not looked at: the launcher of a checked build is large itself'
else
    checks=$((checks + 1))
    [ "$(json /series/0/maximum)" -lt 4194304 ] || wrong "$(json /series/0/maximum)"
fi

it 'R-13: with a terminal it gets one, and the record says so'
run measure --runs 3 --terminal -- sh -c '[ -t 0 ] && [ -t 1 ] && [ -t 2 ]'
expect_exit 0
expect_says out 'standard input terminal, output terminal, error terminal'

it 'a failing program is not measured, and its last words are shown'
run measure -- sh -c 'echo all is lost >&2; exit 3'
expect_exit 3
expect_says out 'exited 3; its last words: all is lost'
run measure --json -- sh -c 'exit 3'
expect_exit 3
expect_json /measured false
expect_json /reason 'exited 3'
run measure --ignore-failure --runs 3 -- sh -c 'exit 3'
expect_exit 0

it 'a program that hangs is ended'
run measure --timeout 0.1 -- sleep 30
expect_exit 3
expect_says out 'timed out after 0.1 s'

it 'steps run around each run and around all'
run measure --runs 2 --directory "$work" --setup 'touch a-setup' --prepare 'touch prepared' \
    --conclude 'rm prepared' --cleanup 'touch a-cleanup' -- sh -c '[ -f a-setup ] && [ -f prepared ]'
expect_exit 0
checks=$((checks + 1))
if [ ! -f "$work/a-cleanup" ] || [ -f "$work/prepared" ]; then wrong "$(ls "$work")"; fi

it 'input, environment and folder arrive'
echo hello >"$work/input"
# shellcheck disable=SC2016 # it is the inner shell that expands
run measure --runs 2 --input "$work/input" --env PAD=x --directory / -- sh -c '[ "$(cat)" = hello ] && [ "$PAD" = x ] && [ "$PWD" = / ]'
expect_exit 0

it 'an interruption keeps what was measured'
command_line='measure -- sh -c ..., interrupted'
env --default-signal=INT "$STEELYARD" measure --budget 60 --runs 10000 --directory "$work" -- sh -c 'echo x >>ran; sleep 0.02' \
    >"$work/out" 2>"$work/err" </dev/null &
child=$!
polls=0
until [ -f "$work/ran" ] && [ "$(wc -l <"$work/ran")" -ge 5 ] || [ $polls -ge 300 ]; do
    polls=$((polls + 1))
    sleep 0.1
done
kill -INT $child
code=0
wait $child || code=$?
expect_exit 130
expect_says out 'interrupted: stopped by request'
expect_says out 'Quantile wall'

it 'what only an operation has is refused, and what only a command has'
run measure --cases quick -- true
expect_exit 2
expect_says err '--cases: only for an OPERATION, not for a command'
run measure matmul --shell sh
expect_exit 2
expect_says err '--shell: only for a command'
run measure matmul -- true
expect_exit 2
expect_says err "'matmul' and a command behind --: one thing at a time"
run measure sleep 1
expect_exit 2
expect_says err 'a program: steelyard measure -- sleep 1'
run measure --
expect_exit 2
expect_says err 'no command behind --'
run measure -- true --vs false
expect_exit 2
expect_says err 'steelyard probe -- A --vs B'
run measure --shell sh -- echo 'a b'
expect_exit 2
expect_says err 'for a shell the command is one text, in quotes'
run measure -- ''
expect_exit 2

finish
