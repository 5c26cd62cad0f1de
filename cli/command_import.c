/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard import: files of other benchmark tools become runs of the project's ledger. */
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/evidence.h>
#include <steelyard/report.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "message.h"
#include "output.h"
#include "project.h"
#include "terminal.h"

typedef struct import_arguments {
    cli_common common;
    cli_project_arguments project;
    const char *units;
    const char *samples_folder;
    const char *cell;
    bool keep_file;
    bool dry_run;
} import_arguments;

/* One file while it is read and recorded; files[] of the report point into these. */
typedef struct imported_file {
    sy_imported *imported;
    sy_import_account *account;
    sy_error err;
} imported_file;

#define FILES "The files"
#define RUNS "The runs"

/* A benchmarks.json holds the code of all benchmarks. */
enum { UNITS_BYTES_MAX = 64 * 1024 * 1024 };

static const cli_option options[] = {
    {.name = "units",
     .argument = "FILE",
     .standard = "benchmarks.json beside the file, or in the folder above",
     .kind = CLI_TEXT,
     .group = FILES,
     .completion = CLI_COMPLETE_FILES,
     .help = "of asv: the benchmarks.json that tells units and names of parameters",
     CLI_INTO(import_arguments, units)},
    {.name = "samples-folder",
     .argument = "FOLDER",
     .standard = "beside the file",
     .kind = CLI_TEXT,
     .group = FILES,
     .completion = CLI_COMPLETE_FILES,
     .help = "of nvbench --jsonbin: where its .bin files are",
     CLI_INTO(import_arguments, samples_folder)},
    {.name = "cell",
     .argument = "CELL",
     .standard = "FORMAT::NAME{PARAMETER=VALUE,...}",
     .kind = CLI_TEXT,
     .group = RUNS,
     .help = "the cell of every row",
     CLI_INTO(import_arguments, cell)},
    {.name = "keep-file",
     .kind = CLI_FLAG,
     .group = RUNS,
     .help = "keep the file as an artifact even if a path into somebody's home or a secret stands in it",
     CLI_INTO(import_arguments, keep_file)},
    {.name = "dry-run",
     .kind = CLI_FLAG,
     .group = RUNS,
     .help = "record nothing: only say what is understood, what is not, and what would be recorded",
     CLI_INTO(import_arguments, dry_run)},
    CLI_PROJECT_OPTIONS(import_arguments, project),
    CLI_JSON_OPTION,
};

/* The text of --units; the caller frees it. */
static sy_status read_units(const char *path, char **ret_text, sy_error *err)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(UNITS_BYTES_MAX + 1);
    size_t size = 0;
    sy_status status = SY_OK;

    if (text == NULL) {
        status = cli_fail(err, SY_NO_MEMORY, "no memory for '%s'", path);
    } else if (file == NULL) {
        status = cli_fail(err, SY_NOT_FOUND, "'%s' cannot be read", path);
    } else {
        size = fread(text, 1, UNITS_BYTES_MAX, file);
        text[size] = '\0';
        if (ferror(file) != 0)
            status = cli_fail(err, SY_IO, "'%s' cannot be read", path);
        else if (size == UNITS_BYTES_MAX)
            status = cli_fail(err, SY_LIMIT_EXCEEDED, "'%s' is larger than %d bytes", path, UNITS_BYTES_MAX);
    }
    if (file != NULL)
        (void)fclose(file);
    if (status == SY_OK)
        *ret_text = text;
    else
        free(text);
    return status;
}

/* A file of no format that is known, or of too many bytes, is a matter of the data, not of the call. */
static int exit_of_reading(const sy_error *err)
{
    return err->status == SY_INVALID_ARGUMENT || err->status == SY_LIMIT_EXCEEDED ? CLI_DATA : cli_exit_of(err->status);
}

