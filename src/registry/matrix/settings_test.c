/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard.json: places of files, typed platforms and memory, and where the root is. */
#include "registry_set.h"

#include <unistd.h>

#include "registry/matrix/settings.h"
#include "registry/registry.h"
#include "temporary_folder.h"

#define SMALL STEELYARD_SOURCE_DIR "/tests/data/registry/small"
#define MATRIX "benchmarks/profile_matrix.json"
#define SETTINGS "steelyard.json"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define GPU_READINESS \
    "\"scheduled_responsibility\": \"Both capabilities, cold and warm.\",\n      \"readiness\": {\n        "
#define GPU_OWNERSHIP GPU_READINESS "\"stable_device_ownership\": true,"

static const single_fault platform_faults[] = {
    {SETTINGS, "\"runner\": \"rack-gpu\"", "\"runner\": \"rack-gpus\"", "platform-disagrees", "/platforms/gpu/runner",
     NULL},
    {SETTINGS, "\"platforms\": {", "\"platforms\": {\"dsp\": {},", "platform-undeclared", "/platforms/dsp", NULL},
    {SETTINGS, GPU_OWNERSHIP, GPU_READINESS "\"stable_device_ownership\": false,", "runner-not-ready",
     "/platforms/gpu/readiness/stable_device_ownership", NULL},
    {SETTINGS, GPU_OWNERSHIP, GPU_READINESS, "runner-not-ready", "/platforms/gpu/readiness", NULL},
    {SETTINGS, GPU_OWNERSHIP, GPU_READINESS "\"stable_device_ownership\": \"yes\",", "field-type",
     "/platforms/gpu/readiness/stable_device_ownership", NULL},
    {SETTINGS, GPU_OWNERSHIP, GPU_READINESS "\"stable_device_ownership\": null,", "field-type",
     "/platforms/gpu/readiness/stable_device_ownership", NULL},
    {SETTINGS, "Both capabilities, cold and warm.\",\n      \"readiness\"",
     "Both capabilities, cold and warm.\",\n      \"readyness\"", "runner-not-ready", "/platforms/gpu", NULL},
    {MATRIX,
     "\"scheduled_profile\": \"none\", \"release_signoff\": false, \"runner\": \"board-npu\",\n     \"state\": "
     "\"evidence-gap\"",
     "\"scheduled_profile\": \"weekly\", \"release_signoff\": false, \"runner\": \"board-npu\",\n     \"state\": "
     "\"evidence-gap\"",
     "runner-not-ready", "/platforms/npu", SETTINGS},
};

static const single_fault memory_faults[] = {
    {SETTINGS, "6442450944", "0", "memory-figure", "/platforms/gpu/minimum_memory/bytes", NULL},
    {SETTINGS, "6442450944", "-6442450944", "memory-figure", "/platforms/gpu/minimum_memory/bytes", NULL},
    {SETTINGS, "6442450944", "6442450944.0", "field-type", "/platforms/gpu/minimum_memory/bytes", NULL},
    {SETTINGS, "6442450944", "99999999999999999999", "field-type", "/platforms/gpu/minimum_memory/bytes", NULL},
    {SETTINGS, "6442450944", "true", "field-type", "/platforms/gpu/minimum_memory/bytes", NULL},
    {SETTINGS, "6442450944", "8589934592", "platform-disagrees", "/platforms/gpu/minimum_memory/bytes", NULL},
    {SETTINGS, "\"constrained\"", "\"guess\"", "memory-figure", "/platforms/gpu/minimum_memory/basis", NULL},
    {SETTINGS, "\"constrained\"", "\"estimate\"", "memory-basis", "/platforms/gpu/minimum_memory/basis", NULL},
    {SETTINGS, "\"constrained\"", "\"calculated\"", "memory-basis", "/platforms/gpu/minimum_memory/basis", NULL},
    {SETTINGS, "\"basis\": \"constrained\",", "", "field-missing", "/platforms/gpu/minimum_memory", NULL},
    {SETTINGS, "\"device-used\"", "\"everything\"", "memory-figure", "/platforms/gpu/minimum_memory/scope", NULL},
    {SETTINGS, "\"a second process holds the rest of the card\"", "\"\"", "field-blank",
     "/platforms/gpu/minimum_memory/how", NULL},
    {SETTINGS, "\"minimum_memory\": null",
     "\"minimum_memory\": {\"bytes\": 5, \"basis\": \"physical\", \"scope\": \"process\"}", "platform-disagrees",
     "/platforms/cpu/minimum_memory", NULL},
    {MATRIX, "\"desk-cpu\", \"minimum_memory_gate\": null", "\"desk-cpu\", \"minimum_memory_gate\": \"8 GB\"",
     "platform-disagrees", "/platforms/cpu/minimum_memory", SETTINGS},
    {MATRIX, "\"rack-gpu\", \"minimum_memory_gate\": \"6 GiB device memory\"",
     "\"rack-gpu\", \"minimum_memory_gate\": null", "platform-disagrees", "/platforms/gpu/minimum_memory", SETTINGS},
};

