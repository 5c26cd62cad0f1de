/* SPDX-License-Identifier: Apache-2.0 */
/* Protocol descriptions: those that the program carries, a project's own, and what a matrix is held against without
 * one. */
#include "registry_set.h"

#include "registry/matrix/matrix.h"
#include "temporary_folder.h"

#define SMALL STEELYARD_SOURCE_DIR "/tests/data/registry/small"
#define MATRIX "benchmarks/profile_matrix.json"
#define OWN "protocols/own.json"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char own[] = "{\"schema_version\": 1, \"protocol_version\": \"own/v3\", \"tiers\": [\"smoke\", \"full\"],"
                          " \"schedules\": [\"nightly\", \"none\"], \"portable_runners\": [],"
                          " \"key_fields\": [\"shape\", \"device\"], \"required_statistics\": [\"p50\"],"
                          " \"required_run_fields\": [], \"minimum_accepted_sessions\": 7}";

static int set_up(void **state)
{
    int failed = make_temporary_folder(state);
    if (failed == 0) {
        set_copy_all(SMALL, *state, "");
        set_write(*state, OWN, own, sizeof own - 1);
        set_edit(*state, "steelyard.json", "\"evidence\":", "\"protocols\": \"protocols\", \"evidence\":");
    }
    return failed;
}

static void the_carried_descriptions_are_valid_and_complete(void **state)
{
    sy_finding_list list;
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    assert_int_equal(list.finding_count, 0);
    const sy_protocol *ours = sy_protocol_find(registry->settings, "steelyard-profile/v1");
    const sy_protocol *published = sy_protocol_find(registry->settings, "quantem-gpu-profile/v1");
    assert_non_null(ours);
    assert_non_null(published);
    assert_true(ours->is_shipped && published->is_shipped);
    assert_int_equal(ours->key_fields.count, 19);
    assert_int_equal(published->key_fields.count, 16);
    assert_int_equal(published->tiers.count, 4);
    assert_int_equal(published->minimum_accepted_sessions, 5);
    /* Ours is the published key and the three fields that the published one only advises. */
    for (size_t i = 0; i < published->key_fields.count; i++) {
        assert_true(sy_words_list_has(&ours->key_fields, published->key_fields.words[i]));
    }
    assert_int_equal(published->advised_key_fields.count, 3);
    for (size_t i = 0; i < published->advised_key_fields.count; i++) {
        assert_true(sy_words_list_has(&ours->key_fields, published->advised_key_fields.words[i]));
    }
    assert_ptr_equal(sy_protocol_find_by_registry(registry->settings, "quantem-gpu-benchmark-coverage/v1"), published);
    assert_null(sy_protocol_find_by_registry(registry->settings, "own/v3"));
    sy_registry_close(registry);
}

/* A matrix under the project's own protocol owes what that one asks, and nothing of the others. */
static void a_matrix_follows_a_protocol_of_its_own(void **state)
{
    sy_finding_list list;
    static const char tiers[] =
        "\"tiers\": {\"smoke\": {\"purpose\": \"a\"}, \"full\": {\"purpose\": \"b\"}}, \"x\": {";
    set_edit(*state, MATRIX, "steelyard-profile/v1", "own/v3");
    set_edit(*state, MATRIX, "\"tiers\": {", tiers);
    set_edit(*state, MATRIX, "\"comparison_key\": [", "\"comparison_key\": [\"device\", \"shape\"], \"y\": [");
    set_edit(*state, MATRIX, "threshold\": 5", "threshold\": 7");
    set_edit(*state, MATRIX, "\"required_statistics\": [", "\"required_statistics\": [\"p50\"], \"z\": [");
    set_edit(*state, MATRIX, "\"daily\"", "\"nightly\"");
    set_edit(*state, MATRIX, "\"portable-ci\"", "\"board-npu\"");
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    assert_int_equal(list.finding_count, 2); /* two cells are still weekly */
    assert_string_equal(list.findings[0].rule, "matrix-cell-schedule");
    assert_string_equal(list.findings[1].rule, "matrix-cell-schedule");
    assert_string_equal(registry->matrix->protocol->document->path, OWN);
    sy_registry_close(registry);
    set_edit(*state, MATRIX, "threshold\": 7", "threshold\": 6");
    registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    assert_int_equal(list.finding_count, 3);
    sy_registry_close(registry);
}

/* What the project's own description adds: a contract that the parity matrix owes, a field that the key should have. */
static void a_description_asks_for_a_contract_and_advises_fields(void **state)
{
    sy_finding_list list;
    set_edit(*state, OWN, "\"key_fields\": [\"shape\", \"device\"]",
             "\"key_fields\": [\"objective\"], \"advised_key_fields\": [\"colour\", \"precision\"],"
             "\"parity_contract\": {\"texts\": [\"integer_outputs\", \"crop\"], \"lists\": [\"coordinate_order\"]}");
    set_edit(*state, MATRIX, "steelyard-profile/v1", "own/v3");
    set_edit(*state, MATRIX, "\"comparison_key\": [", "\"comparison_key\": [\"precision\", \"objective\"], \"y\": [");
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    assert_int_equal(list.note_count, 1);
    assert_string_equal(list.notes[0].rule, "matrix-key-field-advised");
    assert_non_null(strstr(list.notes[0].message, "leaves it out: colour"));
    size_t about_the_contract = 0;
    for (size_t i = 0; i < list.finding_count; i++) {
        const sy_finding *finding = &list.findings[i];
        if (strcmp(finding->file, "tests/parity/backend_matrix.json") == 0) {
            bool missing = strcmp(finding->rule, "parity-contract") == 0 && strcmp(finding->pointer, "/contract") == 0;
            bool no_list = strcmp(finding->rule, "field-type") == 0 &&
                           strcmp(finding->pointer, "/contract/coordinate_order") == 0;
            assert_true(missing || no_list);
            about_the_contract++;
        }
        assert_string_not_equal(finding->rule, "matrix-key-field-unknown");
    }
    assert_int_equal(about_the_contract, 2);
    sy_registry_close(registry);
}

