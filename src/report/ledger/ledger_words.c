/* SPDX-License-Identifier: Apache-2.0 */
/* Times, values, states and sources of runs in words. */
#include "report/ledger/ledger_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/shell_words.h"
#include "report/page/figures.h"

/* ---- times ---- */

const char *sy_ledger_words_time(char to[SY_LEDGER_TIME_SIZE], int64_t utc_s, bool to_the_second)
{
    time_t time = (time_t)utc_s;
    struct tm at;

    if (utc_s == 0 || localtime_r(&time, &at) == NULL) {
        (void)snprintf(to, SY_LEDGER_TIME_SIZE, "-");
        return to;
    }
    int minutes = (int)(at.tm_gmtoff / 60);
    int behind = minutes < 0 ? -minutes : minutes;
    char second[16] = "";
    if (to_the_second)
        (void)snprintf(second, sizeof(second), ":%02d", at.tm_sec);
    (void)snprintf(to, SY_LEDGER_TIME_SIZE, "%04d-%02d-%02d %02d:%02d%s %c%02d%02d", at.tm_year + 1900, at.tm_mon + 1,
                   at.tm_mday, at.tm_hour, at.tm_min, second, minutes < 0 ? '-' : '+', behind / 60, behind % 60);
    return to;
}

const char *sy_ledger_words_utc(char to[SY_LEDGER_TIME_SIZE], int64_t utc_s)
{
    if (utc_s == 0 || sy_time_format_utc(utc_s, to, SY_LEDGER_TIME_SIZE, NULL) != SY_OK)
        (void)snprintf(to, SY_LEDGER_TIME_SIZE, "-");
    return to;
}

/* ---- values ---- */

/* Nanoseconds of one of a unit of time; 0 = it is none. */
static double nanoseconds_of(const char *unit)
{
    static const struct {
        const char *unit;
        double ns;
    } times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        if (strcmp(times[i].unit, unit) == 0)
            return times[i].ns;
    }
    return 0;
}

void sy_ledger_words_value(sy_text *to, const char *unit, double value)
{
    char figure[SY_FIGURE_SIZE];
    double ns = nanoseconds_of(unit);
    sy_metric metric = {.unit = unit};

    if (isnan(value)) {
        sy_text_append(to, "-");
    } else if (ns > 0) {
        sy_text_append(to, sy_figure_time(figure, value * ns));
    } else if (strcmp(unit, "bytes") == 0) {
        sy_text_append(to, sy_figure_value(figure, &metric, value));
    } else {
        sy_text_append_format(to, "%.5g", value);
        if (unit[0] != '\0')
            sy_text_append_format(to, " %s", unit);
    }
}

/* ---- series ---- */

const sy_run_series *sy_ledger_main_series(const sy_run *run)
{
    const sy_run_series *first = NULL;

    for (size_t i = 0; i < run->series_count; i++) {
        const sy_run_series *series = &run->series[i];

        if (series->role != SY_SERIES_SAMPLE || series->usable_count == 0)
            continue;
        if (strcmp(series->name, "wall") == 0)
            return series;
        first = first == NULL ? series : first;
    }
    return first;
}

void sy_ledger_words_series(sy_text *to, const sy_run_series *series)
{
    if (series->role != SY_SERIES_SAMPLE)
        sy_text_append_format(to, "%s of ",
                              series->role == SY_SERIES_PAIR ? "pairs" : sy_series_role_word(series->role));
    sy_text_append(to, series->name);
    if (series->case_name[0] != '\0')
        sy_text_append_format(to, " of %s", series->case_name);
    if (series->implementation[0] != '\0')
        sy_text_append_format(to, " by %s", series->implementation);
}

void sy_ledger_words_count(sy_text *to, const sy_run_series *series)
{
    if (series->usable_count == series->count)
        sy_text_append_format(to, "%zu", series->count);
    else
        sy_text_append_format(to, "%zu of %zu", series->usable_count, series->count);
}

#define OUTLIER_RATIO 2.0

void sy_ledger_words_first(sy_text *to, const sy_run_series *series, const double *samples)
{
    char figure[SY_FIGURE_SIZE];

    if (samples == NULL || series->usable_count < 3 || isnan(samples[0]) || !(series->p50 > 0) ||
        series->role == SY_SERIES_PAIR)
        return;
    double ratio = samples[0] / series->p50;
    if (ratio < OUTLIER_RATIO && ratio > 1 / OUTLIER_RATIO)
        return;
    sy_text_append(to, "its first sample is ");
    sy_ledger_words_value(to, series->unit, samples[0]);
    sy_text_append_format(to, ", %s times the p50, and counted", sy_figure_ratio(figure, ratio));
}

