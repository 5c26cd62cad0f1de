/* SPDX-License-Identifier: Apache-2.0 */
/* Projects in temporary folders: where the ledger is, when it is made, and what is said where there is none. */
#include "registry_set.h"

#include <unistd.h>

#include "base/memory.h"
#include "evidence/open_project.h"
#include "fault_loop.h"
#include "temporary_folder.h"

static void put_settings(const char *root, const char *text)
{
    set_write(root, "steelyard.json", text, strlen(text));
}

static bool is_there(const char *root, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", root, name);
    return access(path, F_OK) == 0;
}

static sy_status open_in(const char *root, bool create, sy_project **ret_project, sy_error *err)
{
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    options.root = root;
    options.create = create;
    return sy_project_open(&options, ret_project, err);
}

static void a_ledger_is_made_in_a_folder_that_ignores_itself(void **state)
{
    sy_project *project = NULL;
    sy_error error = SY_ERROR_INIT;
    put_settings(*state, "{}\n");
    assert_int_equal(open_in(*state, false, &project, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.what, "no ledger in "));
    assert_non_null(strstr(error.hint, "--evidence"));
    assert_false(is_there(*state, ".steelyard"));
    assert_int_equal(open_in(*state, true, &project, &error), SY_OK);
    assert_true(is_there(*state, ".steelyard/ledger.sqlite"));
    char *text = set_read(*state, ".steelyard/.gitignore", NULL);
    assert_string_equal(text, "*\n!.gitignore\n");
    free(text);
    assert_null(sy_project_leases(project));
    assert_non_null(sy_project_ledger(project));
    sy_project_close(project);
    assert_int_equal(open_in(*state, false, &project, &error), SY_OK);
    sy_project_close(project);
}

static void who_only_looks_may_do_without_a_ledger(void **state)
{
    sy_project *project = NULL;
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/no-such", (const char *)*state);
    put_settings(*state, "{}\n");
    options.root = *state;
    options.read_only = true;
    options.may_lack_ledger = true;
    assert_int_equal(sy_project_open(&options, &project, NULL), SY_OK);
    assert_null(sy_project_ledger(project));
    assert_false(is_there(*state, ".steelyard"));
    sy_project_close(project);
    options.evidence = folder; /* a folder that was named and is not there is a mistake */
    assert_int_equal(sy_project_open(&options, &project, NULL), SY_NOT_FOUND);
}

static void settings_say_where_the_ledger_is(void **state)
{
    sy_project *project = NULL;
    char absolute[600], settings[1300];
    put_settings(*state, "{\"files\": {\"evidence\": \"kept/here\"}}\n");
    assert_int_equal(open_in(*state, true, &project, NULL), SY_OK);
    sy_project_close(project);
    assert_true(is_there(*state, "kept/here/ledger.sqlite"));
    snprintf(absolute, sizeof absolute, "%s/elsewhere", (const char *)*state);
    snprintf(settings, sizeof settings, "{\"files\": {\"evidence\": \"%s\"}}\n", absolute);
    put_settings(*state, settings);
    assert_int_equal(open_in(*state, true, &project, NULL), SY_OK);
    assert_string_equal(sy_project_evidence(project), absolute);
    sy_project_close(project);
    assert_true(is_there(*state, "elsewhere/ledger.sqlite"));
}

static void a_folder_that_is_named_goes_before_the_settings(void **state)
{
    sy_project *project = NULL;
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    char folder[600];
    snprintf(folder, sizeof folder, "%s/named", (const char *)*state);
    put_settings(*state, "{\"files\": {\"evidence\": \"kept\"}}\n");
    options.root = *state;
    options.evidence = folder;
    options.leases = "/some/leases";
    options.create = true;
    assert_int_equal(sy_project_open(&options, &project, NULL), SY_OK);
    assert_string_equal(sy_project_leases(project), "/some/leases");
    sy_project_close(project);
    assert_true(is_there(*state, "named/ledger.sqlite"));
    assert_false(is_there(*state, "kept"));
}

static void damaged_settings_lead_to_no_ledger_anywhere(void **state)
{
    static const char *const damaged[] = {"{\"files\": {\"evidence\": 7}}",
                                          "{\"files\": {\"evidence\": \"  \"}}",
                                          "{\"files\": {\"evi",
                                          "[]",
                                          "{\"files\": 7}",
                                          "",
                                          "{\"project\": \"a\", \"files\""};
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        sy_project *project = NULL;
        sy_error error = SY_ERROR_INIT;
        put_settings(*state, damaged[i]);
        assert_int_equal(open_in(*state, true, &project, &error), SY_CORRUPT);
        assert_non_null(strstr(error.hint, "steelyard matrix validate"));
    }
    assert_int_equal(count_entries(*state), 1);
}

static void outside_of_a_project_nothing_is_made(void **state)
{
    sy_project *project = NULL;
    sy_error error = SY_ERROR_INIT;
    char here[1024], none[600];
    assert_int_equal(open_in(*state, true, &project, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.hint, "steelyard matrix init"));
    snprintf(none, sizeof none, "%s/none", (const char *)*state);
    assert_int_equal(open_in(none, true, &project, &error), SY_NOT_FOUND);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(*state), 0);
    assert_int_equal(open_in(NULL, true, &project, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.hint, "steelyard matrix init"));
    assert_int_equal(chdir(here), 0);
    assert_int_equal(count_entries(*state), 0);
}

static void the_nearest_folder_upwards_is_the_root(void **state)
{
    sy_project *project = NULL;
    char here[1024], inner[600], real[4096];
    put_settings(*state, "{}\n");
    snprintf(inner, sizeof inner, "%s/a", (const char *)*state);
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(inner), 0);
    assert_int_equal(open_in(NULL, true, &project, NULL), SY_OK);
    assert_int_equal(chdir(here), 0);
    assert_non_null(realpath(*state, real));
    assert_string_equal(sy_project_root(project), real);
    sy_project_close(project);
    assert_true(is_there(*state, ".steelyard/ledger.sqlite"));
}

static void the_registry_is_read_once_when_it_is_asked_for(void **state)
{
    sy_project *project = NULL;
    sy_registry *first = NULL, *second = NULL;
    assert_int_equal(sy_registry_init(*state, NULL, NULL, NULL, NULL), SY_OK);
    assert_int_equal(open_in(*state, true, &project, NULL), SY_OK);
    assert_int_equal(sy_project_registry(project, &first, NULL), SY_OK);
    assert_int_equal(sy_project_registry(project, &second, NULL), SY_OK);
    assert_ptr_equal(first, second);
    sy_project_close(project);
    sy_project_close(NULL);
}

static sy_status open_and_close(void *user)
{
    sy_project *project = NULL;
    sy_status status = open_in(user, true, &project, NULL);
    sy_project_close(project);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    put_settings(*state, "{}\n");
    assert_int_equal(open_and_close(*state), SY_OK);
    assert_true(fault_loop_allocations(open_and_close, *state, true) > 5);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_temporary_folder, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        TEST(a_ledger_is_made_in_a_folder_that_ignores_itself),
        TEST(who_only_looks_may_do_without_a_ledger),
        TEST(settings_say_where_the_ledger_is),
        TEST(a_folder_that_is_named_goes_before_the_settings),
        TEST(damaged_settings_lead_to_no_ledger_anywhere),
        TEST(outside_of_a_project_nothing_is_made),
        TEST(the_nearest_folder_upwards_is_the_root),
        TEST(the_registry_is_read_once_when_it_is_asked_for),
        TEST(any_allocation_may_fail),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
