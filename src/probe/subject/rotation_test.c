/* SPDX-License-Identifier: Apache-2.0 */
/* Cold buffers: how many copies there are, that runs take them in turn with the same content, that all are admitted,
 * changed and checked, and that parity sees what the last run wrote. No clock is asked what is colder. */
#include "probe_support.h"

#include <math.h>

#include "backends/graph.h"
#include "base/memory.h"
#include "operations/suite.h"
#include "probe/subject/rotation.h"
#include "probe/subject/subject.h"

#define N 1024
#define SEEN_MAX 4096
#define ONE_COPY (2 * N * sizeof(float)) /* one input, one output */

/* What the candidate's runs were given. */
typedef struct watched {
    const void *inputs[SEEN_MAX];
    const void *outputs[SEEN_MAX];
    size_t runs;
    float first_values[SEEN_MAX]; /* of the input */
    bool memoises;                /* answers each buffer's first input for ever */
    bool writes_beyond;           /* in one copy alone: the second that it meets */
} watched;

typedef struct watched_work {
    watched *seen;
    uint32_t variant;
    sy_tensor *x;
    sy_tensor *y;
    float *kept;
} watched_work;

static sy_status run(void *state, sy_error *err)
{
    watched_work *w = state;
    const float *x = sy_tensor_address(w->x);
    float *y = sy_tensor_address(w->y);
    (void)err;
    if (w->variant == 1 && w->seen->runs < SEEN_MAX) {
        w->seen->inputs[w->seen->runs] = x;
        w->seen->outputs[w->seen->runs] = y;
        w->seen->first_values[w->seen->runs++] = x[0] + x[N - 1];
    }
    for (int i = 0; i < N; i++)
        y[i] = 2 * x[i];
    if (w->variant == 1 && w->seen->memoises) {
        if (isnan(w->kept[0]))
            memcpy(w->kept, y, N * sizeof(float));
        memcpy(y, w->kept, N * sizeof(float));
    }
    if (w->variant == 1 && w->seen->writes_beyond && w->seen->runs > 60 && x != w->seen->inputs[0])
        y[N] = 0;
    return SY_OK;
}

static sy_status build(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    watched *seen = user;
    const sy_tensor_desc desc = {.name = "x", .dtype = SY_F32, .rank = 1, .dims = {N}};
    watched_work *w = sy_graph_metadata(graph, sizeof(*w));
    (void)c;
    assert_non_null(w);
    *w = (watched_work){.seen = seen, .variant = variant};
    w->kept = seen->memoises ? sy_graph_metadata(graph, N * sizeof(float)) : NULL;
    if (w->kept)
        w->kept[0] = NAN;
    sy_status status = sy_graph_input(graph, &desc, &w->x, err);
    if (!status)
        status = sy_graph_output(graph, &desc, &w->y, err);
    sy_graph_on_run(graph, run, NULL, w);
    return status;
}

static sy_status oracle(void *user, const sy_case *c, const sy_oracle_request *request, sy_error *err)
{
    (void)user;
    (void)c;
    (void)err;
    for (uint64_t k = 0; k < request->count; k++) {
        const float *x = request->inputs[0].bytes;
        uint64_t i = request->indices ? request->indices[k] : k;
        request->values[k] = 2 * (double)x[i];
        request->scales[k] = fabs(request->values[k]);
    }
    return SY_OK;
}

static const sy_implementation implementations[] = {
    {.name = "r", .role = SY_ROLE_REFERENCE, .error_class = SY_CLASS_EXACT, .summary = "", .how_to_get = ""},
    {.name = "c", .role = SY_ROLE_CANDIDATE, .error_class = SY_CLASS_EXACT, .summary = "", .how_to_get = ""}};

static const sy_case only = {
    .name = "only",
    .weight = 1,
    .dtype = SY_F32,
    .source = "here",
    .tolerance = {.c = 16, .c_rms = 2, .accumulator = SY_F32, .absolute = NAN, .relative = NAN}};

static sy_suite suite_of(watched *seen)
{
    return (sy_suite){.struct_size = sizeof(sy_suite),
                      .operation = "twice",
                      .version = "1",
                      .implementations = implementations,
                      .implementation_count = 2,
                      .cases = &only,
                      .case_count = 1,
                      .build = build,
                      .oracle = oracle,
                      .user = seen};
}

