/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts say of each other: gates are counted under their cells, and what does not come together is noted. It
 * is nobody's fault in a single file, so nothing here is a finding. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "registry/experiments/experiments.h"
#include "registry/gates/gate_protocol.h"
#include "registry/gates/gates.h"
#include "registry/matrix/matrix.h"
#include "registry/registry.h"

typedef struct join {
    sy_registry *registry;
    struct sy_matrix_part *matrix;
    sy_gates_part *gates;
    const sy_gate **urgent; /* of each cell, its most urgent open gate; NULL: none is open */
    const sy_gate **first;  /* of each cell, its first gate */
    bool *has_cell;         /* of each measurement: a gate that belongs to a cell names it */
    bool *has_measurement;  /* of each manifest: a measurement's evidence lies in its folder */
    sy_registry_coverage *coverage;
} join;

/* ---- gates and their cells ---- */

/* The index of the gate's cell; SIZE_MAX: it has none. */
static size_t cell_of(const join *j, const sy_gate *gate)
{
    if (gate->capability == NULL || gate->backend == NULL) {
        return SIZE_MAX;
    }
    char id[512];
    int length = snprintf(id, sizeof id, "%s::%s", gate->capability, gate->backend);
    return length > 0 && (size_t)length < sizeof id ? sy_matrix_find_cell(j->matrix, id) : SIZE_MAX;
}

static bool is_more_urgent(const sy_gate *gate, const sy_gate *than)
{
    if (than == NULL || gate->priority != than->priority) {
        return than == NULL || gate->priority < than->priority;
    }
    return strcmp(gate->id, than->id) < 0;
}

static void count_gate(join *j, const sy_gate *gate, size_t at)
{
    sy_matrix_cell *cell = &j->matrix->cells[at];
    for (size_t i = 0; i < gate->satisfied_count; i++) {
        j->has_cell[gate->satisfied_by[i] - j->gates->measurements] = true;
    }
    cell->gate_count++;
    cell->measured_gates += gate->state == SY_GATE_MEASURED;
    if (j->first[at] == NULL) {
        j->first[at] = gate;
    }
    if (sy_gate_state_is_open(gate->state)) {
        cell->open_gates++;
        if (is_more_urgent(gate, j->urgent[at])) {
            j->urgent[at] = gate;
        }
    }
}

/* A matrix with damage may lack the cell that a gate belongs to. */
static bool is_whole(const sy_document *document)
{
    return document != NULL && document->json != NULL && !sy_json_is_cut(document->json, sy_json_root(document->json));
}

static void remark_gate_without_cell(join *j, const sy_gate *gate)
{
    if (!is_whole(j->matrix->document)) {
        return;
    }
    j->coverage->gates_without_cell++;
    const sy_document *document = j->gates->document;
    if (gate->capability != NULL && gate->backend != NULL) {
        sy_remark(document, gate->value, SY_RULE_GATE_WITHOUT_CELL, "the matrix has no cell '%s::%s' for this gate",
                  gate->capability, gate->backend);
    } else {
        sy_remark(document, gate->value, SY_RULE_GATE_WITHOUT_CELL,
                  "nothing says which %s of the matrix this gate belongs to",
                  gate->capability != NULL ? "backend" : "capability");
    }
}

static void count_gates(join *j)
{
    for (size_t i = 0; i < j->gates->gate_count; i++) {
        const sy_gate *gate = &j->gates->gates[i];
        if (gate->id == NULL || gate->is_duplicate) {
            continue;
        }
        size_t at = cell_of(j, gate);
        if (at != SIZE_MAX) {
            count_gate(j, gate, at);
        } else {
            remark_gate_without_cell(j, gate);
        }
    }
}

/* ---- runbooks ---- */

/* The first {field} of the runbook's command that the gate does not have; NULL: it has all of them. */
static const char *missing_field(const sy_gate *gate)
{
    const sy_runbook *runbook = gate->runbook;
    for (size_t i = 0; i < runbook->placeholder_count; i++) {
        const sy_json_value *field = sy_gate_field(gate, runbook->placeholders[i].name);
        if (field == NULL || field->kind == SY_JSON_NULL) {
            return runbook->placeholders[i].name;
        }
    }
    return NULL;
}

