/* SPDX-License-Identifier: Apache-2.0 */
/* One convolution on cpu for tests: built, filled, run, held against the oracle as parity's stages 3 and 4 do. */
#ifndef STEELYARD_TESTS_CONVOLUTION_JOB_H
#define STEELYARD_TESTS_CONVOLUTION_JOB_H

#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "backends/cpu/convolution/cpu_convolution.h"
#include "backends/graph.h"
#include "base/memory.h"
#include "base/text.h"
#include "convolution_shapes.h"
#include "operations/fill.h"
#include "operations/suite.h"

/* The leak check at the end of a program crashes on the idle threads of a libgomp that was loaded at run time, so that
 * libraries get one thread where it is on. */
#if defined(__SANITIZE_ADDRESS__)
#define JOB_THREADS 1
#else
#define JOB_THREADS 2
#endif

enum { JOB_SEED = 99 };

typedef struct convolution_job {
    char reason[256]; /* why it is not available */
    sy_case_property properties[CONVOLUTION_PROPERTIES];
    sy_case c;
    const sy_suite *suite;
    sy_graph *graph;
    sy_output inputs[2];
    void *bytes[2]; /* as they were filled */
    uint64_t count; /* of outputs */
    float *found;
} convolution_job;

/* Builds and allocates a variant of the device's suite. False: unavailable, reason says why. */
static inline bool start_job(convolution_job *job, sy_device *device, const int64_t shape[CONVOLUTION_PROPERTIES],
                             uint32_t variant)
{
    sy_error err = SY_ERROR_INIT;
    bool is_available = false;
    const char *reason = "";
    memset(job, 0, sizeof *job);
    job->c = convolution_case_of(shape, job->properties);
    assert_int_equal(sy_device_suite(device, "convolution", &job->suite, NULL), SY_OK);
    assert_int_equal(sy_graph_create(device, 1 << 20, &job->graph, NULL), SY_OK);
    if (job->suite->build(job->suite->user, &job->c, variant, job->graph, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    assert_int_equal(sy_graph_check(job->graph, &is_available, &reason, NULL), SY_OK);
    sy_text_copy(job->reason, sizeof job->reason, reason);
    if (!is_available) {
        return false;
    }
    if (sy_graph_allocate(job->graph, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    job->count = sy_tensor_bytes(sy_graph_output_at(job->graph, 0)) / sizeof(float);
    job->found = sy_allocate(job->count, sizeof(float));
    assert_non_null(job->found);
    for (size_t i = 0; i < 2; i++) {
        sy_tensor *input = sy_graph_input_at(job->graph, i);
        job->bytes[i] = sy_allocate(1, sy_tensor_bytes(input));
        assert_non_null(job->bytes[i]);
        job->inputs[i] = (sy_output){sy_tensor_description(input), job->bytes[i], sy_tensor_bytes(input)};
    }
    return true;
}

static inline void finish_job(convolution_job *job)
{
    sy_graph_destroy(job->graph);
    sy_free(job->bytes[0]);
    sy_free(job->bytes[1]);
    sy_free(job->found);
}

static inline void fill_job(convolution_job *job, sy_fill fill)
{
    for (uint32_t i = 0; i < 2; i++) {
        sy_tensor *input = sy_graph_input_at(job->graph, i);
        assert_int_equal(sy_fill_input(fill, JOB_SEED, i, &job->c, job->inputs[i].desc, job->bytes[i], NULL), SY_OK);
        assert_int_equal(sy_tensor_write(input, 0, job->bytes[i], job->inputs[i].size, NULL), SY_OK);
    }
}

/* Over poison, so that what is not written is NaN. */
static inline void run_job(convolution_job *job)
{
    sy_error err = SY_ERROR_INIT;
    bool is_intact = false;
    char reason[96];
    assert_int_equal(sy_graph_poison(job->graph, 0xff, NULL), SY_OK);
    if (sy_graph_run(job->graph, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    assert_int_equal(sy_graph_canaries(job->graph, &is_intact, reason, sizeof reason, NULL), SY_OK);
    assert_true(is_intact);
    assert_int_equal(sy_tensor_read(sy_graph_output_at(job->graph, 0), 0, job->found, job->count * sizeof(float), NULL),
                     SY_OK);
}

/* Outputs outside of parity's allowance: none where the fill is exact, c units times the sum of |a||b| otherwise. */
static inline uint64_t wrong_outputs(const convolution_job *job, sy_fill fill, double c)
{
    uint64_t wrong = 0;
    double *values = sy_allocate(2 * job->count, sizeof(double));
    assert_non_null(values);
    sy_oracle_request request = {.inputs = job->inputs, .input_count = 2, .count = job->count, .values = values};
    request.scales = values + job->count;
    assert_int_equal(sy_convolution_oracle(NULL, &job->c, &request, NULL), SY_OK);
    for (uint64_t i = 0; i < job->count; i++) {
        double allowed = fill == SY_FILL_REAL ? c * 0x1p-24 * request.scales[i] + 0x1p-126 : 0;
        wrong += !(fabs((double)job->found[i] - values[i]) <= allowed);
    }
    sy_free(values);
    return wrong;
}

static inline bool inputs_are_untouched(const convolution_job *job)
{
    bool same = true;
    for (size_t i = 0; i < 2; i++) {
        void *now = sy_allocate(1, job->inputs[i].size);
        assert_non_null(now);
        assert_int_equal(sy_tensor_read(sy_graph_input_at(job->graph, i), 0, now, job->inputs[i].size, NULL), SY_OK);
        same = same && memcmp(now, job->bytes[i], job->inputs[i].size) == 0;
        sy_free(now);
    }
    return same;
}

#endif