/* In this process, on the processor, with a fixed number of pairs. */
static sy_probe_result *weigh_cold(watched *seen, uint64_t cache_bytes)
{
    sy_suite suite = suite_of(seen);
    sy_probe_options options = SY_PROBE_OPTIONS_INIT;
    sy_probe_result *result = NULL;
    sy_device *device = NULL;
    sy_error err = SY_ERROR_INIT;
    options.rule = SY_RULE_MEDIANS;
    options.max_pairs = 6;
    options.warmup = 1;
    options.cache = cache_bytes > 0 ? SY_CACHE_COLD : SY_CACHE_HOT;
    options.cache_bytes = cache_bytes;
    assert_int_equal(sy_device_open("cpu", NULL, &device, &err), SY_OK);
    if (sy_probe(device, &suite, &options, &result, &err) != SY_OK)
        fail_msg("%s", err.what);
    sy_device_close(device);
    return result;
}

static size_t distinct(const void *const *seen, size_t from, size_t count)
{
    size_t found = 0;
    for (size_t i = from; i < from + count; i++) {
        bool there = false;
        for (size_t j = from; j < i; j++)
            there |= seen[j] == seen[i];
        found += !there;
    }
    return found;
}

static void hot_runs_have_the_same_buffers_each_time(void **state)
{
    (void)state;
    static watched seen;
    seen = (watched){.runs = 0};
    sy_probe_result *result = weigh_cold(&seen, 0);
    assert_int_equal(result->cache, SY_CACHE_HOT);
    assert_int_equal(result->cases[0].copies, 1);
    assert_true(seen.runs > 20);
    assert_int_equal(distinct(seen.inputs, 0, seen.runs), 1);
    sy_probe_result_destroy(result);
}

/* Ten copies: nine hold exactly three caches, which is not more than three. */
static void cold_runs_take_all_copies_in_turn_with_the_same_content(void **state)
{
    (void)state;
    static watched seen;
    seen = (watched){.runs = 0};
    int64_t graphs = sy_graph_live_count();
    sy_probe_result *result = weigh_cold(&seen, 3 * ONE_COPY);
    assert_int_equal(result->cache, SY_CACHE_COLD);
    assert_int_equal(result->cache_bytes, 3 * ONE_COPY);
    assert_int_equal(result->cases[0].copies, 10);
    assert_int_equal(result->decision == SY_DECISION_PARITY_FAILED, false);
    size_t first = 1; /* parity has the case's own buffers alone, up to the first timed run */
    while (first < seen.runs && seen.inputs[first] == seen.inputs[0])
        first++;
    assert_true(first >= 3);
    assert_true(seen.runs - first > 30);
    for (size_t i = first; i + 10 <= seen.runs; i++) {
        assert_int_equal(distinct(seen.inputs, i, 10), 10);
        assert_int_equal(distinct(seen.outputs, i, 10), 10);
    }
    for (size_t i = first; i + 10 < seen.runs; i++)
        assert_ptr_equal(seen.inputs[i], seen.inputs[i + 10]);
    assert_int_equal(sy_graph_live_count(), graphs);
    sy_probe_result_destroy(result);
}

/* An answer remembered a buffer is right as long as nothing in it changes: the change of inputs reaches every copy. */
static void an_answer_remembered_in_each_copy_is_found(void **state)
{
    (void)state;
    static watched seen;
    seen = (watched){.memoises = true};
    sy_probe_result *result = weigh_cold(&seen, ONE_COPY);
    assert_int_equal(result->cases[0].copies, 4);
    assert_int_equal(result->decision, SY_DECISION_PARITY_FAILED);
    sy_probe_result_destroy(result);
}

static void a_write_beyond_one_copy_is_found(void **state)
{
    (void)state;
    static watched seen;
    seen = (watched){.writes_beyond = true};
    sy_probe_result *result = weigh_cold(&seen, ONE_COPY);
    assert_int_equal(result->decision, SY_DECISION_PARITY_FAILED);
    assert_non_null(strstr(result->error, "past the end of output"));
    sy_probe_result_destroy(result);
}

/* ---- the subject ---- */

