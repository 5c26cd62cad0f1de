/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard matrix: a new project's files, the picture of capabilities and backends, what is wrong with the files. */
#include <stdio.h>
#include <string.h>

#include "command_registry.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

static bool has_gates(const sy_matrix *matrix)
{
    for (size_t i = 0; i < matrix->cell_count; i++) {
        if (matrix->cells[i].gate_count > 0)
            return true;
    }
    return false;
}

static sy_status act_show(cli_registry_call *call, sy_error *err)
{
    sy_report_style style = cli_terminal_style(&call->arguments.common);
    sy_registry_coverage coverage;
    sy_matrix matrix;
    sy_report_matrix_view view = {
        .matrix = &matrix,
        .coverage = &coverage,
        .capability = call->arguments.capability,
        .backend = call->arguments.backend,
    };
    char *text = NULL;
    sy_status status = cli_registry_no_words(call, err);

    if (status == SY_OK)
        status = cli_registry_open(call, SY_REGISTRY_ALL, err);
    if (status != SY_OK)
        return status;
    status = sy_registry_matrix(call->registry, &matrix, err);
    if (status == SY_NOT_FOUND) {
        (void)cli_fail(err, SY_CORRUPT, "nothing of the matrix could be read");
        cli_hint(err, "what is wrong: steelyard matrix validate");
        return SY_CORRUPT;
    }
    if (status == SY_OK)
        status = sy_registry_coverage_count(call->registry, &coverage, err);
    if (status == SY_OK)
        status = call->arguments.common.json ? sy_report_matrix_json(&view, &text, err)
                                             : sy_report_matrix(&view, &style, &text, err);
    status = cli_registry_print(status, text);
    return status == SY_OK ? cli_registry_refuse_damage(call, !has_gates(&matrix), err) : status;
}

static sy_status act_validate(cli_registry_call *call, sy_error *err)
{
    return cli_registry_validate(call, SY_REGISTRY_ALL, err);
}

static void tell_written(void *user, const char *path)
{
    (void)user;
    cli_output_write("written: ");
    cli_output_write(path);
    cli_output_write("\n");
}

static sy_status act_init(cli_registry_call *call, sy_error *err)
{
    sy_registry_init_options options = SY_REGISTRY_INIT_OPTIONS_INIT;
    const char *root = call->arguments.root != NULL ? call->arguments.root : ".";
    sy_status status = cli_registry_no_words(call, err);

    bool is_toy = call->arguments.backend != NULL && strcmp(call->arguments.backend, "fake") == 0;
    options.project = call->arguments.project;
    options.backend = call->arguments.backend;
    if (status == SY_OK)
        status = sy_registry_init(root, &options, tell_written, NULL, err);
    if (status == SY_OK && !call->arguments.common.quiet)
        cli_output_write(is_toy ? "\n"
                                  "Its times are made up: to learn with, and to try what a gate does.\n"
                                  "DAY=1 steelyard run exec --gate toy.fake.session    a first session\n"
                                : "\n"
                                  "steelyard matrix show        the matrix: two operations on two backends, all of it "
                                  "open\n"
                                  "steelyard gate next          what to measure first\n"
                                  "steelyard gate command ID    the command that measures it\n");
    return status;
}

static int run_show(int argc, char **argv)
{
    return cli_registry_run(&cli_matrix_show, argc, argv, 0, act_show);
}

static int run_validate(int argc, char **argv)
{
    return cli_registry_run(&cli_matrix_validate, argc, argv, 0, act_validate);
}

static int run_init(int argc, char **argv)
{
    return cli_registry_run(&cli_matrix_init, argc, argv, 0, act_init);
}

static int run(int argc, char **argv)
{
    return cli_command_run_verb(&cli_command_matrix, argc, argv);
}

static const cli_option show_options[] = {
    {.name = "capability",
     .argument = "NAME",
     .standard = "all",
     .kind = CLI_TEXT,
     .group = "What is shown",
     .help = "this capability alone; the whole name, letters of either case",
     CLI_REGISTRY_INTO(capability)},
    {.name = "backend",
     .argument = "NAME",
     .standard = "all",
     .kind = CLI_TEXT,
     .group = "What is shown",
     .help = "this backend of the matrix alone",
     CLI_REGISTRY_INTO(backend)},
    CLI_REGISTRY_ROOT_OPTION,
    CLI_JSON_OPTION,
};

