#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard profile import and export: files of other tuners into a store and back, what is passed over and why, and
# that an imported winner is tried first and never taken for granted.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"

# expect_imported FIELD...: the first file's figures in JSON: entries passed_over profiles added replaced unchanged.
expect_imported() {
    for name in entries passed_over profiles added replaced unchanged; do
        expect_json "/files/0/$name" "$1"
        shift
    done
}

cat >"$work/tuned.csv" <<'END'
Validator,PT_VERSION,2.4.0
Validator,ROCM_VERSION,6.0.0
GemmTunableOp_Half_TN,tn_57344_64_8192,Gemm_Hipblaslt_TN_22029,14.8177
GemmTunableOp_Half_TN,tn_4096_64_8192,Default,inf
GemmTunableOp_Half_TN,tn_57344_64_8192,Gemm_Rocblas_-3,1
nonsense
END

it 'a file of TunableOp is stored, with what was passed over and why'
run profile import auto "$work/tuned.csv" --store "$store"
expect_exit 1
expect_nothing_on err
expect_stdout <<END
$work/tuned.csv:4:47: tuning-time: a time of inf ms is not finite: the winner is kept without (found inf)
$work/tuned.csv:5:1: tuning-duplicate: line 3 has this problem with another winner: the first counts (found Gemm_Rocblas_-3)
$work/tuned.csv:6:1: tuning-entry: expected OPERATION,PROBLEM,SOLUTION[,MILLISECONDS]
$work/tuned.csv: tunableop, 4 entries, 2 passed over: 2 profiles: 2 new, 0 replaced, 0 as before
in $store; none of them is selected until it was probed here
END
expect_list 2
expect_json /profiles/0/kind imported
expect_json /profiles/0/policy Gemm_Hipblaslt_TN_22029

it 'the same again changes nothing; another winner replaces'
cp "$store" "$work/before"
run profile import tunableop "$work/tuned.csv" --store "$store" --json
expect_exit 1
expect_json /schema steelyard.profile-import/1
expect_json /files/0/status findings
expect_imported 4 2 2 0 0 2
expect_json /files/0/findings 'array of 3'
expect_json /files/0/findings/0/line 4
expect_json /files/0/findings/0/rule tuning-time
cmp -s "$store" "$work/before" || wrong 'the store was changed'
sed -e 's/TN_22029/TN_22030/' -e '4,$d' "$work/tuned.csv" >"$work/other.csv"
run profile import tunableop - --store "$store" --json <"$work/other.csv"
expect_exit 4
run profile import tunableop "$work/other.csv" --store "$store" --json
expect_exit 0
expect_imported 1 0 1 0 1 0

it 'a dry run stores nothing'
rm -f "$work/new"
run profile import auto "$work/other.csv" --store "$work/new" --dry-run
expect_exit 0
expect_says out '1 profile would be stored: 1 new'
[ ! -e "$work/new" ] || wrong 'the store was written'

it 'a file that cannot be read is named, and the others are taken'
printf 'hello\n' >"$work/hello"
printf '{"cache": 3, ' >"$work/cut"
run profile import auto "$work/nothing" "$work/hello" "$work/cut" "$work/other.csv" --store "$work/new" --json
expect_exit 4
expect_json /files 'array of 4'
expect_json /files/0/status unreadable
expect_json /files/0/error/status not-found
expect_json /files/1/error/status invalid-argument
expect_json /files/2/error/line 1
expect_json /files/3/added 1
expect_says err "$work/hello: the format is none that is known by its content"
run profile import auto "$work/hello" --store "$work/new"
expect_exit 4
run profile import auto "$work/nothing" --store "$work/new"
expect_exit 6
run profile import auto "$work/nothing" "$work/other.csv" --store "$work/new"
expect_exit 6

it 'usage'
run profile import
expect_exit 2
run profile import "$work/tuned.csv"
expect_exit 2
expect_says err 'the format stands first'
run profile import auto --store "$store"
expect_exit 2
run profile export auto --store "$store"
expect_exit 2
run profile export tunableop miopen --store "$store"
expect_exit 2
run profile export tunableop --store "$work/nothing-here"
expect_exit 6

