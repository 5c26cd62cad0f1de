/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a project's baselines, a file beside its ledger. */
#include "evidence/baseline_lock.h"

#include "base/error.h"
#include "base/text.h"

#define LOCK_FILE "accept.lock"
#define LEDGER_FILE "ledger.sqlite" /* who may write it may accept */
#define LOCK_WAIT_NS UINT64_C(10000000000)

sy_status sy_baseline_lock_take(sy_project *project, sy_lock **ret_lock, sy_error *err)
{
    sy_text path = SY_TEXT_INIT;
    sy_text ledger = SY_TEXT_INIT;
    sy_text_append_format(&path, "%s/" LOCK_FILE, sy_project_evidence(project));
    sy_text_append_format(&ledger, "%s/" LEDGER_FILE, sy_project_evidence(project));
    sy_status status = path.failed || ledger.failed
                           ? sy_fail(err, SY_NO_MEMORY, "no memory for the lock of the baselines")
                           : sy_lock_take_for(sy_text_bytes(&ledger), sy_text_bytes(&path), LOCK_WAIT_NS, ret_lock,
                                              err);
    sy_text_finish(&ledger);
    sy_text_finish(&path);
    return status;
}
