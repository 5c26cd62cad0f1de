/* SPDX-License-Identifier: Apache-2.0 */
/* The testing library's extra implementations of matmul on cpu: the table and how they are built. They are never
 * candidates unless named, and are not in the released library. */
#include "mutants.h"

#include <string.h>

#include "backends/cpu/cpu_operation.h"
#include "backends/cpu/matmul/cpu_blocked.h"
#include "base/error.h"

typedef struct mutant_spec {
    sy_run_fn run;
    mutant_extra extra;
    bool on_openblas;
} mutant_spec;

static sy_status build_mutant(const sy_case *c, size_t index, sy_graph *graph, sy_error *err);

#define MUTANT(NAME, SUMMARY)                             \
    {                                                     \
        .implementation = {.name = (NAME),                \
                           .role = SY_ROLE_CANDIDATE,     \
                           .error_class = SY_CLASS_EXACT, \
                           .summary = (SUMMARY),          \
                           .how_to_get = "",              \
                           .only_if_named = true},        \
        .build = build_mutant                             \
    }

/* One line each: name, what is wrong, its run function, its scratch, what it stands on. */
#define MUTANT_LIST(X)                                                                                              \
    X("mutant-tf32", "rounds its inputs to 11 bits", mutant_run_tf32, EXTRA_INPUTS, false)                          \
    X("mutant-bf16", "rounds its inputs to 8 bits", mutant_run_bf16, EXTRA_INPUTS, false)                           \
    X("mutant-k-tail", "drops the last terms of each sum", mutant_run_k_tail, EXTRA_INPUTS, false)                  \
    X("mutant-shifted-row", "writes each row one place too far", mutant_run_shifted_row, EXTRA_OUTPUT, false)       \
    X("mutant-transposed", "reads an input as if it lay transposed", mutant_run_transposed, EXTRA_INPUTS, false)    \
    X("mutant-stale", "writes its output in the first run only", mutant_run_stale, EXTRA_NONE, false)               \
    X("mutant-half-written", "writes half of its output", mutant_run_half_written, EXTRA_OUTPUT, false)             \
    X("mutant-nan-last", "its last element is NaN", mutant_run_nan_last, EXTRA_NONE, false)                         \
    X("mutant-input-changed", "changes a bit of an input", mutant_run_input_changed, EXTRA_NONE, false)             \
    X("mutant-memoised", "gives its first answer for ever", mutant_run_memoised, EXTRA_OUTPUT, false)               \
    X("mutant-f16-accumulation", "adds in f16", mutant_run_f16_accumulation, EXTRA_NONE, false)                     \
    X("mutant-zeros", "writes zeros", mutant_run_zeros, EXTRA_NONE, false)                                          \
    X("mutant-nondeterministic", "changes the order of its sums", mutant_run_nondeterministic, EXTRA_INPUTS, false) \
    X("mutant-writes-past", "writes past the end of its output", mutant_run_writes_past, EXTRA_NONE, false)         \
    X("mutant-segfault", "reads through a null pointer", mutant_run_segfault, EXTRA_NONE, false)                    \
    X("mutant-abort", "aborts", mutant_run_abort, EXTRA_NONE, false)                                                \
    X("mutant-hang", "never comes back", mutant_run_hang, EXTRA_NONE, false)                                        \
    X("mutant-exit", "ends its process with code 3", mutant_run_exit, EXTRA_NONE, false)                            \
    X("mutant-garbage", "writes garbage to descriptor 3", mutant_run_garbage, EXTRA_NONE, false)                    \
    X("mutant-ftz", "switches denormals off and leaves them off", mutant_run_ftz, EXTRA_NONE, false)                \
    X("mutant-crash-later", "crashes in its twelfth run", mutant_run_crash_later, EXTRA_NONE, false)                \
    X("twin", "OpenBLAS once more: right and equally fast", mutant_run_twin, EXTRA_NONE, true)                      \
    X("slow-twin", "OpenBLAS and a quarter of its time in idle spinning", mutant_run_slow_twin, EXTRA_NONE, true)

