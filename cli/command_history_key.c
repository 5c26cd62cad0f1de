/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard history KEY: the changes of a key's sessions; or to which of two levels its newest session belongs. */
#include <math.h>
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "argument_number.h"
#include "command_history.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

/* "BEFORE,AFTER". */
static sy_status read_levels(const char *text, double *ret_before, double *ret_after, sy_error *err)
{
    const char *comma = strchr(text, ',');
    char before[64];
    bool good = comma != NULL && (size_t)(comma - text) < sizeof before;

    if (good) {
        (void)snprintf(before, sizeof before, "%.*s", (int)(comma - text), text);
        good = cli_number_double(before, ret_before) && cli_number_double(comma + 1, ret_after);
    }
    if (!good || !(*ret_before > 0 && *ret_after > 0) || *ret_before == *ret_after) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--levels %.60s: must be two different positive numbers", text);
        cli_hint(err, "--levels BEFORE,AFTER, in the unit of the values");
        return SY_INVALID_ARGUMENT;
    }
    return SY_OK;
}

static sy_status check_key(const history_arguments *arguments, double *ret_before, double *ret_after, sy_error *err)
{
    const char *of_values = arguments->column != NULL ? "column" : arguments->better >= 0 ? "better" : NULL;

    if (of_values != NULL) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--%s: only with --values", of_values);
        cli_hint(err, "the sessions of a key say themselves what is better");
        return SY_INVALID_ARGUMENT;
    }
    if (arguments->levels == NULL)
        return SY_OK;
    if (arguments->common.json)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--levels answers by its exit code, and has no --json");
    return read_levels(arguments->levels, ret_before, ret_after, err);
}

/* 0 before, 1 after, 5 in the middle: what a step of a bisection asks. */
static int tell_side(const sy_key_history *history, double before, double after)
{
    const sy_key_point *newest = &history->points[history->point_count - 1];
    int side = sy_history_side(before, after, newest->value);
    char text[512];

    (void)snprintf(text, sizeof text, "%.100s: %g %.40s lies %s\n", newest->run, newest->value, history->metric.unit,
                   side < 0   ? "at the level before"
                   : side > 0 ? "at the level after"
                              : "between both levels");
    cli_output_write(text);
    return side < 0 ? CLI_DONE : side > 0 ? CLI_REFUSED : CLI_UNDECIDED;
}

static sy_status print(const history_arguments *arguments, const sy_key_history *history, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&arguments->common);
    char *text = NULL;
    sy_status status = arguments->common.json ? sy_report_key_history_json(history, &text, err)
                                              : sy_report_key_history(history, &style, &text, err);

    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status;
}

static sy_key_history_options history_options(const history_arguments *arguments, const char *key)
{
    sy_key_history_options options = SY_KEY_HISTORY_OPTIONS_INIT;

    options.key = key;
    options.same_revision = arguments->same_revision;
    options.series = arguments->series;
    options.case_name = arguments->case_name;
    options.implementation = arguments->implementation;
    options.statistic = (sy_statistic)arguments->statistic;
    options.alpha = isnan(arguments->alpha) ? options.alpha : arguments->alpha;
    options.min_effect = arguments->min_effect;
    options.dry_run = arguments->dry_run || arguments->levels != NULL;
    return options;
}

int cli_history_of_key(const history_arguments *arguments, const char *key)
{
    sy_key_history_options options = history_options(arguments, key);
    sy_project *project = NULL;
    sy_key_history *history = NULL;
    sy_error err = SY_ERROR_INIT;
    double before = 0, after = 0;
    int code = CLI_DONE;
    bool is_open = false;
    sy_status status = check_key(arguments, &before, &after, &err);

    if (status == SY_OK)
        status = cli_project_open(&arguments->project, options.dry_run ? CLI_LEDGER_READ : CLI_LEDGER_WRITE, &project,
                                  &err);
    if (status == SY_OK) {
        is_open = true;
        status = sy_project_history(project, &options, &history, &err);
    }
    if (status == SY_OK && arguments->levels != NULL)
        code = tell_side(history, before, after);
    else if (status == SY_OK)
        status = print(arguments, history, &err);
    sy_key_history_destroy(history);
    sy_project_close(project);
    if (status == SY_OK)
        return code;
    code = cli_report("history", NULL, &err);
    return is_open && status == SY_NOT_FOUND ? CLI_NOTHING : code;
}
