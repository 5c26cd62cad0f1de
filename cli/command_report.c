/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard report: the dashboard of a project, as a page for a terminal, a comment for a change, JSON, or a page for
 * browsers with all that the ledger and the store hold. */
#include <stddef.h>
#include <steelyard/report.h>
#include <string.h>

#include "argument_number.h"
#include "command.h"
#include "message.h"
#include "output.h"
#include "page_file.h"
#include "page_store.h"
#include "project.h"
#include "terminal.h"

typedef struct report_arguments {
    cli_common common;
    cli_project_arguments project;
    bool text;
    bool markdown;
    bool all;
    bool strict;
    const char *output;
    const char *run;
    const char *html;
    bool open;
    const char *store;
    const char *runs;
} report_arguments;

/* How many runs have a page of their own: --runs as a number. */
static sy_status run_limit(const report_arguments *arguments, size_t *ret_limit, sy_error *err)
{
    uint64_t limit = 0;

    if (arguments->runs == NULL)
        return SY_OK;
    if (strcmp(arguments->runs, "all") == 0)
        *ret_limit = SIZE_MAX;
    else if (cli_number_whole(arguments->runs, &limit) && limit <= SIZE_MAX)
        *ret_limit = (size_t)limit;
    else
        return cli_fail(err, SY_INVALID_ARGUMENT, "--runs %.60s: must be a whole number or all", arguments->runs);
    return SY_OK;
}

static sy_status check_page(const report_arguments *arguments, sy_error *err)
{
    const char *alone = arguments->open            ? "open"
                        : arguments->store != NULL ? "store"
                        : arguments->runs != NULL  ? "runs"
                                                   : NULL;
    size_t limit = 0;

    if (arguments->html == NULL && alone != NULL) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--%s: only with --html FILE", alone);
        cli_hint(err, "steelyard report --html report.html%s", arguments->open ? " --open" : "");
        return SY_INVALID_ARGUMENT;
    }
    if (arguments->html != NULL && arguments->output != NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--output: --html names the file of a page itself");
    if (run_limit(arguments, &limit, err) != SY_OK)
        return SY_INVALID_ARGUMENT;
    return arguments->html != NULL ? cli_page_check(arguments->html, err) : SY_OK;
}

static sy_status check(const report_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    if (operands->count > 0)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%.60s': report takes no words", operands->words[0]);
    if (arguments->text + arguments->markdown + arguments->common.json + (arguments->html != NULL) > 1)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--text, --markdown, --html and --json: one of them");
    if (arguments->all && (arguments->markdown || arguments->common.json || arguments->html != NULL))
        return cli_fail(err, SY_INVALID_ARGUMENT, "--all: only with --text: %s",
                        arguments->markdown ? "a comment has at most 30 lines"
                                            : "the other forms have all in any case");
    return check_page(arguments, err);
}

static sy_status draw(const report_arguments *arguments, const sy_dashboard *dashboard, char **ret_text, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&arguments->common);

    style.all = arguments->all;
    style.color = style.color && arguments->output == NULL;
    if (arguments->common.json)
        return sy_report_dashboard_json(dashboard, ret_text, err);
    return arguments->markdown ? sy_report_dashboard_markdown(dashboard, ret_text, err)
                               : sy_report_dashboard(dashboard, &style, ret_text, err);
}

static bool has_blocked_row(const sy_dashboard *dashboard)
{
    for (size_t i = 0; i < dashboard->row_count; i++) {
        if (dashboard->rows[i].blocked && !dashboard->rows[i].superseded)
            return true;
    }
    return false;
}

static int strict_code(const sy_dashboard *dashboard)
{
    if (dashboard->block_count > 0 || has_blocked_row(dashboard))
        return CLI_REFUSED;
    return dashboard->alarm_count > 0 ? CLI_UNDECIDED : CLI_DONE;
}

