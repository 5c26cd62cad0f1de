/* SPDX-License-Identifier: Apache-2.0 */
/* From a finished weighing to the result that the caller keeps: decision, reason, figures, one row a candidate and a
 * case. */
#include <math.h>
#include <string.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/float_environment.h"
#include "base/text.h"
#include "probe/coverage.h"
#include "probe/weighing.h"
#include "record/identity.h"

static sy_decision decision_of(const sy_weighing *w)
{
    switch (w->state.answer) {
    case SY_RULE_WIN:
        return w->tie_set ? SY_DECISION_TIE : SY_DECISION_WIN;
    case SY_RULE_NO_GAIN:
        return SY_DECISION_NO_GAIN;
    case SY_RULE_NOT_SLOWER:
        return SY_DECISION_NOT_SLOWER;
    case SY_RULE_SLOWER: /* with memory preferred nobody asked whether it is, but what to use */
        return w->options->prefer == SY_PREFER_MEMORY ? SY_DECISION_NO_GAIN : SY_DECISION_SLOWER;
    default:
        return SY_DECISION_INCONCLUSIVE;
    }
}

/* The candidate whose figures stand at the top: the finalist, else the best known, else the first. */
static uint32_t shown_contender(const sy_weighing *w)
{
    uint32_t best = w->finalist;
    for (uint32_t i = 1; best == 0 && i < w->contender_count; i++) {
        if (isnan(w->contenders[i].gain))
            continue;
        best = i;
        for (uint32_t j = i + 1; j < w->contender_count; j++) {
            if (w->contenders[j].gain > w->contenders[best].gain)
                best = j;
        }
    }
    return best ? best : 1;
}

/* Whom the finalist kept out of the final, and who may yet win one: the best of those that were faster by enough in the
 * comparison; NULL = nobody. */
static const sy_contender *next_best(const sy_weighing *w)
{
    const sy_contender *best = NULL;
    for (uint32_t i = 1; i < w->contender_count && w->options->question == SY_QUESTION_FASTER; i++) {
        const sy_contender *contender = &w->contenders[i];
        if (i != w->finalist && !contender->live && contender->rounds > 0 &&
            (contender->decision == SY_DECISION_INCONCLUSIVE || contender->decision == SY_DECISION_TIE) &&
            contender->gain >= w->options->min_improvement && contender->gain > 0 &&
            (!best || contender->gain > best->gain))
            best = contender;
    }
    return best;
}

static void conclude_decision(sy_weighing *w, sy_probe_result *result)
{
    const sy_contender *finalist = w->finalist ? &w->contenders[w->finalist] : NULL;
    result->decision = w->ended ? w->decision : decision_of(w);
    result->reason = w->ended ? w->reason : w->state.reason ? w->state.reason : "";
    result->completed = sy_decision_completed(result->decision);
    result->candidate_faster = result->decision == SY_DECISION_WIN || result->decision == SY_DECISION_TIE;
    result->reference = w->contenders[0].name;
    bool leaner = w->options->prefer == SY_PREFER_MEMORY && result->decision == SY_DECISION_NOT_SLOWER;
    if (leaner)
        result->reason = "memory";
    else if (!w->ended && w->state.answer == SY_RULE_SLOWER && result->decision == SY_DECISION_NO_GAIN)
        result->reason = "slower";
    result->winner = (result->candidate_faster || leaner) && finalist ? finalist->name
                     : w->contenders[0].live                          ? w->contenders[0].name
                                                                      : NULL;
    result->interrupted = w->interrupted;
    if (w->ended && !result->completed)
        result->error = sy_arena_copy_text(w->arena, w->error);
    else if (!result->completed)
        result->error = sy_arena_format(w->arena, "undecided after %u of at most %u pairs: %s", w->state.rounds,
                                        w->options->max_pairs,
                                        result->reason[0] ? result->reason : "neither side has crossed its bound");
    else
        result->error = "";
    const sy_contender *next = next_best(w);
    result->advice = "";
    if (result->decision == SY_DECISION_NO_GAIN && next)
        result->advice = sy_arena_format(w->arena,
                                         "weigh %s alone: it saved %.3g %% in the comparison of the candidates",
                                         next->name, 100 * next->gain);
    else if (result->decision == SY_DECISION_INCONCLUSIVE && w->rule)
        result->advice = sy_arena_copy_text(w->arena, sy_rule_advice(w->rule));
    else if (w->case_count == 0)
        result->advice = sy_arena_format(w->arena,
                                         "a wall limit of about %.2g s, or of %.2g s for the cheapest case alone",
                                         sy_coverage_wall_limit(w, false), sy_coverage_wall_limit(w, true));
}

