#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard gate and matrix on the published QuantEM.GPU files: byte for byte what the published tool prints, every
# gate; filters, limits, the rendered coverage, the picture at every width.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

published=${STEELYARD_PUBLISHED:-$SOURCE_DIR/../shared/data/quantem}
expected=$published-expected
if [ ! -d "$published" ] || [ ! -d "$expected" ]; then
    skip 'no published evidence files in ../shared/data'
fi

it 'the list is that of the published tool'
run gate list --root "$published"
expect_exit 0
expect_nothing_on err
expect_stdout <"$expected/list.txt"

it 'what comes next is, too, ten of them unless more are asked for'
run gate next --root "$published" --limit 100
expect_exit 0
expect_nothing_on err
expect_stdout <"$expected/next_all.txt"
run gate next --root "$published"
expect_exit 0
head -n 10 "$expected/next_all.txt" >"$work/ten"
expect_stdout <"$work/ten"

# All gates one after the other are compared as one file: "##show ID" and "##command ID" begin each answer.
it 'every gate and every command is shown as the published tool does'
: >"$work/all"
cut -f 1 "$expected/list.txt" | while read -r id; do
    for verb in show command; do
        echo "##$verb $id"
        "$STEELYARD" gate $verb --root "$published" "$id"
    done
done >"$work/all" 2>"$work/err"
command_line='gate show and gate command of each'
checks=$((checks + 1))
cmp "$work/all" "$expected/show_command_all.txt" >"$work/diff" 2>&1 || wrong "$(cat "$work/diff")"
expect_nothing_on err

it 'a gate that is not there is exit 6, with near ones on stderr'
run gate show --root "$published" dpc.cuda.full-suit
expect_exit 6
expect_nothing_on out
expect_says err "dpc.cuda.full-suit"
expect_says err "dpc.cuda.full-suite"
run gate command --root "$published" nothing-like-it
expect_exit 6
expect_nothing_on out

# expect_count N: lines on stdout.
expect_count() {
    checks=$((checks + 1))
    count=$(wc -l <"$work/out")
    [ "$count" -eq "$1" ] || wrong "$count lines, not $1"
}

it 'filters take the whole text in letters of either case'
for platform in CUDA cuda; do
    run gate list --root "$published" --platform $platform
    expect_exit 0
    expect_count "$(awk -F '\t' '$3 == "CUDA"' "$expected/list.txt" | wc -l)"
done
run gate list --root "$published" --platform CUD
expect_exit 2
expect_nothing_on out
expect_says err 'gates have: CPU reference, CUDA, '
run gate list --root "$published" --state measured
expect_count "$(grep -c 'Measured' "$expected/list.txt")"
run gate next --root "$published" --limit 100 --computer 'macbook pro (m5 max, 128 gb)' --state PARTIAL
expect_count "$(awk -F '\t' '$4 == "MacBook Pro (M5 Max, 128 GB)" && $2 ~ /Partial/' "$expected/next_all.txt" | wc -l)"
run gate list --root "$published" --module 'i/o and load'
checks=$((checks + 1))
[ -s "$work/out" ] || wrong 'no gate of the module'
run gate next --root "$published" --limit 100 --performance-only
expect_exit 0
checks=$((checks + 2))
count=$(wc -l <"$work/out")
[ "$count" -gt 0 ] || wrong 'no gate is left'
[ "$count" -lt "$(wc -l <"$expected/next_all.txt")" ] || wrong 'every gate is left'

it 'the same as JSON'
run gate next --root "$published" --json
expect_exit 0
expect_json /schema steelyard.gates/1
expect_json /gates 'array of 10'
expect_json /total "$(wc -l <"$expected/next_all.txt")"
expect_json /gates/0/id "$(head -n 1 "$expected/next_all.txt" | cut -f 1)"
expect_members /gates/0 id module operation platform computer state label runbook next_gate priority open performance
expect_json /gates/0/open true

