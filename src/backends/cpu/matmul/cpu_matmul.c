/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix product on cpu: OpenBLAS (the reference), BLIS, oneDNN, our blocked code, and plain sums as the oracle.
 * A library is loaded only for the variant that is built, and nothing stands in for one that is missing. */
#include "backends/cpu/matmul/cpu_matmul.h"
#include "backends/cpu/cpu_oracle.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpu/matmul/cpu_blocked.h"
#include "base/error.h"
#include "base/text.h"

enum { OPENBLAS, BLIS, ONEDNN, BLOCKED, PLAIN, OWN_COUNT };
enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111 }; /* of the C interface to BLAS */

static const sy_implementation implementations[OWN_COUNT] = {
    [OPENBLAS] = {.name = "openblas",
                  .role = SY_ROLE_REFERENCE,
                  .error_class = SY_CLASS_EXACT,
                  .summary = "OpenBLAS, cblas_sgemm",
                  .how_to_get = "apt-get install libopenblas0-pthread"},
    [BLIS] = {.name = "blis",
              .role = SY_ROLE_CANDIDATE,
              .error_class = SY_CLASS_EXACT,
              .summary = "BLIS, cblas_sgemm",
              .how_to_get = "apt-get install libblis4-openmp"},
    [ONEDNN] = {.name = "onednn",
                .role = SY_ROLE_CANDIDATE,
                .error_class = SY_CLASS_EXACT,
                .summary = "oneDNN, dnnl_sgemm",
                .how_to_get = "apt-get install libdnnl2"},
    [BLOCKED] = {.name = "blocked",
                 .role = SY_ROLE_CANDIDATE,
                 .error_class = SY_CLASS_EXACT,
                 .summary = "our own code, blocked for caches and vector registers",
                 .how_to_get = ""},
    [PLAIN] = {.name = "plain",
               .role = SY_ROLE_ORACLE,
               .error_class = SY_CLASS_EXACT,
               .summary = "plain sums in double",
               .how_to_get = ""},
};

static sy_cpu_library_id library_of(uint32_t variant)
{
    switch (variant) {
    case BLIS:
        return SY_CPU_BLIS;
    case ONEDNN:
        return SY_CPU_ONEDNN;
    default:
        return SY_CPU_OPENBLAS;
    }
}

sy_status sy_cpu_matmul_begin(const sy_case *c, sy_graph *graph, sy_dtype scratch_dtype, uint64_t scratch_count,
                              sy_cpu_matmul **ret_matmul, sy_error *err)
{
    sy_tensor_desc a;
    sy_tensor_desc b;
    sy_tensor_desc product;
    sy_status status = sy_matmul_tensors(c, &a, &b, &product, err);
    if (status != SY_OK) {
        return status;
    }
    sy_cpu_matmul *matmul = sy_graph_metadata(graph, sizeof *matmul);
    if (matmul == NULL) {
        sy_fail(err, SY_LIMIT_EXCEEDED, "the state of a matrix product takes %zu bytes of metadata", sizeof *matmul);
        sy_error_hint(err, "raise the metadata capacity");
        return SY_LIMIT_EXCEEDED;
    }
    matmul->c = c;
    status = sy_matmul_shape_of(c, &matmul->shape, err);
    if (status == SY_OK) {
        status = sy_graph_input(graph, &a, &matmul->inputs[0], err);
    }
    if (status == SY_OK) {
        status = sy_graph_input(graph, &b, &matmul->inputs[1], err);
    }
    if (status == SY_OK) {
        status = sy_graph_output(graph, &product, &matmul->output, err);
    }
    if (status == SY_OK && scratch_count > 0) {
        sy_tensor_desc scratch = {.name = "scratch", .dtype = scratch_dtype, .rank = 1};
        scratch.dims[0] = (int64_t)scratch_count;
        status = sy_graph_scratch(graph, &scratch, &matmul->scratch, err);
    }
    if (status == SY_OK) {
        *ret_matmul = matmul;
    }
    return status;
}