static void check_runbook(join *j, const sy_gate *gate)
{
    const sy_runbook *runbook = gate->runbook;
    const sy_document *document = j->gates->document;
    const sy_json_value *at = sy_json_member(gate->value, "runbook");
    const char *measures = j->gates->protocol->performance_evidence; /* blank: the protocol is not known */
    if (!runbook->is_performance && runbook->evidence_level != NULL && measures[0] != '\0') {
        sy_remark(document, at, SY_RULE_GATE_CANNOT_MEASURE,
                  "the gate is open, and its runbook gives no more than '%s'; '%s' is what measures",
                  runbook->evidence_level, measures);
        j->coverage->gates_that_cannot_measure++;
        return;
    }
    const char *field = missing_field(gate);
    if (field != NULL) {
        sy_remark(document, at, SY_RULE_GATE_CANNOT_MEASURE,
                  "the command of its runbook needs '%s', which the gate lacks", field);
        j->coverage->gates_that_cannot_measure++;
    }
}

static void check_runbooks(join *j)
{
    for (size_t i = 0; i < j->gates->gate_count; i++) {
        const sy_gate *gate = &j->gates->gates[i];
        if (gate->id != NULL && !gate->is_duplicate && gate->runbook != NULL && sy_gate_state_is_open(gate->state)) {
            check_runbook(j, gate);
        }
    }
}

/* ---- measurements ---- */

/* Evidence that was taken back or replaced belongs to nobody on purpose. */
static void check_measurements(join *j)
{
    for (size_t i = 0; i < j->gates->measurement_count; i++) {
        const sy_measurement *measurement = &j->gates->measurements[i];
        if (j->has_cell[i] || measurement->id == NULL || measurement->state == SY_GATE_REFUTED ||
            measurement->state == SY_GATE_SUPERSEDED) {
            continue;
        }
        sy_remark(measurement->document, measurement->value, SY_RULE_EVIDENCE_WITHOUT_CELL, "no gate%s names '%s'",
                  measurement->gate_count > 0 ? " of any cell" : "", measurement->id);
        j->coverage->evidence_without_cell++;
    }
}

/* ---- cells ---- */

static void explain_cell(const join *j, sy_matrix_cell *cell, size_t at)
{
    const sy_gate *urgent = j->urgent[at], *first = j->first[at];
    const char *reason = urgent != NULL && urgent->next_gate != NULL ? urgent->next_gate
                         : first != NULL && first->reason != NULL    ? first->reason
                                                                     : NULL;
    if (urgent != NULL) {
        cell->next_gate = urgent->id;
    }
    /* What a gate says of why a cell is unsupported tells more than that it is. */
    bool is_unsupported = strcmp(cell->state, "unsupported") == 0;
    if (reason != NULL && (is_unsupported || cell->reason == NULL || cell->reason[0] == '\0')) {
        cell->reason = reason;
    }
}

static void check_cell(join *j, size_t at)
{
    sy_matrix_cell *cell = &j->matrix->cells[at];
    const sy_json_value *value = j->matrix->cell_values[at];
    const sy_document *document = j->matrix->document;
    explain_cell(j, cell, at);
    if (strcmp(cell->state, "ready") == 0 && cell->open_gates > 0) {
        sy_remark(document, sy_json_member(value, "state"), SY_RULE_READY_WITH_OPEN_GATES,
                  "'%s' is called ready, and %zu of its %zu gates are open; the next is %s", cell->id, cell->open_gates,
                  cell->gate_count, cell->next_gate);
        j->coverage->ready_with_open_gates++;
    }
    if (cell->gate_count == 0 && strcmp(cell->state, "unsupported") != 0 && is_whole(j->gates->document)) {
        sy_remark(document, value, SY_RULE_CELL_WITHOUT_GATE, "no gate belongs to '%s': nothing says what it owes",
                  cell->id);
        j->coverage->cells_without_gate++;
    }
    if (sy_matrix_is_scheduled(cell) && !sy_matrix_has_ready_runner(j->matrix, cell)) {
        j->coverage->schedules_without_runner++;
    }
}

