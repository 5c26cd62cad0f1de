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

/* What keeps a case from lying inside a row. */
typedef struct obstacle {
    size_t held;     /* conditions of the row that hold before this one */
    double distance; /* of a measure: how many times the bound it is off */
    char reason[REASON_BYTES];
} obstacle;

/* Whether the row was shown for the settings that are asked for. */
static bool settings_fit(const asked *a, const sy_policy_row *row, obstacle *ret_obstacle)
{
    const sy_shortcut_question *question = a->question;
    char *reason = ret_obstacle->reason;
    ret_obstacle->distance = 0;
    if (row->threads != 0 && row->threads != question->device->threads) {
        (void)snprintf(reason, REASON_BYTES, "shown with %u threads alone, not with %u (%s)", row->threads,
                       question->device->threads, row->evidence);
        ret_obstacle->held = 0;
        return false;
    }
    if (question->cache == SY_CACHE_COLD) {
        (void)snprintf(reason, REASON_BYTES, "nothing was shown of cold buffers (%s)", row->evidence);
        ret_obstacle->held = 1;
        return false;
    }
    if (question->prefer == SY_PREFER_MEMORY && !row->needs_less_memory) {
        (void)snprintf(reason, REASON_BYTES, "nothing was shown of memory (%s)", row->evidence);
        ret_obstacle->held = 2;
        return false;
    }
    if ((row->dtypes & SY_POLICY_DTYPE(a->c->dtype)) == 0) {
        (void)snprintf(reason, REASON_BYTES, "nothing was shown of %s (%s)", sy_dtype_word(a->c->dtype), row->evidence);
        ret_obstacle->held = 3;
        return false;
    }
    return true;
}

static bool fits(const asked *a, const sy_policy_row *row, obstacle *ret_obstacle)
{
    if (!settings_fit(a, row, ret_obstacle)) {
        return false;
    }
    for (size_t i = 0; i < a->policy->measure_count; i++) {
        const double value = a->values[i];
        const sy_policy_range range = row->ranges[i];
        const bool above = value > range.largest;
        if (!above && value >= range.least) {
            continue;
        }
        ret_obstacle->held = 4 + i;
        ret_obstacle->distance = above ? value / range.largest : range.least / value;
        (void)snprintf(ret_obstacle->reason, REASON_BYTES, "%s %.15g is %s proven one, %.15g (%s)",
                       a->policy->measures[i], value, above ? "above the largest" : "below the least",
                       above ? range.largest : range.least, above && row->limit ? row->limit : row->evidence);
        return false;
    }
    return true;
}

/* The first row of this device that the case lies inside; NULL: what stands in the way of the one that it comes nearest
 * to. */
static const sy_policy_row *find_row(const asked *a, obstacle *ret_nearest)
{
    obstacle nearest = {0};
    for (size_t i = 0; i < a->policy->row_count; i++) {
        const sy_policy_row *row = &a->policy->rows[i];
        obstacle own = {0};
        if (!is_of_device(row, a->question->device)) {
            continue;
        }
        if (fits(a, row, &own)) {
            return row;
        }
        if (nearest.reason[0] == '\0' || own.held > nearest.held ||
            (own.held == nearest.held && own.distance < nearest.distance)) {
            nearest = own;
        }
    }
    *ret_nearest = nearest;
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
    obstacle nearest = {0};
    sy_error unread = SY_ERROR_INIT;
    if (policy->measure(c, a.values, &unread) != SY_OK) {
        (void)snprintf(answer->reason, sizeof answer->reason, "%s", unread.what);
        return NULL;
    }
    const sy_policy_row *row = find_row(&a, &nearest);
    if (!row) {
        (void)snprintf(answer->reason, sizeof answer->reason, "case '%s': %s", c->name, nearest.reason);
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
