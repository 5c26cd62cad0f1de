#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Commands in place of an operation: what is weighed, what is refused, what stands in the result. Decisions rest on
# numbers that the commands print, never on how long they take.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
TMPDIR=$work
export TMPDIR
cd "$work" || exit 1

# script NAME: an executable shell script of what stands on stdin.
script() {
    { echo '#!/bin/sh'; cat; } >"$work/$1"
    chmod +x "$work/$1"
}

# weigh ARGUMENTS...: with a printed score, quickly.
weigh() {
    run probe --metric line:score --seed 1 "$@"
}

# Sleepers of this run of the test alone, each known by how long it would sleep.
own=$$
# is_gone SECONDS: none is left.
is_gone() {
    ! pgrep -f "^sleep $1\$" >/dev/null
}

script score <<'END'
echo "score: $1"
echo alike
END

it 'the lower number wins, and the result says which number it was'
weigh --reference './score 200' --candidate './score 100' --name old --name new --json
expect_exit 0
expect_json /decision win
expect_json /winner new
expect_json /reference old
expect_json /pairs 5
expect_json /metric/name line:score
expect_json /metric/better lower
expect_json /reference_total_ns null
expect_json /reference_total_value 200
expect_json /samples/0/candidate_value 100
expect_json /cases/0/parity/outcome passed
expect_json /isolation process
expect_json /carry_over null
expect_json /candidates/0/path "$work/score"

it 'of what is better higher, the higher number wins'
weigh --better higher --reference './score 100' --candidate './score 200' --json
expect_exit 0
expect_json /decision win
expect_json /gain_low 0.5
expect_json /candidate_total_value 200
expect_json /samples/0/reference_value 100

it 'not slower: 0 when shown, 1 when shown to be slower'
weigh --question not-slower --reference './score 100' --candidate './score 100'
expect_exit 0
expect_says out 'not-slower: ./score 100 (2) may take the place of ./score 100'
weigh --question not-slower -- ./score 100 --vs ./score 110
expect_exit 1
expect_says out 'slower: keep ./score 100'

it 'several candidates: the best of them is weighed to the end'
weigh --reference './score 100' --candidate './score 90' --candidate './score 50' --json
expect_exit 0
expect_json /winner './score 50'
expect_json /candidates/0/decision inconclusive

it 'a table of the commands stands in the text'
weigh --reference './score 200' --candidate './score 100'
expect_exit 0
expect_width 80
expect_says out 'line:score, as printed; lower is better'
expect_says out './score 200 reference 200'
expect_says out './score 100 win 50.0 % 100'
expect_says out 'outputs the same as the reference'

it 'a candidate that fails is never timed'
run probe --reference true --candidate "sh -c 'echo bad luck >&2; exit 3'" --json
expect_exit 3
expect_json /decision unavailable
expect_json /reason 'candidate exited 3'
expect_json /candidates/0/detail 'exited 3; its last words: bad luck'
expect_json /pairs 0
expect_json /gain null

it 'a reference that fails likewise'
run probe --reference false --candidate true --json
expect_exit 3
expect_json /reason 'reference exited 1'
expect_json /winner null

it 'a signal is named'
run probe --reference true --candidate "sh -c 'kill -SEGV \$\$'" --json
expect_exit 3
expect_json /reason 'candidate died of signal 11 (SIGSEGV)'

it 'a command past its time-out is ended with all its processes'
script deaf <<END
trap '' TERM
sleep 97.$own &
sleep 97.$own
END
run probe --timeout 2 --reference true --candidate ./deaf --json # two seconds: the reference must never need them
expect_exit 3
expect_json /reason 'candidate timed out after 2 s'
checks=$((checks + 1))
is_gone "97.$own" || wrong 'a process of it is left'

