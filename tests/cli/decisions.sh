#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every decision, reason and exit code of a probe, played by the fake backend: the clock is scripted, nothing here
# depends on how fast this machine is.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

one='"cases": [{"name": "only"}]'
two='"cases": [{"name": "big", "factor": 10}, {"name": "small"}]'

# law NANOSECONDS: with the noise of a quiet machine.
law() {
    echo "\"law\": {\"base_ns\": $1, \"model\": \"quiet\"}"
}

# implementation NAME MEMBERS: one that is 25 % faster than the reference unless the members say otherwise.
implementation() {
    case $2 in
    *'"law"'* | *'"times"'*) echo "{\"name\": \"$1\", $2}" ;;
    *) echo "{\"name\": \"$1\", $(law 1500000)${2:+, $2}}" ;;
    esac
}

reference=$(implementation slow "\"role\": \"reference\", $(law 2000000)")

# play HEAD IMPLEMENTATIONS OPTIONS...: writes the script and probes it, JSON on stdout.
play() {
    cat >"$work/script.json" <<END
{"schema": "steelyard.fake/1", "operation": "toy", $1, "implementations": [$2]}
END
    shift 2
    run probe toy --backend fake --script "$work/script.json" --json "$@"
}

# decided DECISION REASON EXIT WINNER
decided() {
    expect_exit "$3"
    expect_nothing_on err
    expect_json /decision "$1"
    expect_json /reason "$2"
    expect_json /winner "$4"
}

it 'a clear gain is a win'
play "$one" "$reference, $(implementation fast "$(law 1800000)")" --seed 7
decided win '' 0 fast
expect_json /completed true
expect_json /candidate_faster true
expect_json /pairs 5
expect_json /error ''

it 'equal times are no gain'
play "$one" "$reference, $(implementation same "$(law 2000000)")" --seed 7
decided no-gain '' 0 slow
expect_json /completed true
expect_json /candidate_faster false

it 'a minimum improvement of 0 asks for any gain'
play "$one" "$reference, $(implementation near "$(law 1980000)")" --seed 7 --min-improvement 0
decided win '' 0 near

it 'a candidate at the threshold stays undecided, and is told what would decide it'
play "$one" "$reference, $(implementation near "$(law 1940000)")" --seed 7
decided inconclusive max-pairs 5 slow
expect_json /completed false
expect_json /candidate_faster null
expect_json /pairs 60
expect_says out '"advice": "a minimum improvement of'

it 'candidates too close to tell apart are a tie, one of them chosen'
play "$one" "$reference, $(implementation a "$(law 1800000)"), $(implementation b "$(law 1800500)"), \
    $(implementation c "$(law 2500000)")" --seed 7
expect_exit 0
expect_json /decision tie
expect_json /candidate_faster true
expect_json /candidates/2/name c
expect_json /candidates/2/reason slower

it 'not-slower: answered by the margin'
play "$one" "$reference, $(implementation same "$(law 2000000)")" --seed 7 --question not-slower
decided not-slower '' 0 slow
play "$one" "$reference, $(implementation worse "$(law 2200000)")" --seed 7 --question not-slower
decided slower '' 1 slow
play "$one" "$reference, $(implementation worse "$(law 2200000)")" --seed 7 --question not-slower --margin 0.2
decided not-slower '' 0 slow

it 'the medians rule gives a point estimate of a fixed number of pairs'
play "$one" "$reference, $(implementation fast "$(law 1900000)")" --seed 7 --rule medians --max-pairs 10
decided win '' 0 fast
expect_json /pairs 10
expect_json /gain_low null

it 'a case that gets much slower ends it, whatever the sum says'
play "$two" "$reference, $(implementation mixed '"cases": {"small": {"factor": 2}}')" --seed 7
decided no-gain case-regression 0 slow
expect_json /cases/1/name small
expect_json /cases/1/regression true
expect_json /cases/0/regression false

it 'a case that is never shown to be safe keeps it undecided'
play "$two" "$reference, $(implementation mixed "$(law 1500000), \"cases\": {\"small\": {\"law\": {\"base_ns\": 2200000,
    \"sigma\": 0.01}}}")" \
    --seed 7
decided inconclusive case-unresolved 5 slow

