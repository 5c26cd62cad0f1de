/* SPDX-License-Identifier: Apache-2.0 */
/* Which number of a run is compared: its time, its memory, or what the program itself prints. */
#ifndef STEELYARD_BACKENDS_COMMAND_COMMAND_METRIC_H
#define STEELYARD_BACKENDS_COMMAND_COMMAND_METRIC_H

#include <regex.h>
#include <steelyard/record.h>

#include "backends/command/command_run.h"

typedef enum sy_command_metric_kind {
    SY_COMMAND_WALL,
    SY_COMMAND_USER,
    SY_COMMAND_CPU,
    SY_COMMAND_MEMORY,
    SY_COMMAND_LINE,
    SY_COMMAND_JSON,
    SY_COMMAND_REGEX
} sy_command_metric_kind;

typedef struct sy_command_metric {
    sy_command_metric_kind kind;
    const char *argument; /* behind the colon */
    bool has_pattern;
    regex_t pattern; /* of line and regex */
    sy_metric metric;
} sy_command_metric;

/* text: "wall", "line:NAME" and so on; borrowed. SY_INVALID_ARGUMENT names what is wrong. */
sy_status sy_command_metric_start(sy_command_metric *metric, const char *text, bool higher_is_better,
                                  sy_error *err) SY_NODISCARD;
void sy_command_metric_finish(sy_command_metric *metric);

/* What a run cost, lower is better: the value, or its reciprocal. out and error: what it wrote; -1 = discarded. NaN and
 * a reason ("printed no number for line:score") when the run gave no value above 0; NaN without one when it is below
 * what the system resolves. SY_IO, SY_NO_MEMORY. */
sy_status sy_command_metric_cost(const sy_command_metric *metric, const sy_command_outcome *outcome, int out, int error,
                                 double *ret_cost, char *reason, size_t reason_size, sy_error *err) SY_NODISCARD;

#endif