/* What is there is looked at in a dry run; where no ledger is, none of the rows is known. */
static sy_status open_project(const import_arguments *arguments, sy_project **ret_project, sy_error *err)
{
    sy_error wrong = SY_ERROR_INIT;
    sy_status status;

    if (!arguments->dry_run)
        return cli_project_open(&arguments->project, CLI_LEDGER_RECORD, ret_project, err);
    status = cli_project_open(&arguments->project, CLI_LEDGER_READ, ret_project, &wrong);
    if (status != SY_OK && status != SY_NOT_FOUND)
        *err = wrong;
    return status == SY_NOT_FOUND ? SY_OK : status;
}

/* Of many files, which one it is. */
static void report_unreadable(const char *path, const sy_error *err)
{
    sy_error named = *err;

    if (err->position.line == 0 && strstr(err->what, path) == NULL) {
        (void)cli_fail(&named, err->status, "%.120s: %s", path, err->what);
        cli_hint(&named, "%s", err->hint);
    }
    (void)cli_report("import", path, &named);
}

/* Returns the exit code that this file alone asks for. */
static int import_file(const import_arguments *arguments, const sy_import_options *reading, sy_project *project,
                       const char *path, imported_file *file)
{
    sy_project_import_options recording = SY_PROJECT_IMPORT_OPTIONS_INIT;
    sy_status status = sy_import_read(path, reading, &file->imported, &file->err);
    int code;

    if (status != SY_OK) {
        if (status == SY_CORRUPT && reading->format != SY_IMPORT_AUTO && file->err.hint[0] == '\0')
            cli_hint(&file->err, "steelyard import auto finds out what a file is; else repair or restore it");
        code = exit_of_reading(&file->err);
        report_unreadable(path, &file->err);
        return code;
    }
    recording.name = strcmp(path, "-") == 0 ? NULL : path;
    recording.cell = arguments->cell;
    recording.keep_file = arguments->keep_file;
    recording.dry_run = arguments->dry_run;
    status = sy_project_import(project, file->imported, &recording, &file->account, &file->err);
    if (status != SY_OK)
        return cli_report("import", NULL, &file->err);
    return file->imported->reject_count > 0 ? CLI_REFUSED : CLI_DONE;
}

static int print(const import_arguments *arguments, const sy_report_import *reported, size_t count, int code)
{
    const sy_report_style style = cli_terminal_style(&arguments->common);
    char *text = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_status status;

    if (arguments->common.json)
        status = sy_report_imports_json(reported, count, arguments->dry_run, &text, &err);
    else
        status = sy_report_imports(reported, count, arguments->dry_run, &style, &text, &err);
    if (status != SY_OK)
        return cli_report("import", NULL, &err);
    cli_output_write(text);
    sy_text_free(text);
    return code;
}

static int import_all(const import_arguments *arguments, const sy_import_options *reading, sy_project *project,
                      const char *const *paths, size_t count)
{
    imported_file *files = calloc(count, sizeof *files);
    sy_report_import *reported = calloc(count, sizeof *reported);
    sy_error err = SY_ERROR_INIT;
    int code = CLI_DONE;

    if (files == NULL || reported == NULL) {
        (void)cli_fail(&err, SY_NO_MEMORY, "no memory for %zu files", count);
        code = cli_report("import", NULL, &err);
    }
    for (size_t i = 0; files != NULL && reported != NULL && i < count; i++) {
        int worse = import_file(arguments, reading, project, paths[i], &files[i]);

        code = worse > code ? worse : code;
        reported[i] = (sy_report_import){paths[i], files[i].imported, files[i].account,
                                         files[i].err.status != SY_OK ? &files[i].err : NULL};
    }
    if (files != NULL && reported != NULL)
        code = print(arguments, reported, count, code);
    for (size_t i = 0; files != NULL && i < count; i++) {
        sy_import_account_destroy(files[i].account);
        sy_imported_destroy(files[i].imported);
    }
    free(files);
    free(reported);
    return code;
}

