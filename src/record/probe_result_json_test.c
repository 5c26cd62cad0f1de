/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the JSON form of a probe's result, against a file written by hand from docs/formats.md. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/record.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/fault.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"

static const sy_candidate_result candidates[] = {
    {.name = "blis",
     .role = SY_ROLE_CANDIDATE,
     .decision = SY_DECISION_WIN,
     .error_class = SY_CLASS_TOLERANCE,
     .gain = 0.051,
     .parity = SY_PARITY_QUALIFIED,
     .error_in_tolerances = 0.37,
     .memory_bytes = 1048576,
     .device_bytes = 3145728,
     .rounds = 1,
     .float_environment = "FTZ, DAZ",
     .info = {"BLIS 0.9.0", "/lib/libblis.so.4", 2}},
    {.name = "naive",
     .role = SY_ROLE_CANDIDATE,
     .decision = SY_DECISION_UNAVAILABLE,
     .reason = "library missing",
     .detail = "libnaive.so was not found",
     .error_class = SY_CLASS_EXACT,
     .gain = NAN,
     .error_in_tolerances = NAN},
};

static const sy_case_result cases[] = {
    {.name = "square-512",
     .weight = 2,
     .share = 0.75,
     .gain = 0.051,
     .reference_median_ns = 1000,
     .candidate_median_ns = 800,
     .flop_count = 268435456,
     .batch = 4,
     .copies = 12,
     .resolved = true,
     .parity = {.outcome = SY_PARITY_QUALIFIED,
                .error_in_tolerances = 0.37,
                .rms_in_tolerances = 0.5,
                .max_abs = 1e-6,
                .max_rel = 1e-4,
                .nmse = 1e-13,
                .worst_index = 17,
                .worst_expected = 1.5,
                .worst_found = 1.500001,
                .element_count = 262144,
                .against_oracle = true,
                .deterministic = true,
                .digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                .reference_digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                .input_digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}},
    {.name = "tall",
     .weight = 1,
     .left_out = "wall-limit",
     .predicted_wall_ns = 3.1e11,
     .share = 0.25,
     .gain = NAN,
     .reference_median_ns = 1000.5,
     .candidate_median_ns = NAN,
     .regression = true},
};

static const sy_sample samples[] = {
    {0, 0, 0, true, true, true, 1000, 800, NULL, 0, 2, 0},
    {1, 1, 1, false, false, false, 1000.5, NAN, "crashed", 1, SY_SWITCHES_UNKNOWN, SY_SWITCHES_UNKNOWN},
};

static const sy_process_result processes[] = {{8, 7, 0.05, true, {0.001, -0.003, 0.4}, 41},
                                              {7, 6, 0.053, false, {NAN, NAN, NAN}, 43}};

static const char *const notes[] = {"the seed was fixed by the caller", "a \"quoted\" note\nof two lines"};

static const sy_probe_condition condition = {.before = {3.5e9, 61.5, 0.25, 0},
                                             .after = {3.1e9, NAN, NAN, -1},
                                             .steal_share = 0.015,
                                             .pressure_share = NAN,
                                             .throttle_events = 3,
                                             .switches_known = true,
                                             .reference_switches = 4,
                                             .candidate_switches = 1,
                                             .preempted_pairs = 2};

static const sy_identity_field fields[] = {{"cpu.model", "85", true}, {"host.name", "bench-1", false}};

static sy_probe_result example_without_lists(void)
{
    return (sy_probe_result){
        .operation = "matmul",
        .backend = "cpu",
        .device = "Intel Xeon, 2 cores",
        .device_info = {.name = "cpu", .backend = "cpu", .threads = 2},
        .reference = "openblas",
        .reference_memory_bytes = 2097152,
        .reference_device_bytes = 4194304,
        .reference_scratch_bytes = 1024,
        .reference_info = {"OpenBLAS 0.3.21 SkylakeX", "/lib/libopenblas.so.0", 2},
        .winner = "blis",
        .decision = SY_DECISION_WIN,
        .completed = true,
        .candidate_faster = true,
        .gain = 0.051,
        .gain_low = 0.031,
        .gain_high = NAN,
        .total_gain = 0.05,
        .geometric_mean_gain = 0.049,
        .reference_total_ns = 3000.5,
        .candidate_total_ns = 2850,
        .e_value = 21.25,
        .pairs = 1,
        .wins = 1,
        .max_pairs = 60,
        .alpha = 0.05,
        .beta = 0.2,
        .min_improvement = 0.03,
        .margin = 0.03,
        .veto = 0.1,
        .seed = UINT64_MAX,
        .seed_fixed = true,
        .isolation = SY_ISOLATION_WORKER,
        .has_carry_over = true,
        .carry_over = {0.001, -0.002, 0.3},
        .resolvable_gain = NAN,
        .noise = 0.004,
        .timer = "CLOCK_MONOTONIC_RAW",
        .timer_resolution_ns = 1,
        .timed_slots = 987,
        .measured_ns = UINT64_C(123456789012),
        .wall_ns = UINT64_C(223456789012),
        .budget_ns = UINT64_C(20000000000),
        .wall_limit_ns = UINT64_C(45000000000),
        .identity = {fields, 2},
    };
}

