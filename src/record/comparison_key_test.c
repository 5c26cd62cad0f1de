/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of comparison keys: what is unknown equals nothing, and the digest is of the canonical array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"
#include "fault_loop.h"
#include "record/comparison_key.h"
#include "record/run_events.h"
#include "record/run_words.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define KEY(fields) (&(sy_comparison_key){(fields), COUNT(fields)})

static void a_key_is_complete_when_every_field_is_known(void **state)
{
    (void)state;
    const sy_named_text whole[] = {{"a", "1"}, {"b", "2"}};
    const sy_named_text null[] = {{"a", "1"}, {"b", NULL}};
    const sy_named_text empty[] = {{"a", ""}, {"b", "2"}};
    const sy_named_text word[] = {{"a", "1"}, {"b", "unknown"}};
    assert_true(sy_comparison_key_is_complete(KEY(whole)));
    assert_false(sy_comparison_key_is_complete(KEY(null)));
    assert_false(sy_comparison_key_is_complete(KEY(empty)));
    assert_false(sy_comparison_key_is_complete(KEY(word)));
    assert_false(sy_comparison_key_is_complete(&(sy_comparison_key){NULL, 0}));
}

/* printf '[["a","1"],["b","\\"2\\""]]' | sha256sum */
static void the_digest_is_of_the_canonical_array(void **state)
{
    (void)state;
    const sy_named_text fields[] = {{"a", "1"}, {"b", "\"2\""}};
    const sy_named_text turned[] = {{"b", "\"2\""}, {"a", "1"}};
    const sy_named_text unknown[] = {{"a", "1"}, {"b", NULL}};
    char digest[65];
    char other[65];
    assert_int_equal(sy_comparison_key_digest(KEY(fields), digest, NULL), SY_OK);
    assert_string_equal(digest, "a47bf7abd6416b7fddb7e3f03d693e4b752d48a93d4c6b4f79586b91cfe64759");
    assert_int_equal(sy_comparison_key_digest(KEY(turned), other, NULL), SY_OK);
    assert_string_not_equal(digest, other);
    assert_int_equal(sy_comparison_key_digest(KEY(unknown), digest, NULL), SY_OK);
    assert_string_equal(digest, "");
}

/* printf '[["a","1"],["c","3"]]' | sha256sum */
static void a_line_is_the_key_without_its_revision(void **state)
{
    (void)state;
    const sy_named_text first[] = {{"a", "1"}, {"b", "2"}, {"c", "3"}};
    const sy_named_text second[] = {{"a", "1"}, {"b", NULL}, {"c", "3"}};
    const sy_named_text other[] = {{"a", "1"}, {"b", "2"}, {"c", NULL}};
    char line[65];
    char whole[65];
    assert_int_equal(sy_comparison_key_line(KEY(first), "b", line, NULL), SY_OK);
    assert_string_equal(line, "f184a7bb21457dae8788b9ba954d25a2b1aa37bd8e2f9b31555b9a326192a65d");
    assert_int_equal(sy_comparison_key_line(KEY(second), "b", line, NULL), SY_OK);
    assert_string_equal(line, "f184a7bb21457dae8788b9ba954d25a2b1aa37bd8e2f9b31555b9a326192a65d");
    assert_int_equal(sy_comparison_key_line(KEY(other), "b", line, NULL), SY_OK);
    assert_string_equal(line, "");
    assert_int_equal(sy_comparison_key_line(KEY(first), "d", line, NULL), SY_OK);
    assert_int_equal(sy_comparison_key_digest(KEY(first), whole, NULL), SY_OK);
    assert_string_equal(line, whole);
    assert_int_equal(sy_comparison_key_line(&(sy_comparison_key){first + 1, 1}, "b", line, NULL), SY_OK);
    assert_string_equal(line, "");
    assert_string_equal(sy_comparison_key_value(KEY(first), "b"), "2");
    assert_null(sy_comparison_key_value(KEY(second), "b"));
    assert_null(sy_comparison_key_value(KEY(first), "d"));
}

static void a_difference_lists_every_field_of_both(void **state)
{
    (void)state;
    const sy_named_text a[] = {{"cell", "x"}, {"device", "cpu"}, {"mask", NULL}, {"old", "1"}};
    const sy_named_text b[] = {{"new", "2"}, {"mask", "unknown"}, {"device", "gpu"}, {"cell", "x"}};
    sy_key_difference_list *list = NULL;
    assert_int_equal(sy_comparison_key_diff(KEY(a), KEY(b), &list, NULL), SY_OK);
    assert_int_equal(list->field_count, 5);
    assert_int_equal(list->differing_count, 4);
    const sy_key_difference *f = list->fields;
    assert_true(strcmp(f[0].name, "cell") == 0 && f[0].agrees && f[0].in_a && f[0].in_b);
    assert_true(strcmp(f[1].name, "device") == 0 && !f[1].agrees && strcmp(f[1].b, "gpu") == 0);
    assert_true(strcmp(f[2].name, "mask") == 0 && !f[2].agrees && f[2].a == NULL && f[2].b == NULL && f[2].in_b);
    assert_true(strcmp(f[3].name, "old") == 0 && !f[3].agrees && f[3].in_a && !f[3].in_b);
    assert_true(strcmp(f[4].name, "new") == 0 && !f[4].agrees && !f[4].in_a && f[4].in_b);
    sy_key_difference_list_destroy(list);
    sy_key_difference_list_destroy(NULL);
}

