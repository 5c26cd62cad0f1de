/* SPDX-License-Identifier: Apache-2.0 */
/* TunableOp and MIOpen's find-db: which key a line gets, which time is believed, what a line that stands there twice
 * does. Expected values are worked out by hand from the formats' facts. */
#include "importers/tuning/tuning_test_support.h"

static void a_line_of_tunable_op_is_a_profile_of_its_problem(void **state)
{
    sy_tuning *t = tuning_text(
        "Validator,PT_VERSION,2.4.0\n"
        "Validator,ROCM_VERSION,6.0,1\n"
        "GemmTunableOp_Half_TN,tn_57344_64_8192,Gemm_Hipblaslt_TN_22029,14.8177\n"
        "\n"
        "GemmStridedBatchedTunableOp_float_NN,nn_64_128_32_B_96_ld_64_128_64,Gemm_Rocblas_-12,0.5\r\n"
        "GemmTunableOp_c10::complex<float>_NT,nt_1_2_3,Default\n");

    (void)state;
    assert_true(t->format == SY_TUNING_TUNABLE_OP);
    assert_int_equal(t->count, 3);
    assert_int_equal(t->entry_count, 3);
    assert_int_equal(t->passed_over, 0);
    assert_int_equal(t->finding_total, 0);
    expect_key(&t->list[0].profile, "hip", "GemmTunableOp", "{\"PT_VERSION\":\"2.4.0\",\"ROCM_VERSION\":\"6.0,1\"}",
               "dtype=f16 k=8192 m=57344 n=64 transposes=TN");
    expect_winner(&t->list[0].profile, "Gemm_Hipblaslt_TN_22029", 14.8177, "ms");
    assert_int_equal(t->list[0].position.line, 3);
    expect_key(&t->list[1].profile, "hip", "GemmStridedBatchedTunableOp",
               "{\"PT_VERSION\":\"2.4.0\",\"ROCM_VERSION\":\"6.0,1\"}",
               "batch=96 dtype=f32 k=32 lda=64 ldb=128 ldc=64 m=64 n=128 transposes=NN");
    expect_winner(&t->list[1].profile, "Gemm_Rocblas_-12", 0.5, "ms");
    expect_key(&t->list[2].profile, "hip", "GemmTunableOp", "{\"PT_VERSION\":\"2.4.0\",\"ROCM_VERSION\":\"6.0,1\"}",
               "dtype=c10::complex<float> k=3 m=1 n=2 transposes=NT");
    expect_winner(&t->list[2].profile, "Default", NAN, "");
    sy_tuning_destroy(t);
}

/* Column-major nn of M x N is row-major of N x M: m is what BLAS calls N. */
static void a_dense_product_in_f32_is_ours(void **state)
{
    sy_tuning *t = tuning_text("GemmTunableOp_float_NN,nn_11008_8_4096_ld_11008_4096_11008,openblas,1.5\n"
                               "GemmTunableOp_float_NN,nn_11008_8_4096_ld_11009_4096_11008,x,1.5\n"
                               "GemmTunableOp_float_NN,nn_11008_8_4096,x,1.5\n"
                               "GemmTunableOp_Half_NN,nn_11008_8_4096_ld_11008_4096_11008,x,1.5\n");

    (void)state;
    assert_int_equal(t->count, 4);
    expect_key(&t->list[0].profile, "tunableop", "matmul", "unknown", "batch=1 dtype=f32 k=4096 m=8 n=11008");
    for (size_t i = 1; i < 4; i++)
        assert_string_equal(t->list[i].profile.key.operator_name, "GemmTunableOp");
    sy_tuning_destroy(t);
}

