/* SPDX-License-Identifier: Apache-2.0 */
/* Files below a root: what is read, what is refused and why, where it is told. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "registry/files/look.h"
#include "temporary_folder.h"

typedef struct fixture {
    const char *root;
    sy_findings *findings;
    sy_document_set *set;
} fixture;

static void put(const fixture *f, const char *name, const char *bytes, size_t size)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", f->root, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void open_set(fixture *f)
{
    f->findings = sy_findings_create();
    assert_int_equal(sy_document_set_create(f->root, f->findings, &f->set, NULL), SY_OK);
}

static void close_set(fixture *f)
{
    sy_document_set_destroy(f->set);
    sy_findings_destroy(f->findings);
}

static const sy_finding *only_finding(const fixture *f)
{
    sy_finding_list list;
    assert_int_equal(sy_findings_list(f->findings, &list, NULL), SY_OK);
    assert_int_equal(list.finding_count, 1);
    return list.findings;
}

static void a_file_is_read_once_and_its_findings_have_places(void **state)
{
    fixture *f = *state;
    open_set(f);
    const char text[] = "{\r\n  \"a\": 1,\r\n  \"a\": NaN\r\n}\r\n";
    put(f, "x.json", text, strlen(text));
    sy_document *document = sy_document_json(f->set, "x.json", NULL, NULL);
    assert_ptr_equal(sy_document_json(f->set, "x.json", NULL, NULL), document);
    sy_finding_list list;
    assert_int_equal(sy_findings_list(f->findings, &list, NULL), SY_OK);
    assert_int_equal(list.finding_count, 2);
    assert_string_equal(list.findings[0].rule, "json-duplicate-key");
    assert_int_equal(list.findings[0].position.line, 3);
    assert_int_equal(list.findings[0].position.column, 3);
    assert_string_equal(list.findings[1].rule, "json-non-finite");
    assert_string_equal(list.findings[1].pointer, "/a");
    assert_string_equal(list.findings[1].found, "NaN");
    close_set(f);
}

static void what_stands_before_the_damage_is_read(void **state)
{
    fixture *f = *state;
    open_set(f);
    const char text[] = "{\"a\": true, \"b\": [1, 2";
    put(f, "cut.json", text, strlen(text));
    sy_document *document = sy_document_json(f->set, "cut.json", NULL, NULL);
    assert_string_equal(only_finding(f)->rule, "json-syntax");
    const sy_json_value *root = sy_json_root(document->json);
    bool a = false;
    assert_true(sy_look_bool(document, root, "a", &a));
    assert_true(a);
    /* What damage may have taken is not called missing. */
    assert_null(sy_look(document, root, "c", SY_JSON_TEXT));
    assert_int_equal(sy_findings_count(f->findings), 1);
    close_set(f);
}

static void wrong_types_are_findings_at_their_place(void **state)
{
    fixture *f = *state;
    open_set(f);
    const char text[] = "{\"t\": true, \"n\": 1.0, \"s\": \"  \", \"z\": null}";
    put(f, "x.json", text, strlen(text));
    sy_document *document = sy_document_json(f->set, "x.json", NULL, NULL);
    const sy_json_value *root = sy_json_root(document->json);
    int64_t number = 7;
    assert_false(sy_look_integer(document, root, "t", &number));
    assert_false(sy_look_integer(document, root, "n", &number));
    assert_int_equal(number, 7);
    assert_null(sy_look_text(document, root, "s"));
    assert_null(sy_look_optional(document, root, "z", SY_JSON_TEXT));
    assert_null(sy_look(document, root, "absent", SY_JSON_TEXT));
    sy_finding_list list;
    assert_int_equal(sy_findings_list(f->findings, &list, NULL), SY_OK);
    assert_int_equal(list.finding_count, 5);
    assert_string_equal(list.findings[0].rule, "field-missing");
    assert_string_equal(list.findings[1].message, "'t' must be a number, not true or false");
    assert_string_equal(list.findings[2].found, "1.0");
    assert_string_equal(list.findings[3].rule, "field-blank");
    assert_string_equal(list.findings[4].pointer, "/z");
    close_set(f);
}

/* name in the folder is asked for; rule and a part of the message are what comes of it. */
static void refused(fixture *f, const char *name, const char *rule, const char *message)
{
    open_set(f);
    sy_document *document = sy_document_text(f->set, name, NULL, NULL);
    assert_null(document->bytes);
    const sy_finding *finding = only_finding(f);
    assert_string_equal(finding->rule, rule);
    if (strstr(finding->message, message) == NULL) {
        fail_msg("%s: %s", name, finding->message);
    }
    close_set(f);
}

static void nothing_outside_the_root_is_read(void **state)
{
    fixture *f = *state;
    char path[512];
    (void)snprintf(path, sizeof path, "%s/passwd", f->root);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    (void)snprintf(path, sizeof path, "%s/loop", f->root);
    assert_int_equal(symlink("loop", path), 0);
    (void)snprintf(path, sizeof path, "%s/pipe", f->root);
    assert_int_equal(mkfifo(path, 0600), 0);
    refused(f, "passwd", "file-outside-root", "a link that leaves the root");
    refused(f, "/etc/passwd", "file-outside-root", "absolute");
    refused(f, "a/../../x", "file-outside-root", "leaves the root");
    refused(f, "loop", "file-unreadable", "leads back to itself");
    refused(f, "pipe", "file-unreadable", "no regular file");
    refused(f, ".", "file-unreadable", "a folder");
    refused(f, "nowhere/x", "file-missing", "not there");
}

static void another_encoding_is_named(void **state)
{
    fixture *f = *state;
    open_set(f);
    put(f, "wide.json", "\xff\xfe{\0\"\0r\0", 8);
    assert_null(sy_document_json(f->set, "wide.json", NULL, NULL)->json);
    assert_non_null(strstr(only_finding(f)->message, "UTF-16 file; convert it to UTF-8"));
    close_set(f);
}

static int set_up(void **state)
{
    static fixture f;
    void *folder = NULL;
    int failed = make_temporary_folder(&folder);
    f.root = folder;
    *state = &f;
    return failed;
}

static int tear_down(void **state)
{
    void *folder = (void *)(uintptr_t)((fixture *)*state)->root;
    return remove_temporary_folder(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_is_read_once_and_its_findings_have_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_stands_before_the_damage_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_types_are_findings_at_their_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_outside_the_root_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_encoding_is_named, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
