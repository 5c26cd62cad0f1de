/* SPDX-License-Identifier: Apache-2.0 */
/* Reads "steelyard.probe/1" back, as probe_result_json.c writes it. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "record/json_reading.h"
#include "record/record_json.h"

#define WORDS(function, type)               \
    static const char *function##_at(int i) \
    {                                       \
        return function((type)i);           \
    }
WORDS(sy_question_word, sy_question)
WORDS(sy_rule_kind_word, sy_rule_kind)
WORDS(sy_preference_word, sy_preference)
WORDS(sy_decision_word, sy_decision)
WORDS(sy_isolation_word, sy_isolation)
WORDS(sy_cache_state_word, sy_cache_state)
WORDS(sy_role_word, sy_role)
WORDS(sy_error_class_word, sy_error_class)
WORDS(sy_parity_outcome_word, sy_parity_outcome)
#undef WORDS

/* A value of the metric: "<name>_ns", or where that is null "<name>_value". */
static double value_of(sy_reading *r, const sy_json_value *object, const char *time_name, const char *value_name)
{
    double time_ns = sy_reading_number(r, object, time_name);
    return sy_json_member(object, value_name) != NULL ? sy_reading_number(r, object, value_name) : time_ns;
}

/* ---- parts ---- */

static void read_info(sy_reading *r, const sy_json_value *object, sy_implementation_info *to)
{
    sy_reading_text_into(r, object, "version", to->version, sizeof to->version);
    sy_reading_text_into(r, object, "path", to->path, sizeof to->path);
    to->threads = sy_reading_count(r, object, "threads");
}

static void read_carry_over(sy_reading *r, const sy_json_value *object, bool *ret_known, sy_carry_over *to)
{
    const sy_json_value *value = sy_reading_need(r, object, "carry_over");
    *ret_known = !sy_reading_is_null(value);
    if (*ret_known)
        *to = (sy_carry_over){sy_reading_number(r, value, "a"), sy_reading_number(r, value, "b"),
                              sy_reading_number(r, value, "p")};
}

static void read_head(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    const sy_json_value *device = sy_reading_need(r, root, "device_info");
    const sy_json_value *metric = sy_reading_need(r, root, "metric");
    const sy_json_value *info = sy_reading_need(r, root, "reference_info");
    result->operation = sy_reading_text(r, root, "operation", "");
    result->backend = sy_reading_text(r, root, "backend", "");
    result->device = sy_reading_text(r, root, "device", "");
    sy_reading_text_into(r, device, "name", result->device_info.name, sizeof result->device_info.name);
    result->device_info.threads = sy_reading_count(r, device, "threads");
    result->device_info.memory_bytes = sy_reading_whole(r, device, "memory_bytes", UINT64_MAX);
    (void)sy_text_copy(result->device_info.backend, sizeof result->device_info.backend, result->backend);
    (void)sy_text_copy(result->device_info.description, sizeof result->device_info.description, result->device);
    result->question = (sy_question)sy_reading_word(r, root, "question", sy_question_word_at);
    result->rule = (sy_rule_kind)sy_reading_word(r, root, "rule", sy_rule_kind_word_at);
    result->prefer = (sy_preference)sy_reading_word(r, root, "prefer", sy_preference_word_at);
    result->metric.name = sy_reading_text(r, metric, "name", "wall");
    result->metric.unit = sy_reading_text(r, metric, "unit", "ns");
    result->metric.higher_is_better = strcmp(sy_reading_text(r, metric, "better", ""), "higher") == 0;
    result->reference = sy_reading_text(r, root, "reference", "");
    result->reference_memory_bytes = sy_reading_whole(r, info, "memory_bytes", UINT64_MAX);
    result->reference_device_bytes = sy_reading_whole(r, info, "device_bytes", UINT64_MAX);
    result->reference_scratch_bytes = sy_reading_whole(r, info, "scratch_bytes", UINT64_MAX);
    read_info(r, info, &result->reference_info);
}