it 'exit codes other than 0 are compared when they are no failure'
run probe --ignore-failure --metric line:score --reference "sh -c './score 2; exit 1'" --candidate "sh -c './score 1; exit 1'" --json
expect_exit 0
expect_json /decision win
run probe --ignore-failure --reference false --candidate true --json
expect_exit 1
expect_json /cases/0/parity/reason 'exited 0 where the reference exited 1'

it 'a program that is not there, or may not be run, is an error before anything runs'
run probe --reference nowhere-to-be-found --candidate true
expect_exit 2
expect_nothing_on out
expect_says err "the reference: cannot start 'nowhere-to-be-found': no program of that name in PATH"
echo hello >"$work/plain"
run probe --reference true --candidate ./plain
expect_exit 4
expect_says err "a candidate: cannot start './plain': Permission denied"
expect_says err 'chmod +x'

it 'what only a shell understands is refused without one, and goes with one'
run probe --reference 'cat a | wc' --candidate true
expect_exit 2
expect_says err "'|', which only a shell understands, at column 7 of 'cat a | wc'"
expect_says err '--shell sh'
run probe --shell sh --reference 'echo x | cat' --candidate 'echo "x"' --max-pairs 5 --json
expect_json /cases/0/parity/outcome passed

it 'empty commands, one command and commands given twice are refused'
run probe --reference ' ' --candidate true
expect_exit 2
expect_says err 'an empty command'
run probe --candidate true
expect_exit 2
expect_says err 'a --candidate without a --reference'
run probe --reference true
expect_exit 2
expect_says err 'a --reference without a --candidate'
run probe -- ./old data.txt
expect_exit 2
expect_says err "one command, './old', is no comparison"
expect_says err 'steelyard measure -- A times one'
run probe -- --vs true
expect_exit 2
expect_says err 'an empty command before --vs'
run probe -- true --vs
expect_exit 2
expect_says err 'an empty command after --vs'
run probe --candidate true -- true --vs true
expect_exit 2
expect_says err 'commands are given twice'
run probe --reference true --candidate true --name a --name b --name c
expect_exit 2
expect_says err '3 names for 2 commands'

it 'options of the one kind mean nothing to the other'
run probe matmul --prepare true
expect_exit 2
expect_says err '--prepare: only for commands'
run probe --reference true --candidate true --threads 2
expect_exit 2
expect_says err '--threads: only for an OPERATION'
run probe --reference true --candidate true --save
expect_exit 2
expect_says err 'a decision about commands is not kept'

it 'outputs that differ: where, both, and what would help'
run probe --reference "printf 'one\\ntwo\\n'" --candidate "printf 'one\\ntoo\\n'" --json
expect_exit 1
expect_json /decision parity-failed
expect_json /cases/0/parity/reason 'stdout differs at line 2, column 2: "too", expected "two"'
run probe --reference 'date +%T.%N' --candidate 'date +%T.%N'
expect_exit 1
expect_says out 'it looks like a time or date: --ignore-lines RE leaves such lines out'
run probe --reference "sh -c 'date +%T.%N; echo same'" --candidate "sh -c 'date +%T.%N; echo same'" --ignore-lines '^[0-9:.]+$' --max-pairs 5 --json
expect_json /cases/0/parity/outcome passed

it 'a command whose output changes from run to run is wrong however it began'
script fickle <<'END'
echo "score: 100"
echo x >>"$1"
[ "$(wc -l <"$1")" -lt 4 ] && echo steady || echo fickle
END
weigh --reference './fickle runs' --candidate './score 100' --ignore-lines alike --ignore-lines steady --json
expect_exit 1
expect_json /decision parity-failed
expect_says out 'not as before: stdout differs at line 2, column 1'

