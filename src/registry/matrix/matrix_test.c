/* SPDX-License-Identifier: Apache-2.0 */
/* The profile matrix and the parity matrix: every rule by an edit that breaks it alone, and edits that break none. */
#include "registry_set.h"

#include "temporary_folder.h"

#define SMALL STEELYARD_SOURCE_DIR "/tests/data/registry/small"
#define MATRIX "benchmarks/profile_matrix.json"
#define PARITY "tests/parity/backend_matrix.json"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int set_up_small(void **state)
{
    int failed = make_temporary_folder(state);
    if (failed == 0) {
        set_copy_all(SMALL, *state, "");
    }
    return failed;
}

/* *state stays NULL where there is no published set. */
static int set_up_published(void **state)
{
    const char *published = published_set(STEELYARD_SOURCE_DIR);
    if (published == NULL) {
        *state = NULL;
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

static void both_sets_are_valid(void **state)
{
    sy_finding_list list;
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    print_findings("small", &list);
    assert_int_equal(list.finding_count, 0);
    assert_int_equal(list.note_count, 0);
    sy_registry_close(registry);
}

static void the_published_set_is_valid_and_its_key_is_remarked(void **state)
{
    if (*state == NULL) {
        skip();
    }
    sy_finding_list list;
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    print_findings("published", &list);
    assert_int_equal(list.finding_count, 0);
    assert_int_equal(list.note_count, 1);
    assert_string_equal(list.notes[0].rule, "matrix-key-field-advised");
    assert_string_equal(list.notes[0].pointer, "/comparison_contract/comparison_key");
    assert_non_null(strstr(list.notes[0].message, "bad_pixel_policy, calibration_signature, objective"));
    sy_registry_close(registry);
}

static const single_fault head_faults[] = {
    {MATRIX, "\"schema_version\": 1", "\"schema_version\": true", "schema-version", "/schema_version", NULL},
    {MATRIX, "\"schema_version\": 1", "\"schema_version\": 1.0", "schema-version", "/schema_version", NULL},
    {MATRIX, "\"schema_version\": 1", "\"schema_version\": \"1\"", "schema-version", "/schema_version", NULL},
    {MATRIX, "\"schema_version\": 1", "\"schema_version\": 2", "schema-version", "/schema_version", NULL},
    {MATRIX, "\"schema_version\": 1,", "", "field-missing", "", NULL},
    {MATRIX, "\"schema_version\": 1", "\"schema_version\": 1, \"schema_version\": 1", "json-duplicate-key",
     "/schema_version", NULL},
    {MATRIX, "steelyard-profile/v1", "steelyard-profile/v9", "protocol-unknown", "/protocol_version", NULL},
    {MATRIX, "\"steelyard-profile/v1\"", "null", "field-type", "/protocol_version", NULL},
    {MATRIX, PARITY, "tests/parity/other.json", "matrix-parity-path", "/parity_matrix", NULL},
    {MATRIX, "\"" PARITY "\"", "7", "field-type", "/parity_matrix", NULL},
};

static const single_fault tier_faults[] = {
    {MATRIX,
     ",\n    \"diagnostic\": {\"purpose\": \"A hypothesis with counters or traces.\", \"cadence\": \"As needed.\"}", "",
     "matrix-tier-missing", "/tiers", NULL},
    {MATRIX, "\"diagnostic\":", "\"diagnostics\":", "matrix-tier-unknown", "/tiers/diagnostics", NULL},
    {MATRIX, "\"tiers\": {", "\"tiers\": {\"nightly\": {\"purpose\": \"x\"},", "matrix-tier-unknown", "/tiers/nightly",
     NULL},
    {MATRIX, "{\"purpose\": \"Drift on a frozen configuration.\", \"cadence\": \"Weekly.\"}", "null", "field-type",
     "/tiers/scheduled-profile", NULL},
    {MATRIX, "\"Drift on a frozen configuration.\"", "\" \"", "field-blank", "/tiers/scheduled-profile/purpose", NULL},
    {MATRIX, "\"Weekly.\"", "5", "field-type", "/tiers/scheduled-profile/cadence", NULL},
};

static const single_fault platform_faults[] = {
    {MATRIX, "\"cpu\": {\"authority\": \"desk-computer\", \"runner\": \"desk-cpu\", \"minimum_memory_gate\": null},",
     "", "matrix-platform-missing", "/platforms", NULL},
    {MATRIX, "\"platforms\": {",
     "\"platforms\": {\"dsp\": {\"authority\": \"a\", \"runner\": \"b\", \"minimum_memory_gate\": null},",
     "matrix-platform-unknown", "/platforms/dsp", NULL},
    {MATRIX, "\"desk-computer\"", "\"\"", "field-blank", "/platforms/cpu/authority", NULL},
    {MATRIX, "\"authority\": \"desk-computer\",", "", "field-missing", "/platforms/cpu", NULL},
    {MATRIX, "\"6 GiB device memory\"", "6", "field-type", "/platforms/gpu/minimum_memory_gate", NULL},
    {MATRIX, ", \"minimum_memory_gate\": \"6 GiB device memory\"", "", "field-missing", "/platforms/gpu", NULL},
};

static const single_fault capability_faults[] = {
    {MATRIX, "\"blur.exact\": {\"required_metrics\": [\"wall_ms\", \"output_hashes\"]},", "",
     "matrix-capability-missing", "/capabilities", NULL},
    {MATRIX, "\"capabilities\": {", "\"capabilities\": {\"blur.fast\": {\"required_metrics\": [\"a\"]},",
     "matrix-capability-unknown", "/capabilities/blur.fast", NULL},
    {MATRIX, "\"first_block_ms\", \"wall_ms\"", "", "list-empty", "/capabilities/blur.streamed/required_metrics", NULL},
    {MATRIX, "\"first_block_ms\", \"wall_ms\"", "\"wall_ms\", \"wall_ms\"", "list-doubled",
     "/capabilities/blur.streamed/required_metrics/1", NULL},
    {MATRIX, "\"first_block_ms\"", "null", "field-type", "/capabilities/blur.streamed/required_metrics/0", NULL},
    {MATRIX, "\"first_block_ms\"", "\"\"", "field-blank", "/capabilities/blur.streamed/required_metrics/0", NULL},
    {MATRIX, "[\"first_block_ms\", \"wall_ms\"]", "\"wall_ms\"", "field-type",
     "/capabilities/blur.streamed/required_metrics", NULL},
};

static const single_fault contract_faults[] = {
    {MATRIX, "\"precision\", ", "", "matrix-key-field-missing", "/comparison_contract/comparison_key", NULL},
    {MATRIX, "\"precision\"", "\"colour\", \"precision\"", "matrix-key-field-unknown",
     "/comparison_contract/comparison_key/13", NULL},
    {MATRIX, "\"precision\"", "\"precison\"", "matrix-key-field-unknown", "/comparison_contract/comparison_key/13",
     NULL},
    {MATRIX, "\"precision\"", "\"precision\", \"objective\"", "list-doubled", "/comparison_contract/comparison_key/14",
     NULL},
    {MATRIX, "\"forbidden\"", "\"allowed\"", "matrix-contract-value", "/comparison_contract/cross_key_comparison",
     NULL},
    {MATRIX, "\"block\"", "\"warn\"", "matrix-contract-value", "/comparison_contract/parity_failure", NULL},
    {MATRIX, "\"report-only\"", "\"block\"", "matrix-contract-value", "/comparison_contract/default_regression_mode",
     NULL},
    {MATRIX, "\"report-only\"", "null", "field-type", "/comparison_contract/default_regression_mode", NULL},
    {MATRIX, "threshold\": 5", "threshold\": 4", "matrix-minimum-sessions",
     "/comparison_contract/minimum_accepted_sessions_before_hard_threshold", NULL},
    {MATRIX, "threshold\": 5", "threshold\": 5.0", "field-type",
     "/comparison_contract/minimum_accepted_sessions_before_hard_threshold", NULL},
    {MATRIX, "threshold\": 5", "threshold\": \"5\"", "field-type",
     "/comparison_contract/minimum_accepted_sessions_before_hard_threshold", NULL},
    {MATRIX, "\"minimum_accepted_sessions_before_hard_threshold\": 5,", "", "matrix-minimum-sessions",
     "/comparison_contract", NULL},
    {MATRIX, "\"p95\", ", "", "matrix-statistic-missing", "/comparison_contract/required_statistics", NULL},
    {MATRIX, "\"memory\", ", "", "matrix-run-field-missing", "/required_run_fields", NULL},
};

static const single_fault pair_faults[] = {
    {MATRIX, "\"id\": \"blur.exact::gpu\"", "\"id\": \"blur.exact:gpu\"", "matrix-cell-id", "/cells/1/id", NULL},
    {MATRIX, "\"id\": \"blur.exact::gpu\"", "\"id\": \"blur.exact::cpu\"", "matrix-cell-id", "/cells/1/id", NULL},
    {MATRIX, "\"id\": \"blur.exact::gpu\", \"capability\": \"blur.exact\"",
     "\"id\": \"blur.exact::gpu\", \"capability\": \"blur.exakt\"", "matrix-cell-id", "/cells/1/capability", NULL},
    {MATRIX, "\"id\": \"blur.exact::gpu\", \"capability\": \"blur.exact\", \"backend\": \"gpu\"",
     "\"id\": \"blur.exact::gpu\", \"capability\": \"blur.exact\", \"backend\": \"cpu\"", "matrix-cell-id",
     "/cells/1/backend", NULL},
    {MATRIX, "\"id\": \"blur.exact::gpu\", ", "", "field-missing", "/cells/1", NULL},
    {MATRIX, "\"cells\": [",
     "\"cells\": [{\"id\": \"blur.fast::cpu\", \"capability\": \"blur.fast\", \"backend\": \"cpu\","
     "\"support_level\": \"required\", \"pr_gate\": \"a\", \"scheduled_profile\": \"none\","
     "\"release_signoff\": false, \"runner\": \"desk-cpu\", \"state\": \"ready\"},",
     "matrix-cell-unknown", "/cells/0/capability", NULL},
    {MATRIX, "\"cells\": [",
     "\"cells\": [{\"id\": \"blur.exact::dsp\", \"capability\": \"blur.exact\", \"backend\": \"dsp\","
     "\"support_level\": \"required\", \"pr_gate\": \"a\", \"scheduled_profile\": \"none\","
     "\"release_signoff\": false, \"runner\": \"desk-cpu\", \"state\": \"ready\"},",
     "matrix-cell-unknown", "/cells/0/backend", NULL},
    {MATRIX, "\"cells\": [",
     "\"cells\": [{\"id\": \"blur.exact::cpu\", \"capability\": \"blur.exact\", \"backend\": \"cpu\","
     "\"support_level\": \"reference\", \"pr_gate\": \"a\", \"scheduled_profile\": \"none\","
     "\"release_signoff\": false, \"runner\": \"desk-cpu\", \"state\": \"ready\"},",
     "matrix-cell-doubled", "/cells/1/id", NULL},
    {MATRIX,
     "{\"id\": \"blur.streamed::cpu\", \"capability\": \"blur.streamed\", \"backend\": \"cpu\", \"support_level\": "
     "\"reference\",\n     \"pr_gate\": \"portable-parity-of-blocks\", \"scheduled_profile\": \"none\", "
     "\"release_signoff\": true,\n     \"runner\": \"desk-cpu\", \"state\": \"ready\"},",
     "", "matrix-cell-missing", "/cells", NULL},
    {MATRIX, "\"cells\": [", "\"cells\": [7,", "field-type", "/cells/0", NULL},
    {MATRIX, "\"cells\": [", "\"cells\": [], \"others\": [", "list-empty", "/cells", NULL},
    {MATRIX, "\"cells\": [", "\"cells\": null, \"others\": [", "field-type", "/cells", NULL},
    {MATRIX, "\"cells\": [", "\"others\": [", "field-missing", "", NULL},
};

static const single_fault cell_faults[] = {
    {MATRIX, "\"required-hardware\"", "\"required\"", "matrix-cell-level", "/cells/2/support_level", NULL},
    {MATRIX, "\"required-hardware\"", "\"not-implemented\"", "matrix-cell-level", "/cells/2/support_level", NULL},
    {MATRIX, "\"not-implemented\"", "\"required\"", "matrix-cell-level", "/cells/5/support_level", NULL},
    {MATRIX, "\"not-implemented\"", "null", "field-type", "/cells/5/support_level", NULL},
    {MATRIX, "\"state\": \"evidence-gap\", \"reason\"", "\"state\": \"gap\", \"reason\"", "matrix-cell-state",
     "/cells/1/state", NULL},
    {MATRIX, "\"state\": \"evidence-gap\", \"reason\"", "\"state\": \"unsupported\", \"reason\"",
     "matrix-cell-implemented", "/cells/1/state", NULL},
    {MATRIX, "\"synthetic-parity\"", "\"unsupported-contract\"", "matrix-cell-implemented", "/cells/1/pr_gate", NULL},
    {MATRIX, "\"daily\"", "\"hourly\"", "matrix-cell-schedule", "/cells/1/scheduled_profile", NULL},
    {MATRIX, "\"daily\"", "null", "field-type", "/cells/1/scheduled_profile", NULL},
    {MATRIX, "\"the cold state is not measured yet\"", "\"\"", "field-blank", "/cells/1/reason", NULL},
    {MATRIX, "\"state\": \"unsupported\"", "\"state\": \"ready\"", "matrix-cell-unimplemented", "/cells/5/state", NULL},
    {MATRIX, "\"unsupported-contract\", \"scheduled_profile\": \"none\"",
     "\"unsupported-contract\", \"scheduled_profile\": \"weekly\"", "matrix-cell-unimplemented",
     "/cells/5/scheduled_profile", NULL},
    {MATRIX, "\"release_signoff\": false,\n     \"runner\": \"portable-ci\"",
     "\"release_signoff\": true,\n     \"runner\": \"portable-ci\"", "matrix-cell-unimplemented",
     "/cells/5/release_signoff", NULL},
    {MATRIX, "\"unsupported-contract\"", "\"source-contracts\"", "matrix-cell-unimplemented", "/cells/5/pr_gate", NULL},
    {MATRIX, "\"release_signoff\": false,\n     \"runner\": \"portable-ci\"",
     "\"release_signoff\": 0,\n     \"runner\": \"portable-ci\"", "field-type", "/cells/5/release_signoff", NULL},
    {MATRIX, "\"release_signoff\": false,\n     \"runner\": \"portable-ci\"",
     "\"release_signoff\": \"false\",\n     \"runner\": \"portable-ci\"", "field-type", "/cells/5/release_signoff",
     NULL},
};

static const single_fault runner_faults[] = {
    {MATRIX, "\"release_signoff\": true, \"runner\": \"rack-gpu\",\n     \"state\": \"evidence-gap\"",
     "\"release_signoff\": true, \"runner\": \"nobody\",\n     \"state\": \"evidence-gap\"", "matrix-cell-runner",
     "/cells/1/runner", NULL},
    {MATRIX, "\"release_signoff\": true, \"runner\": \"rack-gpu\",\n     \"state\": \"evidence-gap\"",
     "\"release_signoff\": true, \"runner\": \"desk-cpu\",\n     \"state\": \"evidence-gap\"", "matrix-cell-runner",
     "/cells/1/runner", NULL},
    {MATRIX, "\"release_signoff\": true, \"runner\": \"rack-gpu\",\n     \"state\": \"evidence-gap\"",
     "\"release_signoff\": true, \"runner\": \"portable-ci\",\n     \"state\": \"evidence-gap\"", "matrix-cell-runner",
     "/cells/1/runner", NULL},
    {MATRIX, "\"portable-ci\"", "\"nobody\"", "matrix-cell-runner", "/cells/5/runner", NULL},
};

static void a_fault_in_the_head_of_the_matrix_is_found_alone(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, head_faults, COUNT(head_faults));
}

static void a_fault_in_the_tiers_is_found_alone(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, tier_faults, COUNT(tier_faults));
}

