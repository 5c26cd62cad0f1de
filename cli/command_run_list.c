/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard run list: the runs of a project's ledger, the newest first. */
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>

#include "command_runs.h"
#include "message.h"
#include "output.h"
#include "project.h"
#include "suggest.h"
#include "terminal.h"

enum { LIMIT = 20, WHOLE_MAX = 200, KEY_DIGITS = 8, REVISION_DIGITS = 7 };

typedef struct list_arguments {
    cli_common common;
    cli_project_arguments project;
    cli_names statuses;
    cli_names kinds;
    cli_names verdicts;
    sy_run_filter filter;
    uint32_t limit;
    const char *before;
} list_arguments;

/* The command while it runs. */
typedef struct list_call {
    list_arguments arguments;
    sy_project *project;
    sy_run_list *list;
    sy_report_run_line *lines;
    sy_run **runs;    /* of the lines; NULL where it was not read */
    sy_error damaged; /* the first run that could not be read whole */
} list_call;

/* ---- what is asked for ---- */

static const char *status_word(unsigned value)
{
    return sy_run_status_word((sy_run_status)value);
}

static const char *kind_word(unsigned value)
{
    return sy_run_kind_word((sy_run_kind)value);
}

static const char *verdict_word(unsigned value)
{
    return sy_judgement_word_text((sy_judgement_word)value);
}

enum { WORDS_MAX = 16 };

/* The bits of words that word() has for 0 and so on. */
static sy_status read_words(const cli_names *names, const char *option, const char *(*word)(unsigned value),
                            unsigned *ret_bits, sy_error *err)
{
    const char *words[WORDS_MAX];
    size_t count = 0;
    unsigned bits = 0;

    for (; count < WORDS_MAX && strcmp(word((unsigned)count), "unknown") != 0; count++)
        words[count] = word((unsigned)count);
    for (size_t i = 0; i < names->count; i++) {
        size_t at = 0;

        while (at < count && strcmp(words[at], names->names[i]) != 0)
            at++;
        if (at == count) {
            const char *near = cli_suggest(names->names[i], words, count);
            char all[200] = "";

            for (size_t w = 0; w < count; w++) {
                cli_append(all, sizeof(all), w == 0 ? "" : ", ");
                cli_append(all, sizeof(all), words[w]);
            }
            (void)cli_fail(err, SY_INVALID_ARGUMENT, "--%s %s: no such word", option, names->names[i]);
            if (near != NULL)
                cli_hint(err, "did you mean: %s; there are %s", near, all);
            else
                cli_hint(err, "there are %s", all);
            return SY_INVALID_ARGUMENT;
        }
        bits |= 1U << at;
    }
    *ret_bits = bits;
    return SY_OK;
}

static sy_status check_digits(const char *text, const char *option, size_t least, sy_error *err)
{
    if (text == NULL || strlen(text) >= least)
        return SY_OK;
    return cli_fail(err, SY_INVALID_ARGUMENT, "--%s %s: at least %zu digits", option, text, least);
}

static sy_status read_filter(list_arguments *arguments, sy_error *err)
{
    sy_run_filter *filter = &arguments->filter;
    sy_status status = read_words(&arguments->statuses, "status", status_word, &filter->statuses, err);

    if (status == SY_OK)
        status = read_words(&arguments->kinds, "kind", kind_word, &filter->kinds, err);
    if (status == SY_OK)
        status = read_words(&arguments->verdicts, "verdict", verdict_word, &filter->verdicts, err);
    if (status == SY_OK)
        status = check_digits(filter->key_digest, "key", KEY_DIGITS, err);
    if (status == SY_OK)
        status = check_digits(filter->revision, "revision", REVISION_DIGITS, err);
    filter->limit = arguments->limit;
    return status;
}

/* ---- what is found ---- */

static sy_status find_before(list_call *call, sy_error *err)
{
    sy_run *run = NULL;
    sy_status status;

    if (call->arguments.before == NULL)
        return SY_OK;
    status = sy_ledger_run(sy_project_ledger(call->project), call->arguments.before, &run, err);
    if (status == SY_OK)
        call->arguments.filter.before_number = run->row.number;
    sy_run_destroy(run);
    return status;
}

/* A run that cannot be read whole still has its row. */
static sy_status read_lines(list_call *call, sy_error *err)
{
    size_t count = call->list->row_count;

    call->lines = calloc(count + 1, sizeof(call->lines[0]));
    call->runs = calloc(count + 1, sizeof(call->runs[0]));
    if (call->lines == NULL || call->runs == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for %zu runs", count);
    for (size_t i = 0; i < count; i++) {
        const sy_run_row *row = &call->list->rows[i];
        sy_error damage = SY_ERROR_INIT;

        if (i < WHOLE_MAX &&
            sy_ledger_run(sy_project_ledger(call->project), row->id, &call->runs[i], &damage) != SY_OK &&
            call->damaged.status == SY_OK)
            call->damaged = damage;
        call->lines[i] = (sy_report_run_line){row, call->runs[i]};
    }
    return SY_OK;
}

static sy_status print(list_call *call, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&call->arguments.common);
    char *text = NULL;
    sy_status status =
        call->arguments.common.json
            ? sy_report_runs_json(call->lines, call->list->row_count, call->list->total_count, &text, err)
            : sy_report_runs(call->lines, call->list->row_count, call->list->total_count, &style, &text, err);

    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status;
}

static void finish(list_call *call)
{
    for (size_t i = 0; call->runs != NULL && i < call->list->row_count; i++)
        sy_run_destroy(call->runs[i]);
    free(call->runs);
    free(call->lines);
    sy_run_list_destroy(call->list);
    sy_project_close(call->project);
    cli_names_finish(&call->arguments.statuses);
    cli_names_finish(&call->arguments.kinds);
    cli_names_finish(&call->arguments.verdicts);
}

