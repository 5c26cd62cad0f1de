/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over tables of what is known of devices, on small tables of its own. */
#include "operations/policy.h"

#include "cmocka_headers.h"

#include <stdio.h>

enum { LENGTH, WIDTH, MEASURE_COUNT };

static const char *const measures[] = {"length", "width"};

static sy_status measure(const sy_case *c, double ret_values[SY_POLICY_MEASURES], sy_error *err)
{
    static const char *const names[] = {"length", "width"};
    for (size_t i = 0; i < MEASURE_COUNT; i++) {
        int64_t value;
        const sy_status status = sy_case_get(c, names[i], &value, err);
        if (status) {
            return status;
        }
        ret_values[i] = (double)value;
    }
    return SY_OK;
}

#define ROW(description_, implementation_, evidence_, ...)                                                           \
    {                                                                                                                \
        .backend = "ggml", .device = "ggml:CUDA*", .description = (description_), .dtypes = SY_POLICY_DTYPE(SY_F32), \
        .implementation = (implementation_), .evidence = (evidence_), .date = "2026-01-02", __VA_ARGS__              \
    }

static const sy_policy_row rows[] = {
    ROW("Big Card*|Bigger Card", "wide", "a report", .limit = "zeros from 100 on: a fault report",
        .ranges = {{10, 99}, {4, 8}}),
    ROW("Big Card*", "wide", "another report", .needs_less_memory = true, .ranges = {{1, 1}, {4, 8}}),
    ROW("Big Card*", "narrow", "a third report", .ranges = {{10, 99}, {1, 3}}),
    ROW("Threaded", "wide", "a fourth report", .threads = 2, .ranges = {{1, 99}, {1, 8}}),
};

static const sy_policy policy = {
    .rows = rows, .row_count = 4, .measures = measures, .measure_count = MEASURE_COUNT, .measure = measure};

typedef struct setting {
    sy_device_info device;
    sy_case_property properties[4];
    sy_case cases[2];
    sy_shortcut_question question;
} setting;

/* One case; a second one joins when its length is not 0. */
static void set(setting *s, const char *description, int64_t length, int64_t width, int64_t other_length,
                int64_t other_width)
{
    *s = (setting){
        .device = {.name = "ggml:CUDA0", .backend = "ggml"},
        .properties = {{"length", length}, {"width", width}, {"length", other_length}, {"width", other_width}},
        .cases = {{.name = "first", .weight = 1, .dtype = SY_F32, .property_count = 2},
                  {.name = "second", .weight = 2, .dtype = SY_F32, .property_count = 2}}};
    (void)snprintf(s->device.description, sizeof s->device.description, "%s", description);
    s->cases[0].properties = s->properties;
    s->cases[1].properties = s->properties + 2;
    s->question = (sy_shortcut_question){
        .device = &s->device, .cases = s->cases, .case_count = other_length != 0 ? 2 : 1};
}

static void expect(setting *s, const char *implementation, const char *evidence)
{
    sy_shortcut answer;
    sy_policy_answer(&policy, &s->question, &answer);
    if (!answer.implementation) {
        fail_msg("no answer: %s", answer.reason);
    }
    assert_string_equal(answer.implementation, implementation);
    assert_string_equal(answer.evidence, evidence);
    assert_string_equal(answer.date, "2026-01-02");
    assert_string_equal(answer.reason, "");
}

static void expect_none(setting *s, const char *reason)
{
    sy_shortcut answer;
    sy_policy_answer(&policy, &s->question, &answer);
    assert_null(answer.implementation);
    assert_null(answer.evidence);
    assert_string_equal(answer.reason, reason);
}

static void a_shape_inside_a_row_is_answered_with_its_evidence(void **state)
{
    (void)state;
    setting s;
    set(&s, "Big Card 12 GB", 10, 4, 0, 0);
    expect(&s, "wide", "a report");
    set(&s, "Big Card", 99, 8, 0, 0);
    expect(&s, "wide", "a report");
    set(&s, "Bigger Card", 50, 5, 0, 0);
    expect(&s, "wide", "a report");
    set(&s, "Big Card", 50, 2, 0, 0);
    expect(&s, "narrow", "a third report");
}