static void keys_without_fields_differ_in_nothing_and_are_not_complete(void **state)
{
    (void)state;
    const sy_comparison_key none = {NULL, 0};
    sy_key_difference_list *list = NULL;
    assert_int_equal(sy_comparison_key_diff(&none, &none, &list, NULL), SY_OK);
    assert_int_equal(list->field_count, 0);
    assert_int_equal(list->differing_count, 0);
    sy_key_difference_list_destroy(list);
}

static void expect_refused(const sy_comparison_key *key, const char *what)
{
    sy_error err = SY_ERROR_INIT;
    sy_text text = SY_TEXT_INIT;
    assert_int_equal(sy_comparison_key_write(key, &text, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, what);
    assert_int_equal(text.length, 0);
    sy_text_finish(&text);
}

static void a_key_that_cannot_be_is_refused_by_its_field(void **state)
{
    (void)state;
    const sy_named_text nameless[] = {{"a", "1"}, {NULL, "2"}};
    const sy_named_text bytes[] = {{"a", "\xff"}};
    const sy_named_text control[] = {{"a\tb", "x"}};
    static sy_named_text many[257];
    expect_refused(KEY(nameless), "key: field 1 has no name");
    expect_refused(KEY(bytes), "key: a: is not UTF-8");
    expect_refused(KEY(control), "key: a?b: 'a?b' holds the control character 0x09");
    expect_refused(KEY(many), "key: 257 fields, more than 256");
}

static sy_status digest_and_difference(void *user)
{
    (void)user;
    const sy_named_text fields[] = {{"a", "1"}, {"b", "2"}};
    char digest[65];
    sy_key_difference_list *list = NULL;
    sy_status status = sy_comparison_key_digest(KEY(fields), digest, NULL);
    if (status == SY_OK) {
        status = sy_comparison_key_diff(KEY(fields), KEY(fields), &list, NULL);
    }
    sy_key_difference_list_destroy(list);
    return status;
}

static void every_failed_allocation_is_clean(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(digest_and_difference, NULL, true) > 2);
}

static void every_word_of_a_list_is_read_as_its_value(void **state)
{
    (void)state;
    static const sy_word_list *const lists[] = {&sy_run_status_words,   &sy_run_kind_words,      &sy_run_parity_words,
                                                &sy_series_role_words,  &sy_artifact_role_words, &sy_memory_basis_words,
                                                &sy_memory_scope_words, &sy_run_decision_words,  &sy_event_kind_words};
    for (size_t l = 0; l < COUNT(lists); l++) {
        for (unsigned v = 0; v < lists[l]->count; v++) {
            unsigned read = 99;
            assert_true(sy_word_read(lists[l], sy_word_of(lists[l], v), &read));
            assert_int_equal(read, v);
        }
    }
    sy_run_status status = SY_RUN_OK;
    assert_false(sy_run_status_read("okay", &status));
    assert_false(sy_run_status_read(NULL, &status));
    assert_int_equal(status, SY_RUN_OK);
    assert_true(sy_run_status_read("superseded", &status));
    assert_int_equal(status, SY_RUN_SUPERSEDED);
    sy_run_parity parity;
    assert_true(sy_run_parity_read("not-performed", &parity));
    assert_int_equal(parity, SY_RUN_PARITY_NOT_PERFORMED);
    sy_artifact_role role;
    assert_true(sy_artifact_role_read("source", &role));
    assert_int_equal(role, SY_ARTIFACT_SOURCE);
    assert_string_equal(sy_run_status_word((sy_run_status)99), "unknown");
    assert_string_equal(sy_memory_scope_word(SY_MEMORY_DEVICE_USED), "device-used");
    assert_int_equal(sy_event_kind_read("accept"), SY_EVENT_ACCEPT);
    assert_int_equal(sy_event_kind_read("of-a-later-version"), SY_EVENT_UNKNOWN);
    assert_string_equal(sy_run_decision_words.words[SY_DECISION_NOT_SLOWER], sy_decision_word(SY_DECISION_NOT_SLOWER));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_complete_when_every_field_is_known),
        cmocka_unit_test(the_digest_is_of_the_canonical_array),
        cmocka_unit_test(a_line_is_the_key_without_its_revision),
        cmocka_unit_test(a_difference_lists_every_field_of_both),
        cmocka_unit_test(keys_without_fields_differ_in_nothing_and_are_not_complete),
        cmocka_unit_test(a_key_that_cannot_be_is_refused_by_its_field),
        cmocka_unit_test(every_failed_allocation_is_clean),
        cmocka_unit_test(every_word_of_a_list_is_read_as_its_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