static void a_fault_in_the_platforms_is_found_alone(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, platform_faults, COUNT(platform_faults));
}

static void a_fault_in_the_capabilities_is_found_alone(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, capability_faults, COUNT(capability_faults));
}

static void a_fault_in_the_contract_is_found_alone(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, contract_faults, COUNT(contract_faults));
}

static void a_cell_is_for_one_pair_and_each_pair_has_one(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, pair_faults, COUNT(pair_faults));
}

static void a_fault_in_a_cell_is_found_alone(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, cell_faults, COUNT(cell_faults));
}

static void a_runner_of_nobody_or_of_others_is_found_alone(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, runner_faults, COUNT(runner_faults));
}

static const single_fault parity_faults[] = {
    {PARITY, "\"schema_version\": 1", "\"schema_version\": true", "schema-version", "/schema_version", NULL},
    {PARITY, "[\"cpu\", \"gpu\", \"npu\"]", "[\"cpu\", \"gpu\"]", "parity-backend-missing", "/backends", NULL},
    {PARITY, "[\"cpu\", \"gpu\", \"npu\"]", "[\"cpu\", \"gpu\", \"npu\", \"npu\"]", "list-doubled", "/backends/3",
     NULL},
    {PARITY, "[\"cpu\", \"gpu\", \"npu\"]", "[\"cpu\", \"gpu\", \"npu\", \"dsp\"]", "parity-backend-unknown",
     "/backends/3", NULL},
    {PARITY, "[\"cpu\", \"gpu\", \"npu\"]", "[\"cpus\", \"gpu\", \"npu\"]", "parity-backend-unknown", "/backends/0",
     NULL},
    {PARITY, "[\"cpu\", \"gpu\", \"npu\"]", "[]", "list-empty", "/backends", NULL},
    {PARITY, "[\"cpu\", \"gpu\", \"npu\"]", "null", "field-type", "/backends", NULL},
    {PARITY, "\"contract\": {", "\"contract\": {\"crop\": null,", "field-type", "/contract/crop", NULL},
    {PARITY, "\"contract\": {", "\"contract\": {\"crop\": \"\",", "field-blank", "/contract/crop", NULL},
    {PARITY, "\"contract\": {", "\"contract\": {}, \"other\": {", "list-empty", "/contract", NULL},
    {PARITY, "\"contract\": {", "\"other\": {", "field-missing", "", NULL},
    {PARITY, "\"source_identity\", \"device\"", "\"device\", \"device\"", "list-doubled",
     "/contract/required_provenance/1", NULL},
    {PARITY, "\"id\": \"blur.streamed\"", "\"id\": \"blur.exact\"", "parity-capability-doubled", "/capabilities/1/id",
     NULL},
    {PARITY, "\"id\": \"blur.streamed\"", "\"id\": \"blur.streamd\"", "matrix-capability-unknown",
     "/capabilities/blur.streamed", MATRIX},
    {PARITY, "\"id\": \"blur.streamed\",", "", "field-missing", "/capabilities/1", NULL},
    {PARITY, "\"Every pixel equal.\"", "\"\"", "field-blank", "/capabilities/0/parity", NULL},
    {PARITY, "\"Every pixel equal.\"", "true", "field-type", "/capabilities/0/parity", NULL},
    {PARITY, "\"gpu\": {\"level\": \"required\", \"gates\": [\"tests/test_streamed_gpu.py\"]},", "",
     "parity-coverage-missing", "/capabilities/1/coverage", NULL},
    {PARITY, "\"gpu\": {\"level\": \"required\", \"gates\": [\"tests/test_streamed_gpu.py\"]}",
     "\"gpus\": {\"level\": \"required\", \"gates\": [\"tests/test_streamed_gpu.py\"]}", "parity-backend-unknown",
     "/capabilities/1/coverage/gpus", NULL},
    {PARITY, "{\"level\": \"required\", \"gates\": [\"tests/test_streamed_gpu.py\"]}", "\"required\"", "field-type",
     "/capabilities/1/coverage/gpu", NULL},
    {PARITY, "\"level\": \"required-hardware\"", "\"level\": \"not-implemented\"", "matrix-cell-level",
     "/cells/2/support_level", MATRIX},
    {PARITY, "\"level\": \"required-hardware\", ", "", "field-missing", "/capabilities/0/coverage/npu", NULL},
    {PARITY, "\"tests/test_streamed_gpu.py\"", "", "list-empty", "/capabilities/1/coverage/gpu/gates", NULL},
    {PARITY, "\"tests/test_streamed_gpu.py\"", "\"/srv/test.py\"", "file-outside-root",
     "/capabilities/1/coverage/gpu/gates/0", NULL},
    {PARITY, "\"tests/test_streamed_gpu.py\"", "\"tests/../../test.py\"", "file-outside-root",
     "/capabilities/1/coverage/gpu/gates/0", NULL},
    {PARITY, "\"tests/test_streamed_gpu.py\"", "5", "field-type", "/capabilities/1/coverage/gpu/gates/0", NULL},
    {PARITY, "\"capabilities\": [", "\"capabilities\": [], \"others\": [", "list-empty", "/capabilities", NULL},
    {PARITY, "\"capabilities\": [", "\"others\": [", "field-missing", "", NULL},
};

