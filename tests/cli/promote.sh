#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard signoff and promote: what a run owes is told with the commands that pay it; they are typed, and it is a row.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/run_exec_support.sh
. "$(dirname -- "$0")/run_exec_support.sh"

hot=matmul.cpu.square-512.hot
cold=matmul.cpu.square-512.cold
least=matmul.cpu.square-512.least-memory

# Gates that weigh run our scripts, too; the least memory is a figure that its script says.
sed -e 's|"smoke": "steelyard probe [^"]*"|"smoke": "sh tools/smoke.sh"|' \
    -e 's|"steelyard probe [^"]*--require-parity --json"|"MODE_OF_RUNBOOK=weigh sh tools/measure.sh {cases}"|' \
    -e 's|"prlimit [^"]*"|"sh tools/least.sh"|' evidence/gates.json >"$work/gates.json"
mv "$work/gates.json" evidence/gates.json
echo 'echo every run as JSON' >>tools/measure.sh
cat >tools/least.sh <<'SCRIPT'
echo every run as JSON
echo "sample wall 2 ms" >&"$STEELYARD_RUN_FD"
echo "parity passed" >&"$STEELYARD_RUN_FD"
echo "memory peak 1GiB basis=constrained scope=process-tree how=prlimit" >&"$STEELYARD_RUN_FD"
SCRIPT
git add -A && git -c user.name=a -c user.email=a@b.example commit -qm 'scripts for every gate' || exit

# debt NAME MEMBER: of the debt of that name in the last answer.
debt() {
    at=0
    while name=$("$JSON_VALUE" "$work/out" "/debts/$at/name" 2>/dev/null); do
        if [ "$name" = "$1" ]; then
            "$JSON_VALUE" "$work/out" "/debts/$at/$2"
            return
        fi
        at=$((at + 1))
    done
    echo 'no such debt'
}

expect_debt() {
    checks=$((checks + 1))
    found=$(debt "$1" "$2")
    case $found in
    *"$3"*) ;;
    *) wrong "$1 $2: $found" ;;
    esac
}

it 'nothing is promoted outside of a project'
cd "$work" || exit
for verb in 'promote last --by ann' 'signoff last --by ann --statement read'; do
    # shellcheck disable=SC2086 # words
    run $verb
    expect_exit 2
    expect_says err 'steelyard matrix init'
done
cd "$root" || exit

run run exec --gate "$gate" --question 'Does it hold?' --json --env ORDER
expect_exit 0
id=$(json /run)

it 'who and what must be said'
run promote "$id"
expect_exit 2
expect_says err '--by is missing'
run promote --by ann
expect_exit 2
run promote "$id" --by ' '
expect_exit 2
run signoff "$id" --statement read
expect_exit 2
expect_says err '--by is missing'
run signoff "$id" --by ann
expect_exit 2
expect_says err '--statement is missing'
run signoff "$id" --by ann --statement ''
expect_exit 2
for verb in 'promote nobody --by ann' 'signoff nobody --by ann --statement read'; do
    # shellcheck disable=SC2086 # words
    run $verb
    expect_exit 6
    expect_says err 'nobody'
done

it 'everything that is missing is told at once'
run promote "$id" --by ann
expect_exit 1
expect_says out "steelyard run accept $id --by WHO"
expect_says out "steelyard run start $hot"
expect_says out "steelyard run start $cold"
expect_says out "steelyard run start $least"
expect_says out "steelyard signoff $id --by WHO --statement"
expect_says out 'not promoted: 6 of '
run promote "$id" --by ann --json
expect_exit 1
expect_json /schema steelyard.run-promotion/1
expect_json /promoted false
expect_json /missing 6
expect_members '' run dry_run promoted number missing debts row head
expect_debt acceptance paid false
expect_debt "gate:$hot" detail 'no run yet'
expect_debt minimum-memory detail '4 GiB of the process-tree'
expect_debt parity paid true
expect_debt provenance paid true
run run show "$id" --json
expect_json /status ok

it 'a run of the same gate elsewhere in time is no proof before it is accepted'
run run exec --gate "$hot" --json --env ORDER
expect_exit 0
weighed=$(json /run)
run promote "$id" --by ann --dry-run --json
expect_exit 1
expect_debt "gate:$hot" command "steelyard run accept $weighed --by WHO"
expect_debt "gate:$hot" detail 'not accepted'

it 'what was told pays what was owed'
for gate in "$cold" "$least"; do
    run run exec --gate "$gate" --json --env ORDER
    expect_exit 0
    run run accept "$(json /run)" --by ann
    expect_exit 0
done
run run accept "$weighed" --by ann
expect_exit 0
run run accept "$id" --by ann
expect_exit 0
run promote "$id" --by ann --json
expect_exit 1
expect_json /missing 1
expect_debt sign-off command "steelyard signoff $id --by WHO"
expect_debt minimum-memory paid true
expect_debt "gate:$hot" run "$weighed"

it 'somebody vouches for it'
run signoff "$id" --by "$HOME/ann" --statement "read $HOME/notes and the log" --json
expect_exit 0
expect_json /schema steelyard.run-signoff/1
expect_json /signed_off true
expect_json /verdict 0
run run show "$id" --json
expect_not_says out "$HOME"

it 'asking writes nothing, not even where nobody may write'
run ledger verify --json
before=$(json /head/number)
chmod a-w .steelyard .steelyard/*
run promote "$id" --by ann --dry-run
expect_exit 0
expect_says out 'nothing is missing: it would be promoted'
chmod u+w .steelyard .steelyard/*
run ledger verify --json
expect_json /head/number "$before"

it 'nothing is missing, and it is a row'
run promote "$id" --by ann --claim "A product of 512 takes 3 ms, see $HOME/notes." --json
expect_exit 0
expect_json /promoted true
expect_json /number $((before + 1))
expect_json /row/by ann
expect_json /row/cell matmul::cpu
expect_json /row/gate matmul.cpu.square-512.session
expect_json /row/word no-baseline
expect_not_says out synthetic
expect_not_says out "$HOME"
run ledger verify
expect_exit 0

run run show "$id" --json
expect_json /promotions/0/by ann
expect_json /promotion_standing/blocked_by null
expect_json /promotion_standing/follower null
run run show "$id"
expect_says out 'Promoted by ann: A product of 512'
expect_not_says out 'blocked since'

it 'a run is promoted once'
run promote "$id" --by ann
expect_exit 1
expect_says out 'promoted already'

it 'a run that failed is neither signed off nor promoted'
run run start "$least" --json
failed=$(json /run)
run run finish "$failed" --status failed --reason 'cancelled'
run signoff "$failed" --by ann --statement 'read the log'
expect_exit 1
expect_says out 'its status is failed'
run promote "$failed" --by ann
expect_exit 1
expect_says out 'it is failed: cancelled'

it 'what another tool measured is never promoted'
cat >"$work/bench.txt" <<'BENCH'
goos: linux
pkg: example.org/a
BenchmarkA-8   	     100	  1000 ns/op
BENCH
run import go "$work/bench.txt"
expect_exit 0
run promote last --by ann
expect_exit 1
expect_says out 'it is imported'

it 'a wrong registry promotes nothing, and is named'
cp evidence/profile_matrix.json "$work/matrix.json"
sed 's/"parity_failure": "block"/"parity_failure": "warn"/' "$work/matrix.json" >evidence/profile_matrix.json
run promote "$id" --by ann
expect_exit 4
expect_says err 'evidence/profile_matrix.json:'
cp "$work/matrix.json" evidence/profile_matrix.json

finish
