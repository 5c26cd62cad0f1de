/* SPDX-License-Identifier: Apache-2.0 */
/* The join: which gates count under which cell, and what is remarked where parts do not come together. */
#include "cmocka_headers.h"

#include <stdlib.h>
#include <string.h>

#include "fault_loop.h"
#include "registry/registry.h"
#include "temporary_folder.h"

/* Two pairs of a capability: one implemented, one not. */
static const char parity[] =
    "{\"schema_version\": 1, \"backends\": [\"cuda\", \"webgpu\"], \"contract\": {}, \"capabilities\": [\n"
    "{\"id\": \"screening.prepared-products\", \"parity\": \"same bytes\", \"coverage\": {\n"
    "\"cuda\": {\"level\": \"required\", \"gates\": [\"t.py\"]},\n"
    "\"webgpu\": {\"level\": \"not-implemented\", \"gates\": [\"d.md\"]}}}]}";

static const char matrix[] =
    "{\"schema_version\": 1, \"protocol_version\": \"quantem-gpu-profile/v1\",\n"
    "\"parity_matrix\": \"tests/parity/backend_matrix.json\",\n"
    "\"tiers\": {\"pr-smoke\": {\"purpose\": \"p\"}, \"scheduled-profile\": {\"purpose\": \"p\"},\n"
    "\"release-signoff\": {\"purpose\": \"p\"}, \"diagnostic\": {\"purpose\": \"p\"}},\n"
    "\"platforms\": {\"cuda\": {\"authority\": \"c\", \"runner\": \"r\", \"minimum_memory_gate\": null},\n"
    "\"webgpu\": {\"authority\": \"c\", \"runner\": \"w\", \"minimum_memory_gate\": null}},\n"
    "\"capabilities\": {\"screening.prepared-products\": {\"required_metrics\": [\"wall_ms\"]}},\n"
    "\"comparison_contract\": {}, \"required_run_fields\": [],\n"
    "\"cells\": [\n"
    "{\"id\": \"screening.prepared-products::cuda\", \"capability\": \"screening.prepared-products\",\n"
    "\"backend\": \"cuda\", \"support_level\": \"required\", \"pr_gate\": \"g\", \"scheduled_profile\": \"weekly\",\n"
    "\"release_signoff\": true, \"runner\": \"r\", \"state\": \"ready\"},\n"
    "{\"id\": \"screening.prepared-products::webgpu\", \"capability\": \"screening.prepared-products\",\n"
    "\"backend\": \"webgpu\", \"support_level\": \"not-implemented\", \"pr_gate\": \"unsupported-contract\",\n"
    "\"scheduled_profile\": \"none\", \"release_signoff\": false, \"runner\": \"portable-ci\",\n"
    "\"state\": \"unsupported\"}]}";

#define MEASUREMENT(id)                                                                        \
    "{\"id\": \"evidence::" id "\", \"measurement_id\": \"" id "\", \"state\": \"measured\", " \
    "\"evidence\": \"archive/run-a/manifest.json\"}"

static const char registry_text[] =
    "{\"schema_version\": 1, \"protocol_version\": \"quantem-gpu-benchmark-coverage/v1\",\n"
    "\"evidence_imports\": [], \"additional_measurements\": [" MEASUREMENT(
        "m1") "],\n"
              "\"configurations\": {\"full\": {\"detector_bin\": 2}}, \"runbooks\": {\n"
              "\"timing\": {\"title\": \"t\", \"owner\": \"o\", \"tier\": \"diagnostic\",\n"
              "\"evidence_level\": \"physical performance\", \"command\": \"run --bin {detector_bin}\"},\n"
              "\"parity\": {\"title\": \"t\", \"owner\": \"o\", \"tier\": \"diagnostic\",\n"
              "\"evidence_level\": \"parity preflight\", \"command\": \"check\"}},\n"
              "\"gates\": [\n"
              "{\"id\": \"a\", \"module\": \"Screening\", \"operation\": \"o\", \"platform\": \"CUDA\", \"computer\": "
              "\"c\",\n"
              "\"configuration\": \"full\", \"state\": \"measured\", \"satisfied_by\": [\"m1\"], \"runbook\": "
              "\"timing\",\n"
              "\"priority\": 3, \"next_gate\": \"\"}]}";

