#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples/embed_ggml.c as its user meets it: the first run probes, the second looks up, a person overrules it and asks
# why; and what happens when the file of shapes or the store is no good. EMBED names the program.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
: "${EMBED:?the example}"
need_certain_machine

store=$work/profiles
shapes=$work/shapes.txt
cat >"$shapes" <<'SHAPES'
# Small ones: what is tested is the way through, not the speed.
model tiny
diffusion attention self 2 f16 batch=1 heads=2 kv_heads=2 queries=64 keys=64 head_dim=64
diffusion attention cross 1 f16 batch=1 heads=2 kv_heads=2 queries=64 keys=77 head_dim=64

vae convolution only 1 f16 batch=1 channels=16 height=24 width=24 filters=16 kernel_h=3 kernel_w=3 stride=1 padding=1 dilation=1 groups=1
SHAPES

# embed ARGUMENTS...: the example on one thread, its output kept as a command's.
embed() {
    command_line="embed_ggml $*"
    code=0
    "$EMBED" "$@" --threads=1 >"$work/out" 2>"$work/err" </dev/null || code=$?
}
# The keys that the last run printed, in order.
key() {
    sed -n 's/^ *key: //p' "$work/out" | sed -n "$1p"
}
# profile VERB ARGUMENTS...: of the attention's decision.
profile() {
    verb=$1
    shift
    run profile "$verb" --here attention --backend ggml:CPU --threads 1 --model-digest "$attention" --store "$store" "$@"
}

it 'the first run probes each module'
embed "$shapes" "$store"
expect_exit 0
expect_nothing_on err
expect_says out 'diffusion runs on ggml:CPU'
checks=$((checks + 1))
[ "$(grep -c 'from the probe' "$work/out")" = 2 ] || wrong "not two probes: $(cat "$work/out")"
checks=$((checks + 1))
[ "$(grep -c ' ms, ' "$work/out")" = 3 ] || wrong 'not each layer was run'
attention=$(key 1)
convolution=$(key 2)
chosen=$(sed -n 's/^diffusion attention: \([a-z-]*\),.*/\1/p' "$work/out")
case $attention in tiny/*) ;; *) wrong "the key is not of this model: $attention" ;; esac
[ "$attention" != "$convolution" ] || wrong 'two operations have one key'

it 'the second run probes nothing'
embed "$shapes" "$store"
expect_exit 0
checks=$((checks + 1))
[ "$(grep -c 'from the store, 0 timed runs' "$work/out")" = 2 ] || wrong "it did: $(cat "$work/out")"
expect_says out "diffusion attention: $chosen, "

it 'the shapes of another model are another question'
sed 's/^model tiny/model other/' "$shapes" >"$work/other.txt"
embed "$work/other.txt" "$store" --attention=plain
expect_exit 0
expect_says out 'diffusion attention: plain, as you said'
expect_says out 'vae convolution: '
expect_says out 'from the probe'

it 'who overrules it by hand is obeyed, and explain says why'
other=plain
[ "$chosen" != plain ] || other=flash
profile override --policy "$other" --reason 'flickers on this driver'
expect_exit 0
embed "$shapes" "$store"
expect_exit 0
expect_says out "diffusion attention: $other, from the store, 0 timed runs"
expect_says out 'override-exact profile'
profile explain
expect_exit 0
expect_says out "override-exact: selected: $other"
expect_says out 'flickers on this driver'
profile override --clear
expect_exit 0
embed "$shapes" "$store"
expect_says out "diffusion attention: $chosen, from the store"

it 'a policy of another operation is passed over, and explain says so'
profile override --policy im2col --reason 'the wrong line'
expect_exit 0
embed "$shapes" "$store"
expect_exit 0
expect_says out "diffusion attention: $chosen, from the store"
profile override --clear
expect_exit 0

it 'what was removed is probed again, and nothing else'
profile remove
expect_exit 0
embed "$shapes" "$store"
expect_exit 0
checks=$((checks + 1))
[ "$(grep -c 'from the probe' "$work/out")" = 1 ] || wrong "not one probe: $(cat "$work/out")"
expect_says out 'vae convolution: '

it 'modules are sent by any of their names'
embed "$shapes" "$store" '--backend=unet=ggml:cpu,vae=CPU'
expect_exit 0
expect_says out 'vae runs on ggml:CPU'
embed "$shapes" "$store" '--backend=diffusion=cpu,nose=cpu'
expect_exit 2
expect_says err "nose"
expect_nothing_on out
embed "$shapes" "$store" '--backend=vae=elsewhere'
expect_exit 2
expect_says err 'elsewhere'

it 'a store that cannot be written costs the decision, not the run'
embed "$shapes" "$work/shapes.txt/profiles"
expect_exit 0
expect_says out 'from the probe'
expect_says out 'not stored'

it 'a wrong file of shapes is located, and nothing is run'
wrong_line() {
    printf 'model tiny\n\n%s\n' "$1" >"$work/wrong.txt"
    embed "$work/wrong.txt" "$store"
    expect_exit 2
    expect_nothing_on out
    expect_says err "$work/wrong.txt$2"
}
wrong_line 'diffusion attention self' ':3: a layer has a module'
wrong_line 'diffusion attention self none f16 heads=2' ':3: the weight is no number'
wrong_line 'diffusion attention self 1 q4 heads=2' ':3: the type is f16 or f32'
wrong_line 'diffusion attention self 1 f16 noses=2' ':3: a property is NAME=NUMBER'
wrong_line 'diffusion attention self 1 f16 heads=two' ':3: a property is NAME=NUMBER'
wrong_line 'diffusion attention self 1 f16 heads=99999 queries=99999 keys=99999' ':3: the layer is too large'
wrong_line 'vae convolution only 1 f16 channels=4 filters=4 groups=4' ':3: this engine convolves in one group'
wrong_line 'diffusion softmax self 1 f16 heads=2' ': this engine has no softmax in diffusion'
wrong_line 'engine attention self 1 f16 heads=2' ': this engine has no attention in engine'
echo '# nothing' >"$work/wrong.txt"
embed "$work/wrong.txt" "$store"
expect_exit 2
expect_says err 'there is no layer in it'
embed "$work/none" "$store"
expect_exit 2
expect_says err 'it cannot be read'
printf 'model tiny\ndiffusion attention self 1 f16 batch=1 heads=3 kv_heads=2 queries=8 keys=8 head_dim=8\n' >"$work/wrong.txt"
embed "$work/wrong.txt" "$store"
expect_exit 2
expect_says err 'kv_heads is 2, which does not divide heads, 3'

it 'the file of shapes that comes with the example is whole'
embed "$SOURCE_DIR/examples/diffusion_shapes.txt" "$store" --attention=magic
expect_exit 2
expect_says out 'diffusion runs on ggml:CPU'
expect_says err '--attention=magic: there is no such way'

it 'a way that there is not is refused'
embed "$shapes" "$store" --attention=magic
expect_exit 2
expect_says err '--attention=magic: there is no such way'
embed
expect_exit 2
expect_says err 'usage: embed_ggml'
embed "$shapes" "$store" --noise=1
expect_exit 2
expect_says err 'usage: embed_ggml'

finish
