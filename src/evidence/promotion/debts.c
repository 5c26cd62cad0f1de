/* SPDX-License-Identifier: Apache-2.0 */
/* Collects debts, and puts together the commands that pay them. */
#include "evidence/promotion/debts.h"

#include <string.h>

#include "base/shell_words.h"

const char *sy_debt_keep(sy_debt_work *work, const char *text)
{
    work->failed = work->failed || text == NULL;
    return text;
}

static bool grow(sy_debt_work *work)
{
    if (work->count < work->capacity) {
        return true;
    }
    size_t capacity = work->capacity > 0 ? 2 * work->capacity : 16;
    sy_promotion_debt *debts = sy_arena_allocate(work->arena, capacity, sizeof *debts);
    if (debts == NULL) {
        return false;
    }
    if (work->count > 0) {
        memcpy(debts, work->debts, work->count * sizeof *debts);
    }
    work->debts = debts;
    work->capacity = capacity;
    return true;
}

void sy_debt_add(sy_debt_work *work, const char *name, bool paid, const char *run, const char *detail,
                 const char *command)
{
    if (name == NULL || run == NULL || detail == NULL || command == NULL || !grow(work)) {
        work->failed = true;
        return;
    }
    work->debts[work->count++] = (sy_promotion_debt){name, paid, run, detail, paid ? "" : command};
}

const char *sy_debt_command(sy_debt_work *work, const char *const *words)
{
    const char *line = sy_shell_join(work->arena, words);
    return sy_debt_keep(work, line != NULL ? sy_arena_format(work->arena, "steelyard %s", line) : NULL);
}

const char *sy_debt_start(sy_debt_work *work, const sy_gate_plan *plan)
{
    const char *words[8] = {"run", "start", plan->id};
    const char *usual = plan->backend[0] != '\0' ? plan->backend : plan->platform;
    size_t count = 3;
    bool same_computer = work->plan == NULL || strcmp(plan->computer_id, work->plan->computer_id) == 0;
    if (same_computer && strcmp(work->run->row.device, usual) != 0) {
        words[count++] = "--device";
        words[count++] = work->run->row.device;
    }
    if (plan->question[0] == '\0') {
        words[count++] = "--question";
        words[count++] = "...";
    }
    words[count] = NULL;
    return sy_debt_command(work, words);
}

bool sy_debt_keeps_artifact(const sy_run *run)
{
    for (size_t i = 0; i < run->artifact_count; i++) {
        switch (run->artifacts[i].role) {
        case SY_ARTIFACT_DIFF:
        case SY_ARTIFACT_MANIFEST:
        case SY_ARTIFACT_SOURCE:
            break;
        default:
            return true;
        }
    }
    return false;
}