static const cli_option validate_options[] = {
    CLI_REGISTRY_COVERAGE_OPTION,
    CLI_REGISTRY_ROOT_OPTION,
    CLI_JSON_OPTION,
};

static const cli_option init_options[] = {
    {.name = "project",
     .argument = "NAME",
     .standard = "the folder's name",
     .kind = CLI_TEXT,
     .group = CLI_REGISTRY_GROUP,
     .help = "what the project is called",
     CLI_REGISTRY_INTO(project)},
    {.name = "backend",
     .argument = "NAME",
     .standard = "cpu",
     .kind = CLI_TEXT,
     .group = CLI_REGISTRY_GROUP,
     .help = "whose files: cpu, of this computer; fake, a toy of one gate to learn with, whose times are made up "
             "(docs/tutorial.md)",
     CLI_REGISTRY_INTO(backend)},
    {.name = "root",
     .argument = "FOLDER",
     .standard = "this folder",
     .kind = CLI_TEXT,
     .group = CLI_REGISTRY_GROUP,
     .completion = CLI_COMPLETE_FILES,
     .help = "where the files are written; made if it is missing",
     CLI_REGISTRY_INTO(root)},
};

static const cli_command *const verbs[] = {
    &cli_matrix_init,
    &cli_matrix_show,
    &cli_matrix_validate,
    NULL,
};

static const char *const paragraphs[] = {
    "The profile matrix says what a project owes its users in evidence: one cell for every capability and backend, "
    "unsupported ones and known gaps included. Its files are JSON that people write and review; steelyard.json at the "
    "project's root says where they are.",
    "What exactly is measured, and what is still open, are the gates: steelyard help gate.",
    "Exit codes: 0 done, 1 findings or refused, 2 usage, 4 files that cannot be read or written, 7 coverage is missing "
    "and --require-coverage was given.",
    NULL};

static const char *const init_paragraphs[] = {
    "Writes a small valid set of files for a new project: two operations on two backends, gates with runbooks whose "
    "commands run Steelyard itself, an empty index of runs. Nothing is overwritten: where one of the files is there, "
    "nothing is written at all.",
    NULL};

static const char *const init_examples[] = {"steelyard matrix init", "Begin here.",
                                            "steelyard matrix init --backend fake --root toy", "A toy to learn with.",
                                            NULL};

static const char *const show_paragraphs[] = {
    "Draws capabilities against backends: a sign a cell, and how many of its gates are open. Below it stands why each "
    "cell is no more than that, with the gate to measure next.",
    NULL};

static const char *const validate_paragraphs[] = {
    "Reads the matrix, the parity matrix, the gates, the imported evidence, the manifests of experiments and the index "
    "of runs, holds all of it against every rule, and prints each finding with its place. Notes tell what is not wrong "
    "and still worth knowing: a cell called ready whose gates are open, evidence that no cell names.",
    "Exit code 1 when there is a finding, 7 when there is none but coverage is missing and --require-coverage was "
    "given.",
    NULL};

static const char *const show_examples[] = {"steelyard matrix show", "What is measured, and what is not?",
                                            "steelyard matrix show --backend cuda", "On one backend.", NULL};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const cli_command cli_command_matrix = {
    .name = "matrix",
    .summary = "begin, draw and validate what a project owes its users in evidence",
    .usage = "COMMAND [option...]",
    .paragraphs = paragraphs,
    .verbs = verbs,
    .run = run,
};

const cli_command cli_matrix_init = {
    .name = "matrix init",
    .summary = "write the files of a new project",
    .usage = "[option...]",
    .paragraphs = init_paragraphs,
    .examples = init_examples,
    .options = init_options,
    .option_count = COUNT(init_options),
    .run = run_init,
};

const cli_command cli_matrix_show = {
    .name = "matrix show",
    .summary = "draw what is measured, what is open and why",
    .usage = "[option...]",
    .paragraphs = show_paragraphs,
    .examples = show_examples,
    .options = show_options,
    .option_count = COUNT(show_options),
    .run = run_show,
};

const cli_command cli_matrix_validate = {
    .name = "matrix validate",
    .summary = "print all that is wrong with the files",
    .usage = "[option...]",
    .paragraphs = validate_paragraphs,
    .options = validate_options,
    .option_count = COUNT(validate_options),
    .run = run_validate,
};