static void what_has_no_usual_form_is_kept_as_it_stands(void **state)
{
    static const char *const lines[] = {"GemmTunableOp_Half_TN,tn_0_2_3,x,1",
                                        "GemmTunableOp_Half_TN,tn_01_2_3,x,1",
                                        "GemmTunableOp_Half_TN,nt_1_2_3,x,1",
                                        "GemmTunableOp_Half_TN,tn_1_2_3_,x,1",
                                        "GemmTunableOp_Half_TN,tn_1_2_3_B,x,1",
                                        "GemmTunableOp_Half_TN,tn_1_2_3_ld_1_2,x,1",
                                        "GemmTunableOp_Half_TN,tn_1_2_3_ld_1_2_3_4,x,1",
                                        "GemmTunableOp_f16_TN,tn_1_2_3,x,1",
                                        "GemmTunableOp_Half_TX,tx_1_2_3,x,1",
                                        "Gemm_TN,tn_1_2_3,x,1",
                                        "GemmTunableOp_Half_TN,tn_1_2_3_rw_0,x,1",
                                        "GemmTunableOp_Half_TN,tn_1_2_1000000000000000000,x,1"};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        sy_tuning *t = tuning_text(lines[i]);
        const char *comma = strchr(lines[i], ',');
        char params[64];

        assert_int_equal(t->count, 1);
        (void)snprintf(params, sizeof params, "params=%.*s", (int)strcspn(comma + 1, ","), comma + 1);
        assert_memory_equal(t->list[0].profile.key.operator_name, lines[i], (size_t)(comma - lines[i]));
        expect_key(&t->list[0].profile, "tunableop", t->list[0].profile.key.operator_name, "unknown", params);
        sy_tuning_destroy(t);
    }
}

static void times_that_cannot_be_true_leave_the_winner_without(void **state)
{
    sy_tuning *t = tuning_text("Op_Half_TN,tn_1_2_3,a,inf\n"
                               "Op_Half_TN,tn_1_2_4,a,0.0\n"
                               "Op_Half_TN,tn_1_2_5,a,-1\n"
                               "Op_Half_TN,tn_1_2_6,a,nan\n"
                               "Op_Half_TN,tn_1_2_7,a,1e13\n"
                               "Op_Half_TN,tn_1_2_8,a,fast\n"
                               "Op_Half_TN,tn_1_2_9,,1\n"
                               "Op_Half_TN\n"
                               "Op_Half_TN,tn_1_2_8,b,2\n");

    (void)state;
    assert_int_equal(t->count, 6);
    assert_int_equal(t->entry_count, 9);
    assert_int_equal(t->passed_over, 3);
    FINDING(t, 0, "1:23 tuning-time", "inf ms is not finite");
    FINDING(t, 1, "2:23 tuning-time", "0.0 ms is zero");
    FINDING(t, 2, "3:23 tuning-time", "negative");
    FINDING(t, 3, "4:23 tuning-time", "not finite");
    FINDING(t, 4, "5:23 tuning-time", "a mark for a failure");
    FINDING(t, 5, "6:23 tuning-entry", "no number of milliseconds");
    FINDING(t, 6, "7:21 tuning-entry", "without the name of a solution");
    FINDING(t, 7, "8:1 tuning-entry", "expected OPERATION,PROBLEM,SOLUTION");
    assert_int_equal(t->finding_total, 8);
    for (size_t i = 0; i < 5; i++)
        expect_winner(&t->list[i].profile, "a", NAN, "");
    expect_winner(&t->list[5].profile, "b", 2, "ms"); /* the first with its key could not be read */
    sy_tuning_destroy(t);
}

static void of_a_problem_that_stands_there_twice_the_first_counts(void **state)
{
    sy_tuning *t = tuning_text("Validator,PT_VERSION,2.4.0\n"
                               "Op_Half_TN,tn_1_2_3,a,2\n"
                               "Op_Half_TN,tn_1_2_3,b,1\n"
                               "Validator,PT_VERSION,2.4.0\n"
                               "Op_Half_TN,tn_1_2_3,a,3\n"
                               "Validator,PT_VERSION,2.5.0\n");

    (void)state;
    assert_int_equal(t->count, 1);
    assert_int_equal(t->passed_over, 2);
    expect_winner(&t->list[0].profile, "a", 2, "ms");
    FINDING(t, 0, "3:1 tuning-duplicate", "line 2 has this problem with another winner");
    FINDING(t, 1, "6:22 tuning-validators", "PT_VERSION");
    assert_int_equal(t->finding_total, 2);
    NOTE(t, 0, "5:1 tuning-duplicate", "as in line 2");
    sy_tuning_destroy(t);
}