static const char gate_b[] = /* put first */
    "\"gates\": [{\"id\": \"b\", \"module\": \"Screening\", \"operation\": \"o\", \"platform\": \"CUDA\", "
    "\"computer\": \"c\",\n"
    "\"configuration\": \"full\", \"state\": \"pending\", \"runbook\": \"timing\", \"priority\": 2,\n"
    "\"next_gate\": \"measure b\"}, ";

static const char settings[] =
    "{\"schema_version\": 1, \"platforms\": {\"cuda\": {\"readiness\": {\"stable_device_ownership\": true,\n"
    "\"fixture_access\": true, \"artifact_retention\": true, \"fail_closed_preflight\": true}}}}";

static const char manifest[] = "{\"status\": \"completed\"}";

typedef struct set {
    const char *root;
    const char *matrix;
    char *registry; /* owned */
    const char *settings;
    const char *manifest;
    sy_document_bytes files[6];
    sy_registry *open;
} set;

static char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    sy_text edited = SY_TEXT_INIT;
    sy_text_append_bytes(&edited, text, (size_t)(at - text));
    sy_text_append(&edited, to);
    sy_text_append(&edited, at + strlen(from));
    char *result = strdup(sy_text_bytes(&edited));
    sy_text_finish(&edited);
    return result;
}

/* Edits the registry once more. */
static void edit(set *s, const char *from, const char *to)
{
    char *edited = replaced(s->registry, from, to);
    free(s->registry);
    s->registry = edited;
}

/* Opens it anew and tells its notes of the join: "rule pointer" in lines. */
static char *notes(set *s)
{
    static const char *const rules[] = {"ready-with-open-gates",   "gate-cannot-measure", "evidence-without-cell",
                                        "schedule-without-runner", "gate-without-cell",   "cell-without-gate",
                                        "run-without-measurement"};
    const char *const texts[] = {s->matrix, parity, s->registry, s->settings, s->manifest};
    static const char *const paths[] = {"benchmarks/profile_matrix.json", "tests/parity/backend_matrix.json",
                                        "benchmarks/benchmark_registry.json", "steelyard.json",
                                        "experiments/run-a/manifest.json"};
    for (size_t i = 0; i < 5; i++) {
        s->files[i] = (sy_document_bytes){paths[i], texts[i], texts[i] != NULL ? strlen(texts[i]) : 0};
    }
    sy_registry_close(s->open);
    s->open = NULL;
    assert_int_equal(sy_registry_open_with(s->root, SY_REGISTRY_ALL, s->files, 5, &s->open, NULL), SY_OK);
    sy_finding_list list;
    assert_int_equal(sy_registry_findings(s->open, &list, NULL), SY_OK);
    sy_text told = SY_TEXT_INIT;
    for (size_t i = 0; i < list.note_count; i++) {
        for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
            if (strcmp(list.notes[i].rule, rules[k]) == 0) {
                sy_text_append_format(&told, "%s %s\n", rules[k], list.notes[i].pointer);
            }
        }
    }
    char *result = strdup(sy_text_bytes(&told));
    sy_text_finish(&told);
    return result;
}

static void expect(set *s, const char *expected, size_t which_count)
{
    char *told = notes(s);
    assert_string_equal(told, expected);
    free(told);
    sy_registry_coverage c;
    assert_int_equal(sy_registry_coverage_count(s->open, &c, NULL), SY_OK);
    const size_t counts[] = {c.ready_with_open_gates,    c.gates_that_cannot_measure, c.evidence_without_cell,
                             c.schedules_without_runner, c.gates_without_cell,        c.cells_without_gate};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(counts[i], i == which_count ? 1 : 0);
    }
}

enum { READY, CANNOT, EVIDENCE, SCHEDULE, GATE, CELL, NONE };

static int set_up(void **state)
{
    static set s;
    void *folder = NULL;
    int failed = make_temporary_folder(&folder);
    s = (set){folder, matrix, strdup(registry_text), settings, manifest, {{0}}, NULL};
    *state = &s;
    return failed;
}

