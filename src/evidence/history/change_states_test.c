/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of changes that were reported: found again, confirmed, moved, refuted, or out of reach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "evidence/history/change_states.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define OUTCOMES(found, count, open, outcomes) outcomes_of(found, COUNT(found), count, open, COUNT(open), outcomes)

static sy_history_change at(size_t index, double effect)
{
    return (sy_history_change){.index = index, .effect = effect};
}

static sy_open_change reported(size_t place, double effect, size_t points_after)
{
    return (sy_open_change){place, true, effect, points_after, false};
}

static void outcomes_of(const sy_history_change *found, size_t found_count, size_t value_count,
                        const sy_open_change *open, size_t open_count, sy_change_outcome *outcomes)
{
    const sy_history history = {.changes = found, .change_count = found_count, .value_count = value_count};
    sy_change_states(&history, open, open_count, outcomes);
}

static void what_is_found_at_its_place_stays_until_it_is_confirmed(void **state)
{
    sy_change_outcome to[1];
    const sy_history_change found[] = {at(20, .1)};
    const sy_open_change few[] = {reported(20, .12, 5)};
    const sy_open_change many[] = {reported(20, .12, 100)};
    sy_open_change confirmed[] = {reported(20, .12, 5)};
    (void)state;
    OUTCOMES(found, 25, few, to);
    assert_int_equal(to[0].fate, SY_CHANGE_STAYS);
    assert_int_equal(to[0].found, 0);
    OUTCOMES(found, 29, few, to); /* nine behind it: four more than when it was reported */
    assert_int_equal(to[0].fate, SY_CHANGE_STAYS);
    OUTCOMES(found, 30, few, to); /* as many again */
    assert_int_equal(to[0].fate, SY_CHANGE_GETS_CONFIRMED);
    OUTCOMES(found, 129, many, to);
    assert_int_equal(to[0].fate, SY_CHANGE_STAYS);
    OUTCOMES(found, 130, many, to); /* ten more are enough */
    assert_int_equal(to[0].fate, SY_CHANGE_GETS_CONFIRMED);
    confirmed[0].confirmed = true;
    OUTCOMES(found, 90, confirmed, to);
    assert_int_equal(to[0].fate, SY_CHANGE_STAYS);
}

static void what_is_not_found_any_more_is_refuted(void **state)
{
    sy_change_outcome to[1];
    const sy_history_change none[1] = {at(0, 0)};
    const sy_history_change other_way[] = {at(20, -.1)};
    const sy_history_change far[] = {at(31, .1)};
    const sy_open_change open[] = {reported(20, .1, 5)};
    (void)state;
    outcomes_of(none, 0, 30, open, 1, to);
    assert_int_equal(to[0].fate, SY_CHANGE_GETS_REFUTED);
    assert_int_equal(to[0].found, 0); /* as many as there are: none */
    OUTCOMES(other_way, 30, open, to);
    assert_int_equal(to[0].fate, SY_CHANGE_GETS_REFUTED);
    OUTCOMES(far, 40, open, to); /* eleven values away is another change */
    assert_int_equal(to[0].fate, SY_CHANGE_GETS_REFUTED);
    assert_int_equal(to[0].found, 1);
}

static void what_is_found_nearby_has_moved(void **state)
{
    sy_change_outcome to[2];
    const sy_history_change found[] = {at(21, .1), at(30, .1)};
    const sy_open_change one[] = {reported(20, .1, 5)};
    /* Both want 30; the nearer one has it, and the other goes to what is left. */
    const sy_open_change two[] = {reported(26, .1, 5), reported(28, .1, 5)};
    (void)state;
    OUTCOMES(found, 40, one, to);
    assert_int_equal(to[0].fate, SY_CHANGE_MOVES);
    assert_int_equal(to[0].found, 0);
    OUTCOMES(found, 40, two, to);
    assert_int_equal(to[1].fate, SY_CHANGE_MOVES);
    assert_int_equal(to[1].found, 1);
    assert_int_equal(to[0].fate, SY_CHANGE_MOVES);
    assert_int_equal(to[0].found, 0);
}

static void a_found_change_is_one_reported_change_at_most(void **state)
{
    sy_change_outcome to[2];
    const sy_history_change found[] = {at(20, .1)};
    const sy_open_change open[] = {reported(18, .1, 9), reported(20, .1, 7)};
    const sy_open_change twins[] = {reported(20, .1, 9), reported(20, .1, 9)};
    (void)state;
    OUTCOMES(found, 27, open, to);
    assert_int_equal(to[0].fate, SY_CHANGE_GETS_REFUTED);
    assert_int_equal(to[1].fate, SY_CHANGE_STAYS);
    OUTCOMES(found, 27, twins, to);
    assert_int_equal(to[0].fate, SY_CHANGE_STAYS);
    assert_int_equal(to[1].fate, SY_CHANGE_GETS_REFUTED);
}

static void a_change_whose_own_session_is_gone_moves_to_the_next(void **state)
{
    sy_change_outcome to[1];
    const sy_history_change found[] = {at(20, .1)};
    sy_open_change open[] = {reported(20, .1, 5)};
    (void)state;
    open[0].is_there = false;
    OUTCOMES(found, 40, open, to);
    assert_int_equal(to[0].fate, SY_CHANGE_MOVES);
    assert_int_equal(to[0].found, 0);
}

static void what_has_too_few_values_beside_it_is_not_refuted(void **state)
{
    sy_change_outcome to[1];
    const sy_history_change none[1] = {at(0, 0)};
    const sy_open_change left[] = {reported(4, .1, 5)};
    const sy_open_change right[] = {reported(20, .1, 5)};
    (void)state;
    outcomes_of(none, 0, 30, left, 1, to);
    assert_int_equal(to[0].fate, SY_CHANGE_OUT_OF_REACH);
    outcomes_of(none, 0, 24, right, 1, to);
    assert_int_equal(to[0].fate, SY_CHANGE_OUT_OF_REACH);
    outcomes_of(none, 0, 25, right, 1, to);
    assert_int_equal(to[0].fate, SY_CHANGE_GETS_REFUTED);
}

static void a_change_persists_that_was_found_near_its_place_before(void **state)
{
    const sy_history_change before[] = {at(8, .1), at(20, .1)};
    const sy_history earlier = {.changes = before, .change_count = 2, .value_count = 30};
    const sy_history none = {.value_count = 30};
    const sy_history_change found[] = {at(18, .1), at(22, .3), at(17, .1), at(23, .1), at(20, -.1)};
    (void)state;
    for (size_t i = 0; i < COUNT(found); i++) {
        assert_int_equal(sy_change_persists(&found[i], &earlier), i < 2);
    }
    assert_false(sy_change_persists(&found[0], &none));
    assert_false(sy_change_persists(&found[0], NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_found_at_its_place_stays_until_it_is_confirmed),
        cmocka_unit_test(what_is_not_found_any_more_is_refuted),
        cmocka_unit_test(what_is_found_nearby_has_moved),
        cmocka_unit_test(a_found_change_is_one_reported_change_at_most),
        cmocka_unit_test(a_change_whose_own_session_is_gone_moves_to_the_next),
        cmocka_unit_test(a_change_persists_that_was_found_near_its_place_before),
        cmocka_unit_test(what_has_too_few_values_beside_it_is_not_refuted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
