/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard run finish: how a run ended and what is concluded, with figures that were not told before. */
#include <stdlib.h>
#include <string.h>

#include "argument_number.h"
#include "command_runs.h"
#include "message.h"
#include "run_call.h"

typedef struct finish_arguments {
    cli_run_arguments run; /* first */
    unsigned int status;   /* index into the choices */
    const char *conclusion;
    const char *reason;
    const char *superseded_by;
    cli_names memories;
    cli_names parities;
    cli_names digests;
    cli_names notes;
} finish_arguments;

enum { STATUS_COUNT = 4 }; /* also: none was said */
static const char *const status_words[STATUS_COUNT + 1] = {"ok", "failed", "refuted", "superseded", NULL};
static const sy_run_status statuses[STATUS_COUNT] = {SY_RUN_OK, SY_RUN_FAILED, SY_RUN_REFUTED, SY_RUN_SUPERSEDED};

static const char *const basis_words[] = {
#define BASIS_WORD(name, word) word,
    SY_MEMORY_BASIS_LIST(BASIS_WORD)
#undef BASIS_WORD
        NULL};
static const char *const scope_words[] = {
#define SCOPE_WORD(name, word) word,
    SY_MEMORY_SCOPE_LIST(SCOPE_WORD)
#undef SCOPE_WORD
        NULL};

/* Which of words it is; -1: none. */
static int find_word(const char *const *words, const char *word)
{
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(words[i], word) == 0)
            return i;
    }
    return -1;
}

/* "name=rest": the value if the part has that name, else NULL. */
static char *value_of(char *part, const char *name)
{
    size_t length = strlen(name);

    return strncmp(part, name, length) == 0 && part[length] == '=' ? part + length + 1 : NULL;
}

/* NAME=BYTES,basis=WORD,scope=WORD[,how=TEXT] */
static sy_status read_memory(char *text, sy_run_memory *to, sy_error *err)
{
    char *rest = text;
    char *part = cli_run_next_part(&rest);
    char *equals = strchr(part, '=');
    int basis = -1;
    int scope = -1;

    *to = (sy_run_memory){.how = "", .swap_bytes = SY_NAN, .pressure_share = SY_NAN};
    if (equals == NULL || equals == part || !cli_number_bytes(equals + 1, &to->bytes))
        return cli_fail(err, SY_INVALID_ARGUMENT, "--memory %.60s: it must begin with NAME=BYTES", part);
    *equals = '\0';
    to->name = part;
    while ((part = cli_run_next_part(&rest)) != NULL) {
        char *value;

        if ((value = value_of(part, "basis")) != NULL)
            basis = find_word(basis_words, value);
        else if ((value = value_of(part, "scope")) != NULL)
            scope = find_word(scope_words, value);
        else if ((value = value_of(part, "how")) != NULL)
            to->how = value;
        else
            return cli_fail(err, SY_INVALID_ARGUMENT, "--memory %.60s: '%.60s' means nothing", to->name, part);
    }
    if (basis < 0 || scope < 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--memory %.60s: %s is missing or unknown", to->name,
                       basis < 0 ? "basis" : "scope");
        cli_hint(err, "%s",
                 basis < 0 ? "basis=physical, constrained, estimate or calculated"
                           : "scope=process, process-tree, device-allocated, device-used or unified");
        return SY_INVALID_ARGUMENT;
    }
    to->basis = (sy_memory_basis)basis;
    to->scope = (sy_memory_scope)scope;
    return SY_OK;
}

/* OUTCOME[,case=TEXT][,implementation=TEXT][,error=NUMBER][,reason=TEXT] */
static sy_status read_parity(char *text, sy_run_parity_event *to, sy_error *err)
{
    char *rest = text;
    char *part = cli_run_next_part(&rest);

    *to = (sy_run_parity_event){.case_name = "", .implementation = "", .reason = "", .error_in_tolerances = SY_NAN};
    if (!sy_run_parity_read(part, &to->outcome)) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--parity %.60s: there is no such outcome", part);
        cli_hint(err, "passed, failed, incomplete, not-performed or unknown");
        return SY_INVALID_ARGUMENT;
    }
    while ((part = cli_run_next_part(&rest)) != NULL) {
        char *value;

        if ((value = value_of(part, "case")) != NULL)
            to->case_name = value;
        else if ((value = value_of(part, "implementation")) != NULL)
            to->implementation = value;
        else if ((value = value_of(part, "reason")) != NULL)
            to->reason = value;
        else if ((value = value_of(part, "error")) == NULL || !cli_number_double(value, &to->error_in_tolerances))
            return cli_fail(err, SY_INVALID_ARGUMENT, "--parity: '%.60s' means nothing", part);
    }
    return SY_OK;
}

/* What the options were read into. */
typedef struct finish_figures {
    sy_run_memory *memories;
    sy_run_parity_event *parities;
    sy_named_text *pairs;
    sy_run_digest *digests;
} finish_figures;

static sy_status read_figures(const finish_arguments *a, finish_figures *to, sy_error *err)
{
    sy_status status = cli_run_pairs(&a->digests, "digest", &to->pairs, err);

    to->memories = calloc(a->memories.count + 1, sizeof(*to->memories));
    to->parities = calloc(a->parities.count + 1, sizeof(*to->parities));
    to->digests = calloc(a->digests.count + 1, sizeof(*to->digests));
    if (status == SY_OK && (to->memories == NULL || to->parities == NULL || to->digests == NULL))
        status = cli_fail(err, SY_NO_MEMORY, "no memory for the figures of a run");
    for (size_t i = 0; status == SY_OK && i < a->memories.count; i++)
        status = read_memory(a->memories.names[i], &to->memories[i], err);
    for (size_t i = 0; status == SY_OK && i < a->parities.count; i++)
        status = read_parity(a->parities.names[i], &to->parities[i], err);
    for (size_t i = 0; status == SY_OK && i < a->digests.count; i++)
        to->digests[i] = (sy_run_digest){to->pairs[i].name, to->pairs[i].value};
    return status;
}

