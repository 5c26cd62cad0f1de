/* SPDX-License-Identifier: Apache-2.0 */
/* What lint is suspicious of, each rule by the smallest file that breaks it, and by one that just does not. */
#include "base/text.h"
#include "importers/tuning/tuning_test_support.h"
#include <steelyard/store.h>

static void a_larger_problem_that_is_faster_is_told(void **state)
{
    sy_tuning_lint *lint = lint_text("GemmTunableOp_Half_TN,tn_64_64_64,Default,1.0\n"
                                     "GemmTunableOp_Half_TN,tn_64_64_128,Default,0.89\n"
                                     "GemmTunableOp_Half_TN,tn_64_128_128,Default,0.91\n"
                                     "GemmTunableOp_Half_NN,nn_128_128_128,Default,0.1\n"
                                     "GemmTunableOp_Half_TN,tn_32_256_256,Default,0.1\n"
                                     "GemmTunableOp_Half_TN,tn_256_256_256_ld_256_256_256,Default,0.1\n");

    (void)state;
    FINDING(lint, 0, "2:1 tuning-larger-faster", "takes 0.89 ms; the smaller problem of line 1 of its kind takes 1 ms");
    FINDING(lint, 1, "6:1 tuning-larger-faster", "takes 0.1 ms; the smaller problem of line 1 of its kind takes 1 ms");
    assert_int_equal(lint->finding_total, 2);
    assert_int_equal(lint->profile_count, 6);
    assert_int_equal(lint->findings.note_count, 0);
    sy_tuning_lint_destroy(lint);
}

static void the_margin_can_be_chosen(void **state)
{
    const char *text =
        "GemmTunableOp_Half_TN,tn_64_64_64,Default,1.0\nGemmTunableOp_Half_TN,tn_64_64_128,Default,0.89\n";
    sy_tuning_options options = SY_TUNING_OPTIONS_INIT;
    sy_tuning_lint *lint = NULL;

    (void)state;
    options.margin = 0.12;
    assert_int_equal(sy_tuning_lint_text(text, strlen(text), "f", &options, &lint, NULL), SY_OK);
    assert_int_equal(lint->finding_total, 0);
    sy_tuning_lint_destroy(lint);
}

/* 40 x 30 problems of one kind, more than are compared pair by pair: k is doubled along the way, and each 100th takes
 * half of what the one before it took. Those are all found, and nothing else. */
static void a_large_group_is_compared_along_its_dimensions(void **state)
{
    sy_text text = SY_TEXT_INIT;
    sy_tuning_lint *lint;
    size_t number = 0;

    (void)state;
    for (int m = 1; m <= 40; m++) {
        for (int k = 1; k <= 30; k++, number++) {
            double time = number % 100 == 99 ? 0.5 * (m * 30 + k - 1) : m * 30 + k;

            sy_text_append_format(&text, "Op_Half_TN,tn_%d_7_%d,Default,%.3f\n", m, k, time);
        }
    }
    lint = lint_text(sy_text_bytes(&text));
    assert_int_equal(number, 1200);
    assert_int_equal(lint->finding_total, 12); /* all pairs, compared by another program: 12 */
    NOTE(lint, 0, "1:1 tuning-larger-faster", "1200 problems of this kind: compared along each dimension");
    sy_tuning_lint_destroy(lint);
    sy_text_finish(&text);
}

static void units_and_words_are_suspected(void **state)
{
    sy_tuning_lint *lint = lint_text("GemmTunableOp_float_TN,tn_1024_1024_1024,Default,0.0000001\n"
                                     "GemmTunableOp_float_TN,tn_1_1_1024,Gemm_Mine_7,0.0000001\n"
                                     "GemmTunableOp_float_NT,nt_1024_1024_1024,Default,1e8\n");

    (void)state;
    FINDING(lint, 0, "1:1 tuning-unit", "more than any device does");
    FINDING(lint, 1, "2:36 tuning-solution", "no solution");
    FINDING(lint, 2, "3:1 tuning-unit", "less than any device does");
    assert_int_equal(lint->finding_total, 3);
    sy_tuning_lint_destroy(lint);
}

static void words_and_units_of_searches_are_suspected(void **state)
{
    sy_tuning_lint *cache = lint_text("{\"tune_params_keys\": [\"x\"], \"cache\": {\n"
                                      "\"1\": {\"x\": 1, \"time\": 5, \"times\": [5000, 5001]},\n"
                                      "\"2\": {\"x\": 2, \"time\": \"Nonsense\"},\n"
                                      "\"3\": {\"x\": 3, \"time\": \"InvalidConfig\"}}}");
    sy_tuning_lint *t4 = lint_text("{\"metadata\": {\"timeunit\": \"ms\"}, \"results\": [\n"
                                   "{\"configuration\": {\"x\": 1}, \"invalidity\": \"weather\"},\n"
                                   "{\"configuration\": {\"x\": 2}, \"times\": {\"runtimes\": [1]}}]}");

    (void)state;
    FINDING(cache, 0, "2:1 tuning-unit", "far from the mean of its runs, 5000.5");
    FINDING(cache, 1, "3:23 tuning-failure", "no word for a failure");
    assert_int_equal(cache->finding_total, 2);
    FINDING(t4, 0, "2:1 tuning-failure", "no word of T4");
    assert_int_equal(t4->finding_total, 1);
    sy_tuning_lint_destroy(cache);
    sy_tuning_lint_destroy(t4);
}

