#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# steelyard report: a project that has nothing, one session, a page for browsers, hostile names, a file in place of
# stdout, a ledger that is damaged; the published files, where they are.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"

project=$work/project
"$STEELYARD" matrix init --root "$project" --project demo >/dev/null

first_line() {
    head -n 1 "$work/out"
}

it 'outside of a project it is a mistake in the call'
run report --root "$work"
expect_exit 2
expect_nothing_on out
expect_says err 'steelyard matrix init'

it 'a project without a ledger says what to measure first, and makes none'
run report --root "$project"
expect_exit 0
expect_nothing_on err
expect_width 80
checks=$((checks + 1))
[ "$(first_line)" = 'Nothing is recorded yet' ] || wrong "the first line is $(first_line)"
expect_says out 'run next: steelyard run exec --gate matmul.cpu.square-512.hot --judge'
expect_says out 'demo: 0 rows promoted, 7 of 8 gates open'
expect_says out 'There is no ledger yet'
checks=$((checks + 1))
[ ! -e "$project/.steelyard/ledger.sqlite" ] || wrong 'it made a ledger'
run report --root "$project" --strict
expect_exit 0

it 'the same as JSON and as a comment'
run report --root "$project" --json
expect_exit 0
expect_json /schema steelyard.dashboard/1
expect_json /state empty
expect_json /head null
expect_json /counts/open_gates 7
expect_json /next/0 'steelyard run exec --gate matmul.cpu.square-512.hot --judge'
expect_members '' project summary judged promoted open cells gates keys changes findings
run report --root "$project" --markdown
expect_exit 0
expect_says out '### Steelyard: no run is judged'
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" -le 30 ] || wrong 'more than 30 lines'

it 'forms exclude each other, and words are refused'
run report --root "$project" --markdown --json
expect_exit 2
run report --root "$project" --markdown --all
expect_exit 2
run report --root "$project" something
expect_exit 2

it 'a folder of evidence that is named and not there is a mistake'
run report --root "$project" --evidence "$work/no-such"
expect_exit 2

it 'a run that is not there is exit 6'
run report --root "$project" --run last
expect_exit 6
expect_nothing_on out

# A session under the clean tree of a repository, so that it can be accepted.
it 'one session: its key is short of five, and what is next is said'
STEELYARD_LEASES=$work/leases
mkdir -m 700 "$STEELYARD_LEASES"
export STEELYARD_LEASES
# shellcheck disable=SC2016
run run exec --gate matmul.cpu.square-512.session --root "$project" -- sh -c \
    'printf "sample wall 0.5 s\nsample wall 0.25 s\nparity passed\n" >&"$STEELYARD_RUN_FD"'
if [ "$code" != 0 ]; then
    # A preflight is allowed to find the machine too busy: then there is a failed run, which is as good for this test.
    echo "the session was not planned: $(tail -n 1 "$work/out")"
fi
run report --root "$project"
expect_exit 0
expect_width 80
expect_says out 'all times are UTC'
expect_says out 'Event '
run report --root "$project" --json
expect_json /counts/sessions 1
expect_json /counts/promoted 0
expect_json /state pass
run report --root "$project" --run last --markdown
expect_exit 0
expect_says out '### Steelyard: not judged'
expect_says out 'of gate matmul.cpu.square-512.session'

it 'a file is written whole, in place of what was there, and nothing else is'
echo before >"$work/comment.md"
run report --root "$project" --markdown --output "$work/comment.md"
expect_exit 0
expect_nothing_on out
cp "$work/comment.md" "$work/out"
expect_not_says out before
expect_says out '### Steelyard'
run report --root "$project" --markdown --output "$work/comment.md/below"
expect_exit 4
checks=$((checks + 1))
[ "$(find "$work" -name '*.tmp*' | wc -l)" -eq 0 ] || wrong 'something is left over'

it 'a page for browsers is one file, and where it is and what it holds is told'
page=$work/page.html
run report --root "$project" --html "$page"
expect_exit 0
expect_nothing_on out
expect_says err "$page: "
expect_says err 'every run has a page of its own'
cp "$page" "$work/out"
expect_says out '<!DOCTYPE html>'
expect_says out 'Content-Security-Policy'
expect_says out '<dt>sessions</dt><dd>1</dd>'
expect_says out '"schema":"steelyard.page/1"'
checks=$((checks + 1))
[ "$(wc -c <"$page")" -le 300000 ] || wrong "a small ledger's page has $(wc -c <"$page") bytes"
run report --root "$project" --html "$page" --quiet --runs 0
expect_exit 0
expect_nothing_on err
run report --root "$project" --html "$page" --runs 0
expect_says err '0 of 1 runs have a page of their own (all of them: --runs all)'
run report --root "$project" --html "$page" --runs all --run no-such-run
expect_exit 6

it 'a page goes to a file that is named, and other forms exclude it'
run report --root "$project" --html -
expect_exit 2
expect_says err 'a browser reads a file'
run report --root "$project" --html
expect_exit 2
for form in --markdown --json --text --all; do
    run report --root "$project" --html "$page" $form
    expect_exit 2
    expect_nothing_on out
