#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard matrix init: a valid set that says what to measure first, with commands that run when they are copied; and
# what single faults in such a set look like.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

root=$work/project
mkdir "$root"

it 'the groups list their commands'
for group in matrix gate; do
    run $group
    expect_exit 2
    expect_nothing_on out
    expect_says err "all of them: steelyard help $group"
    run $group --help
    expect_exit 0
    expect_width 80
done
for verb in 'matrix init' 'matrix show' 'matrix validate' 'gate next' 'gate list' 'gate show' 'gate command' \
    'gate validate' 'gate render'; do
    # shellcheck disable=SC2086 # two words
    run $verb --help
    expect_exit 0
    expect_width 80
    expect_says out "Usage: steelyard $verb "
    # shellcheck disable=SC2086
    run help --man $verb
    expect_exit 0
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww -z "$work/out" >"$work/err" 2>&1 || true
        expect_nothing_on err
    fi
done
run gate nxt
expect_exit 2
expect_says err 'did you mean: steelyard gate next'

it 'a folder outside of any project has nothing to show'
cd "$root" || exit
for words in 'matrix show' 'matrix validate' 'gate next' 'gate list' 'gate validate' 'gate render' 'gate show x'; do
    # shellcheck disable=SC2086 # words
    run $words
    expect_exit 2
    expect_nothing_on out
    expect_says err 'holds steelyard.json'
    expect_says err 'steelyard matrix init'
done

it 'a root that is not there is told'
run gate list --root "$work/none"
expect_exit 2
expect_says err "$work/none"

it 'init writes a set and says what to do next'
run matrix init
expect_exit 0
expect_nothing_on err
expect_stdout <<'END'
written: evidence/parity_matrix.json
written: evidence/profile_matrix.json
written: evidence/gates.json
written: evidence/runs/RUNS.md
written: .steelyard/.gitignore
written: steelyard.json
written: evidence/coverage.md

steelyard matrix show        the matrix: two operations on two backends, all of it open
steelyard gate next          what to measure first
steelyard gate command ID    the command that measures it
END

it 'a second one overwrites nothing'
cp -R "$root" "$work/before"
run matrix init
expect_exit 1
expect_nothing_on out
expect_says err 'is there already: nothing was written'
checks=$((checks + 1))
diff -r "$work/before" "$root" >"$work/diff" || wrong "$(cat "$work/diff")"

it 'one file that is there is enough, and is named'
mkdir -p "$work/other/evidence"
echo mine >"$work/other/evidence/gates.json"
run matrix init --root "$work/other"
expect_exit 1
expect_says err "$work/other/evidence/gates.json is there already"
checks=$((checks + 1))
[ "$(find "$work/other" -type f | wc -l)" -eq 1 ] || wrong 'something was written'

it 'the set has no finding, and nothing that coverage lacks'
run matrix validate
expect_exit 0
expect_nothing_on err
expect_stdout <<'END'
no findings, no notes
END
run matrix validate --require-coverage
expect_exit 0
run gate validate
expect_exit 0
run gate render --check
expect_exit 0
expect_stdout <<'END'
evidence/coverage.md: current
END

it 'it is found from a folder below'
mkdir -p "$root/src/deep"
cd "$root/src/deep" || exit
run gate validate
expect_exit 0
cd "$root" || exit

it 'what to measure first is named'
run gate next
expect_exit 0
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" -eq 7 ] || wrong "$(cat "$work/out")"
checks=$((checks + 1))
[ "$(head -n 1 "$work/out" | cut -f 1)" = attention.cpu.sd15-self-256.hot ] || wrong "$(head -n 1 "$work/out")"

it 'the matrix is drawn in ASCII and fits'
run matrix show
expect_exit 0
expect_width 80
expect_says out 'steelyard-profile/v1: 2 capabilities on 2 backends, 7 open gates'
expect_says out 'matmul o 4 -'

