#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The ggml backend as users see it: devices by ggml's names, an engine's own suite of ggml's graphs weighed on its
# processor device, and what goes wrong in ggml as a result with its reason. PLUGIN: tests/support/plugin_ggml.c.
# shellcheck source=tests/cli/harness.sh
. "$(dirname -- "$0")/harness.sh"
: "${PLUGIN:?the plugin of ggml graphs}"

# weigh CASES OPTION...: the plugin on ggml's processor device, one thread.
weigh() {
    cases=$1
    shift
    run probe "$PLUGIN" --backend ggml:CPU --threads 1 --cases "$cases" --budget 10 --wall-limit 200 --max-pairs 10 --json "$@"
}

it 'its devices are listed, the version first'
run backends
expect_exit 0
expect_nothing_on err
expect_says out 'ggml: available'
expect_says out 'ggml:CPU: ggml 0.'
expect_width 80

it 'a device is found by the name that ggml has for it, in any case of letters'
run probe "$PLUGIN" --backend ggml:cpu --threads 1 --cases small --max-pairs 5 --budget 10 --wall-limit 200 --json
expect_json /device_info/name ggml:CPU

it 'a name that no device has'
run probe "$PLUGIN" --backend ggml:Vulkan9
expect_exit 2
expect_stderr <<'END'
steelyard probe: ggml has no device 'Vulkan9' here
  it has CPU
END

it 'a number beyond the last one'
run probe "$PLUGIN" --backend ggml7
expect_exit 2
expect_says err "there is no device 'ggml7'"

it 'looking at the devices of ggml leaves the key of another device as it was'
run profile override --here attention --cases quick --policy flash --reason known --store "$work/keys"
expect_exit 0
run select --assign attention=cpu --cases quick --mode store-only --store "$work/keys"
expect_exit 0
expect_says out 'override-exact'

it "an engine's own suite is weighed in workers, and nothing but the result is printed"
weigh small
expect_nothing_on err
expect_json /operation scaled_softmax
expect_json /backend ggml
expect_json /isolation worker
expect_json /reference scaled
expect_json /candidates/0/name fused
expect_json /candidates/0/parity passed
expect_json /cases/0/name small

it 'the memory between inputs and outputs is the scratch of the implementation'
weigh large --implementations fused
expect_says out '"scratch_bytes"'
# 128 x 512 scores of f32, and nothing else, lie between: the scaled scores take the place of the scores.
[ "$(json /candidates/0/scratch_bytes)" -ge 262144 ] || wrong "scratch of $(json /candidates/0/scratch_bytes) bytes"
[ "$(json /candidates/0/scratch_bytes)" -lt 524288 ] || wrong "scratch of $(json /candidates/0/scratch_bytes) bytes"

it 'cold buffers are copies of the graph'
weigh large --cache cold --cache-bytes 1048576
expect_json /candidates/0/parity passed
expect_json /cases/0/copies 8

it 'ggml ends the process while a graph is built: a result, with its words'
weigh small --implementations aborts-in-build
expect_exit 3
expect_json /candidates/0/decision unavailable
expect_json /candidates/0/reason crashed
expect_says out 'died: signal 6 (SIGABRT); its last words: ggml: '
expect_says out 'GGML_ASSERT(ggml_can_mul_mat(a, b)) failed'

it 'ggml ends the process in a run: the same'
weigh small --implementations aborts-in-run
expect_exit 3
expect_json /candidates/0/reason crashed
expect_says out 'the driver lost its mind'

it 'an operation that the device lacks for one case only: unavailable, the case is named, nothing stands in for it'
weigh small,large --implementations partly
expect_exit 3
expect_json /candidates/0/decision unavailable
expect_json /candidates/0/reason unsupported
expect_json /candidates/0/detail 'large: MUL_MAT is not supported by CPU (f32 64x512x1x1, f16 64x128x1x1)'
expect_json /winner scaled

it 'the other case alone is weighed'
weigh small --implementations partly
expect_json /candidates/0/parity passed

it 'a result that is put where an input was'
weigh small --implementations in-place
expect_exit 1
expect_json /candidates/0/decision parity-failed
expect_says out 'an input was changed by the run'

it 'a wrong result'
weigh small --implementations wrong
expect_exit 1
expect_json /candidates/0/decision parity-failed

it 'a metadata capacity that is too small is refused with the number that does'
weigh small --metadata-capacity 2000
expect_exit 3
expect_json /reason limit
number=$(json /error | sed -n 's/.*raise the metadata capacity to \([0-9]*\) bytes.*/\1/p')
weigh small --metadata-capacity $((${number:-1} - 1))
expect_json /reason limit
weigh small --metadata-capacity "${number:-1}"
expect_json /candidates/0/parity passed

it 'on a device that is none of ggml it is unavailable'
run probe "$PLUGIN" --threads 1
expect_exit 3
expect_says out 'device cpu is not one of ggml'

finish
