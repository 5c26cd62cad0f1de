/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard run: the group of commands on runs. */
#include "command_runs.h"

#include <stddef.h>

static int run(int argc, char **argv)
{
    return cli_command_run_verb(&cli_command_run, argc, argv);
}

/* In the order of a run's life, then those that only look. */
static const cli_command *const verbs[] = {
    &cli_run_start, &cli_run_exec, &cli_run_attach,  &cli_run_finish, &cli_run_accept,
    &cli_run_list,  &cli_run_show, &cli_run_summary, &cli_run_leases, &cli_run_sweep,
    NULL,
};

static const char *const paragraphs[] = {
    "A run is one experiment as the project's ledger remembers it: its question, what was measured and where, the "
    "samples, parity, memory, files, how it ended and what was concluded. Its row exists before the work, so that lost "
    "and cancelled runs stay visible; nothing is ever deleted.",
    "A run is planned, then running under a lease of its device, and ends as ok, failed, refuted or superseded; "
    "imported ones come from other tools. An ok session with parity can be accepted into the baseline of its "
    "comparison key.",
    "RUN is an id, the beginning of one (4 characters or more), or the word last: the one that began last.",
    "Exit codes: 0 done, 1 refused, 2 usage, or no project here, 3 the preflight or a command failed, 4 the ledger is "
    "damaged, busy or cannot be read or written, 6 no such run or gate, 7 --judge could not judge, 130 interrupted.",
    NULL};

const cli_command cli_command_run = {
    .name = "run",
    .summary = "begin, execute, finish, accept, list and show runs",
    .usage = "COMMAND [option...]",
    .paragraphs = paragraphs,
    .verbs = verbs,
    .run = run,
};
