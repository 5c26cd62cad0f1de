/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of verdicts that still stand against a run: each question is settled by its own answers alone. */
#include "cmocka_headers.h"

#include "evidence/open_alarm.h"

static sy_run_verdict said(sy_comparison_mode mode, const char *baseline_key, sy_judgement_word word)
{
    return (sy_run_verdict){.mode = mode, .baseline_key = baseline_key, .word = word};
}

static sy_run run_of(const sy_run_verdict *verdicts, size_t count)
{
    return (sy_run){.verdicts = verdicts, .verdict_count = count};
}

static void a_pass_against_a_slower_revision_leaves_the_block_of_the_own_key(void **state)
{
    (void)state;
    const sy_run_verdict verdicts[] = {
        said(SY_COMPARISON_SAME_KEY, "own", SY_JUDGEMENT_BLOCK),
        said(SY_COMPARISON_REVISION, "slow", SY_JUDGEMENT_PASS),
    };
    sy_run run = run_of(verdicts, 2);
    assert_int_equal(sy_open_alarm(&run, NULL), 1);
    assert_int_equal(sy_open_alarm(&run, &verdicts[0]), 0);
    assert_ptr_equal(sy_verdict_of_own_key(&run), &verdicts[0]);
}

static void a_pass_against_a_slower_revision_leaves_the_block_of_a_faster_one(void **state)
{
    (void)state;
    const sy_run_verdict verdicts[] = {
        said(SY_COMPARISON_REVISION, "fast", SY_JUDGEMENT_INVESTIGATE),
        said(SY_COMPARISON_SAME_KEY, "own", SY_JUDGEMENT_NO_BASELINE),
        said(SY_COMPARISON_REVISION, "slow", SY_JUDGEMENT_PASS),
        said(SY_COMPARISON_REVISIONS, "", SY_JUDGEMENT_PASS),
    };
    sy_run run = run_of(verdicts, 4);
    assert_int_equal(sy_open_alarm(&run, NULL), 1);
    assert_int_equal(sy_open_alarm(&run, &verdicts[0]), 0);
    assert_ptr_equal(sy_verdict_of_own_key(&run), &verdicts[1]);
}

static void an_alarm_is_settled_by_the_next_answer_to_its_own_question(void **state)
{
    (void)state;
    const sy_run_verdict verdicts[] = {
        said(SY_COMPARISON_REVISION, "fast", SY_JUDGEMENT_INVESTIGATE),
        said(SY_COMPARISON_SAME_KEY, "own", SY_JUDGEMENT_INVESTIGATE),
        said(SY_COMPARISON_REVISION, "fast", SY_JUDGEMENT_PASS),
        said(SY_COMPARISON_SAME_KEY, "own", SY_JUDGEMENT_PASS),
        said(SY_COMPARISON_REVISION, "fast", SY_JUDGEMENT_BLOCK),
    };
    for (size_t count = 0; count <= 5; count++) {
        static const int open[] = {0, 1, 2, 2, 0, 5}; /* with so many of them */
        sy_run run = run_of(verdicts, count);
        assert_int_equal(sy_open_alarm(&run, NULL), open[count]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_against_a_slower_revision_leaves_the_block_of_the_own_key),
        cmocka_unit_test(a_pass_against_a_slower_revision_leaves_the_block_of_a_faster_one),
        cmocka_unit_test(an_alarm_is_settled_by_the_next_answer_to_its_own_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