static sy_status print(const report_arguments *arguments, const sy_dashboard *dashboard, sy_error *err)
{
    char *text = NULL;
    sy_status status = draw(arguments, dashboard, &text, err);

    if (status == SY_OK && arguments->output != NULL)
        status = sy_report_save(text, arguments->output, err);
    else if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status;
}

/* The page and the file that it becomes. */
static sy_status write_page(const report_arguments *arguments, sy_project *project, const sy_html_content *content,
                            sy_error *err)
{
    cli_page_store store;
    char *html = NULL;
    size_t size = 0;
    sy_status status = cli_page_store_start(&store, arguments->store, project, err);

    if (status == SY_OK)
        status = sy_report_html(content, &store.profiles, &html, &size, err);
    if (status == SY_OK)
        status = sy_report_save(html, arguments->html, err);
    if (status == SY_OK && !arguments->common.quiet)
        cli_page_tell(arguments->html, size, content);
    if (status == SY_OK && arguments->open)
        status = cli_page_open(arguments->html, err);
    sy_text_free(html);
    cli_page_store_finish(&store);
    return status;
}

/* Each of the two sets *ret_no_run where the status is that there is no such run, and *ret_code where it is SY_OK. */

static sy_status report_page(const report_arguments *arguments, sy_project *project, bool *ret_no_run, int *ret_code,
                             sy_error *err)
{
    sy_html_options options = SY_HTML_OPTIONS_INIT;
    sy_html_content *content = NULL;
    sy_status status = run_limit(arguments, &options.run_limit, err);

    options.run = arguments->run;
    if (status == SY_OK) {
        status = sy_project_html(project, &options, &content, err);
        *ret_no_run = status == SY_NOT_FOUND;
    }
    if (status == SY_OK)
        status = write_page(arguments, project, content, err);
    if (status == SY_OK)
        *ret_code = arguments->strict ? strict_code(content->dashboard) : CLI_DONE;
    sy_html_content_destroy(content);
    return status;
}

static sy_status report_dashboard(const report_arguments *arguments, sy_project *project, bool *ret_no_run,
                                  int *ret_code, sy_error *err)
{
    sy_dashboard_options options = SY_DASHBOARD_OPTIONS_INIT;
    sy_dashboard *dashboard = NULL;
    sy_status status;

    options.run = arguments->run;
    status = sy_project_dashboard(project, &options, &dashboard, err);
    *ret_no_run = status == SY_NOT_FOUND;
    if (status == SY_OK)
        status = print(arguments, dashboard, err);
    if (status == SY_OK)
        *ret_code = arguments->strict ? strict_code(dashboard) : CLI_DONE;
    sy_dashboard_destroy(dashboard);
    return status;
}

static int run(int argc, char **argv)
{
    report_arguments arguments = {.text = false};
    cli_operands operands;
    sy_project *project = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status;
    bool no_run = false;
    int code = cli_command_begin(&cli_command_report, argc, argv, &arguments, &operands);

    if (code >= 0)
        return code;
    status = check(&arguments, &operands, &err);
    if (status == SY_OK)
        status = cli_project_open(&arguments.project, CLI_LEDGER_LOOK, &project, &err);
    if (status == SY_OK)
        status = arguments.html != NULL ? report_page(&arguments, project, &no_run, &code, &err)
                                        : report_dashboard(&arguments, project, &no_run, &code, &err);
    if (status != SY_OK)
        code = cli_report("report", NULL, &err);
    sy_project_close(project);
    return no_run ? CLI_NOTHING : code;
}

#define FORM_GROUP "Form"