static void a_slot_changes_every_copy_and_a_fill_begins_anew(void **state)
{
    (void)state;
    static watched seen;
    seen = (watched){.runs = 0};
    sy_suite suite = suite_of(&seen);
    sy_device *device = NULL;
    sy_subject *subject = NULL;
    sy_subject_shape shape;
    sy_subject_run ran;
    uint64_t checksum;
    assert_int_equal(sy_device_open("cpu", NULL, &device, NULL), SY_OK);
    assert_int_equal(sy_subject_create_local(device, &suite, 1, 1 << 16, &subject, NULL), SY_OK);
    subject->working_set_bytes = 3 * ONE_COPY;
    const sy_subject_table *table = subject->table;
    assert_int_equal(table->build(subject, 0, &shape, NULL), SY_OK);
    assert_int_equal(shape.copies, 4);
    assert_int_equal(shape.memory_bytes, ONE_COPY + 2 * SY_GRAPH_CANARY_BYTES); /* of one */
    assert_int_equal(table->allocate(subject, 0, NULL), SY_OK);
    assert_int_equal(table->fill(subject, 0, SY_FILL_REAL, false, 7, &checksum, NULL), SY_OK);
    assert_int_equal(table->run(subject, 0, 0xff, &ran, NULL), SY_OK);
    const void *own = seen.inputs[0];
    const sy_slot slots[] = {{.count = 4, .change = 11, .seed = 7}, {.count = 4, .change = 12, .seed = 7}};
    for (size_t s = 0; s < 2; s++) {
        seen.runs = 0;
        assert_int_equal(table->slot(subject, &slots[s], &ran, NULL), SY_OK);
        assert_int_equal(seen.runs, 4);
        assert_int_equal(distinct(seen.inputs, 0, 4), 4);
        for (size_t i = 0; i < 4; i++)
            assert_memory_equal(seen.inputs[i], seen.inputs[0], N * sizeof(float));
    }
    float output[N];
    assert_int_equal(table->read(subject, 0, true, 0, output, sizeof(output), NULL), SY_OK);
    assert_memory_equal(output, seen.outputs[3], sizeof(output)); /* of the last run */
    assert_int_equal(table->fill(subject, 0, SY_FILL_REAL, false, 8, &checksum, NULL), SY_OK);
    seen.runs = 0;
    assert_int_equal(table->run(subject, 0, 0xff, &ran, NULL), SY_OK); /* a checked run has the first copy */
    assert_ptr_equal(seen.inputs[0], own);
    assert_int_equal(ran.input_checksum, checksum);
    assert_int_equal(table->slot(subject, &slots[0], &ran, NULL), SY_OK);
    for (size_t i = 1; i < 5; i++)
        assert_memory_equal(seen.inputs[i], seen.inputs[1], N * sizeof(float));
    assert_int_equal(table->inspect(subject, 0, &ran, NULL), SY_OK);
    assert_true(ran.canaries_intact);
    sy_subject_destroy(subject);
    sy_device_close(device);
}

static void a_slot_without_runs_only_makes_the_copies(void **state)
{
    (void)state;
    static watched seen;
    seen = (watched){.runs = 0};
    sy_suite suite = suite_of(&seen);
    sy_device *device = NULL;
    sy_subject *subject = NULL;
    sy_subject_shape shape;
    sy_subject_run ran;
    uint64_t checksum;
    int64_t graphs = sy_graph_live_count();
    assert_int_equal(sy_device_open("cpu", NULL, &device, NULL), SY_OK);
    assert_int_equal(sy_subject_create_local(device, &suite, 1, 1 << 16, &subject, NULL), SY_OK);
    subject->working_set_bytes = 3 * ONE_COPY;
    assert_int_equal(subject->table->build(subject, 0, &shape, NULL), SY_OK);
    assert_int_equal(subject->table->allocate(subject, 0, NULL), SY_OK);
    assert_int_equal(subject->table->fill(subject, 0, SY_FILL_REAL, false, 7, &checksum, NULL), SY_OK);
    assert_int_equal(sy_graph_live_count(), graphs + 1); /* lazily: parity needs no copies */
    const sy_slot none = {.change = SY_SUBJECT_NO_CHANGE};
    assert_int_equal(subject->table->slot(subject, &none, &ran, NULL), SY_OK);
    assert_int_equal(sy_graph_live_count(), graphs + 4);
    assert_int_equal(seen.runs, 0);
    assert_int_equal(subject->table->restart(subject, NULL), SY_OK);
    assert_int_equal(sy_graph_live_count(), graphs);
    sy_subject_destroy(subject);
    sy_device_close(device);
}

/* ---- admission, on the fake device ---- */

