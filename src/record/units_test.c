/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the units: what is written, what is kept, and how often a conversion rounds. */
#include "record/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_conversion_rounds_once(void **state)
{
    (void)state;
    assert_true(sy_unit_convert(sy_unit_of("us"), 15) == 1.5e-05);
    assert_true(sy_unit_convert(sy_unit_of("ns"), 3) == 3e-09);
    assert_true(sy_unit_convert(sy_unit_of("ms"), 1e308) == 1e305);
    assert_true(sy_unit_convert(sy_unit_of("MB/s"), 2.5) == 2.5e6);
    assert_true(sy_unit_convert(sy_unit_of("%"), 50) == 0.5);
}

static void what_a_double_does_not_hold_is_no_number(void **state)
{
    (void)state;
    assert_true(isnan(sy_unit_convert(sy_unit_of("MB/s"), 1e308)));
    assert_true(isnan(sy_unit_convert(sy_unit_of("hours"), 1e306)));
    assert_true(isnan(sy_unit_convert(sy_unit_of("s"), INFINITY)));
}

static void the_words_of_one_unit_are_one(void **state)
{
    static const struct {
        const char *words[5]; /* NULL ends it */
        const char *unit;
        double one;
    } same[] = {
        {{"us", "\xc2\xb5s", "\xce\xbcs", "microseconds"}, "s", 1e-6},
        {{"s", "sec", "second", "seconds"}, "s", 1},
        {{"min", "minutes"}, "s", 60},
        {{"h", "hours"}, "s", 3600},
        {{"B", "bytes"}, "bytes", 1},
        {{"1/s", "/s", "Hz"}, "1/s", 1},
        {{"", "1"}, "", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        for (size_t k = 0; k < 5 && same[i].words[k] != NULL; k++) {
            const sy_unit *unit = sy_unit_of(same[i].words[k]);

            assert_non_null(unit);
            assert_string_equal(unit->unit, same[i].unit);
            assert_true(sy_unit_convert(unit, 1) == same[i].one);
        }
    }
}

static void each_unit_says_what_is_better_and_whether_it_may_be_negative(void **state)
{
    (void)state;
    assert_true(sy_unit_of("MB/s")->higher_is_better);
    assert_true(sy_unit_of("GFLOP/s")->higher_is_better);
    assert_false(sy_unit_of("MiB")->higher_is_better);
    assert_true(sy_unit_of("ms")->never_negative);
    assert_true(sy_unit_of("MiB")->never_negative);
    assert_false(sy_unit_of("")->never_negative);
    assert_false(sy_unit_of("W")->never_negative);
}

static void an_unknown_word_and_other_letters_are_no_unit(void **state)
{
    (void)state;
    assert_null(sy_unit_of("fortnights"));
    assert_null(sy_unit_of("MS"));
    assert_null(sy_unit_of("mB"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_conversion_rounds_once),
        cmocka_unit_test(what_a_double_does_not_hold_is_no_number),
        cmocka_unit_test(the_words_of_one_unit_are_one),
        cmocka_unit_test(each_unit_says_what_is_better_and_whether_it_may_be_negative),
        cmocka_unit_test(an_unknown_word_and_other_letters_are_no_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
