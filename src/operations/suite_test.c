/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of suites: properties, refusals each with its reason, cases and implementations by words; and the
 * matmul case table itself. */
#include "cmocka_headers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "operations/matmul.h"
#include "operations/suite.h"

static sy_status build_nothing(void *user, const sy_case *c, uint32_t variant, sy_graph *graph, sy_error *err)
{
    (void)user, (void)c, (void)variant, (void)graph, (void)err;
    return SY_OK;
}

static const sy_case_property sample_properties[] = {{"m", 3}, {"n", 0}};

/* A small suite that tests spoil in one place each. */
typedef struct sample {
    sy_implementation implementations[3];
    sy_case cases[3];
    sy_suite suite;
} sample;

static void start_sample(sample *s)
{
    sy_case one = {.name = "small",
                   .weight = 2,
                   .dtype = SY_F32,
                   .properties = sample_properties,
                   .property_count = 2,
                   .tolerance = {16, 2, SY_F32, NAN, NAN}};
    memset(s, 0, sizeof *s);
    s->implementations[0] = (sy_implementation){.name = "plain", .role = SY_ROLE_ORACLE};
    s->implementations[1] = (sy_implementation){.name = "usual", .role = SY_ROLE_REFERENCE};
    s->implementations[2] = (sy_implementation){.name = "clever", .role = SY_ROLE_CANDIDATE};
    s->cases[0] = s->cases[1] = s->cases[2] = one;
    s->cases[1].name = "large-1";
    s->cases[1].quick = true;
    s->cases[2].name = "large-2";
    s->suite = (sy_suite){.struct_size = sizeof(sy_suite),
                          .operation = "sum",
                          .version = "1",
                          .implementations = s->implementations,
                          .implementation_count = 3,
                          .cases = s->cases,
                          .case_count = 3,
                          .build = build_nothing};
}

static void expect_refusal(const sample *s, const char *word)
{
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_suite_check(&s->suite, &err), SY_INVALID_ARGUMENT);
    if (strstr(err.what, word) == NULL) {
        fail_msg("'%s' does not say '%s'", err.what, word);
    }
}

static void a_well_formed_suite_passes(void **state)
{
    (void)state;
    sample s;
    start_sample(&s);
    assert_int_equal(sy_suite_check(&s.suite, NULL), SY_OK);
    assert_int_equal(sy_suite_reference(&s.suite), 1);
}

static void a_property_is_found_by_its_name(void **state)
{
    (void)state;
    sample s;
    int64_t value = -1;
    sy_error err = SY_ERROR_INIT;
    start_sample(&s);
    assert_int_equal(sy_case_get(&s.cases[0], "m", &value, NULL), SY_OK);
    assert_int_equal(value, 3);
    assert_int_equal(sy_case_get(&s.cases[0], "depth", &value, &err), SY_INVALID_ARGUMENT);
    assert_int_equal(value, 3);
    assert_non_null(strstr(err.what, "'small' has no property 'depth'"));
}

#define REFUSES(change, word)     \
    do {                          \
        start_sample(&s);         \
        change;                   \
        expect_refusal(&s, word); \
    } while (0)

static void a_malformed_suite_is_refused_with_its_reason(void **state)
{
    (void)state;
    sample s;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_suite_check(NULL, &err), SY_INVALID_ARGUMENT);
    REFUSES(s.suite.struct_size = 8, "struct_size");
    REFUSES(s.suite.operation = NULL, "no name");
    REFUSES(s.suite.operation = "", "no name");
    REFUSES(s.suite.version = "", "no version");
    REFUSES(s.suite.version = NULL, "no version");
    REFUSES(s.suite.build = NULL, "no build function");
    REFUSES(s.suite.implementations = NULL, "no implementations");
    REFUSES(s.suite.implementation_count = 0, "no implementations");
    REFUSES(s.suite.cases = NULL, "no cases");
    REFUSES(s.suite.case_count = 0, "no cases");
}

