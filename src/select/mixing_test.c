/* SPDX-License-Identifier: Apache-2.0 */
/* An attention answer never chooses a convolution. Two operations that are alike in all but their name,
 * implementations, cases, versions, model and device, share a selector, a store and a file of misses; one is faster
 * with "direct", the other with "plain", and every way that could carry the one's answer to the other is tried. */
#include "select_support.h"

#define OPERATION(name, direct_ns)                                                                         \
    "{\"schema\": \"steelyard.fake/1\", \"operation\": \"" name "\", \"seed\": 7, \"cases\": [{\"name\": " \
    "\"c\", \"n\": 64}], \"implementations\": [{\"name\": \"plain\", \"role\": \"reference\", \"law\": "   \
    "{\"base_ns\": 1000000, \"model\": \"quiet\"}}," CANDIDATE("direct", direct_ns, "") "]}"

typedef struct pair {
    place attention; /* its folder, store and misses are both's */
    place convolution;
} pair;

static void open_operation(place *p, const char *script, const char *operation)
{
    weighed w = {0};
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    write_script(&w, script);
    (void)snprintf(p->script, sizeof(p->script), "%s", w.path);
    options.script = p->script;
    assert_int_equal(sy_device_open("fake", &options, &p->device, NULL), SY_OK);
    assert_int_equal(sy_device_suite(p->device, operation, &p->suite, NULL), SY_OK);
}

static pair open_pair(void)
{
    pair both = {.attention = place_with(WINNING)};
    place *a = &both.attention;
    sy_device_close(a->device);
    (void)unlink(a->script);
    both.convolution = *a;
    open_operation(a, OPERATION("attention", "800000"), "attention");
    open_operation(&both.convolution, OPERATION("convolution", "1200000"), "convolution");
    return both;
}

static void leave_pair(pair *both)
{
    sy_device_close(both->convolution.device);
    (void)unlink(both->convolution.script);
    leave(&both->attention);
}

static sy_request asked(const place *p, sy_select_mode mode)
{
    sy_request request = request_of(p, mode);
    request.model_digest = "sha256:one-model";
    return request;
}

/* No answer, and the reason that every line of the explanation but the last, the shortcut's, has. */
static void expect_none_because(sy_selector *selector, const sy_request *request, const char *reason)
{
    sy_selection why = {0};
    expect_none(selector, request);
    assert_int_equal(sy_selector_explain(selector, request, &why, NULL), SY_OK);
    assert_null(why.implementation);
    if (!strstr(why.why, reason))
        fail_msg("'%s' is not why: %s", reason, why.why);
}

static sy_status give_text(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    (void)err;
    *ret_policy = user;
    *ret_size = strlen(user);
    return SY_OK;
}

static sy_profile_key key_of(sy_selector *selector, const sy_request *request)
{
    sy_selection key;
    assert_int_equal(sy_selector_key(selector, request, &key, NULL), SY_OK);
    return (sy_profile_key){.backend = key.backend,
                            .operator_name = key.operator_name,
                            .implementation_version = key.implementation_version,
                            .model_digest = key.model_digest,
                            .processor = key.processor,
                            .thread_count = key.thread_count};
}

