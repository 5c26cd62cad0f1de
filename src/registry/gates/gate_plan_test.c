/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a gate of the small set; checks of a runbook, right and wrong. */
#include "registry_set.h"

#include "base/arena.h"
#include "fault_loop.h"
#include "registry/gates/gate_plan.h"
#include "registry/registry.h"
#include "temporary_folder.h"

#define SMALL STEELYARD_SOURCE_DIR "/tests/data/registry/small"
#define REGISTRY "benchmarks/benchmark_registry.json"
#define SMOKE "\"smoke\": \"run-blur --small\""
#define WITH(checks) SMOKE ", \"checks\": [" checks "]"

static int set_up(void **state)
{
    int failed = make_temporary_folder(state);
    if (failed == 0) {
        set_copy_all(SMALL, *state, "");
        static const char settings[] = "{\"schema_version\": 1, \"files\": {\"coverage\": null}}\n";
        set_write(*state, "steelyard.json", settings, strlen(settings));
    }
    return failed;
}

static void a_plan_says_all_that_is_said_of_a_gate(void **state)
{
    sy_finding_list list;
    sy_registry *registry = set_open(*state, SY_REGISTRY_GATES, &list);
    sy_arena *arena = sy_arena_create(0);
    sy_gate_plan plan;
    assert_int_equal(sy_gate_plan_read(registry, "blur.gpu.warm", arena, &plan, NULL), SY_OK);
    assert_int_equal(plan.state, SY_GATE_PARTIAL);
    assert_string_equal(plan.runbook, "blur-profile");
    assert_string_equal(plan.tier, "scheduled-profile");
    assert_true(plan.is_performance);
    assert_string_equal(plan.command, "run-blur --bin 3 --radius 5 --awk '{print $1}' --keep {unknown} --brace "
                                      "{radius} | tee log");
    assert_string_equal(plan.unfilled, "unknown");
    assert_string_equal(plan.smoke, "run-blur --small");
    assert_int_equal(plan.preflight_count, 2);
    assert_int_equal(plan.required_environment_count, 2);
    assert_string_equal(plan.required_environment[1], "BLUR_OUTPUT");
    assert_int_equal(plan.required_artifact_count, 2);
    assert_string_equal(sy_gate_plan_field(&plan, "radius"), "5");
    assert_string_equal(sy_gate_plan_field(&plan, "source_dtype"), "uint16");
    assert_string_equal(sy_gate_plan_field(&plan, "weight"), "1000.0");
    assert_null(sy_gate_plan_field(&plan, "nothing"));
    assert_true(plan.key_field_count > 0);
    assert_string_equal(plan.key_fields[0], "protocol_version");
    assert_true(plan.checks_are_whole);
    assert_int_equal(plan.check_count, 0);
    sy_arena_destroy(arena);
    sy_registry_close(registry);
}

static void an_unknown_gate_names_near_ones(void **state)
{
    sy_finding_list list;
    sy_registry *registry = set_open(*state, SY_REGISTRY_GATES, &list);
    sy_arena *arena = sy_arena_create(0);
    sy_gate_plan plan;
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(sy_gate_plan_read(registry, "blur.gpu", arena, &plan, &error), SY_NOT_FOUND);
    assert_non_null(strstr(error.hint, "blur.gpu.warm"));
    sy_arena_destroy(arena);
    sy_registry_close(registry);
}

