#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard profile merge of several files: the order of files does not matter, overrides are never lost, a damaged file
# refuses all of it.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"
cd "$work" || exit 1

digits=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855

# record KIND K POLICY CREATED [LINE]
record() {
    printf 'profile portable %s\nbackend "b"\noperator "o"\nimplementation "1"\nstructure "k" "%s"\npolicy "%s"\n%screated %s\n' \
        "$1" "$2" "$3" "${5:+$5
}" "$4" | with_check
}

proof="evidence \"20261101-000000-aaaaaa\" \"$digits\""
{
    echo 'steelyard_profiles 2'
    record calibrated one old 2026-11-01T00:00:00Z
    record calibrated two left 2026-11-02T00:00:00Z
    record calibrated three plain 2026-11-09T00:00:00Z
    record override four mine 2026-11-01T00:00:00Z
    record imported five slow 2026-11-01T00:00:00Z
} >a
{
    echo 'steelyard_profiles 2'
    record imported five fast 2026-11-03T00:00:00Z
    record calibrated four measured 2026-11-20T00:00:00Z
    record calibrated one new 2026-11-05T00:00:00Z
    record calibrated two right 2026-11-02T00:00:00Z
} >b
{
    echo 'steelyard_profiles 2'
    record calibrated three proven 2026-11-01T00:00:00Z "$proof"
    record calibrated two middle 2026-11-02T00:00:00Z
    record calibrated six alone 2026-11-02T00:00:00Z
} >c
{
    echo 'steelyard_profiles 2'
    record override six wanted 2026-11-01T00:00:00Z
    record calibrated one newer 2026-11-06T00:00:00Z "$proof"
    record override four mine 2026-11-01T00:00:00Z
} >d

# policy_is STORE K KIND POLICY
policy_is() {
    checks=$((checks + 1))
    "$STEELYARD" profile list --store "$1" --json >"$work/list"
    found=$(awk -v k="\"k\": \"$2\"" -v kind="\"kind\": \"$3\"" '
        index($0, "\"kind\":") { inside = index($0, kind) > 0 }
        index($0, k) { mine = inside }
        mine && /"policy":/ { sub(/.*"policy": "/, ""); sub(/".*/, ""); print; mine = 0 }' "$work/list")
    [ "$found" = "$4" ] || wrong "the $3 policy of $2 is '$found', not '$4'"
}

it 'all orders of four files give the same bytes'
first=
for order in 'a b c d' 'a b d c' 'a c b d' 'a c d b' 'a d b c' 'a d c b' 'b a c d' 'b a d c' 'b c a d' 'b c d a' \
    'b d a c' 'b d c a' 'c a b d' 'c a d b' 'c b a d' 'c b d a' 'c d a b' 'c d b a' 'd a b c' 'd a c b' 'd b a c' \
    'd b c a' 'd c a b' 'd c b a'; do
    rm -f merged
    # shellcheck disable=SC2086 # files
    run profile merge $order --into merged
    expect_exit 0
    sum=$(sha256sum <merged)
    [ -n "$first" ] || first=$sum
    checks=$((checks + 1))
    [ "$sum" = "$first" ] || wrong "the order $order gives another file"
done
cp merged reference
expect_says out 'conflict'

it 'the newest evidence wins, and of the same time always the same one'
policy_is reference one calibrated newer
policy_is reference three calibrated proven
policy_is reference two calibrated right
policy_is reference five imported fast

it 'an override stays beside what was measured, in whichever file it stands'
policy_is reference four override mine
policy_is reference four calibrated measured
policy_is reference six override wanted
policy_is reference six calibrated alone

it 'merging one after the other gives the same decisions'
"$STEELYARD" profile digest --store reference >expected
for order in 'a b c d' 'd c b a' 'b d a c'; do
    rm -f merged
    for file in $order; do
        run profile merge "$file" --into merged
        expect_exit 0
    done
    "$STEELYARD" profile digest --store merged >found
    checks=$((checks + 1))
    [ "$(cut -d ' ' -f 1 expected)" = "$(cut -d ' ' -f 1 found)" ] || wrong "the order $order decides otherwise"
done

it 'merging again changes nothing'
sum=$(sha256sum <reference)
run profile merge a b c d --into reference
expect_exit 0
expect_says out 'as they were'
checks=$((checks + 1))
[ "$sum" = "$(sha256sum <reference)" ] || wrong 'the file changed'

it 'two overrides that disagree are both shown, and nothing is merged unless told which'
{
    echo 'steelyard_profiles 2'
    record override four theirs 2026-11-04T00:00:00Z
    record calibrated seven more 2026-11-04T00:00:00Z
} >e
run profile merge e --into reference
expect_exit 1
expect_says err 'an override is never dropped: nothing was merged'
expect_says out 'mine'
expect_says out 'theirs'
checks=$((checks + 1))
[ "$sum" = "$(sha256sum <reference)" ] || wrong 'the file changed'
for order in 'a e' 'e a'; do
    rm -f merged
    # shellcheck disable=SC2086 # files
    run profile merge $order --into merged
    expect_exit 1
    checks=$((checks + 1))
    [ ! -e merged ] || wrong 'a file was made'
    # shellcheck disable=SC2086 # files
    run profile merge $order --into merged --newest-overrides
    expect_exit 0
    policy_is merged four override theirs
done

it 'a damaged file refuses all of it, and its line is named'
sed 's/policy "alone"/policy "changed"/' c >damaged
run profile merge a damaged b --into reference
expect_exit 4
expect_says err "'damaged': line "
run profile merge a nowhere b --into reference
expect_exit 6
expect_says err "there is no file 'nowhere' to merge"
printf 'profile\0\n' >nul
run profile merge a nul --into reference
expect_exit 4
expect_says err "'nul': line 1"
checks=$((checks + 1))
[ "$sum" = "$(sha256sum <reference)" ] || wrong 'the file changed'

it 'a hundred files at once'
n=0
list=
while [ $n -lt 100 ]; do
    { echo 'steelyard_profiles 2' && record calibrated "n$n" p 2026-11-04T00:00:00Z && record calibrated all "p$n" 2026-11-04T00:00:00Z; } >"many$n"
    list="$list many$n"
    n=$((n + 1))
done
rm -f merged
# shellcheck disable=SC2086 # files
run profile merge $list --into merged --json
expect_exit 0
expect_json /added 101
expect_json /conflicts 'array of 99'
policy_is merged all calibrated p99

finish
