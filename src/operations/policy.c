/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over a table of what is known of devices. It decides nothing that the table does not say. */
#include "operations/policy.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define PATTERN_BYTES 128
#define REASON_BYTES 288 /* leaves room for the name of a case in the answer */

static bool matches(const char *text, const char *patterns)
{
    char one[PATTERN_BYTES];
    for (const char *at = patterns; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        const size_t length = strcspn(at, "|");
        if (length >= sizeof one) {
            continue;
        }
        memcpy(one, at, length);
        one[length] = '\0';
        if (sy_text_matches(text, one)) {
            return true;
        }
    }
    return false;
}

static bool is_of_device(const sy_policy_row *row, const sy_device_info *device)
{
    return matches(device->backend, row->backend) && matches(device->name, row->device) &&
           matches(device->description, row->description);
}

/* What one case is held against. */
typedef struct asked {
    const sy_policy *policy;
    const sy_shortcut_question *question;
    const sy_case *c;
    double values[SY_POLICY_MEASURES];
} asked;

#define FITS SIZE_MAX

/* FITS, or how many of the row's conditions hold before the one that `reason` names. */
static size_t hold_against(const asked *a, const sy_policy_row *row, char *reason, size_t size)
{
    if (row->threads != 0 && row->threads != a->question->device->threads) {
        (void)snprintf(reason, size, "shown with %u threads alone, not with %u (%s)", row->threads,
                       a->question->device->threads, row->evidence);
        return 0;
    }
    if (a->question->cache == SY_CACHE_COLD) {
        (void)snprintf(reason, size, "nothing was shown of cold buffers (%s)", row->evidence);
        return 1;
    }
    if (a->question->prefer == SY_PREFER_MEMORY && !row->needs_less_memory) {
        (void)snprintf(reason, size, "nothing was shown of memory (%s)", row->evidence);
        return 2;
    }
    if ((row->dtypes & SY_POLICY_DTYPE(a->c->dtype)) == 0) {
        (void)snprintf(reason, size, "nothing was shown of %s (%s)", sy_dtype_word(a->c->dtype), row->evidence);
        return 3;
    }
    for (size_t i = 0; i < a->policy->measure_count; i++) {
        const bool above = a->values[i] > row->ranges[i].largest;
        if (!above && a->values[i] >= row->ranges[i].least) {
            continue;
        }
        (void)snprintf(reason, size, "%s %.15g is %s proven one, %.15g (%s)", a->policy->measures[i], a->values[i],
                       above ? "above the largest" : "below the least",
                       above ? row->ranges[i].largest : row->ranges[i].least,
                       above && row->limit ? row->limit : row->evidence);
        return 4 + i;
    }
    return FITS;
}

/* The first row of this device that the case lies inside; NULL: reason has what stands in the way of the row that it
 * comes furthest with. */
static const sy_policy_row *find_row(const asked *a, char *reason, size_t size)
{
    size_t furthest = 0;
    char own[REASON_BYTES];
    for (size_t i = 0; i < a->policy->row_count; i++) {
        const sy_policy_row *row = &a->policy->rows[i];
        if (!is_of_device(row, a->question->device)) {
            continue;
        }
        const size_t held = hold_against(a, row, own, sizeof own);
        if (held == FITS) {
            return row;
        }
        if (reason[0] == '\0' || held > furthest) {
            furthest = held;
            (void)snprintf(reason, size, "%s", own);
        }
    }
    return NULL;
}

static bool is_known(const sy_policy *policy, const sy_device_info *device)
{
    for (size_t i = 0; i < policy->row_count; i++) {
        if (is_of_device(&policy->rows[i], device)) {
            return true;
        }
    }
    return false;
}

/* The row of one case, or NULL with the answer's reason. */
static const sy_policy_row *row_of_case(const sy_policy *policy, const sy_shortcut_question *question, const sy_case *c,
                                        sy_shortcut *answer)
{
    asked a = {.policy = policy, .question = question, .c = c};
    char reason[REASON_BYTES] = "";
    sy_error unread = SY_ERROR_INIT;
    if (policy->measure(c, a.values, &unread) != SY_OK) {
        (void)snprintf(answer->reason, sizeof answer->reason, "%s", unread.what);
        return NULL;
    }
    const sy_policy_row *row = find_row(&a, reason, sizeof reason);
    if (!row) {
        (void)snprintf(answer->reason, sizeof answer->reason, "case '%s': %s", c->name, reason);
    }
    return row;
}

void sy_policy_answer(const sy_policy *policy, const sy_shortcut_question *question, sy_shortcut *ret_shortcut)
{
    sy_shortcut answer = {0};
    const sy_policy_row *chosen = NULL;
    double heaviest = 0;
    *ret_shortcut = (sy_shortcut){0};
    if (!is_known(policy, question->device)) {
        return;
    }
    for (size_t i = 0; i < question->case_count; i++) {
        const sy_case *c = &question->cases[i];
        const sy_policy_row *row = row_of_case(policy, question, c, &answer);
        if (row && chosen && strcmp(row->implementation, chosen->implementation) != 0) {
            (void)snprintf(answer.reason, sizeof answer.reason,
                           "%s is known to be best for some of the cases, %s for '%s': ask for each by itself",
                           chosen->implementation, row->implementation, c->name);
            row = NULL;
        }
        if (!row) {
            memcpy(ret_shortcut->reason, answer.reason, sizeof answer.reason);
            return;
        }
        if (!chosen || c->weight > heaviest) {
            chosen = row;
            heaviest = c->weight;
        }
    }
    if (chosen) {
        *ret_shortcut = (sy_shortcut){
            .implementation = chosen->implementation, .evidence = chosen->evidence, .date = chosen->date};
    }
}
