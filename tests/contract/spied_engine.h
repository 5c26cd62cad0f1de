/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the origin's contract share: a small engine that brings y = 3 x + 1 in two ways, on the fake device
 * whose table of functions and clock are spied on, so that what happened, in which order and at what scripted time, can
 * be asked afterwards. One engine at a time. */
#ifndef STEELYARD_TESTS_SPIED_ENGINE_H
#define STEELYARD_TESTS_SPIED_ENGINE_H

#include "cmocka_headers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/steelyard.h>

#include "backends/fake/fake.h"
#include "backends/fake/fake_device.h"
#include "backends/graph.h"
#include "base/error.h"

enum { N = 32, CASES_MAX = 2, REFERENCE = 0, CANDIDATE = 1, VARIANTS = 2 };

typedef enum event_kind {
    EVENT_BUILD,
    EVENT_ALLOCATE,
    EVENT_UPLOAD,
    EVENT_INITIALIZE,
    EVENT_CLOCK,
    EVENT_RUN,
    EVENT_WAIT, /* for the device */
    EVENT_COMPARE,
    EVENT_ASKED, /* whether it should stop */
    EVENT_KINDS
} event_kind;

typedef struct event {
    event_kind kind;
    sy_probe_phase phase;
    uint32_t variant; /* of builds, initialisations and runs */
    uint32_t case_index;
    uint64_t inputs; /* of runs: a checksum of what they found */
} event;

typedef struct engine engine;

struct engine {
    /* What it does; all zero: two right implementations that take run_ns. */
    uint64_t run_ns[VARIANTS][CASES_MAX];
    uint64_t (*time)(const engine *e, uint32_t variant, uint32_t case_index, uint64_t run); /* NULL: run_ns */
    uint64_t initialize_ns;
    double weights[CASES_MAX]; /* 0 = 1 */
    uint32_t case_count;       /* 0 = 1 */
    bool candidate_has_no_output, candidate_is_strided, candidate_writes_nan, candidate_is_shorter, candidate_changes_x;
    sy_dtype candidate_dtype;
    float candidate_factor; /* 0 = 1 */
    bool brings_inputs, brings_other_inputs, declares_inputs_equivalent;
    bool compares, answers_by_shortcut;
    event_kind failing; /* the n-th such event fails; fail_at 0 = none does */
    uint64_t fail_at;
    /* What was seen. */
    event *events;
    size_t event_count, event_capacity;
    uint64_t counts[EVENT_KINDS];
    uint64_t runs[VARIANTS][CASES_MAX];
    uint64_t states, states_released;
    bool inputs_are_poor; /* not finite, or all alike */
    bool initialized_without_memory;
    sy_probe_phase phase;
    uint64_t shortcuts;
    /* What it runs on. */
    sy_device *device;
    sy_backend spy;
    sy_clock clock;
    const sy_clock *device_clock;
    const sy_backend *backend;
};

static engine *at_work; /* the backend's functions are not told */

/* Notes an event; SY_IO where it is the one that is to fail. */
static inline sy_status take_event(engine *e, event_kind kind, uint32_t variant, uint32_t case_index, sy_error *err)
{
    if (e->event_count == e->event_capacity) {
        e->event_capacity = e->event_capacity ? 2 * e->event_capacity : 1024;
        e->events = realloc(e->events, e->event_capacity * sizeof *e->events);
        assert_non_null(e->events);
    }
    e->events[e->event_count++] = (event){kind, e->phase, variant, case_index, 0};
    if (++e->counts[kind] == e->fail_at && kind == e->failing)
        return sy_fail(err, SY_IO, "the test lets this fail");
    return SY_OK;
}

static inline sy_fake_device *fake_of(const engine *e)
{
    return (sy_fake_device *)e->device;
}

/* ---- the spy ---- */

