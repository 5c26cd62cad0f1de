#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The history of a key: sessions with times that are made up, changes that are recorded once, confirmed and superseded,
# and the command that finds their commit.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/run_exec_support.sh
. "$(dirname -- "$0")/run_exec_support.sh"

# A session measures what stands in the sources: the first number of the file speed.
cat >"$root/tools/measure.sh" <<'END'
read -r ms _ <speed
echo "sample wall $ms ms" >&"$STEELYARD_RUN_FD"
echo "parity passed" >&"$STEELYARD_RUN_FD"
END
sed -i '/ORDER/d' "$root/tools/smoke.sh"

# commit SPEED: the sources become another revision.
commit() {
    echo "$1" >speed
    git add speed tools
    git -c user.name=a -c user.email=a@b.example commit -qm "$1" || wrong 'nothing was committed'
}
commit '100 begin'

# session MS...: a session of the gate with these samples.
session() {
    # shellcheck disable=SC2016 # the inner shell expands
    "$STEELYARD" run exec --gate "$gate" --question 'How long?' --json --env ORDER -- sh -c '
        for ms; do echo "sample wall $ms ms" >&3; echo "sample other $ms bytes" >&3; done
        echo "parity passed" >&3
        echo "memory peak 1000000 basis=physical scope=process" >&3' session "$@" >"$work/session" 2>"$work/session.err" ||
        wrong "$(cat "$work/session" "$work/session.err")"
}

# sessions LEVEL COUNT: sessions around a level, in a wave that no step hides in.
sessions() {
    i=0
    while [ $i -lt "$2" ]; do
        session "$(awk -v i=$i -v level="$1" 'BEGIN { print level + i * 7 % 10 / 10 }')"
        i=$((i + 1))
    done
}

events() {
    "$STEELYARD" ledger verify --json >"$work/verified" || wrong "$(cat "$work/verified")"
    "$JSON_VALUE" "$work/verified" /events
}

it 'without a ledger, and without a session, there is nothing'
run history last
expect_exit 2
expect_says err 'no ledger'
session 100
run history 0123456789abcdef
expect_exit 6
expect_says err "no comparison key, line or run begins with '0123456789abcdef'"
run history last --series nope
expect_exit 6
expect_says err 'none of the 1 sessions has nope p50'
expect_says err 'wall p50'

it 'one session has a history without changes'
run history last
expect_exit 0
expect_says out 'sessions 1 of 1 revision, 0 changes'
expect_says out 'Fewer than ten values cannot show one.'

it 'a step is found, recorded once, and its commit is the only one between'
sessions 100 9
commit '120 slower'
sessions 120 9
run history last --json
expect_json /changes/0/state null
expect_json /written 0
sessions 120 3
run history last --json
expect_exit 0
expect_json /schema steelyard.history/1
expect_json /alpha 0.001
expect_json /n 22
expect_json /metric/series wall
expect_json /metric/unit s
expect_json /changes/0/index 10
expect_json /changes/0/worse true
expect_json /changes/0/state reported
expect_json /changes/0/bisect "git show $(git rev-parse --short=12 HEAD)"
expect_json /written 1
expect_json /reported 1
expect_json /refuted 0
line=$(json /line)
key=$(json /key_digest)
changed=$(json /changes/0/run)
before=$(events)
run history last --json
expect_exit 0
expect_json /written 0
expect_json /changes/0/state reported
checks=$((checks + 1))
[ "$(events)" = "$before" ] || wrong 'the second look has written something'

it 'the same by the digits of the line, of the key, and by a run, in words'
for name in "$line" "$(printf %.12s "$line")" "$key" "$changed"; do
    run history "$name" --dry-run
    expect_exit 0
    expect_says out 'wall, p50'
    expect_says out '% worse, reported'
done
run history 0123456789abcde
expect_exit 6
run history "$key" --same-revision --dry-run
expect_exit 0
expect_says out 'sessions 12 of 1 revision, 0 changes'

