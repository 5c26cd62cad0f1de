/* SPDX-License-Identifier: Apache-2.0 */
/* Every value of a small registry and of its index, one after the other, made null, true, 1, 1.5, "", [], {}, taken out
 * or doubled: nothing crashes, every question has an answer, and what matters is found. */
#include "registry_set.h"

#include "base/json.h"
#include "base/text.h"
#include "temporary_folder.h"

#define SMALL STEELYARD_SOURCE_DIR "/tests/data/registry/small"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const replacements[] = {"null", "true", "1", "1.5", "\"\"", "[]", "{}"};
enum { TAKEN_OUT = COUNT(replacements), DOUBLED, MUTATION_COUNT };

static const char *mutation_word(size_t mutation)
{
    return mutation == TAKEN_OUT ? "taken out" : mutation == DOUBLED ? "doubled" : replacements[mutation];
}

/* Where a value ends, of a text that was parsed. */
static size_t end_of(const char *text, size_t at)
{
    size_t depth = 0;
    bool in_text = false;
    for (;; at++) {
        char c = text[at];
        if (in_text) {
            at += c == '\\';
            in_text = c != '"';
            if (!in_text && depth == 0) {
                return at + 1;
            }
        } else if (c == '"') {
            in_text = true;
        } else if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}') {
            if (depth <= 1) {
                return depth == 1 ? at + 1 : at;
            }
            depth--;
        } else if (depth == 0 && strchr(", \r\n\t", c) != NULL) {
            return at;
        }
    }
}

/* The text with the value mutated; false: that cannot be done to it. */
static bool mutate(const char *text, const sy_json_value *value, size_t mutation, sy_text *to)
{
    size_t from = value->name != NULL ? value->name_offset : value->offset;
    size_t end = end_of(text, value->offset), begin = value->offset;
    sy_text_clear(to);
    if (mutation == TAKEN_OUT) {
        if (value->parent == NULL) {
            return false;
        }
        begin = from;
        if (text[end] == ',') {
            end++;
        } else if (value->parent->first != value) {
            while (text[begin] != ',') {
                begin--;
            }
        }
    }
    sy_text_append_bytes(to, text, begin);
    if (mutation == DOUBLED) {
        if (value->parent == NULL) {
            return false;
        }
        sy_text_append_bytes(to, text + begin, end - begin);
        sy_text_append(to, ", ");
        sy_text_append_bytes(to, text + from, end - from);
    } else if (mutation != TAKEN_OUT) {
        sy_text_append(to, replacements[mutation]);
    }
    sy_text_append(to, text + end);
    return true;
}

#define REGISTRY "benchmarks/benchmark_registry.json"
#define INDEX "evidence/index.json"

