/* SPDX-License-Identifier: Apache-2.0 */
/* Stores and exit codes of verdicts. */
#include "verdict_call.h"

#include "message.h"

void cli_verdict_store(const char *path, sy_store **ret_store)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    sy_error err = SY_ERROR_INIT;

    options.path = path;
    *ret_store = NULL;
    if (sy_store_open(&options, ret_store, &err) != SY_OK)
        cli_remark("stored decisions are not looked at: their store could not be opened");
}

int cli_verdict_exit(const sy_compared *compared, bool strict)
{
    if (compared->verdict.word == SY_JUDGEMENT_NO_BASELINE && strict)
        return CLI_NOTHING;
    return sy_judgement_exit_code(compared->verdict.word);
}
