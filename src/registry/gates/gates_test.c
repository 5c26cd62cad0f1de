/* SPDX-License-Identifier: Apache-2.0 */
/* Gates of a small valid set: what is listed, shown, filled in and rendered; every rule by an edit that breaks it, and
 * edits that break none. */
#include "registry_set.h"

#include "base/text.h"
#include "fault_loop.h"
#include "registry/gates/gates.h"
#include "registry/gates/measurements.h"
#include "registry/registry.h"
#include "temporary_folder.h"

#define SMALL STEELYARD_SOURCE_DIR "/tests/data/registry/small"
#define REGISTRY "benchmarks/benchmark_registry.json"
#define INDEX "evidence/index.json"
#define COVERAGE "docs/coverage.md"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A copy of the small set that keeps no coverage document. */
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

static sy_registry *open_small(const char *root)
{
    sy_finding_list list;
    return set_open(root, SY_REGISTRY_GATES, &list);
}

static void the_small_set_is_valid(void **state)
{
    sy_finding_list list;
    sy_registry *registry = set_open(*state, SY_REGISTRY_GATES, &list);
    print_findings("small", &list);
    assert_int_equal(list.finding_count, 0);
    assert_int_equal(list.note_count, 1);
    assert_string_equal(list.notes[0].rule, "runbook-field-unfilled");
    sy_registry_close(registry);
}

/* ---- questions ---- */

static void assert_ids(sy_registry *registry, const sy_gate_filter *filter, sy_gate_order order, const char *expected)
{
    const sy_gate_row *rows = NULL;
    size_t count = 0;
    sy_text ids = SY_TEXT_INIT;
    assert_int_equal(sy_registry_gates(registry, filter, order, &rows, &count, NULL), SY_OK);
    for (size_t i = 0; i < count; i++) {
        sy_text_append_format(&ids, "%s%s", i > 0 ? " " : "", rows[i].id);
    }
    assert_string_equal(sy_text_bytes(&ids), expected);
    sy_text_finish(&ids);
}

static void gates_are_listed_by_place_and_by_priority(void **state)
{
    sy_registry *registry = open_small(*state);
    assert_ids(registry, NULL, SY_GATES_BY_PLACE,
               "blur.npu.refuted blur.cpu.old blur.cpu.warm blur.gpu.warm stream.npu.unsupported stream.cpu.blocked "
               "stream.gpu.bin3 stream.gpu.cold");
    assert_ids(registry, NULL, SY_GATES_BY_PRIORITY, "stream.gpu.bin3 blur.gpu.warm stream.cpu.blocked");
    sy_registry_close(registry);
}

static void a_filter_takes_whole_words_in_letters_of_either_case(void **state)
{
    sy_registry *registry = open_small(*state);
    assert_ids(registry, &(sy_gate_filter){.state = "MEASURED"}, SY_GATES_BY_PLACE, "blur.cpu.warm stream.gpu.cold");
    assert_ids(registry, &(sy_gate_filter){.state = "measure"}, SY_GATES_BY_PLACE, "");
    assert_ids(registry, &(sy_gate_filter){.platform = "rack gpu", .module = "streamed BLUR"}, SY_GATES_BY_PLACE,
               "stream.gpu.bin3 stream.gpu.cold");
    assert_ids(registry, &(sy_gate_filter){.computer = "Lab-Laptop"}, SY_GATES_BY_PLACE, "stream.gpu.bin3");
    assert_ids(registry, &(sy_gate_filter){.performance_only = true}, SY_GATES_BY_PRIORITY, "blur.gpu.warm");
    sy_registry_close(registry);
}

/* The expected text was printed by Python's json.dumps of the gate with its configuration. */
static void a_gate_is_shown_with_what_it_inherits(void **state)
{
    sy_registry *registry = open_small(*state);
    char *shown = NULL;
    char *expected = set_read(STEELYARD_SOURCE_DIR "/tests/data/registry", "small_gate.json", NULL);
    assert_int_equal(sy_registry_gate_show(registry, "blur.gpu.warm", &shown, NULL), SY_OK);
    assert_string_equal(shown, expected);
    sy_text_free(shown);
    free(expected);
    sy_registry_close(registry);
}

