#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard profile: keys and values that are refused before anything is touched, and what format 1 cannot hold.
# shellcheck disable=SC2086 # the words of keys are split on purpose
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"

# refused TEXT [HINT]: exit 2, nothing on stdout, no file.
refused() {
    expect_exit 2
    expect_nothing_on out
    expect_stderr <<END
steelyard profile put: $1
  ${2:-see: steelyard profile put --help}
END
    checks=$((checks + 1))
    set -- "$store"*
    [ ! -e "$1" ] || wrong "a refused put left $*"
}

it 'mixed keys are refused, whatever is mixed'
kinds='exact: --model-digest, --processor and --threads; portable: --structure alone'
put $portable --model-digest d1 --policy p
refused '--structure and --model-digest are parts of different kinds of key' "$kinds"
put $portable --processor p --policy p
refused '--structure and --processor are parts of different kinds of key' "$kinds"
put $portable --threads 4 --policy p
refused '--structure and --threads are parts of different kinds of key' "$kinds"
put $exact $portable --policy p
refused '--structure and --model-digest are parts of different kinds of key' "$kinds"

it 'a key that is not complete is refused, and what is missing named'
whole='an exact key has --model-digest, --processor and --threads'
put --policy p
refused 'the key is not complete' 'exact: --model-digest, --processor and --threads; portable: --structure NAME=VALUE'
put --model-digest d1 --threads 4 --policy p
refused '--processor is missing' "$whole"
put --processor p --threads 4 --policy p
refused '--model-digest is missing' "$whole"
put --processor p --model-digest d1 --policy p
refused '--threads is missing' "$whole"
run profile put --store "$store" --operator attention --implementation 3 $portable --policy p
refused '--backend is missing'
run profile put --store "$store" --backend cpu --implementation 3 $portable --policy p
refused '--operator is missing'
run profile put --store "$store" --backend cpu --operator attention $portable --policy p
refused '--implementation is missing'
put $portable
refused '--policy is missing'

it 'empty fields are refused'
for field in backend operator implementation model-digest processor policy structure measurement reason store; do
    put $portable --policy p --$field ''
    refused "--$field: its argument is empty"
done

it 'thread counts are whole numbers from 1 on'
for count in 0 -1 4294967296; do
    put --model-digest d1 --processor p --threads $count --policy p
    refused "--threads $count: must be 1 to 4294967295"
done
for count in 0x8 +8 four 1.5; do
    put --model-digest d1 --processor p --threads $count --policy p
    refused "--threads $count: must be a whole number"
done

it 'properties have a name, a value and no double'
put --structure dtype --policy p
refused '--structure dtype: must be NAME=VALUE, such as dtype=f32'
put --structure =f32 --policy p
refused '--structure =f32: must be NAME=VALUE, such as dtype=f32'
put --structure dtype=f32 --structure dtype=f16 --policy p
refused '--structure dtype: is given twice'

it 'measurements are finite numbers with a name'
for text in time time= =3 time=nan time=NaN time=inf time=-inf time=1e999 time=0x1p3 time=3ms time=1,5:ms; do
    put $portable --policy p --measurement $text
    refused "--measurement $text: must be NAME=VALUE[:UNIT] with a finite number, such as time=2.5:ms"
done

it 'an expiry is a time to come'
put $portable --policy p --expires soon
refused '--expires soon: must be a span such as 30d or 12h, a day, or a time such as 2026-12-31T18:00:00Z'
put $portable --policy p --expires 2001-01-01
refused '--expires 2001-01-01: is in the past'

it 'an override has a reason and no measurements, a measured profile no reason'
put $portable --policy p --override
refused '--reason is missing' 'an override says why, for those who find it later'
put $portable --policy p --override --reason r --measurement time=1
refused '--measurement: an override is not measured'
put $portable --policy p --reason r
refused '--reason: only an override has one; add --override'
put $portable --policy p p
refused "'p': profile put takes no words, only options"

it 'questions are held to the same'
for verb in lookup explain; do
    run profile $verb --store "$store" $common
    expect_exit 2
    expect_says err 'the key is not complete'
    run profile $verb --store "$store" $common $portable --threads 4
    expect_exit 2
    expect_says err '--model-digest is missing'