static sy_probe_result example(void)
{
    sy_probe_result result = example_without_lists();
    result.notes = notes;
    result.note_count = 2;
    result.candidates = candidates;
    result.candidate_count = 2;
    result.cases = cases;
    result.case_count = 2;
    result.samples = samples;
    result.sample_count = 2;
    result.has_condition = true;
    result.condition = condition;
    result.cache = SY_CACHE_COLD;
    result.cache_bytes = 33554432;
    result.processes = 2;
    result.process_results = processes;
    result.process_count = 2;
    result.process_spread = (sy_process_spread){0.002, 0.004, 0.05, 0.053, NAN};
    return result;
}

static bool same_text(const sy_json_value *a, const sy_json_value *b)
{
    return a->text_length == b->text_length && memcmp(a->text, b->text, a->text_length) == 0;
}

/* The same kind, order of members and content. */
static void assert_same(const sy_json_value *found, const sy_json_value *expected)
{
    sy_text place = SY_TEXT_INIT;
    sy_json_pointer(expected, &place);
    if (found->kind != expected->kind || found->count != expected->count || !sy_text_equal(found->name, expected->name))
        fail_msg("%s: %s '%s' with %zu children", sy_text_bytes(&place), sy_json_kind_word(found->kind),
                 found->name != NULL ? found->name : "", found->count);
    if (expected->kind == SY_JSON_TEXT && !same_text(found, expected))
        fail_msg("%s: found '%.*s', expected '%.*s'", sy_text_bytes(&place), (int)found->text_length, found->text,
                 (int)expected->text_length, expected->text);
    if (expected->kind == SY_JSON_NUMBER && found->number != expected->number)
        fail_msg("%s: found %.17g, expected %.17g", sy_text_bytes(&place), found->number, expected->number);
    sy_text_finish(&place);
    const sy_json_value *b = expected->first;
    for (const sy_json_value *a = found->first; a != NULL; a = a->next, b = b->next)
        assert_same(a, b);
}

static sy_json *parse(const char *bytes, size_t size)
{
    sy_json *json = NULL;
    sy_error err = SY_ERROR_INIT;
    size_t findings = 0;
    if (sy_json_parse(bytes, size, NULL, &json, &err) != SY_OK)
        fail_msg("%s", err.what);
    (void)sy_json_findings(json, &findings);
    assert_int_equal(findings, 0);
    return json;
}

static sy_json *json_of(const sy_probe_result *result)
{
    char *text = NULL;
    assert_int_equal(sy_probe_result_to_json(result, &text, NULL), SY_OK);
    sy_json *json = parse(text, strlen(text));
    sy_text_free(text);
    return json;
}

static void a_result_is_written_as_the_example_of_the_format(void **state)
{
    (void)state;
    char *expected_bytes = NULL;
    size_t expected_size = 0;
    sy_error err = SY_ERROR_INIT;
    if (sy_file_read(STEELYARD_SOURCE_DIR "/tests/data/record/probe_result.json", 0, &expected_bytes, &expected_size,
                     &err) != SY_OK)
        fail_msg("%s", err.what);
    sy_probe_result result = example();
    sy_json *expected = parse(expected_bytes, expected_size);
    sy_json *found = json_of(&result);
    assert_same(sy_json_root(found), sy_json_root(expected));
    /* As text, since 2^64 - 1 as a double is 2^64. */
    const sy_json_value *seed = sy_json_member(sy_json_root(found), "seed");
    assert_int_equal(seed->text_length, 20);
    assert_memory_equal(seed->text, "18446744073709551615", 20);
    sy_json_destroy(found);
    sy_json_destroy(expected);
    sy_free(expected_bytes);
}

static void nothing_is_claimed_of_an_incomplete_probe(void **state)
{
    (void)state;
    sy_probe_result result = example();
    result.completed = false;
    result.candidate_faster = true; /* meaningless now, and must not be shown */
    result.decision = SY_DECISION_INCONCLUSIVE;
    result.reason = "budget";
    result.error = "the budget ended first";
    result.winner = NULL;
    result.has_carry_over = false;
    result.has_condition = false;
    result.gain = INFINITY;
    sy_json *json = json_of(&result);
    const sy_json_value *root = sy_json_root(json);
    assert_int_equal(sy_json_member(root, "candidate_faster")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(root, "winner")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(root, "carry_over")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(root, "condition")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(root, "gain")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(root, "completed")->kind, SY_JSON_FALSE);
    assert_string_equal(sy_json_member(root, "decision")->text, "inconclusive");
    assert_string_equal(sy_json_member(root, "reason")->text, "budget");
    assert_string_equal(sy_json_member(root, "error")->text, "the budget ended first");
    sy_json_destroy(json);
}

