/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the coverage document and compares it with the one that is kept. */
#include "registry/gates/gate_coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "registry/files/python_text.h"
#include "registry/gates/coverage_columns.h"
#include "registry/matrix/settings.h"

typedef struct writing {
    sy_registry *registry;
    const sy_gates_part *part;
    sy_text *to;
} writing;

/* ---- what is the protocol's ---- */

/* A text that the protocol has for the document. */
static const char *words_of(const writing *w, const char *name)
{
    const sy_json_value *value = sy_json_member(w->part->protocol->coverage, name);
    return value != NULL && value->kind == SY_JSON_TEXT ? value->text : "";
}

/* ---- summary ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void append_count(sy_text *to, const char *what, size_t count)
{
    sy_text_append(to, "| ");
    sy_cell_append(to, what);
    sy_text_append_format(to, " | %zu |\n", count);
}

static void append_states(const writing *w)
{
    size_t counts[SY_GATE_STATE_UNKNOWN + 1] = {0};
    for (size_t i = 0; i < w->part->gate_count; i++) {
        counts[w->part->gates[i].state]++;
    }
    sy_text_append(w->to, "| State | Gate count |\n|---|---|\n");
    for (int state = 0; state < SY_GATE_STATE_UNKNOWN; state++) {
        append_count(w->to, sy_gate_state_label((sy_gate_state)state), counts[state]);
    }
}

/* False: no memory. */
static bool append_platforms(const writing *w)
{
    const sy_gates_part *part = w->part;
    const char **platforms = sy_allocate(part->gate_count, sizeof *platforms);
    if (platforms == NULL) {
        return false;
    }
    size_t count = 0;
    for (size_t i = 0; i < part->gate_count; i++) {
        if (part->gates[i].platform != NULL) {
            platforms[count++] = part->gates[i].platform;
        }
    }
    if (count > 1) {
        qsort(platforms, count, sizeof *platforms, by_text);
    }
    sy_text_append(w->to, "| Platform | Tracked gates |\n|---|---|\n");
    for (size_t i = 0, next = 0; i < count; i = next) {
        while (next < count && strcmp(platforms[next], platforms[i]) == 0) {
            next++;
        }
        append_count(w->to, platforms[i], next - i);
    }
    sy_free(platforms);
    return true;
}

/* ---- gates ---- */

