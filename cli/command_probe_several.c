/* SPDX-License-Identifier: Apache-2.0 */
/* Several weighings of one call: how they are printed together, and the worst of their exit codes. */
#include <steelyard/report.h>

#include "command_probe.h"
#include "message.h"
#include "output.h"
#include "terminal.h"

/* Several results as one object of docs/formats.md, "steelyard.weighings/1". */
static sy_status print_json(const sy_probe_result *const *results, size_t count, sy_error *err)
{
    cli_output_write("{\n\"schema\": \"steelyard.weighings/1\",\n\"weighings\": [\n");
    for (size_t n = 0, printed = 0; n < count; n++) {
        char *text = NULL;
        sy_status status = results[n] != NULL ? sy_probe_result_to_json(results[n], &text, err) : SY_OK;

        if (status != SY_OK)
            return status;
        if (text != NULL && printed++ > 0)
            cli_output_write(",\n");
        if (text != NULL)
            cli_output_write(text);
        sy_text_free(text);
    }
    cli_output_write("]\n}\n");
    return SY_OK;
}

static sy_status print_table(const probe_arguments *arguments, const sy_probe_result *const *results, size_t count,
                             sy_error *err)
{
    sy_report_style style = cli_terminal_style(&arguments->common);
    char *text = NULL;
    sy_status status = sy_report_probes(results, count, &style, &text, err);

    if (status == SY_OK)
        cli_output_write(text);
    sy_text_free(text);
    return status;
}

sy_status cli_probe_print_all(const probe_arguments *arguments, const sy_probe_result *const *results, size_t count,
                              sy_error *err)
{
    return arguments->common.json ? print_json(results, count, err) : print_table(arguments, results, count, err);
}

int cli_probe_worse(int a, int b)
{
    static const int order[] = {CLI_INTERRUPTED, CLI_REFUSED, CLI_ENVIRONMENT, CLI_UNDECIDED};

    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (a == order[i] || b == order[i])
            return order[i];
    }
    return CLI_DONE;
}
