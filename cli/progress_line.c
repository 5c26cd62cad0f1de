/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line. The cursor is parked in its first column: a terminal that reflows on a resize then still leaves
 * the cursor at the line's start, and "erase to the end of the screen" removes all of it. */
#include "progress_line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "message.h"
#include "terminal.h"

#define ERASE "\r\033[J"

static const int64_t show_after_ns = 1000000000;
static const int64_t redraw_every_ns = 100000000;

static struct {
    bool allowed;
    bool drawn;
    int64_t started_ns;
    int64_t drawn_ns;
} line;

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void cli_progress_start(void)
{
    line.allowed = cli_terminal_is_capable(STDERR_FILENO);
    line.started_ns = now_ns();
    line.drawn = false;
}

void cli_progress_clear(void)
{
    if (!line.drawn)
        return;
    fputs(ERASE, stderr);
    fflush(stderr);
    line.drawn = false;
}

static const char *phase_text(sy_probe_phase phase)
{
    switch (phase) {
    case SY_PHASE_START:
        return "starting";
    case SY_PHASE_PARITY:
        return "comparing outputs";
    case SY_PHASE_WARM_UP:
        return "warming up";
    case SY_PHASE_NOISE:
        return "measuring the noise";
    case SY_PHASE_HALVING:
        return "choosing a finalist";
    case SY_PHASE_CONTROL:
        return "checking carry-over";
    case SY_PHASE_ROUNDS:
        return "weighing pairs";
    case SY_PHASE_CHECK:
        return "comparing outputs again";
    case SY_PHASE_RUNS:
        return "measuring runs";
    }
    return "working";
}

/* A part that still fits is added whole, two spaces after what stands; bytes that are not printable ASCII become '?'.
 */
static void add_part(char *to, size_t size, uint32_t columns, const char *part)
{
    size_t length = strlen(to);
    size_t more = strlen(part);
    size_t gap = length > 0 ? 2 : 0;

    if (more == 0 || length + gap + more > columns || length + gap + more >= size)
        return;
    memcpy(to + length, "  ", gap);
    for (size_t i = 0; i < more; i++) {
        char c = part[i];

        to[length + gap + i] = c >= 0x20 && c < 0x7f ? c : '?';
    }
    to[length + gap + more] = '\0';
}

void cli_progress_text(const sy_probe_progress *progress, uint32_t columns, char *to, size_t size)
{
    char steps[64];
    char time[32];
    char gain[32] = "";
    uint32_t rest;

    to[0] = '\0';
    snprintf(steps, sizeof(steps), "%s", phase_text(progress->phase));
    if (progress->of > 0)
        snprintf(steps, sizeof(steps), "%s %u of %u", phase_text(progress->phase), progress->done, progress->of);
    snprintf(time, sizeof(time), "%.1f s", (double)progress->wall_ns / 1e9);
    if (isfinite(progress->gain))
        snprintf(gain, sizeof(gain), "gain %.1f %%", progress->gain * 100);
    add_part(to, size, columns, steps);
    /* Room for time and gain is set aside before the names, which may be long. */
    rest = (uint32_t)(strlen(time) + 2 + (gain[0] != '\0' ? strlen(gain) + 2 : 0));
    if (columns > rest) {
        add_part(to, size, columns - rest, progress->implementation != NULL ? progress->implementation : "");
        add_part(to, size, columns - rest, progress->case_name != NULL ? progress->case_name : "");
    }
    add_part(to, size, columns, gain);
    add_part(to, size, columns, time);
}

/* Whether it is time to draw. */
static bool is_due(int64_t now)
{
    return line.allowed && now - line.started_ns >= show_after_ns &&
           (!line.drawn || now - line.drawn_ns >= redraw_every_ns);
}

static void draw(const char *text, int64_t now)
{
    fprintf(stderr, "%s%s\r", ERASE, text);
    fflush(stderr);
    line.drawn = true;
    line.drawn_ns = now;
}

/* The last column stays free: writing into it makes some terminals break the line. */
static uint32_t free_columns(void)
{
    uint32_t columns = cli_terminal_exact_columns(STDERR_FILENO);

    return columns > 1 ? columns - 1 : 0;
}

void cli_progress_show(void *user, const sy_probe_progress *progress)
{
    char text[256];
    int64_t now = now_ns();

    (void)user;
    if (!is_due(now))
        return;
    cli_progress_text(progress, free_columns(), text, sizeof(text));
    draw(text, now);
}

void cli_progress_count(const char *what, const char *unit, uint64_t done, uint64_t total)
{
    char text[256] = "";
    char part[128];
    int64_t now = now_ns();

    if (!is_due(now))
        return;
    snprintf(part, sizeof(part), "%s %llu of %llu %s", what, (unsigned long long)done, (unsigned long long)total, unit);
    add_part(text, sizeof(text), free_columns(), part);
    snprintf(part, sizeof(part), "%.0f %%", total > 0 ? 100.0 * (double)done / (double)total : 0.0);
    add_part(text, sizeof(text), free_columns(), part);
    draw(text, now);
}
