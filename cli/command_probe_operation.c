/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard probe OPERATION: opens the device, weighs, and keeps the decision where that is asked for. */
#include <math.h>
#include <stdio.h>
#include <steelyard/identity.h>
#include <steelyard/select.h>
#include <string.h>

#include "command_probe.h"
#include "message.h"
#include "progress_line.h"
#include "run_descriptor.h"

/* Fills what the table cannot: lists, callbacks, the worker. */
static sy_status complete(probe_arguments *arguments, cli_target *target, sy_error *err)
{
    sy_probe_options *to = &arguments->options;
    uint64_t free_bytes = 0;

    to->implementations = (const char *const *)arguments->implementations.names;
    to->implementation_count = arguments->implementations.count;
    to->cases = (const char *const *)arguments->target.cases.names;
    to->case_count = arguments->target.cases.count;
    cli_probe_attend(arguments);
    if (arguments->isolation != CLI_ISOLATION_WORKER)
        return SY_OK;
    to->worker_path = target->worker_path;
    if (sy_device_free_memory(target->device, &free_bytes, NULL) == SY_OK)
        to->worker_memory_limit_bytes = free_bytes; /* no worker may take more than there is now */
    return cli_target_find_worker(target, err);
}

/* Who measures: it stands in the result. */
static sy_status describe(const cli_target *target, sy_identity **ret_identity, sy_error *err)
{
    sy_identity_options identity_options = SY_IDENTITY_OPTIONS_INIT;
    sy_device_info info;
    sy_status status = sy_device_describe(target->device, &info, err);

    identity_options.device = &info;
    return status == SY_OK ? sy_identity_describe(&identity_options, ret_identity, err) : status;
}

static sy_request request_of(const probe_arguments *arguments, const cli_target *target)
{
    sy_request request = SY_REQUEST_INIT;

    request.suite = target->suite;
    request.device = target->device;
    request.model_digest = arguments->model_digest;
    request.cases = target->cases;
    request.case_count = target->case_count;
    request.allow_approximate = arguments->options.allow_approximate;
    request.cache_state = sy_cache_state_word(arguments->options.cache);
    request.prefer = arguments->options.prefer;
    return request;
}

static sy_status open_store(const probe_arguments *arguments, sy_selector **ret_selector, sy_error *err)
{
    sy_store_options store_options = SY_STORE_OPTIONS_INIT;
    sy_selector_options selector_options = SY_SELECTOR_OPTIONS_INIT;

    store_options.path = arguments->store;
    selector_options.store_options = &store_options;
    return sy_selector_open(&selector_options, ret_selector, err);
}

/* The k-th probe of a key runs at alpha 2^(1-k), so that probing again and again wins wrongly in less than 2 alpha. */
static sy_status lower_alpha(probe_arguments *arguments, const cli_target *target, sy_selector *selector,
                             uint32_t *ret_attempts, sy_error *err)
{
    sy_request request = request_of(arguments, target);
    sy_status status = sy_selector_next_alpha(selector, &request, &arguments->options, &arguments->options.alpha,
                                              ret_attempts, err);

    if (status == SY_REFUSED) { /* the call is what has to change */
        err->status = SY_INVALID_ARGUMENT;
        cli_hint(err, "--max-pairs may be raised; steelyard profile remove --here %s forgets the attempts",
                 target->suite->operation);
        return SY_INVALID_ARGUMENT;
    }
    return status;
}

/* Says which probe of this key it was. */
static void say_attempt(const sy_probe_result *result, uint32_t attempts)
{
    char line[128];

    (void)snprintf(line, sizeof(line), "probe %u of this key, at alpha %.3g; together below %.3g",
                   (unsigned)attempts + 1, result->alpha, ldexp(result->alpha, (int)attempts + 1));
    cli_remark(line);
    if (result->processes == 1)
        cli_remark("from one process of each implementation: --processes 4 tells whether another start decides "
                   "otherwise");
}

/* The run says where its decision is kept: the file, without the folders that lead to it. */
static sy_status link_profile(probe_arguments *arguments, const cli_target *target, const sy_probe_result *result,
                              const char *path, const sy_recorded *recorded, sy_error *err)
{
    const char *slash = strrchr(path, '/');
    char key[160];
    const sy_run_profile profile = {.store = path[0] == '\0' ? "memory"
                                             : slash != NULL ? slash + 1
                                                             : path,
                                    .key = key,
                                    .implementation = result->winner != NULL ? result->winner : ""};

    (void)snprintf(key, sizeof(key), "exact %s", target->suite->operation);
    if (!result->completed) /* its run has failed, and takes no more */
        return SY_OK;
    return cli_recording_link(&arguments->recording, recorded, &profile, err);
}

