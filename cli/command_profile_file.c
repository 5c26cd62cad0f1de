/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard profile convert, check and repair: whole files. */
#include <stdio.h>
#include <string.h>

#include "command_profile.h"
#include "message.h"
#include "terminal.h"

static sy_status act_convert(cli_profile_call *call, sy_error *err)
{
    sy_put_result result;
    sy_status status = cli_profile_no_words(call, err);

    if (status == SY_OK && call->arguments.format == CLI_PROFILE_ANY)
        status = cli_fail(err, SY_INVALID_ARGUMENT, "--format is missing: 1 or 2");
    if (status == SY_OK)
        status = cli_profile_open_existing(call, err);
    if (status == SY_OK)
        status = sy_store_convert(call->store, call->arguments.format + 1, &result, err);
    if (status == SY_OK) {
        sy_report_change change = {
            .action = "convert",
            .path = cli_profile_path(call),
            .converted = result.stored,
            .format = result.format,
            .not_kept = result.not_kept,
        };

        status = cli_profile_print_change(call, &change, err);
    }
    return status;
}

/* The one file that is meant: the word, --store, or the user's own. *ret_own is freed by the caller. */
static sy_status find_file(const cli_profile_call *call, const char **ret_path, char **ret_own, sy_error *err)
{
    char *note = NULL;
    sy_status status;

    if (call->operands.count > 1)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': one file at a time", call->operands.words[1]);
    if (call->operands.count == 1 && call->arguments.store != NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s' and --store: one file at a time", call->operands.words[0]);
    if (call->operands.count == 1 || call->arguments.store != NULL) {
        *ret_path = call->operands.count == 1 ? call->operands.words[0] : call->arguments.store;
        return SY_OK;
    }
    status = sy_store_default_path(SY_PLATFORM_POSIX, NULL, ret_own, &note, err);
    if (status == SY_OK && *ret_own == NULL) {
        status = cli_fail(err, SY_NOT_FOUND, "%s", note);
        cli_hint(err, "name a file");
    }
    sy_text_free(note);
    *ret_path = *ret_own;
    return status;
}

static sy_status tell_check(const cli_profile_call *call, const char *path, const sy_store_report *report,
                            sy_error *err)
{
    sy_report_style style = cli_terminal_style(&call->arguments.common);
    char *text = NULL;
    sy_status status = call->arguments.common.json ? sy_report_profile_check_json(path, report, &text, err)
                                                   : sy_report_profile_check(path, report, &style, &text, err);

    status = cli_profile_print(status, text);
    if (status != SY_OK || report->status == SY_OK)
        return status;
    if (report->status == SY_VERSION_UNSUPPORTED) {
        status = cli_fail(err, report->status, "'%s' is of a version that this steelyard does not know", path);
        cli_hint(err, "use a newer steelyard");
        return status;
    }
    status = cli_fail(err, report->status, "'%s' is damaged: no process writes to it", path);
    cli_hint(err, "steelyard profile repair keeps its whole profiles");
    return status;
}

static sy_status act_check(cli_profile_call *call, sy_error *err)
{
    sy_store_report *report = NULL;
    const char *path = NULL;
    char *own = NULL;
    sy_status status = find_file(call, &path, &own, err);

    if (status == SY_OK)
        status = sy_store_check_file(path, &report, err);
    if (status == SY_OK)
        status = tell_check(call, path, report, err);
    sy_store_report_destroy(report);
    sy_text_free(own);
    return status;
}

static sy_status act_repair(cli_profile_call *call, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&call->arguments.common);
    sy_store_options options = cli_profile_store_options(call, NULL);
    sy_repair_result result;
    const char *path = NULL;
    char *own = NULL;
    char *text = NULL;
    sy_status status = find_file(call, &path, &own, err);

    if (status == SY_OK)
        status = sy_store_repair(path, &options, &result, err);
    if (status == SY_OK) {
        status = call->arguments.common.json ? sy_report_profile_repair_json(path, &result, &text, err)
                                             : sy_report_profile_repair(path, &result, &style, &text, err);
        status = cli_profile_print(status, text);
    }
    sy_text_free(own);
    return status;
}

static const cli_option convert_options[] = {
    CLI_PROFILE_FORMAT_OPTION("1: exchanged with onnx-light; 2: Steelyard's own, which holds all"),
    CLI_PROFILE_STORE_OPTION,
    CLI_PROFILE_LOCK_OPTION,
    CLI_JSON_OPTION,
};

static const cli_option check_options[] = {
    CLI_PROFILE_STORE_OPTION,
    CLI_JSON_OPTION,
};

static const cli_option repair_options[] = {
    CLI_PROFILE_STORE_OPTION,
    CLI_PROFILE_LOCK_OPTION,
    CLI_JSON_OPTION,
};

static int run_convert(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_convert, argc, argv, act_convert);
}

static int run_check(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_check, argc, argv, act_check);
}

static int run_repair(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_repair, argc, argv, act_repair);
}

static const char *const convert_paragraphs[] = {
    "Rewrites the file in another format. Format 1 holds less: what is lost is said, and what would then read as "
    "something else (an expiry, an undecided or imported profile, control bytes) is refused, with nothing changed.",
    NULL};

static const char *const check_paragraphs[] = {
    "Reads a file and tells all that is wrong with it, one line each, and how many profiles are whole. Nothing is "
    "changed. Exit code 4 when it is damaged, 6 when there is no file.",
    NULL};

static const char *const repair_paragraphs[] = {
    "Puts a file with the whole profiles in place of a damaged one, which is kept beside it as FILE.corrupt-TIME. A "
    "file that is whole, or of a later version, is left as it is.",
    NULL};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const cli_command cli_profile_convert = {
    .name = "profile convert",
    .summary = "rewrite a file in format 1 or 2",
    .usage = "--format N [option...]",
    .paragraphs = convert_paragraphs,
    .options = convert_options,
    .option_count = COUNT(convert_options),
    .run = run_convert,
};

const cli_command cli_profile_check = {
    .name = "profile check",
    .summary = "tell all that is wrong with a file",
    .usage = "[FILE] [option...]",
    .paragraphs = check_paragraphs,
    .options = check_options,
    .option_count = COUNT(check_options),
    .completion = CLI_COMPLETE_FILES,
    .run = run_check,
};

const cli_command cli_profile_repair = {
    .name = "profile repair",
    .summary = "keep the whole profiles of a damaged file",
    .usage = "[FILE] [option...]",
    .paragraphs = repair_paragraphs,
    .options = repair_options,
    .option_count = COUNT(repair_options),
    .completion = CLI_COMPLETE_FILES,
    .run = run_repair,
};
