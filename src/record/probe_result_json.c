/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON form of a probe's result, "steelyard.probe/1" of docs/formats.md: names and order of the members. */
#include <math.h>
#include <stdio.h>
#include <steelyard/record.h>

#include "base/error.h"
#include "base/json.h"
#include "record/record_json.h"

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/* 0 stands for "unknown" in the record and becomes null. */
static void member_known_u64(sy_json_writer *writer, const char *name, uint64_t value)
{
    if (value == 0)
        sy_json_member_null(writer, name);
    else
        sy_json_member_u64(writer, name, value);
}

static void member_known_text(sy_json_writer *writer, const char *name, const char *text)
{
    sy_json_member_text(writer, name, text != NULL && text[0] != '\0' ? text : NULL);
}

/* GFLOP/s = operations / ns; null when either is unknown. */
static void member_gflops(sy_json_writer *writer, const char *name, double flop_count, double time_ns)
{
    if (flop_count > 0 && time_ns > 0)
        sy_json_member_double(writer, name, flop_count / time_ns);
    else
        sy_json_member_null(writer, name);
}

static bool is_time(const sy_metric *metric)
{
    return metric->unit == NULL || sy_text_equal(metric->unit, "ns");
}

/* A value of the metric: "<name>_ns" where it is a time; else that is null and "<name>_value" holds it. */
static void member_value(sy_json_writer *writer, const sy_metric *metric, const char *name, double value)
{
    char whole[64];
    (void)snprintf(whole, sizeof(whole), "%s_ns", name);
    sy_json_member_double(writer, whole, is_time(metric) ? value : NAN);
    if (is_time(metric))
        return;
    (void)snprintf(whole, sizeof(whole), "%s_value", name);
    sy_json_member_double(writer, whole, value);
}

static void write_metric(sy_json_writer *writer, const sy_metric *metric)
{
    sy_json_name(writer, "metric");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "name", metric->name != NULL ? metric->name : "wall");
    sy_json_member_text(writer, "unit", metric->unit != NULL ? metric->unit : "ns");
    sy_json_member_text(writer, "better", metric->higher_is_better ? "higher" : "lower");
    sy_json_end_object(writer);
}

static void write_implementation_info(sy_json_writer *writer, const sy_implementation_info *info)
{
    member_known_text(writer, "version", info->version);
    member_known_text(writer, "path", info->path);
    member_known_u64(writer, "threads", info->threads);
}

/* peak: of the process; of: inputs, outputs and scratch, without which the scratch alone says nothing. */
static void write_memory(sy_json_writer *writer, uint64_t peak, uint64_t device_bytes, uint64_t scratch_bytes)
{
    member_known_u64(writer, "memory_bytes", peak);
    member_known_u64(writer, "device_bytes", device_bytes);
    if (device_bytes == 0)
        sy_json_member_null(writer, "scratch_bytes");
    else
        sy_json_member_u64(writer, "scratch_bytes", scratch_bytes);
}

static void write_head(sy_json_writer *writer, const sy_probe_result *result)
{
    sy_json_member_text(writer, "schema", "steelyard.probe/1");
    sy_json_member_text(writer, "tool", SY_VERSION);
    sy_json_member_text(writer, "operation", result->operation);
    sy_json_member_text(writer, "backend", result->backend);
    sy_json_member_text(writer, "device", result->device);
    sy_json_name(writer, "device_info");
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "name", result->device_info.name);
    member_known_u64(writer, "threads", result->device_info.threads);
    member_known_u64(writer, "memory_bytes", result->device_info.memory_bytes);
    sy_json_end_object(writer);
    sy_json_member_text(writer, "question", sy_question_word(result->question));
    sy_json_member_text(writer, "rule", sy_rule_kind_word(result->rule));
    write_metric(writer, &result->metric);
    sy_json_member_text(writer, "prefer", sy_preference_word(result->prefer));
    sy_json_member_text(writer, "reference", result->reference);
    sy_json_name(writer, "reference_info");
    sy_json_begin_object(writer);
    write_memory(writer, result->reference_memory_bytes, result->reference_device_bytes,
                 result->reference_scratch_bytes);
    write_implementation_info(writer, &result->reference_info);
    sy_json_end_object(writer);
}

static void write_decision(sy_json_writer *writer, const sy_probe_result *result)
{
    sy_json_member_text(writer, "winner", result->winner);
    sy_json_member_text(writer, "decision", sy_decision_word(result->decision));
    sy_json_member_text(writer, "reason", text_or_empty(result->reason));
    sy_json_member_text(writer, "error", text_or_empty(result->error));
    sy_json_member_text(writer, "advice", text_or_empty(result->advice));
    sy_json_member_bool(writer, "completed", result->completed);
    if (result->completed)
        sy_json_member_bool(writer, "candidate_faster", result->candidate_faster);
    else
        sy_json_member_null(writer, "candidate_faster");
    sy_json_member_bool(writer, "interrupted", result->interrupted);
    sy_json_member_text(writer, "finalist",
                        result->finalist < result->candidate_count ? result->candidates[result->finalist].name : NULL);
}

