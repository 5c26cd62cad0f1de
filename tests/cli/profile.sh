#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard profile: storing, listing, asking, explaining, overriding, removing.
# shellcheck disable=SC2086 # the words of keys are split on purpose
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"

it 'the group lists its commands'
run profile --help
expect_exit 0
expect_width 80
for verb in put list show lookup explain override remove convert merge digest check repair; do
    expect_says out " $verb "
done
run help profile
expect_exit 0
expect_says out 'Usage: steelyard profile COMMAND [option...]'
run profile
expect_exit 2
expect_nothing_on out
expect_stderr <<'END'
steelyard profile: no command of profile is given
  all of them: steelyard help profile
END
run profile lst
expect_exit 2
expect_stderr <<'END'
steelyard profile: 'lst' is not a command of profile
  did you mean: steelyard profile list
END
run help profile lst
expect_exit 2
expect_stderr <<'END'
steelyard help: 'lst' is not a command of profile
  did you mean: steelyard help profile list
END

it 'every command of the group has help and a clean man page'
for verb in put list show lookup explain override remove convert merge digest check repair; do
    run profile $verb --help
    expect_exit 0
    expect_width 80
    expect_says out "Usage: steelyard profile $verb "
    run help --man profile $verb
    expect_exit 0
    expect_says out ".SH NAME steelyard\\-profile\\-$verb"
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww -z "$work/out" >"$work/err" 2>&1 || true
        expect_nothing_on err
    fi
done

it 'an empty store lists nothing and answers nothing'
run profile list --store "$store"
expect_exit 0
expect_nothing_on err
expect_stdout <<END
0 profiles in $store
END
run profile lookup --store "$store" $common $portable
expect_exit 6
expect_nothing_on out
expect_stderr <<END
steelyard profile lookup: no profile of 'cpu' 'attention' answers
  there is no file $store yet
END
[ ! -e "$store" ] || wrong 'a question made a file'

it 'a portable profile is stored and found, with its measurements, bit for bit'
put $portable --policy flash --measurement time=2.4:ms --measurement speedup=1.25
expect_exit 0
expect_nothing_on err
expect_stdout <<END
$store: 1 added (format 2)
END
run profile lookup --store "$store" $common $portable --json
expect_exit 0
expect_nothing_on err
expect_json /schema steelyard.profile-lookup/1
expect_json /status ok
expect_json /selected/rank calibrated-portable
expect_json /selected/policy flash
expect_json /selected/prior true
expect_json /selected/measurements 'array of 2'
expect_json /selected/measurements/0/name time
expect_json /selected/measurements/0/value 2.4
expect_json /selected/measurements/0/unit ms
expect_json /selected/measurements/1/unit ''
expect_json /others/0/verdict selected
expect_json /others/0/reason ''
grep -q '^measurement "time" 2.3999999999999999 "ms"$' "$store" || wrong "$(cat "$store")"

it 'the order of the structure does not matter'
run profile lookup --store "$store" $common --structure head_dim=64 --structure dtype=f32
expect_exit 0
expect_says out 'flash rank calibrated-portable'

it 'a comma does not part a structure'
put --structure 'shape=1,2,3' --policy plain
expect_exit 0
run profile lookup --store "$store" $common --structure 'shape=1,2,3' --json
expect_json /selected/profile/key/structure/shape 1,2,3

it 'an exact profile wins over a portable one; both are asked at once'
put $exact --policy plain --measurement time=1.9:ms
expect_exit 0
run profile lookup --store "$store" $common $exact $portable --json
expect_json /selected/rank calibrated-exact
expect_json /selected/policy plain
expect_json /others 'array of 3'
expect_json /others/0/verdict shadowed
expect_json /others/0/reason 'a better one won'
expect_json /others/1/verdict rejected
expect_json /others/1/reason 'different structure'
expect_json /others/2/verdict selected

it 'force-portable skips the exact one, and says so'
run profile lookup --store "$store" $common $exact $portable --force-portable --json
expect_exit 0
expect_json /selected/rank calibrated-portable
expect_json /others/2/verdict skipped
expect_json /others/2/reason 'force portable'

it 'the same key is replaced in place'
put $exact --policy tiled
expect_exit 0
expect_stdout <<END
$store: 1 replaced (format 2)
END
expect_list 3

it 'an override wins, with its reason, and the calibrated profile stays'
run profile override --store "$store" $common $portable --policy safe --reason 'wrong on odd lengths' --expires 30d
expect_exit 0
run profile lookup --store "$store" $common $exact $portable --json
expect_json /selected/rank override-portable
expect_json /selected/policy safe
expect_json /selected/prior false
expect_json /selected/profile/reason 'wrong on odd lengths'
run profile lookup --store "$store" $common $exact $portable
expect_says out 'safe rank override-portable'
expect_says out 'reason wrong on odd lengths'
put $exact --policy exactly --override --reason 'by hand'
expect_exit 0
run profile lookup --store "$store" $common $exact $portable --json
expect_json /selected/rank override-exact

it 'clearing the override brings the calibrated one back'
run profile override --store "$store" $common $exact --clear
expect_exit 0
expect_stdout <<END
$store: 1 removed
END
run profile override --store "$store" $common $portable --clear --json
expect_exit 0
expect_json /schema steelyard.profile-change/1
expect_json /action clear-override
expect_json /removed 1
run profile override --store "$store" $common $portable --clear
expect_exit 6
expect_stderr <<'END'
steelyard profile override: there is no override profile of that key
  nothing is there by that name or key
