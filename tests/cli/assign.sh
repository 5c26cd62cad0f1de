#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard probe and select with --assign: operations on devices. All time is scripted, where anything is timed.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

script=$SOURCE_DIR/tests/data/fake/quiet-win.json

# Two devices are there in any build: cpu, and fake with a script, whose operation is called like one of the cpu's.
sed 's/"operation": "ring"/"operation": "attention"/' "$script" >"$work/attention.json"

assign() {
    run probe --assign "$@"
}

it 'a mistake in the text is marked in it, and says what would be right'
assign 'matmul=cpu,atention=cpu'
expect_exit 2
expect_nothing_on out
expect_stderr <<'END'
steelyard probe: part 'atention=cpu': no operation 'atention'
  --assign matmul=cpu,atention=cpu
                      ^~~~~~~~
  did you mean 'attention'?
END

it 'the mark stands under the device that is meant, in a list too'
assign 'matmul = cpu & cqu , attention=cpu'
expect_exit 2
expect_stderr <<'END'
steelyard probe: part 'matmul = cpu & cqu': no device 'cqu'
  --assign matmul = cpu & cqu , attention=cpu
                          ^~~
  did you mean 'cpu'?
END

it 'bytes that could steer a terminal are shown, and the mark stands right beside them'
assign "$(printf 'matmul=\033[31mcpu\303\251')"
expect_exit 2
expect_says err 'matmul=\x1b[31mcpu\xc3\xa9'
checks=$((checks + 1))
[ "$(LC_ALL=C tr -d '\n -~' <"$work/err" | wc -c)" = 4 ] || # the letter's bytes, which the sentence has twice
    wrong "raw bytes on stderr: $(od -c "$work/err")"