it 'a file of format 1 takes none, and a file is stored whole or not at all'
run profile put --store "$work/one" --format 1 --backend cpu --operator o --implementation 1 --structure a=b --policy p
expect_exit 0
cp "$work/one" "$work/one.before"
run profile import auto "$work/tuned.csv" --store "$work/one"
expect_exit 1
expect_says err 'format 1 cannot hold an imported profile'
expect_says out 'not stored'
cmp -s "$work/one" "$work/one.before" || wrong 'the store was changed'
run profile import auto "$store" --store "$work/new"
expect_exit 4
expect_says err 'steelyard profile merge'

it 'what was imported goes back and forth with the same winners'
run profile export tunableop --store "$store" --output "$work/back.csv"
expect_exit 0
expect_nothing_on out
expect_stderr <<END
steelyard: $work/back.csv: tunableop: 2 profiles written, 0 not
END
expect_checked_file() {
    checks=$((checks + 1))
    cmp -s "$1" "$2" || wrong "$1 is not as expected"
}
cat >"$work/expected.csv" <<'END'
Validator,PT_VERSION,2.4.0
Validator,ROCM_VERSION,6.0.0
GemmTunableOp_Half_TN,tn_57344_64_8192,Gemm_Hipblaslt_TN_22030,14.8177
GemmTunableOp_Half_TN,tn_4096_64_8192,Default
END
expect_checked_file "$work/back.csv" "$work/expected.csv"
run profile import auto "$work/back.csv" --store "$store" --json
expect_exit 0
expect_imported 2 0 2 0 0 2
run profile export tunableop --store "$store"
expect_exit 0
expect_checked_file "$work/out" "$work/expected.csv"

it 'what a format cannot hold is named and counted'
run profile put --store "$store" --backend cpu --operator attention --implementation 3 --structure heads=8 --policy flash
run profile export tunableop --store "$store" --output "$work/back.csv" --json
expect_exit 1
expect_json /schema steelyard.profile-export/1
expect_json /written 2
expect_json /not_written 'array of 1'
expect_json /not_written/0/why 'its key is no matrix product that TunableOp can name'
expect_json /not_written/0/policy flash
run profile export t4 --store "$store" --operator attention
expect_exit 1
expect_nothing_on out
expect_says err 'not written: cpu attention heads=8: flash: its key does not name the parameters'

it 'our own formats'
run profile export 2 --store "$store" --output "$work/copy"
expect_exit 0
cmp -s "$store" "$work/copy" || wrong 'format 2 is not the file itself'
run profile export 1 --store "$store"
expect_exit 1
expect_says err 'format 1 cannot hold an imported profile'

# A product of ours: m x k times k x n in f32, as BLAS calls it (n columns first).
it 'an imported winner is never selected, and is tried first by a probe'
need_certain_machine
printf 'GemmTunableOp_float_NN,nn_64_64_64_ld_64_64_64,blocked,0.01\n' >"$work/ours.csv"
run profile import auto "$work/ours.csv" --backend cpu --store "$work/mine"
expect_exit 0
run profile lookup --store "$work/mine" --backend cpu --operator matmul --implementation unknown \
    --structure batch=1 --structure dtype=f32 --structure k=64 --structure m=64 --structure n=64
expect_exit 6
run profile explain --store "$work/mine" --backend cpu --operator matmul --implementation unknown \
    --structure batch=1 --structure dtype=f32 --structure k=64 --structure m=64 --structure n=64
expect_says out 'imported, not probed here'
run select matmul --cases square-64 --store "$work/mine"
expect_exit 6
run select matmul --cases square-64 --mode probe --budget 1 --store "$work/mine" --json
expect_exit 0
expect_says out 'imported profile proposes blocked, to be confirmed here'
run profile list --store "$work/mine" --json
expect_json /profiles 'array of 2' # what was imported stays beside what was proven

finish
