#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard profile lint: each finding with its place, of other tuners' files and of our own; the exit code says whether
# there is one.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"

it 'a file with nothing suspicious'
printf 'Validator,PT_VERSION,2.4.0\nGemmTunableOp_Half_TN,tn_64_64_64,Default,1\n' >"$work/good.csv"
run profile lint "$work/good.csv"
expect_exit 0
expect_nothing_on err
expect_stdout <<END
$work/good.csv: tunableop, 1 entry, 1 profile: no findings, 0 notes
END

it 'all that is wrong, each with its place'
cat >"$work/bad.csv" <<'END'
Validator,PT_VERSION,2.4.0
GemmTunableOp_Half_TN,tn_64_64_64,Default,1
GemmTunableOp_Half_TN,tn_64_64_128,Mine,0.5
GemmTunableOp_Half_TN,tn_64_64_64,Gemm_Rocblas_1,1
GemmTunableOp_Half_TN,tn_64_64_32,Default,0
Validator,PT_VERSION,2.5.0
END
run profile lint "$work/bad.csv"
expect_exit 1
expect_nothing_on err
expect_stdout <<END
$work/bad.csv:3:1: tuning-larger-faster: it takes 0.5 ms; the smaller problem of line 2 of its kind takes 1 ms
$work/bad.csv:3:36: tuning-solution: no solution that TunableOp is known to have (found Mine)
$work/bad.csv:4:1: tuning-duplicate: line 2 has this problem with another winner: the first counts (found Gemm_Rocblas_1)
$work/bad.csv:5:43: tuning-time: a time of 0 ms is zero: the winner is kept without (found 0)
$work/bad.csv:6:22: tuning-validators: PT_VERSION is said to be another version before: the file is of several, the first counts (found 2.5.0)
$work/bad.csv: tunableop, 4 entries, 3 profiles: 5 findings, 0 notes
END
run profile lint "$work/bad.csv" --json
expect_exit 1
expect_json /schema steelyard.profile-lint/1
expect_json /format tunableop
expect_json /finding_total 5
expect_json /findings 'array of 5'
expect_json /findings/1/column 36
expect_json /findings/1/found Mine
run profile lint "$work/bad.csv" --margin 0.6 --json
expect_json /finding_total 4
run profile lint - --json
expect_exit 4

it 'a file packed with gzip'
gzip -c "$work/bad.csv" >"$work/bad.csv.gz"
if run profile lint "$work/bad.csv.gz" --json && ! grep -q 'without zlib' "$work/err"; then
    expect_exit 1
    expect_json /finding_total 5
fi

it 'files of our own: damage, and what is suspicious in a whole one'
put --structure dtype=f32 --structure k=64 --policy a --measurement time=2:ms
put --structure dtype=f32 --structure k=128 --policy a --measurement time=1:ms
run profile lint "$store"
expect_exit 1
expect_says out "tuning-larger-faster: it takes 1 ms; the smaller problem of line 2"
expect_says out "$store: profiles, 2 entries, 2 profiles: 1 finding, 0 notes"
sed -e 's/^policy "a"/policy "b"/' "$store" >"$work/damaged"
run profile lint "$work/damaged"
expect_exit 1
expect_says out 'tuning-damage: line '
expect_says out 'check does not match'

it 'what cannot be read'
run profile lint
expect_exit 2
run profile lint a b
expect_exit 2
run profile lint "$work/nothing"
expect_exit 6
printf 'hello\n' >"$work/hello"
run profile lint "$work/hello"
expect_exit 4
expect_says err 'the format is none that is known by its content'
run profile lint "$work/hello" --format t4
expect_exit 4
run profile lint "$work/good.csv" --format csv
expect_exit 2

it 'a hundred thousand entries'
awk 'BEGIN { for (m = 1; m <= 500; m++) for (k = 1; k <= 200; k++)
    printf "GemmTunableOp_Half_TN,tn_%d_64_%d,Gemm_Rocblas_%d,%.5f\n", m, k, m, (m == 250 && k == 100) ? 0.001 : m * k / 1000 }' >"$work/many.csv"
run profile lint "$work/many.csv" --json
expect_exit 1
expect_json /entries 100000
expect_json /finding_total 1
expect_json /findings/0/line 49900
expect_json /notes/0/rule tuning-larger-faster

it 'a file of 100 MB is read within its limit, and one above it is refused'
head -c 270000000 /dev/zero | tr '\0' 'x' >"$work/large"
run profile lint "$work/large"
expect_exit 4
head -c 100000000 "$work/large" >"$work/long"
run profile lint "$work/long"
expect_exit 4

finish