static sy_status act(list_call *call, const cli_operands *operands, sy_error *err)
{
    sy_status status;

    if (operands->count > 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "'%s': run list takes no words", operands->words[0]);
        cli_hint(err, "one run: steelyard run show %s", operands->words[0]);
        return SY_INVALID_ARGUMENT;
    }
    status = read_filter(&call->arguments, err);
    if (status == SY_OK)
        status = cli_project_open(&call->arguments.project, CLI_LEDGER_READ, &call->project, err);
    if (status == SY_OK)
        status = find_before(call, err);
    if (status == SY_OK)
        status = sy_ledger_runs(sy_project_ledger(call->project), &call->arguments.filter, &call->list, err);
    if (status == SY_OK)
        status = read_lines(call, err);
    return status == SY_OK ? print(call, err) : status;
}

static int run(int argc, char **argv)
{
    list_call call = {.arguments = {.filter = SY_RUN_FILTER_INIT, .limit = LIMIT}, .damaged = SY_ERROR_INIT};
    sy_error err = SY_ERROR_INIT;
    cli_operands operands;
    int code = cli_command_begin(&cli_run_list, argc, argv, &call.arguments, &operands);
    bool has_project;
    sy_status status;

    if (code >= 0) {
        finish(&call);
        return code;
    }
    status = act(&call, &operands, &err);
    has_project = call.project != NULL;
    if (status == SY_OK && call.damaged.status != SY_OK) {
        status = call.damaged.status;
        err = call.damaged;
    }
    finish(&call);
    if (status == SY_OK)
        return CLI_DONE;
    code = cli_report(cli_run_list.name, NULL, &err);
    return status == SY_NOT_FOUND && has_project ? CLI_NOTHING : code;
}

#define OFFERED(name, word) word,
static const char *const offered_statuses[] = {SY_RUN_STATUS_LIST(OFFERED) NULL};
static const char *const offered_kinds[] = {SY_RUN_KIND_LIST(OFFERED) NULL};
#undef OFFERED
#define OFFERED(name, word, exit_code) word,
static const char *const offered_verdicts[] = {SY_JUDGEMENT_LIST(OFFERED) NULL};
#undef OFFERED

#define INTO(member) CLI_INTO(list_arguments, member)
#define GROUP "Which runs"

#define TEXT_OPTION(option, argument_name, member, text)                                                        \
    {                                                                                                           \
        .name = option, .argument = argument_name, .kind = CLI_TEXT, .group = GROUP, .help = text, INTO(member) \
    }

static const cli_option options[] = {
    {.name = "status",
     .argument = "WORD[,WORD...]",
     .kind = CLI_NAMES,
     .group = GROUP,
     .choices = offered_statuses,
     .help = "planned, running, ok, failed, refuted, superseded or imported ones",
     INTO(statuses)},
    {.name = "kind",
     .argument = "WORD[,WORD...]",
     .kind = CLI_NAMES,
     .group = GROUP,
     .choices = offered_kinds,
     .help = "sessions (session), recorded probes (decision) or imported results (import)",
     INTO(kinds)},
    {.name = "verdict",
     .argument = "WORD[,WORD...]",
     .kind = CLI_NAMES,
     .group = GROUP,
     .choices = offered_verdicts,
     .help = "judged sessions whose last verdict is pass, no-baseline, not-judged, investigate or block",
     INTO(verdicts)},
    TEXT_OPTION("gate", "ID", filter.gate, "runs of this gate"),
    TEXT_OPTION("cell", "CAPABILITY::BACKEND", filter.cell, "runs of this cell of the matrix"),
    TEXT_OPTION("tier", "NAME", filter.tier, "runs of this tier, as the matrix names it"),
    TEXT_OPTION("device", "NAME", filter.device, "runs on this device"),
    TEXT_OPTION("key", "DIGITS", filter.key_digest, "runs with this comparison key: 8 or more digits of its digest"),
    TEXT_OPTION("revision", "DIGITS", filter.revision, "runs of this revision: 7 or more of its digits"),
    TEXT_OPTION("origin", "FORMAT", filter.origin, "runs imported from this kind of file"),
    {.name = "accepted", .kind = CLI_FLAG, .group = GROUP, .help = "accepted sessions", INTO(filter.accepted_only)},
    {.name = "limit",
     .argument = "N",
     .standard = "20",
     .kind = CLI_WHOLE,
     .low = 0,
     .high = 1e9,
     .group = GROUP,
     .help = "at most so many; 0: all",
     INTO(limit)},
    TEXT_OPTION("before", "RUN", before, "those that began before this run: the next page"),
    CLI_PROJECT_OPTIONS(list_arguments, project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Lists runs, the newest first. They are in the order in which they were written to the ledger, whatever clocks "
    "said; times are shown in this process's zone with its offset.",
    "Result is the decision of a recorded probe, of a session the nearest-rank p50 of its wall time, and of a failed "
    "run, or an imported row that failed, why it did. Where runs were judged there is their last verdict, and who was "
    "signed off or promoted.",
    "An empty list is no failure.", NULL};

static const char *const examples[] = {"steelyard run list --status failed --limit 5", "The last five that failed.",
                                       "steelyard run list --gate matmul.cpu.512.session --accepted --json",
                                       "The sessions of a gate's baseline, for a program.", NULL};

const cli_command cli_run_list = {
    .name = "run list",
    .summary = "list runs, the newest first",
    .usage = "[option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