/* One note for a platform: its cells are scheduled for one and the same reason. */
static void check_schedules(const join *j)
{
    for (size_t i = 0; i < j->matrix->platform_count; i++) {
        const sy_matrix_platform *platform = &j->matrix->platforms[i];
        size_t count = 0;
        for (size_t k = 0; k < j->matrix->cell_count; k++) {
            const sy_matrix_cell *cell = &j->matrix->cells[k];
            count += strcmp(cell->backend, platform->name) == 0 && sy_matrix_is_scheduled(cell) &&
                     !sy_matrix_has_ready_runner(j->matrix, cell);
        }
        if (count > 0) {
            sy_remark(j->matrix->document, platform->value, SY_RULE_SCHEDULE_WITHOUT_RUNNER,
                      "%zu cells are scheduled on '%s', and steelyard.json does not say that its runner is ready for "
                      "them",
                      count, platform->name);
        }
    }
}

/* ---- runs ---- */

static int by_length_and_bytes(const char *id, const char *name, size_t length)
{
    int order = strncmp(id, name, length);
    return order != 0 ? order : id[length] != '\0';
}

/* The manifest of the run whose folder has that name; SIZE_MAX: none. */
static size_t find_run(const struct sy_runs_part *runs, const char *name, size_t length)
{
    size_t low = 0, high = runs->manifest_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = by_length_and_bytes(runs->manifests[middle].id, name, length);
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return SIZE_MAX;
}

/* Marks the runs whose folders a path leads through. */
static void mark_runs(join *j, const char *path)
{
    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, "/");
        size_t at = length > 0 ? find_run(j->registry->runs, path, length) : SIZE_MAX;
        if (at != SIZE_MAX) {
            j->has_measurement[at] = true;
        }
        path += length + (path[length] == '/');
    }
}

static const char *text_of(const sy_json_value *object, const char *name)
{
    const sy_json_value *value = object != NULL ? sy_json_member(object, name) : NULL;
    return value != NULL && value->kind == SY_JSON_TEXT ? value->text : NULL;
}

static void check_runs(join *j)
{
    const struct sy_runs_part *runs = j->registry->runs;
    const char *last = NULL;
    for (size_t i = 0; i < j->gates->measurement_count; i++) {
        const sy_measurement *measurement = &j->gates->measurements[i];
        mark_runs(j, text_of(measurement->value, "evidence"));
        mark_runs(j, text_of(measurement->override, "evidence"));
        mark_runs(j, text_of(measurement->artifact, "path"));
        if (measurement->document->path != last) {
            last = measurement->document->path;
            mark_runs(j, last);
        }
    }
    for (size_t i = 0; is_whole(j->gates->document) && i < runs->manifest_count; i++) {
        if (runs->manifests[i].status == SY_EXPERIMENT_COMPLETED && !j->has_measurement[i]) {
            sy_remark(runs->manifests[i].document, NULL, SY_RULE_RUN_WITHOUT_MEASUREMENT,
                      "no measurement names this run as its evidence");
        }
    }
}

sy_status sy_registry_join(sy_registry *registry, sy_error *err)
{
    sy_registry_coverage *coverage = sy_arena_allocate(registry->arena, 1, sizeof *coverage);
    if (coverage == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to join the parts of the registry");
    }
    registry->coverage = coverage;
    if (registry->matrix == NULL || registry->gates == NULL || registry->runs == NULL) {
        return SY_OK;
    }
    join j = {registry, registry->matrix, registry->gates, NULL, NULL, NULL, NULL, coverage};
    size_t cells = j.matrix->cell_count;
    j.urgent = sy_arena_allocate(registry->arena, cells, sizeof *j.urgent);
    j.first = sy_arena_allocate(registry->arena, cells, sizeof *j.first);
    j.has_cell = sy_arena_allocate(registry->arena, j.gates->measurement_count, 1);
    j.has_measurement = sy_arena_allocate(registry->arena, registry->runs->manifest_count, 1);
    if (j.urgent == NULL || j.first == NULL || j.has_cell == NULL || j.has_measurement == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to join the parts of the registry");
    }
    count_gates(&j);
    check_runbooks(&j);
    check_measurements(&j);
    for (size_t i = 0; i < cells; i++) {
        check_cell(&j, i);
    }
    check_schedules(&j);
    check_runs(&j);
    return SY_OK;
}

sy_status sy_registry_coverage_count(sy_registry *registry, sy_registry_coverage *ret_coverage, sy_error *err)
{
    if (registry->coverage == NULL) {
        return sy_fail(err, SY_REFUSED, "matrix, gates and experiments must all be read to be joined");
    }
    *ret_coverage = *registry->coverage;
    return SY_OK;
}
