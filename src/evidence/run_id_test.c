/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of runs: the time of the clock that is handed in, then six digits that differ. */
#include "cmocka_headers.h"

#include <string.h>

#include "evidence/run_id.h"

static void an_id_says_when_and_ends_in_six_drawn_digits(void **state)
{
    sy_clock_manual clock;
    char first[SY_RUN_ID_SIZE], second[SY_RUN_ID_SIZE];
    (void)state;
    sy_clock_manual_start(&clock, 0, 1795995000); /* 2026-11-29T23:30:00Z by date -u -d @1795995000 */
    assert_int_equal(sy_run_id_draw(&clock.clock, first, NULL), SY_OK);
    assert_int_equal(sy_run_id_draw(&clock.clock, second, NULL), SY_OK);
    assert_int_equal(strlen(first), 22);
    assert_memory_equal(first, "20261129-233000-", 16);
    assert_memory_equal(second, "20261129-233000-", 16);
    assert_int_equal(strspn(first + 16, "0123456789abcdef"), 6);
    assert_string_not_equal(first, second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_says_when_and_ends_in_six_drawn_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