static void a_malformed_implementation_is_refused_with_its_reason(void **state)
{
    (void)state;
    sample s;
    static const char long_name[] = "0123456789012345678901234567890123456789012345678901234567890123";
    REFUSES(s.implementations[2].name = NULL, "implementation 2 ('') has no name");
    REFUSES(s.implementations[2].name = "a,b", "comma");
    REFUSES(s.implementations[2].name = "a b", "space");
    REFUSES(s.implementations[2].name = "a*", "*");
    REFUSES(s.implementations[2].name = "a\n", "control");
    REFUSES(s.implementations[2].name = long_name, "more than 63 bytes");
    REFUSES(s.implementations[2].name = "plain", "earlier one");
    REFUSES(s.implementations[2].role = (sy_role)7, "role");
    REFUSES(s.implementations[2].error_class = (sy_error_class)-1, "error class");
    REFUSES(s.implementations[1].role = SY_ROLE_CANDIDATE, "has 0 references");
    REFUSES(s.implementations[0].role = SY_ROLE_REFERENCE, "has 2 references");
}

static void a_malformed_case_is_refused_with_its_reason(void **state)
{
    (void)state;
    sample s;
    static const sy_case_property twice[] = {{"m", 1}, {"m", 2}};
    static const sy_case_property unnamed[] = {{NULL, 1}};
    REFUSES(s.cases[1].name = NULL, "case 1 ('') has no name");
    REFUSES(s.cases[1].name = "small", "earlier one");
    REFUSES(s.cases[1].name = "quick", "means a set of cases");
    REFUSES(s.cases[1].name = "all", "means a set of cases");
    REFUSES(s.cases[1].weight = 0, "weight");
    REFUSES(s.cases[1].weight = -1, "weight");
    REFUSES(s.cases[1].weight = NAN, "weight");
    REFUSES(s.cases[1].weight = INFINITY, "weight");
    REFUSES(s.cases[1].dtype = (sy_dtype)99, "type");
    REFUSES(s.cases[1].flop_count = -1, "flop");
    REFUSES(s.cases[1].byte_count = NAN, "byte");
    REFUSES(s.cases[1].exact_stage = true, "length 0");
    REFUSES(s.cases[1].own_inputs = true, "no initialize");
    REFUSES(s.cases[1].properties = NULL, "properties at NULL");
    REFUSES(s.cases[1].properties = twice, "two properties of one name");
    REFUSES((s.cases[1].properties = unnamed, s.cases[1].property_count = 1), "property without");
    REFUSES(s.cases[1].tolerance.c = 0, "c or c_rms");
    REFUSES(s.cases[1].tolerance.c_rms = NAN, "c or c_rms");
    REFUSES(s.cases[1].tolerance.accumulator = SY_I32, "accumulator");
    REFUSES(s.cases[1].tolerance.absolute = 0, "absolute or relative"); /* relative is left unknown */
    REFUSES(s.cases[1].tolerance.relative = INFINITY, "absolute or relative");
}

static void a_relaxed_tolerance_is_one_and_relaxes(void **state)
{
    (void)state;
    sample s;
    start_sample(&s);
    s.cases[1].relaxed = (sy_tolerance){96, 8, SY_F32, NAN, NAN};
    assert_int_equal(sy_suite_check(&s.suite, NULL), SY_OK);
    assert_ptr_equal(sy_case_tolerance(&s.cases[1], SY_CLASS_EXACT), &s.cases[1].tolerance);
    assert_ptr_equal(sy_case_tolerance(&s.cases[1], SY_CLASS_NONDETERMINISTIC), &s.cases[1].tolerance);
    assert_ptr_equal(sy_case_tolerance(&s.cases[1], SY_CLASS_TOLERANCE), &s.cases[1].relaxed);
    assert_ptr_equal(sy_case_tolerance(&s.cases[0], SY_CLASS_TOLERANCE), &s.cases[0].tolerance);
    REFUSES((s.cases[1].relaxed = (sy_tolerance){15, 8, SY_F32, NAN, NAN}), "below its tolerance");
    REFUSES((s.cases[1].relaxed = (sy_tolerance){96, 1, SY_F32, NAN, NAN}), "below its tolerance");
    REFUSES((s.cases[1].relaxed = (sy_tolerance){96, 8, SY_F64, NAN, NAN}), "another kind");
    REFUSES((s.cases[1].relaxed = (sy_tolerance){0, 0, SY_F32, 1, 1}), "another kind");
    REFUSES((s.cases[1].relaxed = (sy_tolerance){96, 8, SY_F32, NAN, 1}), "that is none");
    REFUSES((s.cases[1].relaxed = (sy_tolerance){0, 8, SY_F32, NAN, NAN}), "that is none");
}