# The command of a gate is one line behind "Command:".
it 'the command of a gate runs when it is copied to a shell'
command_line='gate command, through sh'
PATH=$work/bin:$PATH
export PATH
mkdir -p "$work/bin"
ln -s "$STEELYARD" "$work/bin/steelyard"
for gate in matmul.cpu.square-512.session attention.cpu.sd15-self-256.hot; do
    run gate command "$gate"
    expect_exit 0
    awk '/^Command:$/ { getline; print; exit }' "$work/out" >"$work/line"
    checks=$((checks + 1))
    code=0
    sh -e "$work/line" >"$work/out" 2>"$work/err" </dev/null || code=$?
    # 5: a busy machine may leave a weighing undecided.
    [ "$code" -eq 0 ] || [ "$code" -eq 5 ] || wrong "$(cat "$work/line"): exit code $code: $(cat "$work/err")"
    case $gate in
    *.session)
        expect_json /schema steelyard.measure/1
        expect_json /operation matmul
        ;;
    *)
        expect_json /schema steelyard.probe/1
        expect_json /operation attention
        ;;
    esac
done

it 'the name of the project is the folder'
"$JSON_VALUE" "$root/steelyard.json" /project >"$work/out"
expect_stdout <<'END'
project
END
run matrix init --root "$work/no/such/place"
expect_exit 2
expect_says err "$work/no/such/place"
[ ! -e "$work/no" ] || wrong 'a folder was made'
run matrix init --root "$work/named" --project 'A "fast" one'
expect_exit 0
"$JSON_VALUE" "$work/named/steelyard.json" /project >"$work/out"
expect_stdout <<'END'
A "fast" one
END

# ---- faults ----

# spoil FILE SED-EXPRESSION: the set anew, with one change.
spoil() {
    rm -rf "$work/faulty"
    cp -R "$work/before" "$work/faulty"
    sed "$2" "$work/before/$1" >"$work/faulty/$1"
    checks=$((checks + 1))
    ! cmp -s "$work/before/$1" "$work/faulty/$1" || wrong "the fault changed nothing: $2"
}

it 'a fault is a line with its place, its rule, what was found'
spoil evidence/profile_matrix.json 's/"schema_version": 1/"schema_version": true/'
run matrix validate --root "$work/faulty"
expect_exit 1
expect_nothing_on err
expect_says out 'evidence/profile_matrix.json:2:21: schema-version:'
expect_says out '(found true'
expect_says out '1 finding, no notes'

it 'as JSON it has all members'
run matrix validate --root "$work/faulty" --json
expect_exit 1
expect_json /schema steelyard.findings/1
expect_json /root "$work/faulty"
expect_json /findings 'array of 1'
expect_json /findings/0/rule schema-version
expect_json /findings/0/file evidence/profile_matrix.json
expect_json /findings/0/line 2
expect_json /findings/0/column 21
expect_json /findings/0/pointer /schema_version
expect_json /findings/0/found true
expect_json /notes 'array of 0'

it 'two faults are found in one run'
spoil evidence/gates.json 's/"priority": 4/"priority": true/; s/"state": "blocked"/"state": "stuck"/'
run gate validate --root "$work/faulty"
expect_exit 1
expect_says out '/' # a line at least
checks=$((checks + 1))
[ "$(grep -c '^evidence/gates.json:[0-9]*:[0-9]*: ' "$work/out")" -ge 2 ] || wrong "$(cat "$work/out")"

it 'a cell called ready with open gates is a note; with --require-coverage exit 7'
spoil evidence/profile_matrix.json '/"id": "matmul::cpu"/,/}/ s/"evidence-gap"/"ready"/'
run matrix validate --root "$work/faulty"
expect_exit 0
expect_says out 'note: ready-with-open-gates:'
run matrix validate --root "$work/faulty" --require-coverage
expect_exit 7
expect_says out 'no findings, 1 note'
run gate validate --root "$work/faulty" --require-coverage
expect_exit 7

