/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of steelyard measure share: its arguments, and whether they mean something together. */
#ifndef STEELYARD_CLI_COMMAND_MEASURE_H
#define STEELYARD_CLI_COMMAND_MEASURE_H

#include <steelyard/measure.h>

#include "options.h"
#include "program_options.h"
#include "recorded_run.h"
#include "target.h"

typedef enum cli_export_form { EXPORT_TEXT, EXPORT_JSON, EXPORT_CSV, EXPORT_MARKDOWN } cli_export_form;

typedef struct measure_arguments {
    cli_common common;
    sy_measure_options options;
    cli_target_arguments target;
    cli_names implementations;
    cli_programs programs;
    unsigned int isolation; /* index into isolations */
    unsigned int form;      /* cli_export_form */
    bool all;
    cli_recording_arguments recorded;
    cli_recording recording;
} measure_arguments;

extern const char *const cli_measure_forms[]; /* of cli_export_form */

/* ---- command_measure_check.c ---- */

/* Words behind "--" are a command. */
bool cli_measure_means_program(const cli_operands *operands);
/* Refuses what has no meaning for an operation, or for a command. SY_INVALID_ARGUMENT. */
sy_status cli_measure_check(const measure_arguments *arguments, const cli_operands *operands, sy_error *err);

#endif