# R-15: how many numbers differ, of how many, and the first.
it 'numbers are compared one by one, and NaN equals only NaN'
run probe --compare numbers:0,1e-3 --reference 'echo 1 2 3' --candidate 'echo 1 2.01 3' --json
expect_exit 1
expect_json /cases/0/parity/reason 'stdout: 1 of 3 numbers differ, first at line 1, column 3: 2.01, expected 2'
expect_json /cases/0/parity/worst_index 1
run probe --compare numbers:0,0 --reference 'echo 1 NaN' --candidate 'echo 2 NaN' --json
expect_json /cases/0/parity/wrong_count 1
expect_json /cases/0/parity/element_count 2
run probe --compare numbers:0,1e-3 --max-pairs 5 --reference 'echo x 1000 y' --candidate 'echo x 1000.5 y' --json
expect_json /cases/0/parity/outcome passed
run probe --compare number:1 --reference true --candidate true
expect_exit 2

# CMD-5: a program that notices the null device must not find one where outputs are compared.
it 'outputs are files on both sides; discarded ones are timing only'
run probe --reference 'stat -Lc %F /proc/self/fd/1' --candidate 'stat -Lc %F /proc/self/fd/1' --max-pairs 5 --show-output --quiet --json
expect_says err 'regular empty file'
expect_json /cases/0/parity/outcome passed
run probe --output null --compare none --metric line:score --reference "sh -c './score 2 >&2'" --candidate "sh -c './score 1 >&2'" --json
expect_exit 0
expect_json /candidates/0/parity not-performed
expect_says out 'timing only: output discarded, not compared'
run probe --output null --reference true --candidate true
expect_exit 2
expect_says err 'nothing else would be compared'

it 'files that the commands write are compared, and removed before each run'
script writes <<'END'
echo "score: $1"
[ ! -e result ] || echo stale
[ -z "$2" ] || echo "$2" >result
END
weigh --output stdout --output result --reference './writes 2 x' --candidate './writes 1 x' --json
expect_exit 0
weigh --output result --reference './writes 2 x' --candidate './writes 1 y' --json
expect_exit 1
expect_json /cases/0/parity/reason 'result differs at line 1, column 1: "y", expected "x"'
weigh --output result --reference './writes 2 x' --candidate './writes 1' --json
expect_exit 3
expect_says out "did not write 'result': No such file or directory"

it 'a file that is there already is nobody'"'"'s output, and is kept; a pipe by its name is waited for by nobody'
echo mine >mine
weigh --output mine --reference './score 2' --candidate './score 1'
expect_exit 2
expect_says err "output 'mine' is there already: it would be removed before each run"
[ "$(cat mine)" = mine ] || wrong 'the file was changed'
run probe --output pipe --reference 'mkfifo pipe' --candidate 'mkfifo pipe'
expect_exit 3
expect_says out "wrote 'pipe', which is no regular file"
[ ! -e pipe ] || wrong 'the pipe is still there'

it 'the steps run in their order, in their folder, with their variables'
mkdir "$work/folder"
script steps <<'END'
echo "$1" >>"$LOG"
END
run probe --directory folder --env "LOG=$work/log" --max-pairs 5 --question not-slower --metric memory --setup '../steps setup' --prepare '../steps prepare' \
    --conclude '../steps conclude' --cleanup '../steps cleanup' --reference '../steps run' --candidate '../steps run' --json
checks=$((checks + 1))
awk 'NR == 1 && $0 != "setup" || NR > 1 && $0 !~ (NR % 3 == 2 ? "prepare|cleanup" : NR % 3 == 0 ? "run" : "conclude") { bad = 1 }
     END { exit bad || $0 != "cleanup" || NR < 20 }' "$work/log" || wrong "$(cat "$work/log")"

it 'a step that fails ends it with its last words'
run probe --setup "sh -c 'echo no disk >&2; exit 2'" --reference true --candidate true
expect_exit 3
expect_says err 'could not be measured: --setup exited 2'
expect_says err 'no disk'
run probe --prepare false --reference true --candidate true --json
expect_exit 3
expect_json /reason 'reference could not be measured: --prepare exited 1'

