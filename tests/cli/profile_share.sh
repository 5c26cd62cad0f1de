#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Decisions that are handed on: keygen, export --signed, import --verify, and files that were made to be believed.
# shellcheck disable=SC2086 # the words of keys are split on purpose
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/profile_support.sh
. "$(dirname -- "$0")/profile_support.sh"
cd "$work" || exit 1

# nothing_stored STORE: no file was made there.
nothing_stored() {
    checks=$((checks + 1))
    [ ! -e "$1" ] || wrong "$1 was made"
}

# import_refused FILE CODE TEXT: with the key, and nothing is stored.
import_refused() {
    run profile import profiles "$1" --verify site.key.pub --store mine
    expect_exit "$2"
    expect_says err "$3"
    expect_nothing_on out
    nothing_stored mine
}

it 'a key is two files, of which only one is secret'
run profile keygen site.key
expect_exit 0
expect_says out 'public site.key.pub'
id=$(cut -d ' ' -f 4 site.key.pub)
secret=$(cut -d ' ' -f 5 site.key)
expect_says out "key $id"
checks=$((checks + 2))
[ "$(stat -c %a site.key)" = 600 ] || wrong "the secret key has mode $(stat -c %a site.key)"
[ "$(cut -d ' ' -f 5 site.key.pub | base64 -d | sha256sum | cut -c 1-16)" = "$id" ] || wrong 'the id is not the digest'
expect_not_says out "$secret"
run profile keygen site.key
expect_exit 1
expect_says err "site.key.pub' exists"
run profile keygen
expect_exit 2
run profile keygen nowhere/at/all.key --quiet
expect_exit 0
rm -f site2.key.pub
: >site2.key
run profile keygen site2.key
expect_exit 1
checks=$((checks + 1))
[ ! -e site2.key.pub ] || wrong 'a public key without a secret one was left'

it 'what is proven goes out signed, and comes in as what it is'
digits=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
{
    echo 'steelyard_profiles 2'
    printf 'profile portable calibrated\nbackend "b"\noperator "o"\nimplementation "1"\nstructure "k" "proven"\npolicy "fast"\nevidence "20261101-000000-aaaaaa" "%s"\ncreated 2026-11-01T00:00:00Z\n' "$digits" | with_check
    printf 'profile portable calibrated\nbackend "b"\noperator "o"\nimplementation "1"\nstructure "k" "plain"\npolicy "perhaps"\ncreated 2026-11-01T00:00:00Z\n' | with_check
    printf 'profile portable override\nbackend "b"\noperator "o"\nimplementation "1"\nstructure "k" "proven"\npolicy "wanted"\nreason "here"\ncreated 2026-11-01T00:00:00Z\n' | with_check
} >site
run profile export 2 --store site --signed site.key --output shipped
expect_exit 0
expect_says err "2 profiles exported, 1 left out"
expect_says err "signed by key $id"
expect_not_says err "$secret"
checks=$((checks + 1))
! grep -q wanted shipped || wrong 'an override was exported'
run profile import profiles shipped --verify site.key.pub --store mine
expect_exit 0
expect_says out 'mine: 2 added (format 2)'
expect_says err "shipped: verified, signed by key $id"
run profile show --store mine --backend b --operator o --implementation 1 --structure k=proven
expect_says out 'calibrated portable'
expect_says out "signed by key $id"
run profile lookup --store mine --backend b --operator o --implementation 1 --structure k=proven
expect_says out 'fast'
expect_says out "signed by key $id"
run profile explain --store mine --backend b --operator o --implementation 1 --structure k=proven
expect_says out "signed by key $id"
run profile list --store mine --json
expect_json /profiles/0/signed_by "$id"
run profile import profiles shipped --verify site.key.pub --store mine
expect_says out '2 as they were'
rm -f mine mine.lock

