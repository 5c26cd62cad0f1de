#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard profile on files of 2 GiB, one of zeros that takes no room and one of eleven million profiles: loaded or
# refused, never a crash, and no more memory than is allowed. Minutes and 2 GiB of disk: not one of the CTest entries.
# shellcheck disable=SC2086 # the words of keys are split on purpose
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"

# within KIB ARGUMENTS...: the command with that much address space.
within() {
    limit=$1
    shift
    command_line="$* within $limit KiB"
    code=0
    # shellcheck disable=SC3045 # dash and bash both have ulimit -v
    (ulimit -v "$limit" && exec "$STEELYARD" "$@") >"$work/out" 2>"$work/err" </dev/null || code=$?
}

# every_verb KIB FILE EXIT_CODE TEXT
every_verb() {
    for verb in "lookup $common $portable" list digest "put $common $portable --policy p" 'convert --format 2'; do
        within "$1" profile $verb --store "$2"
        expect_exit "$3"
        expect_says err "$4"
    done
}

it 'two GiB of zeros are damage, with memory for the file and little more'
truncate -s 2G "$work/zeros"
every_verb 2300000 "$work/zeros" 4 'line 1: malformed header'

it 'without that memory they are refused'
every_verb 1500000 "$work/zeros" 3 'no memory for the 2147483649 bytes'
within 1500000 profile repair "$work/zeros"
expect_exit 3
rm "$work/zeros"

it 'two GiB of profiles are refused where memory ends, whatever was asked'
awk 'BEGIN {
    print "onnx_light_calibration_profiles 1"
    for (i = 0; i < 11000000; i++)
        printf "profile exact calibrated\nbackend \"cpu\"\noperator \"operator %d\"\nimplementation \"1-9c1185a5c5e9fc54\"\nmodel_digest \"none/%016x\"\nprocessor \"p\"\nthread_count 8\npolicy \"flash\"\nend\n", i % 10, i
}' >"$work/many"
checks=$((checks + 1))
[ "$(wc -c <"$work/many")" -gt 1900000000 ] || wrong 'the file is too small'
for limit in 1500000 2500000 4000000; do
    every_verb $limit "$work/many" 3 'no memory'
done
cksum <"$work/many" >"$work/sum"

it 'where there is memory they are loaded'
if [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -gt 14000000 ]; then
    run profile digest --store "$work/many"
    expect_exit 0
else
    echo 'not loaded whole: that needs 14 GB of free memory'
fi
cksum <"$work/many" | cmp -s - "$work/sum" || wrong 'the file was changed'
finish