static void an_empty_result_is_still_a_whole_object(void **state)
{
    (void)state;
    const sy_probe_result result = {.decision = SY_DECISION_UNAVAILABLE, .gain = NAN};
    sy_json *json = json_of(&result);
    const sy_json_value *root = sy_json_root(json);
    static const char *const lists[] = {"notes", "candidates", "cases", "samples"};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(sy_json_member(root, lists[i])->kind, SY_JSON_ARRAY);
        assert_int_equal(sy_json_member(root, lists[i])->count, 0);
    }
    assert_int_equal(sy_json_member(root, "operation")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(root, "finalist")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(sy_json_member(root, "identity"), "key")->count, 0);
    sy_json_destroy(json);
}

static void values_that_are_no_times_are_never_called_nanoseconds(void **state)
{
    (void)state;
    sy_probe_result result = example();
    result.metric = (sy_metric){"line:score", "", true};
    sy_json *json = json_of(&result);
    const sy_json_value *root = sy_json_root(json);
    const sy_json_value *metric = sy_json_member(root, "metric");
    const sy_json_value *c = sy_json_element(sy_json_member(root, "cases"), 0);
    const sy_json_value *sample = sy_json_element(sy_json_member(root, "samples"), 0);
    assert_string_equal(sy_json_member(metric, "name")->text, "line:score");
    assert_string_equal(sy_json_member(metric, "better")->text, "higher");
    assert_int_equal(sy_json_member(root, "reference_total_ns")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(c, "reference_median_ns")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(c, "reference_median_value")->kind, SY_JSON_NUMBER);
    assert_int_equal(sy_json_member(sample, "candidate_ns")->kind, SY_JSON_NULL);
    assert_int_equal(sy_json_member(sample, "candidate_value")->kind, SY_JSON_NUMBER);
    sy_json_destroy(json);
}

static void the_text_is_indented_and_ends_with_one_newline(void **state)
{
    (void)state;
    sy_probe_result result = example();
    char *text = NULL;
    assert_int_equal(sy_probe_result_to_json(&result, &text, NULL), SY_OK);
    size_t length = strlen(text);
    assert_memory_equal(text, "{\n  \"schema\": \"steelyard.probe/1\",\n", 35);
    assert_memory_equal(text + length - 3, "\n}\n", 3);
    sy_text_free(text);
}

static void short_memory_gives_an_error_and_no_text(void **state)
{
    (void)state;
    sy_probe_result result = example();
    bool succeeded = false;
    uint64_t n = 1;
    for (; !succeeded && n < 1000; n++) {
        char *text = NULL;
        int64_t alive = sy_fault_live_allocations();
        sy_fault_fail_allocation(n, true);
        sy_status status = sy_probe_result_to_json(&result, &text, NULL);
        sy_fault_reset();
        succeeded = status == SY_OK;
        if (!succeeded) {
            assert_int_equal(status, SY_NO_MEMORY);
            assert_null(text);
        }
        sy_text_free(text);
        assert_int_equal(sy_fault_live_allocations(), alive);
    }
    assert_true(succeeded);
    assert_true(n > 3);
}

static void destroying_a_result_frees_its_arena_and_nothing_is_allowed(void **state)
{
    (void)state;
    int64_t alive = sy_fault_live_allocations();
    sy_arena *arena = sy_arena_create(0);
    sy_probe_result *result = sy_arena_allocate(arena, 1, sizeof *result);
    assert_non_null(result);
    result->owner = arena;
    assert_true(sy_fault_live_allocations() > alive);
    sy_probe_result_destroy(result);
    assert_int_equal(sy_fault_live_allocations(), alive);
    sy_probe_result_destroy(NULL);
    sy_text_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_is_written_as_the_example_of_the_format),
        cmocka_unit_test(nothing_is_claimed_of_an_incomplete_probe),
        cmocka_unit_test(an_empty_result_is_still_a_whole_object),
        cmocka_unit_test(values_that_are_no_times_are_never_called_nanoseconds),
        cmocka_unit_test(the_text_is_indented_and_ends_with_one_newline),
        cmocka_unit_test(short_memory_gives_an_error_and_no_text),
        cmocka_unit_test(destroying_a_result_frees_its_arena_and_nothing_is_allowed),
    };
    return cmocka_run_group_tests_name("probe_result_json", tests, NULL, NULL);
}
