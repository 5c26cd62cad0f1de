/* SPDX-License-Identifier: Apache-2.0 */
/* Single faults in copies of the published matrix and parity matrix. The rules are tried one by one on the small set of
 * matrix_test.c; here their answers on a real set are: one fault, one finding, at its place. */
#include "registry_set.h"

#include "temporary_folder.h"

#define MATRIX "benchmarks/profile_matrix.json"
#define PARITY "tests/parity/backend_matrix.json"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Beginnings of published cells up to their backend, of which each stands once. */
#define PHASE_WEBGPU \
    "{\"id\": \"ssb.object-phase-loss::webgpu\", \"capability\": \"ssb.object-phase-loss\", \"backend\": \"webgpu\", "
#define PHASE_LEVEL PHASE_WEBGPU "\"support_level\": \"partial-hardware\", "
#define PHASE_GATE PHASE_LEVEL "\"pr_gate\": \"source-contract-and-browser-smoke\", "
#define PHASE_SCHEDULE PHASE_GATE "\"scheduled_profile\": \"weekly\", "
#define PHASE_SIGNOFF PHASE_SCHEDULE "\"release_signoff\": true, "
#define PHASE_RUNNER PHASE_SIGNOFF "\"runner\": \"physical-hardware-browser\", "
#define PHASE_CELL PHASE_RUNNER "\"state\": \"ready\"},"
#define SCREEN_WEBGPU                                                                                                  \
    "{\"id\": \"screening.prepared-products::webgpu\", \"capability\": \"screening.prepared-products\", \"backend\": " \
    "\"webgpu\", \"support_level\": \"not-implemented\", "
#define SCREEN_GATE SCREEN_WEBGPU "\"pr_gate\": \"unsupported-contract\", "
#define SCREEN_SCHEDULE SCREEN_GATE "\"scheduled_profile\": \"none\", "
#define SCREEN_SIGNOFF SCREEN_SCHEDULE "\"release_signoff\": false, "
#define SCREEN_RUNNER SCREEN_SIGNOFF "\"runner\": \"portable-ci\", "

/* What the published validators let pass. */
static const single_fault silent_faults[] = {
    {MATRIX, "\"schema_version\": 1", "\"schema_version\": true", "schema-version", "/schema_version", NULL},
    {MATRIX, "\"schema_version\": 1", "\"schema_version\": 1.0", "schema-version", "/schema_version", NULL},
    {PARITY, "\"schema_version\": 1", "\"schema_version\": true", "schema-version", "/schema_version", NULL},
    {MATRIX, "      \"precision\",\n", "", "matrix-key-field-missing", "/comparison_contract/comparison_key", NULL},
    {MATRIX, "      \"device_id\",\n", "", "matrix-key-field-missing", "/comparison_contract/comparison_key", NULL},
    {MATRIX, "\"pr-smoke\": {", "\"pr-smokes\": {", "matrix-tier-unknown", "/tiers/pr-smokes", NULL},
    {MATRIX, PHASE_RUNNER, PHASE_SIGNOFF "\"runner\": \"somebody\", ", "matrix-cell-runner", "/cells/29/runner", NULL},
    {MATRIX, "\"runner\": \"physical-cuda\",\n", "\"runner\": \"somebody\",\n", "matrix-cell-runner",
     "/platforms/cuda/runner", NULL},
    {MATRIX, "\"parity_failure\": \"block\",", "\"parity_failure\": \"block\", \"parity_failure\": \"block\",",
     "json-duplicate-key", "/comparison_contract/parity_failure", NULL},
};