static void write_figures(sy_json_writer *writer, const sy_probe_result *result)
{
    sy_json_member_double(writer, "gain", result->gain);
    sy_json_member_double(writer, "gain_low", result->gain_low);
    sy_json_member_double(writer, "gain_high", result->gain_high);
    sy_json_member_double(writer, "total_gain", result->total_gain);
    sy_json_member_double(writer, "geometric_mean_gain", result->geometric_mean_gain);
    member_value(writer, &result->metric, "reference_total", result->reference_total_ns);
    member_value(writer, &result->metric, "candidate_total", result->candidate_total_ns);
    sy_json_member_double(writer, "e_value", result->e_value);
    sy_json_member_u64(writer, "pairs", result->pairs);
    sy_json_member_u64(writer, "wins", result->wins);
}

static void write_settings(sy_json_writer *writer, const sy_probe_result *result)
{
    sy_json_member_u64(writer, "max_pairs", result->max_pairs);
    sy_json_member_double(writer, "alpha", result->alpha);
    sy_json_member_double(writer, "beta", result->beta);
    sy_json_member_double(writer, "min_improvement", result->min_improvement);
    sy_json_member_double(writer, "margin", result->margin);
    sy_json_member_double(writer, "veto", result->veto);
    sy_json_member_u64(writer, "seed", result->seed);
    sy_json_member_bool(writer, "seed_fixed", result->seed_fixed);
    sy_json_member_u64(writer, "budget_ns", result->budget_ns);
    sy_json_member_u64(writer, "wall_limit_ns", result->wall_limit_ns);
}

static void member_carry_over(sy_json_writer *writer, bool known, const sy_carry_over *carry_over)
{
    if (!known) {
        sy_json_member_null(writer, "carry_over");
        return;
    }
    sy_json_name(writer, "carry_over");
    sy_json_begin_object(writer);
    sy_json_member_double(writer, "a", carry_over->a);
    sy_json_member_double(writer, "b", carry_over->b);
    sy_json_member_double(writer, "p", carry_over->p);
    sy_json_end_object(writer);
}

static void write_processes(sy_json_writer *writer, const sy_probe_result *result)
{
    const sy_process_spread *spread = &result->process_spread;
    const bool known = result->process_count > 1;
    sy_json_member_u64(writer, "processes", result->processes);
    sy_json_name(writer, "process_results");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < result->process_count; i++) {
        const sy_process_result *process = &result->process_results[i];
        sy_json_begin_object(writer);
        sy_json_member_u64(writer, "rounds", process->rounds);
        sy_json_member_u64(writer, "wins", process->wins);
        sy_json_member_double(writer, "gain", process->gain);
        member_carry_over(writer, process->has_carry_over, &process->carry_over);
        sy_json_member_u64(writer, "seed", process->seed);
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    sy_json_member_double(writer, "process_deviation", known ? spread->deviation : NAN);
    sy_json_member_double(writer, "process_deviation_expected", known ? spread->expected : NAN);
    sy_json_member_double(writer, "process_p", known ? spread->p : NAN);
}

static void write_conditions(sy_json_writer *writer, const sy_probe_result *result)
{
    sy_json_member_u64(writer, "timed_slots", result->timed_slots);
    sy_json_member_u64(writer, "measured_ns", result->measured_ns);
    sy_json_member_u64(writer, "wall_ns", result->wall_ns);
    sy_json_member_text(writer, "timer", result->timer);
    sy_json_member_double(writer, "timer_resolution_ns", result->timer_resolution_ns);
    sy_json_member_text(writer, "isolation", sy_isolation_word(result->isolation));
    member_known_text(writer, "reference_float_environment", result->reference_float_environment);
    sy_json_member_text(writer, "cache", sy_cache_state_word(result->cache));
    member_known_u64(writer, "cache_bytes", result->cache_bytes);
    write_processes(writer, result);
    member_carry_over(writer, result->has_carry_over, &result->carry_over);
    sy_json_member_double(writer, "resolvable_gain", result->resolvable_gain);
    sy_json_member_double(writer, "noise", result->noise);
}

static void write_machine_state(sy_json_writer *writer, const char *name, const sy_machine_state *state)
{
    sy_json_name(writer, name);
    sy_json_begin_object(writer);
    sy_json_member_double(writer, "clock_hz", state->clock_hz);
    sy_json_member_double(writer, "temperature_celsius", state->temperature_celsius);
    sy_json_member_double(writer, "load_average", state->load_average);
    if (state->throttled < 0)
        sy_json_member_null(writer, "throttled");
    else
        sy_json_member_bool(writer, "throttled", state->throttled > 0);
    sy_json_end_object(writer);
}

