#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A run's life as its users see it: the walk of docs/runs.md, typed line by line; what a start finds and refuses; ends,
# files, acceptance, the sweep.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

command -v git >/dev/null || skip 'no git here'
root=$work/project
export STEELYARD_LEASES="$work/leases"
export HOME="$work/people/ann"
export GIT_AUTHOR_NAME=ann GIT_AUTHOR_EMAIL=ann@example.org GIT_COMMITTER_NAME=ann GIT_COMMITTER_EMAIL=ann@example.org
mkdir -p "$root" "$HOME" "$work/bin" "$STEELYARD_LEASES"
chmod 700 "$STEELYARD_LEASES"
ln -s "$STEELYARD" "$work/bin/steelyard"
PATH=$work/bin:$PATH
gate=matmul.cpu.square-512.session
other=matmul.cpu.square-512.least-memory
cd "$root" || exit

# What else this computer does shall fail no test.
let_it_be_busy() {
    sed -e 's/"at_most": 1.0/"at_most": 99999/' -e '/"check": "free-memory"/d' evidence/gates.json >"$work/gates.json"
    cp "$work/gates.json" evidence/gates.json
}

it 'the walk of docs/runs.md leads to an accepted session'
sed -n '/^<!-- walk -->$/,/^<!-- end of walk -->$/p' "$SOURCE_DIR/docs/runs.md" | grep -v '^<!--\|^```' >"$work/walk"
[ "$(wc -l <"$work/walk")" -gt 10 ] || wrong 'the walk is gone'
while read -r line; do
    checks=$((checks + 1))
    command_line=$line
    sh -c "$line" >"$work/out" 2>"$work/err" </dev/null || wrong "exit $?: $(cat "$work/err" "$work/out")"
    case $line in
    *'matrix init') let_it_be_busy ;;
    *'run accept'*) expect_says out accepted ;;
    *'key list') expect_says out '4 more' ;;
    *'ledger verify') cp "$work/out" "$work/verified" ;;
    esac
done <"$work/walk"
run run show last --json
expect_exit 0
expect_json /status ok
expect_json /parity passed
expect_json /accept/by 'whoever owns this computer'

it 'a start outside of a project records nothing'
cd "$work" || exit
run run start "$gate" --question 'Any?'
expect_exit 2
expect_says err 'steelyard matrix init'
[ ! -e "$work/.steelyard" ] || wrong 'a ledger was made in a folder by chance'
cd "$root" || exit

it 'a gate must be there and measure something'
run run start matmul.cpu
expect_exit 6
expect_says err "there is no gate 'matmul.cpu'"
run run start matmul.ggml
expect_exit 1
expect_says err unsupported
run run start
expect_exit 2
expect_says err 'takes one GATE'

it 'a start says what it found'
run run start "$gate" --json
expect_exit 0
expect_json /schema steelyard.run-started/1
expect_json /status planned
expect_json /tier release-signoff
expect_json /device cpu
expect_json /unknown_key_fields null
expect_members '' run revision command smoke checks head
id=$(json /run)

it 'an end comes once, and from where it may'
run run finish "$id" --status ok
expect_exit 1
expect_says err 'planned'
run run finish "$id"
expect_exit 2
expect_says err '--status is missing'
run run finish "$id" --status failed --reason 'cancelled: the fan is loud'
expect_exit 0
expect_says out "run $id"
run run finish "$id" --status failed
expect_exit 1
run run finish nobody --status ok
expect_exit 6
run run accept "$id" --by ann
expect_exit 1
expect_says out 'its status is failed'
expect_says out 'its parity is unknown'
run run accept "$id" --by ann --json
expect_exit 1
expect_json /accepted false
run run accept nobody --by ann
expect_exit 6
run run accept "$id"
expect_exit 2
expect_says err '--by is missing'

it 'figures are read whole or refused'
for memory in peak peak=much peak=1GiB peak=1GiB,basis=physical 'peak=1GiB,basis=guess,scope=process' \
    'peak=1GiB,basis=physical,scope=process,color=red' =1GiB,basis=physical,scope=process; do
    run run finish "$id" --status failed --memory "$memory"
    expect_exit 2
    expect_says err '--memory'
done
run run finish "$id" --status failed --parity perfect
expect_exit 2
expect_says err 'not-performed'
run run finish "$id" --status failed --digest output=12
expect_exit 2
run run finish "$id" --status excellent
expect_exit 2

