/* SPDX-License-Identifier: Apache-2.0 */
/* Searches of a kernel's parameters: Kernel Tuner's cache, closed or not, and T4. Then the real files of others, where
 * they are: what is expected of them was counted by another program (json.load of Python 3.11: the least time of those
 * that are numbers, its parameters sorted, how many are not). */
#include "importers/tuning/tuning_test_support.h"

#define HEAD                                                                                               \
    "{\"device_name\": \"GPU\", \"kernel_name\": \"k\", \"problem_size\": [64, 2], \"tune_params_keys\": " \
    "[\"x\", \"y\"], \"objective\": \"time\", \"cache\": {\n"
#define ENTRIES                                                                   \
    "\"1,a\": {\"x\": 1, \"y\": \"a\", \"time\": 4.0, \"times\": [4.0]},\n"       \
    "\"2,a\": {\"x\": 2, \"y\": \"a\", \"time\": 2.0},\n"                         \
    "\"3,a\": {\"x\": 3, \"y\": \"a\", \"time\": \"CompilationFailedConfig\"},\n" \
    "\"4,a\": {\"x\": 4, \"y\": \"a\", \"times\": [3.0, 5.0, null]}"

static void check_cache(const sy_tuning *t)
{
    const sy_profile *p = &t->list[0].profile;

    assert_true(t->format == SY_TUNING_KERNEL_TUNER);
    assert_int_equal(t->count, 1);
    assert_int_equal(t->entry_count, 4);
    expect_key(p, "kernel-tuner", "k", "unknown", "device=GPU parameters=x,y problem_size=[64,2]");
    expect_winner(p, "{\"x\":2,\"y\":\"a\"}", 2, "ms");
    assert_int_equal(t->list[0].position.line, 3);
    assert_string_equal(p->measurements[1].name, "configurations");
    assert_true(p->measurements[1].value == 4);
    assert_string_equal(p->measurements[2].name, "failed");
    assert_true(p->measurements[2].value == 1);
    assert_int_equal(p->alternative_count, 3);
    assert_string_equal(p->alternatives[0].name, "{\"x\":1,\"y\":\"a\"}");
    assert_true(p->alternatives[0].ratio == 2);
    assert_string_equal(p->alternatives[1].name, "{\"x\":4,\"y\":\"a\"}");
    assert_string_equal(p->alternatives[2].reason, "CompilationFailedConfig");
}

static void a_cache_is_read_closed_or_not(void **state)
{
    static const char *const ends[] = {"}}", "}", "", ",", ",\n"};

    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[1024];
        sy_tuning *t;

        (void)snprintf(text, sizeof text, "%s%s%s", HEAD, ENTRIES, ends[i]);
        t = tuning_text(text);
        check_cache(t);
        assert_int_equal(t->findings.note_count, i == 0 ? 1 : 2);
        assert_int_equal(t->finding_total, 0);
        sy_tuning_destroy(t);
    }
}

static void a_cache_says_what_is_wrong_with_its_entries(void **state)
{
    sy_tuning *t = tuning_text("{\"device_name\": \"\", \"tune_params_keys\": [\"x\"], \"objective\": \"GFLOP/s\", "
                               "\"cache\": {\n"
                               "\"1\": {\"x\": 1, \"time\": 0.0},\n"
                               "\"2\": {\"x\": 2, \"time\": 1e20},\n"
                               "\"3\": {\"x\": 3, \"time\": 5},\n"
                               "\"3\": {\"x\": 3, \"time\": 1},\n"
                               "\"3\": {\"x\": 3, \"time\": 5},\n"
                               "\"4\": {\"time\": 1},\n"
                               "\"5\": 5,\n"
                               "\"6\": {\"x\": 6, \"time\": null}}}");

    (void)state;
    assert_int_equal(t->count, 1);
    assert_int_equal(t->entry_count, 8);
    assert_int_equal(t->passed_over, 4);
    expect_key(&t->list[0].profile, "kernel-tuner", "kernel-tuner", "unknown", "parameters=x");
    expect_winner(&t->list[0].profile, "{\"x\":3}", 5, "ms");
    FINDING(t, 0, "2:6 tuning-time", "zero");
    FINDING(t, 1, "3:6 tuning-time", "mark for a failure");
    FINDING(t, 2, "5:6 tuning-duplicate", "line 4 has these parameters with another time");
    FINDING(t, 3, "7:1 tuning-entry", "all parameters");
    FINDING(t, 4, "8:1 tuning-entry", "found number");
    assert_int_equal(t->finding_total, 5);
    NOTE(t, 0, "1:1 tuning-entry", "the device is unknown");
    NOTE(t, 1, "1:1 tuning-no-winner", "GFLOP/s");
    NOTE(t, 2, "2:6 tuning-failure", "3 of 6 configurations");
    NOTE(t, 3, "6:6 tuning-duplicate", "line 4");
    sy_tuning_destroy(t);
}