static const single_fault file_faults[] = {
    {SETTINGS, "\"schema_version\": 1", "\"schema_version\": true", "schema-version", "/schema_version", NULL},
    {SETTINGS, "\"schema_version\": 1", "\"schema_version\": 2", "schema-version", "/schema_version", NULL},
    {SETTINGS, "\"project\": \"small\"", "\"project\": \"\"", "field-blank", "/project", NULL},
    {SETTINGS, "\"project\": \"small\"", "\"project\": null", "field-type", "/project", NULL},
    {SETTINGS, "\"" MATRIX "\"", "\"benchmarks/other.json\"", "file-missing", "/files/matrix", NULL},
    {SETTINGS, "\"" MATRIX "\"", "\"/etc/passwd\"", "file-outside-root", "/files/matrix", NULL},
    {SETTINGS, "\"" MATRIX "\"", "\"../profile_matrix.json\"", "file-outside-root", "/files/matrix", NULL},
    {SETTINGS, "\"" MATRIX "\"", "\"benchmarks\"", "file-unreadable", "/files/matrix", NULL},
    {SETTINGS, "\"" MATRIX "\"", "7", "field-type", "/files/matrix", NULL},
    {SETTINGS, "\"evidence\": \".steelyard\"", "\"evidence\": \" \"", "field-blank", "/files/evidence", NULL},
    {SETTINGS, "\"evidence\":", "\"protocols\": \"protocols\", \"evidence\":", "file-missing", "/files/protocols",
     NULL},
    {SETTINGS, "\"project\"", "\"check_parity_gates\": \"yes\", \"project\"", "field-type", "/check_parity_gates",
     NULL},
    {SETTINGS, "\"project\"", "\"project\": \"small\", \"project\"", "json-duplicate-key", "/project", NULL},
};

static const single_fault legal_changes[] = {
    {SETTINGS, "\"schema_version\": 1,", "", NULL, NULL, NULL},
    {SETTINGS, "\"evidence\": \".steelyard\"", "\"evidence\": \"/srv/archive\"", NULL, NULL, NULL},
    {SETTINGS, "\"constrained\"", "\"physical\"", NULL, NULL, NULL},
    {SETTINGS, "\"device-used\"", "\"unified\"", NULL, NULL, NULL},
    {MATRIX, "6 GiB device memory", "a small card", NULL, NULL, NULL},
    {MATRIX, "6 GiB device memory", "6GiB", NULL, NULL, NULL},
    {SETTINGS, "\"npu\": {\"runner\": \"board-npu\"}",
     "\"npu\": {\"runner\": \"board-npu\", \"readiness\": {\"fixture_access\": false}}", NULL, NULL, NULL},
    {SETTINGS, "\"npu\": {\"runner\": \"board-npu\"}", "\"npu\": {}", NULL, NULL, NULL},
};

static void what_is_said_of_a_platform_is_held_against_the_matrix(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, platform_faults, COUNT(platform_faults));
}

static void a_memory_figure_says_how_it_came_about(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, memory_faults, COUNT(memory_faults));
}

static void a_wrong_name_is_found_where_it_stands(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, file_faults, COUNT(file_faults));
}

static void a_legal_change_is_no_finding(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, legal_changes, COUNT(legal_changes));
}

static void a_member_that_means_nothing_is_a_note(void **state)
{
    sy_finding_list list;
    set_edit(*state, SETTINGS, "\"coverage\": null", "\"coverage\": null, \"run_indx\": \"RUNS.md\"");
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    assert_int_equal(list.finding_count, 0);
    assert_int_equal(list.note_count, 1);
    assert_string_equal(list.notes[0].rule, "settings-unknown-member");
    assert_string_equal(list.notes[0].pointer, "/files/run_indx");
    assert_non_null(strstr(list.notes[0].message, "'run_index' may be meant"));
    sy_registry_close(registry);
}

static void gates_of_the_parity_matrix_are_looked_for_when_asked(void **state)
{
    sy_finding_list list;
    set_edit(*state, SETTINGS, "\"project\"", "\"check_parity_gates\": true, \"project\"");
    set_write(*state, "tests/test_blur.py", "", 0);
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    assert_int_equal(list.finding_count, 0);
    assert_int_equal(list.note_count, 4); /* of six names two are those of the file that is there */
    assert_string_equal(list.notes[0].rule, "parity-gate-absent");
    assert_string_equal(list.notes[0].pointer, "/capabilities/0/coverage/gpu/gates/0");
    sy_registry_close(registry);
}

