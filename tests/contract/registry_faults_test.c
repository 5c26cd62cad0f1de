/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a published registry with one edit each (tests/data/registry/{faults,legal}.tsv): every fault is found
 * under its rule, and no legal change is. The published files are read where STEELYARD_QUANTEM says, else beside the
 * source; edited ones stand in memory before them. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "registry/registry.h"
#include "registry_edit.h"
#include "registry_set.h"

#define NEW_FINDINGS_MAX 5 /* one fault does not bury itself in findings */

static const char *root;

static const char *const files[][2] = {
    {"matrix", "benchmarks/profile_matrix.json"},
    {"parity", "tests/parity/backend_matrix.json"},
    {"registry", "benchmarks/benchmark_registry.json"},
    {"evidence", "experiments/20260822-morning-evidence-index/evidence-index.json"},
    {"manifest", "experiments/20260819-platform-profile-cuda/manifest.json"},
    {"runs", "experiments/RUNS.md"},
    {"coverage", "docs/_generated/benchmark_coverage.md"},
};

static const char *path_of(const char *word)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strcmp(files[i][0], word) == 0) {
            return files[i][1];
        }
    }
    return word;
}

/* ---- what is found ---- */

typedef struct counts {
    char *rules; /* of findings that are told, each ended by a line end; sorted as they are told */
    size_t total;
    char *coverage; /* as it must be for these files; NULL: not asked for */
} counts;

static counts find(const sy_document_bytes *put, size_t put_count, bool render)
{
    sy_registry *registry = NULL;
    sy_finding_list list;
    sy_error error = SY_ERROR_INIT;
    counts c = {NULL, 0, NULL};
    if (sy_registry_open_with(root, SY_REGISTRY_ALL, put, put_count, &registry, &error) != SY_OK) {
        fail_msg("%s", error.what);
    }
    assert_int_equal(sy_registry_findings(registry, &list, NULL), SY_OK);
    sy_text rules = SY_TEXT_INIT;
    for (size_t i = 0; i < list.finding_count; i++) {
        sy_text_append_format(&rules, "%s\n", list.findings[i].rule);
        if (getenv("STEELYARD_SHOW_FINDINGS") != NULL) {
            print_message("    %s:%u:%u %s [%s] %s\n", list.findings[i].file, list.findings[i].position.line,
                          list.findings[i].position.column, list.findings[i].pointer, list.findings[i].rule,
                          list.findings[i].message);
        }
    }
    c.rules = strdup(sy_text_bytes(&rules));
    c.total = list.finding_count;
    sy_text_finish(&rules);
    if (render) {
        assert_int_equal(sy_registry_coverage_render(registry, &c.coverage, NULL), SY_OK);
    }
    sy_registry_close(registry);
    return c;
}

static void forget(counts *c)
{
    free(c->rules);
    sy_text_free(c->coverage);
}

static size_t count_of(const counts *c, const char *rule)
{
    size_t count = 0, length = strlen(rule);
    for (const char *at = c->rules; *at != '\0'; at = strchr(at, '\n') + 1) {
        count += strncmp(at, rule, length) == 0 && at[length] == '\n';
    }
    return count;
}

/* ---- one row ---- */

typedef struct row {
    const char *name;
    const char *file;
    const char *operation;
    const char *where;
    const char *to;
    const char *rule; /* "" in the list of legal edits */
} row;

/* The edited file and, where it is the registry's business, the coverage document as it must then be. */
static counts after_edit(const row *r)
{
    const char *path = path_of(r->file);
    char full[1400];
    char *bytes = NULL, *edited = NULL;
    size_t size = 0, edited_size = 0;
    (void)snprintf(full, sizeof full, "%s/%s", root, path);
    assert_int_equal(sy_file_read(full, 0, &bytes, &size, NULL), SY_OK);
    if (strcmp(r->operation, "delete") != 0 &&
        !registry_edit(bytes, size, r->operation, r->where, r->to, &edited, &edited_size)) {
        fail_msg("%s: cannot %s '%s'", r->name, r->operation, r->where);
    }
    sy_document_bytes put[2] = {{path, edited, edited_size}};
    bool renders = strcmp(r->file, "registry") == 0 || strcmp(r->file, "evidence") == 0;
    counts c = find(put, 1, renders);
    if (renders && c.coverage != NULL) {
        put[1] = (sy_document_bytes){path_of("coverage"), c.coverage, strlen(c.coverage)};
        counts rendered = find(put, 2, false);
        forget(&c);
        c = rendered;
    }
    free(edited);
    sy_free(bytes);
    return c;
}

