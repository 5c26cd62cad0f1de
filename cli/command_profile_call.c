/* SPDX-License-Identifier: Apache-2.0 */
/* The frame around every command on profiles: arguments, the open store, remarks, errors and the exit code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command_profile.h"
#include "message.h"
#include "output.h"
#include "project.h"
#include "terminal.h"

const char *const cli_profile_formats[] = {"1", "2", NULL};
const char *const cli_profile_kinds[] = {"calibrated", "override", "imported", NULL};

static void hear(void *user, sy_log_level level, const char *message)
{
    cli_heard *heard = user;

    if (level < SY_LOG_WARNING || heard->count == sizeof(heard->texts) / sizeof(heard->texts[0]))
        return;
    snprintf(heard->texts[heard->count++], sizeof(heard->texts[0]), "%s", message);
}

static bool is_damaged(const sy_layer_info *layer)
{
    return layer->status != SY_OK && layer->status != SY_NOT_FOUND;
}

/* Whether an error that is told anyway holds the reason of this warning. */
static bool is_told(const cli_profile_call *call, const char *warning, const sy_error *err)
{
    if (err->status != SY_OK && strstr(warning, err->what) != NULL)
        return true;
    for (size_t i = 0; i < call->report.layer_count; i++) {
        const sy_layer_info *layer = &call->layers[i];

        if (is_damaged(layer) && layer->message[0] != '\0' && strstr(warning, layer->message) != NULL)
            return call->reads;
    }
    return false;
}

static void tell_heard(const cli_profile_call *call, const sy_error *err)
{
    for (size_t i = 0; !call->arguments.common.quiet && i < call->heard.count; i++) {
        if (!is_told(call, call->heard.texts[i], err))
            cli_remark(call->heard.texts[i]);
    }
}

sy_status cli_profile_damage(const cli_profile_call *call)
{
    for (size_t i = 0; i < call->report.layer_count; i++) {
        if (is_damaged(&call->layers[i]))
            return call->layers[i].status;
    }
    return SY_OK;
}

sy_status cli_profile_fail_layer(const sy_layer_info *layer, sy_error *err)
{
    (void)cli_fail(err, layer->status, "%s", layer->message);
    if (layer->status == SY_CORRUPT)
        cli_hint(err, "all findings: steelyard profile check; its whole profiles: steelyard profile repair");
    return layer->status;
}

/* Errors of layers: what was printed is without them. Returns the exit code. */
static int tell_damage(const cli_profile_call *call, const sy_error *told)
{
    int code = CLI_DONE;

    for (size_t i = 0; i < call->report.layer_count; i++) {
        const sy_layer_info *layer = &call->layers[i];
        sy_error err;
        int found;

        if (!is_damaged(layer) || (told->status != SY_OK && strcmp(told->what, layer->message) == 0))
            continue;
        (void)cli_profile_fail_layer(layer, &err);
        found = cli_report(call->command->name, NULL, &err);
        code = code == CLI_DONE ? found : code;
    }
    return code;
}

static int conclude(cli_profile_call *call, sy_error *err)
{
    int code = call->code;
    int damage;

    sy_log_set_sink(NULL, NULL);
    tell_heard(call, err);
    /* What is not found may stand in a file that could not be read: that is the error then. */
    if (err->status == SY_NOT_FOUND && call->reads && cli_profile_damage(call) != SY_OK)
        *err = (sy_error)SY_ERROR_INIT;
    if (err->status != SY_OK) {
        err->position = (sy_position){0, 0, 0}; /* the store's texts name their line themselves */
        if (err->status == SY_IO && err->hint[0] == '\0' && !call->reads && call->store != NULL)
            cli_hint(err, "nothing was changed: mend that, or name another file with --store");
        code = cli_report(call->command->name, NULL, err);
        if (err->status == SY_NOT_FOUND)
            code = CLI_NOTHING;
    }
    if (call->reads) {
        damage = tell_damage(call, err);
        code = damage != CLI_DONE ? damage : code;
    }
    return code;
}

/* Opens the project that this folder is in, when first asked; without one there is nothing to look into. */
static bool prove(void *user, const sy_profile *profile, sy_proof_state *ret_state)
{
    cli_profile_call *call = user;
    const cli_project_arguments here = {NULL, NULL};
    sy_recorded recorded;

    if (!call->has_looked && cli_project_open(&here, CLI_LEDGER_READ, &call->project, NULL) != SY_OK)
        call->project = NULL;
    call->has_looked = true;
    if (call->project == NULL ||
        snprintf(recorded.run, sizeof(recorded.run), "%s", profile->evidence_run) >= (int)sizeof(recorded.run) ||
        snprintf(recorded.digest, sizeof(recorded.digest), "%s", profile->evidence_digest) >=
            (int)sizeof(recorded.digest))
        return false;
    return sy_project_prove(call->project, &recorded, ret_state, NULL) == SY_OK;
}

