/* SPDX-License-Identifier: Apache-2.0 */
/* The key of this machine for an operation, so that nobody types a processor string: what steelyard select would ask
 * with. */
#include "command_profile.h"
#include "message.h"

#include <string.h>

static sy_status open_here(cli_profile_call *call, sy_error *err)
{
    const cli_profile_arguments *a = &call->arguments;
    cli_target_arguments wanted = {.backend = a->backend != NULL ? a->backend : "cpu",
                                   .script = a->script,
                                   .cases = a->cases,
                                   .threads = a->threads};
    cli_operands operation = {.words = {a->here}, .count = 1};
    sy_store_options memory = SY_STORE_OPTIONS_INIT;
    sy_selector_options options = SY_SELECTOR_OPTIONS_INIT;
    sy_status status = cli_target_open(&wanted, &operation, &call->target, err);

    memory.persistence = false; /* the store of the command is another matter */
    options.store_options = &memory;
    if (status == SY_OK)
        status = cli_target_choose_cases(&wanted, &call->target, err);
    return status == SY_OK ? sy_selector_open(&options, &call->selector, err) : status;
}

/* "MODEL/0123456789abcdef": what an engine's answer has as its key, cases and settings included. */
static bool has_cases(const char *model_digest)
{
    const char *slash = model_digest != NULL ? strrchr(model_digest, '/') : NULL;

    return slash != NULL && slash != model_digest && strlen(slash + 1) == 16 &&
           strspn(slash + 1, "0123456789abcdef") == 16;
}

static sy_status check_here(const cli_profile_arguments *a, sy_error *err)
{
    const char *setting = a->cases.count > 0             ? "cases"
                          : a->cache != SY_CACHE_HOT     ? "cache"
                          : a->prefer != SY_PREFER_SPEED ? "prefer"
                                                         : NULL;

    if (a->here == NULL && (setting != NULL || a->script != NULL))
        return cli_fail(err, SY_INVALID_ARGUMENT, "--%s: only with --here OPERATION",
                        a->script != NULL ? "script" : setting);
    if (setting != NULL && has_cases(a->model_digest))
        return cli_fail(err, SY_INVALID_ARGUMENT, "--%s: '%s' says already which cases and settings", setting,
                        a->model_digest);
    return SY_OK;
}

sy_status cli_profile_fill_here(cli_profile_call *call, sy_error *err)
{
    cli_profile_arguments *a = &call->arguments;
    bool asks = call->command == &cli_profile_lookup || call->command == &cli_profile_explain;
    sy_request request = SY_REQUEST_INIT;
    sy_selection key;
    bool uncertain;
    sy_status status;

    status = check_here(a, err);
    if (status != SY_OK || a->here == NULL)
        return status;
    status = open_here(call, err);
    request.suite = call->target.suite;
    request.device = call->target.device;
    request.model_digest = a->model_digest;
    request.cache_state = cli_cache_states[a->cache];
    request.prefer = (sy_preference)a->prefer;
    request.cases = call->target.cases;
    request.case_count = call->target.case_count;
    if (status == SY_OK)
        status = sy_selector_key(call->selector, &request, &key, err);
    if (status == SY_NOT_FOUND) { /* an operation or a case by that name: the call is wrong, not the store empty */
        status = SY_INVALID_ARGUMENT;
        if (err != NULL)
            err->status = status;
    }
    if (status != SY_OK)
        return status;
    uncertain = key.processor[0] == '\0' && a->processor == NULL;
    if (uncertain && a->structure.count == 0) {
        (void)cli_fail(err, SY_UNAVAILABLE, "a key fact of this machine is unknown (%s), so that it has no exact key",
                       sy_selector_unknown_facts(call->selector, call->target.device));
        cli_hint(err, "a portable profile needs none: --structure NAME=VALUE");
        return SY_UNAVAILABLE;
    }
    a->backend = key.backend;
    a->operator_name = a->operator_name != NULL ? a->operator_name : key.operator_name;
    a->implementation = a->implementation != NULL ? a->implementation : key.implementation_version;
    if (a->structure.count > 0 && (uncertain || !asks))
        return SY_OK; /* a portable key */
    a->model_digest = has_cases(a->model_digest) ? a->model_digest : key.model_digest;
    a->processor = a->processor != NULL ? a->processor : key.processor;
    a->threads = a->threads != 0 ? a->threads : key.thread_count;
    return SY_OK;
}

void cli_profile_leave_here(cli_profile_call *call)
{
    sy_selector_close(call->selector);
    cli_target_close(&call->target);
    cli_names_finish(&call->arguments.cases);
}