/* The words: a format, then files, of which one may be "-". */
static sy_status read_operands(const cli_operands *operands, sy_import_format *ret_format, sy_error *err)
{
    size_t streams = 0;

    if (operands->count == 0 || !sy_import_format_read(operands->words[0], ret_format)) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, operands->count == 0 ? "no format is given" : "'%.100s' is no format",
                       operands->count == 0 ? "" : operands->words[0]);
        if (operands->count > 0 && access(operands->words[0], F_OK) == 0)
            cli_hint(err, "the format stands first: steelyard import auto %.100s", operands->words[0]);
        else
            cli_hint(err, "auto, google-benchmark, hyperfine, nvbench, pytest-benchmark, llama-bench, asv or go");
        return SY_INVALID_ARGUMENT;
    }
    for (size_t i = 1; i < operands->count; i++)
        streams += strcmp(operands->words[i], "-") == 0;
    if (operands->count == 1)
        return cli_fail(err, SY_INVALID_ARGUMENT, "no file is given; - is standard input");
    if (streams > 1)
        return cli_fail(err, SY_INVALID_ARGUMENT, "standard input can be read once");
    return SY_OK;
}

static int run(int argc, char **argv)
{
    import_arguments arguments = {.units = NULL};
    sy_import_options reading = SY_IMPORT_OPTIONS_INIT;
    cli_operands operands = {.count = 0};
    sy_project *project = NULL;
    char *units = NULL;
    sy_error err = SY_ERROR_INIT;
    int code = cli_command_begin(&cli_command_import, argc, argv, &arguments, &operands);
    sy_status status;

    if (code >= 0)
        return code;
    status = read_operands(&operands, &reading.format, &err);
    if (status == SY_OK && arguments.units != NULL)
        status = read_units(arguments.units, &units, &err);
    if (status == SY_OK)
        status = open_project(&arguments, &project, &err);
    if (status != SY_OK) {
        code = cli_report("import", NULL, &err);
        goto out;
    }
    reading.units = units;
    reading.samples_folder = arguments.samples_folder;
    code = import_all(&arguments, &reading, project, operands.words + 1, operands.count - 1);
out:
    sy_project_close(project);
    free(units);
    return code;
}

static const char *const paragraphs[] = {
    "Reads what other benchmark tools wrote and records each row as a run of kind and status imported in the project's "
    "ledger: samples and figures in seconds and bytes, parameters, revision, device and time as far as the file tells. "
    "Such a run is never a baseline; a field of its comparison key that the file does not tell stays unknown and "
    "equals "
    "nothing.",
    "FORMAT is auto (found by content), google-benchmark, hyperfine, nvbench, pytest-benchmark, llama-bench, asv or "
    "go. "
    "FILE may be packed with gzip, UTF-8 or UTF-16 with a mark; - is standard input.",
    "Nothing is lost silently: a row that went wrong is kept as a failed one with its reason; what is not understood "
    "is "
    "told with line, column and cause (the first 20; all with --json), and what is understood is recorded all the "
    "same. "
    "All rows of a file are recorded, or none; the same file again adds nothing.",
    "Paths into somebody's home and secrets are taken out of all that is recorded. The file itself is kept as an "
    "artifact, unless it holds such a thing; --keep-file keeps it then too.",
    "Exit codes: 0 all was understood, 1 something was not (the rest is recorded), 2 usage, or no project here, 4 a "
    "file "
    "cannot be read, or the ledger. With several files: the highest of them. --dry-run works outside of a project, "
    "too.",
    NULL};

static const char *const examples[] = {"steelyard import auto results.json",
                                       "each benchmark of the file as a run",
                                       "go test -bench . -count 10 | steelyard import go -",
                                       "from a pipe",
                                       "steelyard import asv results/machine/*.json --units results/benchmarks.json",
                                       "many files, with the units that asv keeps apart",
                                       "steelyard import nvbench run.json --dry-run --json",
                                       "what would be recorded, and all that is not understood",
                                       NULL};

const cli_command cli_command_import = {
    .name = "import",
    .summary = "record the results of other benchmark tools as runs",
    .usage = "FORMAT FILE... [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .completion = CLI_COMPLETE_FORMATS,
    .run = run,
};
