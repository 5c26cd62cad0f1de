#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Shapes that are none, or too large for any memory, come to the command in a file of misses: each is refused in words
# before memory is taken, and the miss stays.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
need_certain_machine
if ! "$STEELYARD" backends 2>/dev/null | grep -q openblas; then
    echo 'skipped: no OpenBLAS here'
    exit 77
fi

misses=$work/misses
run select matmul --cases square-64 --store "$work/first"
expect_exit 6

# work_off EDIT: a miss of square-64 with other numbers in it is probed.
work_off() {
    sed "$1" "$work/first.misses" >"$misses"
    cp "$misses" "$work/before"
    run select --work-off "$misses" --save --store "$work/store" --budget 100
}
# refused WORDS: with these words, and nothing is lost.
refused() {
    expect_says err "$1"
    expect_says out '1 failed'
    checks=$((checks + 1))
    cmp -s "$misses" "$work/before" || wrong 'the miss is not there any more'
}

it 'a dimension of zero or less'
work_off 's/"m":64/"m":0/'
refused "case 'square-64': m is 0, it must be 1 or more"
work_off 's/"k":64/"k":-5/'
refused "case 'square-64': k is -5, it must be 1 or more"
work_off 's/"batch":1/"batch":0/'
refused "case 'square-64': batch is 0, it must be 1 or more"

it 'a product that overflows'
work_off 's/"m":64,"n":64/"m":4611686018427387904,"n":4611686018427387904/'
refused 'square-64: a dimension is above 2147483647'
work_off 's/"m":64,"n":64,"k":64/"m":2147483647,"n":2147483647,"k":2147483647/'
refused 'square-64'

it 'more memory than there is, refused before any is taken'
work_off 's/"m":64,"n":64,"k":64/"m":1000000,"n":1000000,"k":1/'
refused 'needs 3.64 TiB'

it 'a dimension that is not there'
work_off 's/"m":64,/"mm":64,/'
refused "has no property 'm'"

it 'the miss itself is worked off'
work_off 's/"m":64/"m":64/'
expect_exit 0
expect_says out '1 miss: 1 probed'

finish
