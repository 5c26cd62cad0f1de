/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard profile lint: what is suspicious in a file of decisions, ours or another tuner's. */
#include <string.h>

#include "command_profile.h"
#include "message.h"
#include "terminal.h"

static const char *const formats[] = {"auto",         "tunableop", "miopen",   "miopen-1",
                                      "kernel-tuner", "t4",        "profiles", NULL};

static sy_status act(cli_profile_call *call, sy_error *err)
{
    const cli_profile_arguments *arguments = &call->arguments;
    sy_report_style style = cli_terminal_style(&arguments->common);
    sy_tuning_format format = SY_TUNING_AUTO;
    sy_tuning_options options;
    sy_tuning_lint *lint = NULL;
    const char *path = call->operands.count > 0 ? call->operands.words[0] : "";
    char *text = NULL;
    sy_status status;

    if (call->operands.count != 1)
        return cli_fail(err, SY_INVALID_ARGUMENT,
                        call->operands.count == 0 ? "no file is given; - is standard input" : "one file at a time");
    if (arguments->format != CLI_PROFILE_ANY && !sy_tuning_format_read(formats[arguments->format], &format))
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s' is no format", formats[arguments->format]);
    options = cli_profile_tuning_options(call, format);
    status = sy_tuning_lint_file(path, &options, &lint, err);
    if (status == SY_INVALID_ARGUMENT || status == SY_LIMIT_EXCEEDED || status == SY_CORRUPT) {
        if (err->position.line == 0 && strstr(err->what, path) == NULL) {
            sy_error named = *err;

            (void)cli_fail(err, SY_CORRUPT, "%.120s: %s", path, named.what);
            cli_hint(err, "%s", named.hint);
        }
        call->code = cli_report(call->command->name, path, err);
        call->code = CLI_DATA;
        *err = (sy_error)SY_ERROR_INIT;
        return SY_OK;
    }
    if (status != SY_OK)
        return status;
    status = arguments->common.json ? sy_report_tuning_lint_json(path, lint, &text, err)
                                    : sy_report_tuning_lint(path, lint, &style, &text, err);
    status = cli_profile_print(status, text);
    call->code = lint->finding_total > 0 ? CLI_REFUSED : CLI_DONE;
    sy_tuning_lint_destroy(lint);
    return status;
}

static int run(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_lint, argc, argv, act);
}

static const cli_option options[] = {
    {.name = "format",
     .argument = "FORMAT",
     .standard = "auto",
     .kind = CLI_CHOICE,
     .choices = formats,
     .group = "What is suspicious",
     .help = "what the file is; auto finds out by its content",
     CLI_PROFILE_INTO(format)},
    {.name = "margin",
     .argument = "SHARE",
     .standard = "0.1",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = 1,
     .below = true,
     .group = "What is suspicious",
     .help = "by how much a larger problem must be faster than a smaller one",
     CLI_PROFILE_INTO(margin)},
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Reads a file of decisions, of steelyard or of another tuner (auto, or --format), and tells what is suspicious in "
    "it, each with its place: times that are zero, negative or infinite; a key that stands there twice with different "
    "winners; a larger problem that is faster than a smaller one of its kind; versions that are mixed; winners that "
    "are "
    "slower than what lost; words that the tuner is not known to use; times that seem to be in another unit.",
    "Nothing is changed. docs/importing.md has the rules. Exit codes: 0 nothing was found, 1 something was, 2 usage, 4 "
    "the file cannot be read, 6 there is none.",
    NULL};

static const char *const examples[] = {"steelyard profile lint tunableop_results0.csv",
                                       "before it is shipped, or trusted", NULL};

const cli_command cli_profile_lint = {
    .name = "profile lint",
    .summary = "tell what is suspicious in a file of decisions",
    .usage = "FILE [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .completion = CLI_COMPLETE_FILES,
    .run = run,
};