static void without_the_file_the_published_names_hold(void **state)
{
    sy_finding_list list;
    char path[1024];
    snprintf(path, sizeof path, "%s/" SETTINGS, (const char *)*state);
    assert_int_equal(remove(path), 0);
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    assert_int_equal(list.finding_count, 0);
    assert_null(registry->settings->document);
    assert_string_equal(registry->settings->matrix_path, MATRIX);
    assert_string_equal(registry->settings->coverage_path, "docs/_generated/benchmark_coverage.md");
    sy_registry_close(registry);
    /* A link that leads nowhere is a file that cannot be read, not one that is not there. */
    assert_int_equal(symlink("nowhere", path), 0);
    registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    assert_int_equal(list.finding_count, 1);
    assert_string_equal(list.findings[0].file, SETTINGS);
    sy_registry_close(registry);
}

static void platforms_carry_what_the_file_says(void **state)
{
    sy_finding_list list;
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    const sy_settings *settings = registry->settings;
    assert_int_equal(settings->platform_count, 3);
    assert_true(sy_settings_platform_is_ready(&settings->platforms[0]));
    assert_true(sy_settings_platform_is_ready(&settings->platforms[1]));
    assert_false(sy_settings_platform_is_ready(&settings->platforms[2]));
    assert_true(settings->platforms[0].denies_minimum_memory);
    assert_false(settings->platforms[0].has_minimum_memory);
    const sy_settings_platform *gpu = &settings->platforms[1];
    assert_string_equal(gpu->scheduled_responsibility, "Both capabilities, cold and warm.");
    assert_true(gpu->has_minimum_memory);
    assert_true(gpu->minimum_memory.bytes == (uint64_t)6 << 30);
    assert_int_equal(gpu->minimum_memory.basis, SY_MEMORY_CONSTRAINED);
    assert_int_equal(gpu->minimum_memory.scope, SY_MEMORY_DEVICE_USED);
    assert_string_equal(gpu->minimum_memory.how, "a second process holds the rest of the card");
    assert_null(settings->coverage_path);
    sy_registry_close(registry);
}

static void only_a_device_without_more_can_sign_off(void **state)
{
    (void)state;
    assert_true(sy_memory_basis_is_signoff(SY_MEMORY_PHYSICAL));
    assert_true(sy_memory_basis_is_signoff(SY_MEMORY_CONSTRAINED));
    assert_false(sy_memory_basis_is_signoff(SY_MEMORY_ESTIMATE));
    assert_false(sy_memory_basis_is_signoff(SY_MEMORY_CALCULATED));
}

static void the_root_is_the_nearest_folder_with_the_file(void **state)
{
    const char *root = *state;
    char path[1024], expected[4096];
    char *found = NULL;
    sy_error error = SY_ERROR_INIT;
    set_write(root, "a/b/c/x", "", 0);
    set_write(root, "a/steelyard.json/x", "", 0); /* a folder of that name is no such file */
    assert_non_null(realpath(root, expected));
    snprintf(path, sizeof path, "%s/a/b/./c", root);
    assert_int_equal(sy_registry_find_root(path, &found, &error), SY_OK);
    assert_string_equal(found, expected);
    sy_text_free(found);
    found = NULL;
    set_write(root, "a/b/steelyard.json", "{}", 2);
    assert_int_equal(sy_registry_find_root(path, &found, &error), SY_OK);
    assert_string_equal(found + strlen(expected), "/a/b");
    sy_text_free(found);
    found = NULL;
    snprintf(path, sizeof path, "%s/nowhere", root);
    assert_int_equal(sy_registry_find_root(path, &found, &error), SY_NOT_FOUND);
    assert_int_equal(sy_registry_find_root("/", &found, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.hint, "--root"));
    snprintf(path, sizeof path, "%s/a/b/c/x", root);
    assert_int_equal(sy_registry_find_root(path, &found, &error), SY_NOT_FOUND);
    assert_null(found);
}

static int set_up(void **state)
{
    int failed = make_temporary_folder(state);
    if (failed == 0) {
        set_copy_all(SMALL, *state, "");
    }
    return failed;
}

#define ON_A_COPY(test) cmocka_unit_test_setup_teardown(test, set_up, remove_temporary_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_COPY(what_is_said_of_a_platform_is_held_against_the_matrix),
        ON_A_COPY(a_memory_figure_says_how_it_came_about),
        ON_A_COPY(a_wrong_name_is_found_where_it_stands),
        ON_A_COPY(a_legal_change_is_no_finding),
        ON_A_COPY(a_member_that_means_nothing_is_a_note),
        ON_A_COPY(gates_of_the_parity_matrix_are_looked_for_when_asked),
        ON_A_COPY(without_the_file_the_published_names_hold),
        ON_A_COPY(platforms_carry_what_the_file_says),
        cmocka_unit_test(only_a_device_without_more_can_sign_off),
        ON_A_COPY(the_root_is_the_nearest_folder_with_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