static void t4_believes_what_is_valid_and_correct(void **state)
{
    sy_tuning *t = tuning_text(
        "{\"results\": [\n"
        "{\"configuration\": {\"b\": 1, \"a\": 2}, \"invalidity\": \"correct\", \"correctness\": 1, "
        "\"measurements\": [{\"name\": \"time\", \"value\": 3, \"unit\": \"\"}]},\n"
        "{\"configuration\": {\"b\": 2, \"a\": 2}, \"invalidity\": \"correct\", \"correctness\": 0, "
        "\"measurements\": [{\"name\": \"time\", \"value\": 1}]},\n"
        "{\"configuration\": {\"b\": 3, \"a\": 2}, \"invalidity\": \"runtime\", \"measurements\": [{\"name\": "
        "\"time\", \"value\": 1}]},\n"
        "{\"configuration\": {\"b\": 4, \"a\": 2}, \"times\": {\"runtimes\": [6, 6]}},\n"
        "{\"configuration\": {\"b\": 5, \"a\": 2}, \"measurements\": [{\"name\": \"time\", \"value\": 1, \"unit\": "
        "\"s\"}]},\n"
        "{\"configuration\": {}},\n{\"times\": 1}],\n\"metadata\": {\"timeunit\": \"miliseconds\"}}");
    const sy_profile *p = &t->list[0].profile;

    (void)state;
    assert_true(t->format == SY_TUNING_T4);
    assert_int_equal(t->count, 1);
    expect_key(p, "t4", "t4", "unknown", "parameters=a,b");
    expect_winner(p, "{\"a\":2,\"b\":1}", 3, "ms");
    assert_int_equal(p->alternative_count, 4);
    assert_true(p->alternatives[0].ratio == 2);
    assert_string_equal(p->alternatives[1].reason, "not correct");
    assert_string_equal(p->alternatives[2].reason, "runtime");
    assert_string_equal(p->alternatives[3].reason, "another unit");
    FINDING(t, 0, "3:77 tuning-failure", "correctness of 0");
    FINDING(t, 1, "6:1 tuning-unit", "another unit");
    FINDING(t, 2, "7:1 tuning-entry", "'configuration'");
    FINDING(t, 3, "8:1 tuning-entry", "'configuration'");
    sy_tuning_destroy(t);
}

static void what_a_file_does_not_tell_can_be_told(void **state)
{
    sy_tuning_options options = SY_TUNING_OPTIONS_INIT;
    const char *text = "{\"results\": [{\"configuration\": {\"x\": 1}, \"times\": {\"runtimes\": [6]}}, "
                       "{\"configuration\": {\"x\": 2}, \"times\": {\"runtimes\": [7]}}]}";
    sy_tuning *t = NULL;

    (void)state;
    options.backend = "cuda";
    options.operator_name = "mine";
    options.implementation_version = "7";
    options.alternatives_max = 0;
    assert_int_equal(sy_tuning_parse(text, strlen(text), "f", &options, &t, NULL), SY_OK);
    expect_key(&t->list[0].profile, "cuda", "mine", "7", "parameters=x");
    expect_winner(&t->list[0].profile, "{\"x\":1}", 6, "");
    assert_int_equal(t->list[0].profile.alternative_count, 0);
    FINDING(t, 0, "1:1 tuning-unit", "not known");
    sy_tuning_destroy(t);
}

static sy_tuning *read_shared(const char *path)
{
    char whole[1024];
    sy_tuning *tuning = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status;

    (void)snprintf(whole, sizeof whole, "%s/../shared/data/%s", STEELYARD_SOURCE_DIR, path);
    status = sy_tuning_read(whole, NULL, &tuning, &err);
    if (status == SY_NOT_FOUND || status == SY_UNAVAILABLE) {
        print_message("skipped: %s: %s\n", whole, err.what);
        skip();
    }
    if (status != SY_OK)
        fail_msg("%s: %s", whole, err.what);
    return tuning;
}

