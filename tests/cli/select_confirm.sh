#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# select --confirm: what the store proposes is held against the reference, and what comes of it is kept.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"
need_certain_machine

script=$SOURCE_DIR/tests/data/fake/quiet-win.json
fake() {
    run select ring --backend fake --script "$script" --store "$store" "$@"
}
# here VERB WORD...: a command on the profile of this machine's key.
here() {
    verb=$1
    shift
    run profile "$verb" --here ring --backend fake --script "$script" --store "$store" "$@"
}
# expired POLICY: a store whose only profile, of this machine's key, has ended.
expired() {
    rm -f "$store"
    here put --policy "$1"
    expect_exit 0
    {
        echo 'steelyard_profiles 2'
        { sed -n '/^profile/,/^check/p' "$store" | grep -v '^check' && echo 'expires 2020-01-01T00:00:00Z'; } | with_check
    } >"$work/ended"
    mv "$work/ended" "$store"
}

it 'an expired profile is confirmed in its place, and once'
expired fast
fake --mode store-only
expect_exit 6
fake --confirm 16 --json
expect_exit 0
expect_json /implementation fast
expect_json /source probe
expect_json /confirmation confirmed
fake --confirm 16 --json
expect_exit 0
expect_json /source store
expect_json /timed_runs 0
expect_json /confirmation none
run profile list --store "$store" --json
expect_json /profiles 'array of 1'
expect_json /profiles/0/decision/word win
expect_json /profiles/0/expires null
expect_json /profiles/0/earlier 'array of 1'
expect_json /profiles/0/earlier/0/policy fast
expect_json /profiles/0/cost/probes 1

it 'what this machine proved is looked at again only with --retry'
fake --confirm 16 --retry --json
expect_exit 0
expect_json /confirmation confirmed
run profile list --store "$store" --json
expect_json /profiles/0/earlier 'array of 2'
run profile show --store "$store"
expect_exit 0
expect_says out 'before '
expect_says out 'fast: win'

it 'a winner that loses here is refuted, and the reference answers'
cat >"$work/slow.json" <<'SCRIPT'
{"schema": "steelyard.fake/1", "operation": "ring", "cases": [{"name": "one"}], "implementations": [
  {"name": "plain", "role": "reference", "law": {"base_ns": 1000000, "model": "quiet"}},
  {"name": "slow", "law": {"base_ns": 1200000, "model": "quiet"}}]}
SCRIPT
script=$work/slow.json
expired slow
fake --confirm 16 --json
expect_exit 0
expect_json /implementation plain
expect_json /confirmation refuted
run profile list --store "$store" --json
expect_json /profiles/0/policy plain
expect_json /profiles/0/decision/word no-gain
expect_json /profiles/0/earlier/0/policy slow
fake --mode store-only --json
expect_exit 0
expect_json /implementation plain

it 'store-only confirms nothing, and an override is never touched'
fake --mode store-only --confirm 16
expect_exit 2
expect_says err 'a store-only request cannot confirm'
here override --policy slow --reason test
expect_exit 0
fake --confirm 16 --retry --json
expect_exit 0
expect_json /implementation slow
expect_json /timed_runs 0
run select --work-off "$work/none" --save --confirm 16
expect_exit 2
expect_says err '--confirm: not with --work-off'

finish
