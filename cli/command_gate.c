/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard gate: which exact rows are measured, which are open, and with which command one is measured. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "command_registry.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

enum { NEXT_LIMIT = 10 };

/* A table on a terminal, lines with tabs for programs. */
static sy_status print_rows(cli_registry_call *call, const sy_gate_row *rows, size_t total, sy_error *err)
{
    const cli_registry_arguments *arguments = &call->arguments;
    size_t count = arguments->limit > 0 && arguments->limit < total ? arguments->limit : total;
    sy_report_style style = cli_terminal_style(&arguments->common);
    char *text = NULL;
    sy_status status;

    if (arguments->common.json)
        status = sy_report_gates_json(rows, count, total, &text, err);
    else if (isatty(STDOUT_FILENO))
        status = sy_report_gates(rows, count, total, &style, &text, err);
    else
        status = sy_report_gates_tsv(rows, count, &text, err);
    return cli_registry_print(status, text);
}

/* One text of the filter, and what the gates have in its place. */
typedef struct filter_text {
    const char *name;
    size_t in_filter;
    size_t in_row;
} filter_text;

#define FILTER_TEXT(word)                                                  \
    {                                                                      \
#word, offsetof(sy_gate_filter, word), offsetof(sy_gate_row, word) \
    }

static const filter_text filter_texts[] = {FILTER_TEXT(state), FILTER_TEXT(platform), FILTER_TEXT(module),
                                           FILTER_TEXT(computer)};
static const char *const states[] = {"measured", "partial",     "pending",   "blocked",
                                     "refuted",  "unsupported", "superseded"};

static bool is_state(const char *word)
{
    bool known = false;

    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
        known = known || strcasecmp(word, states[i]) == 0;
    return known;
}

static const char *text_at(const void *object, size_t offset)
{
    const char *text;

    memcpy(&text, (const char *)object + offset, sizeof(text));
    return text;
}

/* The different texts that gates have there, as far as they fit. */
static void hint_texts(const filter_text *text, const sy_gate_row *rows, size_t count, sy_error *err)
{
    char known[200] = "";
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        const char *word = text_at(&rows[i], text->in_row);
        bool is_first = true;

        for (size_t k = i; k-- > 0 && is_first;) /* backwards: rows of one module stand together */
            is_first = strcmp(text_at(&rows[k], text->in_row), word) != 0;
        if (!is_first)
            continue;
        if (used + strlen(word) + sizeof(", ...") >= sizeof(known)) {
            (void)snprintf(known + used, sizeof(known) - used, ", ...");
            break;
        }
        used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", used > 0 ? ", " : "", word);
    }
    cli_hint(err, "gates have: %s", known);
}

/* A word that no gate at all has is a mistyped one, and an empty list would call it done. */
static sy_status check_filter(cli_registry_call *call, const sy_gate_row *rows, size_t count, sy_error *err)
{
    sy_status status = SY_OK;

    for (size_t i = 0; i < sizeof(filter_texts) / sizeof(filter_texts[0]) && status == SY_OK; i++) {
        const filter_text *text = &filter_texts[i];
        const char *wanted = text_at(&call->arguments.filter, text->in_filter);
        sy_gate_filter alone = SY_GATE_FILTER_INIT;
        const sy_gate_row *found = NULL;
        size_t found_count = 0;

        if (wanted == NULL || (i == 0 && is_state(wanted)))
            continue;
        memcpy((char *)&alone + text->in_filter, &wanted, sizeof(wanted));
        status = sy_registry_gates(call->registry, &alone, SY_GATES_BY_PLACE, &found, &found_count, err);
        if (status == SY_OK && found_count == 0) {
            status = cli_fail(err, SY_INVALID_ARGUMENT, "--%s %s: no gate has this %s", text->name, wanted, text->name);
            hint_texts(text, rows, count, err);
        }
    }
    return status;
}

