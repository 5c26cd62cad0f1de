/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard replay: reads recorded timings, plays rules on them, judges recorded probes again. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/replay.h>
#include <steelyard/report.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

typedef struct replay_arguments {
    cli_common common;
    sy_replay_options options;
    sy_timings_options reading;
    cli_names columns;
} replay_arguments;

/* One file with all that is said of it; files[] of the report point into these. */
typedef struct replayed {
    sy_timings *timings;
    sy_replay_result result;
    sy_recording_traits traits;
    sy_replay_judgement judgement;
} replayed;

/* In the order of sy_timings_format. */
static const char *const formats[] = {
#define FORMAT_WORD(name, word) word,
    SY_TIMINGS_FORMAT_LIST(FORMAT_WORD)
#undef FORMAT_WORD
        NULL};

#define RULE "The rule"
#define FILES "The files"

static const cli_option options[] = {
    {.name = "min-improvement",
     .argument = "X",
     .standard = "0.03",
     .kind = CLI_NUMBER,
     .low = 0,
     .high = 0.95,
     .below = true,
     .group = RULE,
     .help = "share of the time that a win must save; gains of 0, X, X + 2 and X + 5 points are planted",
     CLI_INTO(replay_arguments, options.min_improvement)},
    {.name = "pairs",
     .argument = "N",
     .standard = "16",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = 2000,
     .group = RULE,
     .help = "cap on the pairs; configurations with fewer than 2 N times are not played",
     CLI_INTO(replay_arguments, options.pairs)},
    {.name = "alpha",
     .argument = "A",
     .standard = "0.05",
     .kind = CLI_NUMBER,
     .low = 0,
     .above = true,
     .high = 0.5,
     .group = RULE,
     .help = "how often a win may be wrong",
     CLI_INTO(replay_arguments, options.alpha)},
    {.name = "beta",
     .argument = "B",
     .standard = "0.2",
     .kind = CLI_NUMBER,
     .low = 0,
     .above = true,
     .high = 0.5,
     .group = RULE,
     .help = "how often no-gain may be wrong",
     CLI_INTO(replay_arguments, options.beta)},
    {.name = "seed",
     .argument = "N",
     .standard = "1",
     .kind = CLI_WHOLE,
     .low = 1,
     .high = INFINITY,
     .group = RULE,
     .help = "of the coins: the same files and seed give the same figures",
     CLI_INTO(replay_arguments, options.seed)},
    {.name = "format",
     .argument = "FORMAT",
     .standard = "found by content",
     .kind = CLI_CHOICE,
     .choices = formats,
     .group = FILES,
     .help = "what the files are: kernel-tuner, t4, hyperfine, probe, measure or csv",
     CLI_INTO(replay_arguments, reading.format)},
    {.name = "column",
     .argument = "NAME",
     .standard = "all that hold times",
     .kind = CLI_TEXTS,
     .group = FILES,
     .help = "of CSV: a column to read, by its name or its number; may be given again",
     CLI_INTO(replay_arguments, columns)},
    {.name = "size-limit",
     .argument = "BYTES",
     .standard = "256MiB",
     .kind = CLI_BYTES,
     .group = FILES,
     .help = "the most that a file may hold, unpacked",
     CLI_INTO(replay_arguments, reading.limit_bytes)},
    CLI_JSON_OPTION,
};

/* An error without a place in the file, and without its name, gets the name. */
static void name_file(const char *path, sy_error *err)
{
    sy_error named = *err;

    if (err->position.line > 0 || strstr(err->what, path) != NULL)
        return;
    (void)cli_fail(&named, err->status, "%s: %s", path, err->what);
    memcpy(err->what, named.what, sizeof err->what);
}

/* Reads and plays one file. */
static sy_status play(const replay_arguments *arguments, const char *path, replayed *file, sy_error *err)
{
    sy_status status = sy_timings_read(path, &arguments->reading, &file->timings, err);

    if (status == SY_LIMIT_EXCEEDED)
        cli_hint(err, "allow more with --size-limit");
    if (status == SY_OK)
        status = sy_replay(file->timings->list, file->timings->count, &arguments->options, &file->result, err);
    if (status == SY_OK)
        status = sy_replay_look(file->timings->list, file->timings->count, file->timings->unit_ns, &file->traits, err);
    if (status == SY_OK && file->timings->final != NULL)
        status = sy_replay_final(file->timings->final, &file->judgement, err);
    return status;
}

static sy_status print(const replay_arguments *arguments, const sy_report_replayed *files, size_t count, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&arguments->common);
    char *text = NULL;
    sy_status status = arguments->common.json ? sy_report_replay_json(files, count, &text, err)
                                              : sy_report_replay(files, count, &style, &text, err);

    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status;
}