static int tear_down(void **state)
{
    set *s = *state;
    void *folder = (void *)(uintptr_t)s->root;
    sy_registry_close(s->open);
    free(s->registry);
    return remove_temporary_folder(&folder);
}

static const sy_matrix_cell *first_cell(set *s)
{
    sy_matrix whole;
    assert_int_equal(sy_registry_matrix(s->open, &whole, NULL), SY_OK);
    return &whole.cells[0];
}

static void what_comes_together_is_counted_and_not_remarked(void **state)
{
    set *s = *state;
    expect(s, "", NONE);
    const sy_matrix_cell *cell = first_cell(s);
    assert_int_equal(cell->gate_count, 1);
    assert_int_equal(cell->measured_gates, 1);
    assert_int_equal(cell->open_gates, 0);
    assert_int_equal(cell[1].gate_count, 0);
}

static void a_ready_cell_with_an_open_gate_names_the_most_urgent(void **state)
{
    set *s = *state;
    edit(s, "\"gates\": [\n", gate_b);
    expect(s, "ready-with-open-gates /cells/0/state\n", READY);
    const sy_matrix_cell *cell = first_cell(s);
    assert_int_equal(cell->gate_count, 2);
    assert_int_equal(cell->open_gates, 1);
    assert_string_equal(cell->next_gate, "b");
    assert_string_equal(cell->reason, "measure b");
    /* A third one, as urgent and before it by its id. */
    edit(s, "\"gates\": [", gate_b);
    edit(s, "measure b", "measure B");
    edit(s, "\"id\": \"b\"", "\"id\": \"B\"");
    free(notes(s));
    assert_string_equal(first_cell(s)->next_gate, "B");
    assert_string_equal(first_cell(s)->reason, "measure B");
}

static void an_open_gate_needs_a_runbook_that_can_measure_it(void **state)
{
    set *s = *state;
    edit(s, "\"state\": \"measured\", \"satisfied_by\": [\"m1\"], \"runbook\": \"timing\"",
         "\"state\": \"partial\", \"satisfied_by\": [\"m1\"], \"runbook\": \"parity\"");
    char *told = notes(s);
    assert_string_equal(told, "gate-cannot-measure /gates/0/runbook\nready-with-open-gates /cells/0/state\n");
    free(told);
    edit(s, "\"runbook\": \"parity\"", "\"runbook\": \"timing\"");
    told = notes(s);
    assert_string_equal(told, "ready-with-open-gates /cells/0/state\n");
    free(told);
    /* Its command needs a field that the gate does not have. */
    edit(s, "\"detector_bin\": 2", "\"detector_bin\": null");
    told = notes(s);
    assert_string_equal(told, "gate-cannot-measure /gates/0/runbook\nready-with-open-gates /cells/0/state\n");
    free(told);
    edit(s, "{detector_bin}", "{not a field} ${HOME} {x}");
    told = notes(s);
    assert_string_equal(told, "gate-cannot-measure /gates/0/runbook\nready-with-open-gates /cells/0/state\n");
    free(told);
    edit(s, " {x}", "");
    told = notes(s);
    assert_string_equal(told, "ready-with-open-gates /cells/0/state\n");
    free(told);
}

static void evidence_that_nobody_names_is_remarked(void **state)
{
    set *s = *state;
    edit(s, MEASUREMENT("m1"), MEASUREMENT("m1") ", " MEASUREMENT("m2"));
    expect(s, "evidence-without-cell /additional_measurements/1\n", EVIDENCE);
    edit(s, "\"measurement_id\": \"m2\", \"state\": \"measured\"",
         "\"measurement_id\": \"m2\", \"state\": \"superseded\"");
    expect(s, "", NONE);
}