sy_status sy_cpu_matmul_run_cblas(void *state, sy_error *err)
{
    (void)err;
    const sy_cpu_matmul *matmul = state;
    const sy_matmul_shape *s = &matmul->shape;
    const float *a = sy_tensor_address(matmul->inputs[0]);
    const float *b = sy_tensor_address(matmul->inputs[1]);
    float *c = sy_tensor_address(matmul->output);
    int m = (int)s->m;
    int n = (int)s->n;
    int k = (int)s->k;
    for (int64_t z = 0; z < s->batch; z++, a += s->m * s->k, b += s->k * s->n, c += s->m * s->n) {
        matmul->library.cblas_sgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, m, n, k, 1.0f, a, k, b, n, 0.0f, c, n);
    }
    return SY_OK;
}

static sy_status run_onednn(void *state, sy_error *err)
{
    const sy_cpu_matmul *matmul = state;
    const sy_matmul_shape *s = &matmul->shape;
    const float *a = sy_tensor_address(matmul->inputs[0]);
    const float *b = sy_tensor_address(matmul->inputs[1]);
    float *c = sy_tensor_address(matmul->output);
    for (int64_t z = 0; z < s->batch; z++, a += s->m * s->k, b += s->k * s->n, c += s->m * s->n) {
        int failed = matmul->library.dnnl_sgemm('N', 'N', s->m, s->n, s->k, 1.0f, a, s->k, b, s->n, 0.0f, c, s->n);
        if (failed != 0) {
            return sy_fail(err, SY_UNAVAILABLE, "dnnl_sgemm refused with status %d", failed);
        }
    }
    return SY_OK;
}

/* The cblas interface of the builds that are looked for has 32-bit integers. */
static bool fits_int(const sy_matmul_shape *shape)
{
    return shape->m <= INT_MAX && shape->n <= INT_MAX && shape->k <= INT_MAX;
}

sy_status sy_cpu_matmul_build_library(const sy_case *c, sy_cpu_library_id id, sy_graph *graph,
                                      sy_cpu_matmul **ret_matmul, sy_error *err)
{
    sy_cpu_device *device = sy_cpu_device_of(sy_graph_device(graph));
    sy_cpu_library *library = &device->libraries[id];
    char reason[256];
    sy_matmul_shape shape;
    sy_status status = sy_matmul_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    if (!fits_int(&shape)) {
        sy_graph_unavailable(graph, "a dimension is above 2147483647");
        return SY_OK;
    }
    if (!sy_cpu_library_load(id, device->root, device->base.threads, library, reason, sizeof reason)) {
        char whole[sizeof reason + 64];
        uint32_t variant = id == SY_CPU_OPENBLAS ? OPENBLAS : id == SY_CPU_BLIS ? BLIS : ONEDNN;
        snprintf(whole, sizeof whole, "%s; to get it: %s", reason, implementations[variant].how_to_get);
        sy_graph_unavailable(graph, whole);
        return SY_OK;
    }
    sy_cpu_matmul *matmul = NULL;
    status = sy_cpu_matmul_begin(c, graph, SY_F32, 0, &matmul, err);
    if (status != SY_OK) {
        return status;
    }
    matmul->library = *library;
    sy_graph_on_run(graph, id == SY_CPU_ONEDNN ? run_onednn : sy_cpu_matmul_run_cblas, NULL, matmul);
    *ret_matmul = matmul;
    return SY_OK;
}

sy_status sy_cpu_matmul_run_blocked(void *state, sy_error *err)
{
    (void)err;
    const sy_cpu_matmul *matmul = state;
    sy_cpu_blocked(matmul->pool, sy_cpu_vectors_here(), &matmul->shape, sy_tensor_address(matmul->inputs[0]),
                   sy_tensor_address(matmul->inputs[1]), sy_tensor_address(matmul->output),
                   sy_tensor_address(matmul->scratch));
    return SY_OK;
}