#define CONVOLUTION "64-56-56-3x3-128-28-28-16-1x1-2x2-1x1-0-NCHW-FP32-F"

static void the_fastest_time_that_can_be_true_wins_in_a_find_db(void **state)
{
    sy_tuning *t = tuning_text(CONVOLUTION "=GemmFwdRest:0.25,1024,miopenConvolutionFwdAlgoGEMM;"
                                           "ConvBinWinogradRxSf2x3g1:0.0,0,miopenConvolutionFwdAlgoWinograd;"
                                           "ConvDirectNaiveConvFwd:0.125,0,miopenConvolutionFwdAlgoDirect;\n");
    const sy_profile *p = &t->list[0].profile;

    (void)state;
    assert_true(t->format == SY_TUNING_MIOPEN);
    assert_int_equal(t->count, 1);
    assert_int_equal(t->entry_count, 3);
    expect_key(p, "miopen", "convolution", "unknown",
               "batch=16 channels=64 dilation=1 dtype=f32 filters=128 groups=1 height=56 kernel_h=3 kernel_w=3 "
               "padding=1 stride=2 width=56");
    expect_winner(p, "ConvDirectNaiveConvFwd", 0.125, "ms");
    assert_int_equal(p->measurement_count, 2);
    assert_string_equal(p->measurements[1].name, "workspace");
    assert_true(p->measurements[1].value == 0);
    assert_int_equal(p->alternative_count, 2);
    assert_string_equal(p->alternatives[0].name, "GemmFwdRest");
    assert_true(p->alternatives[0].ratio == 2);
    assert_string_equal(p->alternatives[1].name, "ConvBinWinogradRxSf2x3g1");
    assert_string_equal(p->alternatives[1].reason, "zero");
    assert_true(isnan(p->alternatives[1].ratio));
    FINDING(t, 0, "1:129 tuning-time", "a time that is zero is not believed");
    assert_int_equal(t->finding_total, 1);
    sy_tuning_destroy(t);
}

static void both_versions_of_a_find_db_are_told_apart_by_content(void **state)
{
    sy_tuning *t = tuning_text(
        "1-160-698-5x5-64-79-348-1-1x1-2x2-1x1-0-NCHW-FP32-W=miopenConvolutionBwdWeightsAlgoGEMM:GemmWrwUniversal,"
        "0.5,2048,miopenConvolutionBwdWeightsAlgoGEMM,not used;miopenConvolutionBwdWeightsAlgoDirect:ConvAsmBwdWrW3x3,"
        "0.25,0,k,x\n" CONVOLUTION "_g2=S:1,0,a\n");

    (void)state;
    assert_true(t->format == SY_TUNING_MIOPEN_1);
    assert_int_equal(t->count, 2);
    expect_key(
        &t->list[0].profile, "miopen", "miopenConvolutionBwdWeights", "unknown",
        "batch=1 bias=0 channels=1 dilation_h=1 dilation_w=1 dtype=f32 filters=64 groups=1 height=160 kernel_h=5 "
        "kernel_w=5 layout=NCHW out_height=79 out_width=348 pad_h=1 pad_w=1 stride_h=2 stride_w=2 width=698");
    expect_winner(&t->list[0].profile, "ConvAsmBwdWrW3x3", 0.25, "ms");
    assert_true(t->list[0].profile.alternatives[0].ratio == 2);
    FINDING(t, 0, "2:56 tuning-validators", "find-db 1 and 2");
    sy_tuning_destroy(t);
}

