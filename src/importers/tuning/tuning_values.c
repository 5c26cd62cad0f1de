/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of lines, numbers as tuners write them, and what a profile is told of times: its measurements and those that
 * were slower. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "importers/tuning/tuning_draft.h"

bool sy_tuning_is_text(sy_tuning_span span)
{
    return span.length > 0 && span.length <= SY_TUNING_TEXT_MAX && memchr(span.at, '\0', span.length) == NULL;
}

bool sy_tuning_whole(sy_tuning_span span, int64_t *ret_value)
{
    int64_t value = 0;

    if (span.length == 0 || span.length > 18 || (span.at[0] == '0' && span.length > 1))
        return false;
    for (size_t i = 0; i < span.length; i++) {
        if (span.at[i] < '0' || span.at[i] > '9')
            return false;
        value = value * 10 + (span.at[i] - '0');
    }
    *ret_value = value;
    return true;
}

bool sy_tuning_number(sy_tuning_span span, double *ret_value)
{
    static const char *const infinite[] = {"inf", "infinity"};
    const char *end = span.at + span.length;
    size_t sign = span.length > 0 && (span.at[0] == '-' || span.at[0] == '+');
    sy_tuning_span bare = {span.at + sign, span.length - sign};
    bool negative = sign > 0 && span.at[0] == '-';

    for (size_t i = 0; i < 2; i++) {
        if (bare.length == strlen(infinite[i]) && strncasecmp(bare.at, infinite[i], bare.length) == 0) {
            *ret_value = negative ? -INFINITY : INFINITY;
            return true;
        }
    }
    if (bare.length == 3 && strncasecmp(bare.at, "nan", 3) == 0) {
        *ret_value = NAN;
        return true;
    }
    if (span.length == 0 || span.length > SY_TUNING_TEXT_MAX || sy_number_scan(span.at, end, false) != end)
        return false;
    *ret_value = sy_number_read(span.at, span.length);
    return true;
}

/* Kernel Tuner once wrote 1e20 for a configuration that did not run, AutoTVM's kin 1e9 seconds. */
#define FAILURE_MARK 1e12

const char *sy_tuning_unbelievable(double time)
{
    return isnan(time) || isinf(time) ? "not finite"
           : time == 0                ? "zero"
           : time < 0                 ? "negative"
           : time >= FAILURE_MARK     ? "a mark for a failure"
                                      : NULL;
}

sy_tuning_span sy_tuning_cut(sy_tuning_span *span, char separator)
{
    const char *found = span->length > 0 ? memchr(span->at, separator, span->length) : NULL;
    sy_tuning_span piece = {span->at, found != NULL ? (size_t)(found - span->at) : span->length};
    size_t behind = piece.length + (found != NULL);

    *span = (sy_tuning_span){span->at + behind, span->length - behind};
    return piece;
}

bool sy_tuning_span_is(sy_tuning_span span, const char *text)
{
    return span.length == strlen(text) && memcmp(span.at, text, span.length) == 0;
}

bool sy_tuning_span_begins(sy_tuning_span span, const char *text)
{
    size_t length = strlen(text);

    return span.length >= length && memcmp(span.at, text, length) == 0;
}

void sy_tuning_measurements(sy_tuning_draft *draft, sy_profile *profile, const sy_measurement *list, size_t count)
{
    sy_measurement *kept = sy_arena_allocate(draft->arena, count, sizeof *kept);

    if (kept == NULL) {
        draft->failed = true;
        return;
    }
    if (count > 0)
        memcpy(kept, list, count * sizeof *kept);
    profile->measurements = kept;
    profile->measurement_count = count;
}

/* The fastest first; those without a time behind them, in the file's order. */
static int compare_times(const void *left, const void *right)
{
    const sy_tuning_time *a = left;
    const sy_tuning_time *b = right;

    if (isnan(a->time) != isnan(b->time))
        return isnan(a->time) ? 1 : -1;
    if (!isnan(a->time) && a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void sy_tuning_alternatives(sy_tuning_draft *draft, sy_profile *profile, sy_tuning_time *times, size_t count,
                            size_t winner)
{
    size_t most = count - 1 < draft->options->alternatives_max ? count - 1 : draft->options->alternatives_max;
    sy_alternative *kept = sy_arena_allocate(draft->arena, most, sizeof *kept);
    double best = times[winner].time;

    if (kept == NULL) {
        draft->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        times[i].order = i;
    qsort(times, count, sizeof *times, compare_times);
    profile->alternatives = kept;
    for (size_t i = 0; i < count && profile->alternative_count < most; i++) {
        double ratio = times[i].time / best;
        const char *reason = times[i].reason[0] != '\0' ? times[i].reason : ratio > 1 ? "slower" : "as fast";

        if (times[i].order != winner)
            kept[profile->alternative_count++] = (sy_alternative){times[i].name, reason, isfinite(ratio) ? ratio : NAN};
    }
}
