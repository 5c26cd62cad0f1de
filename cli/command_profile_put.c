/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard profile put, override and remove: one profile at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_profile.h"
#include "message.h"

static sy_status give_policy(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    const cli_profile_arguments *a = user;

    (void)err;
    *ret_policy = a->policy;
    *ret_size = strlen(a->policy);
    return SY_OK;
}

/* Whether the file had a profile of that key and kind when it was opened. */
static bool is_there(const cli_profile_call *call, const sy_profile_key *key, sy_profile_kind kind)
{
    sy_profile_view view;

    return sy_store_find(call->store, key, kind, &view, NULL) == SY_OK && view.layer == 0;
}

static sy_status print_put(const cli_profile_call *call, const char *action, bool replaced, const sy_put_result *result,
                           sy_error *err)
{
    sy_report_change change = {
        .action = action,
        .path = cli_profile_path(call),
        .added = replaced ? 0 : result->stored,
        .replaced = replaced ? result->stored : 0,
        .format = result->format,
        .not_kept = result->not_kept,
    };

    return cli_profile_print_change(call, &change, err);
}

static sy_status store_calibrated(cli_profile_call *call, const sy_profile_key *key, int64_t expires, sy_error *err)
{
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    sy_measurement *measurements = NULL;
    sy_put_result result;
    bool replaced = false;
    sy_status status = cli_profile_measurements(call, &measurements, err);

    if (status == SY_OK)
        status = cli_profile_open_to_write(call, err);
    if (status == SY_OK) {
        draft.key = *key;
        draft.measurements = measurements;
        draft.measurement_count = call->arguments.measurements.count;
        draft.expires_utc_s = expires;
        replaced = is_there(call, key, SY_PROFILE_CALIBRATED);
        status = sy_store_put(call->store, &draft, give_policy, NULL, &call->arguments, &result, err);
    }
    free(measurements);
    return status == SY_OK ? print_put(call, "put", replaced, &result, err) : status;
}

static sy_status store_override(cli_profile_call *call, const sy_profile_key *key, int64_t expires, sy_error *err)
{
    sy_override_draft draft = {*key, call->arguments.reason, expires};
    sy_put_result result;
    bool replaced;
    sy_status status = cli_profile_open_to_write(call, err);

    if (status != SY_OK)
        return status;
    replaced = is_there(call, key, SY_PROFILE_OVERRIDE);
    status = sy_store_install_override(call->store, &draft, give_policy, NULL, &call->arguments, &result, err);
    return status == SY_OK ? print_put(call, "override", replaced, &result, err) : status;
}

static sy_status check_override(const cli_profile_arguments *a, sy_error *err)
{
    if (a->reason == NULL) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--reason is missing");
        cli_hint(err, "an override says why, for those who find it later");
        return SY_INVALID_ARGUMENT;
    }
    if (a->measurements.count > 0)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--measurement: an override is not measured");
    return SY_OK;
}

static sy_status put(cli_profile_call *call, bool override, sy_error *err)
{
    const cli_profile_arguments *a = &call->arguments;
    sy_profile_key key;
    int64_t expires = 0;
    sy_status status = cli_profile_key(call, &key, err);

    if (status == SY_OK && a->policy == NULL)
        status = cli_fail(err, SY_INVALID_ARGUMENT, "--policy is missing");
    if (status == SY_OK && override)
        status = check_override(a, err);
    if (status == SY_OK && !override && a->reason != NULL)
        status = cli_fail(err, SY_INVALID_ARGUMENT, "--reason: only an override has one; add --override");
    if (status == SY_OK)
        status = cli_profile_expiry(call, &expires, err);
    if (status != SY_OK)
        return status;
    return override ? store_override(call, &key, expires, err) : store_calibrated(call, &key, expires, err);
}

static sy_status act_put(cli_profile_call *call, sy_error *err)
{
    sy_status status = cli_profile_no_words(call, err);

    return status == SY_OK ? put(call, call->arguments.override, err) : status;
}

/* ---- removing ---- */

static sy_status print_removed(const cli_profile_call *call, const char *action, size_t count, sy_error *err)
{
    sy_report_change change = {.action = action, .path = cli_profile_path(call), .removed = count, .not_kept = ""};

    return cli_profile_print_change(call, &change, err);
}

