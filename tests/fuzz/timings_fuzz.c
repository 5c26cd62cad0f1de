/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzing the readers of recorded timings: any bytes give configurations whose parts are all there, or an error that
 * says what is wrong; a format asked for by name too. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/timings.h>

#define CHECK(condition) ((condition) ? (void)0 : abort())

static void check(const sy_timings *timings)
{
    double sum = 0;

    CHECK(timings->format != SY_TIMINGS_AUTO && timings->device != NULL);
    for (size_t i = 0; i < timings->count; i++) {
        const sy_timing *timing = &timings->list[i];

        CHECK(timing->name != NULL && timing->reason != NULL);
        CHECK((timing->count == 0) == (timing->reason[0] != '\0'));
        for (size_t t = 0; t < timing->count; t++) {
            CHECK(isnan(timing->times[t]) || isfinite(timing->times[t]));
            sum += isnan(timing->times[t]);
        }
    }
    for (size_t i = 0; i < timings->note_count; i++)
        CHECK(strlen(timings->notes[i]) > 0);
    if (timings->final != NULL) {
        CHECK(timings->final->sample_count == timings->final->case_count * timings->final->pairs);
        CHECK(timings->final->reason != NULL && timings->final->sample_count > 0);
    }
    CHECK(sum >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const columns[] = {"2"};

    for (int format = SY_TIMINGS_AUTO; format <= SY_TIMINGS_CSV; format++) {
        sy_timings_options options = SY_TIMINGS_OPTIONS_INIT;
        sy_timings *timings = NULL;
        sy_error err = SY_ERROR_INIT;
        sy_status status;

        options.format = (sy_timings_format)format;
        options.limit_bytes = 1 << 20;
        options.columns = columns;
        options.column_count = size % 2;
        status = sy_timings_parse(data, size, &options, &timings, &err);
        if (status == SY_OK) {
            check(timings);
            sy_timings_destroy(timings);
        } else {
            CHECK(timings == NULL && err.status == status && err.what[0] != '\0');
        }
    }
    return 0;
}
