/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a project as the options say. */
#include "project.h"

#include <stdlib.h>

#include "message.h"

sy_status cli_project_leases(const char **ret_folder, sy_error *err)
{
    const char *leases = getenv("STEELYARD_LEASES");

    if (leases != NULL && leases[0] != '\0' && leases[0] != '/') {
        (void)cli_fail(err, SY_INVALID_ARGUMENT, "STEELYARD_LEASES '%s' is not absolute", leases);
        cli_hint(err, "each folder would have leases of its own, which exclude nobody");
        return SY_INVALID_ARGUMENT;
    }
    *ret_folder = leases != NULL && leases[0] != '\0' ? leases : NULL;
    return SY_OK;
}

sy_status cli_project_open(const cli_project_arguments *arguments, cli_ledger_use use, sy_project **ret_project,
                           sy_error *err)
{
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;
    sy_status status = cli_project_leases(&options.leases, err);

    if (status != SY_OK)
        return status;
    options.root = arguments->root;
    options.evidence = arguments->evidence;
    options.create = use == CLI_LEDGER_RECORD;
    options.read_only = use == CLI_LEDGER_READ || use == CLI_LEDGER_LOOK;
    options.may_lack_ledger = use == CLI_LEDGER_LOOK || use == CLI_LEDGER_ADD;
    return sy_project_open(&options, ret_project, err);
}
