/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the readers share: read a text, look at what came of it. */
#ifndef STEELYARD_IMPORTERS_TIMINGS_TEST_SUPPORT_H
#define STEELYARD_IMPORTERS_TIMINGS_TEST_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <steelyard/timings.h>

#include "base/text.h"

static inline sy_timings *read_with(const char *text, const sy_timings_options *options)
{
    sy_timings *timings = NULL;
    sy_error err = SY_ERROR_INIT;

    if (sy_timings_parse(text, strlen(text), options, &timings, &err) != SY_OK)
        fail_msg("%u:%u: %s", err.position.line, err.position.column, err.what);
    return timings;
}

static inline sy_timings *read_text(const char *text)
{
    return read_with(text, NULL);
}

static inline void expect_refused(const char *text, sy_status wanted, sy_error *err)
{
    sy_timings *timings = NULL;
    sy_status status = sy_timings_parse(text, strlen(text), NULL, &timings, err);

    if (status != wanted)
        fail_msg("%s instead of %s for %s", sy_status_word(status), sy_status_word(wanted), text);
    assert_null(timings);
}

static inline void expect_timing(const sy_timings *timings, size_t index, const char *name, const char *reason,
                                 size_t count, const double *times)
{
    const sy_timing *timing = &timings->list[index];

    assert_true(index < timings->count);
    assert_string_equal(timing->name, name);
    assert_string_equal(timing->reason, reason);
    assert_int_equal(timing->count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(timing->times[i] == times[i] || (isnan(timing->times[i]) && isnan(times[i])));
}

static inline bool has_note(const sy_timings *timings, const char *beginning)
{
    for (size_t i = 0; i < timings->note_count; i++) {
        if (sy_text_begins(timings->notes[i], beginning))
            return true;
    }
    return false;
}

#endif
