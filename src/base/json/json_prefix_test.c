/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged JSON of which the undamaged beginning is kept, for readers that report all they can. */
#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static void what_stands_before_the_damage_can_be_kept(void **state)
{
    (void)state;
    const char *text = "{\"a\": 1, \"a\": [true, {\"b\": \"hal";
    sy_json *json = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_json_parse_prefix(text, strlen(text), NULL, &json, &err), SY_CORRUPT);
    assert_non_null(strstr(err.what, "found the end"));
    assert_non_null(json);
    const sy_json_value *root = sy_json_root(json);
    assert_int_equal(root->count, 2);
    assert_null(root->next);
    assert_true(sy_json_is_cut(json, root));
    assert_false(sy_json_is_cut(json, root->first));
    const sy_json_value *list = root->first->next;
    assert_true(sy_json_is_cut(json, list));
    assert_false(sy_json_is_cut(json, list->first));
    const sy_json_value *half = sy_json_member(list->first->next, "b");
    assert_int_equal(half->kind, SY_JSON_NULL);
    assert_true(sy_json_is_cut(json, half));
    size_t count = 0;
    assert_int_equal(sy_json_findings(json, &count)[0].kind, SY_JSON_DUPLICATE_KEY);
    assert_int_equal(count, 1);
    sy_json_destroy(json);
}

static void a_whole_document_has_nothing_cut(void **state)
{
    (void)state;
    sy_json *json = NULL;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_json_parse_prefix("[1]", 3, NULL, &json, &err), SY_OK);
    assert_false(sy_json_is_cut(json, sy_json_root(json)));
    sy_json_destroy(json);
    json = NULL;
    assert_int_equal(sy_json_parse_prefix("\xff\xfe{\0", 4, NULL, &json, &err), SY_CORRUPT);
    assert_null(json);
}

/* Every value of a cut document can be looked at: texts are there, lists end. */
static void walk(const sy_json *json, const sy_json_value *value)
{
    assert_true(value->kind != SY_JSON_TEXT || value->text != NULL);
    size_t count = 0;
    for (const sy_json_value *child = value->first; child != NULL; child = child->next, count++) {
        assert_ptr_equal(child->parent, value);
        assert_true(sy_json_is_cut(json, value) || !sy_json_is_cut(json, child));
        walk(json, child);
    }
    assert_int_equal(count, value->count);
}

static void every_prefix_can_be_walked(void **state)
{
    (void)state;
    const char *whole = "{\"a\\u00e4\":[1.5e3,\"x\xe2\x82\xac\",{\"b\":null,\"b\":[]}],\"c\":-Infinity,\"d\":{}}";
    for (size_t size = 1; size < strlen(whole); size++) {
        char *exact = malloc(size); /* its own block, so that a sanitizer sees a read behind it */
        memcpy(exact, whole, size);
        sy_json *json = NULL;
        assert_int_equal(sy_json_parse_prefix(exact, size, NULL, &json, NULL), SY_CORRUPT);
        assert_true(sy_json_is_cut(json, sy_json_root(json)));
        walk(json, sy_json_root(json));
        sy_json_destroy(json);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_before_the_damage_can_be_kept),
        cmocka_unit_test(a_whole_document_has_nothing_cut),
        cmocka_unit_test(every_prefix_can_be_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
