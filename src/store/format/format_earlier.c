/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing cost, use, earlier measurements and who signed. */
#include "store/format/format_earlier.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "store/format/quoted.h"
#include "store/profile.h"

/* ---- reading ---- */

static bool read_cost(sy_cursor *cursor, sy_profile_cost *ret_cost)
{
    return sy_cursor_double(cursor, &ret_cost->seconds) && sy_cursor_u32(cursor, &ret_cost->probes);
}

static bool read_use(sy_cursor *cursor, sy_profile_use *ret_use)
{
    return sy_cursor_u64(cursor, &ret_use->calls) && sy_cursor_u64(cursor, &ret_use->timed_calls) &&
           sy_cursor_double(cursor, &ret_use->seconds) && sy_cursor_maybe_time(cursor, &ret_use->last_utc_s);
}

bool sy_record_read_signed_by(sy_record *record, sy_cursor *cursor)
{
    return sy_record_text(record, cursor, &record->profile.signed_by) && *record->profile.signed_by != '\0';
}

bool sy_record_read_cost(sy_record *record, sy_cursor *cursor)
{
    return read_cost(cursor, &record->profile.cost) && record->profile.cost.probes > 0;
}

bool sy_record_read_use(sy_record *record, sy_cursor *cursor)
{
    return read_use(cursor, &record->profile.use) && record->profile.use.calls > 0;
}

bool sy_record_read_dropped(sy_record *record, sy_cursor *cursor)
{
    return sy_cursor_u32(cursor, &record->profile.earlier_dropped) && record->profile.earlier_dropped > 0 &&
           read_cost(cursor, &record->profile.dropped_cost);
}

static bool read_decision(sy_cursor *cursor, sy_profile_earlier *earlier)
{
    char *word;
    size_t size;
    if (!sy_cursor_word(cursor, &word, &size)) {
        return false;
    }
    if (size == 1 && *word == '-') {
        return true;
    }
    earlier->has_decision = sy_profile_decision_of_word(word, size, &earlier->decision);
    return earlier->has_decision;
}

/* GAIN low high n; "-" for the first: there is none. */
static bool read_gain(sy_cursor *cursor, sy_profile_earlier *earlier)
{
    sy_profile_gain *gain = &earlier->gain;
    if (!sy_cursor_maybe_double(cursor, &gain->gain) || !sy_cursor_maybe_double(cursor, &gain->low) ||
        !sy_cursor_maybe_double(cursor, &gain->high) || !sy_cursor_u32(cursor, &gain->pairs)) {
        return false;
    }
    earlier->has_gain = gain->gain == gain->gain;
    if (!earlier->has_gain) {
        *gain = (sy_profile_gain){0};
    }
    return true;
}

bool sy_record_read_earlier(sy_record *record, sy_cursor *cursor)
{
    sy_profile_earlier earlier = {0};
    char *policy;
    size_t *count = &record->profile.earlier_count;
    if (*count == SY_EARLIER_MAX || !sy_cursor_quoted(cursor, record->format, &policy, &earlier.policy_size) ||
        earlier.policy_size == 0 || !sy_record_text(record, cursor, &earlier.origin) ||
        !read_decision(cursor, &earlier) || !read_gain(cursor, &earlier) ||
        !sy_cursor_maybe_double(cursor, &earlier.reference_s) ||
        !sy_cursor_maybe_time(cursor, &earlier.created_utc_s) ||
        !sy_cursor_maybe_time(cursor, &earlier.replaced_utc_s) || !sy_record_text(record, cursor, &earlier.tool) ||
        !sy_record_text(record, cursor, &earlier.evidence_run) ||
        !sy_record_text(record, cursor, &earlier.evidence_digest) || !read_cost(cursor, &earlier.cost) ||
        !read_use(cursor, &earlier.use)) {
        return false;
    }
    earlier.policy = policy;
    record->earlier[(*count)++] = earlier;
    record->profile.earlier = record->earlier;
    return true;
}

/* ---- writing ---- */

static void write_double(sy_text *out, double value)
{
    sy_text_append_bytes(out, " ", 1);
    sy_append_double(out, value);
}

static void write_text(sy_text *out, uint32_t format, const char *text)
{
    sy_text_append_bytes(out, " ", 1);
    sy_append_quoted(out, format, text, strlen(text));
}

static void write_time(sy_text *out, int64_t utc_s)
{
    char time[32] = "-";
    if (utc_s != 0 && sy_time_format_utc(utc_s, time, sizeof time, NULL) != SY_OK) {
        out->failed = true; /* sy_profile_check lets no such time in */
    }
    sy_text_append_format(out, " %s", time);
}

static void write_cost(sy_text *out, const sy_profile_cost *cost)
{
    write_double(out, cost->seconds);
    sy_text_append_format(out, " %" PRIu32, cost->probes);
}

static void write_use(sy_text *out, const sy_profile_use *use)
{
    sy_text_append_format(out, " %" PRIu64 " %" PRIu64, use->calls, use->timed_calls);
    write_double(out, use->seconds);
    write_time(out, use->last_utc_s);
}

static void write_earlier(const sy_profile_earlier *earlier, uint32_t format, sy_text *out)
{
    sy_text_append(out, "earlier ");
    sy_append_quoted(out, format, earlier->policy, earlier->policy_size);
    write_text(out, format, earlier->origin);
    sy_text_append_format(out, " %s", earlier->has_decision ? sy_profile_decision_word(earlier->decision) : "-");
    if (earlier->has_gain) {
        write_double(out, earlier->gain.gain);
        write_double(out, earlier->gain.low);
        write_double(out, earlier->gain.high);
    } else {
        sy_text_append(out, " - - -");
    }
    sy_text_append_format(out, " %" PRIu32, earlier->has_gain ? earlier->gain.pairs : 0);
    write_double(out, earlier->reference_s);
    write_time(out, earlier->created_utc_s);
    write_time(out, earlier->replaced_utc_s);
    write_text(out, format, earlier->tool);
    write_text(out, format, earlier->evidence_run);
    write_text(out, format, earlier->evidence_digest);
    write_cost(out, &earlier->cost);
    write_use(out, &earlier->use);
    sy_text_append_bytes(out, "\n", 1);
}

void sy_earlier_write(const sy_profile *profile, uint32_t format, sy_text *out)
{
    if (*profile->signed_by != '\0') {
        sy_text_append(out, "signed_by");
        write_text(out, format, profile->signed_by);
        sy_text_append_bytes(out, "\n", 1);
    }
    if (profile->cost.probes > 0) {
        sy_text_append(out, "cost");
        write_cost(out, &profile->cost);
        sy_text_append_bytes(out, "\n", 1);
    }
    if (profile->use.calls > 0) {
        sy_text_append(out, "use");
        write_use(out, &profile->use);
        sy_text_append_bytes(out, "\n", 1);
    }
    for (size_t i = 0; i < profile->earlier_count; i++) {
        write_earlier(&profile->earlier[i], format, out);
    }
    if (profile->earlier_dropped > 0) {
        sy_text_append_format(out, "earlier_dropped %" PRIu32, profile->earlier_dropped);
        write_cost(out, &profile->dropped_cost);
        sy_text_append_bytes(out, "\n", 1);
    }
}