static sy_status finish_run(cli_run_call *call, const finish_arguments *a, const finish_figures *figures, sy_error *err)
{
    sy_run_finish_options options = SY_RUN_FINISH_OPTIONS_INIT;
    sy_run_finished *finished = NULL;
    sy_run *found = NULL;
    sy_status status = cli_run_find(call, call->operands.words[0], &found, err);

    options.run = status == SY_OK ? found->row.id : NULL;
    options.end = (sy_run_end){statuses[a->status], a->conclusion, a->reason, a->superseded_by};
    options.memories = figures->memories;
    options.memory_count = a->memories.count;
    options.parities = figures->parities;
    options.parity_count = a->parities.count;
    options.digests = figures->digests;
    options.digest_count = a->digests.count;
    options.notes = (const char *const *)a->notes.names;
    options.note_count = a->notes.count;
    if (status == SY_OK)
        status = sy_project_finish(call->project, &options, &finished, err);
    if (status == SY_OK)
        status = call->json ? sy_report_run_finished_json(finished, &call->text, err)
                            : sy_report_run_finished(finished, &call->style, &call->text, err);
    sy_run_finished_destroy(finished);
    sy_run_destroy(found);
    return status;
}

static sy_status work(cli_run_call *call, sy_error *err)
{
    const finish_arguments *a = call->arguments;
    finish_figures figures = {NULL, NULL, NULL, NULL};
    sy_status status;

    if (a->status >= STATUS_COUNT) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--status is missing");
        cli_hint(err, "how did it end: ok, failed, refuted or superseded?");
        return SY_INVALID_ARGUMENT;
    }
    status = read_figures(a, &figures, err);
    if (status == SY_OK)
        status = finish_run(call, a, &figures, err);
    free(figures.memories);
    free(figures.parities);
    free(figures.pairs);
    free(figures.digests);
    return status;
}

static int run(int argc, char **argv)
{
    finish_arguments a = {.status = STATUS_COUNT};
    int code = cli_run_verb(&cli_run_finish, 1, "one RUN", CLI_LEDGER_WRITE, work, &a, argc, argv);

    cli_names_finish(&a.memories);
    cli_names_finish(&a.parities);
    cli_names_finish(&a.digests);
    cli_names_finish(&a.notes);
    return code;
}

static const cli_option options[] = {
    {.name = "status",
     .argument = "WORD",
     .kind = CLI_CHOICE,
     .group = "The run",
     .choices = status_words,
     .help = "how it ended; must be said",
     CLI_INTO(finish_arguments, status)},
    {.name = "conclusion",
     .argument = "TEXT",
     .kind = CLI_TEXT,
     .group = "The run",
     .help = "what is concluded; a refuted run has one",
     CLI_INTO(finish_arguments, conclusion)},
    {.name = "reason",
     .argument = "TEXT",
     .kind = CLI_TEXT,
     .group = "The run",
     .help = "why it failed",
     CLI_INTO(finish_arguments, reason)},
    {.name = "superseded-by",
     .argument = "RUN",
     .kind = CLI_TEXT,
     .group = "The run",
     .help = "the run that takes its place",
     CLI_INTO(finish_arguments, superseded_by)},
    {.name = "memory",
     .argument = "NAME=BYTES,basis=WORD,scope=WORD[,how=TEXT]",
     .kind = CLI_TEXTS,
     .group = "The run",
     .help = "a memory figure; may be given again",
     CLI_INTO(finish_arguments, memories)},
    {.name = "parity",
     .argument = "OUTCOME[,case=TEXT][,implementation=TEXT][,error=NUMBER][,reason=TEXT]",
     .kind = CLI_TEXTS,
     .group = "The run",
     .help = "whether outputs were right; may be given again",
     CLI_INTO(finish_arguments, parities)},
    {.name = "digest",
     .argument = "ROLE=HEX",
     .kind = CLI_TEXTS,
     .group = "The run",
     .help = "SHA-256 of an output that is not kept; may be given again",
     CLI_INTO(finish_arguments, digests)},
    {.name = "note",
     .argument = "TEXT",
     .kind = CLI_TEXTS,
     .group = "The run",
     .help = "a remark that is kept; may be given again",
     CLI_INTO(finish_arguments, notes)},
    CLI_PROJECT_OPTIONS(finish_arguments, run.project),
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "A run that was executed ends as ok, failed, refuted or superseded; one that was only planned can end as failed; "
    "an ok "
    "one can be superseded later. An end is never taken back. What is printed last is the ledger's head: its number "
    "and "
    "digest, kept elsewhere, prove that nothing before was changed (steelyard ledger anchor).",
    "Memory: basis is physical (of a device that has no more), constrained (then how= says by what), estimate or "
    "calculated; only the first two can satisfy a minimum-memory gate, all else is a pre-check. A comma within a value "
    "is "
    "doubled.",
    NULL};

static const char *const examples[] = {
    "steelyard run finish last --status ok --conclusion 'No slower than before.'",
    "end the latest run",
    "steelyard run finish 20261129-2330 --status refuted --conclusion 'Two threads are slower.'",
    "a hypothesis that did not hold stays in the ledger",
    "steelyard run finish last --status ok --memory peak=3GiB,basis=constrained,scope=process,how=prlimit",
    "with a figure that counts for a minimum-memory gate",
    NULL};

const cli_command cli_run_finish = {
    .name = "run finish",
    .summary = "say how a run ended and what is concluded",
    .usage = "RUN --status WORD [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run,
};