static void check_real(const char *path, size_t entries, double failed, double time, const char *policy, double second)
{
    sy_tuning *t = read_shared(path);
    const sy_profile *p = &t->list[0].profile;

    assert_int_equal(t->count, 1);
    assert_int_equal(t->entry_count, entries);
    assert_int_equal(t->passed_over, 0);
    assert_int_equal(t->finding_total, 0);
    expect_winner(p, policy, time, "ms");
    assert_true(p->measurements[2].value == failed);
    assert_int_equal(p->alternative_count, 16);
    assert_true(p->alternatives[0].ratio == second);
    sy_tuning_destroy(t);
}

#define A100_WINNER                                                                                     \
    "{\"block_size_x\":32,\"block_size_y\":4,\"filter_height\":15,\"filter_width\":15,\"read_only\":1," \
    "\"tile_size_x\":1,\"tile_size_y\":3,\"use_cmem\":1,\"use_padding\":0,\"use_shmem\":1}"

static void a_real_cache_of_an_a100(void **state)
{
    (void)state;
    check_real("benchmark_hub/convolution_milo_A100.json.gz", 4362, 161, 0.5536000076681376, A100_WINNER,
               1.0742774357625393);
}

static void the_same_search_as_t4(void **state)
{
    (void)state;
    check_real("benchmark_hub/convolution_milo_A100_T4.json.gz", 4362, 161, 0.5536000076681376, A100_WINNER,
               1.0742774357625393);
}

static void a_real_cache_of_a_w7800(void **state)
{
    (void)state;
    check_real("benchmark_hub/convolution_milo_W7800.json.gz", 4362, 116, 0.8161421902477741,
               "{\"block_size_x\":32,\"block_size_y\":2,\"filter_height\":15,\"filter_width\":15,\"read_only\":0,"
               "\"tile_size_x\":1,\"tile_size_y\":4,\"use_cmem\":1,\"use_padding\":0,\"use_shmem\":1}",
               1.0041501632764511);
}

static void a_real_cache_of_an_a6000(void **state)
{
    (void)state;
    check_real("benchmark_hub/dedispersion_milo_A6000.json.gz", 11130, 0, 84.21807646751404,
               "{\"block_size_x\":4,\"block_size_y\":192,\"block_size_z\":1,\"loop_unroll_factor_channel\":0,"
               "\"tile_size_x\":1,\"tile_size_y\":4,\"tile_stride_x\":0,\"tile_stride_y\":1}",
               1.000386061774555);
}

static void a_real_file_of_tunable_op(void **state)
{
    sy_tuning *t = read_shared("foreign/tunableop/mi300x.csv");

    (void)state;
    assert_int_equal(t->count, 9);
    assert_int_equal(t->passed_over, 0);
    assert_int_equal(t->finding_total, 1); /* Default,inf in line 12 */
    expect_key(&t->list[8].profile, "hip", "GemmTunableOp",
               "{\"GCN_ARCH_NAME\":\"gfx942:sramecc+:xnack-\",\"HIPBLASLT_VERSION\":\"0.6.0-592518e7\","
               "\"PT_VERSION\":\"2.4.0\",\"ROCBLAS_VERSION\":\"4.0.0-88df9726-dirty\",\"ROCM_VERSION\":"
               "\"6.0.0.0-91-08e5094\"}",
               "dtype=f16 k=8192 m=8192 n=2048 transposes=TN");
    expect_winner(&t->list[8].profile, "Gemm_Rocblas_16092", 0.497214, "ms");
    expect_winner(&t->list[6].profile, "Default", NAN, "");
    sy_tuning_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_is_read_closed_or_not),
        cmocka_unit_test(a_cache_says_what_is_wrong_with_its_entries),
        cmocka_unit_test(t4_believes_what_is_valid_and_correct),
        cmocka_unit_test(what_a_file_does_not_tell_can_be_told),
        cmocka_unit_test(a_real_cache_of_an_a100),
        cmocka_unit_test(the_same_search_as_t4),
        cmocka_unit_test(a_real_cache_of_a_w7800),
        cmocka_unit_test(a_real_cache_of_an_a6000),
        cmocka_unit_test(a_real_file_of_tunable_op),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
