/* SPDX-License-Identifier: Apache-2.0 */
/* The manifest of a run: what is asked, of what, on what, by which command, and what it is to leave behind.
 * docs/formats.md, "steelyard.manifest/1". */
#include "base/error.h"
#include "base/json.h"
#include "evidence/clean_json.h"
#include "evidence/start.h"
#include "record/run_events.h"

static void write_texts(sy_json_writer *writer, const char *name, const char *const *texts, size_t count)
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++) {
        sy_json_text(writer, texts[i]);
    }
    sy_json_end_array(writer);
}

static void write_memory(sy_json_writer *writer, const sy_gate_plan *plan)
{
    sy_json_name(writer, "minimum_memory");
    if (!plan->has_minimum_memory) {
        sy_json_null(writer);
        return;
    }
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "basis", sy_memory_basis_word(plan->minimum_memory.basis));
    sy_json_member_u64(writer, "bytes", plan->minimum_memory.bytes);
    sy_json_member_text(writer, "how", plan->minimum_memory.how);
    sy_json_member_text(writer, "scope", sy_memory_scope_word(plan->minimum_memory.scope));
    sy_json_end_object(writer);
}

/* What gate and runbook say. */
static sy_status write_gate(const sy_gate_plan *plan, sy_text *to, sy_error *err)
{
    sy_json_writer *writer = sy_json_writer_create(to, SY_JSON_CANONICAL);
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "command", plan->command);
    sy_json_member_text(writer, "computer", plan->computer);
    sy_json_member_text(writer, "id", plan->id);
    sy_json_member_bool(writer, "is_performance", plan->is_performance);
    write_memory(writer, plan);
    sy_json_member_text(writer, "next_gate", plan->next_gate);
    sy_json_member_text(writer, "owner", plan->owner);
    sy_json_member_text(writer, "platform", plan->platform);
    write_texts(writer, "preflight", plan->preflight, plan->preflight_count);
    sy_json_member_text(writer, "promotion_boundary", plan->promotion_boundary);
    write_texts(writer, "required_artifacts", plan->required_artifacts, plan->required_artifact_count);
    write_texts(writer, "required_environment", plan->required_environment, plan->required_environment_count);
    sy_json_member_text(writer, "runbook", plan->runbook);
    sy_json_member_text(writer, "runner", plan->runner);
    sy_json_member_text(writer, "smoke", plan->smoke);
    sy_json_member_text(writer, "state", sy_gate_state_word(plan->state));
    sy_json_member_text(writer, "tier", plan->tier);
    sy_json_member_text(writer, "title", plan->title);
    sy_json_end_object(writer);
    return sy_json_writer_finish(writer, err);
}

/* Members in the order of their names, as in every canonical text. */
static sy_status write_manifest(const sy_start *start, sy_text *to, sy_error *err)
{
    sy_text_append(to, "{\"begin\":");
    sy_status status = sy_run_begin_write(&start->begin, to, err);
    sy_text_append(to, ",\"checks\":[");
    for (size_t i = 0; status == SY_OK && i < start->preflight.count; i++) {
        sy_text_append(to, i > 0 ? "," : "");
        status = sy_run_check_write(&start->preflight.checks[i], to, err);
    }
    sy_text_append(to, "],\"gate\":");
    if (status == SY_OK) {
        status = write_gate(&start->plan, to, err);
    }
    sy_text_append(to, ",\"schema\":\"steelyard.manifest/1\"}\n");
    return status == SY_OK && to->failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the manifest of a run") : status;
}

sy_status sy_start_keep_manifest(sy_start *start, sy_error *err)
{
    sy_text whole = SY_TEXT_INIT, clean = SY_TEXT_INIT;
    sy_status status = write_manifest(start, &whole, err);
    if (status == SY_OK) {
        status = sy_clean_json(sy_text_bytes(&whole), start->arena, &clean, err);
    }
    if (status == SY_OK) {
        start->manifest_size = clean.length;
        status = sy_ledger_keep(sy_project_ledger(start->project), sy_text_bytes(&clean), clean.length,
                                start->manifest_digest, err);
    }
    sy_text_finish(&whole);
    sy_text_finish(&clean);
    return status;
}