it 'a budget of zero ends undecided before the first pair'
play "$one" "$reference, $(implementation fast '')" --budget 0
decided inconclusive budget 5 slow
expect_json /pairs 0
expect_json /gain null

it 'so does a wall limit of zero'
play "$one" "$reference, $(implementation fast '')" --wall-limit 0
decided inconclusive wall-limit 5 slow

it 'a machine too noisy for the question says so'
play "$one" "$(implementation slow '"role": "reference", "law": {"base_ns": 2000000, "sigma": 0.5}'), \
    $(implementation fast '"law": {"base_ns": 1900000, "sigma": 0.5}')" --seed 7
decided inconclusive noise 5 slow
expect_says out 'finding 5.0 % would take'
play "$one" "$(implementation slow '"role": "reference", "law": {"base_ns": 2000000, "sigma": 0.5}'), \
    $(implementation fast '"law": {"base_ns": 2000000, "sigma": 0.5}')" --seed 7 --question not-slower
expect_says out 'one that is as fast would take'
expect_not_says out 'finding 0.0 %'

it 'times that the clock cannot resolve end it'
good=$(printf '900000, %.0s' $(seq 48)) # until the pairs begin
fading=$(printf '900000, 900000, 0, %.0s' $(seq 40))
play "$one" "$(implementation slow '"role": "reference", "times": [1000000]'), \
    $(implementation fast "\"times\": [$good $fading 0]")" --seed 7
decided inconclusive timer 5 slow

it 'what one leaves behind for the other overturns a win'
play "$one" "$(implementation slow "\"role\": \"reference\", $(law 2000000), \"after\": {\"spins\": 1.06}, \
    \"after_runs\": 3"), $(implementation spins "$(law 1990000)")" --seed 7
decided inconclusive carry-over 5 slow

it 'a gain that changes during the probe overturns some wins'
drifts=0
for from_run in 50 55 60 65 70 75 80 85; do
    for seed in 1 2 3 4; do
        play "$one" "$reference, $(implementation a "\"law\": {\"base_ns\": 1940000, \"model\": \"quiet\",
            \"sigma\": 0.01}, \"drift\": {\"factor\": 0.85, \"from_run\": $from_run}")" --seed $seed
        [ "$(json /reason)" != drift ] || drifts=$((drifts + 1))
    done
done
checks=$((checks + 1))
[ $drifts -gt 0 ] || wrong 'none of 32 probes ended with the reason drift'

for fault in nan nothing half zeros shifted wrong input-changed stale memoised past-the-end before-the-start; do
    it "an implementation with the fault $fault is never timed"
    play "$one" "$reference, $(implementation broken "\"fault\": \"$fault\"")"
    decided parity-failed parity 1 slow
    expect_json /pairs 0
    expect_json /candidates/0/decision parity-failed
    expect_json /candidates/0/parity failed
done

it 'a wrong last output overturns what was timed'
play "$one" "$reference, $(implementation broken '"fault": "nan", "fault_from_run": 30')" --seed 7
decided parity-failed parity 1 slow
expect_says out 'the last timed output'

it 'a loser with wrong outputs shows in its row, not in the exit code'
several="$reference, $(implementation good ''), $(implementation broken '"fault": "wrong", "fault_size": 0.01')"
play "$one" "$several" --seed 7
decided win '' 0 good
expect_json /candidates/1/decision parity-failed

it '--require-parity makes it 1'
play "$one" "$several" --seed 7 --require-parity
decided win '' 1 good
play "$one" "$reference, $(implementation good '')" --seed 7 --require-parity
decided win '' 0 good

it 'an own tolerance of zero is kept to the bit'
play "$one" "$reference, $(implementation fast '')" --atol 0 --rtol 0 --seed 7
expect_json /cases/0/parity/outcome passed
play "$one" "$reference, $(implementation other '"fault": "nondeterministic"')" --atol 0 --rtol 0
decided parity-failed parity 1 slow

it 'a tolerance above the signal proves nothing'
play '"cases": [{"name": "only", "atol": 1e20, "rtol": 1e20}]' "$reference, $(implementation good '')"
decided vacuous vacuous 5 slow