static void a_gate_belongs_to_a_cell_and_a_cell_has_a_gate(void **state)
{
    set *s = *state;
    edit(s, "\"module\": \"Screening\"", "\"module\": \"Nothing known\"");
    char *told = notes(s);
    assert_string_equal(told, "evidence-without-cell /additional_measurements/0\ngate-without-cell /gates/0\n"
                              "cell-without-gate /cells/0\n");
    free(told);
    sy_registry_coverage c;
    assert_int_equal(sy_registry_coverage_count(s->open, &c, NULL), SY_OK);
    assert_int_equal(c.gates_without_cell, 1);
    assert_int_equal(c.cells_without_gate, 1);
    /* The gate may say its capability itself. */
    edit(s, "\"module\": \"Nothing known\"",
         "\"capability\": \"screening.prepared-products\", \"module\": \"Nothing known\"");
    expect(s, "", NONE);
    edit(s, "\"platform\": \"CUDA\"", "\"platform\": \"Python MPS\"");
    told = notes(s);
    assert_non_null(strstr(told, "gate-without-cell /gates/0\n"));
    free(told);
}

static void a_schedule_needs_a_runner_that_is_said_to_be_ready(void **state)
{
    set *s = *state;
    s->settings = NULL;
    expect(s, "schedule-without-runner /platforms/cuda\n", SCHEDULE);
    char *unscheduled = replaced(matrix, "weekly", "none");
    s->matrix = unscheduled;
    expect(s, "", NONE);
    free(unscheduled);
}

static void a_run_that_nothing_rests_on_is_remarked(void **state)
{
    set *s = *state;
    edit(s, "archive/run-a/", "archive/run-ab/");
    expect(s, "run-without-measurement \n", NONE);
    s->manifest = "{\"status\": \"failed\"}";
    expect(s, "", NONE);
}

/* What damage may have taken is not remarked, and parts that are not read are not joined. */
static void nothing_is_joined_to_what_is_not_there(void **state)
{
    set *s = *state;
    char *cut = strdup(matrix);
    *strstr(cut, "\"cells\"") = '\0';
    s->matrix = cut;
    char *told = notes(s);
    assert_string_equal(told, "evidence-without-cell /additional_measurements/0\n");
    free(told);
    free(cut);
    s->matrix = NULL;
    free(notes(s));
    sy_registry *part = NULL;
    sy_registry_coverage c;
    assert_int_equal(sy_registry_open_with(s->root, SY_REGISTRY_GATES, s->files, 5, &part, NULL), SY_OK);
    assert_int_equal(sy_registry_coverage_count(part, &c, NULL), SY_REFUSED);
    sy_registry_close(part);
}

static sy_status open_all(void *user)
{
    set *s = user;
    sy_registry *opened = NULL;
    sy_error error = SY_ERROR_INIT;
    sy_finding_list list;
    sy_status status = sy_registry_open_with(s->root, SY_REGISTRY_ALL, s->files, 6, &opened, &error);
    if (status == SY_OK) {
        status = sy_registry_findings(opened, &list, &error);
    }
    sy_registry_close(opened);
    return status;
}

static void without_memory_nothing_is_half_told(void **state)
{
    static const char index_text[] =
        "| id | hypothesis | setup | status | result | artifact |\n|---|---|---|---|---|---|\n"
        "| run-a | h | s | ok | r | [m](run-b/manifest.json) |\n| run-c | | | | | |\n";
    set *s = *state;
    free(notes(s));
    sy_registry_close(s->open);
    s->open = NULL;
    s->files[5] = (sy_document_bytes){"experiments/RUNS.md", index_text, sizeof index_text - 1};
    assert_true(fault_loop_allocations(open_all, s, true) > 40);
    assert_true(fault_loop_allocations(open_all, s, false) > 40);
}

int main(void)
{
#define JOINED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        JOINED(what_comes_together_is_counted_and_not_remarked),
        JOINED(a_ready_cell_with_an_open_gate_names_the_most_urgent),
        JOINED(an_open_gate_needs_a_runbook_that_can_measure_it),
        JOINED(evidence_that_nobody_names_is_remarked),
        JOINED(a_gate_belongs_to_a_cell_and_a_cell_has_a_gate),
        JOINED(a_schedule_needs_a_runner_that_is_said_to_be_ready),
        JOINED(a_run_that_nothing_rests_on_is_remarked),
        JOINED(nothing_is_joined_to_what_is_not_there),
        JOINED(without_memory_nothing_is_half_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
