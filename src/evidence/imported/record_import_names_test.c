/* SPDX-License-Identifier: Apache-2.0 */
/* What rows of imported files are called, when they were measured, and of which revision. */
#include "base/text.h"
#include "imported_project.h"
#include "ledger/ledger.h"

static const char *value_of(const sy_named_text *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name) == 0)
            return list[i].value != NULL ? list[i].value : "(unknown)";
    }
    return "(absent)";
}

static void names_of_many_lines_or_none_and_long_ones_are_recorded_all_the_same(void **state)
{
    const fixture *f = *state;
    sy_text text = SY_TEXT_INIT;
    sy_imported *imported;
    sy_import_account *account;
    sy_run *run;

    sy_text_append(
        &text, "{\"results\":[{\"command\":\"a\\nb\\u001b[0m\",\"mean\":1,\"times\":[1],\"parameters\":{\"\":\"x\"}},"
               "{\"command\":\"\",\"mean\":1,\"times\":[1]}");
    for (size_t command = 0; command < 2; command++) {
        sy_text_append(&text, ",{\"command\":\"");
        for (size_t i = 0; i < 16000; i++)
            sy_text_append(&text, "x");
        sy_text_append_format(&text, "%zu\",\"mean\":1,\"times\":[1]}", command);
    }
    sy_text_append(&text, "]}");
    imported = parse(text.bytes);
    assert_int_equal(imported->row_count, 4);
    account = record(f, imported, NULL);
    assert_int_equal(account->added_count, 4);
    run = read_run(f, account->runs[0]);
    assert_string_equal(run->row.cell, "hyperfine::a b [0m{=x}");
    assert_string_equal(value_of(run->begin.parameters, run->begin.parameter_count, "(no name)"), "x");
    sy_run_destroy(run);
    run = read_run(f, account->runs[2]);
    sy_run *other = read_run(f, account->runs[3]);
    assert_true(strlen(run->row.cell) < 9000);
    assert_string_not_equal(run->row.cell, other->row.cell);
    sy_run_destroy(run);
    sy_run_destroy(other);
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
    sy_text_finish(&text);
}

/* Field case LED-5: naive stamps stay what they are, and order nothing. */
static void times_without_a_zone_are_kept_as_such(void **state)
{
    const fixture *f = *state;
    sy_imported *imported = parse(
        "{\"context\":{\"date\":\"2025-11-02T01:30:00\",\"host_name\":\"h\"},\"benchmarks\":["
        "{\"name\":\"BM_a\",\"run_name\":\"BM_a\",\"run_type\":\"iteration\",\"iterations\":1,\"real_time\":1,"
        "\"cpu_time\":1,\"time_unit\":\"ns\"}]}");
    sy_import_account *account = record(f, imported, NULL);
    sy_run *run = read_run(f, account->runs[0]);

    assert_string_equal(run->begin.origin_time, "2025-11-02T01:30:00");
    assert_false(run->begin.origin_zone_known);
    sy_run_destroy(run);
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
}

static void builds_of_one_file_keep_their_revisions(void **state)
{
    static const char *const revisions[] = {"aaaa", "bbbb", ""};
    const fixture *f = *state;
    sy_imported *imported = parse("{\"build_commit\":\"aaaa\",\"n_prompt\":8,\"n_gen\":0,\"samples_ns\":[5]}\n"
                                  "{\"build_commit\":\"bbbb\",\"n_prompt\":8,\"n_gen\":0,\"samples_ns\":[6]}\n"
                                  "{\"build_commit\":\"unknown\",\"n_prompt\":8,\"n_gen\":0,\"samples_ns\":[7]}\n");
    sy_import_account *account = record(f, imported, NULL);

    for (size_t i = 0; i < 3; i++) {
        sy_run *run = read_run(f, account->runs[i]);

        assert_string_equal(run->begin.source.revision, revisions[i]);
        assert_int_equal(run->begin.source.dirty, -1);
        sy_run_destroy(run);
    }
    sy_import_account_destroy(account);
    sy_imported_destroy(imported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_of_many_lines_or_none_and_long_ones_are_recorded_all_the_same),
        TEST(times_without_a_zone_are_kept_as_such),
        TEST(builds_of_one_file_keep_their_revisions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
