/* SPDX-License-Identifier: Apache-2.0 */
/* A new project's files: a valid set, all or none of them, over nothing that is there. */
#include <errno.h>
#include <sys/stat.h>

#include "base/fault.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "cmocka_headers.h"
#include "registry/new_project.h"
#include "registry/registry.h"
#include "temporary_folder.h"

enum { PATH_SIZE = 600, FILES = 7 };

static const char *const files[FILES] = {"evidence/parity_matrix.json", "evidence/profile_matrix.json",
                                         "evidence/gates.json",         "evidence/runs/RUNS.md",
                                         ".steelyard/.gitignore",       "steelyard.json",
                                         "evidence/coverage.md"};

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(sy_file_write(path, text, strlen(text), NULL, NULL), SY_OK);
}

static void count_one(void *user, const char *path)
{
    size_t *count = user;
    assert_string_equal(path, files[*count]);
    (*count)++;
}

static void the_files_are_written_and_named(void **state)
{
    size_t count = 0;
    assert_int_equal(sy_registry_init(*state, NULL, count_one, &count, NULL), SY_OK);
    assert_int_equal(count, FILES);
    assert_int_equal(count, sy_new_projects[0].file_count + 1);
    for (size_t i = 0; i < FILES; i++) {
        char path[PATH_SIZE];
        struct stat facts;
        snprintf(path, sizeof path, "%s/%s", (const char *)*state, files[i]);
        assert_int_equal(lstat(path, &facts), 0);
        assert_true(S_ISREG(facts.st_mode) && facts.st_size > 0);
    }
    assert_int_equal(count_entries(*state), 3);
}

static void the_set_is_valid_and_names_what_to_do_first(void **state)
{
    sy_registry *registry = NULL;
    sy_finding_list list;
    sy_registry_coverage coverage;
    sy_matrix matrix;
    const sy_gate_row *rows = NULL;
    size_t count = 0;
    bool is_current = false;
    assert_int_equal(sy_registry_init(*state, NULL, NULL, NULL, NULL), SY_OK);
    assert_int_equal(sy_registry_open(*state, SY_REGISTRY_ALL, &registry, NULL), SY_OK);
    assert_int_equal(sy_registry_findings(registry, &list, NULL), SY_OK);
    for (size_t i = 0; i < list.finding_count; i++) {
        print_error("%s:%u: %s: %s\n", list.findings[i].file, list.findings[i].position.line, list.findings[i].rule,
                    list.findings[i].message);
    }
    assert_int_equal(list.finding_count, 0);
    for (size_t i = 0; i < list.note_count; i++) {
        print_error("%s:%u: %s: %s\n", list.notes[i].file, list.notes[i].position.line, list.notes[i].rule,
                    list.notes[i].message);
    }
    assert_int_equal(list.note_count, 0);
    assert_int_equal(sy_registry_matrix(registry, &matrix, NULL), SY_OK);
    assert_int_equal(matrix.capability_count, 2);
    assert_int_equal(matrix.backend_count, 2);
    assert_int_equal(matrix.cell_count, 4);
    assert_int_equal(sy_registry_gates(registry, NULL, SY_GATES_BY_PRIORITY, &rows, &count, NULL), SY_OK);
    assert_int_equal(count, 7);
    assert_int_equal(rows[0].priority, 1);
    assert_int_equal(sy_registry_coverage_count(registry, &coverage, NULL), SY_OK);
    const sy_registry_coverage complete = {0};
    assert_memory_equal(&coverage, &complete, sizeof coverage);
    assert_int_equal(sy_registry_coverage_is_current(registry, NULL, &is_current, NULL), SY_OK);
    assert_true(is_current);
    sy_registry_close(registry);
}

static void a_file_that_is_there_stops_all(void **state)
{
    for (size_t i = 0; i < FILES; i++) {
        sy_error err = SY_ERROR_INIT;
        char path[PATH_SIZE];
        char *bytes = NULL;
        size_t size = 0;
        empty_folder(*state);
        write_text(*state, files[i], "mine");
        int entries = count_entries(*state);
        assert_int_equal(sy_registry_init(*state, NULL, NULL, NULL, &err), SY_REFUSED);
        assert_non_null(strstr(err.what, files[i]));
        assert_int_equal(count_entries(*state), entries);
        snprintf(path, sizeof path, "%s/%s", (const char *)*state, files[i]);
        assert_int_equal(sy_file_read(path, 0, &bytes, &size, NULL), SY_OK);
        assert_string_equal(bytes, "mine");
        sy_free(bytes);
    }
}

static void a_link_that_leads_nowhere_is_there_too(void **state)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/steelyard.json", (const char *)*state);
    assert_int_equal(symlink("nowhere", path), 0);
    assert_int_equal(sy_registry_init(*state, NULL, NULL, NULL, NULL), SY_REFUSED);
    assert_int_equal(count_entries(*state), 1);
}

static void what_else_is_in_the_folder_stays_as_it_is(void **state)
{
    char *bytes = NULL;
    size_t size = 0;
    char path[PATH_SIZE];
    write_text(*state, "evidence/other.txt", "kept");
    write_text(*state, "README.md", "kept");
    assert_int_equal(sy_registry_init(*state, NULL, NULL, NULL, NULL), SY_OK);
    snprintf(path, sizeof path, "%s/evidence/other.txt", (const char *)*state);
    assert_int_equal(sy_file_read(path, 0, &bytes, &size, NULL), SY_OK);
    assert_string_equal(bytes, "kept");
    sy_free(bytes);
}

