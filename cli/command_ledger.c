/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard ledger: the ledger as a whole, proven, anchored, moved. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress_line.h"
#include "project.h"
#include "terminal.h"

#define ANCHORS "steelyard.anchors"

typedef struct ledger_arguments {
    cli_common common;
    cli_project_arguments project;
    const char *anchors;
    bool require_evidence;
    bool artifacts;
} ledger_arguments;

/* One of these commands while it runs. */
typedef struct ledger_call {
    ledger_arguments arguments;
    cli_operands operands;
    sy_report_style style;
    sy_project *project;
    sy_ledger *ledger;
    char *text; /* what is printed */
    int code;   /* the exit code of a call that went well */
} ledger_call;

/* Does one command's work; the frame around it opens the project, prints and reports. */
typedef sy_status (*ledger_work)(ledger_call *call, sy_error *err);

static int run_work(const cli_command *command, size_t most_words, cli_ledger_use use, ledger_work work, int argc,
                    char **argv)
{
    ledger_call call = {.code = CLI_DONE};
    sy_error err = SY_ERROR_INIT;
    sy_status status;
    int code = cli_command_begin(command, argc, argv, &call.arguments, &call.operands);

    if (code >= 0)
        return code;
    call.style = cli_terminal_style(&call.arguments.common);
    if (call.operands.count > most_words) {
        (void)cli_fail(&err, SY_INVALID_ARGUMENT, "%s takes %s", command->name,
                       most_words == 0 ? "no words" : "one FILE at most");
        return cli_report(command->name, NULL, &err);
    }
    cli_interrupt_watch();
    if (!call.arguments.common.quiet)
        cli_progress_start();
    status = cli_project_open(&call.arguments.project, use, &call.project, &err);
    if (status == SY_OK) {
        call.ledger = sy_project_ledger(call.project);
        status = work(&call, &err);
    }
    cli_progress_clear();
    if (status == SY_OK && call.text != NULL)
        cli_output_write(call.text);
    sy_text_free(call.text);
    sy_project_close(call.project);
    return status == SY_OK ? call.code : cli_report(command->name, NULL, &err);
}

/* The file beside steelyard.json where anchors are, unless another is named. The caller frees. */
static char *standard_anchors(const ledger_call *call, sy_error *err)
{
    const char *root = sy_project_root(call->project);
    size_t size = strlen(root) + sizeof("/" ANCHORS);
    char *path = malloc(size);

    if (path == NULL)
        (void)cli_fail(err, SY_NO_MEMORY, "no memory for a path");
    else
        snprintf(path, size, "%s/%s", root, ANCHORS);
    return path;
}

/* ---- verify ---- */

static void show_progress(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    cli_progress_count("verifying", "events", done, total);
}

static sy_status verify_against(ledger_call *call, const char *anchors, sy_error *err)
{
    sy_ledger_verify_options options = SY_LEDGER_VERIFY_OPTIONS_INIT;
    sy_ledger_verdict *verdict = NULL;
    sy_status status;

    options.anchors = anchors;
    options.progress = show_progress;
    options.cancelled = cli_interrupt_asked;
    status = sy_ledger_verify(call->ledger, &options, &verdict, err);
    if (status != SY_OK)
        return status;
    if (verdict->fault_total > 0)
        call->code = CLI_REFUSED;
    else if (verdict->unverified_count > 0 && call->arguments.require_evidence)
        call->code = CLI_COVERAGE;
    status = call->arguments.common.json ? sy_report_ledger_verdict_json(verdict, anchors, &call->text, err)
                                         : sy_report_ledger_verdict(verdict, anchors, &call->style, &call->text, err);
    sy_ledger_verdict_destroy(verdict);
    return status;
}