static void checks_are_typed_and_their_fields_filled(void **state)
{
    static const char checks[] = WITH(
        "{\"check\": \"free-memory\", \"at_least\": \"6GiB\"}, {\"check\": \"load\", \"at_most\": 0.5},"
        "{\"check\": \"governor\", \"is\": \"performance\", \"required\": false}, {\"check\": \"hardware\"},"
        "{\"check\": \"clock\", \"at_least\": 0.9},"
        "{\"check\": \"file\", \"path\": \"data/a.bin\", \"sha256\": "
        "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"},"
        "{\"check\": \"command\", \"argv\": [\"probe\", \"--bin={detector_bin}\"]}");
    sy_finding_list list;
    set_edit(*state, REGISTRY, SMOKE, checks);
    sy_registry *registry = set_open(*state, SY_REGISTRY_GATES, &list);
    print_findings("checks", &list);
    assert_int_equal(list.finding_count, 0);
    sy_arena *arena = sy_arena_create(0);
    sy_gate_plan plan;
    assert_int_equal(sy_gate_plan_read(registry, "blur.gpu.warm", arena, &plan, NULL), SY_OK);
    assert_int_equal(plan.check_count, 7);
    assert_true(plan.checks_are_whole);
    assert_true(plan.checks[0].bytes == UINT64_C(6) << 30 && plan.checks[0].required);
    assert_true(plan.checks[1].number == 0.5);
    assert_string_equal(plan.checks[2].text, "performance");
    assert_false(plan.checks[2].required);
    assert_int_equal(plan.checks[3].kind, SY_GATE_CHECK_HARDWARE);
    assert_string_equal(plan.checks[5].text, "data/a.bin");
    assert_string_equal(plan.checks[6].argv[1], "--bin=3");
    assert_null(plan.checks[6].argv[2]);
    assert_int_equal(plan.input_count, 1);
    assert_string_equal(plan.inputs[0].name, "data/a.bin");
    sy_arena_destroy(arena);
    sy_registry_close(registry);
}

static void a_check_that_says_too_little_is_a_finding_and_the_list_not_whole(void **state)
{
    static const single_fault faults[] = {
        {REGISTRY, SMOKE, WITH("{\"check\": \"fre-memory\", \"at_least\": \"6GiB\"}"), "runbook-check",
         "/runbooks/blur-profile/checks/0/check", NULL},
        {REGISTRY, SMOKE, WITH("{\"check\": \"free-memory\", \"at_least\": \"much\"}"), "runbook-check",
         "/runbooks/blur-profile/checks/0/at_least", NULL},
        {REGISTRY, SMOKE, WITH("{\"check\": \"free-memory\"}"), "field-missing", "/runbooks/blur-profile/checks/0",
         NULL},
        {REGISTRY, SMOKE, WITH("{\"check\": \"load\", \"at_most\": 0}"), "runbook-check",
         "/runbooks/blur-profile/checks/0/at_most", NULL},
        {REGISTRY, SMOKE, WITH("{\"check\": \"load\", \"at_most\": true}"), "field-type",
         "/runbooks/blur-profile/checks/0/at_most", NULL},
        {REGISTRY, SMOKE, WITH("{\"check\": \"clock\", \"at_least\": 1.5}"), "runbook-check",
         "/runbooks/blur-profile/checks/0/at_least", NULL},
        {REGISTRY, SMOKE, WITH("{\"check\": \"load\", \"at_most\": 1, \"at_least\": 0}"), "runbook-check",
         "/runbooks/blur-profile/checks/0/at_least", NULL},
        {REGISTRY, SMOKE, WITH("{\"check\": \"file\", \"path\": \"../a\"}"), "file-outside-root",
         "/runbooks/blur-profile/checks/0/path", NULL},
        {REGISTRY, SMOKE, WITH("{\"check\": \"file\", \"path\": \"a\", \"sha256\": \"ABC\"}"), "digest-form",
         "/runbooks/blur-profile/checks/0/sha256", NULL},
        {REGISTRY, SMOKE, WITH("{\"check\": \"command\", \"argv\": []}"), "runbook-check",
         "/runbooks/blur-profile/checks/0/argv", NULL},
        {REGISTRY, SMOKE, WITH("{\"check\": \"command\", \"argv\": [\"a\", 1]}"), "runbook-check",
         "/runbooks/blur-profile/checks/0/argv/1", NULL},
        {REGISTRY, SMOKE, WITH("{\"check\": \"hardware\", \"required\": \"no\"}"), "field-type",
         "/runbooks/blur-profile/checks/0/required", NULL},
        {REGISTRY, SMOKE, WITH("7"), "field-type", "/runbooks/blur-profile/checks/0", NULL},
        {REGISTRY, SMOKE, SMOKE ", \"checks\": null", "field-type", "/runbooks/blur-profile/checks", NULL},
        {REGISTRY, SMOKE, SMOKE ", \"question\": \"  \"", "field-blank", "/runbooks/blur-profile/question", NULL},
        {REGISTRY, SMOKE, SMOKE ", \"wall_clock\": \" \"", "field-blank", "/runbooks/blur-profile/wall_clock", NULL},
    };
    try_single_faults(*state, SY_REGISTRY_GATES, faults, sizeof faults / sizeof faults[0]);
    sy_finding_list list;
    set_edit(*state, REGISTRY, SMOKE, WITH("{\"check\": \"hardware\"}, {\"check\": \"load\"}"));
    sy_registry *registry = set_open(*state, SY_REGISTRY_GATES, &list);
    sy_arena *arena = sy_arena_create(0);
    sy_gate_plan plan;
    assert_int_equal(sy_gate_plan_read(registry, "blur.gpu.warm", arena, &plan, NULL), SY_OK);
    assert_int_equal(plan.check_count, 1);
    assert_false(plan.checks_are_whole);
    sy_arena_destroy(arena);
    sy_registry_close(registry);
}

