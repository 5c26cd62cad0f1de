/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of near names. */
#include "cmocka_headers.h"

#include <string.h>

#include "base/near.h"

static size_t slips(const char *a, const char *b)
{
    return sy_near_slips(a, strlen(a), b, strlen(b));
}

static void slips_are_changed_dropped_added_and_swapped_letters(void **state)
{
    (void)state;
    assert_int_equal(slips("vae", "vae"), 0);
    assert_int_equal(slips("vaf", "vae"), 1);
    assert_int_equal(slips("va", "vae"), 1);
    assert_int_equal(slips("vaee", "vae"), 1);
    assert_int_equal(slips("vea", "vae"), 1);
    assert_int_equal(slips("", "vae"), 3);
    assert_int_equal(slips("kitten", "sitting"), 3); /* the textbook's pair */
    assert_int_equal(slips("ca", "abc"), 3);         /* 2 only where a swapped pair may be edited again */
}

static void a_name_of_any_length_is_handled_and_a_long_one_is_near_to_none(void **state)
{
    (void)state;
    char longest[SY_NEAR_LONGEST + 2];
    memset(longest, 'a', sizeof longest);
    assert_int_equal(sy_near_slips(longest, SY_NEAR_LONGEST, longest, SY_NEAR_LONGEST), 0);
    assert_int_equal(sy_near_slips(longest, SY_NEAR_LONGEST, "", 0), SY_NEAR_LONGEST);
    assert_true(sy_near_slips(longest, SY_NEAR_LONGEST + 1, longest, SY_NEAR_LONGEST) == SIZE_MAX);
    longest[SY_NEAR_LONGEST + 1] = 0;
    sy_nearest nearest = {"aaaa", 4, NULL, 0};
    sy_nearest_offer(&nearest, longest);
    assert_null(nearest.found);
    sy_nearest_offer(&nearest, longest + 1);
    assert_ptr_equal(nearest.found, longest + 1); /* begins with it */
}

static const char *find(const char *typed, const char *const *names)
{
    sy_nearest nearest = {typed, strlen(typed), NULL, 0};
    for (; *names; names++)
        sy_nearest_offer(&nearest, *names);
    return nearest.found;
}

static void the_nearest_name_is_found_and_none_where_all_are_far(void **state)
{
    (void)state;
    const char *const names[] = {"diffusion", "te", "vae", "upscaler", "upscale", NULL};
    assert_string_equal(find("vea", names), "vae");
    assert_string_equal(find("difusoin", names), "diffusion");
    assert_string_equal(find("upscal", names), "upscaler"); /* equally near: the first */
    assert_string_equal(find("dif", names), "diffusion");
    assert_string_equal(find("ta", names), "te"); /* one slip of two letters */
    assert_null(find("di", names));
    assert_null(find("", names));
    assert_null(find("x", names));
    assert_null(find("controlnet", names));
    assert_null(find("diffraction", names)); /* 5 slips of 11 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slips_are_changed_dropped_added_and_swapped_letters),
        cmocka_unit_test(a_name_of_any_length_is_handled_and_a_long_one_is_near_to_none),
        cmocka_unit_test(the_nearest_name_is_found_and_none_where_all_are_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
