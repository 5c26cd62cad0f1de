#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recorded timings replayed as a user would: what is read, what is printed, the records of real probes judged again.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

# A cache of configurations whose 32 runs all take 64 ms: every answer follows by arithmetic.
awk 'BEGIN {
    print "{\"device_name\": \"\", \"cache\": {"
    for (c = 0; c < 4; c++) {
        printf "\"%d\": {\"time\": 64, \"times\": [", c
        for (i = 0; i < 32; i++) printf "%s64", i ? ", " : ""
        print "]},"
    }
    print "\"4\": {\"time\": \"RuntimeFailedConfig\"},"
}' >"$work/cache.json"

it 'one file: what it is, and how often each rule is right'
cd "$work" || exit 1
run replay cache.json --min-improvement 0.03125
expect_exit 0
expect_nothing_on err
expect_stdout <<'END'
cache.json (kernel-tuner): 4 of 5 configurations played
  not played   1 without times
  note         session not closed: the file ends behind its last whole
               configuration
  note         the device is unknown: the file does not name it
  fastest      none: 4 of 4 tie; '0' leads by median

Called faster by at least 3.125 % where the true gain is ... (at most 16 pairs,
alpha 0.05, beta 0.2, seed 1)
Rule                 Played   none  3.125 %  5.125 %  8.125 %  Pairs at 5.125 %
-------------------------------------------------------------------------------
steelyard                 4  0.0 %    0.0 %  100.0 %  100.0 %               5.0
medians, alternated       4  0.0 %  100.0 %  100.0 %  100.0 %              16.0
medians, blocks           4  0.0 %  100.0 %  100.0 %  100.0 %              16.0
mean of n                 4  0.0 %  100.0 %  100.0 %  100.0 %              16.0
END

it 'JSON has the shares by name'
run replay cache.json --min-improvement 0.03125 --json
expect_exit 0
expect_nothing_on err
expect_json /configurations 4
expect_json /min_improvement 0.03125
expect_json /rules/steelyard/false_faster 0
expect_json /rules/steelyard/boundary_faster 0
expect_json /rules/steelyard/found_plus_2 1
expect_json /rules/steelyard/found_plus_5 1
expect_json /rules/steelyard/mean_pairs_plus_2 5
expect_json /rules/medians_alternated/boundary_faster 1
expect_json /rules/medians_blocks/mean_pairs_plus_2 16
expect_json /rules/mean_of_n/false_faster 0
expect_json /schema steelyard.replay/1
expect_json /seed 1
expect_json /not_played/without_times 1
expect_json /files/0/format kernel-tuner
expect_json /files/0/device null
expect_json /files/0/recording/tied 4
expect_json /files/0/recorded null
expect_members /files/0 path unit_ns recorded_configurations configurations rules not_played guards_plus_2 notes

it 'several files: a line each and all together'
cp cache.json other.json
run replay cache.json other.json
expect_exit 0
expect_width 80
expect_says out 'The rule of steelyard by file, called faster in:'
expect_says out 'cache.json 4 0.0 %'
expect_says out 'other.json 4 0.0 %'
expect_says out 'all 8 0.0 %'
run replay cache.json other.json --json
expect_json /configurations 8
expect_json /files/1/configurations 4

it 'the same from standard input, packed or not'
run replay cache.json --json
mv out plain
code=0
"$STEELYARD" replay - --json <cache.json >out 2>err || code=$?
expect_exit 0
sed -i 's/"path": "-"/"path": "cache.json"/' out
checks=$((checks + 1))
cmp -s plain out || wrong "$(diff plain out)"
gzip -c cache.json >cache.json.gz
run replay cache.json.gz --json
if [ "$code" != 3 ]; then
    expect_exit 0
    expect_json /rules/steelyard/found_plus_2 1
    head -c 60 cache.json.gz >cut.gz
    run replay cut.gz
    expect_exit 4
    expect_says err 'the gzip file is cut'
    head -c 3000000 /dev/zero | tr '\0' 1 | gzip -c >bomb.gz
    run replay bomb.gz --size-limit 1MiB
    expect_exit 3
    expect_stderr <<'END'
steelyard replay: bomb.gz: unpacked it is larger than the limit of 1048576 bytes
  allow more with --size-limit
END
else
    expect_says err 'built without zlib'
fi

it 'a table of text, and one of its columns'
awk 'BEGIN { print "plain,fast"; for (i = 0; i < 32; i++) print 10 ",8" }' >table.csv
run replay table.csv --json
expect_exit 0
expect_json /configurations 2
expect_json /files/0/format csv
expect_json /files/0/unit_ns null
run replay table.csv --column fast --json
expect_json /configurations 1
expect_json /files/0/recording/fastest_by_median fast
run replay table.csv --column other
expect_exit 2
expect_says err "there is no column 'other' in 2 columns"

it 'STA-1: the first run picks the winner by mean, the clock ticks in 32 ns, nobody wins'
cat >sta1.json <<'END'
{"device_name": "NVIDIA RTX A4000", "kernel_name": "vector_add", "cache": {
"896": {"times": [0.12931199371814728, 0.03731200098991394, 0.02812799997627735, 0.02502400055527687, 0.02412799932062626, 0.024768000468611717, 0.023744000121951103]},
"768": {"times": [0.06230400130152702, 0.0315839983522892, 0.02831999957561493, 0.02672000043094158, 0.023679999634623528, 0.023903999477624893, 0.02579200081527233]},
"448": {"times": [0.0647680014371872, 0.03167999908328056, 0.028255999088287354, 0.025280000641942024, 0.027103999629616737, 0.02550400048494339, 0.02489599958062172]}}}
END
run replay sta1.json --pairs 5
expect_exit 6
expect_says out 'not played 3 with too few; 5 pairs need 10 times, the longest has 7'
expect_says out 'first run in 3 of 3 configurations it takes 2.33 times the median or more: means follow it'
expect_says out 'timer step 32.0 ns: all 21 times are multiples'
expect_says out "fastest none: 3 of 3 tie; '896' leads by median, '768' by mean"
expect_not_says out 'Called faster'