static void expect_selection(const sample *s, const char *const *patterns, size_t count, const char *expected)
{
    size_t indices[3];
    size_t found = 0;
    char names[64] = "";
    assert_int_equal(sy_suite_select_cases(&s->suite, patterns, count, indices, &found, NULL), SY_OK);
    for (size_t i = 0; i < found; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s ", s->suite.cases[indices[i]].name);
    }
    assert_string_equal(names, expected);
}

static void words_select_cases_in_suite_order_each_once(void **state)
{
    (void)state;
    sample s;
    start_sample(&s);
    expect_selection(&s, NULL, 0, "small large-1 large-2 ");
    expect_selection(&s, (const char *const[]){"all"}, 1, "small large-1 large-2 ");
    expect_selection(&s, (const char *const[]){"quick"}, 1, "large-1 ");
    expect_selection(&s, (const char *const[]){"large-2", "small"}, 2, "small large-2 ");
    expect_selection(&s, (const char *const[]){"large-*"}, 1, "large-1 large-2 ");
    expect_selection(&s, (const char *const[]){"large-?", "quick", "large-1"}, 3, "large-1 large-2 ");
}

static void an_unknown_case_is_named_with_near_names(void **state)
{
    (void)state;
    sample s;
    size_t indices[3];
    size_t found = 77;
    sy_error err = SY_ERROR_INIT;
    start_sample(&s);
    const char *const patterns[] = {"small", "larg-1", "nonsense"};
    assert_int_equal(sy_suite_select_cases(&s.suite, patterns, 3, indices, &found, &err), SY_NOT_FOUND);
    assert_int_equal(found, 77);
    assert_string_equal(err.what, "sum has no case 'larg-1'");
    assert_non_null(strstr(err.hint, "near to it: large-1, large-2;"));
    assert_null(strstr(err.hint, "small"));
    const char *const far[] = {"zzzzzzzzzzzz*"};
    assert_int_equal(sy_suite_select_cases(&s.suite, far, 1, indices, &found, &err), SY_NOT_FOUND);
    assert_non_null(strstr(err.hint, "there are: small, large-1, large-2; also quick"));
}

static void a_suite_without_quick_cases_says_so(void **state)
{
    (void)state;
    sample s;
    size_t indices[3];
    size_t found = 0;
    sy_error err = SY_ERROR_INIT;
    start_sample(&s);
    s.cases[1].quick = false;
    assert_int_equal(sy_suite_select_cases(&s.suite, (const char *const[]){"quick"}, 1, indices, &found, &err),
                     SY_NOT_FOUND);
    assert_non_null(strstr(err.what, "'quick'"));
}

static void implementations_are_found_by_name(void **state)
{
    (void)state;
    sample s;
    uint32_t variant = 9;
    sy_error err = SY_ERROR_INIT;
    start_sample(&s);
    assert_int_equal(sy_suite_find_implementation(&s.suite, "clever", &variant, NULL), SY_OK);
    assert_int_equal(variant, 2);
    assert_int_equal(sy_suite_find_implementation(&s.suite, "cleverer", &variant, &err), SY_NOT_FOUND);
    assert_string_equal(err.what, "sum has no implementation 'cleverer'");
    assert_non_null(strstr(err.hint, "clever"));
}

/* ---- the matmul table ---- */

static sy_suite matmul_suite(sample *s)
{
    start_sample(s);
    s->suite.operation = "matmul";
    s->suite.cases = sy_matmul_case_table;
    s->suite.case_count = SY_MATMUL_CASE_COUNT;
    return s->suite;
}

