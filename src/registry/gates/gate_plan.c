/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers what gate, configuration, runbook, cell and platform say of one gate. */
#include "registry/gates/gate_plan.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "registry/files/python_text.h"
#include "registry/gates/gate_protocol.h"
#include "registry/gates/runbooks.h"
#include "registry/matrix/matrix.h"

typedef struct plan_reading {
    sy_registry *registry;
    sy_arena *arena;
    const sy_gate *gate;
    sy_gate_plan *plan;
    bool failed; /* no memory */
} plan_reading;

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* The text's bytes in the arena; the text is finished. */
static const char *keep(plan_reading *r, sy_text *text)
{
    const char *kept = text->failed ? NULL : sy_arena_copy_bytes(r->arena, sy_text_bytes(text), text->length);
    r->failed = r->failed || kept == NULL;
    sy_text_finish(text);
    return or_empty(kept);
}

static const char *runbook_text(const plan_reading *r, const char *name)
{
    const sy_json_value *value = sy_json_member(r->gate->runbook->value, name);
    return value != NULL && value->kind == SY_JSON_TEXT ? value->text : "";
}

/* ---- lists ---- */

static const char *const *runbook_list(plan_reading *r, const char *name, size_t *ret_count)
{
    const sy_json_value *list = sy_json_member(r->gate->runbook->value, name);
    size_t most = list != NULL && list->kind == SY_JSON_ARRAY ? list->count : 0;
    const char **texts = sy_arena_allocate(r->arena, most, sizeof *texts);
    if (texts == NULL) {
        r->failed = true;
        return NULL;
    }
    size_t count = 0;
    for (const sy_json_value *item = most > 0 ? list->first : NULL; item != NULL; item = item->next) {
        if (item->kind == SY_JSON_TEXT) {
            texts[count++] = item->text;
        }
    }
    *ret_count = count;
    return texts;
}

static void take_lists(plan_reading *r)
{
    sy_gate_plan *plan = r->plan;
    plan->preflight = runbook_list(r, "preflight", &plan->preflight_count);
    plan->required_environment = runbook_list(r, "required_environment", &plan->required_environment_count);
    plan->required_artifacts = runbook_list(r, "required_artifacts", &plan->required_artifact_count);
}

/* ---- commands ---- */

/* The first {field} of a text that has no value in the gate; "${field}" is the shell's. */
static void note_unfilled(plan_reading *r, const char *text)
{
    sy_command_piece piece;
    for (const char *at = text; r->plan->unfilled[0] == '\0' && sy_command_next(&at, &piece);) {
        const char *brace = piece.text - 1;
        if (piece.kind != SY_PIECE_FIELD || (brace > text && brace[-1] == '$')) {
            continue;
        }
        const char *name = sy_arena_copy_bytes(r->arena, piece.text, piece.length);
        r->failed = r->failed || name == NULL;
        const sy_json_value *value = name != NULL ? sy_gate_field(r->gate, name) : NULL;
        if (name != NULL && (value == NULL || value->kind == SY_JSON_NULL)) {
            r->plan->unfilled = name;
        }
    }
}

static const char *fill(plan_reading *r, const char *text)
{
    sy_text filled = SY_TEXT_INIT;
    sy_command_append_filled(&filled, text, r->gate);
    return keep(r, &filled);
}

static void take_commands(plan_reading *r)
{
    const sy_runbook *runbook = r->gate->runbook;
    const char *smoke = runbook_text(r, "smoke");
    const char *asked = r->plan->question[0] != '\0' ? r->plan->question : runbook_text(r, "question");
    if (runbook->command != NULL) {
        note_unfilled(r, runbook->command);
        r->plan->command = fill(r, runbook->command);
    }
    if (smoke[0] != '\0') {
        note_unfilled(r, smoke);
        r->plan->smoke = fill(r, smoke);
    }
    r->plan->question = fill(r, asked);
}

static void take_checks(plan_reading *r)
{
    const sy_runbook *runbook = r->gate->runbook;
    sy_gate_check *checks = sy_arena_allocate(r->arena, runbook->check_count, sizeof *checks);
    if (checks == NULL) {
        r->failed = true;
        return;
    }
    for (size_t i = 0; i < runbook->check_count; i++) {
        checks[i] = runbook->checks[i];
        const char **argv = sy_arena_allocate(r->arena, checks[i].argc + 1, sizeof *argv);
        if (argv == NULL) {
            r->failed = true;
            return;
        }
        for (size_t k = 0; k < checks[i].argc; k++) {
            note_unfilled(r, checks[i].argv[k]);
            argv[k] = fill(r, checks[i].argv[k]);
        }
        checks[i].argv = checks[i].argc > 0 ? argv : NULL;
    }
    r->plan->checks = checks;
    r->plan->check_count = runbook->check_count;
    r->plan->checks_are_whole = runbook->checks_are_whole;
}

