/* SPDX-License-Identifier: Apache-2.0 */
/* Heights as characters: block elements, or ASCII that gets denser. */
#include "report/page/strip.h"

#include <math.h>

enum { LEVELS = 8 };

/* level 0 = blank */
static void put_level(sy_page *page, int level)
{
    static const char *const blocks[LEVELS + 1] = {
        " ",
        "\xe2\x96\x81",
        "\xe2\x96\x82",
        "\xe2\x96\x83",
        "\xe2\x96\x84",
        "\xe2\x96\x85",
        "\xe2\x96\x86",
        "\xe2\x96\x87",
        "\xe2\x96\x88",
    };
    static const char *const ascii[LEVELS + 1] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};

    sy_text_append(&page->text, page->style.utf8 ? blocks[level] : ascii[level]);
}

void sy_strip_spread(sy_page *page, const double *values, size_t count, double low, double high, uint32_t cells)
{
    size_t counts[SY_STRIP_CELLS_MAX] = {0};
    size_t most = 1;

    for (size_t i = 0; i < count; i++) {
        double at = high > low ? (values[i] - low) / (high - low) * cells : 0;
        uint32_t cell;

        if (!(values[i] >= low && values[i] <= high))
            continue;
        cell = at < cells ? (uint32_t)at : cells - 1;
        counts[cell]++;
        most = counts[cell] > most ? counts[cell] : most;
    }
    for (uint32_t i = 0; i < cells; i++)
        put_level(page, (int)ceil((double)counts[i] * LEVELS / (double)most));
}

uint32_t sy_strip_course(sy_page *page, const double *values, size_t count, double low, double high, uint32_t cells)
{
    uint32_t parts = count < cells ? (uint32_t)count : cells;

    for (uint32_t part = 0; part < parts; part++) {
        size_t from = count * part / parts;
        size_t to = count * (part + 1) / parts;
        double sum = 0;
        double share;

        for (size_t i = from; i < to; i++)
            sum += fmin(fmax(values[i], low), high);
        share = high > low ? (sum / (double)(to - from) - low) / (high - low) : 0;
        put_level(page, 1 + (int)fmin(floor(share * LEVELS), LEVELS - 1));
    }
    return parts;
}