static void replace_all(char *text, size_t size, const char *from, const char *to)
{
    char made[65536] = "";
    size_t used = 0;
    for (const char *at = text; *at;) {
        const bool hit = strncmp(at, from, strlen(from)) == 0;
        const char *what = hit ? to : at;
        const size_t length = hit ? strlen(to) : 1;
        assert_true(used + length < sizeof(made));
        memcpy(made + used, what, length);
        used += length;
        at += hit ? strlen(from) : 1;
    }
    made[used] = '\0';
    assert_true(used < size);
    memcpy(text, made, used + 1);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* ---- memory ---- */

static void the_memory_of_one_selector_keeps_them_apart(void **state)
{
    (void)state;
    pair both = open_pair();
    sy_selector *selector = open_selector(&both.attention);
    sy_request attention = asked(&both.attention, SY_SELECT_PROBE);
    sy_request convolution = asked(&both.convolution, SY_SELECT_STORE_ONLY);
    (void)expect_answer(selector, &attention, "direct", SY_SOURCE_PROBE);
    (void)expect_answer(selector, &attention, "direct", SY_SOURCE_MEMORY);
    expect_none_because(selector, &convolution, "no profile of convolution");
    convolution.mode = SY_SELECT_PROBE;
    (void)expect_answer(selector, &convolution, "plain", SY_SOURCE_PROBE);
    (void)expect_answer(selector, &convolution, "plain", SY_SOURCE_MEMORY);
    (void)expect_answer(selector, &attention, "direct", SY_SOURCE_STORE); /* which has changed */
    (void)expect_answer(selector, &attention, "direct", SY_SOURCE_MEMORY);
    sy_selector_close(selector);
    leave_pair(&both);
}

/* The cases of one operation asked of the other: the same shapes, and still another question. */
static void the_cases_of_the_one_do_not_make_an_answer_of_the_other(void **state)
{
    (void)state;
    pair both = open_pair();
    sy_selector *selector = open_selector(&both.attention);
    sy_request attention = asked(&both.attention, SY_SELECT_PROBE);
    sy_request convolution = asked(&both.convolution, SY_SELECT_STORE_ONLY);
    (void)expect_answer(selector, &attention, "direct", SY_SOURCE_PROBE);
    convolution.cases = both.attention.suite->cases;
    convolution.case_count = both.attention.suite->case_count;
    expect_none_because(selector, &convolution, "no profile of convolution");
    const sy_property structure[] = {{"n", "64"}}; /* and the portable ranks of the same structure */
    attention.per_case = true;
    attention.force_portable = true;
    (void)expect_answer(selector, &attention, "direct", SY_SOURCE_PROBE);
    convolution.structure = structure;
    convolution.structure_count = 1;
    expect_none_because(selector, &convolution, "no profile of convolution");
    convolution.per_case = true;
    expect_none_because(selector, &convolution, "no profile of convolution");
    sy_selector_close(selector);
    leave_pair(&both);
}

/* ---- the store ---- */

static void a_store_edited_by_hand_is_refused_whole(void **state)
{
    (void)state;
    pair both = open_pair();
    sy_selector *selector = open_selector(&both.attention);
    sy_request attention = asked(&both.attention, SY_SELECT_PROBE);
    (void)expect_answer(selector, &attention, "direct", SY_SOURCE_PROBE);
    sy_selector_close(selector);
    char *text = slurp(both.attention.store);
    replace_all(text, 65536, "operator \"attention\"", "operator \"convolution\"");
    write_file(both.attention.store, text);
    selector = open_selector(&both.attention);
    sy_layer_info layer = {0};
    assert_int_equal(sy_store_layer(sy_selector_store(selector), 0, &layer, NULL), SY_OK);
    assert_int_equal(layer.status, SY_CORRUPT);
    assert_non_null(strstr(layer.message, "check"));
    sy_request convolution = asked(&both.convolution, SY_SELECT_STORE_ONLY);
    expect_none_because(selector, &convolution, "no profile of convolution");
    sy_selector_close(selector);
    leave_pair(&both);
}

/* Format 1 has no check lines: there the version, which rests on the operation, does not fit. */
static void a_store_without_checks_edited_by_hand_does_not_fit(void **state)
{
    (void)state;
    pair both = open_pair();
    write_file(both.attention.script, OPERATION("attention", "800000")); /* as it is; the folder is there */
    sy_selector *selector = open_selector(&both.attention);
    sy_request attention = asked(&both.attention, SY_SELECT_STORE_ONLY);
    const sy_profile_key key = key_of(selector, &attention);
    char text[16384];
    (void)snprintf(text, sizeof(text),
                   "onnx_light_calibration_profiles 1\nprofile exact calibrated\nbackend \"fake\"\noperator "
                   "\"attention\"\nimplementation \"%s\"\nmodel_digest \"%s\"\nprocessor \"%s\"\nthread_count %u\n"
                   "policy \"direct\"\nend\n",
                   key.implementation_version, key.model_digest, key.processor, key.thread_count);
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT; /* makes the folder */
    char policy[] = "plain";
    draft.key = key;
    assert_int_equal(sy_store_put(sy_selector_store(selector), &draft, give_text, NULL, policy, NULL, NULL), SY_OK);
    sy_selector_close(selector);
    write_file(both.attention.store, text);
    selector = open_selector(&both.attention);
    (void)expect_answer(selector, &attention, "direct", SY_SOURCE_STORE); /* the text is good */
    sy_selector_close(selector);
    replace_all(text, sizeof(text), "operator \"attention\"", "operator \"convolution\"");
    write_file(both.attention.store, text);
    selector = open_selector(&both.attention);
    sy_request convolution = asked(&both.convolution, SY_SELECT_STORE_ONLY);
    expect_none_because(selector, &convolution, "nearest: outdated implementation");
    expect_none_because(selector, &attention, "no profile of attention");
    sy_selector_close(selector);
    leave_pair(&both);
}

static void policy_bytes_of_the_other_operation_are_rejected(void **state)
{
    (void)state;
    pair both = open_pair();
    sy_selector *selector = open_selector(&both.attention);
    sy_request convolution = asked(&both.convolution, SY_SELECT_STORE_ONLY);
    static char flash[] = "flash"; /* what an attention may be called, and no convolution is */
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    draft.key = key_of(selector, &convolution);
    assert_int_equal(sy_store_put(sy_selector_store(selector), &draft, give_text, NULL, flash, NULL, NULL), SY_OK);
    expect_none_because(selector, &convolution, "nearest: policy rejected");
    sy_override_draft override = SY_OVERRIDE_DRAFT_INIT;
    override.key = draft.key;
    assert_int_equal(
        sy_store_install_override(sy_selector_store(selector), &override, give_text, NULL, flash, NULL, NULL), SY_OK);
    expect_none_because(selector, &convolution, "nearest: policy rejected");
    sy_selector_close(selector);
    leave_pair(&both);
}

/* ---- results ---- */

static void a_result_of_the_one_is_not_kept_for_the_other(void **state)
{
    (void)state;
    pair both = open_pair();
    sy_selector *selector = open_selector(&both.attention);
    const sy_probe_options options = seeded(1);
    sy_probe_result *result = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_probe(both.attention.device, both.attention.suite, &options, &result, NULL), SY_OK);
    assert_string_equal(result->winner, "direct");
    sy_request convolution = asked(&both.convolution, SY_SELECT_STORE_ONLY);
    sy_put_result put;
    assert_int_equal(sy_selector_keep(selector, &convolution, result, &put, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "it is of attention on fake, not of convolution on fake"));
    uint32_t attempts = 9; /* nor does it count as a probe of the other */
    assert_int_equal(sy_selector_attempts(selector, &convolution, &attempts, NULL), SY_OK);
    assert_int_equal(attempts, 0);
    expect_none_because(selector, &convolution, "no profile of convolution");
    sy_request attention = asked(&both.attention, SY_SELECT_STORE_ONLY);
    sy_case renamed = both.attention.suite->cases[0];
    renamed.name = "another";
    attention.cases = &renamed;
    attention.case_count = 1;
    assert_int_equal(sy_selector_keep(selector, &attention, result, &put, &err), SY_INVALID_ARGUMENT);
    assert_non_null(strstr(err.what, "its 1 cases are not the 1 that are asked for"));
    sy_probe_result_destroy(result);
    sy_selector_close(selector);
    leave_pair(&both);
}

