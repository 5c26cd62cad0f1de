/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a measurement: one series a case. */
#include "importers/timings_readers.h"

sy_status sy_timings_read_measure(const sy_json *json, sy_timings_draft *draft, sy_error *err)
{
    (void)draft;
    return sy_timings_check_schema(json, "steelyard.measure/1", err);
}
