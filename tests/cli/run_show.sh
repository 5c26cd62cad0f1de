#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What people and programs see of runs: the list, one run, its summary; ids, filters, widths, and what is not there.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

export STEELYARD_LEASES="$work/leases" TZ=UTC
unset STEELYARD_RUN_FD
escape=$(printf '\033')

cat >"$work/toy.json" <<'END'
{"schema": "steelyard.fake/1", "operation": "toy", "cases": [{"name": "only"}],
 "implementations": [{"name": "slow", "role": "reference", "times": [2000000]}, {"name": "fast", "times": [1500000]}]}
END

it 'outside of a project there are no runs'
mkdir "$work/nowhere"
cd "$work/nowhere" || exit 1
run run list
expect_exit 2
expect_says err 'steelyard matrix init'
run run show last
expect_exit 2

mkdir "$work/project"
cd "$work/project" || exit 1
"$STEELYARD" matrix init --quiet >/dev/null

it 'a project in which nothing was recorded says so'
run run list
expect_exit 2
expect_says err 'no ledger in'
expect_nothing_on out

measure() {
    "$STEELYARD" measure toy --backend fake --script "$work/toy.json" --implementation slow --iterations 4 --record \
        >/dev/null 2>&1
}
# The id of the n-th run of the list, from 0 on.
id_of() {
    run run list --json --limit 0
    json "/runs/$1/id"
}

it 'runs are recorded'
measure || wrong 'not recorded'
measure || wrong 'not recorded'
"$STEELYARD" measure toy --backend fake --script "$work/toy.json" --implementation none --iterations 4 --record \
    >/dev/null 2>&1
"$STEELYARD" probe toy --backend fake --script "$work/toy.json" --seed 7 --record >/dev/null 2>&1

it 'the list has the newest first, each with what became of it'
run run list
expect_exit 0
expect_nothing_on err
expect_width 80
expect_says out 'Run Status Gate or cell Began Result'
expect_says out 'win of fast'
expect_says out 'toy has'
expect_says out 'p50 2.00 ms, n 4'
expect_says out '+0000'
expect_says out '4 runs'

it 'the list is JSON for programs, in the order of the ledger'
run run list --json
expect_exit 0
expect_json /schema steelyard.runs/1
expect_json /total 4
expect_json /runs 'array of 4'
expect_json /runs/0/kind decision
expect_json /runs/0/decision win
expect_json /runs/1/status failed
expect_json /runs/2/main_series/p50 0.002
expect_json /runs/2/main_series/unit s
expect_json /runs/2/synthetic true
expect_json /runs/2/key_digest null
expect_members /runs/3 id number began ended parity lease_whole series_count sample_count accepted reason question \
    conclusion gate cell tier protocol revision dirty diff_is_kept host device hardware origin
[ "$(json /runs/0/number)" -gt "$(json /runs/1/number)" ] || wrong 'the older run is in front'

newest=$(id_of 0)
failed=$(id_of 1)
session=$(id_of 2)
oldest=$(id_of 3)

it 'what is left out is told, with the way to it'
run run list --limit 2
expect_says out "2 of 4 runs; older ones: --before $failed"
run run list --before "$failed" --json
expect_json /runs 'array of 2'
expect_json /runs/0/id "$session"

it 'filters choose'
run run list --status failed --json
expect_json /total 1
expect_json /runs/0/id "$failed"
run run list --status ok,failed --kind session --json
expect_json /total 3
run run list --kind decision --json
expect_json /runs/0/id "$newest"
run run list --accepted
expect_exit 0
expect_says out '0 runs'
run run list --device fake --cell none::none
expect_says out '0 runs'

it 'a mistake in how it is called is told with what was meant'
run run list --status okay
expect_exit 2
expect_says err '--status okay: no such word'
expect_says err 'planned, running, ok, failed, refuted, superseded, imported'
run run list --stat ok --limt 3
expect_exit 2
expect_says err '--limit'
run run list --key 12
expect_exit 2
expect_says err '--key 12: at least 8 digits'
run run list --revision abc
expect_exit 2
run run list "$oldest"
expect_exit 2
expect_says err "steelyard run show $oldest"
run run shwo last
expect_exit 2
expect_says err 'did you mean: steelyard run show'
run run list --verdict passed
expect_exit 2
expect_says err '--verdict passed: no such word'
expect_says err 'there are pass, no-baseline, not-judged, investigate, block'
run run list --verdict investigate,block
expect_exit 0
expect_says out '0 runs'

it 'one run is shown whole, by its id, the beginning of it, or last'
run run show "$session"
expect_exit 0
expect_nothing_on err
expect_width 80
expect_says out "Run $session: ok"
expect_says out 'n p50 p95 max'
expect_says out '4 2.00 ms 2.00 ms 2.00 ms'
expect_says out 'its times are made up'
expect_says out 'Comparison key, incomplete'
expect_says out '(unknown)'
expect_says out 'Parity: '
expect_says out 'the last has the digest'
run run show "$(printf '%s' "$session" | cut -c1-21)"
expect_exit 0
expect_says out "Run $session: ok"
run run show last
expect_says out "Run $newest: ok"
expect_says out 'toy: win of fast, 25.0 %'
run run show "$failed"
expect_exit 0
expect_says out "Run $failed: failed: "

