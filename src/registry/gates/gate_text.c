/* SPDX-License-Identifier: Apache-2.0 */
/* Gates as people ask for them: rows that a filter lets through, one gate resolved, its command filled in. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "registry/files/id_table.h"
#include "registry/files/python_text.h"
#include "registry/files/words_list.h"
#include "registry/gates/gates.h"
#include "registry/gates/runbooks.h"

/* ---- rows ---- */

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* A text member as it stands, where the reader could make nothing of it. */
static const char *as_written(const sy_gate *gate, const char *name)
{
    const sy_json_value *value = sy_gate_field(gate, name);
    return value != NULL && value->kind == SY_JSON_TEXT ? value->text : "";
}

static sy_gate_row row_of(const sy_gate *gate)
{
    bool is_known = gate->state != SY_GATE_STATE_UNKNOWN;
    const char *state = is_known ? sy_gate_state_word(gate->state) : as_written(gate, "state");
    return (sy_gate_row){
        .id = or_empty(gate->id),
        .module = or_empty(gate->module),
        .operation = or_empty(gate->operation),
        .platform = or_empty(gate->platform),
        .computer = or_empty(gate->computer),
        .state = state,
        .label = is_known ? sy_gate_state_label(gate->state) : state,
        .runbook = as_written(gate, "runbook"),
        .next_gate = or_empty(gate->next_gate),
        .priority = gate->priority,
        .is_open = sy_gate_state_is_open(gate->state),
        .is_performance = gate->runbook != NULL && gate->runbook->is_performance,
    };
}

static bool matches(const char *wanted, const char *is)
{
    return wanted == NULL || strcasecmp(wanted, is) == 0;
}

static bool passes(const sy_gate_filter *filter, const sy_gate_row *row)
{
    return filter == NULL || (matches(filter->state, row->state) && matches(filter->platform, row->platform) &&
                              matches(filter->module, row->module) && matches(filter->computer, row->computer) &&
                              (!filter->performance_only || row->is_performance));
}

static int by_place(const void *left, const void *right)
{
    const sy_gate_row *a = left;
    const sy_gate_row *b = right;
    int order = strcmp(a->module, b->module);
    order = order != 0 ? order : strcmp(a->platform, b->platform);
    return order != 0 ? order : strcmp(a->id, b->id);
}

/* A priority that could not be read comes last. */
static int by_priority(const void *left, const void *right)
{
    const sy_gate_row *a = left;
    const sy_gate_row *b = right;
    int first = a->priority > 0 ? a->priority : 6;
    int second = b->priority > 0 ? b->priority : 6;
    return first != second ? first - second : strcmp(a->id, b->id);
}

sy_status sy_registry_gates(sy_registry *registry, const sy_gate_filter *filter, sy_gate_order order,
                            const sy_gate_row **ret_rows, size_t *ret_count, sy_error *err)
{
    const sy_gates_part *part = registry->gates;
    size_t total = part != NULL ? part->gate_count : 0;
    sy_gate_row *rows = sy_arena_allocate(registry->arena, total, sizeof *rows);
    if (rows == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu gates", total);
    }
    size_t count = 0;
    for (size_t i = 0; i < total; i++) {
        sy_gate_row row = row_of(&part->gates[i]);
        if (part->gates[i].id != NULL && passes(filter, &row) && (order == SY_GATES_BY_PLACE || row.is_open)) {
            rows[count++] = row;
        }
    }
    if (count > 1) {
        qsort(rows, count, sizeof *rows, order == SY_GATES_BY_PLACE ? by_place : by_priority);
    }
    *ret_rows = rows;
    *ret_count = count;
    return SY_OK;
}

/* ---- one gate ---- */

#define NEAR_IDS_MAX 5

/* Names ids that hold what was asked for, else the nearest one. */
static void hint_ids(const sy_gates_part *part, const char *id, sy_error *err)
{
    sy_text hint = SY_TEXT_INIT;
    size_t found = 0;
    for (size_t i = 0; part != NULL && i < part->gate_count && found < NEAR_IDS_MAX; i++) {
        const char *known = part->gates[i].id;
        if (known != NULL && *id != '\0' && strstr(known, id) != NULL) {
            sy_text_append_format(&hint, "%s%s", found == 0 ? "did you mean " : ", ", known);
            found++;
        }
    }
    const char **ids = found == 0 && part != NULL ? sy_allocate(part->gate_count, sizeof *ids) : NULL;
    if (ids != NULL) {
        size_t count = 0;
        for (size_t i = 0; i < part->gate_count; i++) {
            if (part->gates[i].id != NULL) {
                ids[count++] = part->gates[i].id;
            }
        }
        const char *nearest = sy_words_nearest(id, ids, count);
        if (nearest != NULL) {
            sy_text_append_format(&hint, "did you mean %s", nearest);
            found++;
        }
    }
    sy_error_hint(err, "%s", found > 0 ? sy_text_bytes(&hint) : "all of them: steelyard gate list");
    sy_free(ids);
    sy_text_finish(&hint);
}