static sy_status remove_one(cli_profile_call *call, const char *action, sy_profile_kind kind, sy_error *err)
{
    sy_profile_key key;
    sy_status status = cli_profile_key(call, &key, err);

    call->looks_below = true;
    if (status == SY_OK)
        status = cli_profile_open_to_write(call, err);
    if (status == SY_OK)
        status = sy_store_remove(call->store, &key, kind, err);
    return status == SY_OK ? print_removed(call, action, 1, err) : status;
}

static sy_status remove_all(cli_profile_call *call, sy_error *err)
{
    const cli_profile_arguments *a = &call->arguments;
    sy_invalidation what = {a->backend, a->implementation, a->overrides_too};
    size_t removed = 0;
    sy_status status = SY_OK;

    if (a->backend == NULL)
        status = cli_fail(err, SY_INVALID_ARGUMENT, "--backend is missing");
    else if (a->operator_name != NULL || a->model_digest != NULL || a->processor != NULL || a->threads != 0 ||
             a->structure.count > 0 || a->kind != CLI_PROFILE_ANY)
        status = cli_fail(err, SY_INVALID_ARGUMENT, "--all goes with --backend and --implementation only");
    if (status == SY_OK)
        status = cli_profile_open_existing(call, err);
    if (status == SY_OK)
        status = sy_store_invalidate(call->store, &what, &removed, err);
    return status == SY_OK ? print_removed(call, "remove", removed, err) : status;
}

static sy_status act_remove(cli_profile_call *call, sy_error *err)
{
    const cli_profile_arguments *a = &call->arguments;
    sy_status status = cli_profile_no_words(call, err);

    if (status != SY_OK)
        return status;
    if (a->all)
        return remove_all(call, err);
    if (a->overrides_too)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--overrides-too goes with --all; for one override: --kind override");
    return remove_one(call, "remove", a->kind == CLI_PROFILE_ANY ? SY_PROFILE_CALIBRATED : (sy_profile_kind)a->kind,
                      err);
}

static sy_status act_override(cli_profile_call *call, sy_error *err)
{
    const cli_profile_arguments *a = &call->arguments;
    sy_status status = cli_profile_no_words(call, err);

    if (status != SY_OK)
        return status;
    if (!a->clear)
        return put(call, true, err);
    if (a->policy != NULL || a->reason != NULL || a->expires != NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--clear removes the override: no --policy, --reason or --expires");
    return remove_one(call, "clear-override", SY_PROFILE_OVERRIDE, err);
}

/* ---- the tables ---- */

#define VALUES "The profile"

#define POLICY_OPTION                                                                                         \
    {                                                                                                         \
        .name = "policy", .argument = "TEXT", .kind = CLI_TEXT, .group = VALUES,                              \
        .completion = CLI_COMPLETE_IMPLEMENTATIONS, .help = "the decision: text that the engine understands", \
        CLI_PROFILE_INTO(policy)                                                                              \
    }
#define REASON_OPTION                                                                                            \
    {                                                                                                            \
        .name = "reason", .argument = "TEXT", .kind = CLI_TEXT, .group = VALUES, .help = "why it is overridden", \
        CLI_PROFILE_INTO(reason)                                                                                 \
    }
#define EXPIRES_OPTION                                                                                             \
    {                                                                                                              \
        .name = "expires", .argument = "WHEN", .standard = "never", .kind = CLI_TEXT, .group = VALUES,             \
        .help = "when it ends: 30d, 12h, a day, or a time such as 2026-12-31T18:00:00Z", CLI_PROFILE_INTO(expires) \
    }
#define NEW_FILE_FORMAT CLI_PROFILE_FORMAT_OPTION("format of a new file, 2 unless given; a file keeps the one it has")

static const cli_option put_options[] = {
    CLI_PROFILE_KEY_OPTIONS,
    POLICY_OPTION,
    {.name = "measurement",
     .argument = "NAME=VALUE[:UNIT]",
     .kind = CLI_TEXTS,
     .group = VALUES,
     .help = "what was measured; may be given again",
     CLI_PROFILE_INTO(measurements)},
    EXPIRES_OPTION,
    {.name = "override",
     .kind = CLI_FLAG,
     .group = VALUES,
     .help = "store an override, which wins over what was measured",
     CLI_PROFILE_INTO(override)},
    REASON_OPTION,
    CLI_PROFILE_STORE_OPTION,
    NEW_FILE_FORMAT,
    CLI_PROFILE_LOCK_OPTION,
    CLI_JSON_OPTION,
};

static const cli_option override_options[] = {
    CLI_PROFILE_KEY_OPTIONS,
    POLICY_OPTION,
    REASON_OPTION,
    EXPIRES_OPTION,
    {.name = "clear",
     .kind = CLI_FLAG,
     .group = VALUES,
     .help = "remove the override of that key instead",
     CLI_PROFILE_INTO(clear)},
    CLI_PROFILE_STORE_OPTION,
    NEW_FILE_FORMAT,
    CLI_PROFILE_LOCK_OPTION,
    CLI_JSON_OPTION,
};

static const cli_option remove_options[] = {
    CLI_PROFILE_KEY_OPTIONS,
    CLI_PROFILE_KIND_OPTION("which of that key: calibrated (unless given), override or imported"),
    {.name = "all",
     .kind = CLI_FLAG,
     .group = "Many",
     .help = "every profile of --backend, or of its --implementation; overrides stay",
     CLI_PROFILE_INTO(all)},
    {.name = "overrides-too",
     .kind = CLI_FLAG,
     .group = "Many",
     .help = "with --all: overrides as well",
     CLI_PROFILE_INTO(overrides_too)},
    CLI_PROFILE_STORE_OPTION,
    CLI_PROFILE_LAYER_OPTION,
    CLI_PROFILE_LOCK_OPTION,
    CLI_JSON_OPTION,
};

static int run_put(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_put, argc, argv, act_put);
}