sy_status sy_cpu_matmul_build_blocked(const sy_case *c, uint64_t extra_count, sy_graph *graph,
                                      sy_cpu_matmul **ret_matmul, sy_error *err)
{
    uint32_t threads = sy_graph_device(graph)->threads;
    sy_cpu_matmul *matmul = NULL;
    sy_status status = sy_cpu_matmul_begin(c, graph, SY_F32, sy_cpu_blocked_scratch(threads) + extra_count, &matmul,
                                           err);
    if (status == SY_OK) {
        status = sy_cpu_device_pool(sy_cpu_device_of(sy_graph_device(graph)), &matmul->pool, err);
    }
    if (status == SY_OK) {
        sy_graph_on_run(graph, sy_cpu_matmul_run_blocked, NULL, matmul);
        *ret_matmul = matmul;
    }
    return status;
}

static sy_status run_plain(void *state, sy_error *err)
{
    const sy_cpu_matmul *matmul = state;
    return sy_cpu_run_oracle(sy_matmul_oracle, matmul->c, matmul->inputs, 2, matmul->output,
                             sy_tensor_address(matmul->scratch), err);
}

static sy_status build_plain(const sy_case *c, sy_graph *graph, sy_error *err)
{
    sy_matmul_shape shape;
    sy_cpu_matmul *matmul = NULL;
    sy_status status = sy_matmul_shape_of(c, &shape, err);
    if (status == SY_OK) {
        uint64_t doubles = 2 * (uint64_t)shape.batch * (uint64_t)shape.m * (uint64_t)shape.n;
        status = sy_cpu_matmul_begin(c, graph, SY_F64, doubles, &matmul, err);
    }
    if (status == SY_OK) {
        sy_graph_on_run(graph, run_plain, NULL, matmul);
    }
    return status;
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user;
    if (c->dtype != SY_F32) {
        char reason[128];
        snprintf(reason, sizeof reason, "multiplies f32, not %s", sy_dtype_word(c->dtype));
        sy_graph_unavailable(graph, reason);
        return SY_OK;
    }
    sy_cpu_matmul *matmul = NULL;
    switch (variant) {
    case OPENBLAS:
    case BLIS:
    case ONEDNN:
        return sy_cpu_matmul_build_library(c, library_of(variant), graph, &matmul, err);
    case BLOCKED:
        return sy_cpu_matmul_build_blocked(c, 0, graph, &matmul, err);
    case PLAIN:
        return build_plain(c, graph, err);
    default:
        return sy_fail(err, SY_INVALID_ARGUMENT, "matmul on cpu has no implementation number %u", variant);
    }
}

static sy_status describe(void *user, uint32_t variant, sy_device *device, sy_implementation_info *ret_info,
                          sy_error *err)
{
    (void)user;
    (void)err;
    sy_implementation_info info = {.threads = variant == PLAIN ? 1 : device->threads};
    const sy_cpu_library *library = &sy_cpu_device_of(device)->libraries[library_of(variant)];
    if (variant <= ONEDNN) {
        if (library->loaded) {
            info = library->info;
        }
    } else {
        snprintf(info.version, sizeof info.version, "steelyard %s%s%s", sy_version(), variant == BLOCKED ? " " : "",
                 variant == BLOCKED ? sy_cpu_vectors_word(sy_cpu_vectors_here()) : "");
    }
    *ret_info = info;
    return SY_OK;
}

static bool look(uint32_t variant, const char *root, char *path, size_t path_size, char *reason, size_t reason_size)
{
    if (variant <= ONEDNN) {
        return sy_cpu_library_find(library_of(variant), root, path, path_size, reason, reason_size);
    }
    if (path_size > 0) {
        path[0] = '\0';
    }
    return true;
}

static const sy_suite suite = {
    .struct_size = sizeof(sy_suite),
    .operation = "matmul",
    .version = SY_MATMUL_VERSION,
    .implementations = implementations,
    .implementation_count = OWN_COUNT,
    .cases = sy_matmul_case_table,
    .case_count = SY_MATMUL_CASE_COUNT,
    .build = build,
    .oracle = sy_matmul_oracle,
    .describe = describe,
    .complete = sy_matmul_complete,
};

const sy_cpu_operation sy_cpu_matmul_operation = {.suite = &suite, .look = look};