static int compare_texts(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

static int by_gate(const void *left, const void *right)
{
    const sy_gate *a = *(const sy_gate *const *)left;
    const sy_gate *b = *(const sy_gate *const *)right;
    int order = compare_texts(a->module, b->module);
    order = order != 0 ? order : compare_texts(a->platform, b->platform);
    order = order != 0 ? order : compare_texts(a->computer, b->computer);
    order = order != 0 ? order : a->priority - b->priority;
    order = order != 0 ? order : compare_texts(a->id, b->id);
    return order != 0 ? order : (a > b) - (a < b);
}

static bool append_gates(const writing *w)
{
    const sy_gates_part *part = w->part;
    sy_columns columns;
    const sy_gate **gates = sy_allocate(part->gate_count, sizeof *gates);
    const sy_json_value **own = sy_allocate(part->protocol->field_count, sizeof *own);
    bool is_ready = gates != NULL && own != NULL &&
                    sy_columns_read(w->registry->arena, part->protocol, "gates", &columns);
    if (is_ready) {
        for (size_t i = 0; i < part->gate_count; i++) {
            gates[i] = &part->gates[i];
        }
        if (part->gate_count > 1) {
            qsort(gates, part->gate_count, sizeof *gates, by_gate);
        }
        sy_columns_append_head(w->to, &columns);
        for (size_t i = 0; i < part->gate_count; i++) {
            sy_columns_append_gate(w->to, &columns, part->protocol, gates[i], own);
        }
    }
    sy_free(own);
    sy_free(gates);
    return is_ready;
}

/* ---- measurements ---- */

typedef struct measurement_row {
    const sy_measurement *measurement;
    const char *key; /* "evidence::" and its id */
} measurement_row;

static int by_measurement(const void *left, const void *right)
{
    const measurement_row *a = left;
    const measurement_row *b = right;
    int order = compare_texts(a->measurement->module, b->measurement->module);
    order = order != 0 ? order : compare_texts(a->measurement->platform, b->measurement->platform);
    order = order != 0 ? order : compare_texts(a->measurement->computer, b->measurement->computer);
    order = order != 0 ? order : strcmp(a->key, b->key);
    return order != 0 ? order : (a->measurement > b->measurement) - (a->measurement < b->measurement);
}

/* What rows are sorted by: the id in full, which the registry's own rows spell out. */
static const char *key_of(sy_arena *arena, const sy_measurement *measurement)
{
    const sy_json_value *full = measurement->is_imported ? NULL : sy_json_member(measurement->value, "id");
    if (full != NULL && full->kind == SY_JSON_TEXT) {
        return full->text;
    }
    return sy_arena_format(arena, "evidence::%s", measurement->id);
}

static bool append_measurements(const writing *w)
{
    const sy_gates_part *part = w->part;
    sy_columns columns;
    measurement_row *rows = sy_allocate(part->measurement_count, sizeof *rows);
    bool is_ready = rows != NULL && sy_columns_read(w->registry->arena, part->protocol, "measurements", &columns);
    for (size_t i = 0; is_ready && i < part->measurement_count; i++) {
        const sy_measurement *measurement = &part->measurements[i];
        rows[i] = (measurement_row){measurement, key_of(w->registry->arena, measurement)};
        is_ready = rows[i].key != NULL;
    }
    if (is_ready) {
        if (part->measurement_count > 1) {
            qsort(rows, part->measurement_count, sizeof *rows, by_measurement);
        }
        sy_columns_append_head(w->to, &columns);
        for (size_t i = 0; i < part->measurement_count; i++) {
            sy_columns_append_measurement(w->to, &columns, part->protocol, rows[i].measurement);
        }
    }
    sy_free(rows);
    return is_ready;
}

/* ---- runbooks ---- */

static int by_runbook(const void *left, const void *right)
{
    const sy_runbook *a = *(const sy_runbook *const *)left;
    const sy_runbook *b = *(const sy_runbook *const *)right;
    int order = strcmp(a->id, b->id);
    return order != 0 ? order : (a > b) - (a < b);
}

static void append_code(sy_text *to, const char *text)
{
    sy_text_append(to, " `");
    sy_cell_append(to, text);
    sy_text_append(to, "` |");
}

static void append_plain(sy_text *to, const sy_json_value *runbook, const char *name)
{
    const sy_json_value *value = sy_json_member(runbook, name);
    sy_text_append(to, " ");
    sy_cell_append(to, value != NULL && value->kind == SY_JSON_TEXT ? value->text : NULL);
    sy_text_append(to, " |");
}

static void append_runbook(sy_text *to, const sy_runbook *runbook)
{
    sy_text_append(to, "|");
    append_code(to, runbook->id);
    append_plain(to, runbook->value, "owner");
    append_plain(to, runbook->value, "tier");
    append_plain(to, runbook->value, "evidence_level");
    append_code(to, runbook->command);
    const sy_json_value *artifacts = sy_json_member(runbook->value, "required_artifacts");
    bool is_list = artifacts != NULL && artifacts->kind == SY_JSON_ARRAY && artifacts->count > 0;
    sy_text_append(to, is_list ? " " : " n/a");
    for (const sy_json_value *item = is_list ? artifacts->first : NULL; item != NULL; item = item->next) {
        sy_text_append(to, item == artifacts->first ? "" : "; ");
        sy_cell_append(to, item->kind == SY_JSON_TEXT ? item->text : NULL);
    }
    sy_text_append(to, " |\n");
}

static bool append_runbooks(const writing *w)
{
    const sy_gates_part *part = w->part;
    const sy_runbook **runbooks = sy_allocate(part->runbook_count, sizeof *runbooks);
    if (runbooks == NULL) {
        return false;
    }
    for (size_t i = 0; i < part->runbook_count; i++) {
        runbooks[i] = &part->runbooks[i];
    }
    if (part->runbook_count > 1) {
        qsort(runbooks, part->runbook_count, sizeof *runbooks, by_runbook);
    }
    sy_text_append(w->to, "| Runbook | Owner | Tier | Evidence level | Command | Required artifacts |\n"
                          "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < part->runbook_count; i++) {
        append_runbook(w->to, runbooks[i]);
    }
    sy_free(runbooks);
    return true;
}

/* ---- the whole ---- */

bool sy_coverage_append(sy_registry *registry, const sy_gates_part *part, sy_text *to)
{
    const writing w = {registry, part, to};
    sy_text_append_format(to, "%s\n\n## Coverage summary\n\n<!-- benchmark-coverage-summary-start -->\n\n",
                          words_of(&w, "head"));
    append_states(&w);
    sy_text_append(to, "\n");
    if (!append_platforms(&w)) {
        return false;
    }
    sy_text_append_format(to, "\n<!-- benchmark-coverage-summary-end -->\n\n## Required coverage gates\n\n%s\n\n",
                          words_of(&w, "gates_text"));
    if (!append_gates(&w)) {
        return false;
    }
    sy_text_append_format(to, "\n## Retained atomic measurements\n\n%s\n\n", words_of(&w, "measurements_text"));
    if (!append_measurements(&w)) {
        return false;
    }
    sy_text_append(to, "\n## Reproducible runbooks\n\n");
    return append_runbooks(&w) && !to->failed;
}

sy_status sy_registry_coverage_render(sy_registry *registry, char **ret_markdown, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    const sy_gates_part *part = registry->gates;
    bool is_written = part == NULL || part->protocol == NULL || sy_coverage_append(registry, part, &text);
    char *taken = is_written && !text.failed ? sy_duplicate_text(sy_text_bytes(&text)) : NULL;
    sy_text_finish(&text);
    if (taken == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the coverage document");
    }
    *ret_markdown = taken;
    return SY_OK;
}

/* Where the file and the document first differ; false: nowhere. A carriage return before a line feed does not count:
 * a checkout may have added it. */
typedef struct difference {
    uint32_t line;
    uint32_t column;
    size_t file_at;
    size_t document_at;
} difference;

static bool find_difference(const char *file, const char *document, difference *ret_difference)
{
    difference d = {1, 1, 0, 0};
    for (;;) {
        size_t skip = file[d.file_at] == '\r' && file[d.file_at + 1] == '\n' && document[d.document_at] == '\n';
        d.file_at += skip;
        if (file[d.file_at] != document[d.document_at]) {
            *ret_difference = d;
            return true;
        }
        if (document[d.document_at] == '\0') {
            return false;
        }
        d.column++;
        if (document[d.document_at] == '\n') {
            d.line++;
            d.column = 1;
        }
        d.file_at++;
        d.document_at++;
    }
}

#define EXCERPT_BYTES 60

/* The rest of the line, as much as fits a message. */
static void excerpt(const char *from, char to[EXCERPT_BYTES + 1])
{
    char line[EXCERPT_BYTES + 1];
    size_t length = strcspn(from, "\r\n");
    size_t kept = length < EXCERPT_BYTES ? length : EXCERPT_BYTES;
    memcpy(line, from, kept);
    line[kept] = '\0';
    (void)sy_text_copy(to, EXCERPT_BYTES + 1, line);
}

bool sy_coverage_check(sy_registry *registry, const sy_gates_part *part)
{
    const sy_settings *settings = registry->settings;
    if (settings->coverage_path == NULL || part->protocol->section == NULL) {
        return true;
    }
    const sy_document *file = sy_document_generated(
        registry->set, settings->coverage_path, settings->coverage_at != NULL ? settings->document : NULL,
        settings->coverage_at, "; steelyard gate render --output FILE writes it, files.coverage = null asks for none");
    if (file == NULL || file->bytes == NULL) {
        return file != NULL;
    }
    sy_text text = SY_TEXT_INIT;
    bool is_written = sy_coverage_append(registry, part, &text);
    difference d;
    if (is_written && find_difference(file->bytes, sy_text_bytes(&text), &d)) {
        char found[EXCERPT_BYTES + 1], expected[EXCERPT_BYTES + 1];
        excerpt(file->bytes + d.file_at, found);
        excerpt(sy_text_bytes(&text) + d.document_at, expected);
        sy_complain_line(file, d.line, d.column, found, SY_RULE_COVERAGE_STALE,
                         "the coverage document is stale: from here on it must be made anew (gate render), with '%s' "
                         "here",
                         expected);
    }
    sy_text_finish(&text);
    return is_written;
}
