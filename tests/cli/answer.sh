#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The answer of a probe as people read it, whole: the decision first, then the evidence.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

# The times that the runner itself needs are not held.
without_times() {
    sed -i '/^  time /,/scripted$/d' "$work/out"
}

cat >"$work/toy.json" <<'END'
{"schema": "steelyard.fake/1", "operation": "toy", "device": {"description": "a scripted machine"},
 "cases": [{"name": "big", "factor": 10, "n": 1000}, {"name": "small", "n": 100}],
 "implementations": [
   {"name": "slow", "role": "reference", "version": "slow 1.0", "times": [2000000]},
   {"name": "fast", "version": "fast 2.0", "times": [1500000]},
   {"name": "even", "times": [2000000]},
   {"name": "broken", "times": [1000000], "fault": "nan"},
   {"name": "gone", "times": [1000000], "unavailable": "libgone.so.1 not found"}]}
END

it 'a win among several candidates'
run probe toy --backend fake --script "$work/toy.json" --seed 7
expect_exit 0
expect_nothing_on err
expect_width 80
without_times
expect_stdout <<'END'
win: use fast in place of slow

fast is faster than slow: gain 25.0 %, at least 25.0 % (95 %), at most 25.0 %
(95 %). It won 5 of 5 rounds (each case once a round; cap 60). At least 3 % was
asked for; such a win is wrong in at most 5 % of probes.

toy on fake: a scripted machine, 1 thread for each implementation

Implementation  Decision         Gain    Memory   Error  Remarks
--------------------------------------------------------------------------------
slow            reference              11.8 KiB          slow 1.0
fast            win            25.0 %  11.8 KiB  0.09 x  fast 2.0
even            left behind     0.0 %  11.8 KiB  0.09 x  slower: behind the best
                                                         candidate after 4
                                                         rounds; scripted
broken          parity-failed       -  11.8 KiB   wrong  parity: small, exact
                                                         stage: nonfinite:
                                                         candidate; scripted
gone            unavailable         -         -       -  unsupported: big:
                                                         libgone.so.1 not found

Case           Share     slow     fast          GFLOP/s    Gain   Error
-----------------------------------------------------------------------
big           90.9 %  20.0 ms  15.0 ms  1.0e-04 1.3e-04  25.0 %  0.09 x
small          9.1 %  2.00 ms  1.50 ms  1.0e-04 1.3e-04  25.0 %  0.06 x
weighted sum          22.0 ms  16.5 ms                   25.0 %

Evidence
  outputs      fast: right in 2 of 2 cases, largest error 0.09 x allowed, rms
               0.21 x, against right values in double
  cases        none is slower by more than 10 %, shown for each
  rounds       5 won of 5, cap 60; e-value 10.5; mean gain over the cases 25.0 %
  carry-over   slow after fast 0.0 %, fast after slow 0.0 % (p = 1.00)
  noise        slow against itself spreads by 0.0 %; within these limits a true
               gain of 3.0 % or more is found 4 times in 5
  isolation    none: all implementations in one process
  seed         7
  note         seed-fixed: the seed was given, so the coins were not drawn anew
END

it 'the same in 40 columns'
command_line='probe toy ... in 40 columns'
if command -v script >/dev/null; then
    TERM=dumb script -qec "stty cols 40 -onlcr; $STEELYARD probe toy --backend fake --script $work/toy.json --seed 7" \
        /dev/null >"$work/out" 2>"$work/err" </dev/null
    expect_width 40
    expect_says out 'win: use fast in place of slow'
    expect_says out 'broken parity-failed'
    expect_says out 'gone unavailable'
fi

it 'an undecided one says what would decide it'
run probe toy --backend fake --script "$work/toy.json" --seed 7 --implementations fast --budget 0
expect_exit 5
expect_says out 'inconclusive: keep slow'
expect_says out 'No complete round was weighed.'
expect_says out 'What would decide it: '
expect_says out '(budget 0.00 ns)'

it 'a wrong output is shown with its place'
run probe toy --backend fake --script "$work/toy.json" --seed 7 --implementations broken
expect_exit 1
expect_says out 'parity-failed: keep slow'
expect_says out 'wrong output small: nonfinite: candidate'
expect_says out 'found nan where'

it 'what is missing is named'
run probe toy --backend fake --script "$work/toy.json" --seed 7 --implementations gone
expect_exit 3
expect_says out 'unavailable: keep slow'
expect_says out 'libgone.so.1 not found'

it '--all adds every candidate on every case'
run probe toy --backend fake --script "$work/toy.json" --seed 7 --all
expect_exit 0
expect_width 80
expect_says out 'Every candidate, medians over its usable pairs'
expect_says out 'even small 2.00 ms 2.00 ms 0.0 %'
expect_says out 'fast big 20.0 ms 15.0 ms 25.0 %'

it 'a case that gets slower is named, with the error rate of that'
cat >"$work/mixed.json" <<'END'
{"schema": "steelyard.fake/1", "operation": "toy",
 "cases": [{"name": "big", "factor": 10}, {"name": "small"}],
 "implementations": [
   {"name": "slow", "role": "reference", "times": [2000000]},
   {"name": "mixed", "times": [1500000], "cases": {"small": {"factor": 2}}}]}
END
run probe toy --backend fake --script "$work/mixed.json" --seed 7
expect_exit 0
expect_says out 'no-gain: keep slow'
expect_says out 'mixed is slower than slow by more than 10 % on small, whatever it gains elsewhere; in all: gain 18.2 %'
expect_says out 'A case that is no slower than that is blamed so in at most 5 % of probes.'
expect_says out 'cases slower by more than 10 %: small'

finish