static void what_a_promotion_owes_is_data_of_cell_platform_and_runbook(void **state)
{
    sy_finding_list list;
    set_edit(*state, REGISTRY, SMOKE, SMOKE ", \"wall_clock\": \"first product\"");
    sy_registry *registry = set_open(*state, SY_REGISTRY_GATES | SY_REGISTRY_MATRIX, &list);
    sy_arena *arena = sy_arena_create(0);
    sy_gate_plan plan;
    const char *const *ids = NULL;
    size_t count = 0;
    assert_int_equal(sy_gates_of_cell(registry, "blur.streamed::gpu", arena, &ids, &count, NULL), SY_OK);
    assert_int_equal(count, 2);
    assert_string_equal(ids[0], "stream.gpu.cold");
    assert_string_equal(ids[1], "stream.gpu.bin3");
    assert_int_equal(sy_gates_of_cell(registry, "blur.streamed::gp", arena, &ids, &count, NULL), SY_OK);
    assert_int_equal(count, 0);
    assert_int_equal(sy_gate_plan_read(registry, "blur.gpu.warm", arena, &plan, NULL), SY_OK);
    assert_true(plan.cell_owes_signoff);
    assert_string_equal(plan.computer, "Rack (2 GPUs, 96 GB)");
    assert_string_equal(plan.computer_id, "rack-computer");
    assert_string_equal(plan.wall_clock, "first product");
    assert_true(sy_gate_plan_owes_memory(&plan));
    assert_true(sy_gate_plan_memory_bytes(&plan) == UINT64_C(6) << 30); /* nobody types it: the matrix's words */
    assert_int_equal(sy_gate_plan_read(registry, "blur.npu.refuted", arena, &plan, NULL), SY_OK);
    assert_false(plan.cell_owes_signoff);
    assert_string_equal(plan.wall_clock, "");
    assert_false(sy_gate_plan_owes_memory(&plan));
    assert_true(sy_gate_plan_memory_bytes(&plan) == 0);
    sy_arena_destroy(arena);
    sy_registry_close(registry);
}

static sy_status read_plan(void *user)
{
    sy_arena *arena = sy_arena_create(0);
    sy_gate_plan plan;
    sy_status status = arena != NULL ? sy_gate_plan_read(user, "blur.gpu.warm", arena, &plan, NULL) : SY_NO_MEMORY;
    sy_arena_destroy(arena);
    return status;
}

static void any_allocation_of_a_plan_may_fail(void **state)
{
    sy_finding_list list;
    sy_registry *registry = set_open(*state, SY_REGISTRY_GATES | SY_REGISTRY_MATRIX, &list);
    assert_true(fault_loop_allocations(read_plan, registry, true) > 3);
    sy_registry_close(registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_plan_says_all_that_is_said_of_a_gate, set_up, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(an_unknown_gate_names_near_ones, set_up, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(checks_are_typed_and_their_fields_filled, set_up, remove_temporary_folder),
        cmocka_unit_test_setup_teardown(a_check_that_says_too_little_is_a_finding_and_the_list_not_whole, set_up,
                                        remove_temporary_folder),
        cmocka_unit_test_setup_teardown(what_a_promotion_owes_is_data_of_cell_platform_and_runbook, set_up,
                                        remove_temporary_folder),
        cmocka_unit_test_setup_teardown(any_allocation_of_a_plan_may_fail, set_up, remove_temporary_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