static const cli_option options[] = {
    {.name = "text",
     .kind = CLI_FLAG,
     .group = FORM_GROUP,
     .help = "a page for a terminal; so it is unless another form is asked for",
     CLI_INTO(report_arguments, text)},
    {.name = "markdown",
     .kind = CLI_FLAG,
     .group = FORM_GROUP,
     .help = "a comment of at most 30 lines, the verdict first",
     CLI_INTO(report_arguments, markdown)},
    {.name = "html",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .group = FORM_GROUP,
     .completion = CLI_COMPLETE_FILES,
     .help = "a page for browsers, written there: charts of every series, runs and decisions one by one",
     CLI_INTO(report_arguments, html)},
    {.name = "all",
     .kind = CLI_FLAG,
     .group = FORM_GROUP,
     .help = "every row of each part of the page, superseded ones too, not the first ones alone",
     CLI_INTO(report_arguments, all)},
    {.name = "run",
     .argument = "RUN",
     .standard = "the newest judged one",
     .kind = CLI_TEXT,
     .group = FORM_GROUP,
     .help = "the run whose verdict comes first",
     CLI_INTO(report_arguments, run)},
    {.name = "output",
     .argument = "FILE",
     .standard = "standard output",
     .kind = CLI_TEXT,
     .group = "Output",
     .completion = CLI_COMPLETE_FILES,
     .help = "write it there: the whole of it in place of what was there, or nothing",
     CLI_INTO(report_arguments, output)},
    {.name = "open",
     .kind = CLI_FLAG,
     .group = "The page for browsers",
     .help = "show it with the program that BROWSER names, else with xdg-open",
     CLI_INTO(report_arguments, open)},
    {.name = "runs",
     .argument = "N",
     .standard = "200",
     .kind = CLI_TEXT,
     .group = "The page for browsers",
     .help = "how many runs have a page of their own: what stands open or is promoted, the newest of each series, "
             "decisions, then the newest; all for all",
     CLI_INTO(report_arguments, runs)},
    {.name = "store",
     .argument = "FILE",
     .standard = "the user's own",
     .kind = CLI_TEXT,
     .group = "The page for browsers",
     .completion = CLI_COMPLETE_FILES,
     .help = "the file whose stored profiles it shows",
     CLI_INTO(report_arguments, store)},
    {.name = "strict",
     .kind = CLI_FLAG,
     .group = "Output",
     .help = "exit code 1 when a block is open or a promoted row is blocked, 5 when an investigation is open",
     CLI_INTO(report_arguments, strict)},
    CLI_PROJECT_OPTIONS(report_arguments, project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "The dashboard of a project. The first lines say whether anything is wrong and what to run next; then come "
    "promoted "
    "rows, which are its only results, and what a later verdict blocks of them; open blocks and investigations; the "
    "matrix; gates with their next command; keys that are short of five accepted sessions; alarms as they were "
    "promised "
    "and as they came; changes of histories that stand; gates that cannot fail; what is wrong with the registry.",
    "All of it is read at one head of the ledger, which is named; nothing is written or judged anew. All times are "
    "UTC. "
    "A project without a ledger has a dashboard, too: what to measure first.",
    "RUN is an id, the beginning of one (4 characters or more), or the word last.",
    "--html writes all of it as one page, and with it the course of every series, runs and decisions one by one, and "
    "what is stored. The page is a single file that asks nothing of any network, so that it can be sent: look at what "
    "is in it first, as its names are your own.",
    "Exit codes: 0 done, 1 with --strict: a block, 2 usage, or no project here, 4 the ledger is damaged or cannot be "
    "read, or the file cannot be written, 3 no program could open the page, 5 with --strict: an investigation, 6 no "
    "such run.",
    NULL};

static const char *const examples[] = {"steelyard report",
                                       "Is anything wrong, and what is to be run next?",
                                       "steelyard report --markdown --output comment.md --strict",
                                       "a comment for a change, and an exit code for its check",
                                       "steelyard report --html report.html --open",
                                       "a page to look at, or to send to a colleague",
                                       "steelyard report --markdown --run last",
                                       "the newest run's verdict first",
                                       NULL};

const cli_command cli_command_report = {
    .name = "report",
    .summary = "show the dashboard: whether anything is wrong, and what to run next",
    .usage = "[option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
