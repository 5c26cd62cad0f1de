/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard run attach: keeps a file as an artifact of a run. */
#include "command_runs.h"
#include "message.h"
#include "run_call.h"

typedef struct attach_arguments {
    cli_run_arguments run; /* first */
    unsigned int role;     /* index into the choices, which are in the enum's order */
    const char *name;
} attach_arguments;

static const char *const roles[] = {
#define ROLE_WORD(name, word) word,
    SY_ARTIFACT_ROLE_LIST(ROLE_WORD)
#undef ROLE_WORD
        NULL};

static sy_status work(cli_run_call *call, sy_error *err)
{
    const attach_arguments *a = call->arguments;
    sy_run *found = NULL;
    sy_run_artifact artifact;
    sy_status status = cli_run_find(call, call->operands.words[0], &found, err);

    if (status == SY_OK)
        status = sy_project_attach(call->project, found->row.id, (sy_artifact_role)a->role, call->operands.words[1],
                                   a->name, 0, &artifact, err);
    if (status == SY_OK)
        status = call->json ? sy_report_attached_json(found->row.id, &artifact, &call->text, err)
                            : sy_report_attached(found->row.id, &artifact, &call->style, &call->text, err);
    sy_run_destroy(found);
    return status;
}

static int run(int argc, char **argv)
{
    attach_arguments a = {.role = SY_ARTIFACT_OUTPUT};

    return cli_run_verb(&cli_run_attach, 2, "a RUN and a FILE", CLI_LEDGER_WRITE, work, &a, argc, argv);
}

static const cli_option options[] = {
    {.name = "role",
     .argument = "WORD",
     .standard = "output",
     .kind = CLI_CHOICE,
     .group = "The run",
     .choices = roles,
     .help = "what the file is",
     CLI_INTO(attach_arguments, role)},
    {.name = "name",
     .argument = "TEXT",
     .standard = "the file's, without folders",
     .kind = CLI_TEXT,
     .group = "The run",
     .help = "what it is called",
     CLI_INTO(attach_arguments, name)},
    CLI_PROJECT_OPTIONS(attach_arguments, run.project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "The file's bytes are kept by their SHA-256 in the folder of evidence, the same bytes once; the run names role, "
    "name "
    "and digest. FILE may be a pipe, or - for standard input; at most 1 GiB. A run that has ended takes files all the "
    "same.",
    NULL};

static const char *const examples[] = {"steelyard run attach last perf.data --role profiler",
                                       "keep what a profiler wrote", NULL};

const cli_command cli_run_attach = {
    .name = "run attach",
    .summary = "keep a file as an artifact of a run",
    .usage = "RUN FILE [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .completion = CLI_COMPLETE_FILES,
    .run = run,
};