static const single_fault faults[] = {
    {OWN, "own/v3", "steelyard-profile/v1", "protocol-doubled", "/protocol_version", NULL},
    {OWN, "\"own/v3\"", "3", "field-type", "/protocol_version", NULL},
    {OWN, "\"schema_version\": 1", "\"schema_version\": 1.0", "schema-version", "/schema_version", NULL},
    {OWN, "\"smoke\", \"full\"", "\"smoke\", \"smoke\"", "list-doubled", "/tiers/1", NULL},
    {OWN, "\"smoke\", \"full\"", "", "list-empty", "/tiers", NULL},
    {OWN, "\"shape\", \"device\"", "\"shape\", null", "field-type", "/key_fields/1", NULL},
    {OWN, "\"key_fields\"", "\"key_field\"", "field-missing", "", NULL},
    {OWN, "sessions\": 7", "sessions\": 4", "matrix-minimum-sessions", "/minimum_accepted_sessions", NULL},
    {OWN, "sessions\": 7", "sessions\": \"7\"", "field-type", "/minimum_accepted_sessions", NULL},
    {OWN, "\"required_run_fields\"", "\"key_sources\": {\"shape\": [\"{size}\"]}, \"required_run_fields\"", NULL, "",
     NULL},
    {OWN, "\"required_run_fields\"", "\"key_sources\": [], \"required_run_fields\"", "field-type", "/key_sources",
     NULL},
    {OWN, "\"required_run_fields\"", "\"key_sources\": {\"shape\": [7]}, \"required_run_fields\"", "field-type",
     "/key_sources/shape/0", NULL},
    {OWN, "\"required_run_fields\"", "\"key_sources\": {\"colour\": [\"red\"]}, \"required_run_fields\"",
     "matrix-key-field-unknown", "/key_sources/colour", NULL},
    {OWN, "{\"schema_version\"", "[{\"schema_version\"", "json-syntax", "", NULL},
};

static void a_faulty_description_is_told_and_no_more(void **state)
{
    try_single_faults(*state, SY_REGISTRY_MATRIX, faults, COUNT(faults));
}

/* Whoever mistypes a version is told what there is, and still hears of his other mistakes. */
static void an_unknown_protocol_hides_nothing(void **state)
{
    sy_finding_list list;
    set_edit(*state, MATRIX, "steelyard-profile/v1", "steelyard-profile/v2");
    set_edit(*state, MATRIX, "\"daily\"", "\"hourly\"");
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    assert_int_equal(list.finding_count, 2);
    assert_string_equal(list.findings[0].rule, "protocol-unknown");
    assert_string_equal(list.findings[0].found, "steelyard-profile/v2");
    assert_non_null(strstr(list.findings[0].message, "'steelyard-profile/v1', 'quantem-gpu-profile/v1', 'own/v3'"));
    assert_non_null(strstr(list.findings[0].message, "files.protocols in steelyard.json"));
    assert_non_null(strstr(list.findings[0].message, "held against 'steelyard-profile/v1'"));
    assert_string_equal(list.findings[1].rule, "matrix-cell-schedule");
    sy_registry_close(registry);
}

/* A key that is like no known one is held against none. */
static void an_unknown_protocol_with_a_key_of_its_own_is_one_finding(void **state)
{
    sy_finding_list list;
    set_edit(*state, MATRIX, "steelyard-profile/v1", "theirs/v1");
    set_edit(*state, MATRIX, "\"comparison_key\": [", "\"comparison_key\": [\"colour\", \"taste\"], \"y\": [");
    sy_registry *registry = set_open(*state, SY_REGISTRY_MATRIX, &list);
    assert_int_equal(list.finding_count, 1);
    assert_string_equal(list.findings[0].rule, "protocol-unknown");
    assert_null(registry->matrix->protocol);
    sy_registry_close(registry);
}

#define ON_A_COPY(test) cmocka_unit_test_setup_teardown(test, set_up, remove_temporary_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_A_COPY(the_carried_descriptions_are_valid_and_complete),
        ON_A_COPY(a_matrix_follows_a_protocol_of_its_own),
        ON_A_COPY(a_description_asks_for_a_contract_and_advises_fields),
        ON_A_COPY(a_faulty_description_is_told_and_no_more),
        ON_A_COPY(an_unknown_protocol_hides_nothing),
        ON_A_COPY(an_unknown_protocol_with_a_key_of_its_own_is_one_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
