/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard profile use: counts calls of a stored decision, for engines that are scripts. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "command_profile.h"
#include "message.h"
#include "output.h"

static sy_status act_use(cli_profile_call *call, sy_error *err)
{
    const cli_profile_arguments *a = &call->arguments;
    sy_profile_tally tally = {.kind = a->kind == CLI_PROFILE_ANY ? SY_PROFILE_CALIBRATED : (sy_profile_kind)a->kind};
    size_t placed = 0;
    char line[64];
    sy_status status = cli_profile_no_words(call, err);

    if (status == SY_OK)
        status = cli_profile_key(call, &tally.key, err);
    if (status == SY_OK && a->calls == 0)
        status = cli_fail(err, SY_INVALID_ARGUMENT, "--calls is missing: how often the decision was used");
    if (status == SY_OK)
        status = cli_profile_open_to_write(call, err);
    if (status != SY_OK)
        return status;
    tally.use.calls = a->calls;
    if (a->seconds > 0) {
        tally.use.timed_calls = a->calls;
        tally.use.seconds = a->seconds;
    }
    status = sy_store_tally(call->store, &tally, 1, &placed, err);
    if (status == SY_OK && placed == 0) {
        status = cli_fail(err, SY_NOT_FOUND, "there is no %s profile of that key in '%s'",
                          sy_profile_kind_word(tally.kind), cli_profile_path(call));
        cli_hint(err, "those of read-only layers are not counted; see steelyard profile list");
    }
    if (status == SY_OK) {
        (void)snprintf(line, sizeof(line), "%" PRIu64 " calls added\n", a->calls);
        cli_output_write(line);
    }
    return status;
}

static const cli_option options[] = {
    CLI_PROFILE_KEY_OPTIONS,
    CLI_PROFILE_KIND_OPTION("calibrated unless given"),
    {.name = "calls",
     .argument = "N",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = 9007199254740992.0,
     .group = CLI_PROFILE_KEY_GROUP,
     .help = "how often the decision was used since the last report",
     CLI_PROFILE_INTO(calls)},
    {.name = "seconds",
     .argument = "S",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = 1e15,
     .group = CLI_PROFILE_KEY_GROUP,
     .help = "what these calls took together; without it the reference's time a call is taken from the probe",
     CLI_PROFILE_INTO(seconds)},
    CLI_PROFILE_STORE_OPTION,
    CLI_PROFILE_LOCK_OPTION,
};

static int run(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_use, argc, argv, act_use);
}

static const char *const paragraphs[] = {
    "Adds to the count of calls that used a stored decision, so that profile list can say what it has saved. Programs "
    "that link the library report with sy_selector_report_use.",
    NULL};

const cli_command cli_profile_use = {
    .name = "profile use",
    .summary = "count that a stored decision was used",
    .usage = "KEY --calls N [--seconds S] [option...]",
    .paragraphs = paragraphs,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
