/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard profile merge: several files into one. The store decides under its lock what supersedes what; here it is
 * worked out beforehand, to list what two files disagree on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_profile.h"
#include "message.h"

typedef struct member {
    const sy_profile *profile;
    const char *file;
    size_t order; /* 0.. in the order read: those of the target first */
    bool of_target;
} member;

typedef struct merging {
    sy_store *stores[CLI_OPERANDS_MAX];
    size_t store_count;
    member *members;
    size_t count;
    size_t capacity;
    const char *file; /* that is being read */
    bool of_target;
    const sy_profile **adopted;
    size_t adopted_count;
    sy_report_conflict *conflicts;
    sy_report_change change;
    size_t override_conflicts;
} merging;

static sy_status gather(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    merging *m = user;

    (void)layer;
    if (m->count == m->capacity) {
        size_t capacity = m->capacity == 0 ? 64 : m->capacity * 2;
        member *members = reallocarray(m->members, capacity, sizeof(members[0]));

        if (members == NULL)
            return cli_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", capacity);
        m->members = members;
        m->capacity = capacity;
    }
    m->members[m->count] = (member){profile, m->file, m->count, m->of_target};
    m->count++;
    return SY_OK;
}

/* A file to merge must be there and whole. */
static sy_status read_input(const cli_profile_call *call, merging *m, const char *path, sy_error *err)
{
    sy_store_options options = cli_profile_store_options(call, path);
    sy_layer_info info;
    sy_store *store = NULL;
    sy_status status = sy_store_open(&options, &store, err);

    if (status != SY_OK)
        return status;
    m->stores[m->store_count++] = store;
    status = sy_store_layer(store, 0, &info, err);
    if (status == SY_OK && info.status == SY_NOT_FOUND)
        status = cli_fail(err, SY_NOT_FOUND, "there is no file '%s' to merge", path);
    else if (status == SY_OK && info.status != SY_OK)
        status = cli_profile_fail_layer(&info, err);
    m->file = path;
    return status == SY_OK ? sy_store_iterate(store, gather, m, err) : status;
}

static int compare_structures(const sy_profile_key *a, const sy_profile_key *b)
{
    for (size_t i = 0; i < a->structure_count && i < b->structure_count; i++) {
        int order = strcmp(a->structure[i].name, b->structure[i].name);

        if (order == 0)
            order = strcmp(a->structure[i].value, b->structure[i].value);
        if (order != 0)
            return order;
    }
    return (a->structure_count > b->structure_count) - (a->structure_count < b->structure_count);
}

static int compare_keys(const sy_profile *a, const sy_profile *b)
{
    const char *const texts[][2] = {
        {a->key.backend, b->key.backend},
        {a->key.operator_name, b->key.operator_name},
        {a->key.implementation_version, b->key.implementation_version},
        {a->key.model_digest, b->key.model_digest},
        {a->key.processor, b->key.processor},
    };

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->portable != b->portable)
        return a->portable ? 1 : -1;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int order = strcmp(texts[i][0], texts[i][1]);

        if (order != 0)
            return order;
    }
    if (a->key.thread_count != b->key.thread_count)
        return a->key.thread_count < b->key.thread_count ? -1 : 1;
    return compare_structures(&a->key, &b->key);
}