/* A record that does not give its own answer is a finding; where nothing at all could be said there is nothing. */
static int exit_of(const sy_report_replayed *files, size_t count)
{
    bool any = false;
    bool agree = true;

    for (size_t i = 0; i < count; i++) {
        any = any || files[i].result->configurations > 0 || files[i].judgement != NULL;
        agree = agree && (files[i].judgement == NULL || files[i].judgement->differs[0] == '\0');
    }
    return !agree ? CLI_REFUSED : any ? CLI_DONE : CLI_NOTHING;
}

static int replay_all(replay_arguments *arguments, const cli_operands *operands, replayed *files,
                      sy_report_replayed *reported)
{
    sy_error err = SY_ERROR_INIT;
    sy_status status = SY_OK;

    for (size_t i = 0; i < operands->count && status == SY_OK; i++) {
        status = play(arguments, operands->words[i], &files[i], &err);
        if (status != SY_OK) {
            if (operands->count > 1 || status != SY_INVALID_ARGUMENT)
                name_file(operands->words[i], &err);
            return cli_report("replay", operands->words[i], &err);
        }
        reported[i] = (sy_report_replayed){operands->words[i], files[i].timings, &files[i].result, &files[i].traits,
                                           files[i].timings->final != NULL ? &files[i].judgement : NULL};
    }
    status = print(arguments, reported, operands->count, &err);
    return status == SY_OK ? exit_of(reported, operands->count) : cli_report("replay", NULL, &err);
}

static int run(int argc, char **argv)
{
    replay_arguments arguments = {.options = SY_REPLAY_OPTIONS_INIT, .reading = SY_TIMINGS_OPTIONS_INIT};
    cli_operands operands = {.count = 0};
    replayed *files = NULL;
    sy_report_replayed *reported = NULL;
    sy_error err = SY_ERROR_INIT;
    int code = cli_command_begin(&cli_command_replay, argc, argv, &arguments, &operands);

    if (code >= 0)
        goto out;
    arguments.options.seed = arguments.options.seed != 0 ? arguments.options.seed : 1;
    if (operands.count == 0) {
        (void)cli_fail(&err, SY_INVALID_ARGUMENT, "no file is given");
        code = cli_report("replay", NULL, &err);
        goto out;
    }
    arguments.reading.columns = (const char *const *)arguments.columns.names;
    arguments.reading.column_count = arguments.columns.count;
    files = calloc(operands.count, sizeof *files);
    reported = calloc(operands.count, sizeof *reported);
    if (files == NULL || reported == NULL) {
        (void)cli_fail(&err, SY_NO_MEMORY, "no memory for %zu files", operands.count);
        code = cli_report("replay", NULL, &err);
        goto out;
    }
    code = replay_all(&arguments, &operands, files, reported);
out:
    for (size_t i = 0; files != NULL && i < operands.count; i++)
        sy_timings_destroy(files[i].timings);
    free(files);
    free(reported);
    cli_names_finish(&arguments.columns);
    return code;
}

static const char *const paragraphs[] = {
    "Plays decision rules on recorded timings. Each configuration with at least 2 N times is played once: its runs in "
    "pairs, a coin says which run of a pair is the candidate's, and its time is made shorter by a gain that is known. "
    "Counted is how often a rule calls the candidate faster: a configuration that beats itself is a false answer, a "
    "planted gain of 2 points above the minimum that is not found is a missed one.",
    "Rules: steelyard, the one of probe, with its guards, which stops when it knows; medians of runs in alternating "
    "order; medians, and means, of one block of runs behind the other. The last three always take all 2 N runs.",
    "Files: caches of Kernel Tuner (also of a session that was not closed), T4 results, exports of hyperfine, CSV (a "
    "column a configuration, or rows of name and time), records of steelyard probe and measure; plain or gzip; - is "
    "standard input. A record of probe is also judged again, pair by pair; if its decision does not come out once more "
    "the exit code is 1.",
    NULL};

static const char *const examples[] = {"steelyard replay cache.json.gz --pairs 16 --min-improvement 0.01",
                                       "how often is a gain of 3 % found on that device, and how often one of 0?",
                                       "steelyard probe matmul --cases quick --json | steelyard replay -",
                                       "does the record of a probe give its decision again?",
                                       "steelyard replay runs.csv --column time --json",
                                       "one column of a table, for a program to read",
                                       NULL};

const cli_command cli_command_replay = {
    .name = "replay",
    .summary = "try decision rules on recorded timings, and judge a recorded probe again",
    .usage = "FILE... [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .completion = CLI_COMPLETE_FILES,
    .run = run,
};