it 'figures of an end are kept, and pre-checks are called so'
run run start "$gate" --json
id=$(json /run)
# shellcheck disable=SC2016 # the shell of the run expands it
run run exec "$id" -- sh -c 'echo "sample wall 1 ms" >&"$STEELYARD_RUN_FD"'
expect_exit 0
run run finish "$id" --status ok --parity passed,case=square-512,error=0.5 \
    --memory 'guess=1GiB,basis=estimate,scope=process' --memory 'limit=1GiB,basis=constrained,scope=process,how=a,, b' \
    --digest output=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
expect_exit 0
expect_says out 'pre-check: guess'
expect_not_says out 'pre-check: limit'
expect_says out head
run run show "$id"
expect_says out 'constrained by a, b'
expect_says out '(pre-check)'

it 'a refuted run has a conclusion, a superseded one may name another'
run run start "$gate" --json
id=$(json /run)
run run exec "$id" -- true
run run finish "$id" --status refuted
expect_exit 2
run run finish "$id" --status refuted --conclusion 'It is "slower" / with
a line feed.'
expect_exit 0

it 'files are attached whenever, and named without folders'
printf '\0\1' >"$work/some file"
run run attach "$id" "$work/some file" --role profiler --json
expect_exit 0
expect_json /name 'some file'
expect_json /run "$id"
expect_json /bytes 2
printf 'built in /home/joe/src\n' >"$work/private"
run run attach "$id" "$work/private" --role log
expect_exit 0
expect_says err "'private' holds a path into somebody's home, and is kept byte for byte"
run run attach "$id" "$work/none"
expect_exit 6
run run attach nobody "$work/some file"
expect_exit 6
run run attach "$id" "$work/some file" --role nonsense
expect_exit 2

it 'a dirty tree is recorded with its difference'
sed 's/Five sessions on different days/Five sessions on other days/' evidence/gates.json >"$work/gates.json"
cp "$work/gates.json" evidence/gates.json
run run start "$gate" --json
expect_exit 0
case $(json /revision) in
*+????????????) ;;
*) wrong "the revision of a dirty tree is $(json /revision)" ;;
esac

it 'without a git, and without a home, a start says that it does not know'
mkdir "$work/empty"
ln -s "$STEELYARD" "$work/empty/steelyard"
command_line='run start without git'
code=0
(unset HOME && PATH=$work/empty "$STEELYARD" run start "$gate") >"$work/out" 2>"$work/err" </dev/null || code=$?
expect_exit 0
expect_says out 'revision unknown'
expect_says out 'the program git is not here'

it 'a failed smoke blocks other gates of the device, and says how to go on'
sed 's|"smoke": "steelyard measure [^"]*"|"smoke": "sh -c false"|' evidence/gates.json >"$work/gates.json"
cp "$work/gates.json" evidence/gates.json
run run start "$gate" --json
blocked=$(json /run)
run run exec "$blocked"
[ "$code" -ne 0 ] || wrong 'a smoke that fails fails nothing'
run run start "$other" --question 'Any?'
expect_exit 1
expect_says err "$blocked"
expect_says err '--despite'
run run start "$other" --question 'Any?' --despite "$blocked"
expect_exit 2
run run start "$other" --question 'Any?' --despite "$blocked" --reason 'another implementation'
expect_exit 0
run run start "$gate"
expect_exit 0

it 'a failed preflight is a recorded run, exit 3'
sed 's/"at_most": 99999/"at_most": 0.000001/' evidence/gates.json >"$work/gates.json"
cp "$work/gates.json" evidence/gates.json
run run start "$gate" --json
if [ "$(json /checks/7/found)" != '0.00 over the last minute' ]; then # a computer that does nothing at all
    expect_exit 3
    expect_json /status failed
    expect_json /reason 'preflight: load'
fi

it 'a sweep of a ledger without lost runs closes nothing'
run run sweep --json
expect_exit 0
expect_json /lost 0
run run sweep --dry-run
expect_exit 0
run run sweep now
expect_exit 2

it 'a ledger that cannot be written takes no run'
run run start "$gate" --evidence /proc/none
[ "$code" -ne 0 ] || wrong 'a run was recorded nowhere'
expect_nothing_on out

it 'all of it is as it was written'
run ledger verify
expect_exit 0

finish