static void the_name_of_the_project_stands_in_its_settings(void **state)
{
    const char *name = "a \"quoted\" \\ name\n\xc3\xa9";
    sy_registry_init_options options = SY_REGISTRY_INIT_OPTIONS_INIT;
    char path[PATH_SIZE];
    char *bytes = NULL;
    size_t size = 0;
    sy_json *json = NULL;
    options.project = name;
    assert_int_equal(sy_registry_init(*state, &options, NULL, NULL, NULL), SY_OK);
    snprintf(path, sizeof path, "%s/steelyard.json", (const char *)*state);
    assert_int_equal(sy_file_read(path, 0, &bytes, &size, NULL), SY_OK);
    assert_int_equal(sy_json_parse(bytes, size, NULL, &json, NULL), SY_OK);
    assert_string_equal(sy_json_member(sy_json_root(json), "project")->text, name);
    sy_json_destroy(json);
    sy_free(bytes);
}

static void a_toy_is_a_valid_set_of_its_own(void **state)
{
    sy_registry_init_options options = SY_REGISTRY_INIT_OPTIONS_INIT;
    sy_registry *registry = NULL;
    sy_finding_list list;
    sy_matrix matrix;
    const sy_gate_row *rows = NULL;
    size_t count = 0;
    options.backend = "gpu";
    assert_int_equal(sy_registry_init(*state, &options, NULL, NULL, NULL), SY_INVALID_ARGUMENT);
    assert_int_equal(count_entries(*state), 0);
    options.backend = "fake";
    assert_int_equal(sy_registry_init(*state, &options, NULL, NULL, NULL), SY_OK);
    assert_int_equal(count_entries(*state), 4); /* with the script that its runbook runs */
    assert_int_equal(sy_registry_open(*state, SY_REGISTRY_ALL, &registry, NULL), SY_OK);
    assert_int_equal(sy_registry_findings(registry, &list, NULL), SY_OK);
    assert_int_equal(list.finding_count, 0);
    assert_int_equal(list.note_count, 0);
    assert_int_equal(sy_registry_matrix(registry, &matrix, NULL), SY_OK);
    assert_int_equal(matrix.cell_count, 1);
    assert_int_equal(sy_registry_gates(registry, NULL, SY_GATES_BY_PRIORITY, &rows, &count, NULL), SY_OK);
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].id, "toy.fake.session");
    sy_registry_close(registry);
}

static void a_folder_that_alone_is_missing_is_made_and_no_more(void **state)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/none/below", (const char *)*state);
    assert_int_equal(sy_registry_init(path, NULL, NULL, NULL, NULL), SY_NOT_FOUND);
    write_text(*state, "file", "x");
    snprintf(path, sizeof path, "%s/file", (const char *)*state);
    assert_int_equal(sy_registry_init(path, NULL, NULL, NULL, NULL), SY_NOT_FOUND);
    assert_int_equal(count_entries(*state), 1);
    snprintf(path, sizeof path, "%s/new", (const char *)*state);
    assert_int_equal(sy_registry_init(path, NULL, NULL, NULL, NULL), SY_OK);
    assert_int_equal(count_entries(path), 3);
}

static void a_folder_that_was_made_goes_with_the_files(void **state)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/new", (const char *)*state);
    sy_fault_reset();
    sy_fault_fail_system_call(20, ENOSPC, true);
    assert_int_equal(sy_registry_init(path, NULL, NULL, NULL, NULL), SY_IO);
    sy_fault_reset();
    assert_int_equal(count_entries(*state), 0);
}

static void without_memory_nothing_is_left_behind(void **state)
{
    int64_t alive = sy_fault_live_allocations();
    uint64_t failed = 0;
    for (uint64_t n = 1;; n += n < 60 ? 1 : 7) {
        sy_fault_reset();
        sy_fault_fail_allocation(n, false);
        sy_status status = sy_registry_init(*state, NULL, NULL, NULL, NULL);
        bool reached = sy_fault_allocations() >= n;
        sy_fault_reset();
        assert_int_equal(sy_fault_live_allocations(), alive);
        assert_int_equal(count_entries(*state), status == SY_OK ? 3 : 0);
        empty_folder(*state);
        if (!reached) {
            assert_int_equal(status, SY_OK);
            break;
        }
        assert_int_equal(status, SY_NO_MEMORY);
        failed++;
    }
    assert_true(failed > 10);
}

static void when_a_system_call_fails_nothing_is_left_behind(void **state)
{
    uint64_t failed = 0;
    for (uint64_t n = 1;; n++) {
        sy_error err = SY_ERROR_INIT;
        sy_fault_reset();
        sy_fault_fail_system_call(n, ENOSPC, true);
        sy_status status = sy_registry_init(*state, NULL, NULL, NULL, &err);
        bool reached = sy_fault_system_calls() >= n;
        sy_fault_reset();
        assert_int_equal(count_entries(*state), status == SY_OK ? 3 : 0);
        empty_folder(*state);
        if (!reached) {
            assert_int_equal(status, SY_OK);
            break;
        }
        failed += status != SY_OK;
    }
    assert_true(failed > 20);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(the_files_are_written_and_named),
        IN_A_FOLDER(the_set_is_valid_and_names_what_to_do_first),
        IN_A_FOLDER(a_file_that_is_there_stops_all),
        IN_A_FOLDER(a_link_that_leads_nowhere_is_there_too),
        IN_A_FOLDER(what_else_is_in_the_folder_stays_as_it_is),
        IN_A_FOLDER(the_name_of_the_project_stands_in_its_settings),
        IN_A_FOLDER(a_toy_is_a_valid_set_of_its_own),
        IN_A_FOLDER(a_folder_that_alone_is_missing_is_made_and_no_more),
        IN_A_FOLDER(a_folder_that_was_made_goes_with_the_files),
        IN_A_FOLDER(without_memory_nothing_is_left_behind),
        IN_A_FOLDER(when_a_system_call_fails_nothing_is_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
