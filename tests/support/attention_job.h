/* SPDX-License-Identifier: Apache-2.0 */
/* One attention on cpu for tests: built, filled with a case's own data, run, held against the oracle as parity's stage
 * 4 does. */
#ifndef STEELYARD_TESTS_ATTENTION_JOB_H
#define STEELYARD_TESTS_ATTENTION_JOB_H

#include "attention_data.h"

#include "backends/cpu/cpu.h"
#include "backends/graph.h"
#include "base/text.h"

/* The leak check at the end of a program crashes on idle threads of libraries that were loaded at run time. */
#if defined(__SANITIZE_ADDRESS__)
#define ATTENTION_THREADS 1
#else
#define ATTENTION_THREADS 2
#endif

typedef struct attention_job {
    attention_data data;
    const char *name;
    char reason[256]; /* why it is not available */
    sy_device *device;
    sy_graph *graph;
    uint64_t output_bytes;
    void *found;
} attention_job;

static inline const sy_suite *attention_suite(sy_device *device)
{
    const sy_suite *suite = NULL;
    assert_int_equal(sy_device_suite(device, "attention", &suite, NULL), SY_OK);
    return suite;
}

static inline sy_device *open_cpu(uint32_t threads)
{
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    sy_device *device = NULL;
    options.threads = threads;
    assert_int_equal(sy_device_open("cpu", &options, &device, NULL), SY_OK);
    return device;
}

/* Builds, allocates and fills variant of the device's suite, extras included. False: unavailable, reason says why. */
static inline bool start_attention_job_on(attention_job *job, const attention_size *size, sy_dtype dtype,
                                          uint32_t variant, uint32_t threads)
{
    sy_error err = SY_ERROR_INIT;
    bool is_available = false;
    const char *reason = "";
    memset(job, 0, sizeof *job);
    start_attention(&job->data, size, dtype);
    job->device = open_cpu(threads);
    const sy_suite *suite = attention_suite(job->device);
    job->name = suite->implementations[variant].name;
    assert_int_equal(sy_graph_create(job->device, 1 << 20, &job->graph, NULL), SY_OK);
    if (suite->build(suite->user, &job->data.c, variant, job->graph, &err) != SY_OK) {
        fail_msg("%s: %s", job->name, err.what);
    }
    assert_int_equal(sy_graph_check(job->graph, &is_available, &reason, NULL), SY_OK);
    sy_text_copy(job->reason, sizeof job->reason, reason);
    if (!is_available) {
        return false;
    }
    assert_int_equal(sy_graph_allocate(job->graph, NULL), SY_OK);
    assert_int_equal(suite->initialize(suite->user, &job->data.c, variant, ATTENTION_SEED, job->graph, NULL), SY_OK);
    job->output_bytes = sy_tensor_bytes(sy_graph_output_at(job->graph, 0));
    job->found = sy_allocate(1, job->output_bytes);
    assert_non_null(job->found);
    return true;
}

static inline bool start_attention_job(attention_job *job, const attention_size *size, sy_dtype dtype, uint32_t variant)
{
    return start_attention_job_on(job, size, dtype, variant, ATTENTION_THREADS);
}

static inline void finish_attention_job(attention_job *job)
{
    sy_graph_destroy(job->graph);
    sy_device_close(job->device);
    sy_free(job->found);
    finish_attention(&job->data);
}

/* Over poison, so that what is not written is NaN; canaries are looked at. */
static inline void run_attention_job(attention_job *job)
{
    sy_error err = SY_ERROR_INIT;
    char reason[96] = "";
    bool is_intact = false;
    assert_int_equal(sy_graph_poison(job->graph, 0xff, NULL), SY_OK);
    if (sy_graph_run(job->graph, &err) != SY_OK) {
        fail_msg("%s: %s", job->name, err.what);
    }
    assert_int_equal(sy_tensor_read(sy_graph_output_at(job->graph, 0), 0, job->found, job->output_bytes, NULL), SY_OK);
    assert_int_equal(sy_graph_canaries(job->graph, &is_intact, reason, sizeof reason, NULL), SY_OK);
    if (!is_intact) {
        fail_msg("%s %s", job->name, reason);
    }
}

/* The largest error in units of what is allowed; infinite for NaN. The oracle is asked anew. */
static inline double attention_error(const attention_job *job)
{
    const attention_data *d = &job->data;
    double u_out = d->c.dtype == SY_F32 ? 0 : sy_dtype_roundoff(d->c.dtype);
    double worst = 0;
    ask_attention(d);
    for (uint64_t i = 0; i < d->count; i++) {
        double found = NAN;
        sy_elements_to_double(d->c.dtype, job->found, i, 1, &found);
        double allowed = 0x1p-24 * d->scales[i] + u_out * fabs(d->values[i]) + sy_dtype_smallest_normal(d->c.dtype);
        double error = fabs(found - d->values[i]) / allowed;
        worst = error <= worst ? worst : isnan(error) ? INFINITY : error;
    }
    return worst;
}

static inline bool attention_inputs_are_untouched(const attention_job *job)
{
    bool same = true;
    for (size_t i = 0; i < job->data.tensors.input_count; i++) {
        const sy_output *input = &job->data.inputs[i];
        void *now = sy_allocate(1, input->size);
        assert_non_null(now);
        assert_int_equal(sy_tensor_read(sy_graph_input_at(job->graph, i), 0, now, input->size, NULL), SY_OK);
        same = same && memcmp(now, input->bytes, input->size) == 0;
        sy_free(now);
    }
    return same;
}

#endif
