/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates that could not be weighed, all for one reason: said once for all of them below the table, since a library
 * may list a dozen implementations of which few suit a shape. */
#ifndef STEELYARD_REPORT_PROBE_ALIKE_H
#define STEELYARD_REPORT_PROBE_ALIKE_H

#include <steelyard/record.h>

#include "report/page/page.h"

/* Whether candidate number i is unavailable for the very reason of two others or more. */
bool sy_probe_alike(const sy_probe_result *result, size_t i);
/* A paragraph for each such reason, with the names; nothing where there is none. Out of memory marks the page as
 * failed.
 */
void sy_probe_alike_print(sy_page *page, const sy_probe_result *result);

#endif
