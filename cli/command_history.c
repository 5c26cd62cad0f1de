/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard history: where the level of a list of values in order of time changed. The sessions of a key are for
 * command_history_key.c. */
#include <math.h>
#include <stdlib.h>
#include <steelyard/judge.h>
#include <steelyard/report.h>
#include <steelyard/timings.h>

#include "command.h"
#include "command_history.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

static const char *const better_words[] = {"lower", "higher", NULL};
enum { BETTER_LOWER, BETTER_HIGHER };
/* In the order of sy_statistic. */
static const char *const statistic_words[] = {"p50", "p95", "maximum", "memory", NULL};

#define GROUP_VALUES "Values"
#define GROUP_SESSIONS "Sessions of a key"
#define GROUP_CHANGES "Changes"

static const cli_option options[] = {
    {.name = "values",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .group = GROUP_VALUES,
     .completion = CLI_COMPLETE_FILES,
     .help = "a number a line, or CSV; the oldest first; - is standard input",
     CLI_INTO(history_arguments, values)},
    {.name = "column",
     .argument = "NAME",
     .kind = CLI_TEXT,
     .group = GROUP_VALUES,
     .help = "of CSV: the column that holds them, by its title or its number from 1",
     CLI_INTO(history_arguments, column)},
    {.name = "better",
     .argument = "WHICH",
     .standard = "lower",
     .kind = CLI_CHOICE,
     .choices = better_words,
     .group = GROUP_VALUES,
     .help = "whether lower or higher values are better",
     CLI_INTO(history_arguments, better)},
    {.name = "same-revision",
     .kind = CLI_FLAG,
     .group = GROUP_SESSIONS,
     .help = "sessions of that key alone; else of every revision, all other fields alike",
     CLI_INTO(history_arguments, same_revision)},
    {.name = "series",
     .argument = "NAME",
     .standard = "the newest session's first",
     .kind = CLI_TEXT,
     .group = GROUP_SESSIONS,
     .help = "the metric, or the memory figure",
     CLI_INTO(history_arguments, series)},
    {.name = "case",
     .argument = "NAME",
     .standard = "the first",
     .kind = CLI_TEXT,
     .group = GROUP_SESSIONS,
     .help = "of a memory figure: whose it is, \"process\"",
     CLI_INTO(history_arguments, case_name)},
    {.name = "implementation",
     .argument = "NAME",
     .standard = "the first",
     .kind = CLI_TEXT,
     .group = GROUP_SESSIONS,
     .completion = CLI_COMPLETE_IMPLEMENTATIONS,
     .help = "that was measured",
     CLI_INTO(history_arguments, implementation)},
    {.name = "statistic",
     .argument = "WHICH",
     .standard = "p50",
     .kind = CLI_CHOICE,
     .choices = statistic_words,
     .group = GROUP_SESSIONS,
     .help = "which figure of each session",
     CLI_INTO(history_arguments, statistic)},
    {.name = "levels",
     .argument = "BEFORE,AFTER",
     .kind = CLI_TEXT,
     .group = GROUP_SESSIONS,
     .help = "only says to which level the newest session belongs, by the exit code: 0 before, 1 after, 5 neither",
     CLI_INTO(history_arguments, levels)},
    {.name = "dry-run",
     .kind = CLI_FLAG,
     .group = GROUP_SESSIONS,
     .help = "record nothing of what is found",
     CLI_INTO(history_arguments, dry_run)},
    {.name = "alpha",
     .argument = "SHARE",
     .standard = "0.01; of a key 0.001",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = 0.5,
     .above = true,
     .group = GROUP_CHANGES,
     .help =
         "share of unchanged histories in which some change is seen: 0.01, or 0.001 for one that is looked at after "
         "every new value",
     CLI_INTO(history_arguments, alpha)},
    {.name = "min-effect",
     .argument = "RATIO",
     .standard = "0.02",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = 1e6,
     .group = GROUP_CHANGES,
     .help = "a smaller step is no change: 0.02 = 2 %",
     CLI_INTO(history_arguments, min_effect)},
    CLI_PROJECT_OPTIONS(history_arguments, project),
    CLI_JSON_OPTION};

/* One list of values: a column, or rows with a name each, which are a list in the order of the rows. */
typedef struct values {
    double *list;
    size_t count;
} values;

static sy_status take_values(const history_arguments *arguments, const sy_timings *timings, values *ret_values,
                             sy_error *err)
{
    values found = {NULL, 0};
    bool one_each = true;

    for (size_t i = 0; i < timings->count; i++)
        one_each = one_each && timings->list[i].count == 1;
    if (timings->count == 0 || (timings->count > 1 && !one_each)) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "'%s' has %zu lists of numbers", arguments->values, timings->count);
        cli_hint(err, timings->count == 0 ? "one number a line"
                                          : "--column says which; rows that share a name are no order of time");
        return SY_INVALID_ARGUMENT;
    }
    for (size_t i = 0; i < timings->count; i++)
        found.count += timings->list[i].count;
    found.list = calloc(found.count + 1, sizeof *found.list);
    if (found.list == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for %zu values", found.count);
    for (size_t i = 0, at = 0; i < timings->count; i++) {
        for (size_t k = 0; k < timings->list[i].count; k++)
            found.list[at++] = timings->list[i].times[k];
    }
    for (size_t i = 0; i < found.count; i++) {
        if (!(isfinite(found.list[i]) && found.list[i] > 0)) {
            free(found.list);
            (void)cli_fail(err, SY_INVALID_ARGUMENT, "'%s': value %zu is not a positive number", arguments->values, i);
            cli_hint(err, "a step is a ratio, which such a value has not; index 0 is the first value");
            return SY_INVALID_ARGUMENT;
        }
    }
    *ret_values = found;
    return SY_OK;
}