it 'a missing library is unavailable, with its reason'
play "$one" "$reference, $(implementation gone '"unavailable": "libgone.so.1 not found"')"
expect_exit 3
expect_json /decision unavailable
expect_says out 'libgone.so.1 not found'
play "$one" "$(implementation slow '"role": "reference", "unavailable": "libslow.so.1 not found"'), $(implementation fast '')"
expect_exit 3
expect_json /decision unavailable
expect_says out 'libslow.so.1 not found'

it 'memory that is not there is unavailable'
play '"device": {"memory_bytes": 1024}, "cases": [{"name": "only"}]' "$reference, $(implementation fast '')"
decided unavailable memory 3 slow
play '"device": {"memory_bytes": 100000000}, "cases": [{"name": "only"}]' "$reference, $(implementation fast '')" \
    --min-free-memory 1GiB
decided unavailable memory 3 null # not even the reference

it 'a description that does not fit its capacity is unavailable'
play "$one" "$reference, $(implementation fast '')" --metadata-capacity 10
expect_exit 3
expect_json /decision unavailable

it 'a crash or a hang before the first pair is unavailable'
play "$one" "$reference, $(implementation fragile '"crash_at": 1')"
decided unavailable crashed 3 slow
play "$one" "$reference, $(implementation stuck '"hang_at": 1')"
expect_exit 3
expect_json /decision unavailable

it 'an approximate implementation is weighed only if allowed'
play "$one" "$reference, $(implementation rough '"error_class": "approximate"')" --seed 7
decided unavailable approximate 3 slow
play "$one" "$reference, $(implementation rough '"error_class": "approximate"')" --seed 7 --allow-approximate
decided win '' 0 rough

it 'the same seed gives the same pairs, and is noted'
play "$one" "$reference, $(implementation fast "$(law 1800000)")" --seed 7
json /samples/3/reference_ns >"$work/first_sample"
json /gain >>"$work/first_sample"
play "$one" "$reference, $(implementation fast "$(law 1800000)")" --seed 7
{ json /samples/3/reference_ns; json /gain; } >"$work/out_again"
checks=$((checks + 1))
cmp -s "$work/first_sample" "$work/out_again" || wrong 'the second run differs'
expect_json /seed 7
expect_json /seed_fixed true
expect_says out 'seed-fixed'

it 'the object has every member of the contract'
play "$two" "$reference, $(implementation fast '')" --seed 7
expect_json /schema steelyard.probe/1
expect_members '' operation backend device question reference winner decision reason error completed candidate_faster \
    gain gain_low gain_high total_gain reference_total_ns candidate_total_ns e_value pairs max_pairs alpha \
    min_improvement seed isolation carry_over resolvable_gain notes candidates cases samples identity
expect_members /candidates/0 name role decision reason error_class gain
expect_members /cases/1 name share gain parity reference_median_ns candidate_median_ns
expect_members /cases/0/parity outcome error_in_tolerances rms_in_tolerances max_abs worst_index
expect_members /samples/0 round case candidate first reference_ns candidate_ns
expect_json /operation toy
expect_json /backend fake
expect_json /reference slow
expect_json /question faster
expect_json /max_pairs 60

it 'options reach the probe'
play "$one" "$reference, $(implementation fast '')" --seed 18446744073709551615 --alpha .01 --beta .1 --max-pairs 30 \
    --min-improvement .1 --veto .2 --margin .07 --budget 3 --wall-limit 7.5
expect_exit 0
expect_json /seed 18446744073709551615
expect_json /alpha 0.01
expect_json /beta 0.1
expect_json /max_pairs 30
expect_json /min_improvement 0.1
expect_json /veto 0.2
expect_json /margin 0.07
expect_json /budget_ns 3000000000
expect_json /wall_limit_ns 7500000000

it 'names and patterns choose implementations and cases; the reference may be another'
several="$reference, $(implementation a ''), $(implementation b '')"
play "$two" "$several" --seed 7 --implementations b --cases 'sm*'
expect_json /candidates 'array of 1'
expect_json /candidates/0/name b
expect_json /cases 'array of 1'
expect_json /cases/0/name small
play "$two" "$several" --seed 7 --reference a --implementations slow
expect_json /reference a
expect_json /candidates/0/name slow
expect_json /decision no-gain

finish
