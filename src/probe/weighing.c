/* SPDX-License-Identifier: Apache-2.0 */
/* What every step of a probe uses: ending it, taking a contender out, notes, time and progress. */
#include "probe/weighing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/text.h"

#define MEBIBYTE_BITS 20

static void format_into(char *to, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void format_into(char *to, size_t size, const char *format, va_list arguments)
{
    char whole[512];
    (void)vsnprintf(whole, sizeof(whole), format, arguments);
    (void)sy_text_copy(to, size, whole);
}

void sy_weighing_end(sy_weighing *w, sy_decision decision, const char *reason, const char *format, ...)
{
    if (w->ended)
        return;
    va_list arguments;
    va_start(arguments, format);
    format_into(w->error, sizeof(w->error), format, arguments);
    va_end(arguments);
    w->ended = true;
    w->decision = decision;
    w->reason = reason;
}

void sy_weighing_drop(sy_weighing *w, sy_contender *contender, sy_decision decision, const char *reason,
                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    format_into(contender->detail, sizeof(contender->detail), format, arguments);
    va_end(arguments);
    contender->live = false;
    contender->decision = decision;
    contender->reason = reason;
    sy_subject_destroy(contender->subject);
    contender->subject = NULL;
    if (contender == &w->contenders[0])
        sy_weighing_end(w, decision, reason, "the reference %s: %s", contender->name, contender->detail);
    else if (sy_weighing_candidates(w) == 0)
        sy_weighing_end(w, decision, reason, "%s: %s", contender->name, contender->detail);
}

const char *sy_weighing_reason(const sy_weighing *w, const sy_contender *contender, sy_status status,
                               const sy_error *why)
{
    const char *clause = NULL;
    if (w->device->backend->whole_programs)
        clause = sy_arena_format(w->arena, "%s %s", contender == &w->contenders[0] ? "reference" : "candidate",
                                 why->what);
    if (clause)
        return clause;
    switch (status) {
    case SY_DIED:
        return "crashed";
    case SY_TIMED_OUT:
        return "time-out";
    case SY_NO_MEMORY:
        return "memory";
    case SY_LIMIT_EXCEEDED:
        return "limit";
    default:
        return "unavailable";
    }
}

bool sy_weighing_is_blamable(const sy_weighing *w, sy_status status)
{
    return !w->own_failure && (status == SY_DIED || status == SY_TIMED_OUT || status == SY_NO_MEMORY ||
                               status == SY_UNAVAILABLE || status == SY_LIMIT_EXCEEDED);
}

sy_status sy_weighing_blame(sy_weighing *w, sy_contender *contender, sy_status status, sy_error *err)
{
    sy_error nothing = SY_ERROR_INIT;
    const sy_error *why = err ? err : &nothing;
    if (status == SY_INTERRUPTED) {
        w->interrupted = true;
        sy_weighing_end(w, SY_DECISION_INCONCLUSIVE, "interrupted", "stopped by request");
        return SY_OK;
    }
    if (status == SY_TIMED_OUT && w->device->backend->whole_programs && sy_weighing_stops(w))
        return SY_OK; /* time ran out for all, and a program may take as long as it likes */
    if (!sy_weighing_is_blamable(w, status)) {
        sy_error_prefix(err, "%s", contender->name);
        return status;
    }
    sy_weighing_drop(w, contender, SY_DECISION_UNAVAILABLE, sy_weighing_reason(w, contender, status, why), "%s%s%s",
                     why->what, why->hint[0] ? "; " : "", why->hint);
    return SY_OK;
}

void sy_weighing_note(sy_weighing *w, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    format_into(text, sizeof(text), format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < w->note_count; i++) {
        if (sy_text_equal(w->notes[i], text))
            return;
    }
    if (w->note_count == w->note_capacity) {
        size_t capacity = w->note_capacity ? 2 * w->note_capacity : 8;
        const char **larger = sy_arena_allocate(w->arena, capacity, sizeof(*larger));
        if (!larger)
            return;
        for (size_t i = 0; i < w->note_count; i++)
            larger[i] = w->notes[i];
        w->notes = larger;
        w->note_capacity = capacity;
    }
    const char *kept = sy_arena_copy_text(w->arena, text);
    if (kept)
        w->notes[w->note_count++] = kept;
}

uint32_t sy_weighing_candidates(const sy_weighing *w)
{
    uint32_t count = 0;
    for (uint32_t i = 1; i < w->contender_count; i++)
        count += w->contenders[i].live;
    return count;
}

uint64_t sy_weighing_wall(const sy_weighing *w)
{
    return sy_clock_now(w->clock) - w->start_ns;
}

bool sy_weighing_stops(sy_weighing *w)
{
    if (w->ended)
        return true;
    if (w->options->cancelled && w->options->cancelled(w->options->user)) {
        w->interrupted = true;
        sy_weighing_end(w, SY_DECISION_INCONCLUSIVE, "interrupted", "stopped by request");
    } else if (sy_weighing_wall(w) >= w->options->wall_limit_ns) {
        sy_weighing_end(w, SY_DECISION_INCONCLUSIVE, "wall-limit",
                        "the wall limit of %.3g s was reached before the first pair",
                        (double)w->options->wall_limit_ns * 1e-9);
    }
    return w->ended;
}

uint64_t sy_contender_memory(const sy_weighing *w, const sy_contender *contender, bool scratch)
{
    const uint64_t *bytes = scratch ? contender->case_scratch_bytes : contender->case_bytes;
    uint64_t most = 0;
    for (uint32_t k = 0; k < w->case_count; k++)
        most = bytes[k] > most ? bytes[k] : most;
    return most;
}

uint64_t sy_contender_memory_of_all(const sy_weighing *w, const sy_contender *contender)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < w->case_count; k++) {
        if (__builtin_add_overflow(sum, contender->case_bytes[k], &sum) ||
            __builtin_add_overflow(sum, contender->case_copies_bytes[k], &sum))
            return UINT64_MAX;
    }
    return sum;
}

bool sy_contender_has_copies(const sy_weighing *w, const sy_contender *contender)
{
    for (uint32_t k = 0; k < w->case_count; k++) {
        if (contender->case_copies_bytes[k] > 0)
            return true;
    }
    return false;
}

bool sy_contender_is_leaner(const sy_weighing *w, const sy_contender *a, const sy_contender *b)
{
    uint64_t scratch_of_a = sy_contender_memory(w, a, true);
    uint64_t scratch_of_b = sy_contender_memory(w, b, true);
    if (scratch_of_a != scratch_of_b)
        return scratch_of_a < scratch_of_b;
    return a->memory_bytes >> MEBIBYTE_BITS < b->memory_bytes >> MEBIBYTE_BITS; /* a few pages are chance */
}

bool sy_contender_less_memory(const sy_weighing *w, const sy_contender *a, const sy_contender *b)
{
    if (sy_contender_is_leaner(w, a, b) || sy_contender_is_leaner(w, b, a))
        return sy_contender_is_leaner(w, a, b);
    return strcmp(a->name, b->name) < 0;
}

void sy_weighing_progress(const sy_weighing *w, sy_probe_phase phase, const sy_contender *contender,
                          const char *case_name, uint32_t done, uint32_t of)
{
    if (!w->options->progress)
        return;
    sy_probe_progress progress = {
        .phase = phase,
        .implementation = contender ? contender->name : "",
        .case_name = case_name ? case_name : "",
        .done = done,
        .of = of,
        .gain = w->has_state ? w->state.gain : SY_NAN,
        .measured_ns = w->measured_ns,
        .wall_ns = sy_weighing_wall(w),
    };
    w->options->progress(w->options->user, &progress);
}
