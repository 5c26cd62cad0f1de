/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard probe --assign: one weighing for each operation and device, and the worst of their exit codes. */
#include <stdlib.h>

#include "assigned.h"
#include "command_probe.h"
#include "message.h"

static sy_status weigh(probe_arguments *arguments, const cli_errand *what, const char *script,
                       sy_probe_result **ret_result, sy_error *err)
{
    cli_operands operands;

    cli_assigned_aim(what, script, &arguments->target, &operands);
    return cli_probe_operation(arguments, &operands, ret_result, err);
}

/* Also when a later one could not be weighed those before it are printed. */
static int weigh_all(probe_arguments *arguments, const cli_assigned *e, sy_probe_result **results)
{
    int code = CLI_DONE;
    size_t done = 0;
    bool several = e->count > 1;
    double alpha = arguments->options.alpha;
    const char *script = arguments->target.script;
    sy_error err = SY_ERROR_INIT;
    sy_status status = SY_OK;

    for (; status == SY_OK && done < e->count && code != CLI_INTERRUPTED; done++) {
        arguments->options.alpha = alpha; /* --save lowers it for a key that was probed before */
        status = weigh(arguments, &e->list[done], script, &results[done], &err);
        if (results[done] == NULL)
            break;
        code = cli_probe_worse(code, cli_probe_exit(arguments, results[done]));
        if (!(several && arguments->common.json)) {
            sy_error unprinted = SY_ERROR_INIT;
            sy_status printed = cli_probe_print(arguments, results[done], &unprinted);

            if (status == SY_OK && printed != SY_OK) {
                status = printed;
                err = unprinted;
            }
        }
    }
    if (several && done > 0) {
        sy_error unprinted = SY_ERROR_INIT;
        sy_status printed = cli_probe_print_all(arguments, (const sy_probe_result *const *)results, done, &unprinted);

        if (status == SY_OK && printed != SY_OK) {
            status = printed;
            err = unprinted;
        }
    }
    if (status == SY_OK)
        status = cli_probe_page_write(arguments, &err);
    return status == SY_OK ? code : cli_report("probe", script, &err);
}

int cli_probe_assigned(probe_arguments *arguments, const cli_operands *operands)
{
    cli_assigned assigned = {.count = 0};
    sy_probe_result **results = NULL;
    sy_error err = SY_ERROR_INIT;
    int code;

    if (cli_probe_means_programs(arguments, operands) || cli_programs_given(&arguments->programs) != NULL) {
        (void)cli_assigned_refuse("commands", "they run on no device", &err);
        return cli_report("probe", NULL, &err);
    }
    code = cli_assigned_open("probe", &arguments->target, arguments->assign, arguments->common.quiet, operands,
                             &assigned);
    if (code < 0) {
        cli_probe_standard_limits(arguments);
        results = calloc(assigned.count, sizeof(*results));
        if (results == NULL)
            (void)cli_fail(&err, SY_NO_MEMORY, "no memory for the results");
        code = results != NULL ? weigh_all(arguments, &assigned, results) : cli_report("probe", NULL, &err);
    }
    for (size_t i = 0; results != NULL && i < assigned.count; i++)
        sy_probe_result_destroy(results[i]);
    free(results);
    cli_assigned_close(&assigned);
    return code;
}