static sy_status save(probe_arguments *arguments, const cli_target *target, sy_selector *selector, uint32_t attempts,
                      const sy_probe_result *result, const sy_recorded *recorded, sy_error *err)
{
    sy_request request = request_of(arguments, target);
    sy_layer_info layer;
    sy_put_result put = {0};
    char text[512] = "kept in ";
    sy_status status;

    request.recorded = recorded;
    status = sy_selector_keep(selector, &request, result, &put, err);

    if (status == SY_REFUSED) { /* a decision that is none to keep is not a failure of the probe */
        cli_remark(err->what);
        if (err->hint[0])
            cli_remark(err->hint);
        return SY_OK;
    }
    if (status == SY_OK)
        status = sy_store_layer(sy_selector_store(selector), 0, &layer, err);
    if (status == SY_OK)
        status = link_profile(arguments, target, result, layer.path, recorded, err);
    if (status == SY_OK)
        (void)snprintf(arguments->page.kept, sizeof(arguments->page.kept), "kept in %s",
                       layer.path[0] ? layer.path : "memory only");
    if (status != SY_OK)
        err->position = (sy_position){0}; /* of the store, which the text names; not of the script */
    if (status != SY_OK || arguments->common.quiet)
        return status;
    cli_append(text, sizeof(text), layer.path[0] ? layer.path : "memory only, since there is no folder for it");
    if (put.not_kept[0]) {
        cli_append(text, sizeof(text), "; its format cannot hold: ");
        cli_append(text, sizeof(text), put.not_kept);
    }
    cli_remark(text);
    say_attempt(result, attempts);
    return SY_OK;
}

/* What a run would say of it, before anything is timed. */
static sy_status begin_run(probe_arguments *arguments, const cli_target *target, const sy_identity *identity,
                           sy_error *err)
{
    sy_recording_options describe = SY_RECORDING_OPTIONS_INIT;

    describe.suite = target->suite;
    describe.hold_ns = arguments->options.wall_limit_ns;
    describe.identity = identity;
    describe.cases = arguments->options.cases;
    describe.case_count = arguments->options.case_count;
    describe.cache = arguments->options.cache;
    return cli_recording_begin(&arguments->recording, SY_RUN_KIND_DECISION, target->device, &describe, err);
}

/* Weighs, between the beginning and the end of a run. */
static sy_status weigh(probe_arguments *arguments, const cli_target *target, const sy_identity *identity,
                       sy_probe_result **ret_result, sy_recorded *ret_recorded, sy_error *err)
{
    sy_status status = begin_run(arguments, target, identity, err);

    if (status != SY_OK)
        return status;
    status = sy_probe(target->device, target->suite, &arguments->options, ret_result, err);
    cli_progress_clear();
    if (status != SY_OK) {
        cli_recording_give_up(&arguments->recording, err);
        return status;
    }
    cli_run_lines_tell_probe(*ret_result);
    return cli_recording_keep_probe(&arguments->recording, *ret_result, ret_recorded, err);
}

sy_status cli_probe_operation(probe_arguments *arguments, const cli_operands *operands, sy_probe_result **ret_result,
                              sy_error *err)
{
    cli_target target = {0};
    sy_identity *identity = NULL;
    sy_selector *selector = NULL;
    sy_recorded recorded = {"", ""};
    uint32_t attempts = 0;
    sy_status status = cli_target_open(&arguments->target, operands, &target, err);

    arguments->page.kept[0] = '\0';

    if (status == SY_OK)
        status = complete(arguments, &target, err);
    if (status == SY_OK)
        status = describe(&target, &identity, err);
    arguments->options.identity = identity;
    if (status == SY_OK && arguments->save) {
        status = cli_target_choose_cases(&arguments->target, &target, err);
        if (status == SY_OK)
            status = open_store(arguments, &selector, err);
        if (status == SY_OK)
            status = lower_alpha(arguments, &target, selector, &attempts, err);
    }
    if (status == SY_OK)
        status = weigh(arguments, &target, identity, ret_result, &recorded, err);
    if (status == SY_OK && arguments->save)
        status = save(arguments, &target, selector, attempts, *ret_result, &recorded, err);
    if (status == SY_OK)
        status = cli_probe_page_add(arguments, *ret_result, &recorded, arguments->page.kept, err);
    arguments->options.identity = NULL;
    arguments->options.worker_path = NULL;
    sy_selector_close(selector);
    sy_identity_destroy(identity);
    cli_target_close(&target);
    return status;
}
