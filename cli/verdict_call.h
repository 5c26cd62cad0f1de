/* SPDX-License-Identifier: Apache-2.0 */
/* What commands share that judge a run: the store whose decisions may rest on what is no longer so, and exit codes. */
#ifndef STEELYARD_CLI_VERDICT_CALL_H
#define STEELYARD_CLI_VERDICT_CALL_H

#include <stdbool.h>
#include <steelyard/compare.h>
#include <steelyard/store.h>

/* This user's profiles, and what is layered below them; nothing is made. path: NULL = the usual place. A store that
 * cannot be read does not keep a run from being judged: then *ret_store is NULL, and a remark says why. */
void cli_verdict_store(const char *path, sy_store **ret_store);
/* The exit code of a verdict; strict: without a baseline 6, not 0. */
int cli_verdict_exit(const sy_compared *compared, bool strict);

#endif
