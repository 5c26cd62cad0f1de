/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of a gate as JSON: docs/formats.md, "steelyard.gate-selftest/1". */
#include <math.h>
#include <stdio.h>
#include <steelyard/report.h>

#include "report/page/json_frame.h"

static void put_texts(sy_json_writer *writer, const char *name, const char *const *texts, size_t count)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++)
        sy_json_text(writer, texts[i]);
    sy_json_end_array(writer);
}

static void put_head(sy_json_writer *writer, const sy_ledger_head *head)
{
    sy_json_name(writer, "head");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "ledger", head->ledger);
    sy_json_member_u64(writer, "number", head->number);
    sy_json_member_text(writer, "sha256", head->digest);
    sy_json_end_object(writer);
}

static void put_metric(sy_json_writer *writer, const sy_judged_metric *metric)
{
    sy_json_name(writer, "metric");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "series", metric->series);
    sy_json_member_text(writer, "case", metric->case_name);
    sy_json_member_text(writer, "implementation", metric->implementation);
    sy_json_member_text(writer, "statistic", sy_statistic_word(metric->statistic));
    sy_json_member_text(writer, "unit", metric->unit);
    sy_json_member_text(writer, "better", metric->higher_is_better ? "higher" : "lower");
    sy_json_end_object(writer);
}

static void put_effect(sy_json_writer *writer, const sy_selftest_effect *effect)
{
    double trials = (double)effect->trial_count;

    sy_json_begin_object(writer);
    sy_json_member_double(writer, "ratio", effect->ratio);
    sy_json_member_u64(writer, "trials", effect->trial_count);
    sy_json_member_u64(writer, "alarms", effect->alarm_count);
    sy_json_member_u64(writer, "fails", effect->block_count);
    sy_json_member_double(writer, "alarm_rate", (double)effect->alarm_count / trials);
    sy_json_member_double(writer, "fail_rate", (double)effect->block_count / trials);
    sy_json_end_object(writer);
}

static void put_effects(sy_json_writer *writer, const sy_gate_selftest *test)
{
    sy_json_name(writer, "effects");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < test->effect_count; i++)
        put_effect(writer, &test->effects[i]);
    sy_json_end_array(writer);
}

/* How its trials were drawn, and what an unchanged key is promised. */
static void put_draw(sy_json_writer *writer, const sy_selftest_draw *draw, const sy_selftest_course *course)
{
    sy_json_member_u64(writer, "baseline_count", draw->baseline_count);
    sy_json_member_u64(writer, "new_count", draw->session_count);
    sy_json_member_bool(writer, "repeats", draw->repeats);
    sy_json_member_double(writer, "alarm_promised",
                          draw->baseline_count > 0 ? 1 / ((double)draw->baseline_count + 1) : NAN);
    sy_json_name(writer, "as_they_came");
    sy_json_begin_object(writer);
    sy_json_member_u64(writer, "judged", course->judged_count);
    sy_json_member_u64(writer, "alarms", course->raised_count);
    sy_json_member_double(writer, "expected", course->expected);
    sy_json_end_object(writer);
}

static void put_test(sy_json_writer *writer, const sy_selftested *tested, size_t i)
{
    const sy_gate_selftest *test = &tested->tests[i];
    char seed[24];

    snprintf(seed, sizeof(seed), "%llu", (unsigned long long)test->seed);
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "gate", test->gate);
    sy_json_member_text(writer, "key", test->key_digest);
    put_metric(writer, &test->metric);
    sy_json_member_u64(writer, "session_count", test->session_count);
    sy_json_member_text(writer, "seed", seed);
    sy_json_member_double(writer, "alpha", test->alpha);
    sy_json_member_double(writer, "delta", test->delta);
    put_draw(writer, &tested->draws[i], &tested->courses[i]);
    put_effects(writer, test);
    sy_json_member_double(writer, "visible_effect", test->visible_effect);
    sy_json_member_bool(writer, "can_fail", test->can_fail);
    sy_json_member_text(writer, "reason", test->reason[0] != '\0' ? test->reason : NULL);
    sy_json_end_object(writer);
}

sy_status sy_report_selftest_json(const sy_selftested *tested, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_frame_begin(&text, "steelyard.gate-selftest/1");

    sy_json_name(writer, "tests");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < tested->test_count; i++)
        put_test(writer, tested, i);
    sy_json_end_array(writer);
    put_texts(writer, "findings", tested->findings, tested->finding_count);
    put_texts(writer, "remarks", tested->remarks, tested->remark_count);
    if (tested->number > 0)
        sy_json_member_u64(writer, "number", tested->number);
    else
        sy_json_member_null(writer, "number");
    put_head(writer, &tested->head);
    return sy_json_frame_end(writer, &text, ret_json, err);
}
