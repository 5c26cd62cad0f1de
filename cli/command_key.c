/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard key: what must agree before two runs are compared, shown and held against each other. */
#include <steelyard/report.h>

#include "command.h"
#include "message.h"
#include "run_call.h"

typedef struct key_arguments {
    cli_run_arguments run;
    const char *cell;
    const char *gate;
    bool incomplete;
} key_arguments;

static sy_status show(cli_run_call *call, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status = cli_run_find(call, call->operands.words[0], &run, err);

    if (status == SY_OK)
        status = call->json ? sy_report_key_json(run, &call->text, err)
                            : sy_report_key(run, &call->style, &call->text, err);
    sy_run_destroy(run);
    return status;
}

static sy_status diff(cli_run_call *call, sy_error *err)
{
    sy_run *a = NULL;
    sy_run *b = NULL;
    sy_key_difference_list *list = NULL;
    sy_status status = cli_run_find(call, call->operands.words[0], &a, err);

    if (status == SY_OK)
        status = cli_run_find(call, call->operands.words[1], &b, err);
    if (status == SY_OK)
        status = sy_comparison_key_diff(&a->begin.key, &b->begin.key, &list, err);
    if (status == SY_OK) {
        status = call->json ? sy_report_key_difference_json(a, b, list, &call->text, err)
                            : sy_report_key_difference(a, b, list, &call->style, &call->text, err);
        call->code = list->differing_count > 0 || list->field_count == 0 ? CLI_REFUSED : CLI_DONE;
    }
    sy_key_difference_list_destroy(list);
    sy_run_destroy(b);
    sy_run_destroy(a);
    return status;
}

static sy_status list(cli_run_call *call, sy_error *err)
{
    const key_arguments *arguments = call->arguments;
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    sy_key_list *keys = NULL;
    sy_status status;

    filter.kinds = 1u << SY_RUN_KIND_SESSION;
    filter.cell = arguments->cell;
    filter.gate = arguments->gate;
    status = sy_ledger_keys(sy_project_ledger(call->project), &filter, arguments->incomplete, &keys, err);
    if (status == SY_OK)
        status = call->json ? sy_report_keys_json(keys, &call->text, err)
                            : sy_report_keys(keys, &call->style, &call->text, err);
    sy_key_list_destroy(keys);
    return status;
}

/* ---- the verbs ---- */

static const cli_command key_show;
static const cli_command key_diff;
static const cli_command key_list;

static int run_show(int argc, char **argv)
{
    key_arguments arguments = {0};

    return cli_run_verb(&key_show, 1, "one RUN", CLI_LEDGER_READ, show, &arguments, argc, argv);
}

static int run_diff(int argc, char **argv)
{
    key_arguments arguments = {0};

    return cli_run_verb(&key_diff, 2, "two runs", CLI_LEDGER_READ, diff, &arguments, argc, argv);
}

static int run_list(int argc, char **argv)
{
    key_arguments arguments = {0};

    return cli_run_verb(&key_list, 0, "no words", CLI_LEDGER_READ, list, &arguments, argc, argv);
}

static const cli_option look_options[] = {
    CLI_PROJECT_OPTIONS(key_arguments, run.project),
    CLI_JSON_OPTION,
};

static const cli_option list_options[] = {
    {.name = "cell",
     .argument = "CAPABILITY::BACKEND",
     .standard = "all",
     .kind = CLI_TEXT,
     .group = "What is listed",
     .help = "sessions of that cell",
     CLI_INTO(key_arguments, cell)},
    {.name = "gate",
     .argument = "ID",
     .standard = "all",
     .kind = CLI_TEXT,
     .group = "What is listed",
     .help = "sessions of that gate",
     CLI_INTO(key_arguments, gate)},
    {.name = "incomplete",
     .kind = CLI_FLAG,
     .group = "What is listed",
     .help = "also sessions with an unknown field, each alone: they equal nothing",
     CLI_INTO(key_arguments, incomplete)},
    CLI_PROJECT_OPTIONS(key_arguments, run.project),
    CLI_JSON_OPTION,
};

static const char *const show_paragraphs[] = {
    "Every field of the run's comparison key, in the order of the matrix; those that nobody knows are marked, and such "
    "a key equals nothing.",
    NULL};

static const char *const diff_paragraphs[] = {
    "Two runs may be compared only if every field of their keys agrees; an unknown field differs from everything, "
    "another unknown one included. Exit codes: 0 they agree, 1 they differ, 6 no such run.",
    NULL};

static const char *const list_paragraphs[] = {
    "The keys that sessions of this ledger have, how many sessions each has, how many of them are accepted and how "
    "many are missing to a baseline, which begins with five.",
    NULL};

static const char *const show_examples[] = {"steelyard key show last", "what the newest run may be compared with",
                                            NULL};
static const char *const diff_examples[] = {"steelyard key diff 20261128-1 last", "why two runs are not compared",
                                            NULL};
static const char *const list_examples[] = {"steelyard key list --gate matmul.cpu.square-512.session",
                                            "how many sessions that gate has, by key", NULL};

static const cli_command key_show = {
    .name = "key show",
    .summary = "show every field of a run's comparison key",
    .usage = "RUN [option...]",
    .paragraphs = show_paragraphs,
    .examples = show_examples,
    .options = look_options,
    .option_count = sizeof(look_options) / sizeof(look_options[0]),
    .run = run_show,
};

static const cli_command key_diff = {
    .name = "key diff",
    .summary = "say what differs between the keys of two runs",
    .usage = "RUN RUN [option...]",
    .paragraphs = diff_paragraphs,
    .examples = diff_examples,
    .options = look_options,
    .option_count = sizeof(look_options) / sizeof(look_options[0]),
    .run = run_diff,
};

static const cli_command key_list = {
    .name = "key list",
    .summary = "list the keys of a ledger with their sessions",
    .usage = "[option...]",
    .paragraphs = list_paragraphs,
    .examples = list_examples,
    .options = list_options,
    .option_count = sizeof(list_options) / sizeof(list_options[0]),
    .run = run_list,
};

static int run(int argc, char **argv)
{
    return cli_command_run_verb(&cli_command_key, argc, argv);
}

static const cli_command *const verbs[] = {&key_show, &key_diff, &key_list, NULL};

static const char *const paragraphs[] = {
    "A comparison key is what must agree before two runs are compared: which fields it has is the profile matrix's to "
    "say, and the protocol description says where their values come from: the gate with its configuration, the "
    "machine, the sources, or --key NAME=VALUE when a run is recorded.",
    "RUN is an id, the beginning of one (4 characters or more), or the word last.", NULL};

const cli_command cli_command_key = {
    .name = "key",
    .summary = "show and compare the keys by which runs are comparable",
    .usage = "COMMAND [option...]",
    .paragraphs = paragraphs,
    .verbs = verbs,
    .run = run,
};