static void where_all_times_are_zero_nothing_wins(void **state)
{
    sy_tuning *t = tuning_text(CONVOLUTION "=A:0.0,0,a;B:0,0,b\n" CONVOLUTION "=C:1,0,a\n" CONVOLUTION
                                           "=D:1,0,a;E:0.5,0,e\nnonsense\n" CONVOLUTION "=F;G:1\n");

    (void)state;
    assert_int_equal(t->count, 1);
    expect_winner(&t->list[0].profile, "C", 1, "ms"); /* the first could not be taken */
    assert_int_equal(t->list[0].position.line, 2);
    FINDING(t, 0, "1:1 tuning-no-winner", "none wins");
    FINDING(t, 1, "1:55 tuning-time", "zero");
    FINDING(t, 2, "1:65 tuning-time", "zero");
    FINDING(t, 3, "3:1 tuning-duplicate", "line 2");
    FINDING(t, 4, "4:1 tuning-entry", "expected PROBLEM=SOLVER");
    FINDING(t, 5, "5:1 tuning-duplicate", "line 2");
    FINDING(t, 6, "5:53 tuning-entry", "expected SOLVER:MILLISECONDS");
    assert_int_equal(t->finding_total, 7);
    sy_tuning_destroy(t);
}

static void a_problem_of_another_form_is_kept_as_it_stands(void **state)
{
    static const char *const problems[] = {"64-8-56-56-3x3x3-128-8-28-28-16-1x1x1-2x2x2-1x1x1-0-NCDHW-FP32-F",
                                           CONVOLUTION "_g1",
                                           CONVOLUTION "_",
                                           CONVOLUTION "_ciFP8",
                                           "64-56-56-3x3-128-28-28-16-1x1-2x2-1x1-0-NCHW-FP32-X",
                                           "64-56-56-3x3-128-28-28-16-1x1-2x2-1x1-0-NCHW-f32-F",
                                           "64-56-56-3x3-128-28-28-16-1x1-2x2-1x1-0-NCHW-NHWC-FP32-F",
                                           "64-56-56-3x3x3-128-28-28-16-1x1-2x2-1x1-0-NCHW-FP32-F",
                                           "a-b"};
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        char structure[256];
        sy_tuning *t;

        (void)snprintf(text, sizeof text, "%s=S:1,0,a\n", problems[i]);
        (void)snprintf(structure, sizeof structure, "problem=%s", problems[i]);
        t = tuning_text(text);
        assert_int_equal(t->count, 1);
        expect_key(&t->list[0].profile, "miopen", "miopen", "unknown", structure);
        sy_tuning_destroy(t);
    }
}

/* Each differs from ours in one thing. */
static void only_what_convolution_computes_is_ours(void **state)
{
    static const char *const problems[] = {"64-56-56-3x3-128-28-28-16-1x2-2x2-1x1-0-NCHW-FP32-F",
                                           "64-56-56-3x3-128-28-28-16-1x1-2x2-1x1-1-NCHW-FP32-F",
                                           "64-56-56-3x3-128-28-28-16-1x1-2x2-1x1-0-NHWC-FP32-F",
                                           "64-56-56-3x3-128-28-28-16-1x1-2x2-1x1-0-NCHW-FP16-F",
                                           "64-56-56-3x3-128-28-29-16-1x1-2x2-1x1-0-NCHW-FP32-F",
                                           "64-56-56-3x3-128-28-28-16-1x1-2x2-1x1-0-NHWC-NCHW-NCHW-FP32-F",
                                           "64-56-56-3x3-128-28-28-16-1x1-2x2-1x1-0-NCHW-FP32-F_g3"};
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        sy_tuning *t;

        (void)snprintf(text, sizeof text, "%s=S:1,0,a\n", problems[i]);
        t = tuning_text(text);
        assert_string_equal(t->list[0].profile.key.operator_name, "miopenConvolutionFwd");
        sy_tuning_destroy(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_of_tunable_op_is_a_profile_of_its_problem),
        cmocka_unit_test(a_dense_product_in_f32_is_ours),
        cmocka_unit_test(what_has_no_usual_form_is_kept_as_it_stands),
        cmocka_unit_test(times_that_cannot_be_true_leave_the_winner_without),
        cmocka_unit_test(of_a_problem_that_stands_there_twice_the_first_counts),
        cmocka_unit_test(the_fastest_time_that_can_be_true_wins_in_a_find_db),
        cmocka_unit_test(both_versions_of_a_find_db_are_told_apart_by_content),
        cmocka_unit_test(where_all_times_are_zero_nothing_wins),
        cmocka_unit_test(a_problem_of_another_form_is_kept_as_it_stands),
        cmocka_unit_test(only_what_convolution_computes_is_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
