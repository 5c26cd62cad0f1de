/* SPDX-License-Identifier: Apache-2.0 */
/* The way back: what is read, written and read again has the same winners under the same keys; what cannot be written
 * is named. Then what no reader may do: forget a byte, lose memory, take a file of any kind for granted. */
#include "base/text.h"
#include "fault_loop.h"
#include "importers/tuning/tuning_test_support.h"

static sy_tuning_text *write_all(sy_tuning_format format, const sy_tuning *tuning)
{
    const sy_profile *list[64];
    sy_tuning_text *text = NULL;

    assert_true(tuning->count <= 64);
    for (size_t i = 0; i < tuning->count; i++)
        list[i] = &tuning->list[i].profile;
    assert_int_equal(sy_tuning_write(format, list, tuning->count, &text, NULL), SY_OK);
    assert_int_equal(strlen(text->text), text->size);
    assert_int_equal(text->written + text->unwritten_count, tuning->count);
    return text;
}

static void expect_same(const sy_profile *a, const sy_profile *b)
{
    assert_string_equal(a->key.backend, b->key.backend);
    assert_string_equal(a->key.operator_name, b->key.operator_name);
    assert_string_equal(a->key.implementation_version, b->key.implementation_version);
    assert_int_equal(a->key.structure_count, b->key.structure_count);
    for (size_t i = 0; i < a->key.structure_count; i++) {
        assert_string_equal(a->key.structure[i].name, b->key.structure[i].name);
        assert_string_equal(a->key.structure[i].value, b->key.structure[i].value);
    }
    assert_string_equal(a->policy, b->policy);
    assert_int_equal(a->measurement_count > 0, b->measurement_count > 0);
    if (a->measurement_count > 0)
        assert_true(a->measurements[0].value == b->measurements[0].value);
}

/* Reads, writes all of it, reads again: the same, in the same order. */
static void go_round(sy_tuning_format format, const char *text)
{
    sy_tuning *first = tuning_text(text);
    sy_tuning_text *written = write_all(format, first);
    sy_tuning *second;

    for (size_t i = 0; i < written->unwritten_count; i++)
        print_message("%s: %s\n", written->unwritten[i].profile->policy, written->unwritten[i].why);
    assert_int_equal(written->unwritten_count, 0);
    second = tuning_text(written->text);
    assert_true(second->format == format);
    assert_int_equal(second->count, first->count);
    assert_int_equal(second->finding_total, 0);
    for (size_t i = 0; i < first->count; i++)
        expect_same(&first->list[i].profile, &second->list[i].profile);
    sy_tuning_destroy(second);
    sy_tuning_text_destroy(written);
    sy_tuning_destroy(first);
}

#define TUNABLE                                                                        \
    "Validator,PT_VERSION,2.4.0\nValidator,ROCM_VERSION,6.0,1\n"                       \
    "GemmTunableOp_Half_TN,tn_57344_64_8192,Gemm_Hipblaslt_TN_22029,14.8177\n"         \
    "GemmTunableOp_float_NN,nn_11008_8_4096_ld_11008_4096_11008,Gemm_Rocblas_-5,0.1\n" \
    "GemmStridedBatchedTunableOp_BFloat16_NT,nt_64_128_32_B_96_ld_64_128_64,Default\n" \
    "GemmTunableOp_Half_TN,tn_1_2_3_rw_0,Default,1e-05\nOdd,x=y_1,Default,3\n"
#define FIND_DB                                                                                                \
    "64-56-56-3x3-128-28-28-16-1x1-2x2-1x1-0-NCHW-FP32-F=GemmFwdRest:0.25,1024,miopenConvolutionFwdAlgoGEMM\n" \
    "64-56-56-3x3-128-28-28-16-1x1-2x2-1x1-0-NHWC-NCHW-NCHW-FP16-B_g4=ConvBinWinogradRxSf2x3g1:0.1,0,a\n"      \
    "64-8-56-56-3x3x3-128-8-28-28-16-1x1x1-2x2x2-1x1x1-0-NCDHW-FP32-W=ConvDirectNaiveConvWrw:3,0,a\n"