#define IMPLEMENTATION_ENTRY(NAME, SUMMARY, RUN, EXTRA, ON_OPENBLAS) MUTANT(NAME, SUMMARY),
#define SPEC_ENTRY(NAME, SUMMARY, RUN, EXTRA, ON_OPENBLAS) {RUN, EXTRA, ON_OPENBLAS},

static const sy_cpu_extra extras[] = {MUTANT_LIST(IMPLEMENTATION_ENTRY)};
static const mutant_spec specs[] = {MUTANT_LIST(SPEC_ENTRY)};

const sy_cpu_extra *sy_cpu_extras(const char *operation, size_t *ret_count)
{
    *ret_count = 0;
    if (strcmp(operation, "attention") == 0) {
        return mutants_of_attention(ret_count);
    }
    if (strcmp(operation, "convolution") == 0) {
        return mutants_of_convolution(ret_count);
    }
    if (strcmp(operation, "matmul") != 0) {
        return NULL;
    }
    *ret_count = sizeof extras / sizeof extras[0];
    return extras;
}

const float *mutant_a(const mutant *m)
{
    return sy_tensor_address(m->matmul->inputs[0]);
}

const float *mutant_b(const mutant *m)
{
    return sy_tensor_address(m->matmul->inputs[1]);
}

float *mutant_c(const mutant *m)
{
    return sy_tensor_address(m->matmul->output);
}

uint64_t mutant_a_count(const mutant *m)
{
    const sy_matmul_shape *s = &m->matmul->shape;
    return (uint64_t)(s->batch * s->m * s->k);
}

uint64_t mutant_b_count(const mutant *m)
{
    const sy_matmul_shape *s = &m->matmul->shape;
    return (uint64_t)(s->batch * s->k * s->n);
}

uint64_t mutant_c_count(const mutant *m)
{
    const sy_matmul_shape *s = &m->matmul->shape;
    return (uint64_t)(s->batch * s->m * s->n);
}

float *mutant_extra_scratch(const mutant *m)
{
    float *scratch = sy_tensor_address(m->matmul->scratch);
    return scratch + sy_cpu_blocked_scratch(sy_cpu_pool_thread_count(m->matmul->pool));
}

void mutant_multiply(const mutant *m, const float *a, const float *b, float *c)
{
    sy_cpu_blocked(m->matmul->pool, sy_cpu_vectors_here(), &m->matmul->shape, a, b, c,
                   sy_tensor_address(m->matmul->scratch));
}

static uint64_t extra_count(const sy_matmul_shape *s, mutant_extra extra)
{
    uint64_t a = (uint64_t)(s->batch * s->m * s->k);
    uint64_t b = (uint64_t)(s->batch * s->k * s->n);
    switch (extra) {
    case EXTRA_INPUTS:
        return a + b;
    case EXTRA_OUTPUT:
        return (uint64_t)(s->batch * s->m * s->n);
    case EXTRA_NONE:
        break;
    }
    return 0;
}

static sy_status build_mutant(const sy_case *c, size_t index, sy_graph *graph, sy_error *err)
{
    const mutant_spec *spec = &specs[index];
    sy_matmul_shape shape;
    sy_cpu_matmul *matmul = NULL;
    sy_status status = sy_matmul_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    mutant *m = sy_graph_metadata(graph, sizeof *m);
    if (m == NULL) {
        return sy_fail(err, SY_LIMIT_EXCEEDED, "the state of a mutant takes %zu bytes of metadata", sizeof *m);
    }
    if (spec->on_openblas) {
        status = sy_cpu_matmul_build_library(c, SY_CPU_OPENBLAS, graph, &matmul, err);
    } else {
        status = sy_cpu_matmul_build_blocked(c, extra_count(&shape, spec->extra), graph, &matmul, err);
    }
    if (status == SY_OK && matmul != NULL) {
        m->matmul = matmul;
        sy_graph_on_run(graph, spec->run, NULL, m);
    }
    return status;
}
