/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard history: where the level of a list of values in order of time changed. */
#include <math.h>
#include <stdlib.h>
#include <steelyard/judge.h>
#include <steelyard/report.h>
#include <steelyard/timings.h>

#include "command.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

static const char *const better_words[] = {"lower", "higher", NULL};
enum { BETTER_LOWER, BETTER_HIGHER };

typedef struct history_arguments {
    cli_common common;
    const char *values;
    const char *column;
    int better;
    double alpha;
    double min_effect;
} history_arguments;

#define GROUP_VALUES "Values"
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
    {.name = "alpha",
     .argument = "SHARE",
     .standard = "0.01",
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

static sy_status check(const history_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    if (operands->count > 0)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': history takes no words", operands->words[0]);
    if (arguments->values == NULL) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "which values?");
        cli_hint(err, "--values FILE");
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

static int run(int argc, char **argv)
{
    sy_history_options find = SY_HISTORY_OPTIONS_INIT;
    history_arguments arguments = {.alpha = find.alpha, .min_effect = find.min_effect};
    cli_operands operands;
    values read = {NULL, 0};
    sy_history *history = NULL;
    char *text = NULL;
    sy_error err = SY_ERROR_INIT;
    int code = cli_command_begin(&cli_command_history, argc, argv, &arguments, &operands);

    if (code >= 0)
        return code;
    sy_status status = check(&arguments, &operands, &err);
    if (status == SY_OK)
        status = read_values(&arguments, &read, &err);
    find.alpha = arguments.alpha;
    find.min_effect = arguments.min_effect;
    find.higher_is_better = arguments.better == BETTER_HIGHER;
    if (status == SY_OK)
        status = sy_history_find(read.list, read.count, &find, &history, &err);
    if (status == SY_OK && arguments.common.json) {
        status = sy_report_history_json(history, &text, &err);
    } else if (status == SY_OK) {
        sy_report_style style = cli_terminal_style(&arguments.common);

        status = sy_report_history(history, read.list, &style, &text, &err);
    }
    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    sy_history_destroy(history);
    free(read.list);
    return status == SY_OK ? CLI_DONE : cli_report("history", arguments.values, &err);
}

static const char *const paragraphs[] = {
    "Finds where the level of a history changed: a list of positive values in order of time, one a session or a "
    "release, of times or of anything else. Every split is asked by ranks, so that spikes do not count, with a "
    "critical "
    "value that holds for all splits together; what is left and right of a change is asked again. Each change is told "
    "with the index of the first value after it (the first value of all is 0), its step, an interval, and the medians "
    "of both sides.",
    "Fewer than ten values, and steps with fewer than five values on a side, show no change. The exit code is 0 "
    "whether "
    "there are changes or not.",
    NULL};

static const char *const examples[] = {"steelyard history --values nightly.txt",
                                       "Did the nightly time change, and when?",
                                       "steelyard history --values runs.csv --column throughput --better higher --json",
                                       "A column of CSV, for a program.", NULL};

const cli_command cli_command_history = {
    .name = "history",
    .summary = "find where the level of a list of values changed",
    .usage = "--values FILE [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