static int compare_members(const void *left, const void *right)
{
    const member *a = left;
    const member *b = right;
    int order = compare_keys(a->profile, b->profile);

    if (order != 0)
        return order;
    if (sy_profile_supersedes(a->profile, b->profile))
        return -1;
    if (sy_profile_supersedes(b->profile, a->profile))
        return 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Two profiles of one key that would not answer alike. */
static bool disagree(const sy_profile *a, const sy_profile *b)
{
    bool same_policy = a->policy_size == b->policy_size && memcmp(a->policy, b->policy, a->policy_size) == 0;

    return !same_policy || (a->kind == SY_PROFILE_OVERRIDE && a->expires_utc_s != b->expires_utc_s);
}

static const char *why(const sy_profile *kept, const sy_profile *dropped)
{
    if ((kept->evidence_run[0] != '\0') != (dropped->evidence_run[0] != '\0'))
        return "has evidence";
    return kept->created_utc_s != dropped->created_utc_s ? "newer" : "same time";
}

static void note_conflict(merging *m, const member *kept, const member *dropped)
{
    m->conflicts[m->change.conflict_count++] = (sy_report_conflict){
        kept->profile, dropped->profile, kept->file, dropped->file, why(kept->profile, dropped->profile)};
    m->override_conflicts += kept->profile->kind == SY_PROFILE_OVERRIDE;
}

/* members[from..to) have one key and kind, the one to be believed first. All are handed to the store, which keeps what
 * the others had measured as history: in this order, whatever that of the files. */
static void settle(merging *m, size_t from, size_t to)
{
    const member *best = &m->members[from];
    bool in_target = false;

    for (size_t i = from; i < to; i++) {
        in_target = in_target || m->members[i].of_target;
        if (i > from && disagree(best->profile, m->members[i].profile))
            note_conflict(m, best, &m->members[i]);
        if (!m->members[i].of_target)
            m->adopted[m->adopted_count++] = m->members[i].profile;
    }
    if (best->of_target)
        m->change.unchanged++;
    else if (in_target)
        m->change.replaced++;
    else
        m->change.added++;
}

static sy_status settle_all(merging *m, sy_error *err)
{
    m->adopted = calloc(m->count + 1, sizeof(m->adopted[0]));
    m->conflicts = calloc(m->count + 1, sizeof(m->conflicts[0]));
    if (m->adopted == NULL || m->conflicts == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory to merge %zu profiles", m->count);
    if (m->count > 0)
        qsort(m->members, m->count, sizeof(m->members[0]), compare_members);
    for (size_t from = 0; from < m->count;) {
        size_t to = from + 1;

        while (to < m->count && compare_keys(m->members[from].profile, m->members[to].profile) == 0)
            to++;
        settle(m, from, to);
        from = to;
    }
    m->change.conflicts = m->conflicts;
    return SY_OK;
}

static sy_status read_all(cli_profile_call *call, merging *m, sy_error *err)
{
    sy_status status = cli_profile_open_to_write(call, err);

    if (status == SY_OK && cli_profile_damage(call) != SY_OK)
        status = cli_profile_fail_layer(&call->layers[0], err);
    if (status == SY_OK) {
        m->file = cli_profile_path(call);
        m->of_target = true;
        status = sy_store_iterate(call->store, gather, m, err);
        m->of_target = false;
    }
    for (size_t i = 0; status == SY_OK && i < call->operands.count; i++)
        status = read_input(call, m, call->operands.words[i], err);
    return status;
}

static sy_status store_merged(cli_profile_call *call, merging *m, sy_put_result *result, sy_error *err)
{
    sy_adoption adoption = SY_ADOPTION_INIT;
    sy_status status = SY_OK;

    m->change.refused = m->override_conflicts > 0 && !call->arguments.newest_overrides;
    adoption.newest_wins = true;
    if (!m->change.refused && m->adopted_count > 0)
        status = sy_store_adopt(call->store, m->adopted, m->adopted_count, &adoption, result, err);
    if (m->change.refused)
        m->change.added = m->change.replaced = m->change.unchanged = 0;
    m->change.format = result->format;
    m->change.not_kept = result->not_kept;
    if (status == SY_OK)
        status = cli_profile_print_change(call, &m->change, err);
    if (status == SY_OK && m->change.refused) {
        status = cli_fail(err, SY_REFUSED, "%zu %s disagree, and an override is never dropped: nothing was merged",
                          m->override_conflicts,
                          m->override_conflicts == 1 ? "pair of overrides" : "pairs of overrides");
        cli_hint(err, "clear one of them, or keep the newer ones with --newest-overrides");
    }
    return status;
}

static sy_status act_merge(cli_profile_call *call, sy_error *err)
{
    merging m = {.store_count = 0};
    sy_put_result result = {.format = 0};
    sy_status status = SY_OK;

    if (call->operands.count == 0)
        return cli_fail(err, SY_INVALID_ARGUMENT, "no FILE to merge is given");
    if (call->arguments.into == NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--into is missing: the file to merge into");
    call->arguments.store = call->arguments.into;
    status = read_all(call, &m, err);
    m.change.action = "merge";
    m.change.path = cli_profile_path(call);
    if (status == SY_OK)
        status = settle_all(&m, err);
    if (status == SY_OK)
        status = store_merged(call, &m, &result, err);
    for (size_t i = 0; i < m.store_count; i++)
        sy_store_close(m.stores[i]);
    free(m.members);
    free(m.adopted);
    free(m.conflicts);
    return status;
}

static int run(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_merge, argc, argv, act_merge);
}

static const cli_option options[] = {
    {.name = "into",
     .argument = "FILE",
     .kind = CLI_TEXT,
     .group = CLI_PROFILE_STORE_GROUP,
     .completion = CLI_COMPLETE_FILES,
     .help = "the file to merge into; its own profiles take part",
     CLI_PROFILE_INTO(into)},
    {.name = "newest-overrides",
     .kind = CLI_FLAG,
     .group = CLI_PROFILE_STORE_GROUP,
     .help = "of overrides that disagree keep the newest, instead of merging nothing",
     CLI_PROFILE_INTO(newest_overrides)},
    CLI_PROFILE_FORMAT_OPTION("format of a new file, 2 unless given; a file keeps the one it has"),
    CLI_PROFILE_LOCK_OPTION,
    CLI_JSON_OPTION,
};

static const char *const paragraphs[] = {
    "Stores the profiles of each FILE in another one. Of two of the same key and kind the one with evidence wins, then "
    "the newer; of the same time always the same one, so that the order of files does not matter. Where their policies "
    "differ, the conflict is listed with both.",
    "Overrides are never dropped: if two of one key disagree, nothing is merged and the exit code is 1. A FILE that is "
    "damaged (exit code 4) or not there (6) ends the merge before anything is changed.",
    NULL};

static const char *const examples[] = {"steelyard profile merge node1.profiles node2.profiles --into all.profiles",
                                       "gather what two machines have stored", NULL};

const cli_command cli_profile_merge = {
    .name = "profile merge",
    .summary = "gather the profiles of several files in one",
    .usage = "FILE... --into FILE [option...]",
    .paragraphs = paragraphs,
    .examples = examples,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .completion = CLI_COMPLETE_FILES,
    .run = run,
};
