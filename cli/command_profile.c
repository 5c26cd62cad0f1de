/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard profile: the group of commands on stored decisions. */
#include <stdio.h>

#include "command_profile.h"

static int run(int argc, char **argv)
{
    return cli_command_run_verb(&cli_command_profile, argc, argv);
}

static const cli_command *const verbs[] = {
    &cli_profile_put,    &cli_profile_list,    &cli_profile_show,
    &cli_profile_lookup, &cli_profile_explain, &cli_profile_override,
    &cli_profile_remove, &cli_profile_convert, &cli_profile_merge,
    &cli_profile_digest, &cli_profile_use,     &cli_profile_check,
    &cli_profile_repair, &cli_profile_import,  &cli_profile_export,
    &cli_profile_lint,   &cli_profile_keygen,  NULL,
};

static const char *const paragraphs[] = {
    "A profile is a stored decision: which policy to use for an operator on a backend, with the measurements and the "
    "evidence for it. Its key is exact (model, processor, threads) or portable (structure of the problem). Profiles "
    "are "
    "kept in a file, the store, which any number of processes may read and write at once.",
    "A question is answered in this order: exact override, portable override, exact calibrated profile, portable "
    "calibrated profile; within a rank by the writable file first, then by the read-only layers.",
    "Without --store the file is steelyard/profiles below XDG_CACHE_HOME, else below HOME/.cache. "
    "STEELYARD_PROFILE_PATH names more files, separated by colons, that are only read.",
    "Exit codes: 0 done, 1 refused, 2 usage, 4 a file that is damaged or cannot be read or written, 6 nothing there.",
    NULL};

const cli_command cli_command_profile = {
    .name = "profile",
    .summary = "store, look up, explain and mend decisions",
    .usage = "COMMAND [option...]",
    .paragraphs = paragraphs,
    .verbs = verbs,
    .run = run,
};
