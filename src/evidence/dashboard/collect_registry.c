/* SPDX-License-Identifier: Apache-2.0 */
/* What the registry says: gates with what would be run next, the matrix copied, findings. What cannot be read is a
 * finding, and the rest is there all the same. */
#include <string.h>

#include "base/text.h"
#include "evidence/dashboard/collecting.h"
#include "registry/gates/gates.h"
#include "registry/matrix/settings.h"
#include "registry/registry.h"

enum { FINDINGS_MOST = 100 };

/* ---- gates ---- */

static bool says(const sy_json_value *text)
{
    return text != NULL && text->kind == SY_JSON_TEXT && text->text[0] != '\0';
}

/* A run is begun for a question: the gate's, else the runbook's. */
static bool has_question(const sy_gate *gate)
{
    return says(sy_gate_field(gate, "question")) || says(sy_json_member(gate->runbook->value, "question"));
}

/* Whether every {field} of the command has a value. */
static bool is_filled(const sy_gate *gate)
{
    const sy_runbook *runbook = gate->runbook;
    for (size_t i = 0; i < runbook->placeholder_count; i++) {
        const sy_json_value *field = sy_gate_field(gate, runbook->placeholders[i].name);
        if (field == NULL || field->kind == SY_JSON_NULL) {
            return false;
        }
    }
    return true;
}

/* Where the runbook says all that a run needs, the run itself; else what a person would have to do. */
static const char *command_of(sy_collecting *c, const sy_gate *gate)
{
    if (gate->runbook == NULL || gate->runbook->command == NULL) {
        return sy_collecting_command(c, (const char *const[]){"steelyard", "gate", "show", gate->id, NULL});
    }
    if (has_question(gate) && is_filled(gate)) {
        return sy_collecting_command(
            c, (const char *const[]){"steelyard", "run", "exec", "--gate", gate->id, "--judge", NULL});
    }
    return sy_collecting_command(c, (const char *const[]){"steelyard", "gate", "command", gate->id, NULL});
}

static const char *cell_of(sy_collecting *c, const sy_gate *gate)
{
    return gate->capability != NULL && gate->backend != NULL
               ? sy_arena_format(c->arena, "%s::%s", gate->capability, gate->backend)
               : "";
}

static sy_status add_gate(sy_collecting *c, const sy_gate *gate, sy_dashboard_gate *to, sy_error *err)
{
    void *earlier = NULL;
    *to = (sy_dashboard_gate){
        .id = sy_collecting_text(c, gate->id),
        .state = sy_gate_state_word(gate->state),
        .cell = cell_of(c, gate),
        .priority = gate->priority,
        .is_open = sy_gate_state_is_open(gate->state),
        .command = command_of(c, gate),
        .newest = "",
        .selftest = "",
    };
    bool whole = to->id != NULL && to->cell != NULL && to->command != NULL;
    return whole && sy_id_table_put(c->gates, to->id, to, &earlier) ? SY_OK : sy_collecting_no_memory(err);
}

static sy_status collect_gates(sy_collecting *c, sy_error *err)
{
    const sy_gates_part *part = c->registry->gates;
    size_t most = part != NULL ? part->gate_count : 0;
    sy_dashboard_gate *gates = sy_arena_allocate(c->arena, most, sizeof *gates);
    c->gates = sy_id_table_create(c->arena, most);
    if (gates == NULL || c->gates == NULL) {
        return sy_collecting_no_memory(err);
    }
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        const sy_gate *gate = &part->gates[i];
        if (gate->id == NULL || gate->is_duplicate) {
            continue;
        }
        sy_status status = add_gate(c, gate, &gates[count], err);
        if (status != SY_OK) {
            return status;
        }
        c->dashboard->open_gate_count += gates[count].is_open;
        count++;
    }
    c->dashboard->gates = gates;
    c->dashboard->gate_count = count;
    return SY_OK;
}

/* ---- the matrix ---- */

static const char *const *copy_names(sy_collecting *c, const char *const *names, size_t count)
{
    const char **copied = sy_arena_allocate(c->arena, count, sizeof *copied);
    for (size_t i = 0; copied != NULL && i < count; i++) {
        copied[i] = sy_collecting_text(c, names[i]);
        if (copied[i] == NULL) {
            return NULL;
        }
    }
    return copied;
}