static void a_shape_beyond_the_largest_proven_one_is_not_assumed(void **state)
{
    (void)state;
    setting s;
    set(&s, "Big Card", 100, 5, 0, 0);
    expect_none(&s, "case 'first': length 100 is above the largest proven one, 99 (zeros from 100 on: a fault report)");
    set(&s, "Big Card", 50, 9, 0, 0);
    expect_none(&s, "case 'first': width 9 is above the largest proven one, 8 (zeros from 100 on: a fault report)");
    set(&s, "Big Card", 50, 0, 0, 0);
    expect_none(&s, "case 'first': width 0 is below the least proven one, 4 (a report)");
}

static void an_unknown_device_has_neither_answer_nor_reason(void **state)
{
    (void)state;
    setting s;
    set(&s, "Small Card", 50, 5, 0, 0);
    expect_none(&s, "");
    set(&s, "A Big Card", 50, 5, 0, 0); /* the pattern is of the whole description */
    expect_none(&s, "");
    set(&s, "Bigger Card 2", 50, 5, 0, 0);
    expect_none(&s, "");
    set(&s, "Big Card", 50, 5, 0, 0);
    (void)snprintf(s.device.name, sizeof s.device.name, "ggml:Vulkan0");
    expect_none(&s, "");
    set(&s, "Big Card", 50, 5, 0, 0);
    (void)snprintf(s.device.backend, sizeof s.device.backend, "cpu");
    expect_none(&s, "");
}

static void all_cases_must_be_answered_alike(void **state)
{
    (void)state;
    setting s;
    set(&s, "Big Card", 50, 5, 1, 5);
    expect(&s, "wide", "another report"); /* of the heavier case */
    set(&s, "Big Card", 50, 5, 50, 2);
    expect_none(&s, "wide is known to be best for some of the cases, narrow for 'second': ask for each by itself");
    set(&s, "Big Card", 50, 5, 500, 5);
    expect_none(&s,
                "case 'second': length 500 is above the largest proven one, 99 (zeros from 100 on: a fault report)");
}

static void settings_that_nothing_was_shown_of_are_not_assumed(void **state)
{
    (void)state;
    setting s;
    set(&s, "Threaded", 50, 5, 0, 0);
    s.device.threads = 2;
    expect(&s, "wide", "a fourth report");
    s.device.threads = 4;
    expect_none(&s, "case 'first': shown with 2 threads alone, not with 4 (a fourth report)");
    set(&s, "Big Card", 50, 5, 0, 0);
    s.question.cache = SY_CACHE_COLD;
    expect_none(&s, "case 'first': nothing was shown of cold buffers (a report)");
    set(&s, "Big Card", 50, 5, 0, 0);
    s.cases[0].dtype = SY_F16;
    expect_none(&s, "case 'first': nothing was shown of f16 (a report)");
}

static void who_prefers_memory_is_answered_where_memory_was_shown(void **state)
{
    (void)state;
    setting s;
    set(&s, "Big Card", 1, 5, 0, 0);
    s.question.prefer = SY_PREFER_MEMORY;
    expect(&s, "wide", "another report");
    set(&s, "Bigger Card", 50, 5, 0, 0);
    s.question.prefer = SY_PREFER_MEMORY;
    expect_none(&s, "case 'first': nothing was shown of memory (a report)");
}

static void a_case_without_a_shape_is_a_reason(void **state)
{
    (void)state;
    setting s;
    set(&s, "Big Card", 50, 5, 0, 0);
    s.cases[0].property_count = 1;
    expect_none(&s, "case 'first' has no property 'width'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shape_inside_a_row_is_answered_with_its_evidence),
        cmocka_unit_test(a_shape_beyond_the_largest_proven_one_is_not_assumed),
        cmocka_unit_test(an_unknown_device_has_neither_answer_nor_reason),
        cmocka_unit_test(all_cases_must_be_answered_alike),
        cmocka_unit_test(settings_that_nothing_was_shown_of_are_not_assumed),
        cmocka_unit_test(who_prefers_memory_is_answered_where_memory_was_shown),
        cmocka_unit_test(a_case_without_a_shape_is_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