static void take_runbook(plan_reading *r)
{
    const sy_runbook *runbook = r->gate->runbook;
    sy_gate_plan *plan = r->plan;
    plan->runbook = runbook->id;
    plan->title = or_empty(runbook->title);
    plan->owner = or_empty(runbook->owner);
    plan->tier = or_empty(runbook->tier);
    plan->is_performance = runbook->is_performance;
    plan->promotion_boundary = runbook_text(r, "promotion_boundary");
    plan->wall_clock = runbook_text(r, "wall_clock");
    take_lists(r);
    take_commands(r);
    take_checks(r);
}

/* ---- fields ---- */

static const char *field_text(plan_reading *r, const sy_json_value *value)
{
    switch (value->kind) {
    case SY_JSON_NULL:
        return NULL;
    case SY_JSON_TEXT:
        return value->text;
    case SY_JSON_TRUE:
    case SY_JSON_FALSE:
        return value->kind == SY_JSON_TRUE ? "true" : "false";
    default: {
        sy_text text = SY_TEXT_INIT;
        sy_python_append_str(&text, value);
        return keep(r, &text);
    }
    }
}

/* Members of object that nothing before them said. */
static void take_members(plan_reading *r, const sy_json_value *object, sy_named_text *fields)
{
    for (const sy_json_value *member = object != NULL ? object->first : NULL; member != NULL; member = member->next) {
        if (sy_gate_field(r->gate, member->name) == member) {
            fields[r->plan->field_count++] = (sy_named_text){member->name, field_text(r, member)};
        }
    }
}

static void take_fields(plan_reading *r)
{
    const sy_json_value *inherited = r->gate->configuration;
    size_t most = r->gate->value->count + (inherited != NULL ? inherited->count : 0);
    sy_named_text *fields = sy_arena_allocate(r->arena, most, sizeof *fields);
    if (fields == NULL) {
        r->failed = true;
        return;
    }
    take_members(r, r->gate->value, fields);
    take_members(r, inherited, fields);
    r->plan->fields = fields;
}

const char *sy_gate_plan_field(const sy_gate_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->field_count; i++) {
        if (strcmp(plan->fields[i].name, name) == 0) {
            return plan->fields[i].value;
        }
    }
    return NULL;
}

static void take_inputs(plan_reading *r)
{
    sy_gate_plan *plan = r->plan;
    sy_named_text *inputs = sy_arena_allocate(r->arena, plan->check_count + 1, sizeof *inputs);
    if (inputs == NULL) {
        r->failed = true;
        return;
    }
    const char *fixture = sy_gate_plan_field(plan, "fixture_id");
    if (fixture != NULL) {
        inputs[plan->input_count++] = (sy_named_text){fixture, sy_gate_plan_field(plan, "fixture_sha256")};
    }
    for (size_t i = 0; i < plan->check_count; i++) {
        const sy_gate_check *check = &plan->checks[i];
        if (check->kind == SY_GATE_CHECK_FILE && check->sha256[0] != '\0') {
            inputs[plan->input_count++] = (sy_named_text){check->text, check->sha256};
        }
    }
    plan->inputs = inputs;
}

/* ---- cell and platform ---- */

static void take_gate(plan_reading *r)
{
    const sy_gate *gate = r->gate;
    const sy_computer *computer = sy_id_table_get(r->registry->gates->protocol->computers, gate->computer);
    const sy_json_value *question = sy_gate_field(gate, "question");
    *r->plan = (sy_gate_plan){
        .id = gate->id,
        .state = gate->state,
        .module = or_empty(gate->module),
        .operation = or_empty(gate->operation),
        .platform = or_empty(gate->platform),
        .computer = or_empty(gate->computer),
        .computer_id = computer != NULL ? computer->id : or_empty(gate->computer),
        .next_gate = or_empty(gate->next_gate),
        .cell = "",
        .capability = or_empty(gate->capability),
        .backend = or_empty(gate->backend),
        .unfilled = "",
        .question = question != NULL && question->kind == SY_JSON_TEXT ? question->text : "",
        .protocol = "",
        .runner = "",
        .minimum_memory_words = "",
    };
    if (gate->capability != NULL && gate->backend != NULL) {
        const char *cell = sy_arena_format(r->arena, "%s::%s", gate->capability, gate->backend);
        r->failed = r->failed || cell == NULL;
        r->plan->cell = or_empty(cell);
    }
}

