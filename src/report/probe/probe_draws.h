/* SPDX-License-Identifier: Apache-2.0 */
/* What a probe's answer says of fresh processes and of cold buffers: a field each, and nothing where there were none.
 */
#ifndef STEELYARD_REPORT_PROBE_DRAWS_H
#define STEELYARD_REPORT_PROBE_DRAWS_H

#include <steelyard/record.h>

#include "report/page/page.h"

void sy_probe_processes_print(sy_page *page, const sy_probe_result *result);
void sy_probe_cache_print(sy_page *page, const sy_probe_result *result);

#endif
