# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# A project with a gate whose commands are small scripts, for tests of what runs inside of a run. Sourced behind the
# harness.

command -v git >/dev/null || skip 'no git here'

# shellcheck disable=SC2154 # the harness sets it
root=$work/project
export STEELYARD_LEASES="$work/leases"
export HOME="$work/people/ann"
mkdir -p "$root/tools" "$HOME"
cd "$root" || exit
gate=matmul.cpu.square-512.session

"$STEELYARD" matrix init >/dev/null || exit
# The runbook of that gate: our scripts, and nothing that a busy computer fails.
sed -e '/"check": "load"/d' -e '/"check": "free-memory"/d' -e '/"check": "governor"/d' \
    -e 's/{"check": "hardware"},/{"check": "hardware"}/' \
    -e 's|"steelyard measure [^"]*--json"|"MODE_OF_RUNBOOK=exact sh tools/measure.sh {cases}"|' \
    -e 's|"steelyard measure [^"]*--runs 3"|"sh tools/smoke.sh"|' evidence/gates.json >"$work/gates.json"
mv "$work/gates.json" evidence/gates.json
cat >tools/smoke.sh <<'END'
echo "smoke ran in $STEELYARD_RUN_PHASE" >>"$ORDER"
echo "sample wall 9 s" >&"$STEELYARD_RUN_FD"
echo "parity ${SMOKE_PARITY:-passed} case=tiny" >&"$STEELYARD_RUN_FD"
exit "${SMOKE_EXIT:-0}"
END
cat >tools/measure.sh <<'END'
echo "$MODE_OF_RUNBOOK $1 ran in $STEELYARD_RUN_PHASE of $STEELYARD_RUN_ID" >>"$ORDER"
for i in 1 2 3 4 5; do
    echo "sample wall $i.5 ms" >&"$STEELYARD_RUN_FD"
done
echo "parity passed error=0.5" >&"$STEELYARD_RUN_FD"
END
printf '.steelyard\n' >.gitignore
git init -q . && git add -A && git -c user.name=a -c user.email=a@b.example commit -qm begin || exit
export ORDER="$work/order"
: >"$ORDER"

# exec_run ARGUMENTS...: a new run of the gate, and its command: run exec with --json.
exec_run() {
    run run exec --gate "$gate" --question 'Does it hold?' --json --env ORDER "$@"
}

# wait_until COMMAND...: polls for at most 20 s.
wait_until() {
    polls=0
    until "$@"; do
        polls=$((polls + 1))
        [ $polls -lt 200 ] || return 1
        sleep 0.1
    done
}

last_status() {
    "$STEELYARD" run show last --json >"$work/shown" 2>/dev/null && "$JSON_VALUE" "$work/shown" /status
}

last_is() {
    [ "$(last_status)" = "$1" ]
}