static sy_status list(cli_registry_call *call, sy_gate_order order, sy_error *err)
{
    const sy_gate_row *every = NULL;
    const sy_gate_row *rows = NULL;
    size_t count = 0;
    size_t all = 0;
    sy_status status = cli_registry_no_words(call, err);

    if (status == SY_OK)
        status = cli_registry_open(call, SY_REGISTRY_GATES, err);
    if (status == SY_OK)
        status = sy_registry_gates(call->registry, NULL, SY_GATES_BY_PLACE, &every, &all, err);
    if (status == SY_OK && all > 0)
        status = check_filter(call, every, all, err);
    if (status == SY_OK)
        status = sy_registry_gates(call->registry, &call->arguments.filter, order, &rows, &count, err);
    if (status == SY_OK)
        status = print_rows(call, rows, count, err);
    return status == SY_OK ? cli_registry_refuse_damage(call, all == 0, err) : status;
}

static sy_status act_list(cli_registry_call *call, sy_error *err)
{
    return list(call, SY_GATES_BY_PLACE, err);
}

static sy_status act_next(cli_registry_call *call, sy_error *err)
{
    return list(call, SY_GATES_BY_PRIORITY, err);
}

/* A terminal gets no control characters that files hold; a pipe gets the bytes. */
static sy_status print_lines(cli_registry_call *call, char *text, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&call->arguments.common);
    char *shown = NULL;
    sy_status status;

    if (!isatty(STDOUT_FILENO))
        return cli_registry_print(SY_OK, text);
    status = sy_report_lines(text, &style, &shown, err);
    sy_text_free(text);
    return cli_registry_print(status, shown);
}

/* Prints what `ask` makes of the gate that the one word names. */
static sy_status answer(cli_registry_call *call,
                        sy_status (*ask)(sy_registry *registry, const char *id, char **ret_text, sy_error *err),
                        sy_error *err)
{
    char *text = NULL;
    sy_status status;

    if (call->operands.count != 1) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "%s takes one word, the gate's id; %zu given", call->command->name,
                       call->operands.count);
        cli_hint(err, "all of them: steelyard gate list");
        return SY_INVALID_ARGUMENT;
    }
    status = cli_registry_open(call, SY_REGISTRY_GATES, err);
    if (status != SY_OK)
        return status;
    status = ask(call->registry, call->operands.words[0], &text, err);
    if (status == SY_NOT_FOUND) {
        sy_error damage = SY_ERROR_INIT;

        /* It may stand in what could not be read. */
        if (cli_registry_refuse_damage(call, true, &damage) != SY_OK) {
            *err = damage;
            return damage.status;
        }
        call->code = CLI_NOTHING;
        (void)cli_report(call->command->name, NULL, err);
        return SY_OK;
    }
    return status == SY_OK ? print_lines(call, text, err) : status;
}

static sy_status act_show(cli_registry_call *call, sy_error *err)
{
    return answer(call, sy_registry_gate_show, err);
}

static sy_status act_command(cli_registry_call *call, sy_error *err)
{
    return answer(call, sy_registry_gate_command, err);
}

static sy_status act_validate(cli_registry_call *call, sy_error *err)
{
    return cli_registry_validate(call, SY_REGISTRY_GATES, err);
}

static sy_status check_current(cli_registry_call *call, sy_error *err)
{
    const char *path = call->arguments.output;
    const char *shown = path != NULL ? path : sy_registry_coverage_path(call->registry);
    bool is_current = false;
    sy_status status = sy_registry_coverage_is_current(call->registry, path, &is_current, err);

    if (status != SY_OK)
        return status;
    if (is_current) {
        cli_output_write(shown);
        cli_output_write(": current\n");
        return SY_OK;
    }
    (void)cli_fail(err, SY_REFUSED, "%s: not what the gates say now", shown);
    cli_hint(err, "write it: steelyard gate render --output FILE");
    return SY_REFUSED;
}

