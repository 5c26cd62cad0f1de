/* SPDX-License-Identifier: Apache-2.0 */
/* What both halves of steelyard history share: a list of values, and the sessions of a key. */
#ifndef STEELYARD_CLI_COMMAND_HISTORY_H
#define STEELYARD_CLI_COMMAND_HISTORY_H

#include "options.h"
#include "project.h"

typedef struct history_arguments {
    cli_common common;
    cli_project_arguments project;
    const char *values;
    const char *column;
    int better;
    bool same_revision;
    const char *series;
    const char *case_name;
    const char *implementation;
    int statistic;
    const char *levels;
    bool dry_run;
    double alpha; /* NaN = not said */
    double min_effect;
} history_arguments;

/* The history of a key, from its checks to its report. Returns the exit code. */
int cli_history_of_key(const history_arguments *arguments, const char *key);

#endif
