#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard profile on files: damage, later versions, repair, merging, locks, what expires.
# shellcheck disable=SC2086 # the words of keys are split on purpose
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"

# Three profiles, the second of them damaged in two lines.
put $portable --policy first
put $exact --policy second
put --structure dtype=f16 --policy third
sed -e 's/^policy "second"/policy "sec0nd"/' -e 's/^thread_count 4/thread_count 0x4/' "$store" >"$work/bad"
cp "$work/bad" "$work/bad.before"

it 'check tells every finding with its line, and how much is whole'
run profile check "$work/bad"
expect_exit 4
expect_says out 'line 19: '
expect_says out "$work/bad: damaged: format 2, 2 profiles whole, 2 findings"
expect_stderr <<END
steelyard profile check: '$work/bad' is damaged: no process writes to it
  steelyard profile repair keeps its whole profiles
END
run profile check "$work/bad" --json
expect_exit 4
expect_json /schema steelyard.profile-check/1
expect_json /status corrupt
expect_json /profile_count 2
expect_json /finding_total 2
expect_json /findings/0/line 19
run profile check "$store"
expect_exit 0
expect_nothing_on err
expect_stdout <<END
$store: whole: format 2, 3 profiles
END
run profile check "$work/nothing"
expect_exit 6
expect_nothing_on out

it 'a damaged file is an error of every question, never an empty store'
for verb in "lookup $common $portable" "explain $common $portable" list "show" digest; do
    run profile $verb --store "$work/bad"
    expect_exit 4
    expect_says err "'$work/bad': line 19: "
    expect_says err 'all findings: steelyard profile check; its whole profiles: steelyard profile repair'
done
run profile digest --store "$work/bad"
expect_nothing_on out
run profile lookup --store "$work/bad" --layer "$store" $common $portable --json
expect_exit 4
expect_json /status corrupt
expect_json /selected/policy first
expect_json /layers/0/status corrupt

it 'a damaged file is never written to'
for verb in "put $common $portable --policy p" "override $common $portable --policy p --reason r" \
    "remove $common $portable" 'convert --format 1' 'remove --backend cpu --all'; do
    run profile $verb --store "$work/bad"
    expect_exit 4
    expect_nothing_on out
    expect_says err 'line 19'
done
run profile merge "$store" --into "$work/bad"
expect_exit 4
cmp -s "$work/bad" "$work/bad.before" || wrong 'a damaged file was changed'

it 'repair keeps the whole profiles and the damaged file'
run profile repair "$work/bad"
expect_exit 0
expect_says out "$work/bad: repaired: 2 profiles kept, 2 findings"
expect_says out "the damaged file is kept as $work/bad.corrupt-"
cmp -s "$work"/bad.corrupt-* "$work/bad.before" || wrong 'the damaged file is not kept as it was'
run profile list --store "$work/bad" --json
expect_exit 0
expect_json /profiles 'array of 2'
expect_json /profiles/1/policy third
run profile repair --store "$work/bad" --json
expect_exit 0
expect_json /schema steelyard.profile-repair/1
expect_json /repaired false
run profile repair "$work/nothing"
expect_exit 6

it 'a later version is left alone'
printf 'steelyard_profiles 3\nwhatever\n' >"$work/later"
cp "$work/later" "$work/later.before"
for verb in "put $common $portable --policy p" "lookup $common $portable" check repair 'convert --format 1'; do
    run profile $verb --store "$work/later"
    expect_exit 4
    expect_says err 'version'
done
cmp -s "$work/later" "$work/later.before" || wrong 'a file of a later version was changed'

it 'an expired profile does not answer, and explain says when it ended'
with_check >"$work/record" <<'END'
profile portable calibrated
backend "cpu"
operator "attention"
implementation "3"
structure "dtype" "f32"
structure "head_dim" "64"
policy "stale"
expires 2001-09-09T01:46:40Z
END
{ echo 'steelyard_profiles 2' && cat "$work/record"; } >"$work/old"
run profile lookup --store "$work/old" $common $portable
expect_exit 6
expect_stderr <<'END'
steelyard profile lookup: no profile of 'cpu' 'attention' answers: the calibrated-portable one is passed over: expired
  why: steelyard profile explain, with the same options
END
run profile explain --store "$work/old" $common $portable
expect_exit 6
expect_says out 'calibrated-portable: passed over: expired (2001-09-09T01:46:40Z)'
expect_says out 'It would answer if it were not expired'
run profile explain --store "$work/old" $common $portable --json
expect_json /walk/3/state passed-over
expect_json /walk/3/reason expired
run profile list --store "$work/old"
expect_says out 'expired'

