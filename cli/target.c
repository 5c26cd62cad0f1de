/* SPDX-License-Identifier: Apache-2.0 */
/* Opening what probe and select are aimed at. */
#include "target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

static sy_status check(const cli_target_arguments *arguments, const cli_operands *operands, sy_error *err)
{
    bool is_fake = strcmp(arguments->backend, "fake") == 0;

    if (operands->count == 0) {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "no OPERATION is given");
        cli_hint(err, "steelyard backends lists them; to start: steelyard probe matmul --cases quick");
        return SY_INVALID_ARGUMENT;
    }
    if (operands->count > 1)
        return cli_fail(err, SY_INVALID_ARGUMENT, "'%s': one OPERATION at a time, after '%s'", operands->words[1],
                        operands->words[0]);
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

sy_status cli_target_open(const cli_target_arguments *arguments, const cli_operands *operands, cli_target *ret_target,
                          sy_error *err)
{
    sy_device_options device_options = SY_DEVICE_OPTIONS_INIT;
    sy_status status = check(arguments, operands, err);

    device_options.threads = arguments->threads;
    device_options.script = arguments->script;
    if (status == SY_OK)
        status = sy_device_open(arguments->backend, &device_options, &ret_target->device, err);
    if (status == SY_OK)
        status = find_suite(arguments, operands->words[0], ret_target, err);
    return status;
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
