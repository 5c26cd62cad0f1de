/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution on cpu: a matrix of copies and OpenBLAS (the reference), our direct code, oneDNN's implementations by
 * name (cpu_onednn.c), and plain sums as the oracle. A library is loaded only for the variant that is built, oneDNN
 * also to be asked what it has, and nothing stands in for one that is missing. */
#include "backends/cpu/convolution/cpu_convolution.h"
#include "backends/cpu/cpu_oracle.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "backends/cpu/convolution/cpu_onednn.h"
#include "base/error.h"
#include "operations/convolution_policy.h"

enum { IM2COL, DIRECT, ONEDNN, PLAIN, OWN_COUNT };
enum { ROW_MAJOR = 101, NOT_TRANSPOSED = 111 }; /* of the C interface to BLAS */

#define MATRIX_MAX 0x1p40 /* floats: 4 TiB, beyond what any machine could admit */

static const sy_implementation implementations[OWN_COUNT] = {
    [IM2COL] = {.name = "im2col",
                .role = SY_ROLE_REFERENCE,
                .error_class = SY_CLASS_EXACT,
                .summary = "each window copied into a column of a matrix (im2col), then OpenBLAS, cblas_sgemm",
                .how_to_get = "apt-get install libopenblas0-pthread"},
    [DIRECT] = {.name = "direct",
                .role = SY_ROLE_CANDIDATE,
                .error_class = SY_CLASS_EXACT,
                .summary = "our own code, blocked for caches and vector registers, without a matrix of copies",
                .how_to_get = ""},
    [ONEDNN] = {.name = SY_CPU_ONEDNN_FIRST,
                .role = SY_ROLE_CANDIDATE,
                .error_class = SY_CLASS_EXACT,
                .summary = "oneDNN's first choice (direct algorithm); plain tensors in and out, copies into its own "
                           "layouts in the run",
                .how_to_get = "apt-get install libdnnl2"},
    [PLAIN] = {.name = "plain",
               .role = SY_ROLE_ORACLE,
               .error_class = SY_CLASS_EXACT,
               .summary = "plain sums in double",
               .how_to_get = ""},
};

sy_status sy_cpu_convolution_begin(const sy_case *c, sy_graph *graph, sy_dtype scratch_dtype, uint64_t scratch_count,
                                   sy_cpu_convolution **ret_convolution, sy_error *err)
{
    sy_tensor_desc inputs[2];
    sy_tensor_desc output;
    sy_status status = sy_convolution_tensors(c, &inputs[0], &inputs[1], &output, err);
    if (status != SY_OK) {
        return status;
    }
    sy_cpu_convolution *convolution = sy_graph_metadata(graph, sizeof *convolution);
    if (convolution == NULL) {
        sy_fail(err, SY_LIMIT_EXCEEDED, "the state of a convolution takes %zu bytes of metadata", sizeof *convolution);
        sy_error_hint(err, "raise the metadata capacity");
        return SY_LIMIT_EXCEEDED;
    }
    convolution->c = c;
    status = sy_convolution_shape_of(c, &convolution->shape, err);
    for (size_t i = 0; i < 2 && status == SY_OK; i++) {
        status = sy_graph_input(graph, &inputs[i], &convolution->inputs[i], err);
    }
    if (status == SY_OK) {
        status = sy_graph_output(graph, &output, &convolution->output, err);
    }
    if (status == SY_OK && scratch_count > 0) {
        sy_tensor_desc scratch = {.name = "scratch", .dtype = scratch_dtype, .rank = 1};
        scratch.dims[0] = (int64_t)scratch_count;
        status = sy_graph_scratch(graph, &scratch, &convolution->scratch, err);
    }
    if (status == SY_OK) {
        *ret_convolution = convolution;
    }
    return status;
}

/* ---- im2col and a matrix product ---- */

/* A convolution of kernel 1 that neither pads nor strides is a product of the tensors as they lie. */
static bool is_a_product(const sy_convolution_shape *s)
{
    return s->kernel_h == 1 && s->kernel_w == 1 && s->stride == 1 && s->padding == 0;
}

typedef struct matrix_job {
    const sy_convolution_shape *shape;
    const float *source; /* the group's first channel */
    float *matrix;       /* terms x places of the output's plane */
} matrix_job;

/* One row of the matrix: what element (i, j) of the kernel meets in one channel at all places of the output. */
static void fill_matrix_row(void *user, uint64_t term, uint32_t thread)
{
    (void)thread;
    const matrix_job *job = user;
    const sy_convolution_shape *s = job->shape;
    int64_t taps = s->kernel_h * s->kernel_w;
    int64_t channel = (int64_t)term / taps;
    int64_t i = (int64_t)term % taps / s->kernel_w;
    int64_t first = (int64_t)term % s->kernel_w * s->dilation - s->padding;
    const float *plane = job->source + channel * s->height * s->width;
    float *to = job->matrix + (int64_t)term * s->out_height * s->out_width;
    for (int64_t y = 0; y < s->out_height; y++, to += s->out_width) {
        int64_t row = y * s->stride + i * s->dilation - s->padding;
        bool is_inside = row >= 0 && row < s->height;
        sy_cpu_direct_row(is_inside ? plane + row * s->width : plane, is_inside ? s->width : 0, first, s->stride,
                          s->out_width, to);
    }
}