sy_status sy_gate_look_up(const sy_registry *registry, const char *id, const sy_gate **ret_gate, sy_error *err)
{
    const sy_gates_part *part = registry->gates;
    const sy_gate *gate = part != NULL ? sy_gates_find(part, id) : NULL;
    if (gate == NULL) {
        sy_status status = sy_fail(err, SY_NOT_FOUND, "there is no gate '%s'", id);
        hint_ids(part, id, err);
        return status;
    }
    *ret_gate = gate;
    return SY_OK;
}

static sy_status hand_over(sy_text *text, char **ret_text, sy_error *err)
{
    char *taken = sy_text_take(text);
    if (taken == NULL) {
        sy_text_finish(text);
        return sy_fail(err, SY_NO_MEMORY, "no memory for the text of a gate");
    }
    *ret_text = taken;
    return SY_OK;
}

sy_status sy_registry_gate_show(sy_registry *registry, const char *id, char **ret_json, sy_error *err)
{
    const sy_gate *gate = NULL;
    sy_status status = sy_gate_look_up(registry, id, &gate, err);
    if (status != SY_OK) {
        return status;
    }
    size_t most = gate->value->count + (gate->configuration != NULL ? gate->configuration->count : 0);
    const sy_json_value **members = sy_allocate(most, sizeof *members);
    if (members == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the text of a gate");
    }
    size_t count = 0;
    for (const sy_json_value *own = gate->value->first; own != NULL; own = own->next) {
        if (sy_json_member(gate->value, own->name) == own) {
            members[count++] = own;
        }
    }
    const sy_json_value *inherited = gate->configuration != NULL ? gate->configuration->first : NULL;
    for (; inherited != NULL; inherited = inherited->next) {
        if (sy_gate_field(gate, inherited->name) == inherited) {
            members[count++] = inherited;
        }
    }
    sy_text text = SY_TEXT_INIT;
    sy_python_append_document(&text, members, count);
    sy_free(members);
    return hand_over(&text, ret_json, err);
}

/* ---- its command ---- */

static void append_lines(sy_text *to, const char *title, const sy_json_value *list)
{
    sy_text_append_format(to, "%s:\n", title);
    for (const sy_json_value *item = list != NULL ? list->first : NULL; item != NULL; item = item->next) {
        sy_text_append(to, "  - ");
        sy_python_append_str(to, item);
        sy_text_append(to, "\n");
    }
}

void sy_command_append_filled(sy_text *to, const char *command, const sy_gate *gate)
{
    sy_command_piece piece;
    for (const char *at = command; sy_command_next(&at, &piece);) {
        char name[256];
        const sy_json_value *value = NULL;
        if (piece.kind == SY_PIECE_FIELD && piece.length < sizeof name) {
            memcpy(name, piece.text, piece.length);
            name[piece.length] = '\0';
            value = sy_gate_field(gate, name);
        }
        if (value != NULL) {
            sy_python_append_str(to, value);
            continue;
        }
        sy_text_append(to, piece.kind == SY_PIECE_TEXT ? "" : "{");
        sy_text_append_bytes(to, piece.text, piece.length);
        sy_text_append(to, piece.kind == SY_PIECE_TEXT ? "" : "}");
    }
}

static void append_command(sy_text *to, const sy_gate *gate)
{
    const sy_runbook *runbook = gate->runbook;
    const sy_gate_row row = row_of(gate);
    sy_text_append_format(to, "Gate: %s\nState: %s\n", row.id, row.label);
    sy_text_append_format(to, "Runbook: %s -- %s\n", runbook->id, or_empty(runbook->title));
    sy_text_append_format(to, "Evidence level: %s\n", or_empty(runbook->evidence_level));
    append_lines(to, "Preflight", sy_json_member(runbook->value, "preflight"));
    const sy_json_value *environment = sy_json_member(runbook->value, "required_environment");
    if (environment != NULL && environment->count > 0) {
        append_lines(to, "Required environment", environment);
    }
    sy_text_append(to, "Command:\n");
    sy_command_append_filled(to, runbook->command, gate);
    sy_text_append(to, "\n");
    append_lines(to, "Required artifacts", sy_json_member(runbook->value, "required_artifacts"));
    const sy_json_value *boundary = sy_json_member(runbook->value, "promotion_boundary");
    bool is_said = boundary != NULL && boundary->kind == SY_JSON_TEXT;
    sy_text_append_format(to, "Promotion boundary:\n  %s\n",
                          is_said ? boundary->text : "Human evidence review required.");
}

sy_status sy_registry_gate_command(sy_registry *registry, const char *id, char **ret_text, sy_error *err)
{
    const sy_gate *gate = NULL;
    sy_status status = sy_gate_look_up(registry, id, &gate, err);
    if (status != SY_OK) {
        return status;
    }
    if (gate->runbook == NULL || gate->runbook->command == NULL) {
        return sy_fail(err, SY_CORRUPT, "the gate '%s' names no runbook that could be read", id);
    }
    sy_text text = SY_TEXT_INIT;
    append_command(&text, gate);
    return hand_over(&text, ret_text, err);
}