static void member_switches(sy_json_writer *writer, const char *name, bool known, uint64_t switches)
{
    if (known)
        sy_json_member_u64(writer, name, switches);
    else
        sy_json_member_null(writer, name);
}

static void write_machine(sy_json_writer *writer, const sy_probe_result *result)
{
    const sy_probe_condition *condition = &result->condition;
    if (!result->has_condition) {
        sy_json_member_null(writer, "condition");
        return;
    }
    sy_json_name(writer, "condition");
    sy_json_begin_object(writer);
    write_machine_state(writer, "before", &condition->before);
    write_machine_state(writer, "after", &condition->after);
    sy_json_member_double(writer, "steal_share", condition->steal_share);
    sy_json_member_double(writer, "pressure_share", condition->pressure_share);
    sy_json_member_double(writer, "throttle_events", condition->throttle_events);
    member_switches(writer, "reference_switches", condition->switches_known, condition->reference_switches);
    member_switches(writer, "candidate_switches", condition->switches_known, condition->candidate_switches);
    member_switches(writer, "preempted_pairs", condition->switches_known, condition->preempted_pairs);
    sy_json_end_object(writer);
}

static void write_notes(sy_json_writer *writer, const sy_probe_result *result)
{
    sy_json_name(writer, "notes");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < result->note_count; i++)
        sy_json_text(writer, result->notes[i]);
    sy_json_end_array(writer);
}

static void write_candidate(sy_json_writer *writer, const sy_candidate_result *candidate)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "name", candidate->name);
    sy_json_member_text(writer, "role", sy_role_word(candidate->role));
    sy_json_member_text(writer, "decision", sy_decision_word(candidate->decision));
    sy_json_member_text(writer, "reason", text_or_empty(candidate->reason));
    sy_json_member_text(writer, "detail", text_or_empty(candidate->detail));
    sy_json_member_text(writer, "error_class", sy_error_class_word(candidate->error_class));
    sy_json_member_double(writer, "gain", candidate->gain);
    sy_json_member_text(writer, "parity", sy_parity_outcome_word(candidate->parity));
    sy_json_member_double(writer, "error_in_tolerances", candidate->error_in_tolerances);
    sy_json_member_u64(writer, "rounds", candidate->rounds);
    member_known_text(writer, "float_environment", candidate->float_environment);
    write_memory(writer, candidate->memory_bytes, candidate->device_bytes, candidate->scratch_bytes);
    write_implementation_info(writer, &candidate->info);
    sy_json_end_object(writer);
}

/* Figures of a comparison that never took place are null, so that no reader takes 0 for "no error". */
void sy_parity_write_json(sy_json_writer *writer, const sy_parity *parity)
{
    const bool performed = parity->outcome != SY_PARITY_NOT_PERFORMED;
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "outcome", sy_parity_outcome_word(parity->outcome));
    sy_json_member_text(writer, "reason", parity->reason);
    sy_json_member_double(writer, "error_in_tolerances", performed ? parity->error_in_tolerances : NAN);
    sy_json_member_double(writer, "rms_in_tolerances", performed ? parity->rms_in_tolerances : NAN);
    sy_json_member_double(writer, "max_abs", performed ? parity->max_abs : NAN);
    sy_json_member_double(writer, "max_rel", performed ? parity->max_rel : NAN);
    sy_json_member_double(writer, "nmse", performed ? parity->nmse : NAN);
    if (performed && parity->element_count > 0) {
        sy_json_member_u64(writer, "worst_index", parity->worst_index);
        sy_json_member_double(writer, "worst_expected", parity->worst_expected);
        sy_json_member_double(writer, "worst_found", parity->worst_found);
        sy_json_member_u64(writer, "wrong_count", parity->wrong_count);
        sy_json_member_u64(writer, "element_count", parity->element_count);
    } else {
        sy_json_member_null(writer, "worst_index");
        sy_json_member_null(writer, "worst_expected");
        sy_json_member_null(writer, "worst_found");
        sy_json_member_null(writer, "wrong_count");
        sy_json_member_null(writer, "element_count");
    }
    sy_json_member_bool(writer, "against_oracle", parity->against_oracle);
    sy_json_member_bool(writer, "deterministic", parity->deterministic);
    member_known_text(writer, "digest", parity->digest);
    member_known_text(writer, "reference_digest", parity->reference_digest);
    member_known_text(writer, "input_digest", parity->input_digest);
    sy_json_end_object(writer);
}

