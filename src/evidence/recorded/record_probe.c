/* SPDX-License-Identifier: Apache-2.0 */
/* A probe as a decision run: every pair of it as series, what was compared, what it took, the decision, and the whole
 * result as an artifact. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "evidence/clean_json.h"
#include "evidence/recorded/recording.h"

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory to record a probe");
}

/* ---- series ---- */

/* Which of the samples, and what of each. candidate SIZE_MAX: any, and the reference's value. */
typedef struct wanted {
    size_t candidate;
    size_t case_index;
    bool of_reference;
    bool of_final; /* ln(reference / candidate) of the final's pairs */
} wanted;

static bool is_wanted(const sy_sample *sample, const wanted *w)
{
    return sample->case_index == w->case_index && (w->of_reference || sample->candidate == w->candidate) &&
           (!w->of_final || sample->final);
}

static double value_of(const sy_sample *sample, const wanted *w, bool higher_is_better)
{
    double ratio = sample->reference_ns / sample->candidate_ns;
    if (!w->of_final) {
        return w->of_reference ? sample->reference_ns : sample->candidate_ns;
    }
    return sample->unusable != NULL ? SY_NAN : log(higher_is_better ? 1 / ratio : ratio);
}

static sy_status add_series(sy_recording *recording, const sy_probe_result *result, const wanted *w,
                            const char *implementation, sy_error *err)
{
    double *values = sy_arena_allocate(recording->arena, result->sample_count + 1, sizeof *values);
    size_t count = 0;
    size_t halving = 0;
    sy_run_series series = {.role = w->of_final ? SY_SERIES_PAIR : SY_SERIES_SAMPLE,
                            .case_name = sy_recording_clean(recording, result->cases[w->case_index].name),
                            .implementation = sy_recording_clean(recording, implementation),
                            .note = ""};
    if (values == NULL || series.case_name == NULL || series.implementation == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < result->sample_count; i++) {
        if (is_wanted(&result->samples[i], w)) {
            values[count++] = value_of(&result->samples[i], w, result->metric.higher_is_better);
            halving += !result->samples[i].final;
        }
    }
    if (count == 0) {
        return SY_OK;
    }
    if (w->of_final) {
        series.name = "log-ratio";
        series.unit = "";
        series.higher_is_better = true;
        series.note = "ln(reference / candidate), pair by pair; the coins are in the artifact";
    } else {
        sy_recording_take_units(&result->metric, values, count, &series);
    }
    if (!w->of_final && halving > 0) {
        series.note = sy_arena_format(recording->arena, "%zu of the halving among them", halving);
    }
    series.samples = values;
    series.count = count;
    return series.note != NULL ? sy_event_list_series(&recording->events, &series, err) : no_memory(err);
}

/* Of each case: the reference's runs, those of each candidate, the pairs of the final. */
static sy_status add_all_series(sy_recording *recording, const sy_probe_result *result, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t k = 0; k < result->case_count; k++) {
        const wanted reference = {.case_index = k, .of_reference = true};
        status = add_series(recording, result, &reference, result->reference, err);
        for (size_t i = 0; status == SY_OK && i < result->candidate_count; i++) {
            const wanted candidate = {.case_index = k, .candidate = i};
            status = add_series(recording, result, &candidate, result->candidates[i].name, err);
        }
        if (status == SY_OK && result->finalist < result->candidate_count) {
            const wanted pairs = {.case_index = k, .candidate = result->finalist, .of_final = true};
            status = add_series(recording, result, &pairs, result->candidates[result->finalist].name, err);
        }
        if (status != SY_OK) {
            return status;
        }
    }
    return SY_OK;
}

/* ---- parity, digests, memory ---- */

/* Of the finalist the result tells each case; of the others the worst of all. */
static sy_status add_parities(sy_recording *recording, const sy_probe_result *result, sy_error *err)
{
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < result->candidate_count; i++) {
        const sy_candidate_result *candidate = &result->candidates[i];
        if (i == result->finalist || candidate->decision == SY_DECISION_UNAVAILABLE) {
            continue;
        }
        const sy_parity worst = {.outcome = candidate->parity, .error_in_tolerances = candidate->error_in_tolerances};
        status = sy_recording_add_parity(recording, "", candidate->name, &worst, err);
    }
    if (result->finalist >= result->candidate_count) {
        return status;
    }
    const char *finalist = result->candidates[result->finalist].name;
    for (size_t k = 0; status == SY_OK && k < result->case_count; k++) {
        const sy_case_result *c = &result->cases[k];
        if (c->left_out != NULL && c->left_out[0] != '\0') {
            continue;
        }
        status = sy_recording_add_parity(recording, c->name, finalist, &c->parity, err);
        if (status == SY_OK) {
            status = sy_recording_add_digest(recording, "input", c->name, c->parity.input_digest, err);
        }
        if (status == SY_OK) {
            status = sy_recording_add_digest(recording, "output", c->name, c->parity.digest, err);
        }
        if (status == SY_OK) {
            status = sy_recording_add_digest(recording, "reference-output", c->name, c->parity.reference_digest, err);
        }
    }
    return status;
}

