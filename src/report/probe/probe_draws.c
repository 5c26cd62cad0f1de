/* SPDX-License-Identifier: Apache-2.0 */
/* How often the dice were thrown anew beside the coins: fresh processes, fresh buffers. */
#include "report/probe/probe_draws.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "report/page/figures.h"

/* A share as points, without the sign of percent that stands once behind the list. */
static const char *points(char to[SY_FIGURE_SIZE], double share)
{
    snprintf(to, SY_FIGURE_SIZE, "%.1f", 100 * share);
    return to;
}

/* "over 4 processes: medians 5.1 5.3 4.9 5.6 %, spread 0.3 (0.4 expected of their pairs)" */
void sy_probe_processes_print(sy_page *page, const sy_probe_result *result)
{
    sy_text text = SY_TEXT_INIT;
    const sy_process_spread *spread = &result->process_spread;
    char figure[SY_FIGURE_SIZE];

    if (result->processes < 2 || result->process_count == 0)
        return;
    sy_text_append_format(&text, "over %zu", result->process_count);
    if (result->process_count < result->processes)
        sy_text_append_format(&text, " of %" PRIu32, result->processes);
    sy_text_append(&text, " processes: medians");
    for (size_t i = 0; i < result->process_count; i++)
        sy_text_append_format(&text, " %s",
                              isnan(result->process_results[i].gain) ? "-"
                                                                     : points(figure, result->process_results[i].gain));
    sy_text_append(&text, " %");
    if (!isnan(spread->deviation))
        sy_text_append_format(&text, ", spread %s", points(figure, spread->deviation));
    if (!isnan(spread->expected))
        sy_text_append_format(&text, " (%s expected of their %s)", points(figure, spread->expected),
                              result->case_count > 1 ? "rounds" : "pairs");
    if (!isnan(spread->p))
        sy_text_append_format(&text, "; on both sides of what was asked for, p = %s",
                              sy_figure_ratio(figure, spread->p));
    sy_page_field(page, "processes", sy_text_bytes(&text));
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

void sy_probe_cache_print(sy_page *page, const sy_probe_result *result)
{
    sy_text text = SY_TEXT_INIT;
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    char size[32];

    if (result->cache != SY_CACHE_COLD)
        return;
    for (size_t i = 0; i < result->case_count; i++) {
        uint32_t copies = result->cases[i].copies;
        least = copies > 0 && copies < least ? copies : least; /* 0: it was not built */
        most = copies > most ? copies : most;
    }
    sy_text_append(&text, "cold: ");
    if (most > 0) {
        sy_text_append_format(&text, "each run takes the next of %" PRIu32, least);
        if (most > least)
            sy_text_append_format(&text, " to %" PRIu32, most);
        sy_text_append(&text, most == 1 ? " copy" : " copies");
        sy_text_append(&text, " of its case's buffers, ");
    }
    sy_format_bytes(size, sizeof(size), result->cache_bytes);
    sy_text_append_format(&text, "together more than three times the %s of the last-level cache", size);
    sy_page_field(page, "cache", sy_text_bytes(&text));
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}