static inline sy_status spied_allocate(sy_device *device, uint64_t size, sy_buffer **ret_buffer, sy_error *err)
{
    sy_status status = take_event(at_work, EVENT_ALLOCATE, 0, 0, err);
    return status ? status : at_work->backend->allocate(device, size, ret_buffer, err);
}

static inline sy_status spied_upload(sy_buffer *buffer, uint64_t offset, const void *bytes, uint64_t size,
                                     sy_error *err)
{
    sy_status status = take_event(at_work, EVENT_UPLOAD, 0, 0, err);
    return status ? status : at_work->backend->upload(buffer, offset, bytes, size, err);
}

static inline sy_status spied_synchronize(sy_device *device, sy_error *err)
{
    sy_status status = take_event(at_work, EVENT_WAIT, 0, 0, err);
    return status ? status : at_work->backend->synchronize(device, err);
}

static inline uint64_t spied_now(const sy_clock *clock)
{
    (void)clock;
    (void)take_event(at_work, EVENT_CLOCK, 0, 0, NULL);
    return sy_clock_now(at_work->device_clock);
}

/* ---- the suite ---- */

typedef struct work {
    engine *engine;
    uint32_t variant, case_index;
    sy_tensor *x, *y;
} work;

static inline void compute(const work *w)
{
    const engine *e = w->engine;
    float *x = sy_tensor_address(w->x);
    float *y = sy_tensor_address(w->y);
    const bool is_candidate = w->variant == CANDIDATE;
    const int64_t length = sy_tensor_description(w->y)->dims[0];
    const float factor = is_candidate && e->candidate_factor != 0 ? e->candidate_factor : 1;
    if (sy_tensor_description(w->y)->dtype != SY_F32)
        return;
    for (int64_t i = 0; i < length; i++)
        y[i] = factor * (3 * x[i] + 1);
    if (is_candidate && e->candidate_writes_nan)
        y[length - 1] = NAN;
    if (is_candidate && e->candidate_changes_x)
        x[0] += 1;
}

static inline void note_inputs(engine *e, const float *x)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    bool differ = false;
    for (size_t i = 0; i < N * sizeof *x; i++)
        sum = (sum ^ ((const uint8_t *)x)[i]) * UINT64_C(0x100000001b3);
    for (size_t i = 0; i < N; i++) {
        e->inputs_are_poor |= !isfinite(x[i]);
        differ |= x[i] != x[0];
    }
    e->inputs_are_poor |= !differ;
    e->events[e->event_count - 1].inputs = sum;
}

static inline sy_status run_work(void *state, sy_error *err)
{
    work *w = state;
    engine *e = w->engine;
    sy_status status = take_event(e, EVENT_RUN, w->variant, w->case_index, err);
    if (status)
        return status;
    const uint64_t run = ++e->runs[w->variant][w->case_index];
    note_inputs(e, sy_tensor_address(w->x));
    compute(w);
    sy_clock_manual_advance(&fake_of(e)->manual, e->time ? e->time(e, w->variant, w->case_index, run)
                                                         : e->run_ns[w->variant][w->case_index]);
    return SY_OK;
}

static inline void release_work(void *state)
{
    ((work *)state)->engine->states_released++;
}

static inline uint32_t number_of(const sy_case *c)
{
    return (uint32_t)(c->name[0] - '0');
}

static inline sy_status build_work(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    engine *e = user;
    const bool is_candidate = variant == CANDIDATE;
    sy_tensor_desc x = {.name = "x", .dtype = SY_F32, .rank = 1, .dims = {N}};
    sy_tensor_desc y = {.name = "y", .dtype = SY_F32, .rank = 1, .dims = {N}};
    work *w = sy_graph_metadata(graph, sizeof *w);
    if (!w)
        return sy_fail(err, SY_LIMIT_EXCEEDED, "no room in the metadata");
    *w = (work){e, variant, number_of(c), NULL, NULL};
    if (is_candidate && e->candidate_is_shorter)
        y.dims[0] = N - 1;
    if (is_candidate && e->candidate_is_strided)
        y.strides[0] = 2;
    if (is_candidate && e->candidate_dtype != SY_F32)
        y.dtype = e->candidate_dtype;
    sy_graph_on_run(graph, run_work, release_work, w);
    e->states++;
    sy_status status = take_event(e, EVENT_BUILD, variant, w->case_index, err);
    if (!status)
        status = sy_graph_input(graph, &x, &w->x, err);
    if (!status && !(is_candidate && e->candidate_has_no_output))
        status = sy_graph_output(graph, &y, &w->y, err);
    return status;
}