#define CACHE                                                                                         \
    "{\"device_name\": \"GPU\", \"kernel_name\": \"k\", \"problem_size\": [64, 2], "                  \
    "\"tune_params_keys\": [\"y\", \"x\"], \"cache\": {\"2,1\": {\"x\": 1, \"y\": 2, \"time\": 3},\n" \
    "\"2,2\": {\"x\": 2, \"y\": 2, \"time\": 1.5},\n\"2,3\": {\"x\": 3, \"y\": 2, \"time\": \"InvalidConfig\"}}}"
#define RESULTS                                                                                                     \
    "{\"metadata\": {\"timeunit\": \"ms\"}, \"results\": [{\"configuration\": {\"x\": 1, \"b\": true}, \"times\": " \
    "{\"runtimes\": [2]}}, {\"configuration\": {\"x\": 2, \"b\": null}, \"invalidity\": \"runtime\"}]}"

static void every_format_goes_round(void **state)
{
    (void)state;
    go_round(SY_TUNING_TUNABLE_OP, TUNABLE);
    go_round(SY_TUNING_MIOPEN, FIND_DB);
    go_round(SY_TUNING_MIOPEN_1, FIND_DB);
    go_round(SY_TUNING_KERNEL_TUNER, CACHE);
    go_round(SY_TUNING_T4, RESULTS);
}

static void a_cache_is_written_as_its_tuner_names_its_entries(void **state)
{
    sy_tuning *t = tuning_text(CACHE);
    sy_tuning_text *text = write_all(SY_TUNING_KERNEL_TUNER, t);

    (void)state;
    assert_non_null(strstr(text->text, "\"2,2\": {")); /* y, then x: the order of tune_params_keys */
    assert_non_null(strstr(text->text, "\"2,1\": {"));
    assert_non_null(strstr(text->text, "\"time\": \"InvalidConfig\""));
    assert_int_equal(text->alternatives_left_out, 0);
    sy_tuning_text_destroy(text);
    sy_tuning_destroy(t);
}

static void what_cannot_be_written_is_named(void **state)
{
    static const sy_property gemm[] = {{"dtype", "f32"}, {"k", "3"}, {"m", "1"}, {"n", "2"}, {"batch", "2"}};
    static const sy_property odd[] = {{"params", "a,b"}};
    const sy_profile profiles[] = {{.kind = SY_PROFILE_OVERRIDE, .portable = true},
                                   {.kind = SY_PROFILE_CALIBRATED,
                                    .portable = true,
                                    .has_trial = true,
                                    .trial = {.decision = SY_DECISION_INCONCLUSIVE}},
                                   {.kind = SY_PROFILE_CALIBRATED},
                                   {.kind = SY_PROFILE_IMPORTED,
                                    .portable = true,
                                    .policy = "a",
                                    .policy_size = 1,
                                    .key = {"b", "matmul", "1", "", "", 0, gemm, 5}},
                                   {.kind = SY_PROFILE_IMPORTED,
                                    .portable = true,
                                    .policy = "a",
                                    .policy_size = 1,
                                    .key = {"b", "Op", "1", "", "", 0, odd, 1}},
                                   {.kind = SY_PROFILE_IMPORTED,
                                    .portable = true,
                                    .policy = "a",
                                    .policy_size = 2,
                                    .key = {"b", "Op", "1", "", "", 0, odd, 1}}};
    static const char *const whys[] = {"override",          "undecided",         "exact",
                                       "no matrix product", "no matrix product", "0 byte"};
    const sy_profile *list[6];
    sy_tuning_text *text = NULL;

    (void)state;
    for (size_t i = 0; i < 6; i++)
        list[i] = &profiles[i];
    assert_int_equal(sy_tuning_write(SY_TUNING_TUNABLE_OP, list, 6, &text, NULL), SY_OK);
    assert_int_equal(text->written, 0);
    assert_int_equal(text->unwritten_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_ptr_equal(text->unwritten[i].profile, list[i]);
        assert_non_null(strstr(text->unwritten[i].why, whys[i]));
    }
    sy_tuning_text_destroy(text);
    text = NULL;
    assert_int_equal(sy_tuning_write(SY_TUNING_AUTO, list, 0, &text, NULL), SY_INVALID_ARGUMENT);
    assert_null(text);
}