static sy_status verify(ledger_call *call, sy_error *err)
{
    char *standard;
    sy_status status;

    if (call->arguments.anchors != NULL)
        return verify_against(call, call->arguments.anchors, err);
    standard = standard_anchors(call, err);
    if (standard == NULL)
        return SY_NO_MEMORY;
    status = verify_against(call, access(standard, F_OK) == 0 ? standard : NULL, err);
    free(standard);
    return status;
}

/* ---- anchor ---- */

static sy_status anchor_in(ledger_call *call, const char *path, sy_error *err)
{
    sy_ledger_head head;
    sy_status status = sy_ledger_anchor(call->ledger, path, &head, err);

    if (status != SY_OK)
        return status;
    return call->arguments.common.json ? sy_report_ledger_anchor_json(&head, path, &call->text, err)
                                       : sy_report_ledger_anchor(&head, path, &call->style, &call->text, err);
}

static sy_status anchor(ledger_call *call, sy_error *err)
{
    char *standard;
    sy_status status;

    if (call->operands.count > 0)
        return anchor_in(call, call->operands.words[0], err);
    standard = standard_anchors(call, err);
    if (standard == NULL)
        return SY_NO_MEMORY;
    status = anchor_in(call, standard, err);
    free(standard);
    return status;
}

/* ---- export and import ---- */

static bool is_stream(const ledger_call *call)
{
    return call->operands.count == 0 || strcmp(call->operands.words[0], "-") == 0;
}

static sy_status write_out(void *user, const void *bytes, size_t size, sy_error *err)
{
    (void)user;
    if (cli_interrupt_asked(NULL))
        return cli_fail(err, SY_INTERRUPTED, "stopped: what was written is not the whole ledger");
    return fwrite(bytes, 1, size, stdout) == size
               ? SY_OK
               : cli_fail(err, SY_IO, "cannot write to the standard output: %s", strerror(errno));
}

/* On stderr, since the lines themselves may go to stdout. */
static void tell_exported(const sy_ledger_exported *exported)
{
    char text[160];

    snprintf(text, sizeof(text), "exported %" PRIu64 " event%s of %" PRIu64 " run%s, %" PRIu64 " bytes",
             exported->head.number, exported->head.number == 1 ? "" : "s", exported->run_count,
             exported->run_count == 1 ? "" : "s", exported->byte_count);
    cli_remark(text);
}

static sy_status export_lines(ledger_call *call, sy_error *err)
{
    const ledger_arguments *arguments = &call->arguments;
    sy_ledger_exported exported;
    sy_status status;

    if (is_stream(call) && arguments->common.json) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--json needs a FILE: the lines themselves would stand before it");
        cli_hint(err, "steelyard ledger export backup.jsonl --json");
        return SY_INVALID_ARGUMENT;
    }
    status = is_stream(call)
                 ? sy_ledger_export(call->ledger, arguments->artifacts, write_out, NULL, &exported, err)
                 : sy_ledger_export_file(call->ledger, arguments->artifacts, call->operands.words[0], &exported, err);
    if (status != SY_OK)
        return status;
    cli_progress_clear();
    if (arguments->common.json)
        return sy_report_ledger_export_json(&exported, call->operands.words[0], &call->text, err);
    if (!arguments->common.quiet)
        tell_exported(&exported);
    return SY_OK;
}

static sy_status read_in(void *user, void *bytes, size_t size, size_t *ret_size, sy_error *err)
{
    FILE *file = user;

    if (cli_interrupt_asked(NULL))
        return cli_fail(err, SY_INTERRUPTED, "stopped: nothing was imported");
    *ret_size = fread(bytes, 1, size, file);
    return *ret_size == 0 && ferror(file) != 0 ? cli_fail(err, SY_IO, "cannot read it to its end: %s", strerror(errno))
                                               : SY_OK;
}

static sy_status import_from(ledger_call *call, FILE *file, sy_error *err)
{
    uint64_t added = 0;
    sy_ledger_head head;
    sy_status status = sy_ledger_import(call->ledger, read_in, file, &added, err);

    if (status == SY_OK)
        status = sy_ledger_read_head(call->ledger, &head, err);
    if (status != SY_OK)
        return status;
    return call->arguments.common.json ? sy_report_ledger_import_json(&head, added, &call->text, err)
                                       : sy_report_ledger_import(&head, added, &call->style, &call->text, err);
}