static void a_command_is_filled_with_the_gates_fields(void **state)
{
    sy_registry *registry = open_small(*state);
    char *text = NULL;
    assert_int_equal(sy_registry_gate_command(registry, "blur.gpu.warm", &text, NULL), SY_OK);
    assert_string_equal(text, "Gate: blur.gpu.warm\n"
                              "State: \xe2\x97\x90 Partial\n"
                              "Runbook: blur-profile -- Exact blur on one device\n"
                              "Evidence level: physical performance\n"
                              "Preflight:\n"
                              "  - The device is not used by anybody else.\n"
                              "  - The fixture has its digest.\n"
                              "Required environment:\n"
                              "  - BLUR_FIXTURE\n"
                              "  - BLUR_OUTPUT\n"
                              "Command:\n"
                              "run-blur --bin 3 --radius 5 --awk '{print $1}' --keep {unknown} --brace {radius} | "
                              "tee log\n"
                              "Required artifacts:\n"
                              "  - samples of each run\n"
                              "  - digests of outputs\n"
                              "Promotion boundary:\n"
                              "  A warm run says nothing of a cold one.\n");
    sy_text_free(text);
    assert_int_equal(sy_registry_gate_command(registry, "stream.gpu.cold", &text, NULL), SY_OK);
    assert_string_equal(text, "Gate: stream.gpu.cold\n"
                              "State: \xe2\x9c\x93 Measured\n"
                              "Runbook: blur-parity -- Blur against the reference\n"
                              "Evidence level: parity preflight\n"
                              "Preflight:\n"
                              "Command:\n"
                              "check-blur\n"
                              "Required artifacts:\n"
                              "  - log\n"
                              "Promotion boundary:\n"
                              "  Human evidence review required.\n");
    sy_text_free(text);
    sy_registry_close(registry);
}

static void an_unknown_gate_is_not_found_and_near_ones_are_named(void **state)
{
    sy_registry *registry = open_small(*state);
    char *text = NULL;
    sy_error error = SY_ERROR_INIT;
    assert_int_equal(sy_registry_gate_show(registry, "stream.gpu", &text, &error), SY_NOT_FOUND);
    assert_string_equal(error.hint, "did you mean stream.gpu.cold, stream.gpu.bin3");
    assert_int_equal(sy_registry_gate_command(registry, "blur.gpu.wram", &text, &error), SY_NOT_FOUND);
    assert_string_equal(error.hint, "did you mean blur.gpu.warm");
    assert_int_equal(sy_registry_gate_show(registry, "nothing like it", &text, &error), SY_NOT_FOUND);
    assert_null(text);
    sy_registry_close(registry);
}

/* The document in the set was made by other code, from the rules alone. */
static void the_coverage_document_is_rendered_and_held_against_its_file(void **state)
{
    static const char settings[] = "{\"schema_version\": 1, \"files\": {\"coverage\": \"docs/coverage.md\"}}\n";
    set_write(*state, "steelyard.json", settings, strlen(settings));
    sy_finding_list list;
    sy_registry *registry = set_open(*state, SY_REGISTRY_GATES, &list);
    print_findings("small", &list);
    assert_int_equal(list.finding_count, 0);
    char *rendered = NULL;
    char *expected = set_read(*state, COVERAGE, NULL);
    assert_int_equal(sy_registry_coverage_render(registry, &rendered, NULL), SY_OK);
    assert_string_equal(rendered, expected);
    sy_text_free(rendered);
    free(expected);
    sy_registry_close(registry);
    static const single_fault faults[] = {
        {COVERAGE, "| Board NPU | 2 |", "| Board NPU | 3 |", "coverage-stale", "", NULL},
        {COVERAGE, "| CPU reference | 3 |\n", "", "coverage-stale", "", NULL},
        {COVERAGE, "\xe2\x86\xba Superseded | 1 |", "\xe2\x86\xba Superseded | 1 |  ", "coverage-stale", "", NULL},
        {COVERAGE, "## Reproducible runbooks", "## Reproducible runbooks\r", NULL, NULL, NULL},
        {REGISTRY, "Find a | in the log.", "Find it in the log.", "coverage-stale", "", COVERAGE},
    };
    try_single_faults(*state, SY_REGISTRY_GATES, faults, COUNT(faults));
}