static void every_matmul_case_is_well_formed_and_counts_its_work(void **state)
{
    (void)state;
    sample s;
    sy_error err = SY_ERROR_INIT;
    sy_suite suite = matmul_suite(&s);
    if (sy_suite_check(&suite, &err) != SY_OK) {
        fail_msg("%s", err.what);
    }
    for (size_t i = 0; i < SY_MATMUL_CASE_COUNT; i++) {
        const sy_case *c = &sy_matmul_case_table[i];
        sy_matmul_shape shape;
        sy_tensor_desc tensors[3];
        double bytes = 0;
        assert_int_equal(sy_matmul_shape_of(c, &shape, NULL), SY_OK);
        assert_int_equal(sy_matmul_tensors(c, &tensors[0], &tensors[1], &tensors[2], NULL), SY_OK);
        for (size_t t = 0; t < 3; t++) {
            uint64_t elements = 0;
            uint64_t size = 0;
            assert_int_equal(sy_tensor_desc_check(&tensors[t], &elements, &size, NULL), SY_OK);
            bytes += (double)size;
            assert_int_equal(tensors[t].rank, shape.batch == 1 ? 2 : 3);
        }
        assert_true(c->byte_count == bytes);
        assert_true(c->flop_count == (double)(2 * shape.m * shape.n * shape.k * shape.batch));
        assert_int_equal(c->exact_length, shape.k);
        assert_true(c->exact_stage && c->source != NULL && c->source[0] != '\0');
    }
}

static void quick_matmul_cases_are_few_and_small(void **state)
{
    (void)state;
    size_t quick = 0;
    for (size_t i = 0; i < SY_MATMUL_CASE_COUNT; i++) {
        const sy_case *c = &sy_matmul_case_table[i];
        if (c->quick) {
            quick++;
            assert_true(c->flop_count <= 0.6e9);
        }
    }
    assert_in_range(quick, 5, 6);
}

static void a_shape_without_a_dimension_is_refused(void **state)
{
    (void)state;
    sample s;
    sy_matmul_shape shape;
    sy_error err = SY_ERROR_INIT;
    start_sample(&s);
    assert_int_equal(sy_matmul_shape_of(&s.cases[0], &shape, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "n is 0"));
    s.cases[0].property_count = 1;
    assert_int_equal(sy_matmul_shape_of(&s.cases[0], &shape, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "no property 'n'"));
}

static sy_status as_a_product(void *user, sy_case *c, sy_error *err)
{
    (void)user;
    sy_matmul_shape shape;
    return sy_matmul_shape_of(c, &shape, err);
}

static void an_engine_that_forgets_a_property_hears_what_there_are(void **state)
{
    (void)state;
    static const sy_case_property only_m[] = {{"m", 8}};
    sy_case c = {.name = "mine", .weight = 1, .dtype = SY_F32, .properties = only_m, .property_count = 1};
    sample s;
    sy_error err = SY_ERROR_INIT;
    start_sample(&s);
    s.suite.complete = as_a_product;
    assert_int_equal(sy_suite_complete_case(&s.suite, &c, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "'mine' has no property"));
    assert_string_equal(err.hint, "cases of sum have: m, n");
    assert_int_equal(sy_suite_complete_case(&s.suite, &c, NULL), SY_INVALID_ARGUMENT);
}

static void a_product_too_large_for_any_memory_is_refused_by_name(void **state)
{
    (void)state;
    static const sy_case_property huge[] = {{"m", INT64_C(1) << 40}, {"n", 1}, {"k", INT64_C(1) << 40}, {"batch", 1}};
    sy_case c = {.name = "huge", .properties = huge, .property_count = 4, .dtype = SY_F32};
    sy_tensor_desc a;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_matmul_tensors(&c, &a, &a, &a, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "'huge'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_well_formed_suite_passes),
        cmocka_unit_test(a_property_is_found_by_its_name),
        cmocka_unit_test(a_malformed_suite_is_refused_with_its_reason),
        cmocka_unit_test(a_malformed_implementation_is_refused_with_its_reason),
        cmocka_unit_test(a_malformed_case_is_refused_with_its_reason),
        cmocka_unit_test(a_relaxed_tolerance_is_one_and_relaxes),
        cmocka_unit_test(words_select_cases_in_suite_order_each_once),
        cmocka_unit_test(an_unknown_case_is_named_with_near_names),
        cmocka_unit_test(a_suite_without_quick_cases_says_so),
        cmocka_unit_test(implementations_are_found_by_name),
        cmocka_unit_test(every_matmul_case_is_well_formed_and_counts_its_work),
        cmocka_unit_test(quick_matmul_cases_are_few_and_small),
        cmocka_unit_test(a_shape_without_a_dimension_is_refused),
        cmocka_unit_test(an_engine_that_forgets_a_property_hears_what_there_are),
        cmocka_unit_test(a_product_too_large_for_any_memory_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