static sy_status read_values(const history_arguments *arguments, values *ret_values, sy_error *err)
{
    sy_timings_options read = SY_TIMINGS_OPTIONS_INIT;
    sy_timings *timings = NULL;

    read.format = SY_TIMINGS_CSV;
    read.columns = arguments->column != NULL ? &arguments->column : NULL;
    read.column_count = arguments->column != NULL;
    sy_status status = sy_timings_read(arguments->values, &read, &timings, err);
    if (status == SY_OK) {
        status = take_values(arguments, timings, ret_values, err);
    } else if (status == SY_CORRUPT && err->position.line == 0) {
        /* Where a place is told the file stands before it; what is wrong with all of it must name it. */
        sy_error whole = *err;
        status = cli_fail(err, SY_CORRUPT, "'%s': %s", arguments->values, whole.what);
    }
    sy_timings_destroy(timings);
    return status;
}

/* What has no meaning for a list of values is refused, that nobody believes it was heard. */
static sy_status check_values(const history_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    const char *of_key = arguments->same_revision              ? "same-revision"
                         : arguments->series != NULL           ? "series"
                         : arguments->case_name != NULL        ? "case"
                         : arguments->implementation != NULL   ? "implementation"
                         : arguments->statistic != 0           ? "statistic"
                         : arguments->levels != NULL           ? "levels"
                         : arguments->dry_run                  ? "dry-run"
                         : arguments->project.root != NULL     ? "root"
                         : arguments->project.evidence != NULL ? "evidence"
                                                               : NULL;

    if (operands->count > 0)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': either a KEY or --values", operands->words[0]);
    if (of_key != NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--%s: only of a KEY", of_key);
    return SY_OK;
}

static int history_of_values(const history_arguments *arguments, const cli_operands *operands)
{
    sy_history_options find = SY_HISTORY_OPTIONS_INIT;
    values read = {NULL, 0};
    sy_history *history = NULL;
    char *text = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status = check_values(arguments, operands, &err);

    if (status == SY_OK)
        status = read_values(arguments, &read, &err);
    find.alpha = isnan(arguments->alpha) ? find.alpha : arguments->alpha;
    find.min_effect = arguments->min_effect;
    find.higher_is_better = arguments->better == BETTER_HIGHER;
    if (status == SY_OK)
        status = sy_history_find(read.list, read.count, &find, &history, &err);
    if (status == SY_OK && arguments->common.json) {
        status = sy_report_history_json(history, &text, &err);
    } else if (status == SY_OK) {
        sy_report_style style = cli_terminal_style(&arguments->common);

        status = sy_report_history(history, read.list, &style, &text, &err);
    }
    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    sy_history_destroy(history);
    free(read.list);
    return status == SY_OK ? CLI_DONE : cli_report("history", arguments->values, &err);
}

static int run(int argc, char **argv)
{
    const sy_history_options defaults = SY_HISTORY_OPTIONS_INIT;
    history_arguments arguments = {.alpha = NAN, .min_effect = defaults.min_effect, .better = -1};
    cli_operands operands;
    sy_error err = SY_ERROR_INIT;
    int code = cli_command_begin(&cli_command_history, argc, argv, &arguments, &operands);

    if (code >= 0)
        return code;
    if (arguments.values != NULL)
        return history_of_values(&arguments, &operands);
    if (operands.count == 1)
        return cli_history_of_key(&arguments, operands.words[0]);
    (void)cli_fail(&err, SY_INVALID_ARGUMENT, operands.count == 0 ? "which values?" : "history takes one KEY");
    cli_hint(&err, "a KEY of steelyard key list, a run, or --values FILE");
    return cli_report("history", NULL, &err);
}

static const char *const paragraphs[] = {
    "Finds where the level of a history changed. Every split is asked by ranks, so that spikes do not count, with a "
    "critical value that holds for all splits together; what is left and right of a change is asked again. Each change "
    "is told with its step, an interval, and the medians of both sides.",
    "KEY is digits of a comparison key's digest or of its line (8 or more), a run, or the word last: its history are "
    "the ended sessions of its line, all fields of the key but the revision alike, in the order in which they began. "
    "Imported, superseded and failed runs are left out, which is said. What is found, and was found without the newest "
    "five sessions, is reported and recorded, once. A reported change is confirmed, refuted or superseded later, and "
    "never forgotten. Where a change lies between two "
    "commits, the command line that finds the commit is printed.",
    "With --values: a list of positive values in order of time, one a session or a release, of times or of anything "
    "else; nothing is recorded. A change is told by the index of the first value after it (the first of all is 0).",
    "Fewer than ten values, and steps with fewer than five values on a side, show no change. The exit code is 0 "
    "whether there are changes or not; 6: there is no such key, run or series.",
    NULL};

static const char *const examples[] = {"steelyard history last",
                                       "Did the time of the newest session's line change, when, and at which commit?",
                                       "steelyard history 1f3a5c7e --statistic memory --dry-run",
                                       "The same of the memory of a key's sessions; nothing is recorded.",
                                       "steelyard history --values nightly.txt",
                                       "Did the nightly time change, and when?",
                                       "steelyard history --values runs.csv --column throughput --better higher --json",
                                       "A column of CSV, for a program.",
                                       NULL};

const cli_command cli_command_history = {
    .name = "history",
    .summary = "find where the level of a key's sessions, or of a list of values, changed",
    .usage = "(KEY | --values FILE) [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
