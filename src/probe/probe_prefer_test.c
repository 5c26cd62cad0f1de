/* SPDX-License-Identifier: Apache-2.0 */
/* Memory preferred: the candidate that needs least, if it is not slower; never one that needs no less. */
#include "probe_support.h"

#include <math.h>

#define FAT_REFERENCE                                                                                    \
    "{\"name\": \"r\", \"role\": \"reference\", \"law\": {\"base_ns\": 1000000, \"model\": \"quiet\"}, " \
    "\"memory_bytes\": 65536}"
#define LEAN(name, base, bytes) CANDIDATE(name, base, ", \"memory_bytes\": " bytes)

static const sy_candidate_result *find(const sy_probe_result *result, const char *name)
{
    for (size_t i = 0; i < result->candidate_count; i++) {
        if (strcmp(result->candidates[i].name, name) == 0)
            return &result->candidates[i];
    }
    fail_msg("no candidate %s", name);
    return NULL;
}

static sy_probe_options lean(uint64_t seed)
{
    sy_probe_options options = seeded(seed);
    options.prefer = SY_PREFER_MEMORY;
    return options;
}

static void a_leaner_candidate_that_is_not_slower_is_chosen(void **state)
{
    (void)state;
    sy_probe_options options = lean(1);
    weighed w = weigh(SCRIPT_WITH("", FAT_REFERENCE "," LEAN("lean", "1005000", "1024")), &options);
    expect_decision(&w, SY_DECISION_NOT_SLOWER, "memory");
    assert_string_equal(w.result->winner, "lean");
    assert_false(w.result->candidate_faster);
    assert_int_equal(w.result->prefer, SY_PREFER_MEMORY);
    assert_int_equal(w.result->question, SY_QUESTION_NOT_SLOWER);
    assert_int_equal(w.result->reference_scratch_bytes, 65536);
    assert_int_equal(w.result->candidates[0].scratch_bytes, 1024);
    assert_int_equal(w.result->candidates[0].memory_bytes, 0); /* one process for all: nobody's figure */
    finish(&w);
    options = seeded(1); /* where speed is asked for it is none */
    w = weigh(SCRIPT_WITH("", FAT_REFERENCE "," LEAN("lean", "1005000", "1024")), &options);
    expect_decision(&w, SY_DECISION_NO_GAIN, "");
    assert_string_equal(w.result->winner, "r");
    finish(&w);
}

static void a_leaner_candidate_that_is_slower_is_not(void **state)
{
    (void)state;
    sy_probe_options options = lean(1);
    weighed w = weigh(SCRIPT_WITH("", FAT_REFERENCE "," LEAN("lean", "1100000", "1024")), &options);
    expect_decision(&w, SY_DECISION_NO_GAIN, "slower");
    assert_string_equal(w.result->winner, "r");
    finish(&w);
    options.margin = 0.2; /* what counts as slower is the caller's */
    w = weigh(SCRIPT_WITH("", FAT_REFERENCE "," LEAN("lean", "1100000", "1024")), &options);
    expect_decision(&w, SY_DECISION_NOT_SLOWER, "memory");
    finish(&w);
}

static void who_needs_no_less_memory_is_not_even_timed(void **state)
{
    (void)state;
    sy_probe_options options = lean(1);
    weighed w = weigh(
        SCRIPT_WITH("", FAT_REFERENCE "," LEAN("fat", "500000", "131072") "," LEAN("same", "500000", "65536")),
        &options);
    expect_decision(&w, SY_DECISION_NO_GAIN, "memory");
    assert_string_equal(w.result->winner, "r");
    assert_int_equal(w.result->timed_slots, 0);
    assert_string_equal(find(w.result, "fat")->reason, "memory");
    assert_string_equal(find(w.result, "fat")->detail, "its scratch is 128 KiB; r 64 KiB");
    assert_string_equal(find(w.result, "same")->reason, "memory");
    finish(&w);
}

static void of_several_the_leanest_that_keeps_up_goes_to_the_final(void **state)
{
    (void)state;
    sy_probe_options options = lean(1);
    static const char *const script =
        "{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"seed\": 7, "
        "\"cases\": [{\"name\": \"c\"}], \"implementations\": [" FAT_REFERENCE
        "," LEAN("quick", "600000", "32768") "," LEAN("crawling", "1300000", "16") "," LEAN(
            "lean", "1000000", "1024") "," LEAN("fat", "400000", "70000") "]}";
    weighed w = weigh(script, &options);
    expect_decision(&w, SY_DECISION_NOT_SLOWER, "memory");
    assert_string_equal(w.result->winner, "lean");
    assert_string_equal(find(w.result, "crawling")->reason, "slower");
    assert_string_equal(find(w.result, "quick")->reason, "memory");
    assert_string_equal(find(w.result, "fat")->reason, "memory");
    assert_int_equal(find(w.result, "fat")->decision, SY_DECISION_NO_GAIN);
    assert_true(fabs(find(w.result, "quick")->gain - 0.4) < 0.02);
    finish(&w);
}

static void where_all_are_slower_the_pairs_say_so(void **state)
{
    (void)state;
    sy_probe_options options = lean(1);
    weighed w = weigh(SCRIPT_WITH("", FAT_REFERENCE "," LEAN("a", "1300000", "16") "," LEAN("b", "1200000", "1024")),
                      &options);
    expect_decision(&w, SY_DECISION_NO_GAIN, "slower");
    assert_string_equal(w.result->candidates[w.result->finalist].name, "b");
    assert_string_equal(w.result->winner, "r");
    assert_true(w.result->pairs >= 5);
    finish(&w);
}

static void a_preference_that_is_none_is_refused(void **state)
{
    (void)state;
    sy_probe_options options = seeded(1);
    options.prefer = (sy_preference)7;
    weighed w = weigh(SCRIPT_WITH("", REFERENCE "," CANDIDATE("f", "900000", "")), &options);
    assert_int_equal(w.status, SY_INVALID_ARGUMENT);
    assert_non_null(strstr(w.err.what, "preference 7"));
    finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leaner_candidate_that_is_not_slower_is_chosen),
        cmocka_unit_test(a_leaner_candidate_that_is_slower_is_not),
        cmocka_unit_test(who_needs_no_less_memory_is_not_even_timed),
        cmocka_unit_test(of_several_the_leanest_that_keeps_up_goes_to_the_final),
        cmocka_unit_test(where_all_are_slower_the_pairs_say_so),
        cmocka_unit_test(a_preference_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
