/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a stored decision still names the fastest: the winner's new sessions are held against the times that the
 * recorded probe had of the others. */
#include <steelyard/store.h>
#include <string.h>

#include "base/shell_words.h"
#include "evidence/compare/compare_inside.h"

typedef struct recalibration {
    sy_comparing *c;
    sy_run_verdict *verdict;
    const sy_metric_verdict *metric; /* the slower one; NULL: none was found */
    const char *loser;
    double loser_p50;
} recalibration;

/* A median of times that is worse for certain. */
static bool is_confirmed_slowdown(const sy_metric_verdict *metric)
{
    return metric->metric.statistic == SY_STATISTIC_P50 && !metric->metric.higher_is_better &&
           metric->judgement.reason == SY_JUDGEMENT_REASON_CONFIRMED && strcmp(metric->metric.unit, "s") == 0;
}

/* A series of the probe that lost, and that is faster now by more than the effect that matters. */
static bool beats(const sy_run *probe, const sy_run_series *series, const sy_metric_verdict *metric)
{
    const sy_judgement *judgement = &metric->judgement;
    return series->role == SY_SERIES_SAMPLE && strcmp(series->unit, "s") == 0 &&
           strcmp(series->implementation, probe->decision->winner) != 0 &&
           strcmp(series->case_name, metric->metric.case_name) == 0 && series->p50 > 0 &&
           judgement->value > series->p50 * (1 + judgement->delta);
}

static bool is_same_place(const sy_run_row *a, const sy_run_row *b)
{
    return strcmp(a->cell, b->cell) == 0 && strcmp(a->host, b->host) == 0 && strcmp(a->device, b->device) == 0;
}

/* The fastest of those that beat it. */
static void look_at_probe(recalibration *r, const sy_run *probe)
{
    if (probe->decision == NULL || probe->decision->winner[0] == '\0' || !is_same_place(&probe->row, &r->c->run->row)) {
        return;
    }
    for (size_t i = 0; i < r->verdict->metric_count; i++) {
        const sy_metric_verdict *metric = &r->verdict->metrics[i];
        if (!is_confirmed_slowdown(metric) || strcmp(metric->metric.implementation, probe->decision->winner) != 0) {
            continue;
        }
        for (size_t k = 0; k < probe->series_count; k++) {
            const sy_run_series *series = &probe->series[k];
            if (beats(probe, series, metric) && (r->metric == NULL || series->p50 < r->loser_p50)) {
                r->metric = metric;
                r->loser_p50 = series->p50;
                r->loser = sy_arena_copy_text(r->c->arena, series->implementation);
                r->c->failed = r->c->failed || r->loser == NULL;
            }
        }
    }
}

/* "exact matmul", as the run says where its decision was stored; else as the store has it. */
static const char *profile_name(recalibration *r, const sy_run *probe, const sy_profile *profile)
{
    return probe->profile_count > 0 ? sy_arena_copy_text(r->c->arena, probe->profiles[probe->profile_count - 1].key)
                                    : sy_arena_format(r->c->arena, "%s %s", profile->portable ? "portable" : "exact",
                                                      profile->key.operator_name);
}

/* The probe's own command, which stores what it finds. */
static const char *probe_command(recalibration *r, const sy_run *probe)
{
    sy_arena *arena = r->c->arena;
    for (size_t i = 0; i < probe->command_count; i++) {
        const sy_run_command *command = &probe->commands[i];
        bool saves = false;
        const char **words = sy_arena_allocate(arena, command->argc + 2, sizeof *words);
        for (size_t k = 0; words != NULL && k < command->argc; k++) {
            words[k] = sy_arena_copy_text(arena, command->argv[k]);
            saves = saves || strcmp(command->argv[k], "--save") == 0;
            if (words[k] == NULL) {
                return NULL;
            }
        }
        if (words != NULL && command->argc > 1) {
            words[command->argc] = saves ? NULL : "--save";
            return sy_shell_join(arena, words);
        }
    }
    const char *separator = strstr(probe->row.cell, "::");
    return sy_arena_format(arena, "steelyard probe %s --backend %s --save", probe->decision->operation,
                           separator != NULL ? separator + 2 : "cpu");
}

static sy_status name_profile(recalibration *r, const sy_run *probe, const sy_profile *profile, sy_error *err)
{
    sy_comparing *c = r->c;
    const char **reasons = sy_arena_allocate(c->arena, r->verdict->reason_count + 1, sizeof *reasons);
    const char *run = sy_arena_copy_text(c->arena, probe->row.id);
    const char *name = profile_name(r, probe, profile);
    const char *command = probe_command(r, probe);
    if (reasons == NULL || run == NULL || name == NULL || command == NULL || c->failed) {
        return sy_compare_no_memory(err);
    }
    memcpy(reasons, r->verdict->reasons, r->verdict->reason_count * sizeof *reasons);
    const char *text = sy_arena_format(c->arena,
                                       "re-calibrate: the stored decision '%s' rests on %s, where %s took %.4g "
                                       "s; its winner %s takes %.4g s now",
                                       name, run, r->loser, r->loser_p50, r->metric->metric.implementation,
                                       r->metric->judgement.value);
    reasons[r->verdict->reason_count] = text;
    r->verdict->reasons = reasons;
    r->verdict->reason_count++;
    r->verdict->recalibrate = name;
    r->verdict->recalibrate_run = run;
    sy_compare_add(c, &c->next, sy_arena_format(c->arena, "# re-calibrate the stored decision '%s':", name));
    sy_compare_add(c, &c->next, command);
    return text != NULL ? SY_OK : sy_compare_no_memory(err);
}

/* One profile of the store: what it rests on is in this ledger, or it is another project's business. */
static sy_status look_at_profile(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    recalibration *r = user;
    sy_run *probe = NULL;
    sy_error error = SY_ERROR_INIT;
    (void)layer;
    if (r->metric != NULL || profile->evidence_run[0] == '\0' || profile->kind != SY_PROFILE_CALIBRATED) {
        return SY_OK;
    }
    sy_status status = sy_ledger_run(r->c->ledger, profile->evidence_run, &probe, &error);
    if (status == SY_NOT_FOUND || status == SY_INVALID_ARGUMENT) {
        return SY_OK;
    }
    if (status == SY_OK) {
        look_at_probe(r, probe);
        status = r->metric != NULL ? name_profile(r, probe, profile, err) : SY_OK;
    } else if (err != NULL) {
        *err = error;
    }
    sy_run_destroy(probe);
    return status;
}

sy_status sy_compare_recalibrate(sy_comparing *c, sy_error *err)
{
    if (c->options->store == NULL || c->is_recorded) {
        return SY_OK;
    }
    recalibration r = {.c = c, .verdict = &c->drafts[c->draft_count - 1].verdict};
    if (r.verdict->reason != SY_JUDGEMENT_REASON_CONFIRMED) {
        return SY_OK;
    }
    return sy_store_iterate(c->options->store, look_at_profile, &r, err);
}