static void write_case(sy_json_writer *writer, const sy_metric *metric, const sy_case_result *c)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "name", c->name);
    sy_json_member_double(writer, "weight", c->weight);
    sy_json_member_bool(writer, "covered", text_or_empty(c->left_out)[0] == '\0');
    sy_json_member_text(writer, "left_out", text_or_empty(c->left_out));
    sy_json_member_double(writer, "predicted_wall_ns", c->predicted_wall_ns > 0 ? c->predicted_wall_ns : NAN);
    sy_json_member_double(writer, "share", c->share);
    sy_json_member_double(writer, "gain", c->gain);
    member_value(writer, metric, "reference_median", c->reference_median_ns);
    member_value(writer, metric, "candidate_median", c->candidate_median_ns);
    if (c->flop_count > 0)
        sy_json_member_double(writer, "flop_count", c->flop_count);
    else
        sy_json_member_null(writer, "flop_count");
    member_gflops(writer, "reference_gflops", c->flop_count, c->reference_median_ns);
    member_gflops(writer, "candidate_gflops", c->flop_count, c->candidate_median_ns);
    member_known_u64(writer, "batch", c->batch);
    member_known_u64(writer, "copies", c->copies);
    sy_json_member_bool(writer, "regression", c->regression);
    sy_json_member_bool(writer, "resolved", c->resolved);
    sy_json_name(writer, "parity");
    sy_parity_write_json(writer, &c->parity);
    sy_json_end_object(writer);
}

static void write_sample(sy_json_writer *writer, const sy_probe_result *result, const sy_sample *sample)
{
    sy_json_begin_object(writer);
    sy_json_member_u64(writer, "round", sample->round);
    sy_json_member_text(writer, "case",
                        sample->case_index < result->case_count ? result->cases[sample->case_index].name : NULL);
    sy_json_member_text(writer, "candidate",
                        sample->candidate < result->candidate_count ? result->candidates[sample->candidate].name
                                                                    : NULL);
    sy_json_member_text(writer, "first", sample->reference_first ? "reference" : "candidate");
    sy_json_member_text(writer, "phase", sample->final ? "final" : "halving");
    sy_json_member_bool(writer, "fed", sample->fed);
    member_value(writer, &result->metric, "reference", sample->reference_ns);
    member_value(writer, &result->metric, "candidate", sample->candidate_ns);
    member_known_text(writer, "unusable", sample->unusable);
    sy_json_member_u64(writer, "process", sample->process);
    member_switches(writer, "reference_switches", sample->reference_switches != SY_SWITCHES_UNKNOWN,
                    sample->reference_switches);
    member_switches(writer, "candidate_switches", sample->candidate_switches != SY_SWITCHES_UNKNOWN,
                    sample->candidate_switches);
    sy_json_end_object(writer);
}

void sy_identity_write_json(sy_json_writer *writer, const sy_identity *identity)
{
    sy_json_name(writer, "identity");
    sy_json_begin_object(writer);
    for (int key = 1; key >= 0; key--) {
        sy_json_name(writer, key ? "key" : "recorded");
        sy_json_begin_object(writer);
        for (size_t i = 0; i < identity->field_count; i++)
            if (identity->fields[i].key == (key != 0))
                sy_json_member_text(writer, identity->fields[i].name, identity->fields[i].value);
        sy_json_end_object(writer);
    }
    sy_json_end_object(writer);
}

static void write_lists(sy_json_writer *writer, const sy_probe_result *result)
{
    sy_json_name(writer, "candidates");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < result->candidate_count; i++)
        write_candidate(writer, &result->candidates[i]);
    sy_json_end_array(writer);
    sy_json_name(writer, "cases");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < result->case_count; i++)
        write_case(writer, &result->metric, &result->cases[i]);
    sy_json_end_array(writer);
    sy_json_name(writer, "samples");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < result->sample_count; i++)
        write_sample(writer, result, &result->samples[i]);
    sy_json_end_array(writer);
}

sy_status sy_probe_result_to_json(const sy_probe_result *result, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    char *json = NULL;
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_INDENTED);
    if (writer != NULL) {
        sy_json_begin_object(writer);
        write_head(writer, result);
        write_decision(writer, result);
        write_figures(writer, result);
        write_settings(writer, result);
        write_conditions(writer, result);
        write_machine(writer, result);
        write_notes(writer, result);
        write_lists(writer, result);
        sy_identity_write_json(writer, &result->identity);
        sy_json_end_object(writer);
    }
    sy_status status = sy_json_writer_finish(writer, err);
    if (status == SY_OK) {
        sy_text_append(&text, "\n");
        json = sy_text_take(&text);
        status = json != NULL ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for the result's JSON form");
    }
    if (status == SY_OK)
        *ret_json = json;
    sy_text_finish(&text);
    return status;
}
