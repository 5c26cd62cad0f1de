/* SPDX-License-Identifier: Apache-2.0 */
/* Points in time as they are typed. */
#ifndef STEELYARD_CLI_ARGUMENT_TIME_H
#define STEELYARD_CLI_ARGUMENT_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* "30d", "12h", "90m" from now on; a day "2026-12-31", which is its begin in UTC; or a point in time with a zone as in
 * "2026-12-31T18:00:00Z". false: none of these, or beyond the year 9999. */
bool cli_time_expiry(const char *text, int64_t now_utc_s, int64_t *ret_utc_s);

#endif
