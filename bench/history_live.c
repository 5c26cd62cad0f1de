/* SPDX-License-Identifier: Apache-2.0 */
/* Plays a live history: finds its changes again and again, and follows each reported one to its end. */
#include "history_live.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "evidence/history/change_states.h"
#include "stats/rank_scan.h"

/* A report, and where it is now. */
typedef struct report {
    size_t first; /* place at which it was reported at first */
    size_t place;
    double effect;
    size_t points_after;
    bool confirmed;
    bool refuted;
} report;

typedef struct book {
    report reports[HISTORY_LIVE_MAX * 16];
    size_t count;
} book;

static void append_report(book *b, const sy_history *history, size_t which, const report *from)
{
    const sy_history_change *found = &history->changes[which];
    report made = {.first = from != NULL ? from->first : found->index,
                   .place = found->index,
                   .effect = found->effect,
                   .points_after = history->value_count - found->index};

    if (b->count == sizeof b->reports / sizeof b->reports[0])
        abort();
    b->reports[b->count++] = made;
}

static int by_place(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;

    return left < right ? -1 : left > right;
}

/* Places of what is not refuted, ascending. */
static size_t known_places(const book *b, size_t *places)
{
    size_t count = 0;

    for (size_t i = 0; i < b->count; i++) {
        if (!b->reports[i].refuted)
            places[count++] = b->reports[i].place;
    }
    qsort(places, count, sizeof *places, by_place);
    return count;
}

/* Holds the open reports against what is found, as sy_project_history does. */
static void follow(book *b, const sy_history *history, const sy_history *earlier)
{
    sy_open_change open[HISTORY_LIVE_MAX] = {{0}};
    sy_change_outcome outcomes[HISTORY_LIVE_MAX];
    report *held[HISTORY_LIVE_MAX];
    size_t count = 0;

    for (size_t i = 0; i < b->count; i++) {
        if (!b->reports[i].refuted) {
            report *r = held[count] = &b->reports[i];

            open[count++] = (sy_open_change){r->place, true, r->effect, r->points_after, r->confirmed};
        }
    }
    sy_change_states(history, open, count, outcomes);
    for (size_t i = 0; i < history->change_count; i++) {
        bool is_new = true;

        for (size_t k = 0; k < count; k++)
            is_new = is_new && outcomes[k].found != i;
        if (is_new && sy_change_persists(&history->changes[i], earlier))
            append_report(b, history, i, NULL);
    }
    for (size_t k = 0; k < count; k++) {
        held[k]->refuted = outcomes[k].fate == SY_CHANGE_GETS_REFUTED;
        held[k]->confirmed = held[k]->confirmed || outcomes[k].fate == SY_CHANGE_GETS_CONFIRMED;
        if (outcomes[k].fate == SY_CHANGE_MOVES) {
            const sy_history_change *found = &history->changes[outcomes[k].found];

            /* The report goes on at its new place, and has to be confirmed there. */
            *held[k] = (report){.first = held[k]->first,
                                .place = found->index,
                                .effect = found->effect,
                                .points_after = history->value_count - found->index};
        }
    }
}

static void close_book(const book *b, history_live *to)
{
    for (size_t i = 0; i < b->count; i++) {
        const report *r = &b->reports[i];
        size_t off = r->place > r->first ? r->place - r->first : r->first - r->place;

        to->reported++;
        to->refuted += r->refuted;
        to->moved += !r->refuted && off > SY_CHANGE_MOVED_LITTLE;
        to->confirmed += !r->refuted && r->confirmed;
    }
    to->alarmed = b->count > 0;
}

history_live history_live_play(const double *values, size_t count, double alpha)
{
    sy_history_options options = SY_HISTORY_OPTIONS_INIT;
    history_live live = {0};
    book *b = calloc(1, sizeof *b);

    options.alpha = alpha;
    if (b == NULL || count > HISTORY_LIVE_MAX)
        abort();
    for (size_t n = SY_RANK_SCAN_MIN; n <= count; n++) {
        sy_history *history = NULL, *earlier = NULL;
        size_t known[HISTORY_LIVE_MAX];

        options.known_count = known_places(b, known);
        options.known = known;
        clock_t start = clock();
        if (sy_history_find(values, n, &options, &history, NULL) != SY_OK ||
            sy_history_find(values, n - SY_CHANGE_PERSISTS_FOR, &options, &earlier, NULL) != SY_OK)
            abort();
        live.seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
        live.looks++;
        follow(b, history, earlier);
        sy_history_destroy(history);
        sy_history_destroy(earlier);
    }
    close_book(b, &live);
    free(b);
    return live;
}

void history_live_add(history_live *sum, const history_live *one)
{
    sum->looks += one->looks;
    sum->alarmed += one->alarmed;
    sum->reported += one->reported;
    sum->refuted += one->refuted;
    sum->moved += one->moved;
    sum->confirmed += one->confirmed;
    sum->seconds += one->seconds;
}
