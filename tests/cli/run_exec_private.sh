#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a command may see, and what of it must never reach the ledger: secrets in arguments, variables and output, the
# user's home folder.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
# shellcheck source=tests/cli/run_exec_support.sh
. "$(dirname -- "$0")/run_exec_support.sh"

# nowhere TEXT: it stands in no file of the ledger.
nowhere() {
    checks=$((checks + 1))
    ! grep -rqF -e "$1" "$root/.steelyard" || wrong "the ledger holds '$1' in $(grep -rlF -e "$1" "$root/.steelyard")"
}

it 'only what is allowed or asked for reaches a command'
export OMP_NUM_THREADS=3 NOT_ALLOWED=visible GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345
# shellcheck disable=SC2016 # the script expands it
printf 'env >"$1"\n' >"$work/see.sh"
exec_run -- sh "$work/see.sh" "$work/seen"
expect_exit 0
for name in PATH HOME OMP_NUM_THREADS ORDER STEELYARD_LEASES STEELYARD_RUN_FD STEELYARD_RUN_ID STEELYARD_RUN_PHASE; do
    checks=$((checks + 1))
    grep -q "^$name=" "$work/seen" || wrong "$name is missing"
done
for name in NOT_ALLOWED GITHUB_TOKEN; do
    checks=$((checks + 1))
    ! grep -q "^$name=" "$work/seen" || wrong "$name came through"
done

it 'a variable that is asked for and not set is told'
exec_run --env NOT_SET_AT_ALL -- true
expect_exit 2
expect_says err "the variable 'NOT_SET_AT_ALL' is not set here"

it 'secrets and the home folder are not kept, whatever says them'
secret=correct-horse-battery
cat >"$work/teller.sh" <<'END'
echo "at $HOME/data with $API_TOKEN"
echo "error in $HOME/lib" >&2
echo "sample wall 1 s case=$HOME/data" >&3
echo "note token=$API_TOKEN in $HOME" >&3
echo "parity failed reason=\"$API_TOKEN at $HOME/x\"" >&3
echo "nonsense $HOME $API_TOKEN" >&3
echo "memory m$API_TOKEN 1 basis=constrained scope=process how=$HOME/limit" >&3
echo "digest $HOME 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" >&3
mkdir -p "$HOME/out"
echo plain >"$HOME/out/plain.txt"
echo "kept by /home/ann/x" >"$HOME/out/private.txt"
echo "artifact output $HOME/out/plain.txt" >&3
echo "artifact output $HOME/out/private.txt" >&3
echo "kept by $API_TOKEN" >"$HOME/out/token.txt"
echo "artifact output $HOME/out/token.txt" >&3
echo "kept in $HOME/out" >"$HOME/out/home.txt"
echo "artifact output $HOME/out/home.txt" >&3
END
exec_run --env "API_TOKEN=$secret" -- sh "$work/teller.sh" --password another-secret-word --data="$HOME/data"
expect_exit 1
expect_json /parity failed
expect_json /command/lines_not_taken 1
expect_says out "'private.txt' is not kept: a path into somebody's home stands in it"
expect_says out "'token.txt' is not kept: a secret stands in it"
expect_says out "'home.txt' is not kept: a path into somebody's home stands in it"
nowhere "$secret"
nowhere another-secret-word
nowhere "$HOME"
nowhere people/ann
nowhere /home/ann
nowhere ghp_0123456789

it 'what is harmless is kept'
run run show last
expect_exit 0
# shellcheck disable=SC2088 # it stands so in the ledger
expect_says out '~/data'
expect_says out '[secret]'
expect_says out plain.txt
checks=$((checks + 1))
grep -rqF -e 'at ~/data with [secret]' "$root/.steelyard/artifacts" || wrong 'the output is not kept'

it 'whoever starts and ends a run gives nothing away either'
run run start "$gate" --question "Is $HOME/q slow?" --note "at $HOME/n" --parameter "data=$HOME/p" \
    --key "mask_signature=$HOME/m" --output "$HOME/o"
expect_exit 0
run run exec last --env ORDER
expect_exit 0
run run finish last --status ok --conclusion "in $HOME/c" --note "$HOME/f"
expect_exit 0
run run accept last --by "$HOME/who" --reason "$HOME/why"
expect_exit 0
nowhere people/ann
run run show last
# shellcheck disable=SC2088 # it stands so in the ledger
expect_says out '~/q'

it 'a smoke command has no more rights'
export SMOKE_PARITY="failed reason=$HOME/secret"
exec_run --env SMOKE_PARITY
expect_exit 1
nowhere people/ann

finish