static void read_decision(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    result->winner = sy_reading_text(r, root, "winner", NULL);
    result->decision = (sy_decision)sy_reading_word(r, root, "decision", sy_decision_word_at);
    result->reason = sy_reading_text(r, root, "reason", "");
    result->error = sy_reading_text(r, root, "error", "");
    result->advice = sy_reading_text(r, root, "advice", "");
    result->completed = sy_reading_flag(r, root, "completed", false);
    result->candidate_faster = sy_reading_flag(r, root, "candidate_faster", false);
    result->interrupted = sy_reading_flag(r, root, "interrupted", false);
    result->gain = sy_reading_number(r, root, "gain");
    result->gain_low = sy_reading_number(r, root, "gain_low");
    result->gain_high = sy_reading_number(r, root, "gain_high");
    result->total_gain = sy_reading_number(r, root, "total_gain");
    result->geometric_mean_gain = sy_reading_number(r, root, "geometric_mean_gain");
    result->reference_total_ns = value_of(r, root, "reference_total_ns", "reference_total_value");
    result->candidate_total_ns = value_of(r, root, "candidate_total_ns", "candidate_total_value");
    result->e_value = sy_reading_number(r, root, "e_value");
    result->pairs = sy_reading_count(r, root, "pairs");
    result->wins = sy_reading_count(r, root, "wins");
}

static void read_settings(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    result->max_pairs = sy_reading_count(r, root, "max_pairs");
    result->alpha = sy_reading_number(r, root, "alpha");
    result->beta = sy_reading_number(r, root, "beta");
    result->min_improvement = sy_reading_number(r, root, "min_improvement");
    result->margin = sy_reading_number(r, root, "margin");
    result->veto = sy_reading_number(r, root, "veto");
    result->seed = sy_reading_whole(r, root, "seed", UINT64_MAX);
    result->seed_fixed = sy_reading_flag(r, root, "seed_fixed", false);
    result->budget_ns = sy_reading_whole(r, root, "budget_ns", UINT64_MAX);
    result->wall_limit_ns = sy_reading_whole(r, root, "wall_limit_ns", UINT64_MAX);
}

static void read_processes(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    void *items = NULL;
    const sy_json_value *value = sy_reading_list(r, root, "process_results", sizeof(sy_process_result), &items,
                                                 &result->process_count);
    sy_process_result *processes = items;
    for (size_t i = 0; value != NULL && r->status == SY_OK; i++, value = value->next) {
        processes[i].rounds = sy_reading_count(r, value, "rounds");
        processes[i].wins = sy_reading_count(r, value, "wins");
        processes[i].gain = sy_reading_number(r, value, "gain");
        read_carry_over(r, value, &processes[i].has_carry_over, &processes[i].carry_over);
        processes[i].seed = sy_reading_whole(r, value, "seed", UINT64_MAX);
    }
    result->process_results = processes;
    result->processes = sy_reading_count(r, root, "processes");
    result->process_spread = (sy_process_spread){.deviation = sy_reading_number(r, root, "process_deviation"),
                                                 .expected = sy_reading_number(r, root, "process_deviation_expected"),
                                                 .low = NAN,
                                                 .high = NAN,
                                                 .p = sy_reading_number(r, root, "process_p")};
}

static void read_machine_state(sy_reading *r, const sy_json_value *object, sy_machine_state *to)
{
    const sy_json_value *throttled = sy_reading_need(r, object, "throttled");
    to->clock_hz = sy_reading_number(r, object, "clock_hz");
    to->temperature_celsius = sy_reading_number(r, object, "temperature_celsius");
    to->load_average = sy_reading_number(r, object, "load_average");
    to->throttled = sy_reading_is_null(throttled) ? -1 : sy_reading_flag(r, object, "throttled", false);
}

static void read_condition(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    sy_probe_condition *to = &result->condition;
    const sy_json_value *value = sy_reading_need(r, root, "condition");
    result->has_condition = !sy_reading_is_null(value);
    if (sy_reading_is_null(value))
        return;
    read_machine_state(r, sy_reading_need(r, value, "before"), &to->before);
    read_machine_state(r, sy_reading_need(r, value, "after"), &to->after);
    to->steal_share = sy_reading_number(r, value, "steal_share");
    to->pressure_share = sy_reading_number(r, value, "pressure_share");
    to->throttle_events = sy_reading_number(r, value, "throttle_events");
    to->switches_known = !sy_reading_is_null(sy_reading_need(r, value, "reference_switches"));
    to->reference_switches = sy_reading_whole(r, value, "reference_switches", UINT64_MAX);
    to->candidate_switches = sy_reading_whole(r, value, "candidate_switches", UINT64_MAX);
    to->preempted_pairs = sy_reading_count(r, value, "preempted_pairs");
}

