/* SPDX-License-Identifier: Apache-2.0 */
/* Proven decisions from one store to another, in our own format: the library selects, signs, verifies and stores; here
 * files are named and outcomes told. */
#include "profile_share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <steelyard/sharing.h>

#include "message.h"

bool cli_profile_shares(const cli_profile_call *call)
{
    const char *word = call->operands.count > 0 ? call->operands.words[0] : "";

    return strcmp(word, "profiles") == 0 || (call->arguments.verify.count > 0 && strcmp(word, "auto") == 0);
}

static sy_status read_keys(const cli_profile_call *call, sy_public_key **ret_keys, sy_error *err)
{
    const cli_names *paths = &call->arguments.verify;
    sy_public_key *keys = calloc(paths->count + 1, sizeof(keys[0]));
    sy_status status = SY_OK;

    if (keys == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for %zu keys", paths->count);
    for (size_t i = 0; status == SY_OK && i < paths->count; i++)
        status = sy_public_key_read(paths->names[i], &keys[i], err);
    if (status != SY_OK) {
        free(keys);
        return status;
    }
    *ret_keys = keys;
    return SY_OK;
}

static void tell_file(const char *path, const sy_profile_import_result *result)
{
    char line[512];

    if (result->verified)
        snprintf(line, sizeof(line), "%.300s: verified, signed by key %s", path, result->key_id);
    else if (result->key_id[0] != '\0')
        snprintf(line, sizeof(line), "%.300s: says to be signed by key %s, which was not verified (--verify PUBKEY)",
                 path, result->key_id);
    else
        snprintf(line, sizeof(line), "%.300s: not signed", path);
    cli_remark(line);
    if (result->overrides_left_out > 0) {
        snprintf(line, sizeof(line), "%.300s: %zu %s left out: --overrides-too takes them", path,
                 result->overrides_left_out, result->overrides_left_out == 1 ? "override is" : "overrides are");
        cli_remark(line);
    }
}

/* Into memory first, so that the last file can still refuse them all. */
static sy_status try_all(const cli_profile_call *call, const sy_profile_import_options *options, sy_error *err)
{
    sy_store_options in_memory = SY_STORE_OPTIONS_INIT;
    sy_store *store = NULL;
    sy_status status;

    in_memory.persistence = false;
    in_memory.environment_layers = false;
    status = sy_store_open(&in_memory, &store, err);
    for (size_t i = 1; status == SY_OK && i < call->operands.count; i++)
        status = sy_store_import_file(store, call->operands.words[i], options, NULL, err);
    sy_store_close(store);
    return status;
}

static size_t count_profiles(const cli_profile_call *call)
{
    sy_layer_info info;

    return sy_store_layer(call->store, 0, &info, NULL) == SY_OK ? info.profile_count : 0;
}

static sy_status import_all(cli_profile_call *call, const sy_profile_import_options *options, sy_error *err)
{
    sy_report_change change = {.action = "import", .path = cli_profile_path(call), .not_kept = ""};
    char not_kept[sizeof(((sy_put_result *)0)->not_kept)] = "";
    sy_status status = SY_OK;

    for (size_t i = 1; status == SY_OK && i < call->operands.count; i++) {
        size_t before = count_profiles(call);
        sy_profile_import_result result;

        status = sy_store_import_file(call->store, call->operands.words[i], options, &result, err);
        if (status == SY_OK) {
            size_t after = count_profiles(call);
            size_t added = after > before ? after - before : 0;

            /* Others may have stored or removed meanwhile. */
            added = added < result.put.stored ? added : result.put.stored;
            change.added += added;
            change.replaced += result.put.stored - added;
            change.unchanged += result.found - result.overrides_left_out - result.put.stored;
            change.format = result.put.format != 0 ? result.put.format : change.format;
            if (result.put.not_kept[0] != '\0')
                snprintf(not_kept, sizeof(not_kept), "%s", result.put.not_kept);
            if (!call->arguments.common.quiet)
                tell_file(call->operands.words[i], &result);
        }
    }
    change.not_kept = not_kept;
    return status == SY_OK ? cli_profile_print_change(call, &change, err) : status;
}

sy_status cli_profile_import_shared(cli_profile_call *call, sy_error *err)
{
    sy_profile_import_options options = SY_PROFILE_IMPORT_OPTIONS_INIT;
    sy_public_key *keys = NULL;
    sy_status status = read_keys(call, &keys, err);

    if (status != SY_OK)
        return status;
    options.keys = call->arguments.verify.count > 0 ? keys : NULL;
    options.key_count = call->arguments.verify.count;
    options.overrides = call->arguments.overrides_too;
    status = try_all(call, &options, err);
    if (status == SY_OK && call->arguments.dry_run)
        cli_remark("all files are whole and trusted; nothing was stored (--dry-run)");
    else if (status == SY_OK)
        status = import_all(call, &options, err);
    free(keys);
    return status;
}

static sy_status sign(const cli_profile_call *call, char **text, size_t size, sy_error *err)
{
    sy_secret_key *key = NULL;
    char *signed_text = NULL;
    char line[128];
    sy_status status = sy_secret_key_read(call->arguments.signed_with, &key, err);

    if (status != SY_OK)
        return status;
    status = sy_signature_make(key, *text, size, &signed_text, &size, err);
    if (status == SY_OK) {
        sy_text_free(*text);
        *text = signed_text;
        snprintf(line, sizeof(line), "signed by key %s", sy_secret_key_public(key).id);
        if (!call->arguments.common.quiet)
            cli_remark(line);
    }
    sy_secret_key_destroy(key);
    return status;
}

static void tell_export(const cli_profile_call *call, const sy_profile_export_result *result)
{
    char line[256];

    if (call->arguments.common.quiet)
        return;
    snprintf(line, sizeof(line), "%zu %s exported%s", result->exported, result->exported == 1 ? "profile" : "profiles",
             result->left_out > 0 ? "" : ", none left out");
    if (result->left_out > 0)
        snprintf(line, sizeof(line), "%zu %s exported, %zu left out: undecided, expired, overrides, or not asked for",
                 result->exported, result->exported == 1 ? "profile" : "profiles", result->left_out);
    cli_remark(line);
    if (result->not_kept[0] != '\0') {
        snprintf(line, sizeof(line), "not kept: %s", result->not_kept);
        cli_remark(line);
    }
}

sy_status cli_profile_export_shared(cli_profile_call *call, uint32_t format, char **ret_text, sy_error *err)
{
    sy_profile_export_options options = SY_PROFILE_EXPORT_OPTIONS_INIT;
    sy_profile_export_result result;
    char *text = NULL;
    size_t size = 0;
    sy_status status;

    options.backend = call->arguments.backend;
    options.operator_name = call->arguments.operator_name;
    options.require_evidence = call->arguments.require_evidence;
    options.overrides = call->arguments.overrides_too;
    options.format = format;
    status = sy_store_export_text(call->store, &options, &text, &size, &result, err);
    if (status == SY_OK)
        status = sign(call, &text, size, err);
    if (status != SY_OK) {
        sy_text_free(text);
        return status;
    }
    tell_export(call, &result);
    *ret_text = text;
    return SY_OK;
}