/* A decision of ours says of which backend and version it is, so that PyTorch does not take it for its own. */
static void decisions_of_ours_go_round_too(void **state)
{
    static const sy_property structure[] = {
        {"batch", "1"}, {"dtype", "f32"}, {"k", "4096"}, {"m", "8"}, {"n", "11008"}};
    static const sy_measurement measured[] = {{"reference_total", 2e6, "ns"}, {"candidate_total", 1.5e6, "ns"}};
    const sy_profile ours = {.kind = SY_PROFILE_CALIBRATED,
                             .portable = true,
                             .policy = "blis",
                             .policy_size = 4,
                             .has_trial = true,
                             .trial = {.decision = SY_DECISION_WIN},
                             .measurements = measured,
                             .measurement_count = 2,
                             .key = {"cpu", "matmul", "1+0123456789abcdef", "", "", 0, structure, 5}};
    const sy_profile *list[] = {&ours};
    sy_tuning_text *text = NULL;
    sy_tuning *again;

    (void)state;
    assert_int_equal(sy_tuning_write(SY_TUNING_TUNABLE_OP, list, 1, &text, NULL), SY_OK);
    assert_string_equal(text->text, "Validator,STEELYARD_VERSION,1+0123456789abcdef\n"
                                    "Validator,STEELYARD_BACKEND,cpu\n"
                                    "GemmTunableOp_float_NN,nn_11008_8_4096_ld_11008_4096_11008,blis,1.5\n");
    again = tuning_text(text->text);
    expect_key(&again->list[0].profile, "cpu", "matmul", "1+0123456789abcdef", "batch=1 dtype=f32 k=4096 m=8 n=11008");
    expect_winner(&again->list[0].profile, "blis", 1.5, "ms");
    sy_tuning_destroy(again);
    sy_tuning_text_destroy(text);
}

/* Whatever is read of a part of a file, or is not: no crash, and an error that says what is wrong. */
static void a_file_that_ends_anywhere_is_read_or_refused(void **state)
{
    static const char *const texts[] = {TUNABLE, FIND_DB, CACHE, RESULTS};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (size_t size = 0; size <= strlen(texts[i]); size++) {
            sy_tuning *tuning = NULL;
            sy_tuning_lint *lint = NULL;
            sy_error err = SY_ERROR_INIT;
            sy_status status = sy_tuning_parse(texts[i], size, "f", NULL, &tuning, &err);

            assert_true(status == SY_OK || status == SY_CORRUPT || status == SY_INVALID_ARGUMENT);
            assert_true((status == SY_OK) == (err.what[0] == '\0'));
            assert_int_equal(sy_tuning_lint_text(texts[i], size, "f", NULL, &lint, NULL), status);
            sy_tuning_destroy(tuning);
            sy_tuning_lint_destroy(lint);
        }
    }
}