/* A document of what could not be read would look like one of few gates: nothing is made of it. */
static sy_status act_render(cli_registry_call *call, sy_error *err)
{
    const sy_gate_row *rows = NULL;
    size_t count = 0;
    char *text = NULL;
    sy_status status = cli_registry_no_words(call, err);

    if (status == SY_OK)
        status = cli_registry_open(call, SY_REGISTRY_GATES, err);
    if (status == SY_OK)
        status = sy_registry_gates(call->registry, NULL, SY_GATES_BY_PLACE, &rows, &count, err);
    if (status == SY_OK)
        status = cli_registry_refuse_damage(call, count == 0, err);
    if (status != SY_OK)
        return status;
    if (call->arguments.check)
        return check_current(call, err);
    if (call->arguments.output != NULL)
        return sy_registry_coverage_write(call->registry, call->arguments.output, err);
    status = sy_registry_coverage_render(call->registry, &text, err);
    return status == SY_OK ? print_lines(call, text, err) : status;
}

static int run_list(int argc, char **argv)
{
    return cli_registry_run(&cli_gate_list, argc, argv, 0, act_list);
}

static int run_next(int argc, char **argv)
{
    return cli_registry_run(&cli_gate_next, argc, argv, NEXT_LIMIT, act_next);
}

static int run_show(int argc, char **argv)
{
    return cli_registry_run(&cli_gate_show, argc, argv, 0, act_show);
}

static int run_command(int argc, char **argv)
{
    return cli_registry_run(&cli_gate_command, argc, argv, 0, act_command);
}

static int run_validate(int argc, char **argv)
{
    return cli_registry_run(&cli_gate_validate, argc, argv, 0, act_validate);
}

static int run_render(int argc, char **argv)
{
    return cli_registry_run(&cli_gate_render, argc, argv, 0, act_render);
}

static int run(int argc, char **argv)
{
    return cli_command_run_verb(&cli_command_gate, argc, argv);
}

#define FILTER_GROUP "Which gates"

#define FILTER_OPTION(word, text)                                                                 \
    {                                                                                             \
        .name = #word, .argument = "TEXT", .kind = CLI_TEXT, .group = FILTER_GROUP, .help = text, \
        CLI_REGISTRY_INTO(filter.word)                                                            \
    }

#define LIST_OPTIONS(shown)                                                                                        \
    FILTER_OPTION(state, "only those in this state: measured, partial, pending, blocked, refuted, unsupported or " \
                         "superseded"),                                                                            \
        FILTER_OPTION(platform, "only those of this platform; the whole text, letters of either case"),            \
        FILTER_OPTION(module, "only those of this module, likewise"),                                              \
        FILTER_OPTION(computer, "only those of this computer, likewise"),                                          \
        {.name = "performance-only",                                                                               \
         .kind = CLI_FLAG,                                                                                         \
         .group = FILTER_GROUP,                                                                                    \
         .help = "only those whose runbook measures physical performance",                                         \
         CLI_REGISTRY_INTO(filter.performance_only)},                                                              \
        {.name = "limit",                                                                                          \
         .argument = "N",                                                                                          \
         .standard = shown,                                                                                        \
         .kind = CLI_WHOLE,                                                                                        \
         .low = 1,                                                                                                 \
         .high = 1e6,                                                                                              \
         .group = FILTER_GROUP,                                                                                    \
         .help = "at most so many",                                                                                \
         CLI_REGISTRY_INTO(limit)},                                                                                \
        CLI_REGISTRY_ROOT_OPTION, CLI_JSON_OPTION

static const cli_option list_options[] = {LIST_OPTIONS("all")};
static const cli_option next_options[] = {LIST_OPTIONS("10")};
static const cli_option root_options[] = {CLI_REGISTRY_ROOT_OPTION};
static const cli_option validate_options[] = {CLI_REGISTRY_COVERAGE_OPTION, CLI_REGISTRY_ROOT_OPTION, CLI_JSON_OPTION};

static const char *const formats[] = {"coverage", NULL};

static const cli_option render_options[] = {
    {.name = "format",
     .argument = "NAME",
     .standard = "coverage",
     .kind = CLI_CHOICE,
     .choices = formats,
     .group = "What is written",
     .help = "coverage: the table of all gates, as Markdown",
     CLI_REGISTRY_INTO(format)},
    {.name = "output",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .group = "What is written",
     .completion = CLI_COMPLETE_FILES,
     .help = "write it there instead of to stdout: whole or not at all",
     CLI_REGISTRY_INTO(output)},
    {.name = "check",
     .kind = CLI_FLAG,
     .group = "What is written",
     .help =
         "write nothing; exit code 1 unless the file (that of --output, else where the project keeps it) is current",
     CLI_REGISTRY_INTO(check)},
    CLI_REGISTRY_ROOT_OPTION,
};