it 'a list from a damaged file is printed and exit 4'
rm -rf "$work/faulty"
cp -R "$work/before" "$work/faulty"
head -c 6000 "$work/before/evidence/gates.json" >"$work/faulty/evidence/gates.json"
run gate list --root "$work/faulty"
expect_exit 4
expect_says err 'evidence/gates.json:'
expect_says err 'steelyard gate validate'
for words in '' --check "--output $work/faulty/evidence/coverage.md"; do
    # shellcheck disable=SC2086 # words
    run gate render --root "$work/faulty" $words
    expect_exit 4
    expect_nothing_on out
done
checks=$((checks + 1))
cmp "$work/before/evidence/coverage.md" "$work/faulty/evidence/coverage.md" || wrong 'the document was overwritten'

it 'a file that is missing is told by every command'
rm "$work/faulty/evidence/gates.json"
run gate list --root "$work/faulty"
expect_exit 4
expect_nothing_on out
run gate validate --root "$work/faulty"
expect_exit 1
expect_says out 'file-missing'
run matrix show --root "$work/faulty"
expect_exit 4
expect_says out 'no gate is assigned to it'
rm "$work/faulty/evidence/profile_matrix.json"
run matrix show --root "$work/faulty"
expect_exit 4
expect_says err 'nothing of the matrix could be read'

it 'wrong options and words are usage errors'
run gate list --plattform CUDA
expect_exit 2
expect_says err '--platform'
run gate list one
expect_exit 2
run gate show
expect_exit 2
run gate show a b
expect_exit 2
run gate next --limit 0
expect_exit 2
run gate render --format html
expect_exit 2
run matrix show extra
expect_exit 2

it 'a stdout that was closed or is full is exit 4'
for words in 'matrix show' 'gate list' 'gate render' 'matrix validate'; do
    command_line="$words >&-"
    code=0
    # shellcheck disable=SC2086 # words
    "$STEELYARD" $words --root "$root" >&- 2>"$work/err" || code=$?
    expect_exit 4
    code=0
    # shellcheck disable=SC2086
    "$STEELYARD" $words --root "$root" >/dev/full 2>"$work/err" || code=$?
    expect_exit 4
done

it 'a word that no gate has is told, an empty list is not taken for done'
for command in list next; do
    run gate $command --root "$root" --platform gpu
    expect_exit 2
    expect_nothing_on out
    expect_stderr <<END
steelyard gate $command: --platform gpu: no gate has this platform
  gates have: cpu, ggml
END
    run gate $command --root "$root" --state opn
    expect_exit 2
    expect_says err '--state opn: no gate has this state'
done
run gate list --root "$root" --state refuted
expect_exit 0
expect_nothing_on out
run gate list --root "$root" --platform CPU --state Pending
expect_exit 0
expect_nothing_on err

it 'the example written by hand, with a protocol of its own, is valid, whole and current'
example=$work/fft
cp -R "$SOURCE_DIR/examples/fft_evidence" "$example"
run matrix validate --root "$example" --require-coverage
expect_exit 0
expect_stdout <<'END'
no findings, no notes
END
run gate command --root "$example" fft-2d.cuda.c2c-2^20
expect_exit 0
expect_says out "--candidate 'build/bench fft-2d 1048576'"

it 'the coverage document that steelyard.json names is made where there is none yet'
cp "$example/coverage.md" "$work/kept"
rm "$example/coverage.md"
run matrix validate --root "$example"
expect_exit 1
expect_says out "the file 'coverage.md' is not there; steelyard gate render --output FILE writes it"
run gate render --root "$example" --output "$example/coverage.md"
expect_exit 0
cmp -s "$work/kept" "$example/coverage.md" || wrong 'it is another document'

it 'a registry of another protocol hears which there are, and nothing that it cannot know'
sed 's|fft-gates/v1|fft-gates/v2|' "$SOURCE_DIR/examples/fft_evidence/gates.json" >"$example/gates.json"
run matrix validate --root "$example"
expect_exit 1
expect_says out "known are 'steelyard-gates/v1', 'quantem-gpu-benchmark-coverage/v1', 'fft-gates/v1'"
if grep -q gate-cannot-measure "$work/out"; then wrong 'its runbooks are called unable to measure'; fi

finish