static void a_stale_document_is_told_at_its_first_line_that_differs(void **state)
{
    static const char settings[] = "{\"schema_version\": 1, \"files\": {\"coverage\": \"docs/coverage.md\"}}\n";
    set_write(*state, "steelyard.json", settings, strlen(settings));
    set_edit(*state, COVERAGE, "| Board NPU | 2 |", "| Board NPU | 3 |");
    sy_finding_list list;
    sy_registry *registry = set_open(*state, SY_REGISTRY_GATES, &list);
    assert_int_equal(list.finding_count, 1);
    assert_int_equal(list.findings[0].position.line, 19);
    assert_int_equal(list.findings[0].position.column, 15);
    assert_string_equal(list.findings[0].found, "3 |");
    assert_non_null(strstr(list.findings[0].message, "'2 |'"));
    sy_registry_close(registry);
}

/* ---- imports and parity ---- */

static void an_import_has_the_computers_id_and_its_state_follows_from_times_and_parity(void **state)
{
    sy_registry *registry = open_small(*state);
    const sy_gates_part *part = registry->gates;
    assert_int_equal(part->measurement_count, 4);
    assert_string_equal(part->measurements[0].id, "rack-computer-stream-first");
    assert_int_equal(part->measurements[0].state, SY_GATE_SUPERSEDED); /* by its override */
    assert_string_equal(part->measurements[1].id, "rack-computer-stream-second");
    assert_int_equal(part->measurements[1].state, SY_GATE_MEASURED);
    assert_int_equal(part->measurements[1].parity, SY_PARITY_WORD_PASSED);
    assert_string_equal(part->measurements[1].module, "Streamed blur");
    assert_string_equal(part->measurements[1].computer, "Rack (2 GPUs, 96 GB)");
    assert_int_equal(part->measurements[2].state, SY_GATE_PARTIAL);
    assert_int_equal(part->measurements[2].parity, SY_PARITY_WORD_ABSENT);
    sy_registry_close(registry);
}

static void parity_counts_only_where_its_word_begins_the_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sy_parity_word word;
        const char *label; /* as published documents call it, for any word in the text */
    } cases[] = {
        {"PASSED", SY_PARITY_WORD_PASSED, "Pass"},
        {"passed: all of it", SY_PARITY_WORD_PASSED, "Pass"},
        {"Passed, with a remark", SY_PARITY_WORD_PASSED, "Pass"},
        {"FAILED. Third digit.", SY_PARITY_WORD_FAILED, "Failed"},
        {"Not performed: no reference", SY_PARITY_WORD_NOT_PERFORMED, "Qualified probes"},
        {"incomplete", SY_PARITY_WORD_INCOMPLETE, "Qualified probes"},
        {"passed all checks", SY_PARITY_WORD_UNKNOWN, "Pass"},
        {"PASSEDLY", SY_PARITY_WORD_UNKNOWN, "Pass"},
        {" passed", SY_PARITY_WORD_UNKNOWN, "Pass"},
        {"zero tolerance violations", SY_PARITY_WORD_UNKNOWN, "Failed"},
        {"full parity was not performed", SY_PARITY_WORD_UNKNOWN, "Qualified probes"},
        {"", SY_PARITY_WORD_ABSENT, "Pending"},
        {NULL, SY_PARITY_WORD_ABSENT, "Pending"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(sy_parity_word_read(cases[i].text), cases[i].word);
        assert_string_equal(sy_parity_label(cases[i].text), cases[i].label);
    }
}

/* ---- rules ---- */

#define OWN "/additional_measurements/0"
#define DIGEST(last) "000000000000000000000000000000000000000000000000000000000000" last

