/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as every report that lists them has them: a line as compilers write it, an array of JSON. */
#ifndef STEELYARD_REPORT_FINDING_LINES_H
#define STEELYARD_REPORT_FINDING_LINES_H

#include "base/json.h"
#include "report/page/page.h"

/* "FILE:LINE:COLUMN: [note: ]RULE: MESSAGE (found ..., expected ...)" and the line's end. */
void sy_finding_line(sy_page *page, const sy_finding *finding, bool is_note);
/* A member of that name: the list. */
void sy_finding_list_write(sy_json_writer *writer, const char *name, const sy_finding *list, size_t count);

#endif
