#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard compare and run exec --judge as a user runs them: from no baseline to a block, and from an improvement to a
# new baseline. Times are made up by a command, so that no clock decides.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/run_exec_support.sh
. "$(dirname -- "$0")/run_exec_support.sh"

need_certain_machine

# times.sh MICROSECONDS: a session of 100 samples about that time, and parity.
cat >tools/times.sh <<'END'
i=0
while [ $i -lt 100 ]; do
    echo "sample wall $(($1 + i % 3)) us"
    i=$((i + 1))
done >&"$STEELYARD_RUN_FD"
[ "$2" = wrong ] || echo "parity passed" >&"$STEELYARD_RUN_FD"
END
git add -A && git -c user.name=a -c user.email=a@b.example commit -qm 'times' || exit

# session MICROSECONDS [ARGUMENTS...]: a judged session of the gate.
session() {
    took=$1
    shift
    run run exec --gate "$gate" --question 'Does it hold?' --json --judge "$@" -- sh tools/times.sh "$took"
}

accept() {
    run run accept "$@" --by tester --json
}

it 'without five accepted sessions there is no baseline: exit code 0, with --strict 6'
session 1000 --strict
expect_exit 6
expect_json /judgement no-baseline
run compare last
expect_exit 0
expect_says out 'NO-BASELINE: few-sessions'
expect_says out 'recorded before'
expect_says out '# a baseline takes 5 more accepted sessions, of which this may be one'
run compare last --strict
expect_exit 6

it 'five are a baseline, and a session like them passes'
accept last
expect_exit 0
for took in 1010 990 1005 995; do
    session $took
    accept last
    expect_exit 0
done
session 1002
expect_exit 0
expect_json /judgement pass
usual=$(json /run)

it 'the verdict says what it rests on, and is an event that stays'
run compare last --json
expect_exit 0
expect_json /schema steelyard.compared/1
expect_json /word pass
expect_json /reason inside
expect_json /already_recorded true
expect_json /verdict/rule steelyard-verdict/1
expect_json /verdict/metrics/0/metric/series wall
expect_json /verdict/metrics/0/primary true
expect_json /alarms/judged 1
number=$(json /number)
run compare "$usual" --json
expect_json /number "$number"
run run show "$usual"
expect_says out pass
accept "$usual"
expect_exit 0

it 'a slow session is an alarm: exit code 5, and the commands that confirm or refute it'
session 1310
expect_exit 5
expect_json /judgement investigate
first=$(json /run)
run compare "$first"
expect_exit 5
expect_says out 'INVESTIGATE: unconfirmed'
expect_says out 'under a lease of its own'
expect_says out "steelyard run exec --gate $gate --control-directory \"\$ACCEPTED\" --judge -- sh tools/times.sh 1310"
accept "$first"
expect_exit 1
expect_says out 'its verdict is investigate'

it 'one that is not slow again refutes it, for both'
session 1001 --control 'sh tools/times.sh 1000'
expect_exit 0
expect_json /judgement pass
run compare "$first" --json
expect_exit 0
expect_json /reason refuted

it 'an alarm that repeats in leases of its own, with a control arm, blocks: exit code 1'
session 1310
expect_exit 5
first=$(json /run)
session 1320 --control 'sh tools/times.sh 1000'
expect_exit 5
run compare last
expect_says out "--control 'sh tools/times.sh 1000' --judge"
session 1305 --control 'sh tools/times.sh 1000' --markdown "$work/verdict.md"
expect_exit 1
expect_json /judgement block
grep -q '^### BLOCK: confirmed' "$work/verdict.md" || wrong "no verdict first: $(cat "$work/verdict.md")"
run compare "$first" --json
expect_exit 1
expect_json /word block
expect_json /verdict/sessions/0 "$first"

it 'a control arm that is slow as well says that the machine has changed'
session 1310
session 1310 --control 'sh tools/times.sh 1305'
session 1310 --control 'sh tools/times.sh 1305'
expect_exit 5
run compare last
expect_says out 'machine-changed'
expect_says out 'steelyard doctor'

it 'wrong outputs come before every time'
run run exec --gate "$gate" --question 'Does it hold?' --json --judge -- sh tools/times.sh 500 wrong
expect_exit 1
expect_json /judgement block
expect_json /judgement_reason 'parity is absent'

it 'an improvement is confirmed, and begins a new baseline once it is accepted'
session 800
expect_exit 5
first=$(json /run)
session 802
session 801 --control 'sh tools/times.sh 1000'
expect_exit 0
expect_json /judgement pass
second=$(json /run)
run compare "$second"
expect_says out 'PASS: improved'
expect_says out "steelyard run accept $first --by \"\$USER\" --new-baseline --reason 'a confirmed improvement'"
accept "$first"
expect_exit 1
expect_says out 'it may begin a new one'
accept "$first" --new-baseline
expect_exit 1
expect_says out 'needs a reason'
accept "$first" --new-baseline --reason 'a confirmed improvement'
expect_exit 0
accept "$second"
expect_exit 0
session 801
expect_exit 0
expect_json /judgement no-baseline

it 'a dry run writes nothing'
run ledger verify --json
before=$(json /head/number)
run compare last --dry-run --min-effect 0.5 --json
expect_exit 0
expect_json /number null
run ledger verify --json
expect_json /head/number "$before"

it 'another key is not compared with, and the fields say why'
run run exec --gate matmul.cpu.square-512.session --question 'Elsewhere?' --json -- sh tools/times.sh 1000
other=$(json /run)
run compare "$other" --against "$usual"
expect_exit 0
run run exec --gate attention.cpu.sd15-self-256.cold --question 'Another gate?' --json --no-smoke -- true
run compare "$usual" --against no-such-run
expect_exit 6

it 'the same work of two commits is another question'
echo '# changed' >>tools/times.sh
git add -A && git -c user.name=a -c user.email=a@b.example commit -qm 'changed' || exit
session 801
expect_exit 0
expect_json /judgement no-baseline
run compare last --against "$usual"
expect_exit 1
expect_says err 'their keys differ: source_revision'
expect_says err '--revision-comparison'
run compare last --revision-comparison
expect_exit 0
expect_says out 'a comparison of revisions'

it 'what is no session cannot be compared'
run compare 20010101-000000-abcdef
expect_exit 6
run compare
expect_exit 2
run run start "$gate" --question 'Planned?' --json
run compare last
expect_exit 1
expect_says err 'it has not ended'

it 'all of it is in the ledger, and in order'
run ledger verify
expect_exit 0

finish
