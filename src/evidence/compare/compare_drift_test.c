/* SPDX-License-Identifier: Apache-2.0 */
/* A level that climbs slowly, in a ledger: seen, told, and closed by whoever accepts it. */
#include "compare_support.h"

#define USUAL 1.00e-3

/* Half a percent more each time: none stands out, and together they climb. Accepting what was looked at closes it. */
static void a_slow_climb_is_investigated_until_somebody_accepts_it(void **state)
{
    life *l = *state;
    char id[64];
    bool drifts = false;
    compare_baseline(l, USUAL);
    for (int i = 1; !drifts && i < 12; i++) {
        compare_run_p50(l, USUAL * (1 + .005 * i), 0, id);
        sy_compared *compared = compare(l, id);
        drifts = compared->verdict.reason == SY_JUDGEMENT_REASON_DRIFT;
        if (!drifts) {
            compare_expect(compared, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
        } else {
            compare_expect(compared, SY_JUDGEMENT_INVESTIGATE, SY_JUDGEMENT_REASON_DRIFT);
            assert_false(compared->verdict.raised);
            assert_string_equal(compared->verdict.reasons[0], "parity passed"); /* it comes first */
            assert_non_null(strstr(sy_run_verdict_decisive(&compared->verdict), "wall p50"));
            assert_true(compare_says(compared->next, compared->next_count, "steelyard history"));
            assert_true(compare_says(compared->next, compared->next_count, "steelyard run accept"));
            assert_true(compare_says(compared->verdict.reasons, compared->verdict.reason_count, "climbs slowly"));
        }
        sy_compared_destroy(compared);
        compare_accept(l, id, false);
    }
    assert_true(drifts);
    sy_run *run = life_run(l, id);
    assert_true(run->row.accepted);
    sy_run_destroy(run);
    compare_run_p50(l, USUAL, 0, id);
    compare_wants(l, id, SY_JUDGEMENT_PASS, SY_JUDGEMENT_REASON_INSIDE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, compare_set_up, life_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_slow_climb_is_investigated_until_somebody_accepts_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
