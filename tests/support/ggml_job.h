/* SPDX-License-Identifier: Apache-2.0 */
/* One run of any suite of backend ggml on its processor for tests: built, filled, run over poison, and held against the
 * oracle as parity does. */
#ifndef STEELYARD_TESTS_GGML_JOB_H
#define STEELYARD_TESTS_GGML_JOB_H

#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "backends/graph.h"
#include "base/memory.h"
#include "base/text.h"
#include "operations/fill.h"
#include "operations/half.h"
#include "operations/suite.h"

enum { GGML_SEED = 17, GGML_INPUTS_MAX = 4, GGML_PROPERTIES_MAX = 16 };

/* ggml's threads end with its device; the sanitizers' checks at exit are spared theirs. */
#if defined(__SANITIZE_ADDRESS__)
#define GGML_THREADS 1
#else
#define GGML_THREADS 2
#endif

typedef struct ggml_job {
    const sy_suite *suite;
    const sy_case *c;
    const char *name;
    char reason[256]; /* why it is not available */
    sy_device *device;
    sy_graph *graph;
    sy_output inputs[GGML_INPUTS_MAX];
    void *bytes[GGML_INPUTS_MAX];
    uint64_t count; /* of output elements */
    float *found;
} ggml_job;

static inline sy_device *open_ggml(uint32_t threads)
{
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    options.threads = threads;
    if (sy_device_open("ggml:CPU", &options, &device, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    return device;
}

static inline uint32_t ggml_variant_of(const sy_suite *suite, const char *name)
{
    uint32_t variant = 0;
    assert_int_equal(sy_suite_find_implementation(suite, name, &variant, NULL), SY_OK);
    return variant;
}

/* Puts the same bytes into host memory and into the graph. */
static inline void fill_ggml_job(ggml_job *job, sy_fill fill, bool own, uint64_t seed)
{
    uint32_t variant = ggml_variant_of(job->suite, job->name);
    for (uint32_t i = 0; i < sy_graph_input_count(job->graph); i++) {
        sy_tensor *input = sy_graph_input_at(job->graph, i);
        uint64_t size = sy_tensor_bytes(input);
        if (job->bytes[i] == NULL) {
            job->bytes[i] = sy_allocate(1, size);
        }
        assert_non_null(job->bytes[i]);
        job->inputs[i] = (sy_output){sy_tensor_description(input), job->bytes[i], size};
        if (!own) {
            assert_int_equal(sy_fill_input(fill, seed, i, job->c, job->inputs[i].desc, job->bytes[i], NULL), SY_OK);
            assert_int_equal(sy_tensor_write(input, 0, job->bytes[i], size, NULL), SY_OK);
        }
    }
    if (own) {
        assert_int_equal(job->suite->initialize(job->suite->user, job->c, variant, seed, job->graph, NULL), SY_OK);
        for (uint32_t i = 0; i < sy_graph_input_count(job->graph); i++) {
            assert_int_equal(
                sy_tensor_read(sy_graph_input_at(job->graph, i), 0, job->bytes[i], job->inputs[i].size, NULL), SY_OK);
        }
    }
}

/* Builds and allocates. False: unavailable, reason says why. */
static inline bool start_ggml_job(ggml_job *job, const char *operation, const sy_case *c, const char *name,
                                  uint32_t threads)
{
    sy_error err = SY_ERROR_INIT;
    bool is_available = false;
    const char *reason = "";
    memset(job, 0, sizeof *job);
    job->c = c;
    job->name = name;
    job->device = open_ggml(threads);
    assert_int_equal(sy_device_suite(job->device, operation, &job->suite, NULL), SY_OK);
    assert_int_equal(sy_graph_create(job->device, 1 << 20, &job->graph, NULL), SY_OK);
    if (job->suite->build(job->suite->user, c, ggml_variant_of(job->suite, name), job->graph, &err) != SY_OK ||
        sy_graph_check(job->graph, &is_available, &reason, &err) != SY_OK) {
        fail_msg("%s: %s", name, err.what);
    }
    sy_text_copy(job->reason, sizeof job->reason, reason);
    if (!is_available) {
        return false;
    }
    if (sy_graph_allocate(job->graph, &err) != SY_OK) {
        fail_msg("%s: %s", name, err.what);
    }
    job->count = sy_tensor_bytes(sy_graph_output_at(job->graph, 0)) / sizeof(float);
    job->found = sy_allocate(job->count, sizeof(float));
    assert_non_null(job->found);
    return true;
}

static inline void finish_ggml_job(ggml_job *job)
{
    sy_graph_destroy(job->graph);
    sy_device_close(job->device);
    sy_free(job->found);
    for (size_t i = 0; i < GGML_INPUTS_MAX; i++) {
        sy_free(job->bytes[i]);
    }
}

/* Over poison, so that what is not written is NaN; canaries are looked at. */
static inline void run_ggml_job(ggml_job *job)
{
    sy_error err = SY_ERROR_INIT;
    char reason[96] = "";
    bool is_intact = false;
    assert_int_equal(sy_graph_poison(job->graph, 0xff, NULL), SY_OK);
    if (sy_graph_run(job->graph, &err) != SY_OK || sy_device_synchronize(job->device, &err) != SY_OK) {
        fail_msg("%s: %s", job->name, err.what);
    }
    assert_int_equal(sy_tensor_read(sy_graph_output_at(job->graph, 0), 0, job->found, job->count * sizeof(float), NULL),
                     SY_OK);
    assert_int_equal(sy_graph_canaries(job->graph, &is_intact, reason, sizeof reason, NULL), SY_OK);
    if (!is_intact) {
        fail_msg("%s %s", job->name, reason);
    }
}

/* The largest error in units of what the case allows an implementation of that class on uniform data; infinite for
 * NaN. */
static inline double ggml_job_error(const ggml_job *job, sy_error_class error_class)
{
    const sy_tolerance *t = sy_case_tolerance(job->c, error_class);
    double *values = sy_allocate(job->count, 2 * sizeof(double));
    double worst = 0;
    sy_error err = SY_ERROR_INIT;
    assert_non_null(values);
    double *scales = values + job->count;
    sy_oracle_request request = {job->inputs, sy_graph_input_count(job->graph), 0, NULL, job->count, values, scales};
    if (job->suite->oracle(job->suite->user, job->c, &request, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    double u_out = t->accumulator == SY_F32 ? 0 : sy_dtype_roundoff(SY_F32);
    for (uint64_t i = 0; i < job->count; i++) {
        double allowed = t->c * sy_dtype_roundoff(t->accumulator) * scales[i] + u_out * fabs(values[i]) + 0x1p-126;
        double error = fabs((double)job->found[i] - values[i]) / allowed;
        worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
    }
    sy_free(values);
    return worst;
}

/* Elements that are not exactly what the oracle says. */
static inline uint64_t ggml_job_wrong(const ggml_job *job)
{
    double *values = sy_allocate(job->count, 2 * sizeof(double));
    uint64_t wrong = 0;
    assert_non_null(values);
    sy_oracle_request request = {job->inputs,        sy_graph_input_count(job->graph), 0, NULL, job->count, values,
                                 values + job->count};
    assert_int_equal(job->suite->oracle(job->suite->user, job->c, &request, NULL), SY_OK);
    for (uint64_t i = 0; i < job->count; i++) {
        wrong += !((double)job->found[i] == values[i]);
    }
    sy_free(values);
    return wrong;
}

static inline bool ggml_inputs_are_untouched(const ggml_job *job)
{
    bool same = true;
    for (uint32_t i = 0; i < sy_graph_input_count(job->graph); i++) {
        const sy_output *input = &job->inputs[i];
        void *now = sy_allocate(1, input->size);
        assert_non_null(now);
        assert_int_equal(sy_tensor_read(sy_graph_input_at(job->graph, i), 0, now, input->size, NULL), SY_OK);
        same = same && memcmp(now, input->bytes, input->size) == 0;
        sy_free(now);
    }
    return same;
}

#endif