static void a_fault_in_the_registry_is_found_alone(void **state)
{
    static const single_fault faults[] = {
        {REGISTRY, "\"priority\": 3,", "\"priority\": true,", "gate-priority", "/gates/1/priority", NULL},
        {REGISTRY, "\"priority\": 3,", "\"priority\": 6,", "gate-priority", "/gates/1/priority", NULL},
        {REGISTRY, "\"priority\": 3,", "\"priority\": 3.0,", "gate-priority", "/gates/1/priority", NULL},
        {REGISTRY, "\"next_gate\": \"Wait for the disk.\"", "\"next_gate\": null", "gate-next-step",
         "/gates/4/next_gate", NULL},
        {REGISTRY, "\"Wait for the disk.\"", "\" \\t\"", "gate-next-step", "/gates/4/next_gate", NULL},
        {REGISTRY, "\"blocked\",", "\"Blocked\",", "state-unknown", "/gates/4/state", NULL},
        {REGISTRY, "\"computer\": \"lab-laptop\"", "\"computer\": \"lab-laptop-2\"", "computer-unknown",
         "/gates/3/computer", NULL},
        {REGISTRY, "\"id\": \"stream.gpu.bin3\"", "\"id\": \"stream.gpu.cold\"", "gate-id-unique", "/gates/3/id", NULL},
        {REGISTRY, "\"satisfied_by\": [\"desk-blur-exact\"]", "\"satisfied_by\": [\"desk-blur\"]",
         "gate-evidence-unknown", "/gates/1/satisfied_by/0", NULL},
        {REGISTRY, "\"satisfied_by\": [\"desk-blur-exact\"]", "\"satisfied_by\": []", "gate-evidence-missing",
         "/gates/1/satisfied_by", NULL},
        {REGISTRY, "[\"desk-blur-exact\"]", "[\"desk-blur-exact\", \"probe-single\"]", "gate-evidence-state",
         "/gates/1/satisfied_by/1", NULL},
        {REGISTRY, "[\"rack-computer-stream-second\"]", "[\"rack-computer-stream-first\"]", "gate-evidence-state",
         "/gates/2/satisfied_by/0", NULL},
        {REGISTRY, "\"satisfied_by\": []", "\"satisfied_by\": [\"probe-single\"]", "gate-evidence-unsupported",
         "/gates/6/satisfied_by", NULL},
        {REGISTRY, "\"reason\": \"The device", "\"p50_seconds\": 0.5, \"reason\": \"The device",
         "gate-evidence-unsupported", "/gates/6/p50_seconds", NULL},
        {REGISTRY, "\"reason\": \"The device holds no second block.\",\n", "", "gate-reason", "/gates/6", NULL},
        {REGISTRY, "\"weekly profile\",\n", "\"monthly profile\",\n", "runbook-tier-unknown",
         "/runbooks/blur-profile/tier", NULL},
        {REGISTRY, "\"command\": \"check-blur\"", "\"command\": \"check\\nblur\"", "runbook-command",
         "/runbooks/blur-parity/command", NULL},
        {REGISTRY, "\"command\": \"check-blur\"", "\"command\": \"check\\u2028blur\"", "runbook-command",
         "/runbooks/blur-parity/command", NULL},
        {REGISTRY, "\"required_artifacts\": [\"log\"]", "\"required_artifacts\": [\"\"]", "runbook-list",
         "/runbooks/blur-parity/required_artifacts/0", NULL},
        {REGISTRY, "\"alpha\": 0.01", "\"alpha\": 1", "gate-threshold", "/gates/0/alpha", NULL},
        {REGISTRY, "\"steelyard-gates/v1\"", "\"steelyard-gates/v2\"", "protocol-unknown", "/protocol_version", NULL},
        {REGISTRY, "\"rack-computer-stream-first\": {", "\"rack-computer-stream-frist\": {", "override-unknown",
         "/evidence_imports/0/measurement_overrides/rack-computer-stream-frist", NULL},
        {REGISTRY, "\"path\": \"evidence/index.json\"", "\"path\": \"evidence/indx.json\"", "file-missing",
         "/evidence_imports/0/path", NULL},
        {REGISTRY, "\"evidence\": \"evidence/index.json#desk\"", "\"evidence\": \"../index.json\"", "file-outside-root",
         OWN "/evidence", NULL},
    };
    try_single_faults(*state, SY_REGISTRY_GATES, faults, COUNT(faults));
}

static void a_fault_in_a_configuration_is_found_once_whoever_inherits_it(void **state)
{
    static const single_fault faults[] = {
        {REGISTRY, "    \"binned-u16\": {\n      \"source_detector_rows\": 100,",
         "    \"binned-u16\": {\n      \"source_detector_rows\": true,", "dimension",
         "/configurations/binned-u16/source_detector_rows", NULL},
        {REGISTRY, "\"output_detector_rows\": 33,\n      \"output_detector_columns\": 21,\n      \"source_dtype\"",
         "\"output_detector_rows\": 34,\n      \"output_detector_columns\": 21,\n      \"source_dtype\"",
         "dimension-quotient", "/configurations/binned-u16/output_detector_rows", NULL},
        {REGISTRY, "\"cache_state\": \"cold\",\n      \"timing_boundary\": \"first byte to last\"",
         "\"cache_state\": \"cold\"", "field-missing", "/configurations/open-shape", NULL},
        {REGISTRY, "\"binned-u16\": {", "\"binned-u16\": null, \"unused\": {", "field-type",
         "/configurations/binned-u16", NULL},
        {REGISTRY, "\"detector_bin\": 3,\n      \"output_detector_rows\": 33\n",
         "\"detector_bin\": 4,\n      "
         "\"output_detector_rows\": 33\n",
         "dimension-quotient", "/gates/3/output_detector_rows", NULL},
    };
    try_single_faults(*state, SY_REGISTRY_GATES, faults, COUNT(faults));
}

