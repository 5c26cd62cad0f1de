/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard profile list, show and digest: what is stored. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "argument_number.h"
#include "command_profile.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

typedef struct gathering {
    const cli_profile_call *call;
    sy_profile_key wanted; /* parts that were given */
    sy_report_profile *items;
    size_t count;
    size_t capacity;
} gathering;

static bool fits_text(const char *wanted, const char *found)
{
    return wanted == NULL || strcmp(wanted, found) == 0;
}

static bool has_property(const sy_profile_key *key, const sy_property *wanted)
{
    for (size_t i = 0; i < key->structure_count; i++) {
        if (strcmp(key->structure[i].name, wanted->name) == 0)
            return strcmp(key->structure[i].value, wanted->value) == 0;
    }
    return false;
}

/* Whether a profile has every part that the options give. */
static bool fits(const gathering *g, const sy_profile *profile)
{
    const sy_profile_key *wanted = &g->wanted;
    const sy_profile_key *found = &profile->key;
    unsigned int kind = g->call->arguments.kind;

    for (size_t i = 0; i < wanted->structure_count; i++) {
        if (!has_property(found, &wanted->structure[i]))
            return false;
    }
    return fits_text(wanted->backend, found->backend) && fits_text(wanted->operator_name, found->operator_name) &&
           fits_text(wanted->implementation_version, found->implementation_version) &&
           fits_text(wanted->model_digest, found->model_digest) && fits_text(wanted->processor, found->processor) &&
           (wanted->thread_count == 0 || wanted->thread_count == found->thread_count) &&
           (kind == CLI_PROFILE_ANY || kind == (unsigned int)profile->kind);
}

static sy_status gather_one(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    gathering *g = user;

    if (!fits(g, profile))
        return SY_OK;
    if (g->count == g->capacity) {
        size_t capacity = g->capacity == 0 ? 64 : g->capacity * 2;
        sy_report_profile *items = reallocarray(g->items, capacity, sizeof(items[0]));

        if (items == NULL)
            return cli_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", capacity);
        g->items = items;
        g->capacity = capacity;
    }
    g->items[g->count++] = (sy_report_profile){profile, layer};
    return SY_OK;
}

/* Opens the store and gathers what the options ask for. The caller frees g->items. */
static sy_status gather(cli_profile_call *call, gathering *g, sy_error *err)
{
    sy_status status = cli_profile_partial_key(call, &g->wanted, err);

    g->call = call;
    if (status == SY_OK)
        status = cli_profile_open_to_read(call, err);
    return status == SY_OK ? sy_store_iterate(call->store, gather_one, g, err) : status;
}

static sy_status act_list(cli_profile_call *call, sy_error *err)
{
    gathering g = {.items = NULL};
    sy_report_style style = cli_terminal_style(&call->arguments.common);
    char *text = NULL;
    sy_status status = cli_profile_no_words(call, err);

    if (status == SY_OK)
        status = gather(call, &g, err);
    if (status == SY_OK)
        status = call->arguments.common.json
                     ? sy_report_profile_list_json(&call->report, g.items, g.count, &text, err)
                     : sy_report_profile_list(&call->report, g.items, g.count, &style, &text, err);
    free(g.items);
    return cli_profile_print(status, text);
}

/* The gathered ones that the words number, in that order; all without words. */
static sy_status pick(const cli_profile_call *call, gathering *g, sy_error *err)
{
    sy_report_profile picked[CLI_OPERANDS_MAX];

    for (size_t i = 0; i < call->operands.count; i++) {
        uint64_t number;

        if (!cli_number_whole(call->operands.words[i], &number) || number == 0)
            return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': must be a number of steelyard profile list",
                            call->operands.words[i]);
        if (number > g->count)
            return cli_fail(err, SY_NOT_FOUND, "there is no profile %s, only %zu", call->operands.words[i], g->count);
        picked[i] = g->items[number - 1];
    }
    for (size_t i = 0; i < call->operands.count && i < g->capacity; i++)
        g->items[i] = picked[i];
    if (call->operands.count > 0)
        g->count = call->operands.count < g->capacity ? call->operands.count : g->capacity;
    return SY_OK;
}