static const single_fault faults[] = {
    {MATRIX, "quantem-gpu-profile/v1", "quantem-gpu-profile/v2", "protocol-unknown", "/protocol_version", NULL},
    {MATRIX, PARITY, "tests/backend_matrix.json", "matrix-parity-path", "/parity_matrix", NULL},
    {MATRIX, "\"forbidden\"", "\"allowed\"", "matrix-contract-value", "/comparison_contract/cross_key_comparison",
     NULL},
    {MATRIX, "threshold\": 5", "threshold\": 3", "matrix-minimum-sessions",
     "/comparison_contract/minimum_accepted_sessions_before_hard_threshold", NULL},
    {MATRIX, "threshold\": 5", "threshold\": null", "field-type",
     "/comparison_contract/minimum_accepted_sessions_before_hard_threshold", NULL},
    {MATRIX, "    \"minimum_accepted_sessions_before_hard_threshold\": 5,\n", "", "matrix-minimum-sessions",
     "/comparison_contract", NULL},
    {MATRIX, PHASE_CELL, "", "matrix-cell-missing", "/cells", NULL},
    {MATRIX, PHASE_CELL, PHASE_CELL PHASE_CELL, "matrix-cell-doubled", "/cells/30/id", NULL},
    {MATRIX, "\"ssb.object-phase-loss::webgpu\"", "\"ssb.object-phase-loss-webgpu\"", "matrix-cell-id", "/cells/29/id",
     NULL},
    {MATRIX, PHASE_LEVEL, PHASE_WEBGPU "\"support_level\": \"required\", ", "matrix-cell-level",
     "/cells/29/support_level", NULL},
    {MATRIX, PHASE_SCHEDULE, PHASE_GATE "\"scheduled_profile\": \"hourly\", ", "matrix-cell-schedule",
     "/cells/29/scheduled_profile", NULL},
    {MATRIX, PHASE_SIGNOFF, PHASE_SCHEDULE "\"release_signoff\": \"true\", ", "field-type", "/cells/29/release_signoff",
     NULL},
    {MATRIX, PHASE_RUNNER, PHASE_SIGNOFF "\"runner\": \"physical-cuda\", ", "matrix-cell-runner", "/cells/29/runner",
     NULL},
    {MATRIX, PHASE_CELL, PHASE_RUNNER "\"state\": \"unsupported\"},", "matrix-cell-implemented", "/cells/29/state",
     NULL},
    {MATRIX, PHASE_CELL, PHASE_RUNNER "\"state\": \"done\"},", "matrix-cell-state", "/cells/29/state", NULL},
    {MATRIX, PHASE_CELL, PHASE_SIGNOFF "\"state\": \"ready\"},", "field-missing", "/cells/29", NULL},
    {MATRIX, SCREEN_GATE, SCREEN_WEBGPU "\"pr_gate\": \"source-contract\", ", "matrix-cell-unimplemented",
     "/cells/14/pr_gate", NULL},
    {MATRIX, SCREEN_SCHEDULE, SCREEN_GATE "\"scheduled_profile\": \"weekly\", ", "matrix-cell-unimplemented",
     "/cells/14/scheduled_profile", NULL},
    {MATRIX, SCREEN_SIGNOFF, SCREEN_SCHEDULE "\"release_signoff\": true, ", "matrix-cell-unimplemented",
     "/cells/14/release_signoff", NULL},
    {MATRIX, SCREEN_RUNNER "\"state\": \"unsupported\"", SCREEN_RUNNER "\"state\": \"evidence-gap\"",
     "matrix-cell-unimplemented", "/cells/14/state", NULL},
    {MATRIX, "\"tpe_200_ms\",\n", "\"\",\n", "field-blank",
     "/capabilities/ssb.calibration-200-nelder-mead/required_metrics/0", NULL},
    {PARITY, "    \"cuda\",\n    \"mps\",", "    \"mps\",", "parity-backend-missing", "/backends", NULL},
    {PARITY, "    \"cuda\",\n    \"mps\",", "    \"cuda\",\n    \"rocm\",\n    \"mps\",", "parity-backend-unknown",
     "/backends/2", NULL},
    {PARITY, "\"level\": \"partial-hardware\"", "\"level\": \"not-implemented\"", "matrix-cell-level",
     "/cells/29/support_level", MATRIX},
    {PARITY, "    \"cpu_fallback\": \"explicit-reference-only\",\n", "", "parity-contract", "/contract", NULL},
    {PARITY, "\"explicit-reference-only\"", "true", "field-type", "/contract/cpu_fallback", NULL},
    {PARITY, "\"explicit-reference-only\"", "null", "field-type", "/contract/cpu_fallback", NULL},
    {PARITY, "\"required_provenance\": [", "\"required_provenance\": null, \"other\": [", "field-type",
     "/contract/required_provenance", NULL},
    {PARITY, "\"required_provenance\": [", "\"required_provenance\": {}, \"other\": [", "field-type",
     "/contract/required_provenance", NULL},
    {PARITY, "\"id\": \"detector.integer-products\"", "\"id\": \"detector.integer-product\"",
     "matrix-capability-unknown", "/capabilities/detector.integer-products", MATRIX},
};

static const single_fault legal_changes[] = {
    {MATRIX, "      \"precision\",\n", "      \"precision\",\n      \"objective\",\n", NULL, NULL, NULL},
    {MATRIX, PHASE_CELL, PHASE_RUNNER "\"state\": \"evidence-gap\"},", NULL, NULL, NULL},
    {MATRIX, PHASE_CELL, PHASE_RUNNER "\"owner\": null, \"state\": \"ready\"},", NULL, NULL, NULL},
    {MATRIX, "\"6 GiB dedicated VRAM\"", "\"12 GiB dedicated VRAM\"", NULL, NULL, NULL},
    {MATRIX, "threshold\": 5", "threshold\": 8", NULL, NULL, NULL},
    {PARITY, "\"row-column\"", "\"column-row\"", NULL, NULL, NULL},
    {PARITY, "\"coordinate_order\":", "\"of_ours\": 7, \"coordinate_order\":", NULL, NULL, NULL},
};

