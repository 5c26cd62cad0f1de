#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Probes and measurements that are remembered: the run before the work, the device owned, the way back from a profile,
# and what happens where nothing can be written.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
need_certain_machine

script=$SOURCE_DIR/tests/data/fake/quiet-win.json
project=$work/project
store=$work/profiles
export STEELYARD_LEASES="$work/leases"
unset STEELYARD_RUN_FD

new_project() {
    rm -rf "$project"
    mkdir "$project"
    cd "$project" || exit 1
    "$STEELYARD" matrix init --quiet >/dev/null
}

fake() {
    verb=$1
    shift
    run "$verb" ring --backend fake --script "$script" --seed 1 "$@"
}

# The id in "recorded as run ID".
recorded_run() {
    sed -n 's/^steelyard: recorded as run //p' "$work/err"
}

expect_verified() {
    run ledger verify
    expect_exit 0
}

new_project

it 'a recorded probe says which run it is, and its profile leads back to it'
fake probe --record --save --store "$store"
expect_exit 0
expect_says out 'win: use fast'
id=$(recorded_run)
expect_says err "recorded as run $id"
expect_says err 'its comparison key equals nothing: unknown are scan_region'
run profile show --store "$store"
expect_exit 0
expect_says out "evidence run $id, SHA-256"
expect_says out "this project's ledger has it: steelyard run show $id"
run profile show --store "$store" --json
expect_json /profiles/0/evidence/run "$id"
expect_json /profiles/0/evidence/ledger holds
run profile explain --here ring --backend fake --script "$script" --store "$store"
expect_exit 0
expect_says out "this project's ledger has it: steelyard run show $id"

it 'elsewhere the profile says how to look'
cd "$work" || exit 1
run profile show --store "$store"
expect_exit 0
expect_says out "in its project: steelyard run show $id"
run profile show --store "$store" --json
expect_json /profiles/0/evidence/ledger null

it 'another ledger does not have the run'
cp -r "$project" "$work/other"
rm -rf "$work/other/.steelyard"
cd "$work/other" || exit 1
fake probe --record --quiet
expect_exit 0
expect_nothing_on err
run profile show --store "$store"
expect_says out "this project's ledger has no such run"
cd "$project" || exit 1

it 'the key of a run is shown whole, what is unknown marked'
run key show "$id"
expect_exit 0
expect_says out 'protocol_version steelyard-probe/1'
expect_says out 'cell_id ring::fake'
expect_says out 'scan_region unknown'
expect_says out 'incomplete: equals nothing'
run key show last --json
expect_json /run "$id"
expect_json /complete false
expect_json /sha256 null
expect_json /fields/1/value ring::fake
expect_json /fields/5/value null
run key show no-such-run
expect_exit 6

it 'a gate fills the key, and its sessions are counted'
gate=matmul.cpu.square-512.session
echo one >notes.txt
git init --quiet . 2>/dev/null && git add -A &&
    git -c user.name=test -c user.email=test@localhost commit --quiet -m first
if [ -d .git ]; then
    for n in 1 2; do
        run measure matmul --cases square-512 --implementation openblas --iterations 5 --record --gate $gate
        expect_exit 0
        expect_not_says err 'equals nothing'
        [ $n = 1 ] && first=$(recorded_run)
    done
    run key diff "$first" last
    expect_exit 0
    expect_says out 'fields agree: the two can be compared'
    run key diff "$first" "$id"
    expect_exit 1
    expect_says out 'cell_id matmul::cpu ring::fake'
    run key diff "$first" "$id" --json
    expect_exit 1
    expect_json /comparable false
    run key list --json
    expect_json /schema steelyard.keys/1
    expect_json /keys/0/sessions 2
    expect_json /keys/0/accepted 0
    expect_json /keys/0/baseline false
    run key list
    expect_says out '5 more'
    run key list --incomplete --json
    expect_json /keys/0/sessions 2
    # A session that is started by hand has the same key, whatever its preflight says of this machine.
    run run start $gate --question 'As long as ever?'
    case $code in 0 | 3) ;; *) expect_exit 0 ;; esac
    run key diff "$first" last
    expect_exit 0
    # A dirty tree is known by its difference, which is kept.
    echo two >>notes.txt
    run measure matmul --cases square-512 --implementation openblas --iterations 5 --record --gate $gate
    expect_exit 0
    run key diff "$first" last --json
    expect_exit 1
    expect_json /differing 1
    expect_json /fields/18/name source_revision
    digest=$(json /fields/18/b | sed 's/.*+//')
    expect_json /fields/18/b "$(git rev-parse HEAD)+$digest"
    kept=.steelyard/artifacts/$(echo "$digest" | cut -c1-2)/$digest
    checks=$((checks + 2))
    [ "$(sha256sum <"$kept" | cut -c1-64)" = "$digest" ] || wrong "$kept is not kept under its digest"
    grep -q '^+two' "$kept" || wrong "$kept is not the difference"
    run run show last --json
    expect_json /artifacts/0/role diff
    git checkout --quiet notes.txt
else
    echo 'not tried: there is no git here'
fi

it 'a gate is not the evidence of something else'
run measure matmul --cases quick --implementation openblas --record --gate $gate
expect_exit 1
expect_says err 'is for other cases: square-512'
run measure matmul --cases square-512 --implementation blis --record --gate $gate
expect_exit 1
expect_says err 'is for the implementation openblas, and this is blis'
run measure attention --record --gate $gate
expect_exit 1
expect_says err 'is for matmul::cpu, and this is attention::cpu'
run probe matmul --cases square-512 --record --gate matmul.cpu.square-512.cold
expect_exit 1
expect_says err 'is for cold caches, and these are hot'
run measure matmul --cases square-512 --record --gate matmul.cpu.square-512.sesion
expect_exit 6
expect_says err "there is no gate 'matmul.cpu.square-512.sesion'"