it 'the rendered coverage is the published one, byte for byte, and current'
run gate render --root "$published" --format coverage
expect_exit 0
expect_stdout <"$published/docs/_generated/benchmark_coverage.md"
run gate render --root "$published" --check
expect_exit 0
expect_stdout <<'END'
docs/_generated/benchmark_coverage.md: current
END

it 'a file that is written is the same, and one that differs is found out'
run gate render --root "$published" --output "$work/coverage.md"
expect_exit 0
expect_nothing_on out
checks=$((checks + 1))
cmp "$work/coverage.md" "$published/docs/_generated/benchmark_coverage.md" || wrong 'it differs'
run gate render --root "$published" --check --output "$work/coverage.md"
expect_exit 0
echo >>"$work/coverage.md"
run gate render --root "$published" --check --output "$work/coverage.md"
expect_exit 1
expect_nothing_on out
expect_says err "coverage.md: not what the gates say now"

it 'a file that cannot be written is exit 4'
run gate render --root "$published" --output "$work/coverage.md/below"
expect_exit 4

# The data has one real contradiction: one fixture id with two digests.
it 'the one contradiction of the published files is found'
run matrix validate --root "$published"
expect_exit 1
expect_nothing_on err
expect_says out 'fixture'
checks=$((checks + 1))
grep -q '^[^:]*:[0-9]*:[0-9]*: [a-z0-9-]*: ' "$work/out" || wrong 'no line with a place and a rule'
tail -n 1 "$work/out" >"$work/last"
checks=$((checks + 1))
grep -q '^[0-9]* findings\{0,1\}, [0-9]* notes\{0,1\}$' "$work/last" || wrong "$(cat "$work/last")"
run gate validate --root "$published"
expect_exit 1
expect_says out 'fixture'

it 'findings as JSON'
run matrix validate --root "$published" --json
expect_exit 1
expect_json /schema steelyard.findings/1
expect_members /findings/0 rule file line column pointer message found expected
expect_members /notes/0 rule file line column pointer message found expected

it 'the picture fits 80 columns in a pipe'
run matrix show --root "$published"
expect_exit 0
expect_width 80
expect_says out 'quantem-gpu-profile/v1: 7 capabilities on 5 backends, 56 open gates'
expect_says out 'io.decode-bin-provenance'
expect_says out 'unsupported 3 '

it 'it can be narrowed to one capability and one backend'
run matrix show --root "$published" --capability SSB.object-phase-loss --backend cuda
expect_exit 0
expect_says out '1 capability on 1 backend'
expect_not_says out 'io.decode'
run matrix show --root "$published" --backend gpu
expect_exit 2
expect_nothing_on out
expect_stderr <<'END'
steelyard matrix show: the matrix has no backend 'gpu'
  it has: cpu-reference, cuda, mps, swift-metal, webgpu
END

it 'as JSON it has every cell and what was joined'
run matrix show --root "$published" --json
expect_exit 0
expect_json /schema steelyard.matrix/1
expect_json /protocol_version quantem-gpu-profile/v1
expect_json /cells 'array of 35'
expect_json /counts/unsupported 3
expect_json /counts/open_gates 56
expect_members /cells/0 id capability backend standing state support_level pr_gate scheduled_profile release_signoff \
    runner reason gates open_gates measured_gates next_gate
expect_members /coverage ready_with_open_gates gates_that_cannot_measure evidence_without_cell schedules_without_runner \
    gates_without_cell cells_without_gate

if command -v script >/dev/null; then
    it 'on a terminal lists are tables and pictures fit its width'
    for columns in 60 80 120 160; do
        for words in 'matrix show' 'gate list' 'gate next --limit 3'; do
            command_line="$words at $columns columns"
            code=0
            TERM=xterm script -qec "stty cols $columns rows 24 -onlcr; exec $STEELYARD $words --root $published --color never" \
                /dev/null >"$work/out" 2>"$work/err" </dev/null || code=$?
            expect_exit 0
            expect_width $columns
        done
        expect_says out '3 of 56 gates; all: --limit 56'
    done
fi

finish
