/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a run before its work: from the gate, from whoever starts it, from machine and sources. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "evidence/place.h"
#include "evidence/run_key.h"
#include "evidence/software.h"
#include "evidence/start.h"
#include "record/private_text.h"
#include "registry/files/look.h"

extern char **environ;

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the beginning of a run");
}

/* ---- the gate ---- */

static sy_status read_gate(sy_start *start, sy_error *err)
{
    sy_status status = sy_project_registry(start->project, &start->registry, err);
    if (status == SY_OK) {
        status = sy_gate_plan_read(start->registry, start->options->gate, start->arena, &start->plan, err);
    }
    if (status != SY_OK) {
        return status;
    }
    sy_gate_state state = start->plan.state;
    if (state != SY_GATE_MEASURED && !sy_gate_state_is_open(state)) {
        const char *word = sy_gate_state_word(state);
        (void)sy_fail(err, SY_REFUSED, "the gate '%.120s' is %s: nothing is measured under it", start->plan.id,
                      word[0] != '\0' ? word : "of an unknown state");
        sy_error_hint(err, "steelyard gate next lists those that are open");
        return SY_REFUSED;
    }
    return SY_OK;
}

static sy_status choose_question(sy_start *start, sy_error *err)
{
    const char *question = start->options->question;
    question = question != NULL ? question : start->plan.question;
    if (sy_is_blank(question)) {
        (void)sy_fail(err, SY_INVALID_ARGUMENT, "a run asks a question, and neither its gate nor you have said one");
        sy_error_hint(err, "say what the run may refute: --question '...'");
        return SY_INVALID_ARGUMENT;
    }
    start->begin.question = question;
    return SY_OK;
}

/* ---- place and sources ---- */

static const char *chosen(const char *said, const char *otherwise)
{
    return said != NULL ? said : otherwise != NULL ? otherwise : "";
}

static sy_status find_place(sy_start *start, sy_error *err)
{
    const sy_gate_plan *plan = &start->plan;
    const char *backend = plan->backend[0] != '\0' ? plan->backend : plan->platform;
    return sy_place_find(backend, chosen(start->options->device, backend), start->options->hardware,
                         chosen(start->options->machine, ""), start->arena, &start->begin.place, &start->identity, err);
}

static sy_status find_source(sy_start *start, sy_error *err)
{
    sy_source_options options = SY_SOURCE_OPTIONS_INIT;
    options.folder = sy_project_root(start->project);
    options.program = chosen(start->options->git, options.program);
    sy_status status = sy_source_describe(&options, start->arena, &start->source, err);
    if (status == SY_OK) {
        start->begin.source = start->source.run;
    }
    return status;
}

/* ---- what the gate's fields and the caller add ---- */

