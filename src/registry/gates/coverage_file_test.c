/* SPDX-License-Identifier: Apache-2.0 */
/* The coverage document as a file: current or not, written whole, never from files that are damaged. */
#include <string.h>

#include "base/fault.h"
#include "base/file.h"
#include "base/memory.h"
#include "cmocka_headers.h"
#include "registry/registry.h"
#include "temporary_folder.h"

enum { PATH_SIZE = 600 };

#define DOCUMENT "evidence/coverage.md"

static void path_of(const char *folder, const char *name, char to[PATH_SIZE])
{
    snprintf(to, PATH_SIZE, "%s/%s", folder, name);
}

static char *read_text(const char *folder, const char *name)
{
    char path[PATH_SIZE];
    char *bytes = NULL;
    size_t size = 0;
    path_of(folder, name, path);
    assert_int_equal(sy_file_read(path, 0, &bytes, &size, NULL), SY_OK);
    return bytes;
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[PATH_SIZE];
    path_of(folder, name, path);
    assert_int_equal(sy_file_write(path, text, strlen(text), NULL, NULL), SY_OK);
}

/* Replaces the first place of `old` in a file. */
static void edit(const char *folder, const char *name, const char *old, const char *by)
{
    char *bytes = read_text(folder, name);
    char *at = strstr(bytes, old);
    sy_text text = SY_TEXT_INIT;
    assert_non_null(at);
    sy_text_append_bytes(&text, bytes, (size_t)(at - bytes));
    sy_text_append(&text, by);
    sy_text_append(&text, at + strlen(old));
    write_text(folder, name, sy_text_bytes(&text));
    sy_text_finish(&text);
    sy_free(bytes);
}

static int make_project(void **state)
{
    if (make_temporary_folder(state) != 0) {
        return -1;
    }
    return sy_registry_init(*state, NULL, NULL, NULL, NULL) == SY_OK ? 0 : -1;
}

static sy_registry *open_gates(const char *folder)
{
    sy_registry *registry = NULL;
    assert_int_equal(sy_registry_open(folder, SY_REGISTRY_GATES, &registry, NULL), SY_OK);
    return registry;
}

static bool is_current(const char *folder, const char *path)
{
    sy_registry *registry = open_gates(folder);
    bool answer = false;
    assert_int_equal(sy_registry_coverage_is_current(registry, path, &answer, NULL), SY_OK);
    sy_registry_close(registry);
    return answer;
}

static void a_document_is_current_until_a_gate_or_it_changes(void **state)
{
    assert_true(is_current(*state, NULL));
    edit(*state, "evidence/gates.json", "\"priority\": 4", "\"priority\": 5");
    assert_false(is_current(*state, NULL));
    edit(*state, "evidence/gates.json", "\"priority\": 5", "\"priority\": 4");
    assert_true(is_current(*state, NULL));
    edit(*state, DOCUMENT, "float32", "float64");
    assert_false(is_current(*state, NULL));
}

static void a_document_that_is_not_there_is_not_current(void **state)
{
    char path[PATH_SIZE];
    path_of(*state, DOCUMENT, path);
    assert_int_equal(unlink(path), 0);
    assert_false(is_current(*state, NULL));
    path_of(*state, "nowhere/at/all.md", path);
    assert_false(is_current(*state, path));
}

static void writing_makes_it_current_where_it_is_kept_or_elsewhere(void **state)
{
    char path[PATH_SIZE];
    edit(*state, "evidence/gates.json", "\"priority\": 4", "\"priority\": 5");
    sy_registry *registry = open_gates(*state);
    assert_string_equal(sy_registry_coverage_path(registry), DOCUMENT);
    assert_int_equal(sy_registry_coverage_write(registry, NULL, NULL), SY_OK);
    path_of(*state, "copy.md", path);
    assert_int_equal(sy_registry_coverage_write(registry, path, NULL), SY_OK);
    sy_registry_close(registry);
    assert_true(is_current(*state, NULL));
    assert_true(is_current(*state, path));
    char *kept = read_text(*state, DOCUMENT);
    char *copy = read_text(*state, "copy.md");
    assert_string_equal(kept, copy);
    assert_non_null(strstr(kept, "| 5 |"));
    sy_free(kept);
    sy_free(copy);
}

static void a_project_that_keeps_none_is_told_where_to_name_one(void **state)
{
    sy_error err = SY_ERROR_INIT;
    char path[PATH_SIZE];
    bool answer = true;
    edit(*state, "steelyard.json", "\"evidence/coverage.md\"", "null");
    sy_registry *registry = open_gates(*state);
    assert_null(sy_registry_coverage_path(registry));
    assert_int_equal(sy_registry_coverage_write(registry, NULL, &err), SY_NOT_FOUND);
    assert_non_null(strstr(err.hint, "steelyard.json"));
    assert_int_equal(sy_registry_coverage_is_current(registry, NULL, &answer, &err), SY_NOT_FOUND);
    assert_true(answer);
    path_of(*state, "own.md", path);
    assert_int_equal(sy_registry_coverage_write(registry, path, NULL), SY_OK);
    sy_registry_close(registry);
}

static void from_damaged_or_missing_files_nothing_is_written(void **state)
{
    sy_error err = SY_ERROR_INIT;
    char path[PATH_SIZE];
    char *before = read_text(*state, DOCUMENT);
    char *gates = read_text(*state, "evidence/gates.json");
    gates[strlen(gates) / 2] = '\0';
    write_text(*state, "evidence/gates.json", gates);
    for (int missing = 0; missing < 2; missing++) {
        sy_registry *registry = open_gates(*state);
        assert_int_equal(sy_registry_coverage_write(registry, NULL, &err), SY_REFUSED);
        assert_non_null(strstr(err.what, "evidence/gates.json"));
        sy_registry_close(registry);
        char *after = read_text(*state, DOCUMENT);
        assert_string_equal(before, after);
        sy_free(after);
        path_of(*state, "evidence/gates.json", path);
        if (missing == 0) {
            assert_int_equal(unlink(path), 0);
        }
    }
    sy_free(gates);
    sy_free(before);
}

static void without_memory_the_old_document_stays(void **state)
{
    edit(*state, DOCUMENT, "float32", "float64");
    char *before = read_text(*state, DOCUMENT);
    sy_registry *registry = open_gates(*state);
    uint64_t failed = 0;
    for (uint64_t n = 1;; n++) {
        sy_fault_reset();
        sy_fault_fail_allocation(n, false);
        sy_status status = sy_registry_coverage_write(registry, NULL, NULL);
        bool reached = sy_fault_allocations() >= n;
        sy_fault_reset();
        if (!reached) {
            assert_int_equal(status, SY_OK);
            break;
        }
        assert_int_equal(status, SY_NO_MEMORY);
        char *after = read_text(*state, DOCUMENT);
        assert_string_equal(before, after);
        sy_free(after);
        failed++;
    }
    assert_true(failed > 3);
    sy_registry_close(registry);
    sy_free(before);
}

#define IN_A_PROJECT(test) cmocka_unit_test_setup_teardown(test, make_project, remove_temporary_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_A_PROJECT(a_document_is_current_until_a_gate_or_it_changes),
        IN_A_PROJECT(a_document_that_is_not_there_is_not_current),
        IN_A_PROJECT(writing_makes_it_current_where_it_is_kept_or_elsewhere),
        IN_A_PROJECT(a_project_that_keeps_none_is_told_where_to_name_one),
        IN_A_PROJECT(from_damaged_or_missing_files_nothing_is_written),
        IN_A_PROJECT(without_memory_the_old_document_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
