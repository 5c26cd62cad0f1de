#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard run exec: smoke first, one lease, what a command says; commands that flood, hang, lie, die, or leave somebody
# behind.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/run_exec_support.sh
. "$(dirname -- "$0")/run_exec_support.sh"

it 'outside of a project nothing is recorded'
cd "$work" || exit
run run exec last -- true
expect_exit 2
expect_says err 'steelyard matrix init'
cd "$root" || exit

it 'a run is named, or a gate'
run run exec -- true
expect_exit 2
run run exec last --gate "$gate" -- true
expect_exit 2
run run exec last --judge -- true
expect_exit 2
expect_says err '--judge: only with --gate'

it "the runbook's smoke command runs first, then its command, in the project's folder"
mkdir -p "$root/deep"
cd "$root/deep" || exit
exec_run
expect_exit 0
cd "$root" || exit
expect_json /schema steelyard.run-executed/1
expect_json /status ok
expect_json /lease_held true
expect_json /parity passed
expect_json /series 1
expect_json /samples 5
expect_json /smoke/exit_code 0
expect_json /command/argv/2 square-512
expect_json /command/lines 6
id=$(json /run)
cp "$ORDER" "$work/out"
expect_stdout <<END
smoke ran in smoke
exact square-512 ran in measure of $id
END

it 'what a smoke command measured is not the run'"'"'s'
run run show last
expect_exit 0
expect_says out '3.50 ms'
expect_not_says out '9.00 s'
expect_says out 'smoke: parity passed'
expect_not_says out 'tiny'

it 'another command than that of the runbook is remarked: the run has its key all the same'
expect_not_says out 'not that of the gate'
exec_run -- sh -c 'echo sample wall 1 s >&3'
expect_exit 0
expect_json /remarks/0 "the command is not that of the gate's runbook"
run run show last
expect_says out "the command is not that of the gate's runbook"
sed 's|MODE_OF_RUNBOOK=exact ||' evidence/gates.json >"$work/gates.json"
cp evidence/gates.json "$work/kept.json" && cp "$work/gates.json" evidence/gates.json
exec_run --env MODE_OF_RUNBOOK=exact -- sh tools/measure.sh square-512
expect_exit 0
expect_not_says out 'not that of the gate'
cp "$work/kept.json" evidence/gates.json

it 'a run that has ended takes no command'
run run exec last -- true
expect_exit 1
expect_says err 'nothing is run for it any more'

it 'a run that is not there is no mistake in the call'
run run exec 20010101-000000-abcdef -- true
expect_exit 6
run run exec --gate matmul.cpu.nothing --question 'Any?' -- true
expect_exit 6

it 'a smoke command that violates parity ends the run before the first sample'
: >"$ORDER"
exec_run --env SMOKE_PARITY=failed
expect_exit 1
expect_json /status failed
expect_json /reason 'smoke: parity failed in tiny'
expect_json /command null
expect_json /samples 0
cp "$ORDER" "$work/out"
expect_stdout <<'END'
smoke ran in smoke
END

it 'a smoke command that fails does so as well'
exec_run --env SMOKE_EXIT=3
expect_exit 3
expect_json /reason 'smoke: exited with 3'
exec_run --no-smoke
expect_exit 1
expect_says err 'nothing is measured before it has run'
# That run is over, and is visible.
run run show last
expect_says out 'failed: not executed: gate'

it 'a command that fails ends the run and keeps what it said'
exec_run -- sh -c 'echo sample wall 1 s >&3; exit 5'
expect_exit 3
expect_json /reason 'command: exited with 5'
expect_json /samples 1
expect_json /command/exit_code 5

it 'one that dies by a signal'
exec_run -- sh -c 'kill -SEGV $$'
expect_exit 3
expect_json /reason 'command: died: signal 11 (SIGSEGV)'
expect_json /command/signal 11

it 'one that is not there'
exec_run -- no-such-program-anywhere
expect_exit 3
expect_says out "command: cannot start 'no-such-program-anywhere'"

it 'one that lies about parity has failed'
exec_run -- sh -c 'echo parity passed error=2.5 >&3'
expect_exit 1
expect_json /status failed
expect_json /parity failed