it 'which run is meant has to be certain'
run run show "$(printf '%s' "$session" | cut -c1-8)"
expect_exit 2
run run show 20001231-000000-000000
expect_exit 6
expect_nothing_on out
run run show
expect_exit 2
expect_says err 'steelyard run show last'
run run show last last
expect_exit 2

it 'one run is JSON with every event as its body, and with every sample if that is asked for'
run run show "$session" --json
expect_exit 0
expect_json /schema steelyard.run/1
expect_json /id "$session"
expect_json /begin/kind session
expect_json /begin/place/synthetic true
expect_json /series/0/name wall
expect_json /series/0/count 4
expect_json /series/0/p95 0.002
expect_json /decision null
expect_json /accept null
expect_members '' leases checks commands parities memories artifacts digests profiles ends verdicts changes signoffs promotions verdict_numbers notes event_count digest
if json /series/0/values >/dev/null 2>&1; then
    wrong 'samples nobody asked for'
fi
run run show "$session" --samples
expect_exit 2
expect_says err "--samples is for --json"
expect_says err "steelyard run show $session --json --samples"
run run show "$session" --json --samples
expect_json /series/0/values 'array of 4'
expect_json /series/0/values/0 0.002

it 'a summary is dated Markdown'
run run summary "$session"
expect_exit 0
head -n 1 "$work/out" | grep -q '^# ' || wrong 'no title'
expect_says out ", run $session, **ok**"
expect_says out '## Setup'
expect_says out '| series | n | p50 | p95 | max |'
expect_says out '| 4 | 2.00 ms | 2.00 ms | 2.00 ms |'
expect_says out '## Conclusion None was drawn.'
run run summary none-of-them
expect_exit 6

it 'a name can hold what a terminal must not see'
cat >"$work/odd.json" <<END
{"schema": "steelyard.fake/1", "operation": "toy", "cases": [{"name": "$(printf 'x%.0s' $(seq 63))"}, {"name": "a\\u202eb|c"}],
 "implementations": [{"name": "slow", "role": "reference", "times": [2000000]}, {"name": "fast", "times": [1500000]}]}
END
"$STEELYARD" measure toy --backend fake --script "$work/odd.json" --implementation slow --iterations 2 --record \
    >/dev/null 2>&1
run run show last
expect_exit 0
expect_width 80
expect_says out '\u202e'
run run summary last
expect_says out '\|c'
run run list
expect_width 80

it 'results of other tools can have names of any length'
cat >"$work/hyperfine.json" <<END
{"results": [{"command": "$(printf 'x%.0s' $(seq 4096))\\u001b[2J\\u202e|</script>", "mean": 0.5, "stddev": 0.1, "median": 0.5, "user": 0.1,
 "system": 0.1, "min": 0.4, "max": 0.6, "times": [0.4, 0.5, 0.6], "exit_codes": [0, 0, 0]}]}
END
run import auto "$work/hyperfine.json"
expect_exit 0
run run list
expect_exit 0
expect_width 80
expect_says out 'imported'
expect_not_says out "$escape"
run run show last
expect_exit 0
expect_width 80
expect_says out '3 500 ms 600 ms 600 ms'
expect_says out '[2J\u202e|'
expect_not_says out "$escape"
run run show last --json
expect_exit 0
expect_json /kind import
run run summary last
expect_exit 0
expect_not_says out '</script'
expect_not_says out "$escape"

it 'samples that were changed are told, and the rest is shown'
if python3 -c 'import sqlite3' 2>/dev/null; then
    cp -R .steelyard "$work/changed"
    python3 - "$work/changed/ledger.sqlite" <<'END'
import sqlite3, sys
ledger = sqlite3.connect(sys.argv[1])
for (name,) in list(ledger.execute("select name from sqlite_master where type = 'trigger'")):
    ledger.execute("drop trigger " + name)
ledger.execute("update series set samples = zeroblob(length(samples))")
ledger.commit()
END
    run run show "$session" --evidence "$work/changed"
    expect_exit 4
    expect_says out "Run $session: ok"
    expect_says err 'were changed: they have another digest'
    run run show "$session" --evidence "$work/changed" --json
    expect_exit 0
else
    echo 'changed samples were not tried: no python3 with sqlite3 here'
fi

it 'on a terminal every width is kept, and colour is as asked'
if command -v script >/dev/null; then
    for columns in 40 80 200; do
        for words in 'run list' "run show $session" 'run show last'; do
            command_line="$words, $columns columns"
            code=0
            TERM=xterm script -qec "stty cols $columns rows 24 -onlcr; exec $STEELYARD $words --color never" /dev/null \
                >"$work/out" 2>"$work/err" </dev/null || code=$?
            expect_exit 0
            expect_width $columns
            expect_not_says out "${escape}["
        done
    done
fi
run run show last --color always
expect_says out "${escape}["
NO_COLOR=1 "$STEELYARD" run show last >"$work/out"
expect_not_says out "${escape}["

finish