static bool copy_cell(sy_collecting *c, const sy_matrix_cell *from, sy_matrix_cell *to)
{
    const char **const texts[] = {&to->id,      &to->capability,        &to->backend, &to->support_level,
                                  &to->pr_gate, &to->scheduled_profile, &to->runner,  &to->state,
                                  &to->reason,  &to->next_gate};
    *to = *from;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        *texts[i] = sy_collecting_text(c, *texts[i] != NULL ? *texts[i] : "");
        if (*texts[i] == NULL) {
            return false;
        }
    }
    return true;
}

static sy_status copy_matrix(sy_collecting *c, const sy_matrix *from, sy_error *err)
{
    sy_matrix *matrix = sy_arena_allocate(c->arena, 1, sizeof *matrix);
    sy_matrix_cell *cells = sy_arena_allocate(c->arena, from->cell_count, sizeof *cells);
    if (matrix == NULL || cells == NULL) {
        return sy_collecting_no_memory(err);
    }
    *matrix = *from;
    matrix->protocol_version = sy_collecting_text(c, from->protocol_version != NULL ? from->protocol_version : "");
    matrix->capabilities = copy_names(c, from->capabilities, from->capability_count);
    matrix->backends = copy_names(c, from->backends, from->backend_count);
    matrix->cells = cells;
    bool whole = matrix->protocol_version != NULL && matrix->capabilities != NULL && matrix->backends != NULL;
    for (size_t i = 0; whole && i < from->cell_count; i++) {
        whole = copy_cell(c, &from->cells[i], &cells[i]);
    }
    c->dashboard->matrix = matrix;
    return whole ? SY_OK : sy_collecting_no_memory(err);
}

static sy_status collect_matrix(sy_collecting *c, sy_error *err)
{
    sy_matrix matrix;
    sy_registry_coverage *coverage = sy_arena_allocate(c->arena, 1, sizeof *coverage);
    if (coverage == NULL) {
        return sy_collecting_no_memory(err);
    }
    sy_status status = sy_registry_matrix(c->registry, &matrix, err);
    if (status == SY_NOT_FOUND) {
        return SY_OK; /* the findings say why */
    }
    if (status == SY_OK) {
        status = sy_registry_coverage_count(c->registry, coverage, err);
    }
    if (status == SY_OK) {
        c->dashboard->coverage = coverage;
        status = copy_matrix(c, &matrix, err);
    }
    return status;
}

/* ---- findings ---- */

static sy_status collect_findings(sy_collecting *c, sy_error *err)
{
    sy_finding_list list;
    sy_status status = sy_registry_findings(c->registry, &list, err);
    if (status != SY_OK) {
        return status;
    }
    size_t count = list.finding_count < FINDINGS_MOST ? list.finding_count : FINDINGS_MOST;
    const char **findings = sy_arena_allocate(c->arena, count, sizeof *findings);
    if (findings == NULL) {
        return sy_collecting_no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        const sy_finding *finding = &list.findings[i];
        findings[i] = sy_arena_format(c->arena, "%s:%u:%u: %s: %s", finding->file, finding->position.line,
                                      finding->position.column, finding->rule, finding->message);
        if (findings[i] == NULL) {
            return sy_collecting_no_memory(err);
        }
    }
    c->dashboard->findings = findings;
    c->dashboard->finding_count = count;
    c->dashboard->finding_total = list.finding_count;
    return SY_OK;
}

static sy_status name_project(sy_collecting *c, const char *root, sy_error *err)
{
    const char *name = c->registry->settings->project;
    if (name == NULL) {
        const char *slash = strrchr(root, '/');
        name = slash != NULL && slash[1] != '\0' ? slash + 1 : root;
    }
    c->dashboard->project = sy_collecting_text(c, name);
    return c->dashboard->project != NULL ? SY_OK : sy_collecting_no_memory(err);
}

sy_status sy_collect_registry(sy_collecting *c, const char *root, sy_error *err)
{
    sy_status status = name_project(c, root, err);
    if (status == SY_OK) {
        status = collect_gates(c, err);
    }
    if (status == SY_OK) {
        status = collect_matrix(c, err);
    }
    return status == SY_OK ? collect_findings(c, err) : status;
}