static void conclude_figures(const sy_weighing *w, sy_probe_result *result)
{
    const sy_rule_state *state = &w->state;
    bool known = w->has_state && state->rounds > 0;
    result->gain = known ? state->gain : SY_NAN;
    result->gain_low = known ? state->gain_low : SY_NAN;
    result->gain_high = known ? state->gain_high : SY_NAN;
    result->total_gain = known ? state->total_gain : SY_NAN;
    result->geometric_mean_gain = known ? state->geometric_mean_gain : SY_NAN;
    result->reference_total_ns = known ? state->reference_total : SY_NAN;
    result->candidate_total_ns = known ? state->candidate_total : SY_NAN;
    result->e_value = known ? state->e_value : SY_NAN;
    result->pairs = w->has_state ? state->rounds : 0;
    result->wins = w->has_state ? state->wins : 0;
    result->timed_slots = w->timed_slots;
    result->measured_ns = w->measured_ns;
    result->wall_ns = sy_weighing_wall(w);
    result->has_carry_over = w->has_carry_over;
    result->carry_over = w->carry_over;
    result->resolvable_gain = w->resolvable_gain;
    result->noise = w->noise;
    result->has_condition = w->has_condition;
    result->condition = w->condition;
}

static sy_status conclude_cases(const sy_weighing *w, sy_probe_result *result, const sy_contender *shown, sy_error *err)
{
    bool known = w->has_state && w->state.rounds > 0;
    uint32_t count = w->case_count + w->left_out_count;
    sy_case_result *cases = sy_arena_allocate(w->arena, count, sizeof(*cases));
    if (!cases)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
    for (uint32_t k = 0; k < count; k++) {
        const sy_rule_case_state *state = known && k < w->case_count ? &w->state.cases[k] : NULL;
        const sy_weighed_case *wc = &w->cases[k];
        cases[k] = (sy_case_result){
            .name = sy_arena_copy_text(w->arena, wc->c->name), /* the suite may die before the result */
            .weight = wc->c->weight,
            .left_out = wc->left_out ? wc->left_out : "",
            .predicted_wall_ns = wc->predicted_wall_ns,
            .share = state ? wc->c->weight * state->reference_median / result->reference_total_ns : SY_NAN,
            .gain = state ? state->gain : SY_NAN,
            .reference_median_ns = state ? state->reference_median : SY_NAN,
            .candidate_median_ns = state ? state->candidate_median : SY_NAN,
            .flop_count = wc->c->flop_count,
            .batch = wc->batch,
            .copies = wc->shape.copies,
            .parity = shown->parity[k],
            .regression = state && state->regression,
            .resolved = state && state->resolved,
        };
        if (!cases[k].name)
            return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
    }
    sy_weighing_state_metric(w, result, cases);
    result->cases = cases;
    result->case_count = count;
    return SY_OK;
}

/* In what a contender's floating-point environment differed from the host's; NULL = in nothing. */
static const char *environment_of(const sy_weighing *w, const sy_contender *contender)
{
    char words[SY_FLOAT_WORDS_SIZE];
    if (!contender->float_changed)
        return NULL;
    sy_float_environment_words(contender->float_changed, words, sizeof(words));
    return sy_arena_copy_text(w->arena, words);
}

/* The decision of one row: its own when it was dropped, the probe's when it is the finalist, else undecided with the
 * rest. */
static void conclude_row(const sy_weighing *w, const sy_probe_result *result, uint32_t i, sy_candidate_result *row)
{
    const sy_contender *contender = &w->contenders[i];
    bool dropped = !contender->live && contender->reason;
    bool shares = i == w->finalist || w->contender_count == 2 || result->decision == SY_DECISION_VACUOUS;
    row->name = contender->name;
    row->role = SY_ROLE_CANDIDATE;
    row->detail = contender->detail;
    row->decision = SY_DECISION_INCONCLUSIVE;
    if (dropped) {
        row->decision = contender->decision;
        row->reason = contender->reason;
        if (row->decision == SY_DECISION_TIE && result->decision != SY_DECISION_TIE)
            row->decision =
                SY_DECISION_INCONCLUSIVE; /* the tie was for a place in the final, which decided otherwise */
    } else if (!w->contenders[0].live) {
        row->reason = "reference";
    } else if (shares) {
        row->decision = result->decision;
        row->reason = result->reason;
    } else {
        row->reason = result->decision == SY_DECISION_INCONCLUSIVE ? result->reason : "not weighed";
    }
    row->error_class = contender->error_class;
    row->gain = i == w->finalist && w->has_state ? result->gain : contender->gain;
    row->parity = SY_PARITY_NOT_PERFORMED;
    row->error_in_tolerances = SY_NAN;
    bool all = true;
    for (uint32_t k = 0; k < w->case_count; k++) {
        const sy_parity *parity = &contender->parity[k];
        all &= parity->outcome != SY_PARITY_NOT_PERFORMED;
        if (parity->outcome > row->parity)
            row->parity = parity->outcome;
        if (parity->outcome != SY_PARITY_NOT_PERFORMED && !(parity->error_in_tolerances <= row->error_in_tolerances))
            row->error_in_tolerances = parity->error_in_tolerances;
    }
    if (!all && row->parity != SY_PARITY_FAILED)
        row->parity = SY_PARITY_NOT_PERFORMED;
    row->memory_bytes = contender->memory_bytes;
    row->device_bytes = sy_contender_memory(w, contender, false);
    row->scratch_bytes = sy_contender_memory(w, contender, true);
    row->rounds = contender->rounds;
    row->float_environment = environment_of(w, contender);
    row->info = contender->info;
}