static inline sy_status initialize_work(void *user, const sy_case *c, uint32_t variant, uint64_t seed, sy_graph *graph,
                                        sy_error *err)
{
    engine *e = user;
    float x[N];
    sy_tensor *tensor = sy_graph_input_at(graph, 0);
    sy_status status = take_event(e, EVENT_INITIALIZE, variant, number_of(c), err);
    if (status)
        return status;
    e->initialized_without_memory |= sy_tensor_address(tensor) == NULL;
    for (uint32_t i = 0; i < N; i++)
        x[i] = (float)i * 0.25F + (float)(seed % 8) + (e->brings_other_inputs && variant == CANDIDATE ? 1 : 0);
    sy_clock_manual_advance(&fake_of(e)->manual, e->initialize_ns);
    return sy_tensor_write(tensor, 0, x, sizeof x, err);
}

/* Within a tenth: wider than the default. */
static inline sy_status compare_work(void *user, const sy_output *reference, const sy_output *candidate,
                                     sy_parity *ret_parity, sy_error *err)
{
    engine *e = user;
    const float *r = reference->bytes, *c = candidate->bytes;
    sy_status status = take_event(e, EVENT_COMPARE, 0, 0, err);
    if (status)
        return status;
    ret_parity->outcome = SY_PARITY_PASSED;
    for (size_t i = 0; i < N; i++)
        if (!(fabsf(c[i] - r[i]) <= 0.1F * fabsf(r[i])))
            ret_parity->outcome = SY_PARITY_FAILED;
    return SY_OK;
}

static inline sy_status answer_at_once(void *user, const sy_shortcut_question *question, sy_shortcut *ret_shortcut,
                                       sy_error *err)
{
    (void)question;
    (void)err;
    ((engine *)user)->shortcuts++;
    *ret_shortcut = (sy_shortcut){.implementation = "candidate", .evidence = "the test"};
    return SY_OK;
}

/* ---- a probe ---- */

#define ENGINE_SCRIPT(head)                                                                                  \
    "{\"schema\": \"steelyard.fake/1\", \"operation\": \"unused\", " head "\"cases\": [{\"name\": \"c\"}], " \
    "\"implementations\": [{\"name\": \"r\", \"role\": \"reference\", \"times\": [1]}]}"

static inline void open_engine(engine *e, const char *script)
{
    sy_error error = SY_ERROR_INIT;
    if (sy_fake_open(script, strlen(script), NULL, &e->device, &error))
        fail_msg("%s", error.what);
    e->backend = e->device->backend;
    e->spy = *e->backend;
    e->spy.allocate = spied_allocate;
    e->spy.upload = spied_upload;
    e->spy.synchronize = spied_synchronize;
    e->device_clock = e->device->clock;
    e->clock = *e->device_clock;
    e->clock.now_ns = spied_now;
    e->device->backend = &e->spy;
    e->device->clock = &e->clock;
    at_work = e;
}

static inline void close_engine(engine *e)
{
    sy_device_close(e->device);
    free(e->events);
    e->events = NULL;
}

typedef struct engine_suite {
    sy_implementation implementations[VARIANTS];
    sy_case cases[CASES_MAX];
    sy_suite suite;
} engine_suite;

