/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard doctor: how fit this machine is to measure on, now, and what to mend first. */
#include <stdio.h>
#include <steelyard/doctor.h>
#include <steelyard/report.h>
#include <sys/stat.h>

#include "command.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

typedef struct doctor_arguments {
    cli_common common;
    uint64_t observe_ns;
    const char *root;
    const char *later;
} doctor_arguments;

static const cli_option options[] = {
    {.name = "observe",
     .argument = "SECONDS",
     .standard = "1",
     .kind = CLI_SECONDS,
     .group = "What is looked at",
     .help = "how long the machine is watched, the measurement included",
     CLI_INTO(doctor_arguments, observe_ns)},
    {.name = "root",
     .argument = "FOLDER",
     .kind = CLI_TEXT,
     .group = "What is looked at",
     .completion = CLI_COMPLETE_FILES,
     .help = "recorded proc and sys trees of a machine, in place of this one; nothing is measured then",
     CLI_INTO(doctor_arguments, root)},
    {.name = "later",
     .argument = "FOLDER",
     .kind = CLI_TEXT,
     .group = "What is looked at",
     .completion = CLI_COMPLETE_FILES,
     .help = "with --root: the same trees recorded a little later, which shows what happened meanwhile",
     CLI_INTO(doctor_arguments, later)},
    CLI_JSON_OPTION};

/* A folder that is not there would look like a machine that tells nothing. */
static sy_status check_folder(const char *option, const char *path, sy_error *err)
{
    struct stat facts;

    if (path == NULL || (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)))
        return SY_OK;
    return cli_fail(err, SY_INVALID_ARGUMENT, "--%s %s: there is no such folder", option, path);
}

static sy_status check(const doctor_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    if (operands->count > 0)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': doctor takes no words", operands->words[0]);
    if (arguments->later != NULL && arguments->root == NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--later %s: only with --root", arguments->later);
    return check_folder("root", arguments->root, err) == SY_OK ? check_folder("later", arguments->later, err)
                                                               : SY_INVALID_ARGUMENT;
}

static int run(int argc, char **argv)
{
    sy_doctor_options doctor_options = SY_DOCTOR_OPTIONS_INIT;
    doctor_arguments arguments = {.observe_ns = doctor_options.observe_ns};
    cli_operands operands;
    sy_doctor_result *result = NULL;
    char *text = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status;
    int code = cli_command_begin(&cli_command_doctor, argc, argv, &arguments, &operands);

    if (code >= 0)
        return code;
    status = check(&arguments, &operands, &err);
    doctor_options.observe_ns = arguments.observe_ns;
    doctor_options.root = arguments.root;
    doctor_options.later_root = arguments.later;
    if (status == SY_OK)
        status = sy_doctor(&doctor_options, &result, &err);
    if (status == SY_OK && arguments.common.json) {
        status = sy_report_doctor_json(result, &text, &err);
    } else if (status == SY_OK) {
        sy_report_style style = cli_terminal_style(&arguments.common);

        status = sy_report_doctor(result, &style, &text, &err);
    }
    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    sy_doctor_result_destroy(result);
    return status == SY_OK ? CLI_DONE : cli_report("doctor", NULL, &err);
}

static const char *const paragraphs[] = {
    "Says how fit this machine is to measure on, now: the clock and its cost, the noise of a small kernel against "
    "itself and the gain that a probe could show with it, what other work, a hypervisor, heat or a quota take away, "
    "and how the machine is set up. Each check is good, look (it may disturb) or bad (it does); what the system does "
    "not tell is "
    "unknown. At the end stands the one thing to mend first.",
    "Nothing is changed. It takes a second, and a processor for 0.2 s of it. The exit code is 0 whatever was found.",
    NULL};

static const char *const examples[] = {"steelyard doctor",
                                       "What should be mended before I measure here?",
                                       "taskset -c 1 steelyard doctor --observe 10",
                                       "Is processor 1 quieter?",
                                       "steelyard doctor --json",
                                       "The same for a program.",
                                       NULL};

const cli_command cli_command_doctor = {
    .name = "doctor",
    .summary = "say how fit this machine is to measure on, and what to mend first",
    .usage = "[option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
