#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard run exec --control: the accepted revision in a working tree of its own, beside the command and apart from it;
# and both killed on the way.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/run_exec_support.sh
. "$(dirname -- "$0")/run_exec_support.sh"

# The tree's own program says how long it takes: 1 ms when the session was accepted, 2 ms now.
cat >"$work/bench" <<'END'
echo "$STEELYARD_RUN_PHASE" >>"$ORDER"
echo "sample wall $(cat took) ms" >&"$STEELYARD_RUN_FD"
echo "parity ${PARITY:-passed}" >&"$STEELYARD_RUN_FD"
END
cp "$work/bench" tools/bench.sh
echo 1 >took
git add -A && git -c user.name=a -c user.email=a@b.example commit -qm accepted || exit
accepted=$(git rev-parse HEAD)
echo 2 >took
git -c user.name=a -c user.email=a@b.example commit -qam slower || exit

it 'the accepted revision runs in a working tree of its own'
git worktree add -q ../accepted "$accepted" || exit
: >"$ORDER"
exec_run --control-directory ../accepted -- sh tools/bench.sh
expect_exit 0
expect_json /status ok
expect_json /samples 1
expect_json /control_arm/counts true
expect_json /control_arm/samples 1
expect_json /control/argv/1 tools/bench.sh
first=$(json /control_arm/first)
order=$(grep -v smoke "$ORDER" | tr '\n' ' ')
[ "$first $order" = 'true control measure ' ] || [ "$first $order" = 'false measure control ' ] ||
    wrong "the coin said first: $first, they ran: $order"
run run show last --json
expect_json /sample_count 1
run run show last
expect_says out "control: sources $accepted"
expect_says out 'wall control'
expect_says out '1.00 ms'
expect_says out 'as a coin said'
run run summary last
expect_says out '| control of wall |'

it 'its order is tossed anew each time'
before=0
behind=0
tries=0
while [ $tries -lt 60 ] && { [ $before = 0 ] || [ $behind = 0 ]; }; do
    exec_run --control 'sh tools/bench.sh' -- sh tools/bench.sh
    case $(json /control_arm/first) in
    true) before=1 ;;
    *) behind=1 ;;
    esac
    tries=$((tries + 1))
done
checks=$((checks + 1))
[ "$before $behind" = '1 1' ] || wrong "in $tries runs it went before: $before, behind: $behind"

it 'one line with variables, whose failed parity is no violation of the session'
exec_run --control 'PARITY=failed sh tools/bench.sh' -- sh tools/bench.sh
expect_exit 0
expect_json /status ok
expect_json /parity passed
expect_json /control_arm/counts false
expect_json /control_arm/reason 'parity failed'
run run show last
expect_says out 'control: does not count: parity failed'
expect_not_says out 'wall control'

it 'one that fails, hangs or floods ends nothing'
exec_run --control 'sh -c "exit 4"' -- sh tools/bench.sh
expect_exit 0
expect_json /control_arm/reason 'exited with 4'
exec_run --timeout 0.5 --control 'sleep 60' -- sh tools/bench.sh
expect_exit 0
expect_json /control_arm/reason 'still ran after 500 ms'
exec_run --shell --control "awk 'BEGIN { for (i = 0; i < 10050; i++) print \"sample s\" i \" 1 s\" > \"/dev/fd/3\" }'" -- \
    'sh tools/bench.sh'
expect_exit 0
expect_json /control_arm/reason 'said more than 10000 series'
expect_json /samples 1
exec_run --control no-such-control-anywhere -- sh tools/bench.sh
expect_exit 0
expect_json /control null
expect_says out "cannot start 'no-such-control-anywhere'"

it 'a control that is none is a mistake of the call'
exec_run --control 'a | b' -- sh tools/bench.sh
expect_exit 2
expect_says err 'the control: '
exec_run --control-directory "$work/nowhere" -- sh tools/bench.sh
expect_exit 2
expect_says err 'to run in cannot be used'

it 'what became of it stands in the Markdown, and a session with it is a session'
exec_run --control-directory ../accepted --markdown "$work/run.md" -- sh tools/bench.sh
expect_exit 0
grep -q '^| wall (control) |' "$work/run.md" || wrong "no control in: $(cat "$work/run.md")"
grep -q '^Control: .* the command, 1 samples\.$' "$work/run.md" || wrong "no control in: $(cat "$work/run.md")"
run run accept last --by ann --json
expect_not_says out 'more than one command'

control_waits() {
    [ -e "$work/waits" ]
}

# A control that waits; killed or asked to end by the signal, wherever it stands.
end_by() {
    rm -f "$work/waits"
    run run start "$gate" --question 'Who ends?'
    "$STEELYARD" run exec last --env ORDER --control "sh -c ': >\"$work/waits\"; exec sleep 60'" -- \
        sh tools/bench.sh >"$work/ended" 2>&1 &
    holder=$!
    wait_until control_waits || wrong "the control does not run: $(cat "$work/ended")"
    kill "-$1" "$holder"
    code=0
    wait "$holder" || code=$?
}

it 'being asked to end, it ends the control and the run'
end_by TERM
expect_exit 130
run run show last
expect_says out 'failed: interrupted'

it 'killed, it leaves the run and a free device, and the control is gone'
end_by KILL
checks=$((checks + 1))
[ "$(last_status)" = running ] || wrong "the run is $(last_status)"
run run leases --json
expect_json /leases/0/held false
run ledger verify --json
expect_exit 0

finish