/* ---- decisions ---- */

void sy_ledger_words_decision(sy_text *to, const sy_run_decision *decision)
{
    char figure[SY_FIGURE_SIZE];

    sy_text_append(to, sy_decision_word(decision->decision));
    if (decision->winner[0] != '\0')
        sy_text_append_format(to, " of %s", decision->winner);
    if (!isnan(decision->gain))
        sy_text_append_format(to, ", %s", sy_figure_share(figure, decision->gain));
    if (!isnan(decision->gain_low) && !isnan(decision->gain_high)) {
        sy_text_append_format(to, " (%s to ", sy_figure_share_down(figure, decision->gain_low));
        sy_text_append_format(to, "%s)", sy_figure_share_up(figure, decision->gain_high));
    }
    if (decision->reason[0] != '\0')
        sy_text_append_format(to, ": %s", decision->reason);
}

/* ---- states ---- */

void sy_ledger_words_status(sy_text *to, const sy_run_row *row, bool with_reason)
{
    sy_text_append(to, sy_run_status_word(row->status));
    if (row->accepted)
        sy_text_append(to, ", accepted");
    if (with_reason && row->reason[0] != '\0')
        sy_text_append_format(to, ": %s", row->reason);
}

sy_tone sy_ledger_tone(const sy_run_row *row)
{
    switch (row->status) {
    case SY_RUN_FAILED:
    case SY_RUN_REFUTED:
        return SY_TONE_BAD;
    case SY_RUN_PLANNED:
    case SY_RUN_RUNNING:
        return SY_TONE_DOUBT;
    case SY_RUN_SUPERSEDED:
        return SY_TONE_FAINT;
    case SY_RUN_OK:
    case SY_RUN_IMPORTED:
        break;
    }
    return row->accepted ? SY_TONE_GOOD : SY_TONE_PLAIN;
}

/* ---- verdicts ---- */

sy_tone sy_ledger_verdict_tone(sy_judgement_word word)
{
    switch (word) {
    case SY_JUDGEMENT_PASS:
        return SY_TONE_GOOD;
    case SY_JUDGEMENT_BLOCK:
        return SY_TONE_BAD;
    case SY_JUDGEMENT_NO_BASELINE:
    case SY_JUDGEMENT_NOT_JUDGED:
    case SY_JUDGEMENT_INVESTIGATE:
        break;
    }
    return SY_TONE_DOUBT;
}

void sy_ledger_words_metric(sy_text *to, const sy_judged_metric *metric)
{
    sy_text_append_format(to, "%s %s", metric->series, sy_statistic_word(metric->statistic));
    if (metric->statistic == SY_STATISTIC_MEMORY && metric->case_name[0] != '\0')
        sy_text_append_format(to, " (%s)", metric->case_name);
    else if (metric->case_name[0] != '\0')
        sy_text_append_format(to, " of %s", metric->case_name);
    if (metric->implementation[0] != '\0')
        sy_text_append_format(to, " by %s", metric->implementation);
}

void sy_ledger_words_change(sy_text *to, const sy_metric_verdict *verdict)
{
    double change = verdict->judgement.value / verdict->judgement.median - 1;
    char share[SY_FIGURE_SIZE];

    if (!isfinite(change)) {
        sy_text_append(to, "-");
        return;
    }
    sy_text_append(to, change >= 0 ? "+" : "-");
    sy_text_append(to, sy_figure_share(share, fabs(change)));
}

/* ---- where and what ---- */