static sy_status import_lines(ledger_call *call, sy_error *err)
{
    FILE *file;
    sy_status status;

    if (call->operands.count == 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "no FILE is given to import");
        cli_hint(err, "- reads the standard input; results of other tools: steelyard import");
        return SY_INVALID_ARGUMENT;
    }
    if (is_stream(call))
        return import_from(call, stdin, err);
    file = fopen(call->operands.words[0], "rb");
    if (file == NULL)
        return cli_fail(err, errno == ENOENT ? SY_NOT_FOUND : SY_IO, "cannot read '%s': %s", call->operands.words[0],
                        strerror(errno));
    status = import_from(call, file, err);
    (void)fclose(file);
    return status;
}

/* ---- the verbs ---- */

static const cli_command ledger_verify;
static const cli_command ledger_anchor;
static const cli_command ledger_export;
static const cli_command ledger_import;

static int run_verify(int argc, char **argv)
{
    return run_work(&ledger_verify, 0, CLI_LEDGER_READ, verify, argc, argv);
}

static int run_anchor(int argc, char **argv)
{
    return run_work(&ledger_anchor, 1, CLI_LEDGER_READ, anchor, argc, argv);
}

static int run_export(int argc, char **argv)
{
    return run_work(&ledger_export, 1, CLI_LEDGER_READ, export_lines, argc, argv);
}

static int run_import(int argc, char **argv)
{
    return run_work(&ledger_import, 1, CLI_LEDGER_RECORD, import_lines, argc, argv);
}

static const cli_option verify_options[] = {
    {.name = "anchors",
     .argument = "FILE",
     .standard = ANCHORS " beside steelyard.json",
     .kind = CLI_TEXT,
     .group = "What it is held against",
     .completion = CLI_COMPLETE_FILES,
     .help = "lines of steelyard ledger anchor",
     CLI_INTO(ledger_arguments, anchors)},
    {.name = "require-evidence",
     .kind = CLI_FLAG,
     .group = "What it is held against",
     .help = "exit 7 when kept files that events name are not here",
     CLI_INTO(ledger_arguments, require_evidence)},
    CLI_PROJECT_OPTIONS(ledger_arguments, project),
    CLI_JSON_OPTION,
};

static const cli_option plain_options[] = {
    CLI_PROJECT_OPTIONS(ledger_arguments, project),
    CLI_JSON_OPTION,
};

static const cli_option export_options[] = {
    {.name = "artifacts",
     .kind = CLI_FLAG,
     .group = "What is written",
     .help = "the kept files as well",
     CLI_INTO(ledger_arguments, artifacts)},
    CLI_PROJECT_OPTIONS(ledger_arguments, project),
    CLI_JSON_OPTION,
};

static const char *const verify_paragraphs[] = {
    "Walks the whole ledger: every event's bytes against its digest and the event before, every run's life, samples "
    "and kept files by their digests, the list of runs against the events, the database itself. Any change, removal or "
    "reordering is found by the ledger alone; events that were cut off at the end, or all written anew, only against "
    "an anchor.",
    "A kept file that is not here is no fault: it may be in another archive, and is counted as an unverified "
    "reference.",
    "Exit codes: 0 all is as it was written, 1 it is not, 2 no project or no ledger, 4 it cannot be read, 7 kept files "
    "are missing and --require-evidence was given, 130 interrupted.",
    NULL};

static const char *const anchor_paragraphs[] = {
    "Appends a line with the number and digest of the newest event to FILE, by default " ANCHORS
    " beside steelyard.json. Kept under version control, or anywhere that the ledger's owner cannot rewrite, it "
    "vouches "
    "for every event up to that one.",
    "Refused (exit 1) when the file already vouches for events that this ledger does not have: something was cut off "
    "or written anew, and steelyard ledger verify shows what.",
    NULL};

