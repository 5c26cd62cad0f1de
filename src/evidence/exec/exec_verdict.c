/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a command did what it should: its end, its limits, and for a smoke command parity, memory and ownership. */
#include <stdio.h>

#include "base/text.h"
#include "evidence/exec/exec_inside.h"

const char *sy_exec_failure(const sy_exec *exec, const sy_exec_child *child)
{
    char text[64];
    switch (child->end) {
    case SY_EXEC_CHILD_CANCELLED:
        return "interrupted";
    case SY_EXEC_CHILD_TIMED_OUT:
        sy_format_duration(text, sizeof(text), exec->options->timeout_ns);
        return sy_arena_format(exec->arena, "still ran after %s", text);
    case SY_EXEC_CHILD_FLOODED:
    case SY_EXEC_CHILD_ENDED:
        break;
    }
    if (child->account.limit[0] != '\0')
        return sy_arena_format(exec->arena, "said %s", child->account.limit);
    if (child->report.end == SY_PROCESS_EXITED && child->report.code == 0)
        return "";
    sy_process_describe_end(&child->report, text, sizeof(text));
    return sy_arena_copy_text(exec->arena, text);
}

sy_run_parity sy_exec_worst_parity(const sy_protocol_account *account)
{
    static const int badness[] = {
        [SY_RUN_PARITY_UNKNOWN] = 2,    [SY_RUN_PARITY_PASSED] = 1,        [SY_RUN_PARITY_FAILED] = 4,
        [SY_RUN_PARITY_INCOMPLETE] = 2, [SY_RUN_PARITY_NOT_PERFORMED] = 3,
    };
    sy_run_parity worst = SY_RUN_PARITY_UNKNOWN;
    int worst_badness = 0;
    for (size_t i = 0; i < account->parity_count; i++) {
        sy_run_parity outcome = account->parities[i].outcome;
        if (badness[outcome] > worst_badness) {
            worst_badness = badness[outcome];
            worst = outcome == SY_RUN_PARITY_UNKNOWN ? SY_RUN_PARITY_INCOMPLETE : outcome;
        }
    }
    return worst;
}

const char *sy_exec_parity_failure(const sy_exec *exec, const sy_protocol_account *account)
{
    for (size_t i = 0; i < account->parity_count; i++) {
        const sy_run_parity_event *parity = &account->parities[i];
        if (parity->outcome != SY_RUN_PARITY_FAILED)
            continue;
        return sy_arena_format(exec->arena, "parity failed%s%s%s%s", parity->case_name[0] != '\0' ? " in " : "",
                               parity->case_name, parity->reason[0] != '\0' ? ": " : "", parity->reason);
    }
    return "";
}

static const char *too_much(const sy_exec *exec, const char *name, uint64_t bytes)
{
    char took[32];
    char most[32];
    sy_format_bytes(took, sizeof(took), bytes);
    sy_format_bytes(most, sizeof(most), exec->plan.minimum_memory.bytes);
    return sy_arena_format(exec->arena, "memory '%s' is %s, above the %s that the platform promises", name, took, most);
}

/* What the platform's smallest machine has is what a run may take; figures of another kind of memory say nothing. */
static const char *memory_violation(const sy_exec *exec, const sy_exec_child *child)
{
    const sy_memory_figure *least = &exec->plan.minimum_memory;
    if (!exec->has_plan || !exec->plan.has_minimum_memory || least->bytes == 0)
        return "";
    for (size_t i = 0; i < child->account.memory_count; i++) {
        const sy_run_memory *memory = &child->account.memories[i];
        if (memory->scope == least->scope && memory->bytes > least->bytes)
            return too_much(exec, memory->name, memory->bytes);
    }
    bool of_the_host = least->scope == SY_MEMORY_PROCESS || least->scope == SY_MEMORY_PROCESS_TREE ||
                       least->scope == SY_MEMORY_UNIFIED;
    if (of_the_host && child->tree_peak_bytes > least->bytes)
        return too_much(exec, "peak", child->tree_peak_bytes);
    return "";
}

const char *sy_exec_violation(const sy_exec *exec, const sy_exec_child *child, bool held)
{
    const char *why = sy_exec_failure(exec, child);
    if (child->end == SY_EXEC_CHILD_CANCELLED)
        return why;
    /* What is wrong with its results says more than that it ended badly because of it. */
    const char *parity = sy_exec_parity_failure(exec, &child->account);
    if (parity == NULL || parity[0] != '\0')
        why = parity;
    if (why != NULL && why[0] == '\0')
        why = memory_violation(exec, child);
    if (why != NULL && why[0] == '\0' && !held)
        why = sy_arena_format(exec->arena, "the lease of '%s' was lost", exec->device);
    return why == NULL || why[0] == '\0' ? why : sy_arena_format(exec->arena, "smoke: %s", why);
}
