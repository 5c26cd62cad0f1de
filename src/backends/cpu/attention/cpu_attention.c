/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on cpu: plain over OpenBLAS (the reference, cpu_attention_plain.c), our own flash, and sums in double as
 * the oracle. */
#include "backends/cpu/attention/cpu_attention.h"
#include "backends/cpu/cpu_oracle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/graph.h"
#include "base/error.h"
#include "operations/attention_policy.h"

enum { PLAIN, FLASH, DOUBLE, OWN_COUNT };

static const sy_implementation implementations[OWN_COUNT] = {
    [PLAIN] = {.name = "plain",
               .role = SY_ROLE_REFERENCE,
               .error_class = SY_CLASS_EXACT,
               .summary = "products by OpenBLAS, all scores held",
               .how_to_get = "apt-get install libopenblas0-pthread"},
    [FLASH] = {.name = "flash",
               .role = SY_ROLE_CANDIDATE,
               .error_class = SY_CLASS_EXACT,
               .summary = "our own code, tiled, the softmax carried along: no score matrix",
               .how_to_get = ""},
    [DOUBLE] = {.name = "double",
                .role = SY_ROLE_ORACLE,
                .error_class = SY_CLASS_EXACT,
                .summary = "plain sums in double",
                .how_to_get = ""},
};

/* ---- what is shared ---- */

sy_status sy_cpu_attention_begin(const sy_case *c, sy_graph *graph, sy_cpu_attention **ret_attention, sy_error *err)
{
    sy_attention_tensors tensors;
    sy_status status = sy_attention_tensors_of(c, &tensors, err);
    if (status != SY_OK) {
        return status;
    }
    sy_cpu_attention *attention = sy_graph_metadata(graph, sizeof *attention);
    if (attention == NULL) {
        sy_fail(err, SY_LIMIT_EXCEEDED, "the state of an attention takes %zu bytes of metadata", sizeof *attention);
        sy_error_hint(err, "raise the metadata capacity");
        return SY_LIMIT_EXCEEDED;
    }
    attention->c = c;
    attention->kernels = sy_cpu_attention_kernels_of(sy_cpu_vectors_here());
    status = sy_attention_shape_of(c, &attention->shape, err);
    for (size_t i = 0; i < tensors.input_count && status == SY_OK; i++) {
        status = sy_graph_input(graph, &tensors.inputs[i], &attention->inputs[i], err);
    }
    if (status == SY_OK) {
        status = sy_graph_output(graph, &tensors.output, &attention->output, err);
    }
    if (status == SY_OK) {
        *ret_attention = attention;
    }
    return status;
}

sy_cpu_flash_problem sy_cpu_attention_problem(const sy_cpu_attention *attention)
{
    return (sy_cpu_flash_problem){
        .shape = attention->shape,
        .dtype = attention->c->dtype,
        .scale = (float)(1 / sqrt((double)attention->shape.head_dim)),
        .q = sy_tensor_address(attention->inputs[0]),
        .k = sy_tensor_address(attention->inputs[1]),
        .v = sy_tensor_address(attention->inputs[2]),
        .mask = attention->inputs[3] != NULL ? sy_tensor_address(attention->inputs[3]) : NULL,
        .o = sy_tensor_address(attention->output),
    };
}

/* ---- flash ---- */

sy_status sy_cpu_attention_run_flash(void *state, sy_error *err)
{
    (void)err;
    const sy_cpu_attention *attention = state;
    sy_cpu_flash_problem problem = sy_cpu_attention_problem(attention);
    sy_cpu_flash(attention->pool, sy_cpu_vectors_here(), &problem, sy_tensor_address(attention->scratch));
    return SY_OK;
}

sy_status sy_cpu_attention_build_flash(const sy_case *c, uint64_t extra_bytes, sy_graph *graph,
                                       sy_cpu_attention **ret_attention, sy_error *err)
{
    uint32_t threads = sy_graph_device(graph)->threads;
    sy_cpu_attention *attention = NULL;
    uint64_t floats = 0;
    sy_attention_shape shape;
    sy_status status = sy_attention_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    if (shape.keys > INT32_MAX || shape.head_dim > INT32_MAX) {
        sy_graph_unavailable(graph, "keys or head_dim above 2147483647");
        return SY_OK;
    }
    status = sy_cpu_attention_begin(c, graph, &attention, err);
    if (status != SY_OK) {
        return status;
    }
    bool fits = sy_cpu_flash_scratch(&shape, sy_cpu_vectors_here(), threads, &floats) && floats < INT64_MAX / 64;
    attention->extra_at = (floats + 15) / 16 * 64;
    if (!fits || __builtin_add_overflow(attention->extra_at / 4, extra_bytes / 4 + 1, &floats)) {
        return sy_fail(err, SY_LIMIT_EXCEEDED, "case '%s': the tiles of %u threads take more bytes than can be counted",
                       c->name, threads);
    }
    sy_tensor_desc scratch = {.name = "tiles", .dtype = SY_F32, .rank = 1, .dims = {(int64_t)floats}};
    status = sy_graph_scratch(graph, &scratch, &attention->scratch, err);
    if (status == SY_OK) {
        status = sy_cpu_device_pool(sy_cpu_device_of(sy_graph_device(graph)), &attention->pool, err);
    }
    if (status == SY_OK) {
        sy_graph_on_run(graph, sy_cpu_attention_run_flash, NULL, attention);
        *ret_attention = attention;
    }
    return status;
}