it 'a figure is chosen, and what is not there is told with what is'
run history last --series other --dry-run --json
expect_exit 0
expect_json /metric/unit bytes
expect_json /changes/0/state null
expect_json /recorded 'array of 0'
run history last --statistic memory --dry-run
expect_exit 0
expect_says out 'peak of process, memory'
expect_says out '0 changes'
run history last --statistic p95 --dry-run
expect_exit 0
expect_says out 'fewer than 20 samples, which resolve no p95'
run history last --implementation nobody
expect_exit 6

it 'other settings have reports of their own'
run history last --min-effect 0.5 --dry-run
expect_exit 0
expect_says out '0 changes'
expect_says out '1 more was reported with other settings'

it 'as many sessions again confirm it'
sessions 120 10
run history last --json
expect_exit 0
expect_json /changes/0/state confirmed
expect_json /written 1
run history last
expect_says out '% worse, confirmed'
expect_says out 'Of 1 change reported here so far, 0 were refuted later or moved by more than two values: 0.0 %.'

it 'what is superseded or failed is left out, and said'
first=$("$STEELYARD" run list --json | sed -n 's/.*"id": "\([^"]*\)".*/\1/p' | tail -n 1)
run run finish "$first" --status superseded --superseded-by "$changed"
expect_exit 0
"$STEELYARD" run exec --gate "$gate" --question 'How long?' --env ORDER -- sh -c 'echo sample wall 1 ms >&3; exit 3' \
    >/dev/null 2>&1
run history last
expect_exit 0
expect_says out '1 run is left out: superseded by another run.'
expect_says out '1 run is left out: failed.'

it 'a bisection finds a commit among several'
for change in '120 same' '120 still' '100 faster' '100 same' '100 still'; do
    commit "$change"
    [ "$change" != '100 faster' ] || faster=$(git rev-parse HEAD)
done
sessions 100 12
run history last --json
expect_exit 0
expect_json /changes/1/worse false
expect_json /changes/1/state reported
bisect=$(json /changes/1/bisect)
before=$(events)
PATH=$(dirname -- "$STEELYARD"):$PATH sh -c "$bisect" >"$work/out" 2>"$work/err" </dev/null || wrong "$bisect"
expect_says out "$faster is the first after commit"
git bisect reset >/dev/null 2>&1
checks=$((checks + 1))
[ "$(events)" = "$before" ] || wrong 'the sessions of a bisection are in the ledger of the project'

it 'a newest session belongs to one of two levels, or to none'
run history "$line" --levels 0.1,0.12
expect_exit 0
expect_says out 'lies at the level before'
run history "$line" --levels 0.08,0.101
expect_exit 1
expect_says out 'lies at the level after'
run history "$line" --levels 0.09,0.11
expect_exit 5
run history "$line" --levels 0.09,0.09
expect_exit 2
run history "$line" --levels 0.09
expect_exit 2
run history "$line" --levels 1,2 --json
expect_exit 2
checks=$((checks + 1))
[ "$(events)" = "$before" ] || wrong 'a question about levels has written something'

it 'a tree that was changed has no commit'
echo '140 dirty' >speed
sessions 140 8
run history last
expect_exit 0
expect_says out 'commit the session behind it was measured with changes that no commit holds'
git checkout -q speed

it 'what makes no sense together is refused'
run history last --values "$work/out"
expect_exit 2
run history --values "$work/out" --dry-run
expect_exit 2
expect_says err '--dry-run: only of a KEY'
run history last --better higher
expect_exit 2
run history last last
expect_exit 2
run history last --alpha 0.05
expect_exit 2
expect_says err '0.01 or 0.001'

it 'it is read at every width, and elsewhere'
COLUMNS=40 run history last --dry-run
expect_exit 0
cd "$work" || exit
run history last
expect_exit 2
run history last --root "$root" --dry-run
expect_exit 0

it 'two at once report a change once'
cd "$root" || exit
sessions 100 8
before=$(events)
for i in 1 2 3 4; do
    "$STEELYARD" history last --alpha 0.01 --json >"$work/together.$i" 2>&1 &
done
wait
run history last --alpha 0.01 --json
expect_json /written 0
reported=$(json /reported)
checks=$((checks + 1))
[ "$(events)" -eq $((before + reported)) ] || wrong "$reported changes made $(events) events of $before"

finish
