/* SPDX-License-Identifier: Apache-2.0 */
/* Growing lists of configurations, times and notes, which end in one arena. */
#include "importers/timings/timings_draft.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum { FIRST_CAPACITY = 64 };

sy_status sy_timings_draft_init(sy_timings_draft *draft, sy_error *err)
{
    *draft = (sy_timings_draft){.arena = sy_arena_create(0)};
    if (draft->arena != NULL)
        draft->timings = sy_arena_allocate(draft->arena, 1, sizeof *draft->timings);
    if (draft->timings == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for recorded timings");
    draft->timings->unit_ns = NAN;
    draft->timings->device = "";
    return SY_OK;
}

void sy_timings_draft_finish(sy_timings_draft *draft)
{
    sy_arena_destroy(draft->arena);
    sy_free(draft->list);
    sy_free(draft->times);
    sy_free(draft->notes);
    *draft = (sy_timings_draft){0};
}

/* Room for one more of size bytes in a list; false marks the draft. */
static bool make_room(sy_timings_draft *draft, void **list, size_t *capacity, size_t count, size_t size)
{
    size_t larger = *capacity == 0 ? FIRST_CAPACITY : *capacity * 2;
    void *grown;

    if (draft->failed)
        return false;
    if (count < *capacity)
        return true;
    grown = sy_reallocate(*list, larger, size);
    if (grown == NULL) {
        draft->failed = true;
        return false;
    }
    *list = grown;
    *capacity = larger;
    return true;
}

void sy_timings_draft_time(sy_timings_draft *draft, double time)
{
    void *times = draft->times;

    if (!make_room(draft, &times, &draft->time_capacity, draft->time_count, sizeof *draft->times))
        return;
    draft->times = times;
    draft->times[draft->time_count++] = isfinite(time) ? time : NAN;
}

void sy_timings_draft_end(sy_timings_draft *draft, const char *name, const char *reason)
{
    void *list = draft->list;
    double *times;
    sy_timing *timing;

    if (!make_room(draft, &list, &draft->capacity, draft->count, sizeof *draft->list))
        return;
    draft->list = list;
    times = sy_arena_allocate(draft->arena, draft->time_count + 1, sizeof *times);
    timing = &draft->list[draft->count];
    *timing = (sy_timing){.name = sy_arena_copy_text(draft->arena, name),
                          .times = times,
                          .count = draft->time_count,
                          .reason = reason[0] != '\0' ? sy_arena_copy_text(draft->arena, reason) : ""};
    if (timing->name == NULL || timing->reason == NULL || times == NULL) {
        draft->failed = true;
        return;
    }
    if (draft->time_count > 0)
        memcpy(times, draft->times, draft->time_count * sizeof *times);
    draft->time_count = 0;
    draft->count++;
}

void sy_timings_draft_note(sy_timings_draft *draft, const char *format, ...)
{
    void *notes = draft->notes;
    char text[256];
    va_list arguments;

    if (!make_room(draft, &notes, &draft->note_capacity, draft->note_count, sizeof *draft->notes))
        return;
    draft->notes = notes;
    va_start(arguments, format);
    sy_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    draft->notes[draft->note_count] = sy_arena_copy_text(draft->arena, text);
    if (draft->notes[draft->note_count] == NULL)
        draft->failed = true;
    else
        draft->note_count++;
}

static void *keep(sy_timings_draft *draft, const void *list, size_t count, size_t size)
{
    void *kept = sy_arena_allocate(draft->arena, count + 1, size);

    if (kept == NULL)
        draft->failed = true;
    else if (count > 0)
        memcpy(kept, list, count * size);
    return kept;
}

sy_status sy_timings_draft_take(sy_timings_draft *draft, sy_timings **ret_timings, sy_error *err)
{
    sy_timings *timings = draft->timings;

    timings->list = keep(draft, draft->list, draft->count, sizeof *draft->list);
    timings->notes = keep(draft, draft->notes, draft->note_count, sizeof *draft->notes);
    if (draft->failed)
        return sy_fail(err, SY_NO_MEMORY, "no memory for %zu configurations of recorded timings", draft->count);
    timings->count = draft->count;
    timings->note_count = draft->note_count;
    timings->owner = draft->arena;
    draft->arena = NULL;
    draft->timings = NULL;
    *ret_timings = timings;
    return SY_OK;
}