END
run profile lookup --store "$store" $common $exact $portable --json
expect_json /selected/policy tiled

it 'explain walks the ranks, judges every profile and names the nearest miss'
run profile explain --store "$store" $common --structure dtype=f32 --structure head_dim=128
expect_exit 6
expect_nothing_on err
expect_width 80
expect_says out 'answer none'
expect_says out 'calibrated-exact: not asked: no model, processor and threads'
expect_says out 'calibrated-portable: none of this key (2 of other keys)'
expect_says out 'The nearest miss: #1, calibrated portable, policy flash'
expect_says out '4 of 5 fields agree. It would match if this were equal: structure.head_dim: asked 128, stored 64'
run profile explain --store "$store" $common --model-digest d1 --processor 'cpu.family=6;cpu.limit=2' --threads 4
expect_exit 6
expect_says out 'processor: 1 of its 2 parts cpu.limit: asked 2, stored 4'
expect_says out 'calibrated-portable: not asked: no structure'

it 'explain as JSON holds the walk and the nearest miss'
run profile explain --store "$store" $common --model-digest d1 --processor 'cpu.family=6;cpu.limit=2' --threads 4 --json
expect_exit 6
expect_json /schema steelyard.profile-explanation/1
expect_json /status not-found
expect_json /selected null
expect_json /others/2/verdict rejected
expect_json /others/2/reason 'different processor'
expect_json /others/2/field processor
expect_json /others/2/wanted 'cpu.family=6;cpu.limit=2'
expect_json /others/2/found 'cpu.family=6;cpu.limit=4'
expect_json /others/2/differences/0/field cpu.limit
expect_json /walk 'array of 4'
expect_json /walk/0/state empty
expect_json /walk/1/state not-asked
expect_json /nearest_miss/index 2
expect_json /nearest_miss/differences/0/field processor

it 'outdated implementations and other models are told apart'
run profile lookup --store "$store" --backend cpu --operator attention --implementation 4 $portable --json
expect_exit 6
expect_json /others/0/reason 'outdated implementation'
expect_json /others/0/field implementation_version
expect_json /others/0/wanted 4
expect_json /others/0/found 3
expect_says err 'why: steelyard profile explain, with the same options'

it 'list and show filter by parts of a key and number what they list'
run profile list --store "$store" --json
expect_json /schema steelyard.profile-list/1
expect_json /profiles 'array of 3'
expect_json /profiles/2/kind calibrated
expect_json /profiles/2/portable false
expect_json /profiles/2/key/thread_count 4
expect_json /profiles/2/key/structure null
expect_json /profiles/0/key/model_digest null
expect_json /layers/0/format 2
expect_json /layers/0/status ok
run profile list --store "$store" --threads 4
expect_exit 0
expect_width 80
expect_says out '1 profile in'
run profile list --store "$store" --structure dtype=f32 --kind override
expect_says out '0 profiles in'
run profile show --store "$store" 3
expect_exit 0
expect_says out 'tiled kind calibrated exact'
expect_says out 'processor cpu.family=6; cpu.limit=4'
run profile show --store "$store" --operator none
expect_exit 6
expect_says err 'there is no such profile'
run profile show --store "$store" 4
expect_exit 6
expect_says err 'there is no profile 4, only 3'
run profile show --store "$store" first
expect_exit 2

it 'the digest is of the decisions, not of who measured'
run profile digest --store "$store"
expect_exit 0
before=$(cat "$work/out")
put $exact --policy tiled --measurement time=7:s
run profile digest --store "$store"
expect_stdout <<END
$before
END
put $exact --policy plain
run profile digest --store "$store" --json
expect_json /schema steelyard.profile-digest/1
[ "$(json /sha256)" != "$before" ] || wrong 'another decision has the same digest'
run profile digest --store "$store" $common $portable
expect_exit 0
[ "$(cat "$work/out")" != "$before" ] || wrong 'one question has the digest of all'

it 'one profile is removed by its key, many by their backend'
run profile remove --store "$store" $common $exact
expect_exit 0
expect_list 2
run profile remove --store "$store" $common $exact
expect_exit 6
expect_says err 'there is no calibrated profile of that key'
run profile override --store "$store" $common $exact --policy hand --reason why
run profile remove --store "$store" --backend cpu --implementation 2 --all --json
expect_exit 0
expect_json /removed 0
run profile remove --store "$store" --backend cpu --all
expect_exit 0
expect_stdout <<END
$store: 2 removed
END
expect_list 1
run profile remove --store "$store" --backend cpu --all --overrides-too
expect_list 0

it 'layers are asked after the writable file, and cannot be changed through it'
put $portable --policy below
mv "$store" "$work/layer"
run profile lookup --store "$store" --layer "$work/layer" $common $portable --json
expect_exit 0
expect_json /selected/layer 1
expect_json /layers/1/writable false
run profile remove --store "$store" --layer "$work/layer" $common $portable
expect_exit 1
expect_says err "the calibrated profile stands in the read-only layer '$work/layer'"
STEELYARD_PROFILE_PATH=$work/layer
export STEELYARD_PROFILE_PATH
run profile lookup --store "$store" $common $portable
expect_exit 0
expect_says out below
put $portable --policy above
run profile lookup --store "$store" $common $portable
expect_says out above
unset STEELYARD_PROFILE_PATH

finish