static bool row_holds(const row *r, const counts *before)
{
    counts after = after_edit(r);
    bool holds;
    if (r->rule[0] == '\0') {
        holds = strcmp(after.rules, before->rules) == 0;
        if (!holds) {
            print_error("legal, and yet found: %s (%zu findings, not %zu)\n%s", r->name, after.total, before->total,
                        after.rules);
        }
    } else {
        holds = count_of(&after, r->rule) > count_of(before, r->rule);
        if (!holds) {
            print_error("not found: %s, as %s; found were\n%s", r->name, r->rule, after.rules);
        } else if (after.total > before->total + NEW_FINDINGS_MAX) {
            print_error("too many findings for: %s (%zu)\n%s", r->name, after.total, after.rules);
            holds = false;
        }
    }
    forget(&after);
    return holds;
}

/* Cuts a line at its tabs; false: it is a comment or empty. */
static bool read_row(char *line, row *ret_row)
{
    const char *cells[6] = {"", "", "", "", "", ""};
    if (line[0] == '#' || line[0] == '\0') {
        return false;
    }
    for (size_t i = 0; i < 6 && line != NULL; i++) {
        cells[i] = line;
        line = strchr(line, '\t');
        if (line != NULL) {
            *line++ = '\0';
        }
    }
    *ret_row = (row){cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]};
    return true;
}

static void try_rows(const char *list, size_t least)
{
    char path[1400];
    char *text = NULL;
    size_t size = 0, rows = 0, wrong = 0;
    (void)snprintf(path, sizeof path, "%s/tests/data/registry/%s", STEELYARD_SOURCE_DIR, list);
    assert_int_equal(sy_file_read(path, 0, &text, &size, NULL), SY_OK);
    counts before = find(NULL, 0, false);
    const char *only = getenv("STEELYARD_ONLY_ROW");
    for (char *line = text, *next; line != NULL; line = next) {
        row r;
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (!read_row(line, &r) || (only != NULL && strstr(r.name, only) == NULL)) {
            continue;
        }
        rows++;
        wrong += !row_holds(&r, &before);
    }
    forget(&before);
    sy_free(text);
    if (only == NULL && rows < least) {
        fail_msg("%s has %zu rows, %zu at least are meant", list, rows, least);
    }
    if (wrong > 0) {
        fail_msg("%zu of %zu rows of %s", wrong, rows, list);
    }
}

static void every_single_fault_is_found_under_its_rule(void **state)
{
    (void)state;
    try_rows("faults.tsv", 150);
}

static void no_legal_change_is_found(void **state)
{
    (void)state;
    try_rows("legal.tsv", 40);
}

static void add_counts(sy_text *to, const char *kind, const sy_finding *findings, size_t count)
{
    const char *id = NULL, *summary = NULL;
    for (size_t rule = 0; sy_registry_rule(rule, &id, &summary); rule++) {
        size_t same = 0;
        for (size_t i = 0; i < count; i++) {
            same += strcmp(findings[i].rule, id) == 0;
        }
        if (same > 0) {
            sy_text_append_format(to, "%s %s %zu\n", kind, id, same);
        }
    }
}

/* One real contradiction is known in it, and no other finding may come up unnoticed; notes neither. */
static void the_published_set_has_the_findings_that_are_known(void **state)
{
    (void)state;
    sy_finding_list list;
    sy_registry *registry = set_open(root, SY_REGISTRY_ALL, &list);
    sy_text told = SY_TEXT_INIT;
    add_counts(&told, "finding", list.findings, list.finding_count);
    add_counts(&told, "note", list.notes, list.note_count);
    sy_registry_coverage c;
    assert_int_equal(sy_registry_coverage_count(registry, &c, NULL), SY_OK);
    sy_text_append_format(&told, "coverage %zu %zu %zu %zu %zu %zu\n", c.ready_with_open_gates,
                          c.gates_that_cannot_measure, c.evidence_without_cell, c.schedules_without_runner,
                          c.gates_without_cell, c.cells_without_gate);
    char *golden = set_read(STEELYARD_SOURCE_DIR "/tests/data/registry", "published_counts.txt", NULL);
    assert_string_equal(sy_text_bytes(&told), golden);
    free(golden);
    sy_text_finish(&told);
    sy_registry_close(registry);
}

int main(void)
{
    root = published_set(STEELYARD_SOURCE_DIR);
    if (root == NULL) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_single_fault_is_found_under_its_rule),
        cmocka_unit_test(no_legal_change_is_found),
        cmocka_unit_test(the_published_set_has_the_findings_that_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