/* ---- the oracle as an implementation ---- */

static sy_status run_double(void *state, sy_error *err)
{
    const sy_cpu_attention *attention = state;
    return sy_cpu_run_oracle(sy_attention_oracle, attention->c, attention->inputs, attention->shape.masked ? 4 : 3,
                             attention->output, sy_tensor_address(attention->scratch), err);
}

static sy_status build_double(const sy_case *c, sy_graph *graph, sy_error *err)
{
    sy_cpu_attention *attention = NULL;
    sy_status status = sy_cpu_attention_begin(c, graph, &attention, err);
    if (status == SY_OK) {
        sy_tensor_desc scratch = *sy_tensor_description(attention->output);
        scratch = (sy_tensor_desc){.name = "values and scales", .dtype = SY_F64, .rank = scratch.rank + 1, .dims = {2}};
        for (uint32_t i = 1; i < scratch.rank; i++) {
            scratch.dims[i] = sy_tensor_description(attention->output)->dims[i - 1];
        }
        status = sy_graph_scratch(graph, &scratch, &attention->scratch, err);
    }
    if (status == SY_OK) {
        sy_graph_on_run(graph, run_double, NULL, attention);
    }
    return status;
}

/* ---- the suite ---- */

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user;
    sy_cpu_attention *attention = NULL;
    switch (variant) {
    case PLAIN:
        return sy_cpu_attention_build_plain(c, graph, &attention, err);
    case FLASH:
        return sy_cpu_attention_build_flash(c, 0, graph, &attention, err);
    case DOUBLE:
        return build_double(c, graph, err);
    default:
        return sy_fail(err, SY_INVALID_ARGUMENT, "attention on cpu has no implementation number %u", variant);
    }
}

static sy_status initialize(void *user, const sy_case *c, uint32_t variant, uint64_t seed, sy_graph *graph,
                            sy_error *err)
{
    (void)user;
    (void)variant;
    return sy_graph_fill_inputs(graph, c, seed, sy_attention_fill, err);
}

static sy_status describe(void *user, uint32_t variant, sy_device *device, sy_implementation_info *ret_info,
                          sy_error *err)
{
    (void)user;
    (void)err;
    sy_implementation_info info = {.threads = variant == DOUBLE ? 1 : device->threads};
    const sy_cpu_library *library = &sy_cpu_device_of(device)->libraries[SY_CPU_OPENBLAS];
    if (variant == PLAIN) {
        if (library->loaded) {
            info = library->info;
        }
    } else {
        snprintf(info.version, sizeof info.version, "steelyard %s%s%s", sy_version(), variant == FLASH ? " " : "",
                 variant == FLASH ? sy_cpu_vectors_word(sy_cpu_vectors_here()) : "");
    }
    *ret_info = info;
    return SY_OK;
}

/* What is known is known of a processor with these vector units, which its name does not tell. */
static sy_status shortcut(void *user, const sy_shortcut_question *question, sy_shortcut *ret_shortcut, sy_error *err)
{
    sy_device_info device = *question->device;
    sy_shortcut_question own = *question;
    size_t length = strlen(device.description);
    snprintf(device.description + length, sizeof device.description - length, ", %s",
             sy_cpu_vectors_word(sy_cpu_vectors_here()));
    own.device = &device;
    return sy_attention_shortcut(user, &own, ret_shortcut, err);
}

static bool look(uint32_t variant, const char *root, char *path, size_t path_size, char *reason, size_t reason_size)
{
    if (variant == PLAIN) {
        return sy_cpu_library_find(SY_CPU_OPENBLAS, root, path, path_size, reason, reason_size);
    }
    if (path_size > 0) {
        path[0] = '\0';
    }
    return true;
}

static const sy_suite suite = {
    .struct_size = sizeof(sy_suite),
    .operation = "attention",
    .version = SY_ATTENTION_VERSION,
    .implementations = implementations,
    .implementation_count = OWN_COUNT,
    .cases = sy_attention_case_table,
    .case_count = SY_ATTENTION_CASE_COUNT,
    .build = build,
    .initialize = initialize,
    .oracle = sy_attention_oracle,
    .shortcut = shortcut,
    .describe = describe,
    .complete = sy_attention_complete,
};

const sy_cpu_operation sy_cpu_attention_operation = {.suite = &suite, .look = look};