void sy_ledger_words_source(sy_text *to, const sy_run_begin *begin, int digits)
{
    const sy_run_source *source = &begin->source;

    if (source->revision[0] == '\0') {
        sy_text_append(to, begin->kind == SY_RUN_KIND_IMPORT ? "unknown: the file does not tell"
                           : source->control[0] == '\0'      ? "unknown: no version control was found"
                                                             : "unknown: nothing is committed");
        return;
    }
    sy_text_append_format(to, "%.*s", digits, source->revision);
    if (source->branch[0] != '\0')
        sy_text_append_format(to, " of %s", source->branch);
    if (source->ordinal >= 0)
        sy_text_append_format(to, ", commit %" PRId64, source->ordinal);
    else if (source->shallow > 0)
        sy_text_append(to, ", a shallow clone");
    if (source->dirty > 0)
        sy_text_append_format(to, ", changed since (the difference %s)",
                              source->diff_digest[0] != '\0' ? "is kept" : "is not kept");
    else if (source->dirty < 0)
        sy_text_append(to, ", unknown whether changed since");
    if (source->dirty_submodule_count > 0)
        sy_text_append(to, ", in submodules too:");
    for (size_t i = 0; i < source->dirty_submodule_count; i++)
        sy_text_append_format(to, "%s %s", i == 0 ? "" : ",", source->dirty_submodules[i]);
    if (source->untracked_count > 0)
        sy_text_append_format(to, ", %" PRIu64 " untracked %s", source->untracked_count,
                              source->untracked_count == 1 ? "file" : "files");
}

void sy_ledger_words_place(sy_text *to, const sy_run_place *place)
{
    sy_text_append(to, place->device[0] != '\0' ? place->device : "unknown");
    if (place->description[0] != '\0')
        sy_text_append_format(to, ", %s", place->description);
    if (place->synthetic)
        sy_text_append(to, " (its times are made up)");
    else if (place->hardware == 0)
        sy_text_append(to, " (software that plays a device)");
    if (place->host[0] != '\0')
        sy_text_append_format(to, ", on %s", place->host);
}

bool sy_ledger_field_is_known(const sy_named_text *field)
{
    const sy_comparison_key alone = {field, 1};

    return sy_comparison_key_is_complete(&alone);
}

size_t sy_ledger_unknown_fields(const sy_comparison_key *key)
{
    size_t unknown = 0;

    for (size_t i = 0; i < key->field_count; i++)
        unknown += !sy_ledger_field_is_known(&key->fields[i]);
    return unknown;
}

/* ---- commands and memory ---- */

void sy_ledger_words_command(sy_text *to, const sy_run_command *command)
{
    sy_arena *arena = sy_arena_create(0);
    const char **words = arena != NULL ? sy_arena_allocate(arena, command->argc + 1, sizeof(*words)) : NULL;
    const char *line = NULL;

    if (words != NULL) {
        for (size_t i = 0; i < command->argc; i++)
            words[i] = command->argv[i];
        line = sy_shell_join(arena, words);
    }
    if (line == NULL)
        to->failed = true;
    else
        sy_text_append(to, line);
    sy_arena_destroy(arena);
}

void sy_ledger_words_command_end(sy_text *to, const sy_run_command *command)
{
    char figure[SY_FIGURE_SIZE];

    if (command->signal != 0)
        sy_text_append_format(to, "ended by signal %d", command->signal);
    else if (command->exit_code < 0)
        sy_text_append(to, "never started");
    else
        sy_text_append_format(to, "exit %d", command->exit_code);
    sy_text_append_format(to, " after %s", sy_figure_time(figure, (double)command->wall_ns));
    if (command->fence == 0)
        sy_text_append(to, ", without a lease");
    else
        sy_text_append_format(to, ", lease %" PRIu64 "%s", command->fence,
                              command->lease_held ? " held throughout" : " LOST meanwhile");
    if (command->rejected_count > 0)
        sy_text_append_format(to, ", %" PRIu64 " of %" PRIu64 " lines not understood", command->rejected_count,
                              command->line_count);
}

void sy_ledger_words_memory(sy_text *to, const sy_run_memory *memory)
{
    char figure[SY_FIGURE_SIZE];

    sy_text_append_format(to, "%s, %s", sy_memory_scope_word(memory->scope), sy_memory_basis_word(memory->basis));
    if (memory->how[0] != '\0')
        sy_text_append_format(to, "%s%s", memory->basis == SY_MEMORY_CONSTRAINED ? " by " : ", ", memory->how);
    sy_text_append(to, memory->counted ? ", counted by the kernel" : ", as it was told");
    if (sy_run_memory_shortcoming(memory)[0] != '\0')
        sy_text_append(to, " (pre-check)");
    if (!isnan(memory->swap_bytes)) {
        sy_text_append(to, ", swap ");
        sy_text_append(to, memory->swap_bytes < 0 ? "-" : "+");
        sy_format_bytes(figure, sizeof(figure), (uint64_t)fmin(fabs(memory->swap_bytes), 9e18));
        sy_text_append(to, figure);
    }
    if (!isnan(memory->pressure_share))
        sy_text_append_format(to, ", pressure %s", sy_figure_share(figure, memory->pressure_share));
}