static const char *const export_paragraphs[] = {
    "Writes all of the ledger as JSON lines, to FILE or to the standard output: every event exactly as it was hashed, "
    "the samples, and with --artifacts the kept files. The last line tells that it is whole. It is a backup, and the "
    "way to move a ledger. How much was written stands on stderr, or with --json and a FILE on the standard output.",
    NULL};

static const char *const import_paragraphs[] = {
    "Rebuilds a ledger from the lines of steelyard ledger export with the same digests: into an empty folder, or on "
    "top of an older copy of the same ledger, whose missing events are added. All of it or nothing. Another ledger, or "
    "one that went a way of its own, is refused (exit 1).",
    NULL};

static const char *const verify_examples[] = {"steelyard ledger verify", "is everything as it was written?",
                                              "steelyard ledger verify --require-evidence --json",
                                              "the same for a script, kept files included", NULL};
static const char *const anchor_examples[] = {"steelyard ledger anchor && git add " ANCHORS, "vouch for what is there",
                                              NULL};
static const char *const export_examples[] = {"steelyard ledger export --artifacts backup.jsonl",
                                              "a backup in one file", NULL};
static const char *const import_examples[] = {"steelyard ledger import backup.jsonl", "and back", NULL};

static const cli_command ledger_verify = {
    .name = "ledger verify",
    .summary = "prove that the ledger is what was written",
    .usage = "[option...]",
    .paragraphs = verify_paragraphs,
    .examples = verify_examples,
    .options = verify_options,
    .option_count = sizeof(verify_options) / sizeof(verify_options[0]),
    .run = run_verify,
};

static const cli_command ledger_anchor = {
    .name = "ledger anchor",
    .summary = "vouch for the newest event in a file kept elsewhere",
    .usage = "[FILE] [option...]",
    .paragraphs = anchor_paragraphs,
    .examples = anchor_examples,
    .options = plain_options,
    .option_count = sizeof(plain_options) / sizeof(plain_options[0]),
    .completion = CLI_COMPLETE_FILES,
    .run = run_anchor,
};

static const cli_command ledger_export = {
    .name = "ledger export",
    .summary = "write the ledger as JSON lines",
    .usage = "[FILE|-] [option...]",
    .paragraphs = export_paragraphs,
    .examples = export_examples,
    .options = export_options,
    .option_count = sizeof(export_options) / sizeof(export_options[0]),
    .completion = CLI_COMPLETE_FILES,
    .run = run_export,
};

static const cli_command ledger_import = {
    .name = "ledger import",
    .summary = "rebuild a ledger from such lines, or bring a copy up to date",
    .usage = "FILE|- [option...]",
    .paragraphs = import_paragraphs,
    .examples = import_examples,
    .options = plain_options,
    .option_count = sizeof(plain_options) / sizeof(plain_options[0]),
    .completion = CLI_COMPLETE_FILES,
    .run = run_import,
};

static int run(int argc, char **argv)
{
    return cli_command_run_verb(&cli_command_ledger, argc, argv);
}

static const cli_command *const verbs[] = {&ledger_verify, &ledger_anchor, &ledger_export, &ledger_import, NULL};

static const char *const paragraphs[] = {"A project's ledger remembers every run as an append-only chain of events, "
                                         "each with the SHA-256 of the one before, "
                                         "in .steelyard beside steelyard.json unless that says otherwise. Nothing in "
                                         "it is ever changed or deleted, and these "
                                         "commands prove it.",
                                         NULL};

const cli_command cli_command_ledger = {
    .name = "ledger",
    .summary = "prove, anchor, export and import the memory of all runs",
    .usage = "COMMAND [option...]",
    .paragraphs = paragraphs,
    .verbs = verbs,
    .run = run,
};
