/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the words: files and scripts depend on each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/record.h>

#include <cmocka.h>

static void the_words_are_the_documented_ones(void **state)
{
    (void)state;
    assert_string_equal(sy_role_word(SY_ROLE_ORACLE), "oracle");
    assert_string_equal(sy_role_word(SY_ROLE_REFERENCE), "reference");
    assert_string_equal(sy_role_word(SY_ROLE_CANDIDATE), "candidate");
    assert_string_equal(sy_error_class_word(SY_CLASS_EXACT), "exact");
    assert_string_equal(sy_error_class_word(SY_CLASS_TOLERANCE), "tolerance");
    assert_string_equal(sy_error_class_word(SY_CLASS_APPROXIMATE), "approximate");
    assert_string_equal(sy_error_class_word(SY_CLASS_NONDETERMINISTIC), "nondeterministic");
    assert_string_equal(sy_question_word(SY_QUESTION_FASTER), "faster");
    assert_string_equal(sy_question_word(SY_QUESTION_NOT_SLOWER), "not-slower");
    assert_string_equal(sy_preference_word(SY_PREFER_SPEED), "speed");
    assert_string_equal(sy_preference_word(SY_PREFER_MEMORY), "memory");
    assert_string_equal(sy_preference_word((sy_preference)2), "unknown");
    assert_string_equal(sy_rule_kind_word(SY_RULE_CAPPED), "capped");
    assert_string_equal(sy_rule_kind_word(SY_RULE_MEDIANS), "medians");
    assert_string_equal(sy_isolation_word(SY_ISOLATION_WORKER), "worker");
    assert_string_equal(sy_isolation_word(SY_ISOLATION_PROCESS), "process");
    assert_string_equal(sy_isolation_word(SY_ISOLATION_NONE), "none");
    assert_string_equal(sy_cache_state_word(SY_CACHE_HOT), "hot");
    assert_string_equal(sy_cache_state_word(SY_CACHE_COLD), "cold");
    assert_string_equal(sy_device_kind_word(SY_DEVICE_UNKNOWN), "unknown");
    assert_string_equal(sy_device_kind_word(SY_DEVICE_CPU), "cpu");
    assert_string_equal(sy_device_kind_word(SY_DEVICE_GPU), "gpu");
    assert_string_equal(sy_device_kind_word(SY_DEVICE_INTEGRATED_GPU), "integrated-gpu");
    assert_string_equal(sy_device_kind_word(SY_DEVICE_ACCELERATOR), "accelerator");
    assert_string_equal(sy_parity_outcome_word(SY_PARITY_NOT_PERFORMED), "not-performed");
    assert_string_equal(sy_parity_outcome_word(SY_PARITY_PASSED), "passed");
    assert_string_equal(sy_parity_outcome_word(SY_PARITY_QUALIFIED), "qualified");
    assert_string_equal(sy_parity_outcome_word(SY_PARITY_FAILED), "failed");
}

static void each_decision_has_its_word_completeness_and_exit_code(void **state)
{
    (void)state;
    static const struct {
        sy_decision decision;
        const char *word;
        bool completed;
        int exit_code;
    } rows[] = {
        {SY_DECISION_WIN, "win", true, 0},
        {SY_DECISION_NO_GAIN, "no-gain", true, 0},
        {SY_DECISION_TIE, "tie", true, 0},
        {SY_DECISION_NOT_SLOWER, "not-slower", true, 0},
        {SY_DECISION_SLOWER, "slower", true, 1},
        {SY_DECISION_INCONCLUSIVE, "inconclusive", false, 5},
        {SY_DECISION_PARITY_FAILED, "parity-failed", false, 1},
        {SY_DECISION_VACUOUS, "vacuous", false, 5},
        {SY_DECISION_UNAVAILABLE, "unavailable", false, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(sy_decision_word(rows[i].decision), rows[i].word);
        assert_int_equal(sy_decision_completed(rows[i].decision), rows[i].completed);
        assert_int_equal(sy_decision_exit_code(rows[i].decision), rows[i].exit_code);
    }
}

static void a_value_outside_a_list_is_unknown_and_no_success(void **state)
{
    (void)state;
    assert_string_equal(sy_role_word((sy_role)3), "unknown");
    assert_string_equal(sy_error_class_word((sy_error_class)-1), "unknown");
    assert_string_equal(sy_question_word((sy_question)2), "unknown");
    assert_string_equal(sy_rule_kind_word((sy_rule_kind)2), "unknown");
    assert_string_equal(sy_isolation_word((sy_isolation)3), "unknown");
    assert_string_equal(sy_cache_state_word((sy_cache_state)2), "unknown");
    assert_string_equal(sy_device_kind_word((sy_device_kind)5), "unknown");
    assert_string_equal(sy_parity_outcome_word((sy_parity_outcome)4), "unknown");
    assert_string_equal(sy_decision_word((sy_decision)9), "unknown");
    assert_false(sy_decision_completed((sy_decision)9));
    assert_int_not_equal(sy_decision_exit_code((sy_decision)9), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_words_are_the_documented_ones),
        cmocka_unit_test(each_decision_has_its_word_completeness_and_exit_code),
        cmocka_unit_test(a_value_outside_a_list_is_unknown_and_no_success),
    };
    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
