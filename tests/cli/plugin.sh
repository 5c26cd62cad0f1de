#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A suite of one's own as a shared object: weighed like any other, kept and found again; a plugin that is wrong is
# refused in its own words and never takes the command with it. PLUGINS: where those of the tests lie, OWN_SUITE: the one
# of examples/.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
: "${PLUGINS:?the folder of the faulty plugins}" "${OWN_SUITE:?the plugin of examples}"

it 'a plugin is weighed in workers, against its own oracle'
run probe "$OWN_SUITE" --json --seed 1 --budget 10 --wall-limit 100
expect_json /operation squares
expect_json /reference one-by-one
expect_json /isolation worker
expect_json /candidates/0/parity passed
expect_json /cases/0/name short

it 'a plugin whose loading switches subnormals off runs so itself, and nobody else does'
run probe "$PLUGINS/plugin_fast_math.so" --json --seed 1 --budget 10 --wall-limit 100
if grep -q 'FTZ, DAZ' "$work/out"; then
    expect_json /reference_float_environment 'FTZ, DAZ'
    expect_json /candidates/0/float_environment 'FTZ, DAZ'
    expect_says out 'changed the floating-point environment (FTZ, DAZ) when it was loaded'
    expect_json /candidates/0/parity passed
else
    echo 'skipped: this compiler does not switch subnormals off in a library of -Ofast'
fi
run probe "$OWN_SUITE" --json --seed 1 --budget 10 --wall-limit 100
expect_json /reference_float_environment null

it 'the operation may be named behind it'
run probe "$OWN_SUITE" squares --cases short --max-pairs 5 --seed 1 --budget 10 --wall-limit 100 --json
expect_json /operation squares

it 'an operation that it does not bring'
run probe "$OWN_SUITE" cubes
expect_exit 2
expect_says err "has no operation 'cubes'"
expect_says err squares

it 'a file that is not there'
run probe ./no-such-suite.so
expect_exit 2
expect_says err 'plugin ./no-such-suite.so: No such file or directory'

it 'a name without a slash is searched for nowhere'
run probe no-such-suite.so
expect_exit 2
expect_says err 'a path with a slash is needed'

it 'a file that is no library'
printf 'int main;\n' >"$work/text.so"
run probe "$work/text.so"
expect_exit 3
expect_says err 'cannot be loaded'

it 'a folder'
run probe "$work/"
expect_exit 2
expect_says err 'it is not a file'

# refused NAME EXIT TEXT
refused() {
    it "the plugin $1"
    run probe "$PLUGINS/plugin_$1.so"
    expect_exit "$2"
    expect_nothing_on out
    expect_says err "$3"
}
refused taken 2 "its operation 'matmul' is one of backend cpu itself"
refused malformed 2 'has a name with a space'
refused crash 3 'the process that loaded it'
refused exit 3 'the process that loaded it exited with 0'
refused wild 3 'the process that loaded it'
refused no_symbol 2 'exports no steelyard_plugin'
refused small 2 'struct_size 4'
refused empty 2 'it brings 0 suites'
refused two 2 'brings several operations'

it 'what is built without an output is unavailable'
run probe "$PLUGINS/plugin_two.so" other --json
expect_exit 3
expect_json /decision unavailable

need_certain_machine
it 'its decision is kept, and another process finds it'
run probe "$OWN_SUITE" --cases short --min-improvement 0.99 --seed 1 --save --store "$work/own" --budget 30 --wall-limit 100 --json
checks=$((checks + 1))
# A machine with much else to do may leave it undecided, which is kept as well.
case $(json /decision) in no-gain | inconclusive) ;; *) wrong "$(json /decision): nothing is a hundred times faster" ;; esac
run select "$OWN_SUITE" --cases short --mode store-only --store "$work/own" --json
expect_exit 0
expect_json /source store
it 'what an engine missed of it is probed when the plugin is named'
run select "$OWN_SUITE" --cases long --store "$work/other"
expect_exit 6
run select --work-off "$work/other.misses" --save --store "$work/other"
expect_exit 3
expect_says err "has no operation 'squares'"
run select "$OWN_SUITE" --work-off "$work/other.misses" --save --store "$work/other"
expect_not_says err 'has no operation'
expect_says out '1 miss: '

it 'a word that is no plugin beside --work-off'
run select squares --work-off "$work/other.misses" --save
expect_exit 2
expect_says err 'only a plugin that brings some of them may be named'

finish