static void read_conditions(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    result->timed_slots = sy_reading_count(r, root, "timed_slots");
    result->measured_ns = sy_reading_whole(r, root, "measured_ns", UINT64_MAX);
    result->wall_ns = sy_reading_whole(r, root, "wall_ns", UINT64_MAX);
    result->timer = sy_reading_text(r, root, "timer", NULL);
    result->timer_resolution_ns = sy_reading_number(r, root, "timer_resolution_ns");
    result->isolation = (sy_isolation)sy_reading_word(r, root, "isolation", sy_isolation_word_at);
    result->reference_float_environment = sy_reading_text(r, root, "reference_float_environment", NULL);
    result->cache = (sy_cache_state)sy_reading_word(r, root, "cache", sy_cache_state_word_at);
    result->cache_bytes = sy_reading_whole(r, root, "cache_bytes", UINT64_MAX);
    read_processes(r, root, result);
    read_carry_over(r, root, &result->has_carry_over, &result->carry_over);
    result->resolvable_gain = sy_reading_number(r, root, "resolvable_gain");
    result->noise = sy_reading_number(r, root, "noise");
    read_condition(r, root, result);
}

static void read_notes(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    void *items = NULL;
    const sy_json_value *value = sy_reading_list(r, root, "notes", sizeof(const char *), &items, &result->note_count);
    const char **notes = items;
    for (size_t i = 0; value != NULL && r->status == SY_OK; i++, value = value->next) {
        const char *found = NULL;
        r->status = sy_json_get_text(r->json, value, &found, r->err);
        notes[i] = r->status == SY_OK ? sy_arena_copy_text(r->arena, found) : NULL;
        if (notes[i] == NULL)
            sy_reading_no_memory(r);
    }
    result->notes = notes;
}

/* ---- lists ---- */

static void read_candidates(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    void *items = NULL;
    const sy_json_value *value = sy_reading_list(r, root, "candidates", sizeof(sy_candidate_result), &items,
                                                 &result->candidate_count);
    sy_candidate_result *candidates = items;
    for (size_t i = 0; value != NULL && r->status == SY_OK; i++, value = value->next) {
        sy_candidate_result *to = &candidates[i];
        to->name = sy_reading_text(r, value, "name", "");
        to->role = (sy_role)sy_reading_word(r, value, "role", sy_role_word_at);
        to->decision = (sy_decision)sy_reading_word(r, value, "decision", sy_decision_word_at);
        to->reason = sy_reading_text(r, value, "reason", "");
        to->detail = sy_reading_text(r, value, "detail", "");
        to->error_class = (sy_error_class)sy_reading_word(r, value, "error_class", sy_error_class_word_at);
        to->gain = sy_reading_number(r, value, "gain");
        to->parity = (sy_parity_outcome)sy_reading_word(r, value, "parity", sy_parity_outcome_word_at);
        to->error_in_tolerances = sy_reading_number(r, value, "error_in_tolerances");
        to->rounds = sy_reading_count(r, value, "rounds");
        to->float_environment = sy_reading_text(r, value, "float_environment", NULL);
        to->memory_bytes = sy_reading_whole(r, value, "memory_bytes", UINT64_MAX);
        to->device_bytes = sy_reading_whole(r, value, "device_bytes", UINT64_MAX);
        to->scratch_bytes = sy_reading_whole(r, value, "scratch_bytes", UINT64_MAX);
        read_info(r, value, &to->info);
    }
    result->candidates = candidates;
}

static void read_parity(sy_reading *r, const sy_json_value *object, sy_parity *to)
{
    const bool has_elements = !sy_reading_is_null(sy_reading_need(r, object, "element_count"));
    to->outcome = (sy_parity_outcome)sy_reading_word(r, object, "outcome", sy_parity_outcome_word_at);
    sy_reading_text_into(r, object, "reason", to->reason, sizeof to->reason);
    to->error_in_tolerances = sy_reading_number(r, object, "error_in_tolerances");
    to->rms_in_tolerances = sy_reading_number(r, object, "rms_in_tolerances");
    to->max_abs = sy_reading_number(r, object, "max_abs");
    to->max_rel = sy_reading_number(r, object, "max_rel");
    to->nmse = sy_reading_number(r, object, "nmse");
    if (has_elements) {
        to->worst_index = sy_reading_whole(r, object, "worst_index", UINT64_MAX);
        to->worst_expected = sy_reading_number(r, object, "worst_expected");
        to->worst_found = sy_reading_number(r, object, "worst_found");
        to->wrong_count = sy_reading_whole(r, object, "wrong_count", UINT64_MAX);
        to->element_count = sy_reading_whole(r, object, "element_count", UINT64_MAX);
    }
    to->against_oracle = sy_reading_flag(r, object, "against_oracle", false);
    to->deterministic = sy_reading_flag(r, object, "deterministic", false);
    sy_reading_text_into(r, object, "digest", to->digest, sizeof to->digest);
    sy_reading_text_into(r, object, "reference_digest", to->reference_digest, sizeof to->reference_digest);
    sy_reading_text_into(r, object, "input_digest", to->input_digest, sizeof to->input_digest);
}

