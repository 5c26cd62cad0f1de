/* SPDX-License-Identifier: Apache-2.0 */
/* Opening what probe and select are aimed at. */
#include "target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <steelyard/probe.h>

#include "message.h"

bool cli_target_is_plugin(const char *word)
{
    size_t length = strlen(word);

    return strchr(word, '/') != NULL || (length > 3 && strcmp(word + length - 3, ".so") == 0);
}

sy_status cli_target_try_plugin(cli_target *ret_target, const char *path, sy_error *err)
{
    sy_status status = cli_target_find_worker(ret_target, err);

    return status == SY_OK ? sy_plugin_check(ret_target->worker_path, path, err) : status;
}

const char *const cli_preferences[] = {"speed", "memory", NULL};
const char *const cli_cache_states[] = {"hot", "cold", NULL};

static sy_status check(const cli_target_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    bool is_fake = strcmp(arguments->backend, "fake") == 0;

    if (operands->count == 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "no OPERATION is given");
        cli_hint(err, "steelyard backends lists them; to start: steelyard probe matmul --cases quick");
        return SY_INVALID_ARGUMENT;
    }
    if (operands->count > (cli_target_is_plugin(operands->words[0]) ? 2 : 1))
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': one OPERATION at a time, after '%s'",
                        operands->words[operands->count - 1], operands->words[operands->count - 2]);
    if (is_fake && arguments->script == NULL) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "--backend fake: needs --script FILE, which says what it plays");
        cli_hint(err, "the form of the file: docs/fake-script.md");
        return SY_INVALID_ARGUMENT;
    }
    if (!is_fake && arguments->script != NULL)
        return cli_fail(err, SY_INVALID_ARGUMENT, "--script %s: only for --backend fake, not %s", arguments->script,
                        arguments->backend);
    return SY_OK;
}

static sy_status find_suite(const cli_target_arguments *arguments, const char *operation, cli_target *target,
                            sy_error *err)
{
    sy_error inner = SY_ERROR_INIT;
    sy_status status = sy_device_suite(target->device, operation, &target->suite, &inner);

    if (status == SY_NOT_FOUND && arguments->script != NULL) {
        (void)cli_fail(err, status, "OPERATION '%s' is not that of the script %s", operation, arguments->script);
        cli_hint(err, "%s", inner.hint);
    } else if (status != SY_OK && err != NULL) {
        *err = inner;
    }
    return status;
}

/* The only suite of a plugin, or the one that a second word names. */
static sy_status find_plugin_suite(const cli_operands *operands, cli_target *target, sy_error *err)
{
    const sy_suite *only = sy_device_plugin_suite(target->device, 0);
    char names[200] = "";

    if (operands->count == 2)
        return sy_device_suite(target->device, operands->words[1], &target->suite, err);
    for (size_t i = 0; sy_device_plugin_suite(target->device, i) != NULL; i++) {
        cli_append(names, sizeof(names), i > 0 ? ", " : "");
        cli_append(names, sizeof(names), sy_device_plugin_suite(target->device, i)->operation);
    }
    if (sy_device_plugin_suite(target->device, 1) != NULL) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "%s brings several operations: one of them must follow",
                       operands->words[0]);
        cli_hint(err, "it has %s", names);
        return SY_INVALID_ARGUMENT;
    }
    target->suite = only;
    return SY_OK;
}

sy_status cli_target_open(const cli_target_arguments *arguments, const cli_operands *operands, cli_target *ret_target,
                          sy_error *err)
{
    sy_device_options device_options = SY_DEVICE_OPTIONS_INIT;
    sy_status status = check(arguments, operands, err);

    device_options.threads = arguments->threads;
    device_options.script = arguments->script;
    if (status == SY_OK && cli_target_is_plugin(operands->words[0])) {
        device_options.plugin = operands->words[0];
        status = cli_target_try_plugin(ret_target, operands->words[0], err);
    }
    if (status == SY_OK)
        status = sy_device_open(arguments->backend, &device_options, &ret_target->device, err);
    if (status != SY_OK)
        return status;
    return device_options.plugin != NULL ? find_plugin_suite(operands, ret_target, err)
                                         : find_suite(arguments, operands->words[0], ret_target, err);
}

sy_status cli_target_choose_cases(const cli_target_arguments *arguments, cli_target *target, sy_error *err)
{
    const sy_suite *suite = target->suite;
    size_t *chosen;
    sy_status status;

    if (arguments->cases.count == 0)
        return SY_OK;
    chosen = calloc(suite->case_count, sizeof(*chosen));
    target->cases = calloc(suite->case_count, sizeof(*target->cases));
    if (chosen == NULL || target->cases == NULL)
        status = cli_fail(err, SY_NO_MEMORY, "no memory for the cases");
    else
        status = sy_suite_select_cases(suite, (const char *const *)arguments->cases.names, arguments->cases.count,
                                       chosen, &target->case_count, err);
    for (size_t i = 0; status == SY_OK && i < target->case_count; i++)
        target->cases[i] = suite->cases[chosen[i]];
    free(chosen);
    return status;
}

sy_status cli_target_find_worker(cli_target *target, sy_error *err)
{
    ssize_t length = readlink("/proc/self/exe", target->worker_path, sizeof(target->worker_path) - 1);

    if (length < 0)
        return cli_fail(err, SY_IO, "/proc/self/exe, which names this program: %s", strerror(errno));
    target->worker_path[length] = '\0';
    return SY_OK;
}

void cli_target_close(cli_target *target)
{
    free(target->cases);
    target->cases = NULL;
    sy_device_close(target->device);
    target->device = NULL;
}