static sy_status act_show(cli_profile_call *call, sy_error *err)
{
    gathering g = {.items = NULL};
    sy_report_style style = cli_terminal_style(&call->arguments.common);
    char *text = NULL;
    sy_status status = gather(call, &g, err);

    if (status == SY_OK)
        status = pick(call, &g, err);
    if (status == SY_OK && g.count == 0) {
        status = cli_fail(err, SY_NOT_FOUND, "there is no such profile");
        cli_hint(err, "all of them: steelyard profile list");
    }
    if (status == SY_OK)
        status = call->arguments.common.json
                     ? sy_report_profile_list_json(&call->report, g.items, g.count, &text, err)
                     : sy_report_profile_details(&call->report, g.items, g.count, &style, &text, err);
    free(g.items);
    return cli_profile_print(status, text);
}

static sy_status print_digest(const cli_profile_call *call, const sy_lookup *lookup, const uint8_t digest[32],
                              sy_error *err)
{
    char line[2 * 32 + 2];
    char *text = NULL;
    sy_status status;

    if (call->arguments.common.json) {
        status = sy_report_profile_digest_json(&call->report, lookup, digest, &text, err);
        return cli_profile_print(status, text);
    }
    for (size_t i = 0; i < 32; i++)
        snprintf(line + 2 * i, 3, "%02x", digest[i]);
    line[64] = '\n';
    line[65] = '\0';
    cli_output_write(line);
    return SY_OK;
}

/* A digest of half a store would be equal where the stores are not: nothing is printed then. */
static sy_status act_digest(cli_profile_call *call, sy_error *err)
{
    sy_lookup lookup = SY_LOOKUP_INIT;
    bool has_key = cli_profile_has_key(call);
    uint8_t digest[32];
    sy_status status = cli_profile_no_words(call, err);

    if (status == SY_OK && has_key)
        status = cli_profile_question(call, &lookup, err);
    if (status == SY_OK)
        status = cli_profile_open_to_read(call, err);
    if (status != SY_OK || cli_profile_damage(call) != SY_OK)
        return status;
    status = sy_store_digest(call->store, has_key ? &lookup : NULL, has_key ? 1 : 0, digest, err);
    return status == SY_OK ? print_digest(call, has_key ? &lookup : NULL, digest, err) : status;
}

static const cli_option list_options[] = {
    CLI_PROFILE_KEY_OPTIONS,  CLI_PROFILE_KIND_OPTION("calibrated, override or imported"),
    CLI_PROFILE_STORE_OPTION, CLI_PROFILE_LAYER_OPTION,
    CLI_JSON_OPTION,
};

static const cli_option digest_options[] = {
    CLI_PROFILE_KEY_OPTIONS,
    {.name = "force-portable",
     .kind = CLI_FLAG,
     .group = CLI_PROFILE_KEY_GROUP,
     .help = "skip exact profiles",
     CLI_PROFILE_INTO(force_portable)},
    CLI_PROFILE_STORE_OPTION,
    CLI_PROFILE_LAYER_OPTION,
    CLI_JSON_OPTION,
};

static int run_list(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_list, argc, argv, act_list);
}

static int run_show(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_show, argc, argv, act_show);
}

static int run_digest(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_digest, argc, argv, act_digest);
}

static const char *const list_paragraphs[] = {
    "Lists the profiles that have every part of a key which is given; all without one. An empty list is no failure.",
    NULL};

static const char *const show_paragraphs[] = {
    "Shows all that is stored of profiles: those that have the given parts of a key, of them those that NUMBERs name "
    "as profile list with the same options numbers them. Exit code 6 when there is none.",
    NULL};

static const char *const digest_paragraphs[] = {
    "Prints a SHA-256 over the decisions: of every stored key, or of one question. What may differ between equal "
    "machines does not count, so that the ranks of a job can compare 64 digits and refuse to diverge.",
    NULL};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const cli_command cli_profile_list = {
    .name = "profile list",
    .summary = "list stored profiles",
    .usage = "[option...]",
    .paragraphs = list_paragraphs,
    .options = list_options,
    .option_count = COUNT(list_options),
    .run = run_list,
};

const cli_command cli_profile_show = {
    .name = "profile show",
    .summary = "show all that is stored of profiles",
    .usage = "[NUMBER...] [option...]",
    .paragraphs = show_paragraphs,
    .options = list_options,
    .option_count = COUNT(list_options),
    .run = run_show,
};

const cli_command cli_profile_digest = {
    .name = "profile digest",
    .summary = "one digest of all decisions, or of one",
    .usage = "[KEY] [option...]",
    .paragraphs = digest_paragraphs,
    .options = digest_options,
    .option_count = COUNT(digest_options),
    .run = run_digest,
};
