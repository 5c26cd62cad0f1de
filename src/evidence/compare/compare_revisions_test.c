/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of revisions: which one is the baseline, what labels them, and what nobody can know. */
#include "compare_support.h"

#define SLOW 1.31e-3
#define USUAL 1.00e-3

static void another_revision_of_the_line_is_asked_for(void **state)
{
    life *l = *state;
    char ids[3][64];
    compare_baseline(l, USUAL);
    compare_commit(l, "two");
    compare_run_p50(l, SLOW, USUAL, ids[0]);
    sy_compared *compared = compare(l, ids[0]);
    compare_expect(compared, SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
    assert_true(compare_says(compared->next, compared->next_count, "--revision-comparison"));
    sy_compared_destroy(compared);
    sy_compare_options options = compare_options(ids[0]);
    options.revision_comparison = true;
    compared = compare_with(l, &options);
    compare_expect(compared, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_UNCONFIRMED);
    assert_int_equal(compared->verdict.mode, SY_COMPARISON_REVISION);
    assert_int_equal(compared->verdict.baseline_count, 5);
    assert_int_not_equal(compared->verdict.replaces, 0);
    assert_true(compare_says(compared->verdict.reasons, compared->verdict.reason_count, "a comparison of revisions"));
    sy_compared_destroy(compared);
    for (size_t i = 1; i < 3; i++) {
        compare_run_p50(l, SLOW, USUAL, ids[i]);
        options.run = ids[i];
        compared = compare_with(l, &options);
        assert_int_equal(compared->verdict.session_count, i + 1);
        sy_compared_destroy(compared);
    }
    compared = compare_with(l, &options);
    compare_expect(compared, SY_JUDGEMENT_BLOCK, SY_JUDGEMENT_REASON_CONFIRMED);
    assert_true(compared->already_recorded);
    sy_compared_destroy(compared);
    /* It replaces no baseline, and within its own key nothing was said but that there is none. */
    compare_wants(l, ids[0], SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
    sy_run_acceptance *acceptance = compare_accept_as(l, ids[2], true);
    assert_false(acceptance->accepted);
    sy_run_acceptance_destroy(acceptance);
}

static void revisions_with_too_few_sessions_are_held_together(void **state)
{
    static const char *const names[] = {"two", "three", "four"};
    life *l = *state;
    char id[64];
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 2; k++) {
            compare_run_p50(l, USUAL + 1e-6 * (double)(2 * i + k), 0, id);
            compare_accept(l, id, false);
        }
        compare_commit(l, names[i]);
    }
    compare_run_p50(l, USUAL, 0, id);
    sy_compare_options options = compare_options(id);
    options.revision_comparison = true;
    sy_compared *compared = compare_with(l, &options);
    compare_expect(compared, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    assert_int_equal(compared->verdict.mode, SY_COMPARISON_REVISIONS);
    assert_int_equal(compared->verdict.baseline_count, 6);
    assert_string_equal(compared->verdict.baseline_revision, "");
    sy_compared_destroy(compared);
}

/* Of a checkout of depth one nobody knows which commit came before. */
static void a_shallow_history_names_no_baseline(void **state)
{
    life *l = *state;
    char id[64], first[64], revision[65];
    sy_compared *none = NULL;
    sy_error error = SY_ERROR_INIT;
    compare_baseline(l, USUAL);
    compare_run_p50(l, USUAL, 0, first);
    sy_run *run = life_run(l, first);
    snprintf(revision, sizeof revision, "%s", run->row.revision);
    sy_run_destroy(run);
    compare_commit(l, "two");
    char folder[600];
    snprintf(folder, sizeof folder, "file://%.512s", l->root);
    COMPARE_GIT(l, "clone", "-q", "--depth", "1", folder, "../shallow");
    /* The project's own repository becomes the shallow one. */
    const char *const swap[] = {"sh", "-c", "rm -rf .git && mv ../shallow/.git .git", NULL};
    compare_git(l, swap);
    compare_run_p50(l, USUAL, 0, id);
    run = life_run(l, id);
    assert_int_equal(run->begin.source.shallow, 1);
    assert_int_equal(run->begin.source.ordinal, -1);
    sy_run_destroy(run);
    sy_compare_options options = compare_options(id);
    options.revision_comparison = true;
    assert_int_equal(sy_project_compare(l->project, &options, &none, &error), SY_REFUSED);
    assert_non_null(strstr(error.what, "history is shallow, deepen it or name the baseline"));
    options.against = revision;
    sy_compared *compared = compare_with(l, &options);
    compare_expect(compared, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    assert_string_equal(compared->verdict.baseline_revision, revision);
    sy_compared_destroy(compared);
    options.against = first;
    compared = compare_with(l, &options);
    assert_true(compared->already_recorded);
    sy_compared_destroy(compared);
    options.against = "0123456";
    assert_int_equal(sy_project_compare(l->project, &options, &none, &error), SY_NOT_FOUND);
    options.against = id;
    assert_int_equal(sy_project_compare(l->project, &options, &none, &error), SY_REFUSED);
    assert_non_null(strstr(error.what, "same revision"));
}

/* A revision that grew elsewhere is no older one. */
static void a_later_revision_is_no_baseline_unless_it_is_named(void **state)
{
    life *l = *state;
    char early[64], last[64];
    compare_run_p50(l, USUAL, 0, early);
    compare_commit(l, "two");
    compare_baseline(l, USUAL);
    compare_run_p50(l, USUAL, 0, last);
    sy_compare_options options = compare_options(early);
    options.revision_comparison = true;
    sy_compared *compared = compare_with(l, &options);
    compare_expect(compared, SY_JUDGEMENT_NO_BASELINE, SY_JUDGEMENT_REASON_FEW_SESSIONS);
    sy_compared_destroy(compared);
    options.against = last;
    compared = compare_with(l, &options);
    compare_expect(compared, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
    sy_compared_destroy(compared);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, compare_set_up, life_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(another_revision_of_the_line_is_asked_for),
        TEST(revisions_with_too_few_sessions_are_held_together),
        TEST(a_shallow_history_names_no_baseline),
        TEST(a_later_revision_is_no_baseline_unless_it_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