it 'one that hangs is ended'
exec_run --timeout 3 -- sh -c 'echo sample wall 1 s >&3; sleep 60' # time enough for the first line, however busy we are
expect_exit 3
expect_says out 'command: still ran after 3.00 s'
expect_json /samples 1

it 'one that floods is cut at the limit, and has failed'
exec_run -- awk 'BEGIN { for (i = 0; i < 10050; i++) print "sample s" i " 1 s" > "/dev/fd/3" }'
expect_exit 3
expect_json /reason 'command: said more than 10000 series'
expect_json /series 10000
expect_says out '50 lines were dropped'

it 'what is not taken is counted and told'
exec_run -- sh -c 'printf "smaple wall 1 s\nsample wall 1 s\nsample wall x s\nnote a\\tb\r\n" >&3'
expect_exit 0
expect_json /samples 1
expect_json /command/lines 4
expect_json /command/lines_not_taken 2
expect_says out "line 1: unknown statement 'smaple'"

it 'one that says nothing, or closes the descriptor, is waited for'
exec_run -- sh -c 'exec 3>&- 1>&- 2>&-; sleep 0.2; exit 0'
expect_exit 0
expect_json /command/lines 0
expect_json /parity unknown

it 'who is left behind is not waited for'
exec_run --timeout 30 -- sh -c "sleep 50 & setsid sh -c 'echo \$\$ >\"\$1\"; exec sleep 40' sh '$work/left' &
until [ -s '$work/left' ]; do sleep 0.01; done; echo sample wall 1 s >&3"
kill "$(cat "$work/left")"
expect_exit 0
expect_json /samples 1
run run show last
expect_says out 'measure: a process that left its group outlives it'
exec_run -- sh -c 'sleep 50 & echo sample wall 1 s >&3'
run run show last
expect_not_says out 'outlives it'

it 'a run is not finished while it is executed, not even by its own command'
exec_run -- sh -c "echo sample wall 1 s >&3
'$STEELYARD' run finish \$STEELYARD_RUN_ID --status ok 2>'$work/finish'; echo \$? >>'$work/finish'"
expect_exit 0
expect_json /samples 1
grep -q "holds device 'cpu' (process .*): it is still executed" "$work/finish" || wrong "$(cat "$work/finish")"
[ "$(tail -n 1 "$work/finish")" = 4 ] || wrong "$(cat "$work/finish")"

it 'a log that cannot be kept is a remark, and what was measured is recorded'
exec_run -- sh -c 'mv .steelyard/artifacts .steelyard/aside && : >.steelyard/artifacts
echo words; echo sample wall 1 s >&3'
expect_exit 0
expect_json /samples 1
expect_json /artifacts 0
expect_says out "file 'measure.stdout' is not kept: "
rm .steelyard/artifacts && mv .steelyard/aside .steelyard/artifacts || exit

it 'a runbook may be left out, not what only a shell understands'
run run start "$gate" --question 'Which command?'
expect_exit 0
# shellcheck disable=SC2016 # nothing is to expand it
run run exec last --json --env ORDER -- printf '%s' '$HOME | cat'
expect_exit 0
expect_json /status running
expect_json /artifacts 1
run run exec last --json --env ORDER --shell -- 'echo a | tr a b >&2'
expect_exit 0
expect_json /status running
run run exec last --env ORDER --shell -- echo two words
expect_exit 2
run run finish last --status ok
expect_exit 0

it 'a file of another tool becomes series'
cat >"$work/hyperfine.json" <<'END'
{"results": [{"command": "a", "mean": 0.2, "stddev": 0.1, "median": 0.2, "user": 0.1, "system": 0.1, "min": 0.1,
 "max": 0.3, "times": [0.1, 0.2, 0.3], "exit_codes": [0, 0, 0]}]}
END
exec_run --import "hyperfine:$work/hyperfine.json" -- true
expect_exit 3
expect_says out 'was there before the command'
exec_run --import "hyperfine:$work/hyperfine.json" -- cp "$work/hyperfine.json" "$work/copy.json"
expect_exit 3
exec_run --import "hyperfine:$work/written.json" -- cp "$work/hyperfine.json" "$work/written.json"
expect_exit 0
says=$(json /samples)
[ "$says" -ge 3 ] || wrong "only $says samples were imported"
cat >"$work/two.json" <<'END'
{"results": [{"command": "p", "mean": 0.1, "times": [0.1], "parameters": {"seed": "1"}},
 {"command": "p", "mean": 0.2, "times": [0.2], "parameters": {"seed": "2"}, "later": true}]}