static int run_override(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_override, argc, argv, act_override);
}

static int run_remove(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_remove, argc, argv, act_remove);
}

static const char *const put_paragraphs[] = {
    "Stores a profile, in place of the one of the same key and kind if there is one. The key is exact (--model-digest, "
    "--processor and --threads) or portable (--structure, once for each property), never both.",
    "It is on disk when the command ends with 0: written beside the other processes' profiles, never over them. If the "
    "disk refuses, nothing is kept and the exit code is 4.",
    NULL};

static const char *const put_examples[] = {"steelyard profile put --backend cpu --operator attention "
                                           "--implementation 3 --structure dtype=f32 --structure head_dim=64 "
                                           "--policy flash --measurement time=1.8:ms",
                                           "store a portable profile", NULL};

static const char *const override_paragraphs[] = {
    "Sets the policy of a key by hand. An override wins over every calibrated profile; a reason is asked for, since "
    "somebody will wonder. What was measured stays stored and is used again when the override is "
    "cleared or expires.",
    NULL};

static const char *const override_examples[] = {"steelyard profile override --backend cpu --operator attention "
                                                "--implementation 3 --structure dtype=f32 --policy plain "
                                                "--reason 'flash is wrong on odd lengths' --expires 30d",
                                                "use plain for a month", NULL};

static const char *const remove_paragraphs[] = {
    "Removes one profile by its key, or with --all those of a backend. Only the writable file is changed. Exit code 6 "
    "when there is no such profile.",
    NULL};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const cli_command cli_profile_put = {
    .name = "profile put",
    .summary = "store a profile",
    .usage = "KEY --policy TEXT [option...]",
    .paragraphs = put_paragraphs,
    .examples = put_examples,
    .options = put_options,
    .option_count = COUNT(put_options),
    .run = run_put,
};

const cli_command cli_profile_override = {
    .name = "profile override",
    .summary = "set the policy of a key by hand, or clear that",
    .usage = "KEY (--policy TEXT --reason TEXT | --clear) [option...]",
    .paragraphs = override_paragraphs,
    .examples = override_examples,
    .options = override_options,
    .option_count = COUNT(override_options),
    .run = run_override,
};

const cli_command cli_profile_remove = {
    .name = "profile remove",
    .summary = "remove a profile, or all of a backend",
    .usage = "(KEY | --all --backend NAME) [option...]",
    .paragraphs = remove_paragraphs,
    .options = remove_options,
    .option_count = COUNT(remove_options),
    .run = run_remove,
};