/* Mutations that are legal: at these places, of these kinds. */
static const struct {
    const char *file;
    const char *pointer;   /* a pattern */
    const char *mutations; /* "all", or the words in <> */
} legal[] = {
    {REGISTRY, "/schema_version", "<1>"},
    {REGISTRY, "/purpose", "<\"\"><taken out>"},
    /* words that may be fewer */
    {REGISTRY, "/platforms", "<{}><taken out>"},
    {REGISTRY, "/platforms/*", "<taken out>"},
    {REGISTRY, "/platform_aliases", "<{}><taken out>"},
    {REGISTRY, "/platform_aliases/*", "<taken out>"},
    {REGISTRY, "/modules", "<{}><taken out>"},
    {REGISTRY, "/modules/*", "<[]><taken out>"},
    {REGISTRY, "/modules/*/0", "<doubled>"},
    {REGISTRY, "/areas", "<{}><taken out>"},
    {REGISTRY, "/areas/*", "<taken out>"},
    {REGISTRY, "/dimensions", "<[]><taken out>"},
    {REGISTRY, "/dimensions/*", "<taken out><doubled>"},
    /* an override may say less; its notes are anybody's */
    {REGISTRY, "/evidence_imports/0/measurement_overrides", "<{}><taken out>"},
    {REGISTRY, "/evidence_imports/0/measurement_overrides/rack-computer-stream-first", "<{}><taken out>"},
    {REGISTRY, "/evidence_imports/0/measurement_overrides/*/state", "<taken out>"},
    {REGISTRY, "/evidence_imports/0/measurement_overrides/*/notes", "all"},
    /* a measured row: dimensions and figures that it need not have, larger numbers */
    {REGISTRY, "/additional_measurements/0/id", "<taken out>"},
    {REGISTRY, "/additional_measurements/0/source_detector_*", "<null><taken out>"},
    {REGISTRY, "/additional_measurements/0/detector_bin", "<null><taken out>"},
    {REGISTRY, "/additional_measurements/0/radius", "<null><1><taken out>"},
    {REGISTRY, "/additional_measurements/0/*_dtype", "<null><taken out>"},
    {REGISTRY, "/additional_measurements/0/sample_count", "<1>"},
    {REGISTRY, "/additional_measurements/0/max_seconds", "<1><1.5>"},
    {REGISTRY, "/additional_measurements/0/*_bytes", "<null><1><1.5><taken out>"},
    /* dimensions and texts that the protocol does not owe */
    {REGISTRY, "/configurations/*/source_detector_*", "<null><taken out>"},
    {REGISTRY, "/configurations/*/detector_bin", "<null><taken out>"},
    {REGISTRY, "/configurations/open-shape/detector_bin", "<1>"},
    {REGISTRY, "/configurations/*/output_detector_*", "<taken out>"},
    {REGISTRY, "/configurations/*_dtype", "<taken out>"},
    {REGISTRY, "/gates/*/radius", "<null><1><taken out>"},
    {REGISTRY, "/gates/3/source_detector_rows", "<null><taken out>"},
    {REGISTRY, "/gates/3/source_detector_columns", "<null><1><taken out>"},
    {REGISTRY, "/gates/3/detector_bin", "<null><taken out>"},
    {REGISTRY, "/gates/3/output_detector_rows", "<taken out>"},
    /* runbooks: shorter lists, what is optional */
    {REGISTRY, "/runbooks/*/preflight", "<[]>"},
    {REGISTRY, "/runbooks/*/required_*", "<[]>"},
    {REGISTRY, "/runbooks/*/preflight/*", "<taken out><doubled>"},
    {REGISTRY, "/runbooks/*/required_*/*", "<taken out><doubled>"},
    {REGISTRY, "/runbooks/blur-profile/promotion_boundary", "<taken out>"},
    {REGISTRY, "/runbooks/blur-profile/smoke", "<taken out>"},
    /* gates: fewer, other priorities, members of the project's own */
    {REGISTRY, "/gates", "<[]>"},
    {REGISTRY, "/gates/?", "<taken out>"},
    {REGISTRY, "/gates/*/priority", "<1>"},
    {REGISTRY, "/gates/0/weight", "all"},
    {REGISTRY, "/gates/0/share", "all"},
    {REGISTRY, "/gates/0/tiny", "all"},
    {REGISTRY, "/gates/0/sign", "all"},
    {REGISTRY, "/gates/0/primary_metrics", "<[]><taken out>"},
    {REGISTRY, "/gates/0/primary_metrics/0", "<taken out><doubled>"},
    {REGISTRY, "/gates/0/delta", "<1><1.5><taken out>"},
    {REGISTRY, "/gates/0/alpha", "<taken out>"},
    /* evidence of gates that are not measured; a name said twice is a note */
    {REGISTRY, "/gates/0/satisfied_by", "<[]><taken out>"},
    {REGISTRY, "/gates/6/satisfied_by", "<[]><taken out>"},
    {REGISTRY, "/gates/0/satisfied_by/0", "<taken out>"},
    {REGISTRY, "/gates/*/satisfied_by/0", "<doubled>"},
    /* next steps of gates that are not open, the reason of one that is refuted */
    {REGISTRY, "/gates/1/next_gate", "<\"\">"},
    {REGISTRY, "/gates/2/next_gate", "<\"\">"},
    {REGISTRY, "/gates/5/next_gate", "<\"\">"},
    {REGISTRY, "/gates/6/next_gate", "<\"\">"},
    {REGISTRY, "/gates/7/next_gate", "<\"\">"},
    {REGISTRY, "/gates/5/reason", "<taken out>"},
    {INDEX, "/schema", "<taken out>"},
    {INDEX, "/disposition_vocabulary*", "all"},
    {INDEX, "/fixtures/0/source_identity_sha256", "<null><taken out>"},
    {INDEX, "/artifacts/0/sha256", "<null><taken out>"},
    {INDEX, "/artifacts/*/observed_head", "<null><taken out>"},
    {INDEX, "/artifacts/1/implementation_revision", "<null><taken out>"},
    /* rows 0 (superseded) and 2 (partial) owe less than row 1 (measured) */
    {INDEX, "/measurements/0/device", "<null><taken out>"},
    {INDEX, "/measurements/0/date", "<null><taken out>"},
    {INDEX, "/measurements/0/fixture_*", "<null><taken out>"},
    {INDEX, "/measurements/0/cache_state", "<null><taken out>"},
    {INDEX, "/measurements/0/timing_boundary", "<null><taken out>"},
    {INDEX, "/measurements/0/sample_count", "<null><taken out>"},
    {INDEX, "/measurements/0/single_wall_seconds", "<null><taken out>"},
    {INDEX, "/measurements/0/parity", "<null><taken out>"},
    {INDEX, "/measurements/2/device", "<null><taken out>"},
    {INDEX, "/measurements/2/date", "<null><taken out>"},
    {INDEX, "/measurements/2/fixture_*", "<null><taken out>"},
    {INDEX, "/measurements/2/cache_state", "<null><taken out>"},
    {INDEX, "/measurements/2/sample_count", "<null><taken out>"},
    {INDEX, "/measurements/2/wall_*_seconds", "<null><taken out>"},
    {INDEX, "/measurements/2/parity", "<null><taken out>"},
    {INDEX, "/measurements/*_dtype", "<null><taken out>"},
    {INDEX, "/measurements/*/sample_count", "<1>"},
    {INDEX, "/measurements/0/wall_max_seconds", "<1><1.5>"},
    {INDEX, "/measurements/1/wall_*_seconds", "<1><1.5>"},
    {INDEX, "/measurements/2/single_wall_seconds", "<1><1.5>"},
    {INDEX, "/measurements/*_bytes", "<null><1><1.5><taken out>"},
    {INDEX, "/measurements/2", "<taken out>"},
    {INDEX, "/refuted_diagnostics", "<[]><taken out>"},
    {INDEX, "/refuted_diagnostics/0", "<{}><taken out><doubled>"},
    {INDEX, "/refuted_diagnostics/0/id", "all"},
    {INDEX, "/refuted_diagnostics/0/fixture_id", "<\"\"><taken out>"},
    {INDEX, "/refuted_diagnostics/0/fixture_sha256", "<null><taken out>"},
};