static void a_fault_in_a_measurement_is_found_alone(void **state)
{
    static const single_fault faults[] = {
        {REGISTRY, "\"p50_seconds\": 0.25", "\"p50_seconds\": 0.75", "measurement-times", OWN "/p50_seconds", NULL},
        {REGISTRY, "\"max_seconds\": 0.5", "\"max_seconds\": 0.4", "measurement-times", OWN "/p95_seconds", NULL},
        {REGISTRY, "\"p50_seconds\": 0.25", "\"p50_seconds\": -0.25", "measurement-figure", OWN "/p50_seconds", NULL},
        {REGISTRY, "\"p50_seconds\": 0.25", "\"p50_seconds\": \"0.25\"", "field-type", OWN "/p50_seconds", NULL},
        {REGISTRY, "\"p50_seconds\": 0.25", "\"p50_seconds\": NaN", "json-non-finite", OWN "/p50_seconds", NULL},
        {REGISTRY, "\"p50_seconds\": 0.25", "\"p50_seconds\": null", "measurement-incomplete", OWN "/p50_seconds",
         NULL},
        {REGISTRY, "\"Passed: all", "\"FAILED: all", "measurement-parity", OWN "/parity", NULL},
        {REGISTRY, "\"Passed: all", "\"Not performed: all", "measurement-parity", OWN "/parity", NULL},
        {REGISTRY, "\"2026-02-28\"", "\"2026-02-29\"", "measurement-date", OWN "/tested_date", NULL},
        {REGISTRY, "\"0123456789abcdef0123456789abcdef01234567\"", "\"0123456789ABCDEF0123456789abcdef01234567\"",
         "revision-form", OWN "/source_revision", NULL},
        {REGISTRY, DIGEST("00aa"), DIGEST("0aa"), "digest-form", OWN "/fixture_sha256", NULL},
        {REGISTRY, DIGEST("00aa"), DIGEST("00bb"), "fixture-id", OWN "/fixture_sha256", NULL},
        {REGISTRY, "\"checkerboard-100\"", "\"ramp-256\"", "fixture-digest", OWN "/fixture_sha256", NULL},
        {INDEX, "\"probe-single\"", "\"rack-computer-stream-first\"", "measurement-id-unique", "/measurements/2/id",
         NULL},
        {REGISTRY, "\"sample_count\": 7", "\"sample_count\": 7.0", "measurement-samples", OWN "/sample_count", NULL},
        {INDEX, "\"wall_p50_seconds\": 1,", "\"wall_p50_seconds\": 3,", "measurement-times",
         "/measurements/1/wall_p50_seconds", NULL},
        {INDEX, "\"single_wall_seconds\": 3.5,\n", "", "evidence-times", "/measurements/2", NULL},
        {INDEX, "\"single_wall_seconds\": null", "\"single_wall_seconds\": 0.02", "evidence-times", "/measurements/0",
         NULL},
        {INDEX, "\"parity\": \"passed\"", "\"parity\": null", "measurement-incomplete", "/measurements/1/parity", NULL},
        {INDEX, "\"Old Rack\",\n      \"device\": \"rack card 0\",\n      \"date\": \"2026-03-02\"",
         "\"New Rack\",\n      \"device\": \"rack card 0\",\n      \"date\": \"2026-03-02\"", "computer-unknown",
         "/measurements/1/computer", NULL},
        {INDEX, "\"89abcdef0123456789abcdef0123456789abcdef\"", "\"89abcdef\"", "revision-form",
         "/artifacts/0/implementation_revision", NULL},
        {INDEX, "\"id\": \"old-rack-stream-second\",\n      \"artifact_id\": \"stream-campaign\"",
         "\"id\": \"old-rack-stream-second\",\n      \"artifact_id\": \"probe-campaign\"", "evidence-disposition",
         "/measurements/1/artifact_id", NULL},
        {INDEX, "\"id\": \"probe-campaign\"", "\"id\": \"probe-campaing\"", "evidence-artifact",
         "/measurements/2/artifact_id", NULL},
        {INDEX, "\"id\": \"ramp-256\"", "\"id\": \"ramp-255\"", "fixture-undeclared", "/measurements/0/fixture_id",
         NULL},
    };
    try_single_faults(*state, SY_REGISTRY_GATES, faults, COUNT(faults));
}