/* A probe puts cases that it leaves out behind the others: it is refused for these, not as one of other cases. */
static void the_order_of_a_results_cases_does_not_matter(void **state)
{
    (void)state;
    place p = place_with("{\"schema\": \"steelyard.fake/1\", \"operation\": \"ring\", \"device\": "
                         "{\"free_memory_bytes\": 60000}, \"cases\": [{\"name\": \"large\", \"n\": 8192}, {\"name\": "
                         "\"small\"}], \"implementations\": [" REFERENCE "," CANDIDATE("f", "800000", "") "]}");
    sy_selector *selector = open_selector(&p);
    sy_request request = request_of(&p, SY_SELECT_PROBE);
    sy_selection partial = expect_answer(selector, &request, "r", SY_SOURCE_PROBE);
    assert_false(partial.stored);
    if (!strstr(partial.why, "it covers 1 of 2 cases, not large (memory)"))
        fail_msg("%s", partial.why);
    uint32_t attempts = 0;
    assert_int_equal(sy_selector_attempts(selector, &request, &attempts, NULL), SY_OK);
    assert_int_equal(attempts, 1);
    sy_selector_close(selector);
    leave(&p);
}

/* ---- misses ---- */

/* A line whose operation was changed is a question about the other operation, and gets the other one's answer. */
static void a_miss_edited_by_hand_is_answered_as_what_it_asks(void **state)
{
    (void)state;
    pair both = open_pair();
    sy_selector *selector = open_selector(&both.attention);
    sy_request attention = asked(&both.attention, SY_SELECT_RECORD_MISS);
    expect_none(selector, &attention);
    char *text = slurp(both.attention.misses);
    replace_all(text, 65536, "\"operation\":\"attention\"", "\"operation\":\"convolution\"");
    replace_all(text, 65536, both.attention.script, both.convolution.script);
    write_file(both.attention.misses, text);
    sy_work_off_options options = {.budget_ns = UINT64_C(60000000000)};
    sy_work_off_result result;
    assert_int_equal(sy_selector_work_off(selector, both.attention.misses, &options, &result, NULL), SY_OK);
    assert_int_equal(result.probed, 1);
    expect_none_because(selector, &attention, "no profile of attention");
    sy_request convolution = asked(&both.convolution, SY_SELECT_STORE_ONLY);
    sy_selector_close(selector);
    selector = open_selector(&both.attention);
    (void)expect_answer(selector, &convolution, "plain", SY_SOURCE_STORE);
    sy_selector_close(selector);
    leave_pair(&both);
}