done
run profile remove --store "$store" --all
expect_exit 2
expect_says err '--backend is missing'
run profile remove --store "$store" --all --backend cpu --threads 4
expect_exit 2
expect_says err '--all goes with --backend and --implementation only'
run profile remove --store "$store" $common $portable --overrides-too
expect_exit 2
run profile override --store "$store" $common $portable --clear --policy p
expect_exit 2
run profile convert --store "$store"
expect_exit 2
expect_says err '--format is missing: 1 or 2'
run profile convert --store "$store" --format 3
expect_exit 2
expect_says err '--format 3: must be 1 or 2'
run profile merge
expect_exit 2
run profile merge "$store"
expect_exit 2
expect_says err '--into is missing'

it 'format 1 refuses control bytes, an expiry and an undecided entry, and stays readable'
put $portable --policy whole --format 1
expect_exit 0
cp "$store" "$work/before"
put $portable --policy "$(printf 'two\nlines')"
expect_exit 1
expect_nothing_on out
expect_stderr <<'END'
steelyard profile put: format 1 cannot hold control bytes: the policy has one
  convert the file to format 2
END
put --structure "name=$(printf 'a\001')" --policy p
expect_exit 1
expect_says err 'format 1 cannot hold control bytes'
put $portable --policy p --expires 1d
expect_exit 1
expect_says err 'format 1 cannot hold an expiry'
cmp -s "$store" "$work/before" || wrong 'a refused put changed the file'

it 'what format 1 cannot hold of an override is said, and the file is byte for byte the interchange form'
put $portable --policy safe --override --reason 'why not'
expect_exit 0
expect_stdout <<END
$store: 1 added (format 1)
not kept, since format 1 cannot hold it: reason
END
put $portable --policy "$(printf 'q"b\\s')" --measurement time=2.4:ms --json
expect_json /not_kept/0 history
command_line='the file'
cp "$store" "$work/out"
expect_stdout <<'END'
onnx_light_calibration_profiles 1
profile portable calibrated
backend "cpu"
operator "attention"
implementation "3"
structure "dtype" "f32"
structure "head_dim" "64"
measurement "time" 2.3999999999999999 "ms"
policy "q\"b\\s"
end
profile portable override
backend "cpu"
operator "attention"
implementation "3"
structure "dtype" "f32"
structure "head_dim" "64"
policy "safe"
end
END

it 'format 2 holds control bytes, and they cannot steer a terminal'
run profile put --store "$work/two" $common $portable --policy "$(printf 'a\nb\033[2J')"
expect_exit 0
run profile lookup --store "$work/two" $common $portable
expect_says out 'a b\x1b[2J rank'
run profile lookup --store "$work/two" $common $portable --json
expect_json /selected/policy_hex null
grep -q '^policy "a\\nb\\x1b\[2J"$' "$work/two" || wrong "$(cat "$work/two")"

it 'a conversion that would lose what matters is refused, else what is lost is said'
cp "$work/two" "$work/before"
run profile convert --store "$work/two" --format 1
expect_exit 1
expect_says err 'format 1 cannot hold control bytes: the policy has one'
cmp -s "$work/two" "$work/before" || wrong 'a refused conversion changed the file'
run profile convert --store "$store" --format 2
expect_exit 0
expect_stdout <<END
$store: 2 converted (format 2)
END
run profile convert --store "$store" --format 1 --json
expect_exit 0
expect_json /converted 2
expect_json /format 1
run profile override --store "$work/two" $common $portable --policy p --reason r
run profile remove --store "$work/two" $common $portable
run profile convert --store "$work/two" --format 1
expect_exit 0
expect_says out 'not kept, since format 1 cannot hold it: reason, created, tool'
run profile convert --store "$work/none" --format 2
expect_exit 6
expect_stderr <<END
steelyard profile convert: there is no file '$work/none'
  nothing is there by that name or key
END
[ ! -e "$work/none.lock" ] || wrong 'a conversion of nothing left a lock file'

finish
