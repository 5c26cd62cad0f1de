#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a probe refuses before it measures: each bad input has its own message, and exit 2 or 4.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

# refused EXIT: nothing on stdout, and stderr is what stands on stdin.
refused() {
    expect_exit "$1"
    expect_nothing_on out
    expect_stderr
}

cat >"$work/toy.json" <<'END'
{"schema": "steelyard.fake/1", "operation": "toy", "cases": [{"name": "only"}],
 "implementations": [{"name": "slow", "role": "reference", "times": [2000000]}, {"name": "fast", "times": [1500000]}]}
END
toy="$work/toy.json"

it 'no operation'
run probe
refused 2 <<'END'
steelyard probe: no OPERATION is given
  steelyard backends lists them; to start: steelyard probe matmul --cases quick
END

it 'two operations'
run probe matmul attention
refused 2 <<'END'
steelyard probe: 'attention': one OPERATION at a time, after 'matmul'
  see: steelyard probe --help
END

it 'an unknown operation'
run probe matmull
refused 2 <<'END'
steelyard probe: device cpu has no operation 'matmull'
  it has matmul, attention, convolution
END

it 'an unknown backend'
run probe matmul --backend gpu
refused 2 <<'END'
steelyard probe: no backend is named 'gpu'
  the backends are cpu, command, ggml, fake
END

it 'a device number that is not there'
run probe matmul --backend cpu7
refused 2 <<'END'
steelyard probe: there is no device 'cpu7': backend cpu has 1, counted from 0
  'cpu' is its first device
END

it 'the fake backend without a script'
run probe toy --backend fake
refused 2 <<'END'
steelyard probe: --backend fake: needs --script FILE, which says what it plays
  the form of the file: docs/fake-script.md
END

it 'a script for another backend'
run probe matmul --script "$toy"
refused 2 <<END
steelyard probe: --script $toy: only for --backend fake, not cpu
  see: steelyard probe --help
END

it 'an operation that the script does not play: both are named'
run probe matmul --backend fake --script "$toy"
refused 2 <<END
steelyard probe: OPERATION 'matmul' is not that of the script $toy
  it has toy
END

it 'a script that is not there'
run probe toy --backend fake --script "$work/none.json"
expect_exit 2
expect_nothing_on out
expect_says err "$work/none.json"
expect_says err 'No such file or directory'

it 'a script that is a directory'
run probe toy --backend fake --script "$work"
expect_exit 4
expect_nothing_on out
expect_says err 'it is a folder, not a file'

it 'an unknown implementation'
run probe toy --backend fake --script "$toy" --implementations fsat
expect_exit 2
expect_nothing_on out
expect_says err "toy has no implementation 'fsat'"
expect_says err fast

it 'an unknown reference'
run probe toy --backend fake --script "$toy" --reference slwo
expect_exit 2
expect_nothing_on out
expect_says err "toy has no implementation 'slwo'"

it 'an unknown case'
run probe toy --backend fake --script "$toy" --cases 'x*'
expect_exit 2
expect_nothing_on out
expect_says err "toy has no case 'x*'"
expect_says err only

it 'nothing to weigh against the reference'
run probe toy --backend fake --script "$toy" --implementations slow
expect_exit 2
expect_nothing_on out
expect_says err 'there is nothing to weigh it against'

it 'a cap too small for any decision says the least that can'
run probe toy --backend fake --script "$toy" --max-pairs 4
expect_exit 2
expect_nothing_on out
expect_says err '4 can never decide at alpha 0.05: the least is 5'
run probe toy --backend fake --script "$toy" --max-pairs 6 --alpha .01
expect_exit 2
expect_says err '6 can never decide at alpha 0.01: the least is 7'

it 'numbers out of range, each told its range'
while read -r option value range; do
    run probe toy --backend fake --script "$toy" "$option" "$value"
    expect_exit 2
    expect_nothing_on out
    expect_says err "steelyard probe: $option $value: must be $range"
done <<'END'
--alpha 7 above 0 and at most 0.5
--alpha 0 above 0 and at most 0.5
--beta 0.6 above 0 and at most 0.5
--min-improvement 1 at least 0 and below 1
--min-improvement -.1 at least 0 and below 1
--margin -1 at least 0
--veto -0.1 at least 0
--max-pairs 0 1 to 2000
--max-pairs 2001 1 to 2000
--max-pairs 1e3 a whole number
--warmup -1 0 to 1000000
--threads 0 1 to 4096
--threads many a whole number
--seed 0 at least 1
--seed 18446744073709551616 a whole number
--atol -1 at least 0
--rtol x a number, such as 0.05
--budget -1 seconds from 0 to 1e9, such as 20 or 0.5
--budget soon seconds from 0 to 1e9, such as 20 or 0.5
--wall-limit nan seconds from 0 to 1e9, such as 20 or 0.5
--min-free-memory 1.5GiB bytes, such as 4096, 512MiB or 2GB
--metadata-capacity lots bytes, such as 4096, 512MiB or 2GB
--rule median capped or medians
--question slower faster or not-slower
--isolation process worker or none
END

it 'a share written as per cent is understood'
run probe toy --backend fake --script "$toy" --min-improvement 3
refused 2 <<'END'
steelyard probe: --min-improvement 3: must be at least 0 and below 1
  for 3 % write --min-improvement 0.03
END

# located PLACE WHAT: the script on stdin is refused there, with exit 4.
located() {
    cat >"$work/bad.json"
    run probe toy --backend fake --script "$work/bad.json"
    expect_exit 4
    expect_nothing_on out
    expect_says err "steelyard probe: $work/bad.json:$1: $2"
}

it 'a wrong type in a script is located to line and column'
located 4:15 '/implementations/0/name: expected' <<'END'
{"schema": "steelyard.fake/1", "operation": "toy",
 "cases": [{"name": "only"}],
 "implementations": [
   {  "name": 7, "role": "reference", "times": [2000000]}]}
END

it 'so is a wrong time'
located 3:70 '/implementations/0/times/1: -1 is not in 0 to' <<'END'
{"schema": "steelyard.fake/1", "operation": "toy",
 "cases": [{"name": "only"}],
 "implementations": [{"name": "a", "role": "reference", "times": [1, -1]}]}
END

it 'so is broken JSON'
located 2:12 'expected' <<'END'
{"schema": "steelyard.fake/1",
 "cases": [}
END

it 'so is an unknown member, with a near name'
located 1:52 '/casse: no member of that name is known here' <<'END'
{"schema": "steelyard.fake/1", "operation": "toy", "casse": []}
END
expect_says err cases

it 'so is a duplicate member'
located 1:59 '/operation: a member of this name stands before it' <<'END'
{"schema": "steelyard.fake/1", "operation": "toy",        "operation": "toy"}
END

it 'a later version of the format is refused whole'
printf '{"schema": "steelyard.fake/2"}' >"$work/later.json"
run probe toy --backend fake --script "$work/later.json"
expect_exit 4
expect_nothing_on out
expect_says err steelyard.fake/2

it 'an empty script'
: >"$work/empty.json"
run probe toy --backend fake --script "$work/empty.json"
expect_exit 4
expect_nothing_on out

it 'a worker is not for people'
run worker
expect_exit 2
expect_nothing_on out
expect_says err 'started by steelyard itself'

finish