static double zero_for_none(double value)
{
    return isnan(value) ? 0 : value;
}

static void read_cases(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    void *items = NULL;
    const sy_json_value *value = sy_reading_list(r, root, "cases", sizeof(sy_case_result), &items, &result->case_count);
    sy_case_result *cases = items;
    for (size_t i = 0; value != NULL && r->status == SY_OK; i++, value = value->next) {
        sy_case_result *to = &cases[i];
        to->name = sy_reading_text(r, value, "name", "");
        to->weight = sy_reading_number(r, value, "weight");
        to->left_out = sy_reading_text(r, value, "left_out", "");
        to->predicted_wall_ns = sy_reading_number(r, value, "predicted_wall_ns");
        to->share = sy_reading_number(r, value, "share");
        to->gain = sy_reading_number(r, value, "gain");
        to->reference_median_ns = value_of(r, value, "reference_median_ns", "reference_median_value");
        to->candidate_median_ns = value_of(r, value, "candidate_median_ns", "candidate_median_value");
        to->flop_count = zero_for_none(sy_reading_number(r, value, "flop_count"));
        to->batch = sy_reading_count(r, value, "batch");
        to->copies = sy_reading_count(r, value, "copies");
        to->regression = sy_reading_flag(r, value, "regression", false);
        to->resolved = sy_reading_flag(r, value, "resolved", false);
        read_parity(r, sy_reading_need(r, value, "parity"), &to->parity);
    }
    result->cases = cases;
}

/* The samples name their case and candidate; neighbours mostly name the same, or the next one. UINT32_MAX: null. */
static uint32_t case_named(sy_reading *r, const sy_probe_result *result, const sy_json_value *sample, uint32_t guess)
{
    const sy_json_value *value = sy_reading_need(r, sample, "case");
    for (size_t i = 0; !sy_reading_is_null(value) && i < result->case_count; i++) {
        size_t at = (guess + i) % result->case_count;
        if (value->kind == SY_JSON_TEXT && strcmp(result->cases[at].name, value->text) == 0)
            return (uint32_t)at;
    }
    if (!sy_reading_is_null(value))
        sy_reading_fail(r, value, "no such case");
    return UINT32_MAX;
}

static uint32_t candidate_named(sy_reading *r, const sy_probe_result *result, const sy_json_value *object,
                                const char *member, uint32_t guess)
{
    const sy_json_value *value = sy_reading_need(r, object, member);
    for (size_t i = 0; !sy_reading_is_null(value) && i < result->candidate_count; i++) {
        size_t at = (guess + i) % result->candidate_count;
        if (value->kind == SY_JSON_TEXT && strcmp(result->candidates[at].name, value->text) == 0)
            return (uint32_t)at;
    }
    if (!sy_reading_is_null(value))
        sy_reading_fail(r, value, "no such candidate");
    return UINT32_MAX;
}

static uint32_t switches_of(sy_reading *r, const sy_json_value *object, const char *name)
{
    return sy_reading_is_null(sy_reading_need(r, object, name)) ? SY_SWITCHES_UNKNOWN
                                                                : sy_reading_count(r, object, name);
}

