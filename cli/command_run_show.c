/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard run show and run summary: all that is known of one run, for people, programs and documents. */
#include <stdlib.h>
#include <steelyard/report.h>

#include "command_runs.h"
#include "message.h"
#include "output.h"
#include "project.h"
#include "terminal.h"

/* A text for people shows how samples lie; more of them than this are left where they are. */
#define SAMPLES_MAX UINT64_C(1000000)

typedef struct show_arguments {
    cli_common common;
    cli_project_arguments project;
    bool samples;
} show_arguments;

/* One of the two while it runs. */
typedef struct show_call {
    const cli_command *command;
    show_arguments arguments;
    cli_operands operands;
    sy_project *project;
    sy_run *run;
    double **samples;                /* of each series; NULL where they were not read */
    sy_promotion_standing *standing; /* NULL: it is not promoted */
    sy_error damaged;                /* the first series whose samples could not be read */
} show_call;

typedef sy_status (*show_text)(show_call *call, const sy_report_run_view *view, char **ret_text, sy_error *err);

static sy_status read_samples(show_call *call, sy_error *err)
{
    call->samples = calloc(call->run->series_count + 1, sizeof(call->samples[0]));
    if (call->samples == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for samples");
    for (size_t i = 0; i < call->run->series_count; i++) {
        const sy_run_series *series = &call->run->series[i];
        double *samples = NULL;
        size_t count = 0;
        sy_error damage = SY_ERROR_INIT;
        sy_status status = sy_ledger_samples(sy_project_ledger(call->project), series->digest, &samples, &count,
                                             &damage);

        if (status == SY_OK && count == series->count && count > 0) {
            call->samples[i] = samples;
            continue;
        }
        sy_samples_free(samples);
        if (status == SY_NO_MEMORY) {
            *err = damage;
            return status;
        }
        if (status == SY_OK && count != series->count)
            (void)cli_fail(&damage, SY_CORRUPT, "series %s: %zu samples are kept, not %zu", series->name, count,
                           series->count);
        if (call->damaged.status == SY_OK)
            call->damaged = damage;
    }
    return SY_OK;
}

static sy_status act(show_call *call, show_text text_of, sy_error *err)
{
    bool wants_samples = call->arguments.samples;
    sy_report_run_view view = {NULL, NULL, NULL};
    char *text = NULL;
    sy_status status;

    if (call->operands.count != 1) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "%s takes one word, the run's id; %zu given", call->command->name,
                       call->operands.count);
        cli_hint(err, "the newest: steelyard %s last; all: steelyard run list", call->command->name);
        return SY_INVALID_ARGUMENT;
    }
    if (call->arguments.samples && !call->arguments.common.json) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--samples is for --json: a page would not hold them");
        cli_hint(err, "steelyard %s %s --json --samples", call->command->name, call->operands.words[0]);
        return SY_INVALID_ARGUMENT;
    }
    status = cli_project_open(&call->arguments.project, CLI_LEDGER_READ, &call->project, err);
    if (status == SY_OK)
        status = sy_ledger_run(sy_project_ledger(call->project), call->operands.words[0], &call->run, err);
    if (status != SY_OK)
        return status;
    if (!call->arguments.common.json)
        wants_samples = call->run->row.sample_count <= SAMPLES_MAX;
    if (wants_samples)
        status = read_samples(call, err);
    if (status == SY_OK && call->run->row.promoted > 0)
        status = sy_project_promotion_standing(call->project, call->run, &call->standing, err);
    view = (sy_report_run_view){call->run, (const double *const *)call->samples, call->standing};
    if (status == SY_OK)
        status = text_of(call, &view, &text, err);
    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status;
}

static void finish(show_call *call)
{
    for (size_t i = 0; call->samples != NULL && i < call->run->series_count; i++)
        sy_samples_free(call->samples[i]);
    free(call->samples);
    sy_promotion_standing_destroy(call->standing);
    sy_run_destroy(call->run);
    sy_project_close(call->project);
}

static int run_call(const cli_command *command, show_text text_of, int argc, char **argv)
{
    show_call call = {.command = command, .damaged = SY_ERROR_INIT};
    sy_error err = SY_ERROR_INIT;
    int code = cli_command_begin(command, argc, argv, &call.arguments, &call.operands);
    bool has_project;
    sy_status status;

    if (code >= 0)
        return code;
    status = act(&call, text_of, &err);
    has_project = call.project != NULL;
    if (status == SY_OK && call.damaged.status != SY_OK) {
        finish(&call);
        (void)cli_report(command->name, NULL, &call.damaged);
        return CLI_DATA;
    }
    finish(&call);
    if (status == SY_OK)
        return CLI_DONE;
    code = cli_report(command->name, NULL, &err);
    return status == SY_NOT_FOUND && has_project ? CLI_NOTHING : code;
}

static sy_status text_of_run(show_call *call, const sy_report_run_view *view, char **ret_text, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&call->arguments.common);

    return call->arguments.common.json ? sy_report_run_json(view, ret_text, err)
                                       : sy_report_run(view, &style, ret_text, err);
}

static sy_status text_of_summary(show_call *call, const sy_report_run_view *view, char **ret_text, sy_error *err)
{
    (void)call;
    return sy_report_run_markdown(view, ret_text, err);
}

static int run_show(int argc, char **argv)
{
    return run_call(&cli_run_show, text_of_run, argc, argv);
}

static int run_summary(int argc, char **argv)
{
    return run_call(&cli_run_summary, text_of_summary, argc, argv);
}

static const cli_option show_options[] = {
    {.name = "samples",
     .kind = CLI_FLAG,
     .group = "Output",
     .help = "with --json: every sample of every series too",
     CLI_INTO(show_arguments, samples)},
    CLI_PROJECT_OPTIONS(show_arguments, project),
    CLI_JSON_OPTION,
};

static const cli_option summary_options[] = {
    CLI_PROJECT_OPTIONS(show_arguments, project),
};

static const char *const show_paragraphs[] = {
    "Shows all that the ledger knows of a run: its question, what was measured and where, each series with n, p50, p95 "
    "(nearest rank) and max, parity, memory with its basis and scope, the comparison key with what is unknown in it, "
    "checks, commands and kept files by their digests; its verdicts, changes, sign-offs and promotions.",
    "RUN is an id, the beginning of one (4 characters or more), or the word last. Exit code 6 when there is none.",
    NULL};

static const char *const summary_paragraphs[] = {
    "Prints a run's dated summary as Markdown, for a project's documents: question, setup, numbers, conclusion. No "
    "sample is left out of the numbers; a first one that stands apart is named.",
    NULL};

static const char *const show_examples[] = {"steelyard run show last", "The run that began last.",
                                            "steelyard run show 2026 --json --samples",
                                            "The only run whose id begins so, with all samples, for a program.", NULL};
static const char *const summary_examples[] = {"steelyard run summary last >docs/2026-11-29-matmul.md",
                                               "Into the project's documents.", NULL};

const cli_command cli_run_show = {
    .name = "run show",
    .summary = "show all that is known of a run",
    .usage = "RUN [option...]",
    .paragraphs = show_paragraphs,
    .examples = show_examples,
    .options = show_options,
    .option_count = sizeof(show_options) / sizeof(show_options[0]),
    .run = run_show,
};

const cli_command cli_run_summary = {
    .name = "run summary",
    .summary = "print a run's dated summary as Markdown",
    .usage = "RUN [option...]",
    .paragraphs = summary_paragraphs,
    .examples = summary_examples,
    .options = summary_options,
    .option_count = sizeof(summary_options) / sizeof(summary_options[0]),
    .run = run_summary,
};