static void a_fault_in_the_parity_matrix_is_found_alone(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, parity_faults, COUNT(parity_faults));
}

static const single_fault legal_changes[] = {
    {MATRIX, "\"schema_version\": 1,", "\"of_ours\": {\"a\": null}, \"schema_version\": 1,", NULL, NULL, NULL},
    {MATRIX, "\"schema_version\": 1,\n  \"protocol_version\": \"steelyard-profile/v1\"",
     "\"protocol_version\": \"steelyard-profile/v1\",\n  \"schema_version\": 1", NULL, NULL, NULL},
    {MATRIX, "\"schema_version\": 1,", "\r\n\t\"schema_version\" :\r\n 1 ,\r\n", NULL, NULL, NULL},
    {MATRIX, "\"schema_version\": 1,", "\"\\u0073chema_version\": 1,", NULL, NULL, NULL},
    {MATRIX, "\"schema_version\": 1,", "\"schema_version\": 1, \"note\": \"\xc3\xbc \\ud83d\\ude00\",", NULL, NULL,
     NULL},
    {MATRIX, "{\n  \"schema", "\xef\xbb\xbf{\n  \"schema", NULL, NULL, NULL},
    {MATRIX, "\"wall_ms\", \"output_hashes\"", "\"wall_ms\", \"output_hashes\", \"peak_memory\"", NULL, NULL, NULL},
    {MATRIX, "\"p50\", \"p95\"", "\"p95\", \"p50\", \"p99\"", NULL, NULL, NULL},
    {MATRIX, "\"memory\", ", "\"memory\", \"temperature\", ", NULL, NULL, NULL},
    {MATRIX, "\"protocol_version\", \"cell_id\"", "\"cell_id\", \"protocol_version\"", NULL, NULL, NULL},
    {MATRIX, "threshold\": 5", "threshold\": 12", NULL, NULL, NULL},
    {MATRIX, "\"state\": \"evidence-gap\", \"reason\"", "\"state\": \"ready\", \"reason\"", NULL, NULL, NULL},
    {MATRIX, "\"daily\"", "\"weekly\"", NULL, NULL, NULL},
    {MATRIX, "\"daily\"", "\"none\"", NULL, NULL, NULL},
    {MATRIX, "\"synthetic-parity\"", "\"synthetic-parity-and-browser-smoke\"", NULL, NULL, NULL},
    {MATRIX, "\"portable-ci\"", "\"board-npu\"", NULL, NULL, NULL},
    {MATRIX, "\"desk-computer\"", "\"another-computer\"", NULL, NULL, NULL},
    {PARITY, "\"cpu\", \"gpu\", \"npu\"", "\"npu\", \"cpu\", \"gpu\"", NULL, NULL, NULL},
    {PARITY, "\"contract\": {", "\"contract\": {\"crop\": \"explicit-only\",", NULL, NULL, NULL},
    {PARITY, "\"tests/test_streamed_gpu.py\"", "\"tests/test_streamed_gpu.py\", \"docs/by-hand.md\"", NULL, NULL, NULL},
};