static sy_status add_memory(sy_recording *recording, const char *implementation, uint64_t peak, uint64_t device,
                            sy_error *err)
{
    const char *peak_name = sy_arena_format(recording->arena, "peak of %s", implementation);
    const char *device_name = sy_arena_format(recording->arena, "buffers of %s", implementation);
    if (peak_name == NULL || device_name == NULL) {
        return no_memory(err);
    }
    sy_status status = sy_recording_add_memory(recording, peak_name, peak, false, err);
    return status != SY_OK ? status : sy_recording_add_memory(recording, device_name, device, true, err);
}

static sy_status add_memories(sy_recording *recording, const sy_probe_result *result, sy_error *err)
{
    sy_status status = add_memory(recording, result->reference, result->reference_memory_bytes,
                                  result->reference_device_bytes, err);
    for (size_t i = 0; status == SY_OK && i < result->candidate_count; i++) {
        const sy_candidate_result *candidate = &result->candidates[i];
        status = add_memory(recording, candidate->name, candidate->memory_bytes, candidate->device_bytes, err);
    }
    return status;
}

/* ---- the whole result, the decision ---- */

static sy_status add_artifact(sy_recording *recording, const sy_probe_result *result, sy_error *err)
{
    sy_text clean = SY_TEXT_INIT;
    char *json = NULL;
    char digest[65];
    sy_status status = sy_probe_result_to_json(result, &json, err);
    if (status == SY_OK) {
        status = sy_clean_json(json, recording->arena, &clean, err);
    }
    if (status == SY_OK) {
        status = sy_ledger_keep(sy_project_ledger(recording->project), sy_text_bytes(&clean), clean.length, digest,
                                err);
    }
    if (status == SY_OK) {
        sy_run_artifact artifact = {SY_ARTIFACT_PROBE, "probe.json", digest, clean.length};
        status = sy_event_list_artifact(&recording->events, &artifact, err);
    }
    sy_text_finish(&clean);
    sy_text_free(json);
    return status;
}

static sy_status add_decision(sy_recording *recording, const sy_probe_result *result, sy_error *err)
{
    sy_run_decision decision = {.decision = result->decision,
                                .reason = sy_recording_clean(recording, result->reason),
                                .operation = result->operation,
                                .reference = sy_recording_clean(recording, result->reference),
                                .winner = sy_recording_clean(recording, result->winner),
                                .gain = result->gain,
                                .gain_low = result->gain_low,
                                .gain_high = result->gain_high,
                                .pairs = result->pairs,
                                .wins = result->wins,
                                .alpha = result->alpha};
    if (decision.reason == NULL || decision.reference == NULL || decision.winner == NULL) {
        return no_memory(err);
    }
    return sy_event_list_decision(&recording->events, &decision, err);
}

/* Why the run failed: the word that a program may ask for, then the sentence. NULL: no memory. */
static const char *reason_of(const sy_recording *recording, const sy_probe_result *result)
{
    if (result->interrupted) {
        return "interrupted";
    }
    return sy_arena_format(recording->arena, "%s%s%s%s%s", sy_decision_word(result->decision),
                           result->reason[0] != '\0' ? ": " : "", result->reason, result->error[0] != '\0' ? ": " : "",
                           result->error);
}

sy_status sy_recording_add_probe(sy_recording *recording, const sy_probe_result *result, sy_error *err)
{
    sy_status status = add_memories(recording, result, err);
    if (status == SY_OK) {
        status = add_parities(recording, result, err);
    }
    return status != SY_OK ? status : add_all_series(recording, result, err);
}

sy_status sy_recording_keep_probe(sy_recording *recording, const sy_probe_result *result, sy_recorded *ret_recorded,
                                  sy_error *err)
{
    bool is_whole = result->completed && !result->interrupted;
    const char *reason = is_whole ? "" : reason_of(recording, result);
    sy_status status = reason != NULL ? sy_recording_add_command(recording, result->wall_ns, err) : no_memory(err);
    if (status == SY_OK) {
        status = sy_recording_add_probe(recording, result, err);
    }
    if (status == SY_OK) {
        status = add_artifact(recording, result, err);
    }
    if (status == SY_OK) {
        status = add_decision(recording, result, err);
    }
    if (status != SY_OK) {
        recording->events.count = 0;
        return status;
    }
    return sy_recording_end(recording, is_whole ? SY_RUN_OK : SY_RUN_FAILED, reason, ret_recorded, err);
}

sy_status sy_project_record_probe(sy_project *project, const sy_probe_result *result,
                                  const sy_recording_options *options, sy_recorded *ret_recorded, sy_error *err)
{
    sy_recording_options filled = *options;
    sy_recording *recording = NULL;
    filled.device = options->device != NULL ? options->device : &result->device_info;
    filled.identity = options->identity != NULL ? options->identity : &result->identity;
    filled.cache = result->cache;
    sy_status status = sy_recording_begin(project, SY_RUN_KIND_DECISION, &filled, &recording, err);
    if (status == SY_OK) {
        status = sy_recording_keep_probe(recording, result, ret_recorded, err);
    }
    sy_recording_close(recording);
    return status;
}