#define RECORD(kind, version, k, time, rest)                                                                          \
    "profile portable " kind "\nbackend \"hip\"\noperator \"GemmTunableOp\"\nimplementation \"" version               \
    "\"\nstructure \"k\" \"" k "\"\nstructure \"m\" \"1\"\nmeasurement \"time\" " time " \"ms\"\npolicy \"a\"\n" rest \
    "end\n"

/* Format 1 has no check lines, and no kind `imported`. */
static void profiles_of_ours_are_told_by_the_line_of_their_record(void **state)
{
    sy_tuning_lint *lint = lint_text("onnx_light_calibration_profiles 1\n" RECORD(
        "calibrated", "1", "64", "1.0", "") "\n# a remark\n" RECORD("calibrated", "1", "128", "0.5", "")
                                         RECORD("calibrated", "1", "32", "0.0", ""));

    (void)state;
    assert_true(lint->format == SY_TUNING_PROFILES);
    assert_int_equal(lint->profile_count, 3);
    FINDING(lint, 0, "13:1 tuning-larger-faster", "line 2");
    FINDING(lint, 1, "22:1 tuning-time", "zero");
    assert_int_equal(lint->finding_total, 2);
    sy_tuning_lint_destroy(lint);
}

static void a_damaged_file_of_ours_is_told_by_its_lines(void **state)
{
    sy_tuning_lint *lint = lint_text("steelyard_profiles 2\nnonsense\n");
    sy_tuning_lint *later = lint_text("steelyard_profiles 9\n");

    (void)state;
    FINDING(lint, 0, "2:1 tuning-damage", "line 2: ");
    FINDING(later, 0, "1:1 tuning-damage", "version");
    sy_tuning_lint_destroy(lint);
    sy_tuning_lint_destroy(later);
}

/* A store in memory takes them, so that the check lines are right. */
static void versions_that_are_mixed_and_winners_that_are_slower(void **state)
{
    static const sy_property small[] = {{"k", "1"}};
    static const sy_property large[] = {{"k", "2"}};
    static const sy_alternative faster[] = {{"b", "slower", 0.5}, {"c", "parity", 0.1}};
    sy_profile profiles[] = {{.kind = SY_PROFILE_IMPORTED,
                              .key = {"hip", "op", "1", "", "", 0, small, 1},
                              .alternatives = faster,
                              .alternative_count = 2},
                             {.kind = SY_PROFILE_IMPORTED, .key = {"hip", "op", "2", "", "", 0, small, 1}},
                             {.kind = SY_PROFILE_IMPORTED, .key = {"hip", "op", "2", "", "", 0, large, 1}},
                             {.kind = SY_PROFILE_IMPORTED, .key = {"cpu", "op", "3", "", "", 0, large, 1}}};
    const sy_profile *list[4];
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    sy_store *store = NULL;
    char *text = NULL;
    size_t size = 0;
    sy_tuning_lint *lint;

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        profiles[i].portable = true;
        profiles[i].policy = "a";
        profiles[i].policy_size = 1;
        profiles[i].evidence_run = profiles[i].evidence_digest = profiles[i].reason = profiles[i].tool = "";
        profiles[i].trial.rule = "";
        list[i] = &profiles[i];
    }
    options.persistence = false;
    options.environment_layers = false;
    assert_int_equal(sy_store_open(&options, &store, NULL), SY_OK);
    assert_int_equal(sy_store_adopt(store, list, 4, NULL, NULL, NULL), SY_OK);
    assert_int_equal(sy_store_write_text(store, 2, &text, &size, NULL, NULL), SY_OK);
    lint = lint_text(text);
    FINDING(lint, 0, "2:1 tuning-slower-winner", "b took 0.5 of the winner's time, and a won");
    FINDING(lint, 1, "12:1 tuning-validators", "than the profile of line 2");
    assert_int_equal(lint->finding_total, 2);
    sy_tuning_lint_destroy(lint);
    sy_text_free(text);
    sy_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_larger_problem_that_is_faster_is_told),
        cmocka_unit_test(the_margin_can_be_chosen),
        cmocka_unit_test(a_large_group_is_compared_along_its_dimensions),
        cmocka_unit_test(units_and_words_are_suspected),
        cmocka_unit_test(words_and_units_of_searches_are_suspected),
        cmocka_unit_test(profiles_of_ours_are_told_by_the_line_of_their_record),
        cmocka_unit_test(a_damaged_file_of_ours_is_told_by_its_lines),
        cmocka_unit_test(versions_that_are_mixed_and_winners_that_are_slower),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