static bool is_legal(const char *file, const char *pointer, size_t mutation)
{
    for (size_t i = 0; i < COUNT(legal); i++) {
        if (strstr(file, legal[i].file) != NULL && sy_text_matches(pointer, legal[i].pointer)) {
            sy_text word = SY_TEXT_INIT;
            sy_text_append_format(&word, "<%s>", mutation_word(mutation));
            bool found = strcmp(legal[i].mutations, "all") == 0 ||
                         strstr(legal[i].mutations, sy_text_bytes(&word)) != NULL;
            sy_text_finish(&word);
            if (found) {
                return true;
            }
        }
    }
    return false;
}

/* All that can be asked of gates is answered. */
static void ask_everything(sy_registry *registry)
{
    const sy_gate_row *rows = NULL;
    size_t count = 0;
    char *text = NULL;
    assert_int_equal(sy_registry_gates(registry, NULL, SY_GATES_BY_PRIORITY, &rows, &count, NULL), SY_OK);
    assert_int_equal(sy_registry_gates(registry, NULL, SY_GATES_BY_PLACE, &rows, &count, NULL), SY_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(sy_registry_gate_show(registry, rows[i].id, &text, NULL), SY_OK);
        sy_text_free(text);
        sy_status status = sy_registry_gate_command(registry, rows[i].id, &text, NULL);
        assert_true(status == SY_OK || status == SY_CORRUPT);
        if (status == SY_OK) {
            sy_text_free(text);
        }
    }
    assert_int_equal(sy_registry_coverage_render(registry, &text, NULL), SY_OK);
    sy_text_free(text);
}

static size_t try(const char *root, const char *file, const sy_text *mutated, const char *pointer, size_t mutation)
{
    sy_finding_list list;
    set_write(root, file, sy_text_bytes(mutated), mutated->length);
    sy_registry *registry = set_open(root, SY_REGISTRY_GATES, &list);
    ask_everything(registry);
    bool stale_only = true;
    for (size_t i = 0; i < list.finding_count; i++) {
        stale_only = stale_only && strcmp(list.findings[i].rule, "coverage-stale") == 0;
    }
    bool silent = stale_only && !is_legal(file, pointer, mutation);
    if (silent) {
        printf("%s: %s: <%s> is not found\n", file, pointer, mutation_word(mutation));
    }
    sy_registry_close(registry);
    return silent;
}

static size_t mutate_all(const char *root, const char *file)
{
    size_t silent = 0;
    char *text = set_read(root, file, NULL);
    sy_json *json = NULL;
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    sy_text mutated = SY_TEXT_INIT, pointer = SY_TEXT_INIT;
    const sy_json_value *value = sy_json_root(json);
    while (value != NULL) {
        sy_text_clear(&pointer);
        sy_json_pointer(value, &pointer);
        for (size_t mutation = 0; mutation < MUTATION_COUNT; mutation++) {
            if (mutate(text, value, mutation, &mutated)) {
                silent += try(root, file, &mutated, sy_text_bytes(&pointer), mutation);
            }
        }
        if (value->first != NULL) {
            value = value->first;
            continue;
        }
        while (value != NULL && value->next == NULL) {
            value = value->parent;
        }
        value = value != NULL ? value->next : NULL;
    }
    set_write(root, file, text, strlen(text));
    sy_text_finish(&mutated);
    sy_text_finish(&pointer);
    sy_json_destroy(json);
    free(text);
    return silent;
}

static void any_value_may_be_anything_and_what_matters_is_found(void **state)
{
    set_copy_all(SMALL, *state, "");
    size_t silent = mutate_all(*state, REGISTRY);
    silent += mutate_all(*state, INDEX);
    assert_int_equal(silent, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_value_may_be_anything_and_what_matters_is_found, make_temporary_folder,
                                        remove_temporary_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