static const cli_command *const verbs[] = {
    &cli_gate_next,     &cli_gate_list,   &cli_gate_show,     &cli_gate_command,
    &cli_gate_validate, &cli_gate_render, &cli_gate_selftest, NULL,
};

static const char *const paragraphs[] = {
    "A gate is one exact row that a project wants measured: operation, platform, computer, shape, element type, state "
    "of "
    "the caches, what the clock encloses. It is measured, or open (partial, pending, blocked) with a next step; and "
    "its "
    "runbook has the command that measures it.",
    "Exit codes: 0 done, 1 findings, or a file that is not current, 2 usage, 4 files that cannot be read or written, "
    "6 no such gate, 7 coverage is missing and --require-coverage was given.",
    NULL};

static const char *const list_paragraphs[] = {
    "Lists the gates by module, platform and id. In a pipe each is one line: id, state, platform, computer and runbook "
    "with tabs between them.",
    NULL};

static const char *const next_paragraphs[] = {"Lists open gates, the most urgent first: by priority, then by id.",
                                              NULL};

static const char *const show_paragraphs[] = {
    "Prints the gate with all that it inherits from its configuration, as JSON with sorted names.", NULL};

static const char *const command_paragraphs[] = {
    "Prints the gate's runbook, its command filled in from the gate: what to check before, the command, what must be "
    "kept of it, and what it can never prove. Nothing is started.",
    NULL};

static const char *const validate_paragraphs[] = {
    "Reads the gates, their runbooks, the evidence that they import and the rendered coverage, and prints each finding "
    "with its place. Exit code 1 when there is one.",
    NULL};

static const char *const render_paragraphs[] = {"Writes the document that lists every gate, as Markdown. It stands in "
                                                "a project's own documents, and validation says "
                                                "when it is not current.",
                                                NULL};

static const char *const next_examples[] = {"steelyard gate next --platform CUDA --limit 3",
                                            "What is to be measured there?", "steelyard gate next --json",
                                            "The same for a program.", NULL};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const cli_command cli_command_gate = {
    .name = "gate",
    .summary = "say what exactly is measured, what is open, and how to measure it",
    .usage = "COMMAND [option...]",
    .paragraphs = paragraphs,
    .verbs = verbs,
    .run = run,
};

const cli_command cli_gate_next = {
    .name = "gate next",
    .summary = "list what to measure next",
    .usage = "[option...]",
    .paragraphs = next_paragraphs,
    .examples = next_examples,
    .options = next_options,
    .option_count = COUNT(next_options),
    .run = run_next,
};

const cli_command cli_gate_list = {
    .name = "gate list",
    .summary = "list all gates with their states",
    .usage = "[option...]",
    .paragraphs = list_paragraphs,
    .options = list_options,
    .option_count = COUNT(list_options),
    .run = run_list,
};

const cli_command cli_gate_show = {
    .name = "gate show",
    .summary = "print all that a gate says",
    .usage = "ID [option...]",
    .paragraphs = show_paragraphs,
    .options = root_options,
    .option_count = COUNT(root_options),
    .run = run_show,
};

const cli_command cli_gate_command = {
    .name = "gate command",
    .summary = "print the command that measures a gate, and what goes with it",
    .usage = "ID [option...]",
    .paragraphs = command_paragraphs,
    .options = root_options,
    .option_count = COUNT(root_options),
    .run = run_command,
};

const cli_command cli_gate_validate = {
    .name = "gate validate",
    .summary = "print all that is wrong with the gates",
    .usage = "[option...]",
    .paragraphs = validate_paragraphs,
    .options = validate_options,
    .option_count = COUNT(validate_options),
    .run = run_validate,
};

const cli_command cli_gate_render = {
    .name = "gate render",
    .summary = "write the document that lists all gates",
    .usage = "[option...]",
    .paragraphs = render_paragraphs,
    .options = render_options,
    .option_count = COUNT(render_options),
    .run = run_render,
};