it 'a signed file is a file of profiles for everybody else'
run profile check shipped
expect_exit 0
run profile lookup --store none --layer shipped --backend b --operator o --implementation 1 --structure k=proven
expect_exit 0
expect_says out 'fast'
run profile import profiles shipped --store mine
expect_exit 0
expect_says err "says to be signed by key $id, which was not verified"
run profile list --store mine --json
expect_json /profiles/0/signed_by ''
rm -f mine mine.lock

it 'who says in the file that somebody signed it is not believed'
sed "s/^created/signed_by \"$id\"\ncreated/" site | grep -v '^check' >claimed
run profile import profiles claimed --store mine
[ "$code" = 0 ] || expect_says err 'line' # a record without its check line may be refused as such
[ ! -e mine ] || { run profile list --store mine --json && expect_json /profiles/0/signed_by ''; }
rm -f mine mine.lock

it 'with evidence alone, or with overrides'
run profile export 2 --store site --signed site.key --require-evidence --output proven
expect_says err '1 profile exported, 2 left out'
run profile export 2 --store site --signed site.key --overrides-too --output all
expect_says err '3 profiles exported'
run profile import profiles all --verify site.key.pub --store mine
expect_exit 0
expect_says out '2 added'
expect_says err '1 override is left out: --overrides-too takes them'
run profile import profiles all --verify site.key.pub --store mine --overrides-too
expect_says out '1 added, 2 as they were'
rm -f mine mine.lock
run profile export 2 --store site --signed site.key --backend other
expect_exit 6
expect_nothing_on out

it 'what is not signed, by another key, or changed, is refused with the reason'
import_refused site 1 "'site': it is not signed"
"$STEELYARD" profile keygen other.key >/dev/null
"$STEELYARD" profile export 2 --store site --signed other.key --output foreign --quiet
import_refused foreign 1 "'foreign': it is signed by key $(cut -d ' ' -f 4 other.key.pub), which is not the one"
run profile import profiles foreign --verify site.key.pub --verify other.key.pub --store mine
expect_exit 0
rm -f mine mine.lock
sed 's/"fast"/"slow"/' shipped >changed
import_refused changed 4 "'changed': it is not what key $id signed: it was changed afterwards"
head -c -3 shipped >cut.short
import_refused cut.short 4 'was cut'
head -n -1 shipped >headless
import_refused headless 1 'it is not signed'
{ cat shipped && echo '# more'; } >longer
import_refused longer 4 'something stands behind the signature'
{ cat shipped && tail -n 1 shipped; } >twice
import_refused twice 4 'something stands behind the signature'
sed 's/$/\r/' shipped >crlf
import_refused crlf 4 'line ends were changed on the way (CRLF)'
sed 's/steelyard-signature 1/steelyard-signature 2/' shipped >later
import_refused later 4 'a signature of a version that this steelyard does not know'
tail -n 1 other.key.pub >other.line
sed "s/signature 1 ed25519 [0-9a-f]*/signature 1 ed25519 $(cut -d ' ' -f 4 other.line)/" shipped >renamed
import_refused renamed 1 'which is not the one that is trusted'
: >empty
import_refused empty 1 'it is not signed'
import_refused absent 6 "cannot open 'absent'"

it 'hostile files are refused at once'
{ cat site && printf '# steelyard-signature 1 ed25519 ' && head -c 3000000 /dev/zero | tr '\0' A && echo; } >large
import_refused large 4 'the signature is damaged'
truncate -s 1G huge
import_refused huge 1 "'huge' has more than 256 MiB"
{ head -c 100 shipped && printf '\0\0\0' && tail -c +101 shipped; } >nul
import_refused nul 4 'changed afterwards'
printf '# steelyard-signature 1 ed25519 %s %s\n' "$id" "$(printf '%088d' 0 | tr 0 A | sed 's/AA$/==/')" >alone
import_refused alone 4 'changed afterwards'
mkfifo pipe
import_refused pipe 4 'it is a pipe, not a file'
"$STEELYARD" profile export 2 --store site --signed site.key --quiet >signed_damage
sed 's/^end$/ende/' site >broken
import_refused broken 1 'it is not signed'
run profile import profiles broken --store mine
expect_exit 4
expect_says err "'broken': line"
nothing_stored mine