/* Two lines with one key, of which only the first can be answered: the second stays. */
static void a_key_that_was_copied_takes_no_other_question_out_of_the_file(void **state)
{
    (void)state;
    pair both = open_pair();
    sy_selector *selector = open_selector(&both.attention);
    sy_request attention = asked(&both.attention, SY_SELECT_RECORD_MISS);
    expect_none(selector, &attention);
    char lines[65536];
    char other[65536];
    slurp_into(other, sizeof(other), both.attention.misses);
    slurp_into(lines, sizeof(lines), both.attention.misses);
    replace_all(other, sizeof(other), "\"operation\":\"attention\"", "\"operation\":\"convolution\"");
    (void)strncat(lines, other, sizeof(lines) - strlen(lines) - 1); /* asks the attention's script for it: in vain */
    write_file(both.attention.misses, lines);
    sy_work_off_options options = {.budget_ns = UINT64_C(60000000000)};
    sy_work_off_result result;
    assert_int_equal(sy_selector_work_off(selector, both.attention.misses, &options, &result, NULL), SY_OK);
    assert_int_equal(result.probed, 1);
    assert_int_equal(result.failed, 1);
    assert_string_equal(slurp(both.attention.misses), other);
    sy_selector_close(selector);
    leave_pair(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_memory_of_one_selector_keeps_them_apart),
        cmocka_unit_test(the_cases_of_the_one_do_not_make_an_answer_of_the_other),
        cmocka_unit_test(a_store_edited_by_hand_is_refused_whole),
        cmocka_unit_test(a_store_without_checks_edited_by_hand_does_not_fit),
        cmocka_unit_test(policy_bytes_of_the_other_operation_are_rejected),
        cmocka_unit_test(a_result_of_the_one_is_not_kept_for_the_other),
        cmocka_unit_test(the_order_of_a_results_cases_does_not_matter),
        cmocka_unit_test(a_miss_edited_by_hand_is_answered_as_what_it_asks),
        cmocka_unit_test(a_key_that_was_copied_takes_no_other_question_out_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
