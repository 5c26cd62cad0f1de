/* SPDX-License-Identifier: Apache-2.0 */
/* Records what probe and measure find, in the project's ledger. */
#include "recorded_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "interrupt.h"
#include "message.h"
#include "run_call.h"
#include "run_descriptor.h"

void cli_recording_take_words(cli_recording *recording, int argc, char **argv)
{
    recording->argv = calloc((size_t)argc + 1, sizeof(*recording->argv));
    if (recording->argv == NULL)
        return;
    recording->argv[0] = "steelyard";
    for (int i = 0; i < argc; i++)
        recording->argv[i + 1] = argv[i];
    recording->argc = (size_t)argc + 1;
}

static sy_status check(const cli_recording_arguments *arguments, sy_error *err)
{
    const char *name = arguments->gate != NULL               ? "gate"
                       : arguments->keys.count > 0           ? "key"
                       : arguments->wait_ns > 0              ? "wait"
                       : arguments->project.root != NULL     ? "root"
                       : arguments->project.evidence != NULL ? "evidence"
                                                             : NULL;

    if (!arguments->record && name != NULL) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--%s: only with --record", name);
        return SY_INVALID_ARGUMENT;
    }
    if (arguments->record && cli_run_lines_are_heard()) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--record: this command is part of a run that is recorded already");
        cli_hint(err, "leave it out: what is measured goes into that run");
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

sy_status cli_recording_open(cli_recording *recording, const cli_recording_arguments *arguments, bool quiet,
                             sy_error *err)
{
    sy_status status = check(arguments, err);

    recording->arguments = arguments;
    recording->quiet = quiet;
    if (status != SY_OK || !arguments->record)
        return status;
    if (recording->argv == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for the words of the command");
    recording->key_count = arguments->keys.count;
    status = cli_run_pairs(&arguments->keys, "key", &recording->key, err);
    return status == SY_OK ? cli_project_open(&arguments->project, CLI_LEDGER_RECORD, &recording->project, err)
                           : status;
}

sy_status cli_recording_begin(cli_recording *recording, sy_run_kind kind, sy_device *device,
                              const sy_recording_options *describe, sy_error *err)
{
    sy_recording_options options = *describe;
    sy_device_info info;
    char software[65];
    sy_status status;

    if (recording->project == NULL)
        return SY_OK;
    status = sy_device_describe(device, &info, err);
    if (status == SY_OK)
        status = sy_suite_software(device, describe->suite, software, err);
    if (status != SY_OK)
        return status;
    options.device = &info;
    options.software = software;
    options.gate = recording->arguments->gate;
    options.key = recording->key;
    options.key_count = recording->key_count;
    options.argv = recording->argv;
    options.argc = recording->argc;
    options.wait_ns = recording->arguments->wait_ns;
    options.cancelled = cli_interrupt_asked;
    status = sy_recording_begin(recording->project, kind, &options, &recording->run, err);
    recording->lacks_gate = status == SY_NOT_FOUND;
    return status;
}

int cli_recording_exit(const cli_recording *recording, int code)
{
    return recording->lacks_gate ? CLI_NOTHING : code;
}

/* Which run it is, and why it can be compared to none, if that is so. */
static void say(const cli_recording *recording)
{
    const char *unknown = sy_recording_unknown(recording->run);
    char line[1024];

    if (recording->quiet)
        return;
    (void)snprintf(line, sizeof(line), "recorded as run %s", sy_recording_run(recording->run));
    cli_remark(line);
    if (unknown[0] != '\0') {
        (void)snprintf(line, sizeof(line), "its comparison key equals nothing: unknown are %s (--key NAME=VALUE)",
                       unknown);
        cli_remark(line);
    }
}

/* A run that could not take its result says so, if it can say that much. */
static sy_status end(cli_recording *recording, sy_status status, const sy_error *err)
{
    sy_error unwritten = SY_ERROR_INIT;

    if (status == SY_OK)
        say(recording);
    else if (sy_recording_fail(recording->run, err->what, &unwritten) != SY_OK)
        cli_remark(unwritten.what);
    sy_recording_close(recording->run);
    recording->run = NULL;
    return status;
}

sy_status cli_recording_keep_probe(cli_recording *recording, const sy_probe_result *result, sy_recorded *ret_recorded,
                                   sy_error *err)
{
    if (recording->run == NULL)
        return SY_OK;
    return end(recording, sy_recording_keep_probe(recording->run, result, ret_recorded, err), err);
}

sy_status cli_recording_keep_measure(cli_recording *recording, const sy_measure_result *result, sy_error *err)
{
    if (recording->run == NULL)
        return SY_OK;
    return end(recording, sy_recording_keep_measure(recording->run, result, NULL, err), err);
}

void cli_recording_give_up(cli_recording *recording, const sy_error *err)
{
    sy_error unwritten = SY_ERROR_INIT;

    if (recording->run != NULL && sy_recording_fail(recording->run, err->what, &unwritten) != SY_OK)
        cli_remark(unwritten.what);
    sy_recording_close(recording->run);
    recording->run = NULL;
}

sy_status cli_recording_link(cli_recording *recording, const sy_recorded *recorded, const sy_run_profile *profile,
                             sy_error *err)
{
    return recording->project != NULL && recorded->run[0] != '\0'
               ? sy_project_link_profile(recording->project, recorded->run, profile, err)
               : SY_OK;
}

void cli_recording_close(cli_recording *recording)
{
    sy_recording_close(recording->run);
    sy_project_close(recording->project);
    free(recording->key);
    free(recording->argv);
    *recording = (cli_recording){.arguments = NULL};
}

void cli_recording_finish(cli_recording_arguments *arguments)
{
    cli_names_finish(&arguments->keys);
}