END
exec_run --import "hyperfine:$work/two-written.json" -- cp "$work/two.json" "$work/two-written.json"
expect_exit 0
expect_says out "'two-written.json', line 2, column"
run run show last --json
expect_says out '"role": "source", "name": "two-written.json"'
expect_json /series/0/case 'p{seed=1}'
expect_json /series/1/case 'p{seed=2}'
exec_run --import "hyperfine:$work/none.json" -- true
expect_exit 3
expect_says out '"reason": "import: '
exec_run --import nonsense -- true
expect_exit 2
run run list --status planned
expect_stdout <<'END'
0 runs
END

it 'a smoke command that is not there ends the run, and blocks no device'
cp evidence/gates.json "$work/gates.json"
sed 's|"sh tools/smoke.sh"|"no-such-smoke-anywhere"|' "$work/gates.json" >evidence/gates.json
exec_run -- true
expect_exit 3
expect_json /reason "the smoke command: cannot start 'no-such-smoke-anywhere': No such file or directory (ENOENT)"
cp "$work/gates.json" evidence/gates.json
run run start matmul.cpu.square-512.hot --question 'Is the device free?'
expect_exit 0
run run finish last --status failed --reason 'only asked'
expect_exit 0

it 'a mistyped folder is a mistake of the call, and blocks no device'
exec_run --directory "$work/nowhere" -- true
expect_exit 2
expect_says err 'to run in cannot be used'
exec_run --directory "$work/hyperfine.json" -- true
expect_exit 2
expect_says err 'is no folder'
run run start matmul.cpu.square-512.hot --question 'Is the device free?'
expect_exit 0
run run finish last --status failed --reason 'only asked'
expect_exit 0
run run start "$gate" --question 'Is its own folder kept?'
run run exec last --directory "$work/nowhere" -- true
expect_exit 2
run run show last
expect_says out ': planned'
run run finish last --status failed --reason 'only asked'
expect_exit 0

device_is_held() {
    "$STEELYARD" run leases | grep -q held
}

it 'a device has one owner at a time, who is shown'
run run start "$gate" --question 'Who owns it?'
"$STEELYARD" run exec last --env ORDER -- sleep 30 >"$work/held" 2>&1 &
holder=$!
wait_until device_is_held || wrong 'nobody holds the device'
run run leases --json
expect_exit 0
expect_json /leases/0/device cpu
expect_json /leases/0/held true
expect_json /leases/0/process "$holder"
owner=$(json /leases/0/run)
run run exec last --env ORDER -- true
expect_exit 4
expect_says err "device 'cpu' is held by run $owner"

it 'being asked to end, it ends the command and the run'
kill -TERM "$holder"
code=0
wait "$holder" || code=$?
expect_exit 130
run run show last
expect_says out 'failed: interrupted'
run run leases
expect_says out free

it 'one step for a CI service: what became of it as Markdown, and no baseline yet'
exec_run --judge --markdown "$work/run.md"
expect_exit 0
expect_json /judgement no-baseline
grep -q '| wall |' "$work/run.md" || wrong "no row in the Markdown: $(cat "$work/run.md")"
exec_run --judge --strict
expect_exit 6
exec_run --judge --strict --env SMOKE_EXIT=1
expect_exit 3

it 'a run that measured nothing, or of whose outputs nobody said anything, never looks green'
exec_run --judge -- true
expect_exit 1
expect_json /judgement block
expect_json /judgement_reason 'parity is absent'
# shellcheck disable=SC2016 # the inner shell expands it
exec_run --judge -- sh -c 'echo sample wall 1 s >&"$STEELYARD_RUN_FD"'
expect_exit 1
expect_json /judgement_reason 'parity is absent'

it 'a preflight that failed stands in the Markdown, where an earlier run stood'
sed 's|"check": "hardware"|"check": "file", "path": "no/such/file"|' evidence/gates.json >"$work/gates.json"
cp "$work/gates.json" evidence/gates.json
exec_run --judge --markdown "$work/run.md"
expect_exit 3
grep -q 'preflight: file' "$work/run.md" || wrong "no reason in the Markdown: $(cat "$work/run.md")"

finish