it 'what is wrong in a file has its place'
printf 'a,b\n1,2\n3,x\n5,6\n' >wrong.csv
run replay wrong.csv
expect_exit 4
expect_nothing_on out
expect_stderr <<'END'
steelyard replay: wrong.csv:3:3: 'x' is not a time
  the data is damaged at the position given; repair or restore it
END
printf '{"cache": {"a": {"times": [1, "x"]}}}' >wrong.json
run replay wrong.json
expect_exit 4
expect_stderr <<'END'
steelyard replay: wrong.json:1:31: /cache/a/times/1: expected a time, found text
  the data is damaged at the position given; repair or restore it
END
run replay absent.json
expect_exit 2
expect_says err 'absent.json'
run replay
expect_exit 2
expect_says err 'no file is given'
run replay cache.json --pairs 4
expect_exit 2
expect_says err '4 pairs can never decide at alpha 0.05: the least is 5'
run replay cache.json --format t4
expect_exit 4
expect_says err "there is no member 'results'"

# judged FILE: the record's decision came out again.
judged() {
    run replay "$1" --json
    expect_exit 0
    expect_json /files/0/format probe
    expect_json /files/0/recorded/agrees true
    expect_json /files/0/recorded/differs ''
}

it 'the record of a probe gives its decision again: several cases, workers, undecided'
for script in quiet-win quiet-win-workers several several-cases tie-set case-unresolved order-fires carry-over-fires timer-fires noise; do
    "$STEELYARD" probe ring --backend fake --script "$SOURCE_DIR/tests/data/fake/$script.json" --seed 1 --json >"$script" 2>err || :
    judged "$script"
done
"$STEELYARD" probe ring --backend fake --script "$SOURCE_DIR/tests/data/fake/quiet-win-workers.json" --seed 1 --processes 3 --json \
    >processes 2>err || :
judged processes
run replay several-cases
expect_says out 'decided win, 5 of 5 pairs won: judged again, the same'

it 'the record of a probe of this machine, too'
if "$STEELYARD" probe matmul --cases square-64,square-192 --threads 1 --seed 1 --budget 2 --wall-limit 60 --json >live 2>err; then
    judged live
    expect_json /files/0/unit_ns 1
else
    echo 'skipped: no probe of matmul here'
fi

it 'the record of two commands, whatever was measured of them'
# weighed OPTIONS...: two programs that print a rate, their record judged.
weighed() {
    "$STEELYARD" probe --json --seed 1 --budget 1 --max-pairs 12 --compare none "$@" -- sh -c 'echo rate: 10.1' --vs sh -c 'echo rate: 12.3' \
        >commands 2>err || :
    judged commands
}
weighed
weighed --metric memory
weighed --metric 'regex:rate: ([0-9.]+)' --better higher
expect_json /files/0/notes/0 'higher values were better: their reciprocals are played'
expect_json /files/0/unit_ns null

it 'a record that was changed is found out'
sed 's/"decision": "win"/"decision": "no-gain"/' quiet-win >changed
run replay changed
expect_exit 1
expect_says out 'not as recorded: decision'
sed 's/"max_pairs": 60/"max_pairs": 8/' quiet-win >changed
run replay changed --json
expect_exit 0
sed 's/"alpha": 0.05/"alpha": 0.0001/' quiet-win >changed
run replay changed
expect_exit 1
expect_says out 'not as recorded: decision'

it 'recorded GPU timings: the figures that the rule is held to'
recorded=${STEELYARD_RECORDED:-$SOURCE_DIR/../shared/data/benchmark_hub}
# at_most POINTER SHARE, at_least POINTER SHARE
at_most() {
    checks=$((checks + 1))
    awk -v found="$(json "$1")" -v most="$2" 'BEGIN { exit !(found <= most) }' || wrong "$1 is $(json "$1"), above $2"
}
at_least() {
    checks=$((checks + 1))
    awk -v found="$(json "$1")" -v least="$2" 'BEGIN { exit !(found >= least) }' || wrong "$1 is $(json "$1"), below $2"
}
# figures SET FOUND PAIRS: at X = 1 %, 16 pairs
figures() {
    run replay "$recorded/$1.json.gz" --pairs 16 --min-improvement 0.01 --json
    expect_exit 0
    at_most /rules/steelyard/false_faster 0.003
    at_most /rules/steelyard/boundary_faster 0.05
    at_least /rules/steelyard/found_plus_2 "$2"
    at_most /rules/steelyard/mean_pairs_plus_2 "$3"
    run replay "$recorded/$1.json.gz" --pairs 16 --min-improvement 0.03 --json
    expect_json /rules/steelyard/false_faster 0
}
if [ -r "$recorded/convolution_milo_A100.json.gz" ]; then
    figures convolution_milo_A100 0.998 7.4
    figures convolution_milo_A100_T4 0.998 7.4
    figures dedispersion_milo_A6000 0.983 8.8
    figures convolution_milo_W7800 0.896 9.1
else
    echo "skipped: no recorded GPU timings in ../shared/data"
fi

finish