it 'of a long text the neighbourhood is shown'
assign "$(awk 'BEGIN { for (i = 0; i < 500; i++) printf "matmul=cpu,"; print "matmul=cqu,matmul=cpu" }')"
expect_exit 2
expect_says err ' --assign ...matmul=cpu'
checks=$((checks + 1))
[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' "$work/err")" -le 110 ] || wrong 'a line is too long'

it 'too many parts are a mistake of the text'
assign "$(awk 'BEGIN { for (i = 0; i < 4097; i++) printf "matmul=cpu,"; }')"
expect_exit 2
expect_says err "part 'matmul=cpu': more than 4096 parts"

it 'a backend that cannot run here says why'
if ! "$STEELYARD" backends --json | grep -q '"ggml", *"summary": "[^"]*", *"available": true'; then
    "$STEELYARD" backends | tr -s ' \n' '  ' | grep -q 'ggml: unavailable' && {
        assign matmul=ggml:CPU
        expect_exit 3
        expect_says err 'ggml is not there: '
    }
fi
assign ring=fake
expect_exit 2
expect_says err "no operation 'ring'"
assign matmul=fake
expect_exit 3
expect_says err 'fake is not there: a device of it needs a script'

it 'nothing to weigh is said'
assign ', ,'
expect_exit 2
expect_says err 'nothing is assigned'
assign ring=fake nosuch --script "$script"
expect_exit 2
expect_says err "no OPERATION 'nosuch'"

it 'what goes with it and what does not'
assign matmul=cpu --backend fake
expect_exit 2
expect_says err '--backend: not with --assign'
assign matmul=cpu --reference 'true' --candidate 'true'
expect_exit 2
expect_says err 'commands: not with --assign'
assign matmul=cpu ./suite.so
expect_exit 2
expect_says err './suite.so: not with --assign'
assign matmul=cpu matmul attention
expect_exit 2
expect_says err "'attention': one OPERATION at a time"
assign matmul=fake --script "$script"
expect_exit 2
expect_says err "device fake has no operation 'matmul'"
assign ring=fake --script "$script" --cases nosuch
expect_exit 2
expect_says err "no case 'nosuch'"

it 'one operation is printed as if it had been asked for alone'
assign ring=fake --script "$script" --seed 1
expect_exit 0
cp "$work/out" "$work/assigned"
run probe ring --backend fake --script "$script" --seed 1
checks=$((checks + 1))
cmp -s "$work/assigned" "$work/out" || wrong 'the two differ'
assign ring=fake --script "$script" --seed 1 --json
checks=$((checks + 1))
[ "$("$JSON_VALUE" "$work/out" /schema)" = steelyard.probe/1 ] || wrong 'no plain object'

it 'later parts win, and the others are told'
assign ring=cpu,ring=fake --script "$script" --seed 1
expect_exit 0
expect_says err "--assign: 'ring=cpu' is overruled by 'ring=fake'"
assign ring=cpu,ring=fake --script "$script" --seed 1 --quiet
expect_nothing_on err

it 'all means every operation that the device has'
assign all=fake --script "$script" --seed 1 --json
expect_exit 0
checks=$((checks + 1))
[ "$("$JSON_VALUE" "$work/out" /operation)" = ring ] || wrong 'not ring alone'
assign fake,matmul=cpu ring --script "$script" --seed 1 --json
expect_exit 0
checks=$((checks + 1))
[ "$("$JSON_VALUE" "$work/out" /operation)" = ring ] || wrong 'not ring alone'

it 'a list is weighed device by device, as one object and as a table'
assign 'attention=fake&cpu' --script "$work/attention.json" --json --wall-limit 0
checks=$((checks + 1))
[ "$("$JSON_VALUE" "$work/out" /schema)" = steelyard.weighings/1 ] || wrong "$(cat "$work/out" "$work/err")"
checks=$((checks + 1))
[ "$("$JSON_VALUE" "$work/out" /weighings/0/device_info/name) $("$JSON_VALUE" "$work/out" /weighings/1/device_info/name)" = \
    'fake cpu' ] || wrong "$(cat "$work/out")"
assign 'attention=fake&cpu' --script "$work/attention.json" --wall-limit 0
expect_says out 'All weighings'
expect_says out 'attention on fake'
expect_says out 'attention on cpu'
expect_exit 5

it 'operations are weighed in the order written, the rest of all behind them'
assign 'attention=fake,all=cpu,matmul=cpu' --script "$work/attention.json" --json --wall-limit 0
checks=$((checks + 1))
order=$(for n in 0 1 2; do "$JSON_VALUE" "$work/out" "/weighings/$n/operation"; done | tr '\n' ' ')
[ "$order" = 'attention matmul convolution ' ] || wrong "$order"

it 'select answers for each, and says which it does not know'
run select --assign 'matmul=cpu,ring=fake' --script "$script" --cases all --store "$work/none" --mode store-only
expect_exit 6
expect_says out 'no answer for matmul on cpu'
expect_says out 'no answer for ring on fake'
run select --assign 'matmul=cpu,ring=fake' --script "$script" --store "$work/none" --mode store-only --json
expect_exit 6
checks=$((checks + 1))
[ "$("$JSON_VALUE" "$work/out" /schema) $("$JSON_VALUE" "$work/out" /selections/0/operation) $("$JSON_VALUE" "$work/out" /selections/1/operation)" = \
    'steelyard.selections/1 matmul ring' ] || wrong "$(cat "$work/out")"
run select --assign 'matmul=cpu,ring=fake' ring --script "$script" --store "$work/none" --mode store-only --json
checks=$((checks + 1))
[ "$("$JSON_VALUE" "$work/out" /schema) $("$JSON_VALUE" "$work/out" /operation)" = 'steelyard.selection/1 ring' ] ||
    wrong "$(cat "$work/out")"
run select --assign 'matmul=cpq'
expect_exit 2
expect_says err "part 'matmul=cpq': no device 'cpq'"
expect_nothing_on out
run select --assign 'matmul=cpu' --work-off "$work/none" --save
expect_exit 2
expect_says err '--assign: not with --work-off'

it 'a store that is damaged is said, and the JSON is whole'
printf 'no store\n' >"$work/damaged"
run select --assign 'matmul=cpu,ring=fake' --script "$script" --store "$work/damaged" --json
expect_exit 6
expect_says err 'malformed header'
checks=$((checks + 1))
[ "$("$JSON_VALUE" "$work/out" /schema)" = steelyard.selections/1 ] || wrong "$(cat "$work/out")"

it 'a decision is kept for each'
need_certain_machine
assign 'ring=fake' --script "$script" --save --store "$work/profiles" --seed 1
expect_exit 0
expect_says err "kept in $work/profiles"
run select --assign 'ring=fake' --script "$script" --store "$work/profiles"
expect_exit 0
expect_says out 'use fast for ring on fake'

finish