static void note_remark(void *user, const char *text)
{
    sy_weighing_note(user, "%s", text);
}

static void note_environment(sy_weighing *w)
{
    sy_weighing_note_environments(w);
    if (w->device->backend->remark)
        w->device->backend->remark(w->device, note_remark, w);
    if (w->result->seed_fixed)
        sy_weighing_note(w, "seed-fixed: the seed was given, so the coins were not drawn anew");
    if (w->isolated && !w->options->stop_idle_workers)
        sy_weighing_note(w, "idle workers were not stopped: what one leaves behind can slow the other");
}

/* The caller's identity, else what the device tells; and the libraries that took part, which are known only now. Field
 * names are those of docs/formats.md, "The processor string". */
sy_status sy_weighing_identify(sy_weighing *w, sy_identity *ret_identity, sy_error *err)
{
    const sy_probe_result *result = w->result;
    const sy_identity *given = w->options->identity;
    sy_identity_builder *builder = sy_identity_builder_create(w->arena);
    if (!builder)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
    for (size_t i = 0; given && i < given->field_count; i++)
        sy_identity_builder_add(builder, given->fields[i].name, given->fields[i].value, given->fields[i].key);
    if (!given) {
        sy_identity_builder_add(builder, "device.backend", result->device_info.backend, true);
        sy_identity_builder_add(builder, "device.description", result->device_info.description, true);
        sy_identity_builder_add(builder, "device.name", result->device_info.name, false);
        sy_identity_builder_add_format(builder, "device.threads", false, "%u", result->device_info.threads);
        sy_identity_builder_add(builder, "build.steelyard", sy_version(), false);
    }
    for (uint32_t i = 0; i < w->contender_count; i++) {
        const char *name = sy_arena_format(w->arena, "library.%s", w->contenders[i].name);
        if (!name)
            return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
        if (w->contenders[i].info.version[0])
            sy_identity_builder_add(builder, name, w->contenders[i].info.version, true);
    }
    return sy_identity_builder_finish(builder, ret_identity, err);
}

sy_status sy_weighing_conclude(sy_weighing *w, sy_error *err)
{
    sy_probe_result *result = w->result;
    uint32_t shown = shown_contender(w);
    sy_candidate_result *rows = sy_arena_allocate(w->arena, w->contender_count, sizeof(*rows));
    if (!rows)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the result");
    conclude_decision(w, result);
    conclude_figures(w, result);
    for (uint32_t i = 1; i < w->contender_count; i++)
        conclude_row(w, result, i, &rows[i - 1]);
    result->candidates = rows;
    result->candidate_count = w->contender_count - 1;
    result->finalist = shown - 1;
    result->reference_info = w->contenders[0].info;
    result->reference_float_environment = environment_of(w, &w->contenders[0]);
    result->reference_memory_bytes = w->contenders[0].memory_bytes;
    result->reference_device_bytes = sy_contender_memory(w, &w->contenders[0], false);
    result->reference_scratch_bytes = sy_contender_memory(w, &w->contenders[0], true);
    sy_status status = conclude_cases(w, result, &w->contenders[shown], err);
    if (!status)
        status = sy_weighing_identify(w, &result->identity, err);
    note_environment(w);
    result->notes = w->notes;
    result->note_count = w->note_count;
    result->samples = w->samples;
    result->sample_count = w->sample_count;
    if (!status && (!result->error || !result->advice || !result->metric.name || !result->metric.unit))
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the result");
    return status;
}
