/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a project as the options say. */
#include "project.h"

#include <stdlib.h>

const char *cli_project_leases(void)
{
    const char *leases = getenv("STEELYARD_LEASES");

    return leases != NULL && leases[0] != '\0' ? leases : NULL;
}

sy_status cli_project_open(const cli_project_arguments *arguments, cli_ledger_use use, sy_project **ret_project,
                           sy_error *err)
{
    sy_project_options options = SY_PROJECT_OPTIONS_INIT;

    options.leases = cli_project_leases();
    options.root = arguments->root;
    options.evidence = arguments->evidence;
    options.create = use == CLI_LEDGER_RECORD;
    options.read_only = use == CLI_LEDGER_READ || use == CLI_LEDGER_LOOK;
    options.may_lack_ledger = use == CLI_LEDGER_LOOK || use == CLI_LEDGER_ADD;
    return sy_project_open(&options, ret_project, err);
}