static void take_settings(sy_gate_plan *plan, const sy_settings_platform *settings)
{
    plan->platform_is_declared = true;
    plan->runner_is_declared = settings->readiness_at != NULL && !settings->readiness_is_damaged;
    plan->runner = settings->runner != NULL ? settings->runner : plan->runner;
    memcpy(plan->ready, settings->ready, sizeof plan->ready);
    plan->has_minimum_memory = settings->has_minimum_memory;
    plan->minimum_memory = settings->minimum_memory;
}

static void take_matrix(plan_reading *r)
{
    const struct sy_matrix_part *matrix = sy_registry_matrix_part(r->registry);
    sy_gate_plan *plan = r->plan;
    const sy_settings *settings = r->registry->settings;
    for (size_t i = 0; i < settings->platform_count; i++) {
        if (strcmp(settings->platforms[i].name, plan->backend) == 0) {
            take_settings(plan, &settings->platforms[i]);
        }
    }
    if (matrix == NULL) {
        return;
    }
    const sy_matrix_platform *platform = sy_matrix_find_platform(matrix, plan->backend);
    if (platform != NULL) {
        plan->platform_is_declared = true;
        plan->runner = platform->runner != NULL ? platform->runner : plan->runner;
        plan->minimum_memory_words = or_empty(platform->minimum_memory);
    }
    size_t cell = plan->cell[0] != '\0' ? sy_matrix_find_cell(matrix, plan->cell) : SIZE_MAX;
    plan->cell_is_known = cell != SIZE_MAX;
    plan->cell_is_scheduled = plan->cell_is_known && sy_matrix_is_scheduled(&matrix->cells[cell]);
    plan->cell_owes_signoff = plan->cell_is_known && matrix->cells[cell].release_signoff;
    plan->protocol = or_empty(matrix->protocol_version);
    plan->key_fields = matrix->comparison_key.words;
    plan->key_field_count = matrix->comparison_key.count;
}

bool sy_gate_plan_owes_memory(const sy_gate_plan *plan)
{
    return plan->has_minimum_memory || plan->minimum_memory_words[0] != '\0';
}

uint64_t sy_gate_plan_memory_bytes(const sy_gate_plan *plan)
{
    return plan->has_minimum_memory ? plan->minimum_memory.bytes
                                    : sy_matrix_memory_words_bytes(plan->minimum_memory_words);
}

/* Whether cell is "capability::backend". */
static bool is_of_cell(const sy_gate *gate, const char *cell)
{
    size_t length = gate->capability != NULL ? strlen(gate->capability) : 0;
    return gate->id != NULL && !gate->is_duplicate && gate->capability != NULL && gate->backend != NULL &&
           strncmp(cell, gate->capability, length) == 0 && strncmp(cell + length, "::", 2) == 0 &&
           strcmp(cell + length + 2, gate->backend) == 0;
}

sy_status sy_gates_of_cell(const sy_registry *registry, const char *cell, sy_arena *arena, const char *const **ret_ids,
                           size_t *ret_count, sy_error *err)
{
    const sy_gates_part *part = registry->gates;
    size_t count = 0;
    const char **ids = sy_arena_allocate(arena, part->gate_count, sizeof *ids);
    if (ids == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the gates of a cell");
    }
    for (size_t i = 0; i < part->gate_count; i++) {
        if (is_of_cell(&part->gates[i], cell)) {
            ids[count++] = part->gates[i].id;
        }
    }
    *ret_ids = ids;
    *ret_count = count;
    return SY_OK;
}

sy_status sy_gate_plan_read(sy_registry *registry, const char *id, sy_arena *arena, sy_gate_plan *ret_plan,
                            sy_error *err)
{
    const sy_gate *gate = NULL;
    sy_status status = sy_gate_look_up(registry, id, &gate, err);
    if (status != SY_OK) {
        return status;
    }
    if (gate->runbook == NULL) {
        return sy_fail(err, SY_CORRUPT, "the gate '%s' names no runbook that could be read", id);
    }
    sy_gate_plan plan;
    plan_reading reading = {registry, arena, gate, &plan, false};
    take_gate(&reading);
    take_runbook(&reading);
    take_fields(&reading);
    take_inputs(&reading);
    take_matrix(&reading);
    if (reading.failed) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for the plan of the gate '%s'", id);
    }
    *ret_plan = plan;
    return SY_OK;
}
