#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard measure on scripted implementations: what is said first, the forms of the answer, exit codes, usage errors.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

# script NAME MEMBERS...: a script of one case and an implementation r with these members, in $work/NAME.json.
script() {
    cat >"$work/$1.json" <<END
{"schema": "steelyard.fake/1", "operation": "toy", "cases": [{"name": "only"}],
 "implementations": [{"name": "r", "role": "reference", $2}]}
END
}

measure() {
    name=$1
    shift
    run measure toy --backend fake --script "$work/$name.json" --seed 1 "$@"
}

script quiet '"law": {"base_ns": 16200000, "model": "quiet"}'
script modes '"times": [1000003, 1500101, 1000207, 1001009, 1500903, 1002001, 1499003, 1000501]'
script cold '"law": {"base_ns": 1000000, "model": "cold"}'
script wrong '"law": {"base_ns": 1000000, "model": "quiet"}, "fault": "half"'
script crashes '"law": {"base_ns": 1000000, "model": "quiet"}, "crash_at": 12, "crash_every": 1'

it 'a steady one is a median with an interval and a number of runs'
measure quiet --runs 60
expect_exit 0
expect_nothing_on err
expect_says out 'toy, r on fake: scripted device, 1 thread median 16.2'
expect_says out '(97 %: 16.1'
expect_says out ', n = 60'
expect_says out 'outputs passed'
expect_width 80

it 'two modes take the place of the median'
measure modes --runs 48
expect_exit 0
expect_says out 'two modes: 1.00 ms in 30 of 48 runs, 1.50 ms in 18'
expect_not_says out 'median 1.00 ms ('
expect_not_says out 'no one figure' # the headline says it

it 'one that still gets faster says so'
measure cold --runs 60
expect_exit 0
expect_says out 'still warming up: the last third is '

it 'without a number of runs a time ends it'
measure quiet --budget 0.5 --json
expect_exit 0
expect_json /series/0/run_count 31
measure quiet --budget 0.01 --json
expect_json /series/0/run_count 10

it 'the JSON form has every run and figure'
measure quiet --runs 20 --json
expect_exit 0
expect_members '' schema tool operation implementation backend device threads version path measured reason error \
    interrupted parity level isolation timer timer_resolution_ns memory_bytes wall_ns seed notes series identity
expect_members /series/0 case metric unit higher_is_better headline findings batch flop_count run_count usable_runs \
    steady_from steady_runs warm_up_ratio median median_low median_high median_level minimum maximum mean \
    median_deviation quantiles course tau p_falling p_rising change lag1 modes mode_changes slow_outliers \
    fast_outliers timer_step distinct_values before after steal_share pressure_share parity runs
expect_members /series/0/runs/19 value begin_ns switches unusable
expect_members /series/0/quantiles/2 share value low high level
expect_json /schema steelyard.measure/1
expect_json /measured true
expect_json /parity passed
expect_json /series/0/run_count 20
expect_json /series/0/metric wall
expect_json /series/0/timer_step null
cp "$work/out" "$work/json"
measure quiet --runs 20 --export json
checks=$((checks + 1))
sed '/"identity"/,$d' "$work/out" >"$work/exported"
sed '/"identity"/,$d' "$work/json" | diff "$work/exported" - >/dev/null || wrong '--json and --export json differ'

it 'CSV has a line a run'
measure quiet --runs 20 --export csv
expect_exit 0
expect_nothing_on err
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" = 21 ] || wrong "$(wc -l <"$work/out") lines"
expect_says out 'case,run,begin_ns,metric,unit,value,steady,switches,unusable only,0,0,wall,ns,16'
checks=$((checks + 1))
awk -F, 'NR > 1 && (NF != 9 || $2 != NR - 2 || $7 != 1) { exit 1 }' "$work/out" || wrong "$(cat "$work/out")"

it 'Markdown has a table'
measure quiet --runs 20 --export markdown
expect_exit 0
expect_says out '| case | runs | 25 % | median | interval | 75 % | 95 % | says | |---|'
expect_says out '| only | 20 | 16.'

it 'what is wrong is not timed'
measure wrong --runs 20
expect_exit 1
expect_says out 'not measured: r: only, exact stage: '
expect_not_says out 'median'
measure wrong --runs 20 --json
expect_exit 1
expect_json /measured false
expect_json /reason parity
expect_json /series/0/run_count 0
expect_json /series/0/median null
measure wrong --runs 20 --export csv
expect_exit 1
expect_says err 'steelyard: r: only, exact stage: '

it 'one that crashes again and again is given up'
measure crashes --runs 60 --json
expect_json /reason crashed
expect_says out 'runs failed'

it 'several implementations are a probe'
run measure matmul --implementations openblas,blis
expect_exit 2
expect_says err '--implementations openblas,blis: one is measured alone'
expect_says err 'steelyard probe matmul --reference openblas --implementations blis'

it 'wrong usage is named'
run measure
expect_exit 2
expect_says err 'no OPERATION is given'
run measure toy --backend fake
expect_exit 2
expect_says err 'needs --script FILE'
measure quiet --implementations nobody
expect_exit 2
expect_says err "toy has no implementation 'nobody'"
measure quiet --runs 0
expect_exit 2
expect_says err '--runs'
measure quiet --level 1
expect_exit 2
expect_says err 'above 0 and below 1'
measure quiet --json --export csv
expect_exit 2
expect_says err '--json and --export csv: one form at a time'
measure quiet --export xml
expect_exit 2
expect_says err 'xml'
measure quiet --cases nowhere
expect_exit 2
expect_says err "toy has no case 'nowhere'"

it 'it has help and a man page'
run help measure
expect_exit 0
expect_says out '--export FORM'
run help --man measure
expect_says out '.TH "STEELYARD\-MEASURE"'

run backends --json
[ "$(json /backends/0/implementations/0/available)" = true ] || {
    echo 'a real product was not measured: the reference of matmul on cpu is missing here'
    finish
    exit
}

it 'a real product is measured in a process of its own'
run measure matmul --cases square-64 --runs 12 --threads 1 --json
expect_exit 0
expect_json /isolation worker
expect_json /measured true
expect_json /series/0/usable_runs 12
expect_json /series/0/parity/outcome passed
expect_json /series/0/parity/against_oracle true

finish
