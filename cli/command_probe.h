/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of steelyard probe share: its arguments, and the two kinds of thing that it weighs. */
#ifndef STEELYARD_CLI_COMMAND_PROBE_H
#define STEELYARD_CLI_COMMAND_PROBE_H

#include <steelyard/probe.h>

#include "options.h"
#include "program_options.h"
#include "recorded_run.h"
#include "target.h"

/* The page that --html asks for, while its decisions come in. */
typedef struct cli_probe_page {
    const char *path; /* NULL = none is asked for */
    char kept[512];   /* where the last decision is kept, in words; "" */
    struct cli_probe_shown **shown;
    size_t count;
} cli_probe_page;

typedef struct probe_arguments {
    cli_common common;
    sy_probe_options options;
    cli_target_arguments target;
    cli_names implementations;
    cli_programs programs;
    unsigned int isolation; /* CLI_ISOLATION_WORKER: the first choice */
    bool require_parity;
    bool save;
    const char *store;
    const char *model_digest;
    const char *assign;
    bool all;
    cli_recording_arguments recorded;
    cli_recording recording;
    cli_probe_page page;
} probe_arguments;

#define CLI_ISOLATION_WORKER 0u
#define CLI_UNSET_NS UINT64_MAX /* a limit that was not given: it depends on what is weighed */

/* ---- command_probe.c ---- */

/* What both kinds hand over alike: what may stop it, and the line that shows how far it is. */
void cli_probe_attend(probe_arguments *arguments);
/* Prints a result as text or JSON. */
sy_status cli_probe_print(const probe_arguments *arguments, const sy_probe_result *result, sy_error *err);
/* Gives the limits that were not given those of an operation. */
void cli_probe_standard_limits(probe_arguments *arguments);
int cli_probe_exit(const probe_arguments *arguments, const sy_probe_result *result);

/* ---- command_probe_page.c ---- */

/* A result that the page shows; it stays borrowed until the page is written. recorded: the run that holds it, or NULL;
 * stored: where the decision is kept, in words, or "". Nothing without --html. SY_NO_MEMORY. */
sy_status cli_probe_page_add(probe_arguments *arguments, const sy_probe_result *result, const sy_recorded *recorded,
                             const char *stored, sy_error *err);
/* Writes it, whatever the decisions are; nothing without --html, or where nothing was weighed. SY_IO, SY_NO_MEMORY. */
sy_status cli_probe_page_write(const probe_arguments *arguments, sy_error *err);
void cli_probe_page_finish(cli_probe_page *page);

/* ---- command_probe_several.c ---- */

/* Prints several results together: a table, or one JSON object; those that are NULL are passed over. */
sy_status cli_probe_print_all(const probe_arguments *arguments, const sy_probe_result *const *results, size_t count,
                              sy_error *err);
/* The exit code of two weighings: a claim that failed is worse than one that could not be made, and that worse than no
 * answer. */
int cli_probe_worse(int a, int b);

/* ---- command_probe_assign.c ---- */

/* Weighs each operation on the device that --assign says, and prints what came out. Returns the exit code. */
int cli_probe_assigned(probe_arguments *arguments, const cli_operands *operands);

/* ---- command_probe_operation.c ---- */

/* Weighs an operation's implementations; *ret_result may be there though it failed: it could not be kept. */
sy_status cli_probe_operation(probe_arguments *arguments, const cli_operands *operands, sy_probe_result **ret_result,
                              sy_error *err);

/* ---- command_probe_programs.c ---- */

/* Whether commands are meant: --candidate, --reference without an OPERATION, or -- A --vs B. */
bool cli_probe_means_programs(const probe_arguments *arguments, const cli_operands *operands);
/* Refuses options that mean nothing for an operation. SY_INVALID_ARGUMENT. */
sy_status cli_probe_refuse_program_options(const probe_arguments *arguments, sy_error *err);
/* Weighs commands, once for each choice of parameters, and prints what came out. Returns the exit code. */
int cli_probe_programs(probe_arguments *arguments, const cli_operands *operands);

#endif