static void read_samples(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    void *items = NULL;
    const sy_json_value *value = sy_reading_list(r, root, "samples", sizeof(sy_sample), &items, &result->sample_count);
    sy_sample *samples = items;
    for (size_t i = 0; value != NULL && r->status == SY_OK; i++, value = value->next) {
        sy_sample *to = &samples[i];
        const uint32_t last_case = i > 0 && samples[i - 1].case_index != UINT32_MAX ? samples[i - 1].case_index : 0;
        const uint32_t last = i > 0 && samples[i - 1].candidate != UINT32_MAX ? samples[i - 1].candidate : 0;
        to->round = sy_reading_count(r, value, "round");
        to->case_index = case_named(r, result, value, last_case);
        to->candidate = candidate_named(r, result, value, "candidate", last);
        to->reference_first = strcmp(sy_reading_text(r, value, "first", ""), "reference") == 0;
        to->final = strcmp(sy_reading_text(r, value, "phase", ""), "final") == 0;
        to->fed = sy_reading_flag(r, value, "fed", false);
        to->reference_ns = value_of(r, value, "reference_ns", "reference_value");
        to->candidate_ns = value_of(r, value, "candidate_ns", "candidate_value");
        to->unusable = sy_reading_text(r, value, "unusable", NULL);
        to->process = sy_reading_count(r, value, "process");
        to->reference_switches = switches_of(r, value, "reference_switches");
        to->candidate_switches = switches_of(r, value, "candidate_switches");
    }
    result->samples = samples;
}

/* ---- identity ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const sy_identity_field *)a)->name, ((const sy_identity_field *)b)->name);
}

static void read_identity(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    const sy_json_value *identity = sy_reading_need(r, root, "identity");
    const sy_json_value *groups[] = {sy_reading_need(r, identity, "key"), sy_reading_need(r, identity, "recorded")};
    size_t count = 0;
    if (r->status != SY_OK)
        return;
    sy_identity_field *fields = sy_arena_allocate(r->arena, groups[0]->count + groups[1]->count, sizeof *fields);
    if (fields == NULL && groups[0]->count + groups[1]->count > 0) {
        sy_reading_no_memory(r);
        return;
    }
    for (size_t group = 0; group < 2; group++) {
        const sy_json_value *value = groups[group]->kind == SY_JSON_OBJECT ? groups[group]->first : NULL;
        for (; value != NULL && r->status == SY_OK; value = value->next) {
            const char *found = "";
            r->status = sy_json_get_text(r->json, value, &found, r->err);
            assert(fields != NULL);
            fields[count] = (sy_identity_field){sy_arena_copy_text(r->arena, value->name),
                                                sy_arena_copy_text(r->arena, found), group == 0};
            if (fields[count].name == NULL || fields[count].value == NULL)
                sy_reading_no_memory(r);
            count++;
        }
    }
    if (r->status == SY_OK && count > 0)
        qsort(fields, count, sizeof *fields, by_name);
    result->identity = (sy_identity){fields, count};
}

/* ---- the whole ---- */

static void read_all(sy_reading *r, const sy_json_value *root, sy_probe_result *result)
{
    const char *schema = sy_reading_text(r, root, "schema", "");
    if (r->status == SY_OK && strcmp(schema, "steelyard.probe/1") != 0)
        sy_reading_fail(r, sy_json_member(root, "schema"), "it is not 'steelyard.probe/1'");
    read_head(r, root, result);
    read_decision(r, root, result);
    read_settings(r, root, result);
    read_conditions(r, root, result);
    read_notes(r, root, result);
    read_candidates(r, root, result);
    read_cases(r, root, result);
    read_samples(r, root, result);
    read_identity(r, root, result);
    if (r->status == SY_OK) {
        uint32_t finalist = candidate_named(r, result, root, "finalist", 0);
        result->finalist = finalist != UINT32_MAX ? finalist : result->candidate_count;
    }
}

sy_status sy_probe_result_read_json(const char *json, size_t size, sy_probe_result **ret_result, sy_error *err)
{
    const sy_json_limits limits = SY_JSON_LIMITS_INIT;
    sy_json *document = NULL;
    sy_status status = sy_json_parse(json, size, &limits, &document, err);
    if (status != SY_OK)
        return status;
    sy_reading r = {.json = document, .arena = sy_arena_create(0), .err = err};
    sy_probe_result *result = r.arena != NULL ? sy_arena_allocate(r.arena, 1, sizeof *result) : NULL;
    if (result == NULL)
        sy_reading_no_memory(&r);
    else
        read_all(&r, sy_json_root(document), result);
    sy_json_destroy(document);
    if (r.status != SY_OK) {
        sy_arena_destroy(r.arena);
        return r.status;
    }
    assert(result != NULL);
    result->owner = r.arena;
    *ret_result = result;
    return SY_OK;
}