static void a_legal_change_is_no_finding(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, legal_changes, COUNT(legal_changes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_sets_are_valid, set_up_small, tear_down),
        cmocka_unit_test_setup_teardown(the_published_set_is_valid_and_its_key_is_remarked, set_up_published,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_fault_in_the_head_of_the_matrix_is_found_alone, set_up_small, tear_down),
        cmocka_unit_test_setup_teardown(a_fault_in_the_tiers_is_found_alone, set_up_small, tear_down),
        cmocka_unit_test_setup_teardown(a_fault_in_the_platforms_is_found_alone, set_up_small, tear_down),
        cmocka_unit_test_setup_teardown(a_fault_in_the_capabilities_is_found_alone, set_up_small, tear_down),
        cmocka_unit_test_setup_teardown(a_fault_in_the_contract_is_found_alone, set_up_small, tear_down),
        cmocka_unit_test_setup_teardown(a_cell_is_for_one_pair_and_each_pair_has_one, set_up_small, tear_down),
        cmocka_unit_test_setup_teardown(a_fault_in_a_cell_is_found_alone, set_up_small, tear_down),
        cmocka_unit_test_setup_teardown(a_runner_of_nobody_or_of_others_is_found_alone, set_up_small, tear_down),
        cmocka_unit_test_setup_teardown(a_fault_in_the_parity_matrix_is_found_alone, set_up_small, tear_down),
        cmocka_unit_test_setup_teardown(a_legal_change_is_no_finding, set_up_small, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