done
run report --root "$project" --html "$page" --output "$page"
expect_exit 2
for option in --open '--store x' '--runs all'; do
    # shellcheck disable=SC2086 # an option and its value
    run report --root "$project" $option
    expect_exit 2
    expect_says err 'only with --html FILE'
done
run report --root "$project" --html "$page" --runs some
expect_exit 2
expect_says err '--runs some: must be a whole number or all'
run report --root "$project" --html "$work/comment.md/below"
expect_exit 4

it 'a page is opened by the program that BROWSER names, without a shell'
# shellcheck disable=SC2016
printf '#!/bin/sh\nprintf "%%s\\n" "$#" "$1" >"$STEELYARD_OPENED"\n' >"$work/browser"
chmod +x "$work/browser"
spaced="$work/a page; touch ran.html"
STEELYARD_OPENED=$work/opened BROWSER=$work/browser
export STEELYARD_OPENED BROWSER
run report --root "$project" --html "$spaced" --open
expect_exit 0
cp "$work/opened" "$work/out"
expect_says out "$spaced"
checks=$((checks + 1))
[ "$(head -n 1 "$work/opened")" = 1 ] || wrong 'it was given more than one word'
BROWSER=$work/no-such-program
run report --root "$project" --html "$page" --open
expect_exit 3
expect_says err 'the page is written'
BROWSER=false
run report --root "$project" --html "$page" --open
expect_exit 3
expect_says err "'false' ended with exit code 1"
unset BROWSER STEELYARD_OPENED

it 'names from files steer nothing and are no markup'
hostile=$work/hostile
"$STEELYARD" matrix init --root "$hostile" --project '</script><img src=x onerror=alert(1)>|`@all' >/dev/null
long=$(awk 'BEGIN { for (i = 0; i < 4096; i++) printf "x" }')
sed -i "s#\"next_gate\": \"Run the command on a quiet computer and keep what it writes.\"#\"next_gate\": \"<!-- \\\\u001b[31m \\\\u202e $long\"#" \
    "$hostile/evidence/gates.json"
sed -i "s/attention.cpu.sd15-self-256.hot/<b>\`a\\\\\"b'c\&d|hot/" "$hostile/evidence/gates.json"
run report --root "$hostile" --all
expect_width 80
expect_says out "\`a\"b'c&d"
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" -lt 400 ] || wrong "$(wc -l <"$work/out") lines"
checks=$((checks + 1))
! LC_ALL=C grep -q "$(printf '\033')" "$work/out" || wrong 'an escape came through'
run report --root "$hostile" --markdown
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" -le 30 ] || wrong 'more than 30 lines'
checks=$((checks + 1))
# shellcheck disable=SC2016
! sed '/^```/,/^```/d' "$work/out" | grep -q '<' || wrong "HTML in $(cat "$work/out")"
run report --root "$hostile" --html "$page"
cp "$page" "$work/out"
expect_not_says out '<img'
expect_not_says out '<b>'
expect_says out '<bdi dir="auto">&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;|`@all</bdi>'
run report --root "$hostile" --json
expect_json /project '</script><img src=x onerror=alert(1)>|`@all'

it 'a registry that cannot be read is told, and the rest is there'
echo '{' >"$project/evidence/gates.json"
run report --root "$project"
expect_exit 0
expect_says out 'FINDINGS: '
expect_says out 'steelyard matrix validate'
expect_says out 'evidence/gates.json:'
run report --root "$project" --json
expect_json /counts/sessions 1
expect_json /state findings

it 'a damaged ledger is exit 4'
for file in "$project"/.steelyard/ledger.sqlite*; do
    dd if=/dev/zero of="$file" bs=1024 count=8 conv=notrunc 2>/dev/null
done
run report --root "$project"
expect_exit 4
expect_nothing_on out

published=${STEELYARD_PUBLISHED:-$SOURCE_DIR/../shared/data/quantem}
if [ -d "$published" ]; then
    it 'the published files: what is open, and their one finding'
    cp -r "$published" "$work/published"
    chmod -R u+w "$work/published"
    echo '{}' >"$work/published/steelyard.json"
    run report --root "$work/published"
    expect_exit 0
    expect_width 80
    expect_says out '0 rows promoted, 56 of 77 gates open'
    expect_says out 'FINDINGS: 1 finding in the registry'
    expect_says out '46 more: steelyard gate next'
    checks=$((checks + 1))
    [ "$(wc -l <"$work/out")" -lt 200 ] || wrong "$(wc -l <"$work/out") lines"
    run report --root "$work/published" --json
    expect_json /counts/gates 77
    expect_json /counts/open_gates 56
    expect_json /counts/findings 1
    run report --root "$work/published" --html "$page"
    expect_exit 0
    cp "$page" "$work/out"
    expect_says out '56 of 77 gates open'
else
    echo 'not tried: no published evidence files in ../shared/data'
fi

finish
