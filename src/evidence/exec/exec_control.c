/* SPDX-License-Identifier: Apache-2.0 */
/* The accepted revision, run again beside the command that is measured: whether the machine changed, and not the
 * program, shows in it. It can spoil nothing of the session, and counts only if all of it was right. */
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "evidence/exec/exec_inside.h"

static const char about[] = "control: ";

void sy_exec_control_toss(sy_exec *exec, uint64_t seed)
{
    sy_random random;
    sy_random_start(&random, seed, "control");
    exec->result->control_first = sy_random_coin(&random);
}

sy_status sy_exec_control_announce(sy_exec *exec, sy_error *err)
{
    const char *order = exec->result->control_first ? "control: before the command, as a coin said"
                                                    : "control: behind the command, as a coin said";
    sy_status status = sy_event_list_note(&exec->events, order, err);
    return status == SY_OK && exec->control_source != NULL
               ? sy_event_list_note(&exec->events, exec->control_source, err)
               : status;
}

sy_status sy_exec_control_void(sy_exec *exec, const char *why, sy_error *err)
{
    const char *kept = sy_arena_copy_text(exec->arena, why);
    const char *clean = kept == NULL ? NULL : sy_exec_clean(&exec->cleaner, kept);
    if (clean == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for a control");
    exec->result->no_control = clean;
    return sy_exec_remark(exec, err, "does not count: %s", clean);
}

/* Why what it measured does not count; "" = it does; NULL: no memory. */
static const char *shortcoming(const sy_exec *exec, const sy_exec_child *child, bool held)
{
    const char *why = sy_exec_failure(exec, child);
    if (why == NULL || why[0] != '\0')
        return why;
    why = sy_exec_parity_failure(exec, &child->account);
    if (why == NULL || why[0] != '\0')
        return why;
    if (child->account.parity_count == 0)
        return "it says nothing of its parity";
    sy_run_parity parity = sy_exec_worst_parity(&child->account);
    if (parity != SY_RUN_PARITY_PASSED)
        return sy_arena_format(exec->arena, "its parity is %s", sy_run_parity_word(parity));
    return held ? "" : sy_arena_format(exec->arena, "the lease of '%s' was not held throughout", exec->device);
}

static sy_status record(sy_exec *exec, sy_exec_child *child, bool held, sy_error *err)
{
    const char *why = shortcoming(exec, child, held);
    exec->result->control_parity = sy_exec_worst_parity(&child->account);
    sy_status status = why == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory for a control")
                                   : sy_exec_record_control(exec, child, why, held, err);
    if (status == SY_OK && exec->result->interrupted)
        status = sy_exec_record_failure(exec, "interrupted", err);
    return status;
}

sy_status sy_exec_control_run(sy_exec *exec, sy_error *err)
{
    sy_exec_child child;
    sy_error problem = SY_ERROR_INIT;
    bool held = false;
    sy_status status = sy_exec_look_at_imports(exec, &exec->control, err);
    if (status != SY_OK)
        return status;
    exec->remarks.about = about;
    if (sy_exec_run_command(exec, &exec->control, &child, &held, &problem) != SY_OK)
        status = problem.status == SY_NO_MEMORY ? sy_fail(err, SY_NO_MEMORY, "%s", problem.what)
                                                : sy_exec_control_void(exec, problem.what, err);
    else
        status = record(exec, &child, held, err);
    exec->remarks.about = NULL;
    if (status == SY_OK)
        status = sy_exec_append_said(exec, err);
    sy_exec_child_finish(&child);
    return status;
}