static void what_the_published_validators_let_pass_is_found(void **state)
{
    if (*state == NULL) {
        skip();
    }
    try_single_faults(*state, SY_REGISTRY_MATRIX, silent_faults, COUNT(silent_faults));
}

static void one_fault_is_one_finding_at_its_place(void **state)
{
    if (*state == NULL) {
        skip();
    }
    try_single_faults(*state, SY_REGISTRY_MATRIX, faults, COUNT(faults));
}

static void a_legal_change_is_no_finding(void **state)
{
    if (*state == NULL) {
        skip();
    }
    try_single_faults(*state, SY_REGISTRY_MATRIX, legal_changes, COUNT(legal_changes));
}

/* Faults do not hide each other: all of them at once are as many findings. */
static void all_faults_are_told_in_one_run(void **state)
{
    static const char *const edits[][3] = {
        {MATRIX, "\"schema_version\": 1", "\"schema_version\": true"},
        {MATRIX, "      \"precision\",\n", ""},
        {MATRIX, "\"forbidden\"", "\"allowed\""},
        {MATRIX, "\"tpe_200_ms\",\n", "\"\",\n"},
        {MATRIX, SCREEN_SIGNOFF, SCREEN_SCHEDULE "\"release_signoff\": true, "},
        {MATRIX, PHASE_CELL, ""},
        {PARITY, "\"schema_version\": 1", "\"schema_version\": 2"},
        {PARITY, "    \"cuda\",\n    \"mps\",", "    \"mps\","},
    };
    if (*state == NULL) {
        skip();
    }
    for (size_t i = 0; i < COUNT(edits); i++) {
        set_edit(*state, edits[i][0], edits[i][1], edits[i][2]);
    }
    sy_finding_list list;
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    if (list.finding_count != COUNT(edits)) {
        print_findings("all at once", &list);
    }
    assert_int_equal(list.finding_count, COUNT(edits));
    sy_registry_close(registry);
}

static void the_matrix_can_be_asked_for(void **state)
{
    if (*state == NULL) {
        skip();
    }
    sy_finding_list list;
    sy_matrix matrix;
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    assert_int_equal(sy_registry_matrix(registry, &matrix, NULL), SY_OK);
    assert_string_equal(matrix.protocol_version, "quantem-gpu-profile/v1");
    assert_int_equal(matrix.capability_count, 7);
    assert_string_equal(matrix.capabilities[0], "io.decode-bin-provenance");
    assert_int_equal(matrix.backend_count, 5);
    assert_string_equal(matrix.backends[4], "webgpu");
    assert_int_equal(matrix.cell_count, 35);
    const sy_matrix_cell *cell = &matrix.cells[29];
    assert_string_equal(cell->id, "ssb.object-phase-loss::webgpu");
    assert_string_equal(cell->support_level, "partial-hardware");
    assert_string_equal(cell->scheduled_profile, "weekly");
    assert_true(cell->release_signoff);
    assert_string_equal(cell->runner, "physical-hardware-browser");
    assert_string_equal(cell->state, "ready");
    assert_string_equal(cell->reason, "");
    assert_string_equal(matrix.cells[14].state, "unsupported");
    assert_non_null(strstr(matrix.cells[14].reason, "not-implemented"));
    sy_registry_close(registry);
}

/* *state stays NULL where there is no published set. */
static int set_up(void **state)
{
    const char *published = published_set(STEELYARD_SOURCE_DIR);
    *state = NULL;
    if (published == NULL) {
        return 0;
    }
    int failed = make_temporary_folder(state);
    if (failed == 0) {
        set_copy(published, *state, MATRIX);
        set_copy(published, *state, PARITY);
    }
    return failed;
}

static int tear_down(void **state)
{
    return *state != NULL ? remove_temporary_folder(state) : 0;
}

#define ON_A_COPY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_COPY(what_the_published_validators_let_pass_is_found),
        ON_A_COPY(one_fault_is_one_finding_at_its_place),
        ON_A_COPY(a_legal_change_is_no_finding),
        ON_A_COPY(all_faults_are_told_in_one_run),
        ON_A_COPY(the_matrix_can_be_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