it 'evidence is required when asked for'
run profile lookup --store "$store" $common $portable --require-evidence
expect_exit 6
expect_says err 'evidence missing'

it 'merging takes the newer of two that disagree, and lists both'
record() { # CREATED POLICY KIND [LINE]
    {
        printf 'profile portable %s\nbackend "cpu"\noperator "attention"\nimplementation "3"\n' "$3"
        printf 'structure "dtype" "f32"\npolicy "%s"\n' "$2"
        [ -z "${4:-}" ] || printf '%s\n' "$4"
        printf 'created %s\n' "$1"
    } | with_check
}
evidence="evidence \"run-1\" \"$(printf '' | sha256sum | cut -c 1-64)\""
{ echo 'steelyard_profiles 2' && record 2026-01-01T00:00:00Z older calibrated; } >"$work/a"
{ echo 'steelyard_profiles 2' && record 2026-02-01T00:00:00Z newer calibrated; } >"$work/b"
{ echo 'steelyard_profiles 2' && record 2025-01-01T00:00:00Z proven calibrated "$evidence"; } >"$work/c"
run profile merge "$work/b" "$work/a" --into "$work/ab"
expect_exit 0
expect_stdout <<END
conflict: attention on cpu, implementation 3, calibrated portable, dtype=f32
  kept: newer from $work/b, newer
  dropped: older from $work/a
$work/ab: 1 added, 1 conflict (format 2)
END
run profile merge "$work/c" --into "$work/ab" --json
expect_exit 0
expect_json /action merge
expect_json /replaced 1
expect_json /conflicts/0/kept/policy proven
expect_json /conflicts/0/why 'has evidence'
expect_json /conflicts/0/dropped/policy newer
run profile merge "$work/a" "$work/b" --into "$work/ab"
expect_exit 0
expect_says out '1 as they were, 2 conflicts'
run profile list --store "$work/ab" --json
expect_json /profiles 'array of 1'
expect_json /profiles/0/policy proven
run profile merge "$work/ab" --into "$work/ab"
expect_exit 0
expect_stdout <<END
$work/ab: 1 as they were (format 2)
END

it 'overrides are never dropped by a merge'
{ echo 'steelyard_profiles 2' && record 2026-03-01T00:00:00Z mine override 'reason "mine"'; } >"$work/mine"
{ echo 'steelyard_profiles 2' && record 2026-02-01T00:00:00Z theirs override 'reason "theirs"'; } >"$work/theirs"
run profile merge "$work/theirs" --into "$work/ab"
expect_exit 0
expect_stdout <<END
$work/ab: 1 added, 1 as they were (format 2)
END
cp "$work/ab" "$work/ab.before"
run profile merge "$work/mine" --into "$work/ab"
expect_exit 1
expect_says out 'conflict: attention on cpu'
expect_says out 'one: mine from'
expect_says out 'other: theirs from'
expect_says err 'an override is never dropped: nothing was merged'
cmp -s "$work/ab" "$work/ab.before" || wrong 'a refused merge changed the file'
run profile merge "$work/mine" --into "$work/ab" --newest-overrides
expect_exit 0
run profile lookup --store "$work/ab" $common --structure dtype=f32
expect_says out 'mine rank override-portable'
run profile merge "$work/theirs" --into "$work/ab" --newest-overrides
run profile lookup --store "$work/ab" $common --structure dtype=f32
expect_says out 'mine rank override-portable'

it 'a file to merge that is not there or damaged ends the merge'
run profile merge "$work/a" "$work/nothing" --into "$work/new"
expect_exit 6
expect_says err "there is no file '$work/nothing' to merge"
run profile merge "$work/a" "$work/bad.before" --into "$work/new"
expect_exit 4
[ ! -e "$work/new" ] || wrong 'a merge that failed made a file'

it 'a lock that is never given back is waited for as long as asked, its holder named'
if command -v flock >/dev/null; then
    echo 'process 4711 on host elsewhere since 2026-11-29T13:44:19Z' >"$store.lock"
    exec 9<"$store.lock"
    flock 9
    for verb in "put $common $portable --policy p" "remove $common $portable" 'convert --format 2'; do
        run profile $verb --store "$store" --lock-timeout 0.05
        expect_exit 4
        expect_nothing_on out
        expect_says err "'$store.lock' is held by process 4711 on host elsewhere since 2026-11-29T13:44:19Z"
    done
    run profile repair "$store" --lock-timeout 0.05
    expect_exit 4
    run profile lookup --store "$store" $common $portable
    expect_exit 0
    expect_says out first
    exec 9<&-
    put $portable --policy p
    expect_exit 0
fi

finish