it 'of several files all are taken or none'
run profile import profiles shipped changed --verify site.key.pub --store mine
expect_exit 4
expect_says err "'changed'"
nothing_stored mine
run profile import profiles shipped proven --verify site.key.pub --store mine --dry-run
expect_exit 0
expect_says err 'nothing was stored'
nothing_stored mine

it 'keys that are open, damaged or mixed up are refused, and no secret is ever shown'
chmod 644 site.key
run profile export 2 --store site --signed site.key
expect_exit 1
expect_nothing_on out
expect_says err "the secret key 'site.key' is open to others (mode 0644)"
chmod 600 site.key
for wrong_key in site.key.pub /dev/null absent "$work"; do
    run profile export 2 --store site --signed "$wrong_key" --output never
    [ "$code" != 0 ] || wrong "signed with $wrong_key"
    nothing_stored never
done
run profile import profiles shipped --verify site.key --store mine
expect_exit 4
expect_says err 'this is the secret key'
expect_not_says err "$secret"
nothing_stored mine
cp site.key bent.key
sed -i 's/ed25519 ./ed25519 x/' bent.key
run profile export 2 --store site --signed bent.key
expect_exit 4
expect_not_says err "$secret"

it 'standard input is refused, since all files are verified before the first is stored'
run profile import profiles - --verify site.key.pub --store from-input <shipped
expect_exit 2
expect_says err 'read twice'
nothing_stored from-input

it 'a name cannot command the terminal'
run profile keygen "$(printf 'a\033[31mred')"
expect_exit 0
expect_says out 'secret a\x1b[31mred: keep it'
expect_not_says out "$(printf '\033')"

it 'what others store meanwhile is not counted as imported'
if command -v flock >/dev/null; then
    run profile put --store busy --backend b --operator o --implementation 1 --structure k=own --policy own
    cp busy grown
    for k in 1 2 3 4 5; do
        run profile put --store grown --backend b --operator o --implementation 1 --structure "k=$k" --policy own
    done
    exec 9>busy.lock
    flock 9
    "$STEELYARD" profile import profiles shipped --verify site.key.pub --store busy >counted 2>/dev/null 9>&- &
    importing=$!
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 0.1
        ! grep -q '^[0-9]*: -> FLOCK.*:'"$(stat -c %i busy.lock)"' ' /proc/locks || break
    done
    cp grown busy
    exec 9>&-
    wait $importing
    checks=$((checks + 1))
    grep -q '^busy: 2 added' counted || wrong "counted: $(cat counted)"
else
    echo 'not tested here: a store that grows meanwhile (no flock command)'
fi

it 'options that mean nothing are refused'
run profile import profiles
expect_exit 2
run profile import tunableop x --verify site.key.pub
expect_exit 2
run profile export tunableop --signed site.key --store site
expect_exit 2
run profile export 2 --overrides-too --store site
expect_exit 2
run profile export 2 --signed site.key --kind override --store site
expect_exit 2

it 'another program can verify it: the words, then all before the last line'
if command -v openssl >/dev/null && openssl version 2>/dev/null | grep -q '^OpenSSL 3'; then
    { printf 'steelyard profiles, signature 1\n' && head -n -1 shipped; } >message
    tail -n 1 shipped | cut -d ' ' -f 6 | base64 -d >signature
    { printf '302a300506032b6570032100' | tr a-f A-F | basenc --base16 -d && cut -d ' ' -f 5 site.key.pub | base64 -d; } >public.der
    checks=$((checks + 2))
    openssl pkeyutl -verify -pubin -keyform DER -inkey public.der -rawin -in message -sigfile signature >/dev/null 2>&1 ||
        wrong 'OpenSSL does not verify it'
    echo x >>message
    ! openssl pkeyutl -verify -pubin -keyform DER -inkey public.der -rawin -in message -sigfile signature >/dev/null 2>&1 ||
        wrong 'OpenSSL verifies another text'
else
    echo 'not tested here: verification by OpenSSL 3, which is not installed'
fi

finish