static void finish(cli_profile_call *call)
{
    sy_project_close(call->project);
    cli_profile_leave_here(call);
    sy_store_close(call->store);
    free(call->layers);
    free(call->structure);
    cli_names_finish(&call->arguments.layers);
    cli_names_finish(&call->arguments.structure);
    cli_names_finish(&call->arguments.verify);
    cli_names_finish(&call->arguments.measurements);
}

int cli_profile_run(const cli_command *command, int argc, char **argv, cli_profile_action action)
{
    cli_profile_call call = {.command = command,
                             .arguments = {.lock_timeout_ns = UINT64_C(60000000000),
                                           .format = CLI_PROFILE_ANY,
                                           .kind = CLI_PROFILE_ANY,
                                           .alternatives = 16,
                                           .margin = 0.1}};
    sy_error err = SY_ERROR_INIT;
    int code = cli_command_begin(command, argc, argv, &call.arguments, &call.operands);

    if (code < 0) {
        sy_status status;

        call.report.now_utc_s = (int64_t)time(NULL);
        call.report.prove = prove;
        call.report.user = &call;
        sy_log_set_sink(hear, &call.heard);
        status = cli_profile_fill_here(&call, &err);
        if (status == SY_OK)
            status = action(&call, &err);
        err.status = status;
        code = conclude(&call, &err);
    }
    finish(&call);
    return code;
}

sy_store_options cli_profile_store_options(const cli_profile_call *call, const char *path)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;

    options.path = path;
    options.environment_layers = false;
    options.lock_timeout_ns = call->arguments.lock_timeout_ns;
    if (call->arguments.format != CLI_PROFILE_ANY)
        options.new_file_format = call->arguments.format + 1;
    return options;
}

/* What the store says of its layers, for reports. */
static sy_status note_layers(cli_profile_call *call, sy_error *err)
{
    size_t count = sy_store_layer_count(call->store);
    sy_status status = SY_OK;

    call->layers = calloc(count, sizeof(call->layers[0]));
    if (call->layers == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for the layers of the store");
    for (size_t i = 0; status == SY_OK && i < count; i++)
        status = sy_store_layer(call->store, i, &call->layers[i], err);
    call->report.layers = call->layers;
    call->report.layer_count = count;
    call->report.store = call->store;
    return status;
}

static void add_layers(const cli_profile_call *call, sy_store_options *options)
{
    options->layers = (const char *const *)call->arguments.layers.names;
    options->layer_count = call->arguments.layers.count;
    options->environment_layers = true;
}

sy_status cli_profile_open_to_read(cli_profile_call *call, sy_error *err)
{
    sy_store_options options = cli_profile_store_options(call, call->arguments.store);
    sy_status status;

    add_layers(call, &options);
    call->reads = true;
    status = sy_store_open(&options, &call->store, err);
    return status == SY_OK ? note_layers(call, err) : status;
}

sy_status cli_profile_open_to_write(cli_profile_call *call, sy_error *err)
{
    sy_store_options options = cli_profile_store_options(call, call->arguments.store);
    sy_status status;

    if (call->looks_below)
        add_layers(call, &options);
    status = sy_store_open(&options, &call->store, err);
    if (status == SY_OK)
        status = note_layers(call, err);
    if (status == SY_OK && call->layers[0].path[0] == '\0') {
        (void)cli_fail(err, SY_IO, "%s", call->layers[0].message);
        cli_hint(err, "nothing was stored: name a file with --store FILE");
        status = SY_IO;
    }
    return status;
}

sy_status cli_profile_open_existing(cli_profile_call *call, sy_error *err)
{
    sy_status status = cli_profile_open_to_write(call, err);

    if (status == SY_OK && call->layers[0].status == SY_NOT_FOUND)
        status = cli_fail(err, SY_NOT_FOUND, "there is no file '%s'", call->layers[0].path);
    return status;
}

const char *cli_profile_path(const cli_profile_call *call)
{
    if (call->report.layer_count > 0)
        return call->layers[0].path;
    return call->arguments.store != NULL ? call->arguments.store : "";
}

sy_status cli_profile_no_words(const cli_profile_call *call, sy_error *err)
{
    if (call->operands.count == 0)
        return SY_OK;
    return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': %s takes no words, only options", call->operands.words[0],
                    call->command->name);
}

sy_status cli_profile_print(sy_status status, char *text)
{
    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status;
}

sy_status cli_profile_print_change(const cli_profile_call *call, const sy_report_change *change, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&call->arguments.common);
    char *text = NULL;
    sy_status status = call->arguments.common.json ? sy_report_profile_change_json(change, &text, err)
                                                   : sy_report_profile_change(change, &style, &text, err);

    return cli_profile_print(status, text);
}
