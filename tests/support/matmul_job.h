/* SPDX-License-Identifier: Apache-2.0 */
/* One product on cpu for tests: built, filled, run, held against the oracle as parity's stages 3 and 4 do. */
#ifndef STEELYARD_TESTS_MATMUL_JOB_H
#define STEELYARD_TESTS_MATMUL_JOB_H

#include "cmocka_headers.h"

#include <math.h>
#include <string.h>

#include "backends/cpu/matmul/cpu_matmul.h"
#include "backends/graph.h"
#include "base/memory.h"
#include "base/text.h"
#include "operations/fill.h"

/* The leak check at the end of a program crashes on the idle threads of a libgomp that was loaded at run time, so that
 * libraries get one thread where it is on. */
#if defined(__SANITIZE_ADDRESS__)
#define JOB_THREADS 1
#else
#define JOB_THREADS 2
#endif

enum { JOB_SEED = 99, AWKWARD_SHAPE_COUNT = 8 };

/* Rows, columns, terms, batch. */
static const int64_t awkward_shapes[AWKWARD_SHAPE_COUNT][4] = {{1, 2, 3, 1},    {1, 100, 65, 1}, {7, 2, 300, 1},
                                                               {13, 33, 65, 1}, {64, 64, 64, 2}, {5, 17, 4100, 1},
                                                               {70, 19, 31, 3}, {3, 300, 17, 1}};

typedef struct matmul_job {
    const char *name;
    char reason[256]; /* why it is not available */
    sy_case_property properties[4];
    sy_case c;
    sy_device *device;
    sy_graph *graph;
    sy_output inputs[2];
    void *bytes[2]; /* as they were filled */
    uint64_t count; /* of outputs */
    float *found;
} matmul_job;

static inline sy_case case_of_shape(const int64_t shape[4], sy_case_property properties[4])
{
    static const char *const names[] = {"m", "n", "k", "batch"};
    sy_case c = {.name = "awkward", .weight = 1, .dtype = SY_F32, .exact_stage = true};
    for (size_t i = 0; i < 4; i++) {
        properties[i] = (sy_case_property){names[i], shape[i]};
    }
    c.properties = properties;
    c.property_count = 4;
    c.exact_length = (uint64_t)shape[2];
    c.tolerance = (sy_tolerance){16, 2, SY_F32, NAN, NAN};
    return c;
}

/* Builds and allocates variant of the device's suite, extras included. False: unavailable, reason says why. */
static inline bool start_job_on(matmul_job *job, const int64_t shape[4], uint32_t variant, uint32_t threads)
{
    sy_error err = SY_ERROR_INIT;
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    bool is_available = false;
    const char *reason = "";
    memset(job, 0, sizeof *job);
    options.threads = threads;
    job->c = case_of_shape(shape, job->properties);
    assert_int_equal(sy_device_open("cpu", &options, &job->device, NULL), SY_OK);
    const sy_suite *suite = job->device->backend->suite_at(job->device, 0);
    job->name = suite->implementations[variant].name;
    assert_int_equal(sy_graph_create(job->device, 1 << 20, &job->graph, NULL), SY_OK);
    if (suite->build(suite->user, &job->c, variant, job->graph, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    assert_int_equal(sy_graph_check(job->graph, &is_available, &reason, NULL), SY_OK);
    sy_text_copy(job->reason, sizeof job->reason, reason);
    if (!is_available) {
        return false;
    }
    assert_int_equal(sy_graph_allocate(job->graph, NULL), SY_OK);
    job->count = (uint64_t)(shape[0] * shape[1] * shape[3]);
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

static inline bool start_job(matmul_job *job, const int64_t shape[4], uint32_t variant)
{
    return start_job_on(job, shape, variant, JOB_THREADS);
}

static inline void finish_job(matmul_job *job)
{
    sy_graph_destroy(job->graph);
    sy_device_close(job->device);
    sy_free(job->bytes[0]);
    sy_free(job->bytes[1]);
    sy_free(job->found);
}

static inline void fill_job(matmul_job *job, sy_fill fill)
{
    for (uint32_t i = 0; i < 2; i++) {
        sy_tensor *input = sy_graph_input_at(job->graph, i);
        assert_int_equal(sy_fill_input(fill, JOB_SEED, i, &job->c, job->inputs[i].desc, job->bytes[i], NULL), SY_OK);
        assert_int_equal(sy_tensor_write(input, 0, job->bytes[i], job->inputs[i].size, NULL), SY_OK);
    }
}

/* Over poison, so that what is not written is NaN. */
static inline void run_job(matmul_job *job)
{
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_graph_poison(job->graph, 0xff, NULL), SY_OK);
    if (sy_graph_run(job->graph, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    assert_int_equal(sy_tensor_read(sy_graph_output_at(job->graph, 0), 0, job->found, job->count * sizeof(float), NULL),
                     SY_OK);
}

/* Outputs outside of parity's allowance: none where the fill is exact, 16 units times the sum of |a||b| otherwise. */
static inline uint64_t wrong_outputs(const matmul_job *job, sy_fill fill)
{
    uint64_t wrong = 0;
    double *values = sy_allocate(2 * job->count, sizeof(double));
    assert_non_null(values);
    sy_oracle_request request = {.inputs = job->inputs, .input_count = 2, .count = job->count, .values = values};
    request.scales = values + job->count;
    assert_int_equal(sy_matmul_oracle(NULL, &job->c, &request, NULL), SY_OK);
    for (uint64_t i = 0; i < job->count; i++) {
        double allowed = fill == SY_FILL_REAL ? 16 * 0x1p-24 * request.scales[i] + 0x1p-126 : 0;
        wrong += !(fabs((double)job->found[i] - values[i]) <= allowed);
    }
    sy_free(values);
    return wrong;
}

static inline bool inputs_are_untouched(const matmul_job *job)
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