it 'a field that the key does not have is named with its neighbour'
fake probe --record --key scan_regoin=all
expect_exit 2
expect_says err "no field 'scan_regoin'"
expect_says err 'did you mean scan_region'
fake probe --record --key scan_region
expect_exit 2
expect_says err 'must be NAME=VALUE'
fake probe --record --key scan_region=all --key objective=none
expect_exit 0
run key show last
expect_says out 'scan_region all'

it 'a real product, recorded'
run probe matmul --cases square-64 --implementations blocked --max-pairs 8 --rule medians --seed 1 --record
case $code in 0 | 1 | 5) ;; *) expect_exit 0 ;; esac
expect_says err 'recorded as run'

it 'programs are recorded as well, their words clean'
run probe --reference 'true --token quartz-lantern' --candidate 'true /home/jane/x' --record --max-pairs 8
case $code in 0 | 5) ;; *) expect_exit 0 ;; esac
expect_says err 'recorded as run'
run measure --record --runs 3 -- true
expect_exit 0
expect_says err 'recorded as run'
checks=$((checks + 1))
! grep -rqa -e quartz-lantern -e home/jane .steelyard || wrong 'something private stands in the evidence'

it 'the device has one owner, who is named'
"$STEELYARD" measure --record --quiet --wait 60 --budget 60 -- sleep 0.05 >"$work/owner.out" 2>"$work/owner.err" </dev/null &
owner=$!
tries=0
while run measure --record --runs 1 -- true && [ "$code" = 0 ] && [ $tries -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
expect_exit 3
expect_says err 'run 2'
expect_says err "$owner"
kill -TERM $owner
wait $owner
checks=$((checks + 1))
[ -s "$work/owner.out" ] || wrong "the interrupted measurement shows nothing: $(cat "$work/owner.err")"
run measure --record --runs 1 -- true
expect_exit 0

it 'outside of a project nothing is measured in vain'
mkdir "$work/nowhere"
cd "$work/nowhere" || exit 1
fake probe --record
expect_exit 2
expect_nothing_on out
expect_says err 'steelyard matrix init'
run measure --record -- true
expect_exit 2
expect_nothing_on out
fake probe
expect_exit 0
run key list
expect_exit 2
checks=$((checks + 1))
[ -z "$(ls -A)" ] || wrong "a file was left: $(ls -A)"

it 'what belongs to a run alone is refused without one'
for option in '--gate x' '--key a=b' '--wait 1' '--root .' '--evidence .'; do
    # shellcheck disable=SC2086
    fake probe $option
    expect_exit 2
    expect_says err 'only with --record'
done

it 'a broken ledger is told before anything is measured'
new_project
fake probe --record --quiet
expect_exit 0
printf 'garbage' | dd of=.steelyard/ledger.sqlite conv=notrunc 2>/dev/null
fake probe --record
expect_exit 4
expect_nothing_on out

it 'where evidence cannot be written nothing is measured'
new_project
: >"$work/plain"
fake probe --record --evidence "$work/plain"
expect_exit 4
expect_nothing_on out

it 'a full disk costs the record, not the decision; and nothing is kept without its evidence'
new_project
rm -f "$store"
fake probe --record --quiet
code=0
command_line='probe ... --record --save, with files of at most 512 KiB'
(
    trap '' XFSZ
    ulimit -f 1024
    exec "$STEELYARD" probe ring --backend fake --script "$script" --record --save --store "$store" --max-pairs 2000 \
        --rule medians --budget 100000
) >"$work/out" 2>"$work/err" </dev/null || code=$?
expect_exit 4
expect_says out 'fast'
checks=$((checks + 1))
[ ! -e "$store" ] || wrong 'a decision was kept whose run was not'
expect_says err 'File too large'

it 'a run around is told by lines, and is the only record'
exec 9>"$work/lines"
STEELYARD_RUN_FD=9 fake measure --iterations 4
expect_exit 0
# shellcheck disable=SC2016 # the program's own variable is meant
STEELYARD_RUN_FD=9 run measure --runs 2 -- sh -c 'echo "FD is ${STEELYARD_RUN_FD-unset}" >&2; test -z "$STEELYARD_RUN_FD"'
expect_exit 0
STEELYARD_RUN_FD=9 run measure --runs 2 -- sh -c '! { echo x >&9; } 2>/dev/null'
expect_exit 0
STEELYARD_RUN_FD=9 fake probe --record
expect_exit 2
expect_says err 'part of a run that is recorded already'
exec 9>&-
cp "$work/lines" "$work/out"
checks=$((checks + 3))
[ "$(grep -c '^sample wall .* s better=lower case=only implementation=plain$' "$work/lines")" = 4 ] ||
    wrong "not four samples: $(cat "$work/lines")"
grep -q '^parity passed case=only implementation=plain' "$work/lines" || wrong 'no parity'
! grep -q '^x' "$work/lines" || wrong 'a measured program spoke for us'

it 'a descriptor that is none or closed costs nothing but a remark'
STEELYARD_RUN_FD=77 fake measure --iterations 4
expect_exit 0
expect_says out 'median'
expect_says err 'cannot be told to the run around it'
STEELYARD_RUN_FD=nonsense fake probe
expect_exit 0
expect_says err 'cannot be told to the run around it'
checks=$((checks + 1))
[ "$(grep -c 'cannot be told' "$work/err")" = 1 ] || wrong 'it was said more than once'

if "$STEELYARD" help ledger >/dev/null 2>&1; then
    it 'what was recorded is found whole'
    cd "$work/other" || exit 1
    expect_verified
else
    echo 'not tried: this build has no ledger verify'
fi

finish