static inline void describe_suite(engine *e, engine_suite *to)
{
    static const char *const names[CASES_MAX] = {"0", "1"};
    *to = (engine_suite){
        .implementations = {{.name = "reference", .role = SY_ROLE_REFERENCE, .summary = "", .how_to_get = ""},
                            {.name = "candidate", .role = SY_ROLE_CANDIDATE, .summary = "", .how_to_get = ""}}};
    to->implementations[REFERENCE].error_class = to->implementations[CANDIDATE].error_class = SY_CLASS_TOLERANCE;
    for (uint32_t i = 0; i < CASES_MAX; i++)
        to->cases[i] = (sy_case){
            .name = names[i],
            .weight = e->weights[i] > 0 ? e->weights[i] : 1,
            .dtype = SY_F32,
            .source = "here",
            .own_inputs = e->brings_inputs,
            .inputs_declared_equivalent = e->declares_inputs_equivalent,
            .tolerance = {.c = 16, .c_rms = 2, .accumulator = SY_F32, .absolute = NAN, .relative = NAN}};
    to->suite = (sy_suite){.struct_size = sizeof to->suite,
                           .operation = "own",
                           .version = "1",
                           .implementations = to->implementations,
                           .implementation_count = VARIANTS,
                           .cases = to->cases,
                           .case_count = e->case_count ? e->case_count : 1,
                           .build = build_work,
                           .initialize = e->brings_inputs ? initialize_work : NULL,
                           .compare = e->compares ? compare_work : NULL,
                           .shortcut = e->answers_by_shortcut ? answer_at_once : NULL,
                           .user = e};
}

static inline void note_phase(void *user, const sy_probe_progress *progress)
{
    ((engine *)user)->phase = progress->phase;
}

static inline bool is_stopped(void *user)
{
    return take_event(user, EVENT_ASKED, 0, 0, NULL) != SY_OK;
}

/* Weighs the two on an open engine. The seed is fixed, so that all of it is the same each time. */
static inline sy_status weigh_engine(engine *e, sy_probe_options options, sy_probe_result **ret_result, sy_error *err)
{
    engine_suite own;
    describe_suite(e, &own);
    options.seed = options.seed ? options.seed : 1;
    options.progress = note_phase;
    options.cancelled = is_stopped;
    options.user = e;
    return sy_probe(e->device, &own.suite, &options, ret_result, err);
}

/* The same on an ordinary device, opened here; the caller closes the engine and destroys the result. */
static inline sy_probe_result *weighed_engine(engine *e, const sy_probe_options *options)
{
    sy_probe_result *result = NULL;
    sy_error error = SY_ERROR_INIT;
    if (e->run_ns[REFERENCE][0] == 0)
        for (uint32_t i = 0; i < CASES_MAX; i++) {
            e->run_ns[REFERENCE][i] = 1000000;
            e->run_ns[CANDIDATE][i] = 900000;
        }
    open_engine(e, ENGINE_SCRIPT(""));
    if (weigh_engine(e, *options, &result, &error))
        fail_msg("%s", error.what);
    return result;
}

static inline void end_engine(engine *e, sy_probe_result *result)
{
    assert_int_equal(sy_graph_live_count(), 0);
    assert_int_equal(sy_fake_allocated_bytes(e->device), 0);
    assert_int_equal(e->states, e->states_released);
    sy_probe_result_destroy(result);
    close_engine(e);
}

static inline void expect_end(const sy_probe_result *r, sy_decision decision, const char *words)
{
    if (r->decision != decision || !strstr(r->error, words))
        fail_msg("%s: '%s'; expected %s with '%s'", sy_decision_word(r->decision), r->error, sy_decision_word(decision),
                 words);
}

/* A fixed number of pairs, decided by medians: what is decided does not matter where this is used. */
static inline sy_probe_options few_pairs(uint32_t pairs)
{
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    options.rule = SY_RULE_MEDIANS;
    options.max_pairs = pairs;
    options.warmup = 1;
    return options;
}

#endif
