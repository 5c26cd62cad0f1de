/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard run start: begins a run of a gate, after a look at machine, sources and inputs. */
#include <stdlib.h>

#include "command_runs.h"
#include "message.h"
#include "run_call.h"

typedef struct start_arguments {
    cli_run_arguments run; /* first */
    const char *question;
    const char *device;
    const char *cache_state;
    unsigned int hardware; /* index into the choices */
    cli_names inputs;
    cli_names parameters;
    cli_names keys;
    cli_names outputs;
    cli_names notes;
    cli_names despite;
    const char *reason;
} start_arguments;

static const char *const hardware_words[] = {"as-known", "physical", "software", NULL};
static const int hardware_values[] = {-1, 1, 0};

/* Texts that options were cut into. */
typedef struct start_pairs {
    sy_named_text *inputs;
    sy_run_input *files;
    sy_named_text *parameters;
    sy_named_text *key;
} start_pairs;

static sy_status cut(const start_arguments *a, start_pairs *pairs, sy_error *err)
{
    sy_status status = cli_run_pairs(&a->inputs, "input", &pairs->inputs, err);

    if (status == SY_OK)
        status = cli_run_pairs(&a->parameters, "parameter", &pairs->parameters, err);
    if (status == SY_OK)
        status = cli_run_pairs(&a->keys, "key", &pairs->key, err);
    if (status != SY_OK)
        return status;
    pairs->files = calloc(a->inputs.count + 1, sizeof(*pairs->files));
    if (pairs->files == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for --input");
    for (size_t i = 0; i < a->inputs.count; i++)
        pairs->files[i] = (sy_run_input){pairs->inputs[i].name, pairs->inputs[i].value};
    return SY_OK;
}

static sy_status start_run(cli_run_call *call, const start_arguments *a, const start_pairs *pairs, sy_error *err)
{
    sy_run_start_options options = SY_RUN_START_OPTIONS_INIT;
    sy_run_started *started = NULL;
    sy_status status;

    options.gate = call->operands.words[0];
    options.question = a->question;
    options.device = a->device;
    options.cache_state = a->cache_state;
    options.hardware = hardware_values[a->hardware];
    options.inputs = pairs->files;
    options.input_count = a->inputs.count;
    options.parameters = pairs->parameters;
    options.parameter_count = a->parameters.count;
    options.key = pairs->key;
    options.key_count = a->keys.count;
    options.planned_outputs = (const char *const *)a->outputs.names;
    options.planned_output_count = a->outputs.count;
    options.notes = (const char *const *)a->notes.names;
    options.note_count = a->notes.count;
    options.despite = (const char *const *)a->despite.names;
    options.despite_count = a->despite.count;
    options.despite_reason = a->reason;
    status = sy_project_start(call->project, &options, &started, err);
    if (status == SY_OK)
        status = call->json ? sy_report_run_started_json(started, &call->text, err)
                            : sy_report_run_started(started, &call->style, &call->text, err);
    if (status == SY_OK)
        call->code = started->planned ? CLI_DONE : CLI_ENVIRONMENT;
    sy_run_started_destroy(started);
    return status;
}

static sy_status work(cli_run_call *call, sy_error *err)
{
    const start_arguments *a = call->arguments;
    start_pairs pairs = {NULL, NULL, NULL, NULL};
    sy_status status = cut(a, &pairs, err);

    if (status == SY_OK)
        status = start_run(call, a, &pairs, err);
    free(pairs.inputs);
    free(pairs.files);
    free(pairs.parameters);
    free(pairs.key);
    return status;
}

static int run(int argc, char **argv)
{
    start_arguments a = {.hardware = 0};
    int code = cli_run_verb(&cli_run_start, 1, "one GATE", CLI_LEDGER_RECORD, work, &a, argc, argv);

    cli_names_finish(&a.inputs);
    cli_names_finish(&a.parameters);
    cli_names_finish(&a.keys);
    cli_names_finish(&a.outputs);
    cli_names_finish(&a.notes);
    cli_names_finish(&a.despite);
    return code;
}

static const cli_option options[] = {
    {.name = "question",
     .argument = "TEXT",
     .standard = "the gate's or its runbook's",
     .kind = CLI_TEXT,
     .group = "The run",
     .help = "what the run may refute",
     CLI_INTO(start_arguments, question)},
    {.name = "device",
     .argument = "NAME",
     .standard = "the gate's platform",
     .kind = CLI_TEXT,
     .group = "The run",
     .completion = CLI_COMPLETE_BACKENDS,
     .help = "the device that is measured, as steelyard backends lists it",
     CLI_INTO(start_arguments, device)},
    {.name = "hardware",
     .argument = "WORD",
     .standard = "as-known",
     .kind = CLI_CHOICE,
     .group = "The run",
     .choices = hardware_words,
     .help = "physical, or software that plays a device: of one that no backend of this build has",
     CLI_INTO(start_arguments, hardware)},
    {.name = "cache-state",
     .argument = "TEXT",
     .standard = "as the gate says",
     .kind = CLI_TEXT,
     .group = "The run",
     .help = "what the caches hold when a timed run begins",
     CLI_INTO(start_arguments, cache_state)},
    {.name = "input",
     .argument = "NAME=FILE",
     .kind = CLI_TEXTS,
     .group = "The run",
     .help = "a file that is measured on, by the fixture's name; its digest is found out; may be given again",
     CLI_INTO(start_arguments, inputs)},
    {.name = "parameter",
     .argument = "NAME=VALUE",
     .kind = CLI_TEXTS,
     .group = "The run",
     .help = "a setting that the gate does not say; may be given again",
     CLI_INTO(start_arguments, parameters)},
    {.name = "key",
     .argument = "NAME=VALUE",
     .kind = CLI_TEXTS,
     .group = "The run",
     .help = "a field of the comparison key that nothing else tells; may be given again",
     CLI_INTO(start_arguments, keys)},
    {.name = "output",
     .argument = "TEXT",
     .kind = CLI_TEXTS,
     .group = "The run",
     .help = "what the run is to leave behind besides what its runbook requires; may be given again",
     CLI_INTO(start_arguments, outputs)},
    {.name = "note",
     .argument = "TEXT",
     .kind = CLI_TEXTS,
     .group = "The run",
     .help = "a remark that is kept; may be given again",
     CLI_INTO(start_arguments, notes)},
    {.name = "despite",
     .argument = "RUN",
     .kind = CLI_TEXTS,
     .group = "The run",
     .help = "start although the smoke of that run has failed on the device; may be given again",
     CLI_INTO(start_arguments, despite)},
    {.name = "reason",
     .argument = "TEXT",
     .kind = CLI_TEXT,
     .group = "The run",
     .help = "why a run starts despite a block",
     CLI_INTO(start_arguments, reason)},
    CLI_PROJECT_OPTIONS(start_arguments, run.project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Looks at everything that has to be so before anything is timed, and writes the run's beginning to the ledger: the "
    "question, the sources with what differs from their revision, the machine, the inputs' digests, the comparison "
    "key, "
    "what is to be left behind, and each check with what was found and expected. Then steelyard run exec RUN does the "
    "work.",
    "What cannot be found out has not passed. A preflight that fails is recorded, too: a failed run, exit code 3.",
    "While the smoke of another gate stands failed on the device, nothing starts there unless its tier is diagnostic "
    "or "
    "--despite says which run and --reason why.",
    NULL};

static const char *const examples[] = {
    "steelyard run start matmul.cpu.square-512.session --question 'Is it still as fast with four threads?'",
    "begin a run of that gate", "steelyard run start load.cuda.full --input scan-7=/data/scan7.h5",
    "the fixture's file is named, and its digest held against the gate's", NULL};

const cli_command cli_run_start = {
    .name = "run start",
    .summary = "begin a run of a gate, after a preflight",
    .usage = "GATE [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