/* Members of a gate that say how it stands, and not how it is measured. */
static bool is_bookkeeping(const char *name)
{
    static const char *const names[] = {"id",       "state",        "runbook", "priority", "next_gate",
                                        "question", "satisfied_by", "reason",  "module",   "configuration"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static sy_status gather_parameters(sy_start *start, sy_error *err)
{
    const sy_run_start_options *options = start->options;
    const sy_gate_plan *plan = &start->plan;
    sy_named_text *all = sy_arena_allocate(start->arena, plan->field_count + options->parameter_count, sizeof *all);
    if (all == NULL) {
        return no_memory(err);
    }
    size_t count = 0;
    for (size_t i = 0; i < plan->field_count; i++) {
        if (!is_bookkeeping(plan->fields[i].name)) {
            all[count++] = plan->fields[i];
        }
    }
    for (size_t i = 0; i < options->parameter_count; i++) {
        all[count++] = options->parameters[i];
    }
    for (size_t i = 0; i < count; i++) {
        const char *value = sy_private_clean_value(start->arena, all[i].name, all[i].value);
        if (value == NULL && all[i].value != NULL) {
            return no_memory(err);
        }
        all[i].value = value;
    }
    start->begin.parameters = all;
    start->begin.parameter_count = count;
    return SY_OK;
}

static sy_status gather_outputs(sy_start *start, sy_error *err)
{
    const sy_run_start_options *options = start->options;
    const sy_gate_plan *plan = &start->plan;
    size_t count = plan->required_artifact_count;
    const char **all = sy_arena_allocate(start->arena, count + options->planned_output_count, sizeof *all);
    if (all == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < count; i++) {
        all[i] = plan->required_artifacts[i];
    }
    for (size_t i = 0; i < options->planned_output_count; i++) {
        all[count++] = options->planned_outputs[i];
    }
    start->begin.planned_outputs = all;
    start->begin.planned_output_count = count;
    return SY_OK;
}

/* ---- checks ---- */

static sy_status run_checks(sy_start *start, sy_error *err)
{
    sy_finding_list findings;
    sy_status status = sy_registry_findings(start->registry, &findings, err);
    if (status != SY_OK) {
        return status;
    }
    const sy_preflight_subject subject = {.plan = &start->plan,
                                          .place = &start->begin.place,
                                          .root = sy_project_root(start->project),
                                          .machine = chosen(start->options->machine, ""),
                                          .leases = sy_project_leases(start->project),
                                          .clock = sy_project_clock(start->project),
                                          .inputs = start->options->inputs,
                                          .input_count = start->options->input_count,
                                          .finding_count = findings.finding_count,
                                          .source = &start->begin.source,
                                          .source_remark = start->source.reason,
                                          .environment = (const char *const *)environ,
                                          .wait_ns = start->options->wait_ns,
                                          .cancelled = start->options->cancelled,
                                          .user = start->options->user};
    start->preflight.arena = start->arena;
    return sy_preflight_run(&start->preflight, &subject, &start->begin.inputs, &start->begin.input_count, err);
}

/* ---- the key ---- */

enum { KNOWN_MAX = 3 };

/* The one input is what was measured on. */
static sy_status fill_key(sy_start *start, sy_error *err)
{
    const sy_run_begin *begin = &start->begin;
    sy_named_text *known = sy_arena_allocate(start->arena, KNOWN_MAX, sizeof *known);
    char software[65];
    size_t count = 0;
    if (known == NULL) {
        return no_memory(err);
    }
    sy_status status = sy_software_digest(begin->place.device, start->plan.capability, software, err);
    if (status != SY_OK) {
        return status;
    }
    known[count++] = (sy_named_text){"run_cache_state", begin->cache_state[0] != '\0' ? begin->cache_state : NULL};
    known[count++] = (sy_named_text){"run_timing_boundary",
                                     begin->timing_boundary[0] != '\0' ? begin->timing_boundary : NULL};
    if (begin->input_count == 1) {
        known[count++] = (sy_named_text){"run_source", begin->inputs[0].value};
    }
    const sy_run_key_facts facts = {.plan = &start->plan,
                                    .protocol = begin->protocol,
                                    .cell = begin->cell,
                                    .identity = &begin->place.identity,
                                    .software = software[0] != '\0' ? software : NULL,
                                    .source = &begin->source,
                                    .known = known,
                                    .known_count = count,
                                    .given = start->options->key,
                                    .given_count = start->options->key_count};
    status = sy_run_key_fill(start->registry, &facts, start->arena, &start->begin.key, err);
    if (status == SY_OK) {
        start->unknown_fields = sy_run_key_unknown(&start->begin.key, start->arena);
        status = start->unknown_fields != NULL ? SY_OK : no_memory(err);
    }
    return status;
}

/* ---- the whole ---- */

static sy_status name_run(sy_start *start, sy_error *err)
{
    const sy_gate_plan *plan = &start->plan;
    sy_run_begin *begin = &start->begin;
    begin->id = start->id;
    begin->kind = SY_RUN_KIND_SESSION;
    begin->status = SY_RUN_PLANNED;
    begin->gate = plan->id;
    begin->cell = plan->cell;
    begin->tier = plan->tier;
    begin->protocol = plan->protocol;
    begin->cache_state = chosen(start->options->cache_state, sy_gate_plan_field(plan, "cache_state"));
    begin->timing_boundary = chosen(sy_gate_plan_field(plan, "timing_boundary"), "");
    begin->origin = begin->origin_digest = begin->origin_time = "";
    return sy_run_id_draw(sy_project_clock(start->project), start->id, err);
}

sy_status sy_start_gather(sy_start *start, sy_error *err)
{
    static sy_status (*const steps[])(sy_start *, sy_error *) = {
        read_gate,   choose_question,   name_run,       find_place, sy_start_refuse_under_block,
        find_source, gather_parameters, gather_outputs, run_checks, fill_key,
    };
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < sizeof steps / sizeof steps[0]; i++) {
        status = steps[i](start, err);
    }
    return status;
}
