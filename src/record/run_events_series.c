/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a series: the samples' digest and figures stand in for the samples, which are kept beside the events. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "record/event_members.h"
#include "record/run_events.h"

#define AT(type, member) .offset = offsetof(type, member)

static const sy_member series_members[] = {
    {.name = "name", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_series, name)},
    {.name = "unit", .kind = SY_MEMBER_NAME, AT(sy_run_series, unit)},
    {.name = "higher_is_better", .kind = SY_MEMBER_BOOL, AT(sy_run_series, higher_is_better)},
    {.name = "role", .kind = SY_MEMBER_WORD, .words = &sy_series_role_words, AT(sy_run_series, role)},
    {.name = "case", .kind = SY_MEMBER_TEXT, AT(sy_run_series, case_name)},
    {.name = "implementation", .kind = SY_MEMBER_TEXT, AT(sy_run_series, implementation)},
    {.name = "count", .kind = SY_MEMBER_COUNT, .required = true, AT(sy_run_series, count)},
    {.name = "samples", .kind = SY_MEMBER_DIGEST_HERE, .required = true, AT(sy_run_series, digest)},
    {.name = "usable_count", .kind = SY_MEMBER_COUNT, .required = true, AT(sy_run_series, usable_count)},
    {.name = "minimum", .kind = SY_MEMBER_DOUBLE, AT(sy_run_series, minimum)},
    {.name = "p50", .kind = SY_MEMBER_DOUBLE, AT(sy_run_series, p50)},
    {.name = "p95", .kind = SY_MEMBER_DOUBLE, AT(sy_run_series, p95)},
    {.name = "maximum", .kind = SY_MEMBER_DOUBLE, AT(sy_run_series, maximum)},
    {.name = "figures",
     .kind = SY_MEMBER_NAMED_NUMBERS,
     AT(sy_run_series, figures),
     .count_offset = offsetof(sy_run_series, figure_count)},
    {.name = "note", .kind = SY_MEMBER_TEXT, AT(sy_run_series, note)},
};
const sy_member_table sy_run_series_table = {series_members, sizeof series_members / sizeof series_members[0],
                                             sizeof(sy_run_series)};

/* ---- the samples' bytes ---- */

#define PACKED_BYTES 8
#define UNUSABLE_BITS UINT64_C(0x7ff8000000000000) /* of every NaN, whatever it carried */

void sy_samples_pack(const double *samples, size_t count, uint8_t *to)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &samples[i], sizeof bits);
        if (isnan(samples[i])) {
            bits = UNUSABLE_BITS;
        }
        for (size_t byte = 0; byte < PACKED_BYTES; byte++) {
            to[i * PACKED_BYTES + byte] = (uint8_t)(bits >> (8 * byte));
        }
    }
}

void sy_samples_unpack(const uint8_t *from, size_t count, double *to)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        for (size_t byte = 0; byte < PACKED_BYTES; byte++) {
            bits |= (uint64_t)from[i * PACKED_BYTES + byte] << (8 * byte);
        }
        memcpy(&to[i], &bits, sizeof bits);
    }
}

void sy_samples_digest(const double *samples, size_t count, char ret_digest[65])
{
    enum { CHUNK = 512 };
    uint8_t packed[CHUNK * PACKED_BYTES];
    sy_digest_state state;
    sy_digest_start(&state);
    for (size_t at = 0; at < count; at += CHUNK) {
        size_t some = count - at < CHUNK ? count - at : CHUNK;
        sy_samples_pack(samples + at, some, packed);
        sy_digest_add(&state, packed, some * PACKED_BYTES);
    }
    sy_digest digest;
    sy_digest_finish(&state, &digest);
    sy_digest_format(&digest, ret_digest);
}

/* ---- figures ---- */

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Of sorted ones, count > 0: the smallest that percent of them do not exceed. */
static double nearest_rank(const double *sorted, size_t count, size_t percent)
{
    size_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
    return sorted[rank == 0 ? 0 : rank - 1];
}

static sy_status fill_figures(sy_run_series *series, sy_error *err)
{
    double *sorted = sy_allocate(series->count, sizeof *sorted);
    if (sorted == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu samples", series->count);
    }
    size_t usable = 0;
    for (size_t i = 0; i < series->count; i++) {
        if (!isnan(series->samples[i])) {
            sorted[usable++] = series->samples[i];
        }
    }
    series->usable_count = usable;
    series->minimum = series->p50 = series->p95 = series->maximum = NAN;
    if (usable > 0) {
        qsort(sorted, usable, sizeof *sorted, compare_doubles);
        series->minimum = sorted[0];
        series->p50 = nearest_rank(sorted, usable, 50);
        series->p95 = nearest_rank(sorted, usable, 95);
        series->maximum = sorted[usable - 1];
    }
    sy_free(sorted);
    return SY_OK;
}

sy_status sy_run_series_write(sy_run_series *series, sy_text *body, sy_error *err)
{
    for (size_t i = 0; i < series->count; i++) {
        if (isinf(series->samples[i])) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "samples: %zu: is infinite", i);
        }
    }
    sy_status status = fill_figures(series, err);
    if (status != SY_OK) {
        return status;
    }
    sy_samples_digest(series->samples, series->count, series->digest);
    return sy_members_write(&sy_run_series_table, series, body, err);
}

static bool are_sorted(const sy_run_series *series)
{
    return series->minimum <= series->p50 && series->p50 <= series->p95 && series->p95 <= series->maximum;
}

sy_status sy_run_series_read(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_run_series *ret_series,
                             sy_error *err)
{
    sy_run_series series;
    sy_status status = sy_members_read(&sy_run_series_table, json, body, arena, &series, err);
    if (status != SY_OK) {
        return status;
    }
    if (series.usable_count > series.count) {
        return sy_json_fail(json, body, err, "%zu of %zu samples are usable", series.usable_count, series.count);
    }
    if (series.usable_count > 0 && !are_sorted(&series)) {
        return sy_json_fail(json, body, err, "minimum, p50, p95 and maximum are missing or not in this order");
    }
    *ret_series = series;
    return SY_OK;
}