static void legal_changes_are_not_found(void **state)
{
    static const single_fault legal[] = {
        {REGISTRY, "\"priority\": 3,", "\"priority\": 5,", NULL, NULL, NULL},
        {REGISTRY, "\"computer\": \"lab-laptop\"", "\"computer\": \"Lab laptop (8 GB)\"", NULL, NULL, NULL},
        {REGISTRY, "\"p95_seconds\": 0.5", "\"p95_seconds\": 2.5e-1", NULL, NULL, NULL},
        {REGISTRY, "\"Passed: all", "\"Nothing failed in all", NULL, NULL, NULL},
        {REGISTRY, "\"tier\": \"pr-smoke\"", "\"tier\": \"diagnostic\"", NULL, NULL, NULL},
        {REGISTRY, "\"state\": \"refuted\"", "\"state\": \"superseded\"", NULL, NULL, NULL},
        {REGISTRY, "\"evidence\": \"evidence/index.json#desk\"", "\"evidence\": \"elsewhere/desk.json\"", NULL, NULL,
         NULL},
        {INDEX, "\"parity\": \"passed\"", "\"parity\": \"each of seven\"", NULL, NULL, NULL},
    };
    try_single_faults(*state, SY_REGISTRY_GATES, legal, COUNT(legal));
}

/* ---- memory ---- */

static sy_status ask(sy_registry *registry)
{
    const sy_gate_row *rows = NULL;
    size_t count = 0;
    char *shown = NULL, *command = NULL, *rendered = NULL;
    sy_finding_list list;
    sy_status status = sy_registry_findings(registry, &list, NULL);
    if (status == SY_OK && list.finding_count > 0) {
        return SY_NO_MEMORY; /* a file that did not fit into memory is a finding; the set has no other */
    }
    if (status == SY_OK) {
        status = sy_registry_gates(registry, NULL, SY_GATES_BY_PLACE, &rows, &count, NULL);
    }
    if (status == SY_OK) {
        status = sy_registry_gate_show(registry, "blur.gpu.warm", &shown, NULL);
    }
    if (status == SY_OK) {
        status = sy_registry_gate_command(registry, "blur.gpu.warm", &command, NULL);
    }
    if (status == SY_OK) {
        status = sy_registry_coverage_render(registry, &rendered, NULL);
    }
    sy_text_free(shown);
    sy_text_free(command);
    sy_text_free(rendered);
    return status;
}

static sy_status open_and_ask(void *root)
{
    sy_registry *registry = NULL;
    sy_status status = sy_registry_open(root, SY_REGISTRY_GATES, &registry, NULL);
    if (status == SY_OK) {
        status = ask(registry);
    }
    sy_registry_close(registry);
    return status;
}

static void any_allocation_may_fail(void **state)
{
    assert_true(fault_loop_allocations(open_and_ask, *state, true) > 40);
    assert_true(fault_loop_allocations(open_and_ask, *state, false) > 40);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_temporary_folder)
    const struct CMUnitTest tests[] = {
        TEST(the_small_set_is_valid),
        TEST(gates_are_listed_by_place_and_by_priority),
        TEST(a_filter_takes_whole_words_in_letters_of_either_case),
        TEST(a_gate_is_shown_with_what_it_inherits),
        TEST(a_command_is_filled_with_the_gates_fields),
        TEST(an_unknown_gate_is_not_found_and_near_ones_are_named),
        TEST(the_coverage_document_is_rendered_and_held_against_its_file),
        TEST(a_stale_document_is_told_at_its_first_line_that_differs),
        TEST(an_import_has_the_computers_id_and_its_state_follows_from_times_and_parity),
        cmocka_unit_test(parity_counts_only_where_its_word_begins_the_text),
        TEST(a_fault_in_the_registry_is_found_alone),
        TEST(a_fault_in_a_configuration_is_found_once_whoever_inherits_it),
        TEST(a_fault_in_a_measurement_is_found_alone),
        TEST(legal_changes_are_not_found),
        TEST(any_allocation_may_fail),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