static sy_status run_im2col(void *state, sy_error *err)
{
    (void)err;
    const sy_cpu_convolution *convolution = state;
    const sy_convolution_shape *s = &convolution->shape;
    const float *source = sy_tensor_address(convolution->inputs[0]);
    const float *weights = sy_tensor_address(convolution->inputs[1]);
    float *output = sy_tensor_address(convolution->output);
    int64_t terms = sy_convolution_terms(s);
    int64_t filters = s->filters / s->groups;
    int64_t places = s->out_height * s->out_width;
    int64_t channels = s->channels / s->groups;
    for (int64_t at = 0; at < s->batch * s->groups; at++) {
        const float *matrix = source + at * channels * s->height * s->width;
        if (!is_a_product(s)) {
            matrix_job job = {s, matrix, sy_tensor_address(convolution->scratch)};
            sy_cpu_pool_run(convolution->pool, (uint64_t)terms, fill_matrix_row, &job);
            matrix = job.matrix;
        }
        convolution->library.cblas_sgemm(ROW_MAJOR, NOT_TRANSPOSED, NOT_TRANSPOSED, (int)filters, (int)places,
                                         (int)terms, 1.0f, weights + at % s->groups * filters * terms, (int)terms,
                                         matrix, (int)places, 0.0f, output + at * filters * places, (int)places);
    }
    return SY_OK;
}

/* NULL, or why the product's interface, whose integers have 32 bits, cannot do it. */
static const char *fault_of_matrix(const sy_convolution_shape *s)
{
    double places = (double)s->out_height * (double)s->out_width;
    int64_t channels = s->channels / s->groups;
    double terms = (double)channels * (double)s->kernel_h * (double)s->kernel_w;
    if (places > INT_MAX || terms > INT_MAX) {
        return "a side of its matrix is above 2147483647";
    }
    return places * terms > MATRIX_MAX ? "its matrix of copies would take more than 4 TiB" : NULL;
}

static sy_status build_im2col(const sy_case *c, sy_graph *graph, sy_error *err)
{
    sy_cpu_device *device = sy_cpu_device_of(sy_graph_device(graph));
    sy_cpu_library *library = &device->libraries[SY_CPU_OPENBLAS];
    sy_convolution_shape shape;
    sy_status status = sy_convolution_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    const char *fault = fault_of_matrix(&shape);
    if (fault != NULL) {
        sy_graph_unavailable(graph, fault);
        return SY_OK;
    }
    char reason[256];
    if (!sy_cpu_library_load(SY_CPU_OPENBLAS, device->root, device->base.threads, library, reason, sizeof reason)) {
        char whole[sizeof reason + 64];
        snprintf(whole, sizeof whole, "%s; to get it: %s", reason, implementations[IM2COL].how_to_get);
        sy_graph_unavailable(graph, whole);
        return SY_OK;
    }
    sy_cpu_convolution *convolution = NULL;
    uint64_t floats = (uint64_t)(sy_convolution_terms(&shape) * shape.out_height * shape.out_width);
    status = sy_cpu_convolution_begin(c, graph, SY_F32, is_a_product(&shape) ? 0 : floats, &convolution, err);
    if (status == SY_OK) {
        status = sy_cpu_device_pool(device, &convolution->pool, err);
    }
    if (status == SY_OK) {
        convolution->library = *library;
        sy_graph_on_run(graph, run_im2col, NULL, convolution);
    }
    return status;
}

/* ---- our own ---- */

static sy_status run_direct(void *state, sy_error *err)
{
    (void)err;
    const sy_cpu_convolution *convolution = state;
    sy_cpu_direct_run(&convolution->direct, convolution->pool, sy_tensor_address(convolution->inputs[0]),
                      sy_tensor_address(convolution->inputs[1]), sy_tensor_address(convolution->output),
                      sy_tensor_address(convolution->scratch));
    return SY_OK;
}

sy_status sy_cpu_convolution_build_direct(const sy_case *c, uint64_t extra_count, sy_graph *graph,
                                          sy_cpu_convolution **ret_convolution, sy_error *err)
{
    uint32_t threads = sy_graph_device(graph)->threads;
    sy_cpu_convolution *convolution = NULL;
    sy_convolution_shape shape;
    sy_cpu_direct direct;
    sy_status status = sy_convolution_shape_of(c, &shape, err);
    if (status != SY_OK) {
        return status;
    }
    if (!sy_cpu_direct_plan(&shape, sy_cpu_vectors_here(), threads, &direct)) {
        sy_graph_unavailable(graph, "the kernel is spread too wide: its working memory would be above 1 GiB a thread");
        return SY_OK;
    }
    status = sy_cpu_convolution_begin(c, graph, SY_F32, direct.scratch_count + extra_count, &convolution, err);
    if (status == SY_OK) {
        status = sy_cpu_device_pool(sy_cpu_device_of(sy_graph_device(graph)), &convolution->pool, err);
    }
    if (status == SY_OK) {
        convolution->direct = direct;
        sy_graph_on_run(graph, run_direct, NULL, convolution);
        *ret_convolution = convolution;
    }
    return status;
}