it 'standard input is a file from its beginning, or empty, and must not be changed'
echo 'score: 7' >"$work/in"
weigh --input in --reference cat --candidate cat --max-pairs 5 --json
expect_json /samples/0/reference_value 7
weigh --input in --reference cat --candidate "sh -c 'cat; echo >>in'" --json
expect_exit 1
expect_says out 'was changed by the run'
weigh --input nowhere --reference cat --candidate cat
expect_exit 2
run probe --reference 'wc -c' --candidate 'echo 0' --max-pairs 5 --json
expect_json /cases/0/parity/outcome passed

it 'a weighing for each parameter, a table of all, and the worst exit code'
weigh --parameter n=1 --parameter m=x --parameter n=2 --reference './score {n}' --candidate './score {n}'
expect_exit 2
expect_says err '--parameter n is given twice'
weigh --parameter n=100,300 --parameter m=x,y --reference './score 200' --candidate './score {n} {m}' --json
expect_exit 0
expect_json /schema steelyard.weighings/1
expect_json /weighings/0/cases/0/name 'n=100 m=x'
expect_json /weighings/0/decision win
expect_json /weighings/3/cases/0/name 'n=300 m=y'
expect_json /weighings/3/decision no-gain
weigh --question not-slower --parameter n=100,300 --reference './score 200' --candidate './score {n}'
expect_exit 1
expect_says out 'All weighings'
expect_says out 'n=100 not-slower 50.0 %'
expect_says out 'n=300 slower -50.0 %'

it 'the number that is missing or ambiguous is no time'
weigh --reference './score 1' --candidate 'echo alike' --json
expect_exit 3
expect_json /reason 'candidate printed no number for line:score'
weigh --reference './score nan' --candidate './score 1' --json
expect_exit 3
expect_says out 'printed nan for line:score'
run probe --metric json:/a/0/b --reference "echo '{\"a\": [{\"b\": 4}]}'" --candidate "echo '{\"a\": [{\"b\": 2}]}'" --compare none --json
expect_exit 0
expect_json /samples/0/reference_value 4
run probe --metric 'regex:took ([0-9.]+) s' --reference 'echo it took 4.5 s' --candidate 'echo it took 2 s' --json
expect_exit 0
expect_json /samples/0/reference_value 4.5
run probe --metric speed --reference true --candidate true
expect_exit 2
expect_says err 'metrics are wall, user, cpu, memory'

# R-11: the peak of the program itself, whatever its parent holds.
it 'memory is that of the program'
run probe --metric memory --reference 'true' --candidate 'true' --max-pairs 5 --json
expect_json /metric/unit bytes
checks=$((checks + 1))
case $STEELYARD in
*asan* | *tsan*) ;;
*) [ "$(json /reference_total_value)" -lt 4194304 ] || wrong "$(json /reference_total_value) bytes" ;;
esac

# R-13: the record says what the three streams are; a terminal is there when asked for.
it 'there is a terminal only when it is asked for'
run probe --reference 'tty -s' --candidate true --json
expect_exit 3
expect_json /reason 'reference exited 1'
run probe --terminal --reference 'tty -s' --candidate 'test -t 1' --max-pairs 5 --json
expect_json /cases/0/parity/outcome passed
expect_says out 'surroundings: standard input terminal, output terminal, error terminal; arguments and environment of equal size'

it 'the wall limit ends a program that runs, and blames nobody'
run probe --wall-limit .2 --reference 'sleep 1000' --candidate 'sleep 1000' --json
expect_exit 5
expect_json /reason wall-limit
run measure --wall-limit .2 -- sleep 1000
expect_exit 5
expect_says out 'the wall limit of 0.2 s was reached'

# CMD-1: under dash `sleep 2 &> /dev/null` runs in the background. A longer sleep is still there however busy we are.
it 'a process that outlives its run makes it void, and gives no ratio'
if [ -x /bin/dash ]; then
    run probe --shell dash --reference "echo 'hello' ; sleep 20 &> /dev/null" --candidate 'echo hello' --json
    expect_exit 3
    expect_json /reason 'reference left 1 process behind that outlived it'
    expect_json /gain null
    expect_says out 'shell: dash is '
