/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the changes that are found now is which of those that were reported. */
#include "evidence/history/change_states.h"

static size_t distance(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

static bool is_taken(const sy_change_outcome *outcomes, size_t count, size_t found)
{
    for (size_t i = 0; i < count; i++) {
        if (outcomes[i].found == found) {
            return true;
        }
    }
    return false;
}

static bool steps_alike(const sy_history_change *found, const sy_open_change *open)
{
    return (found->effect > 0) == (open->effect > 0);
}

bool sy_change_persists(const sy_history_change *found, const sy_history *earlier)
{
    for (size_t i = 0; earlier != NULL && i < earlier->change_count; i++) {
        const sy_history_change *other = &earlier->changes[i];
        if (distance(other->index, found->index) <= SY_CHANGE_PERSISTS_NEAR &&
            (other->effect > 0) == (found->effect > 0)) {
            return true;
        }
    }
    return false;
}

static void take_same_places(const sy_history *history, const sy_open_change *open, size_t count,
                             sy_change_outcome *outcomes)
{
    for (size_t i = 0; i < count; i++) {
        outcomes[i].found = history->change_count;
        for (size_t k = 0; open[i].is_there && k < history->change_count; k++) {
            const sy_history_change *found = &history->changes[k];
            if (found->index == open[i].place && steps_alike(found, &open[i]) && !is_taken(outcomes, i, k)) {
                outcomes[i].found = k;
            }
        }
    }
}

/* The nearest of all pairs that are left; false: none lies near enough. */
static bool take_nearest(const sy_history *history, const sy_open_change *open, size_t count,
                         sy_change_outcome *outcomes)
{
    size_t nearest = SY_CHANGE_MOVED_MOST + 1;
    size_t which = 0, found = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; outcomes[i].found == history->change_count && k < history->change_count; k++) {
            size_t off = distance(history->changes[k].index, open[i].place);
            if (off < nearest && steps_alike(&history->changes[k], &open[i]) && !is_taken(outcomes, count, k)) {
                nearest = off;
                which = i;
                found = k;
            }
        }
    }
    if (nearest > SY_CHANGE_MOVED_MOST) {
        return false;
    }
    outcomes[which] = (sy_change_outcome){SY_CHANGE_MOVES, found};
    return true;
}

static sy_change_fate fate_of_found(const sy_history *history, const sy_open_change *open)
{
    size_t more = open->points_after < SY_CHANGE_CONFIRMED_BY ? open->points_after : SY_CHANGE_CONFIRMED_BY;
    bool is_confirmed = history->value_count - open->place >= open->points_after + more;
    return !open->confirmed && is_confirmed ? SY_CHANGE_GETS_CONFIRMED : SY_CHANGE_STAYS;
}

static sy_change_fate fate_of_lost(const sy_history *history, const sy_open_change *open)
{
    bool can_be_seen = open->place >= SY_CHANGE_SIDE && open->place + SY_CHANGE_SIDE <= history->value_count;
    return can_be_seen ? SY_CHANGE_GETS_REFUTED : SY_CHANGE_OUT_OF_REACH;
}

void sy_change_states(const sy_history *history, const sy_open_change *open, size_t open_count,
                      sy_change_outcome *ret_outcomes)
{
    take_same_places(history, open, open_count, ret_outcomes);
    for (size_t i = 0; i < open_count; i++) {
        bool is_found = ret_outcomes[i].found < history->change_count;
        ret_outcomes[i].fate = is_found ? fate_of_found(history, &open[i]) : fate_of_lost(history, &open[i]);
    }
    while (take_nearest(history, open, open_count, ret_outcomes)) {
    }
}