static sy_status run_plain(void *state, sy_error *err)
{
    const sy_cpu_convolution *convolution = state;
    return sy_cpu_run_oracle(sy_convolution_oracle, convolution->c, convolution->inputs, 2, convolution->output,
                             sy_tensor_address(convolution->scratch), err);
}

static sy_status build_plain(const sy_case *c, sy_graph *graph, sy_error *err)
{
    sy_tensor_desc tensors[3];
    sy_cpu_convolution *convolution = NULL;
    uint64_t elements = 0;
    uint64_t bytes = 0;
    sy_status status = sy_convolution_tensors(c, &tensors[0], &tensors[1], &tensors[2], err);
    if (status == SY_OK) {
        status = sy_tensor_desc_check(&tensors[2], &elements, &bytes, err);
    }
    if (status == SY_OK) {
        status = sy_cpu_convolution_begin(c, graph, SY_F64, 2 * elements, &convolution, err);
    }
    if (status == SY_OK) {
        sy_graph_on_run(graph, run_plain, NULL, convolution);
    }
    return status;
}

/* ---- the suite ---- */

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    const sy_cpu_suite *own = user;
    if (c->dtype != SY_F32) {
        char reason[128];
        snprintf(reason, sizeof reason, "convolves f32, not %s", sy_dtype_word(c->dtype));
        sy_graph_unavailable(graph, reason);
        return SY_OK;
    }
    sy_cpu_convolution *convolution = NULL;
    switch (variant) {
    case IM2COL:
        return build_im2col(c, graph, err);
    case DIRECT:
        return sy_cpu_convolution_build_direct(c, 0, graph, &convolution, err);
    case PLAIN:
        return build_plain(c, graph, err);
    default: /* those that the library listed */
        return sy_cpu_onednn_build(c, own->suite.implementations[variant].name, graph, NULL, err);
    }
}

static sy_status describe(void *user, uint32_t variant, sy_device *device, sy_implementation_info *ret_info,
                          sy_error *err)
{
    (void)user;
    (void)err;
    sy_implementation_info info = {.threads = variant == PLAIN ? 1 : device->threads};
    sy_cpu_library_id id = variant == IM2COL ? SY_CPU_OPENBLAS : SY_CPU_ONEDNN;
    const sy_cpu_library *library = &sy_cpu_device_of(device)->libraries[id];
    if (variant == DIRECT || variant == PLAIN) {
        snprintf(info.version, sizeof info.version, "steelyard %s%s%s", sy_version(), variant == DIRECT ? " " : "",
                 variant == DIRECT ? sy_cpu_vectors_word(sy_cpu_vectors_here()) : "");
    } else if (library->loaded) {
        info = library->info;
    }
    *ret_info = info;
    return SY_OK;
}

static bool look(uint32_t variant, const char *root, char *path, size_t path_size, char *reason, size_t reason_size)
{
    if (variant != DIRECT && variant != PLAIN) {
        return sy_cpu_library_find(variant == IM2COL ? SY_CPU_OPENBLAS : SY_CPU_ONEDNN, root, path, path_size, reason,
                                   reason_size);
    }
    if (path_size > 0) {
        path[0] = '\0';
    }
    return true;
}

/* A process that runs one of the implementations above alone asks nobody for others. */
static sy_status list(sy_device *device, sy_arena *arena, const sy_implementation **ret_list, size_t *ret_count,
                      sy_error *err)
{
    for (uint32_t variant = 0; variant < OWN_COUNT && device->only != NULL; variant++) {
        if (strcmp(device->only, implementations[variant].name) == 0) {
            *ret_count = 0;
            return SY_OK;
        }
    }
    return sy_cpu_onednn_list(sy_cpu_device_of(device)->root, sy_convolution_case_table, SY_CONVOLUTION_CASE_COUNT,
                              arena, ret_list, ret_count, err);
}

static const sy_suite suite = {
    .struct_size = sizeof(sy_suite),
    .operation = "convolution",
    .version = SY_CONVOLUTION_VERSION,
    .implementations = implementations,
    .implementation_count = OWN_COUNT,
    .cases = sy_convolution_case_table,
    .case_count = SY_CONVOLUTION_CASE_COUNT,
    .build = build,
    .oracle = sy_convolution_oracle,
    .shortcut = sy_convolution_shortcut,
    .describe = describe,
    .complete = sy_convolution_complete,
};

const sy_cpu_operation sy_cpu_convolution_operation = {.suite = &suite, .look = look, .list = list};