static void files_of_other_kinds_are_refused(void **state)
{
    sy_error err = SY_ERROR_INIT;
    static const char zeros[] = "Op_Half_TN,tn_1_2_3,a\0b,1\nOp_Half_TN,t\0n,a,1\n";
    char names[3 * 4096 + 32];
    sy_tuning *t;

    (void)state;
    expect_refused("", 0, SY_CORRUPT, &err);
    expect_refused(" \n\t\n", 4, SY_CORRUPT, &err);
    expect_refused("hello", 5, SY_INVALID_ARGUMENT, &err);
    expect_refused("a,b,c\n", 6, SY_INVALID_ARGUMENT, &err);
    expect_refused("{}", 2, SY_INVALID_ARGUMENT, &err);
    expect_refused("[1]", 3, SY_INVALID_ARGUMENT, &err);
    expect_refused("{\"cache\": 3, ", 13, SY_CORRUPT, &err);
    assert_int_equal(err.position.line, 1);
    expect_refused("steelyard_profiles 2\n", 21, SY_INVALID_ARGUMENT, &err);
    assert_non_null(strstr(err.hint, "profile merge"));
    expect_refused("\x1f\x8b\x08\x00", 4, SY_CORRUPT, &err);
    t = tuning_bytes(zeros, sizeof zeros - 1);
    assert_int_equal(t->count, 0);
    assert_int_equal(t->passed_over, 2);
    sy_tuning_destroy(t);
    (void)snprintf(names, sizeof names, "Op_%04096d_TN,tn_1_2_3,%04096d,1", 1, 2);
    t = tuning_text(names);
    assert_int_equal(t->list[0].profile.policy_size, 4096);
    assert_int_equal(strlen(t->list[0].profile.key.structure[0].value), 4096);
    sy_tuning_destroy(t);
}

static void a_limit_is_kept(void **state)
{
    sy_tuning_options options = SY_TUNING_OPTIONS_INIT;
    sy_tuning *tuning = NULL;

    (void)state;
    options.limit_bytes = strlen(TUNABLE);
    assert_int_equal(sy_tuning_parse(TUNABLE, strlen(TUNABLE), "f", &options, &tuning, NULL), SY_OK);
    sy_tuning_destroy(tuning);
    tuning = NULL;
    options.limit_bytes--;
    assert_int_equal(sy_tuning_parse(TUNABLE, strlen(TUNABLE), "f", &options, &tuning, NULL), SY_LIMIT_EXCEEDED);
}

/* user: the text. */
static sy_status read_lint_and_write(void *user)
{
    const char *text = user;
    const sy_profile *list[8];
    sy_tuning *tuning = NULL;
    sy_tuning_lint *lint = NULL;
    sy_tuning_text *written = NULL;
    sy_status status = sy_tuning_parse(text, strlen(text), "f", NULL, &tuning, NULL);

    for (size_t i = 0; status == SY_OK && i < tuning->count; i++)
        list[i] = &tuning->list[i].profile;
    if (status == SY_OK)
        status = sy_tuning_write(tuning->format, list, tuning->count, &written, NULL);
    if (status == SY_OK)
        status = sy_tuning_lint_text(text, strlen(text), "f", NULL, &lint, NULL);
    sy_tuning_lint_destroy(lint);
    sy_tuning_text_destroy(written);
    sy_tuning_destroy(tuning);
    return status;
}

static void a_lack_of_memory_is_told_and_leaks_nothing(void **state)
{
    char texts[][1200] = {TUNABLE, FIND_DB "64-1-1-1=x\n", CACHE, RESULTS};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(fault_loop_allocations(read_lint_and_write, texts[i], true) > 20);
        assert_true(fault_loop_allocations(read_lint_and_write, texts[i], false) > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_goes_round),
        cmocka_unit_test(a_cache_is_written_as_its_tuner_names_its_entries),
        cmocka_unit_test(what_cannot_be_written_is_named),
        cmocka_unit_test(decisions_of_ours_go_round_too),
        cmocka_unit_test(a_file_that_ends_anywhere_is_read_or_refused),
        cmocka_unit_test(files_of_other_kinds_are_refused),
        cmocka_unit_test(a_limit_is_kept),
        cmocka_unit_test(a_lack_of_memory_is_told_and_leaks_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