fi
script daemon <<END
echo "score: 1"
setsid sleep 96.$own >/dev/null 2>&1 &
END
weigh --reference './score 1' --ignore-lines alike --candidate ./daemon --json
expect_exit 3
checks=$((checks + 1))
is_gone "96.$own" || wrong 'the daemon is left'

# CMD-3: work that is skipped in some runs: two modes, and nothing is claimed of a command against itself.
it 'two modes are seen and decide nothing'
script modes <<'END'
echo x >>counted
if [ $(($(wc -l <counted) % 4)) = 0 ]; then echo "score: 743"; else echo "score: 11"; fi
END
weigh --alpha 0.001 --beta 0.001 --max-pairs 40 --reference ./modes --candidate ./modes --json
checks=$((checks + 1))
case $(json /decision) in inconclusive | no-gain) ;; *) wrong "claimed $(json /decision)" ;; esac
expect_says out 'two modes'

# CMD-7: words reach the program byte for byte.
it 'spaces and backslashes arrive as they are'
echo same >"$work/Te st.jxl"
script 'Down\load' <<'END'
cat "$1"
END
run probe --max-pairs 5 --json -- cat 'Te st.jxl' --vs './Down\load' 'Te st.jxl'
expect_json /cases/0/parity/outcome passed
run probe --max-pairs 5 --json --reference 'cat "Te st.jxl"' --candidate "'./Down\\load' Te\\ st.jxl"
expect_json /cases/0/parity/outcome passed
run probe --ignore-failure -- 'Te st.jxl' --vs cat 'Te st.jxl'
expect_exit 2
expect_says err "cannot start 'Te st.jxl'"

it 'a million lines and bytes that are no text are compared whole'
script lines <<'END'
seq 1000000
echo "score: $1"
printf '\0\377\200%s' "$2"
END
weigh --max-pairs 5 --reference './lines 2 a' --candidate './lines 1 a' --json
expect_exit 0
weigh --reference './lines 2 a' --candidate './lines 1 b' --json
expect_exit 1
expect_says out 'stdout differs at line 1000002, column 4'

it 'two empty outputs are said to be'
run probe --reference true --candidate true --max-pairs 5 --metric memory
expect_says out 'all outputs are empty: only the exit status was compared'
weigh --reference 'echo score 2' --candidate 'echo score 1'
expect_says out 'nothing but lines that are left out was written: only the exit status was compared'

it 'it runs with its own standard input and error closed'
code=0
"$STEELYARD" probe --metric line:score --reference './score 2' --candidate './score 1' --json <&- >"$work/out" 2>&- || code=$?
expect_exit 0
expect_json /decision win

it 'nothing is left in the folder for temporary files'
checks=$((checks + 1))
[ -z "$(find "$work" -maxdepth 1 -name 'steelyard-*')" ] || wrong "$(ls "$work")"

it 'a wish to stop keeps what was measured, and ends the command that runs'
script naps <<END
echo x >>began
exec sleep 0.09$own
END
command_line='probe ./naps against itself, asked to end'
"$STEELYARD" probe --rule medians --max-pairs 2000 --budget 100 --wall-limit 100 --reference ./naps --candidate ./naps --json \
    >"$work/out" 2>"$work/err" </dev/null &
pid=$!
polls=0
until [ -f began ] && [ "$(wc -l <began)" -ge 10 ] || [ $polls -ge 600 ]; do # it weighs: parity takes fewer runs
    polls=$((polls + 1))
    sleep 0.1
done
kill -TERM $pid
code=0
wait $pid || code=$?
expect_exit 130
expect_json /interrupted true
checks=$((checks + 1))
is_gone "0.09$own" || wrong 'a command still runs'

finish