static sy_probe_options cold(uint64_t cache_bytes)
{
    sy_probe_options options = seeded(1);
    options.cache = SY_CACHE_COLD;
    options.cache_bytes = cache_bytes;
    return options;
}

#define WIDE "\"device\": {\"memory_bytes\": 3000000},"

static void copies_are_admitted_before_they_are_made(void **state)
{
    (void)state;
    /* 64 elements, three vectors: 768 bytes a copy and its canaries; 1 MiB of cache is 4,097 of them */
    sy_probe_options options = cold(1 << 18);
    weighed w = weigh(SCRIPT_WITH(WIDE, REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_int_equal(w.result->cases[0].copies, 1025);
    finish(&w);
    options = cold((1 << 20) - 1024);
    w = weigh(SCRIPT_WITH(WIDE, REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "memory");
    assert_non_null(strstr(w.result->error, "copies of cold buffers included"));
    finish(&w);
}

static void a_case_that_would_need_too_many_copies_is_refused(void **state)
{
    (void)state;
    sy_probe_options options = cold(1 << 20);
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_UNAVAILABLE, "limit");
    assert_non_null(
        strstr(w.result->error, "cold buffers: 4097 copies of 768 B would exceed 3 MiB, at most 4096 are made"));
    finish(&w);
}

static void a_cache_that_nobody_knows_is_asked_for(void **state)
{
    (void)state;
    static const sy_identity_field fields[] = {{"cpu.cache.l2", "64 KiB x 2 (0, 1 apart)", true},
                                               {"cpu.cache.l3", "unknown", true}};
    static const sy_identity unknown = {fields, 2};
    static const sy_identity known = {fields, 1};
    sy_probe_options options = cold(0);
    for (int identity = 0; identity < 2; identity++) {
        options.identity = identity == 0 ? NULL : &unknown;
        weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
        assert_int_equal(w.status, SY_INVALID_ARGUMENT);
        assert_non_null(strstr(w.err.what, "the size of the last-level cache is not known"));
        finish(&w);
    }
    options.identity = &known;
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_int_equal(w.result->cache_bytes, 128 * 1024);
    assert_int_equal(w.result->cases[0].copies, 513);
    finish(&w);
}

static void a_size_without_cold_buffers_and_other_states_are_refused(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.cache_bytes = 4096;
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    assert_int_equal(w.status, SY_INVALID_ARGUMENT);
    finish(&w);
    options.cache = (sy_cache_state)2;
    w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    assert_int_equal(w.status, SY_INVALID_ARGUMENT);
    finish(&w);
    options = cold(UINT64_MAX / 2);
    w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    assert_int_equal(w.status, SY_INVALID_ARGUMENT);
    finish(&w);
}

static void workers_rotate_too_and_over_several_processes(void **state)
{
    const char *self_path = *state;
    sy_probe_options options = cold(1 << 14);
    options.worker_path = self_path;
    options.processes = 2;
    weighed w = weigh(SCRIPT_WITH("\"isolation\": \"worker\",", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    expect_decision(&w, SY_DECISION_WIN, "");
    assert_int_equal(w.result->isolation, SY_ISOLATION_WORKER);
    assert_int_equal(w.result->cases[0].copies, 65);
    /* the peak of the device's memory was that of the copies */
    assert_true(w.result->candidates[0].memory_bytes >= 65 * 768);
    finish(&w);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hot_runs_have_the_same_buffers_each_time),
        cmocka_unit_test(cold_runs_take_all_copies_in_turn_with_the_same_content),
        cmocka_unit_test(an_answer_remembered_in_each_copy_is_found),
        cmocka_unit_test(a_write_beyond_one_copy_is_found),
        cmocka_unit_test(a_slot_changes_every_copy_and_a_fill_begins_anew),
        cmocka_unit_test(a_slot_without_runs_only_makes_the_copies),
        cmocka_unit_test(copies_are_admitted_before_they_are_made),
        cmocka_unit_test(a_case_that_would_need_too_many_copies_is_refused),
        cmocka_unit_test(a_cache_that_nobody_knows_is_asked_for),
        cmocka_unit_test(a_size_without_cold_buffers_and_other_states_are_refused),
        cmocka_unit_test_prestate(workers_rotate_too_and_over_several_processes, argv[0]),
    };
    if (argc > 1 && strcmp(argv[1], "worker") == 0)
        return sy_worker_main(argc - 1, argv + 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
