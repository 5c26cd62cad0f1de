# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# What the tests of `steelyard profile` share: a store of their own, questions, files written by hand. Sourced after
# harness.sh.
# shellcheck disable=SC2034,SC2154 # sourced after harness.sh by the scripts that use the names

store=${work:?}/store
unset STEELYARD_PROFILE_PATH XDG_CACHE_HOME
export HOME="$work/home"
mkdir "$HOME"

# The parts of keys, as words for run: $common $exact or $common $portable.
# shellcheck disable=SC2034 # for those who source it
{
    common='--backend cpu --operator attention --implementation 3'
    exact='--model-digest d1 --processor cpu.family=6;cpu.limit=4 --threads 4'
    portable='--structure dtype=f32 --structure head_dim=64'
}

# put WORD...: a profile of $common and these words into $store.
put() {
    # shellcheck disable=SC2086 # words
    run profile put --store "$store" $common "$@"
}

# with_check: a record's lines on stdin, from profile on, with its check line and end behind them.
with_check() {
    lines=$(cat)
    printf '%s\n' "$lines"
    printf 'check %s\nend\n' "$(printf '%s\n' "$lines" | sha256sum | cut -c 1-16)"
}

# expect_list COUNT: that many profiles are in $store, and it is whole.
expect_list() {
    run profile list --store "$store" --json
    expect_exit 0
    expect_json /profiles "array of $1"
}
