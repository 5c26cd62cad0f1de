/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers to text, in the C locale. */
#include "report/page/figures.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"

static const char *unknown(char to[SY_FIGURE_SIZE])
{
    (void)sy_text_copy(to, SY_FIGURE_SIZE, "-");
    return to;
}

/* tenths of a per cent; past a million of them the digits would only fill the line. */
static const char *share_of_tenths(char to[SY_FIGURE_SIZE], double tenths)
{
    if (tenths == 0)
        tenths = 0; /* no "-0.0 %" */
    if (fabs(tenths) < 1e6)
        snprintf(to, SY_FIGURE_SIZE, "%.1f %%", tenths / 10);
    else
        snprintf(to, SY_FIGURE_SIZE, "%.1e %%", tenths / 10);
    return to;
}

const char *sy_figure_share(char to[SY_FIGURE_SIZE], double share)
{
    if (isnan(share))
        return unknown(to);
    return share_of_tenths(to, round(share * 1000));
}

/* The slack keeps .034, which is 33.99999 tenths in binary, from becoming 3.3 %. */
static const double slack = 1e-6;

const char *sy_figure_share_down(char to[SY_FIGURE_SIZE], double share)
{
    if (isnan(share))
        return unknown(to);
    return share_of_tenths(to, floor(share * 1000 + slack));
}

const char *sy_figure_share_up(char to[SY_FIGURE_SIZE], double share)
{
    if (isnan(share))
        return unknown(to);
    return share_of_tenths(to, ceil(share * 1000 - slack));
}

const char *sy_figure_setting(char to[SY_FIGURE_SIZE], double share)
{
    if (isnan(share))
        return unknown(to);
    snprintf(to, SY_FIGURE_SIZE, "%.6g %%", share * 100);
    return to;
}

/* Three digits, counted after rounding: 9.996 is "10.0". */
static void three_digits(char *to, size_t size, double value, const char *unit)
{
    int decimals = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;

    snprintf(to, size, "%.*f%s", decimals, value, unit);
}

const char *sy_figure_time(char to[SY_FIGURE_SIZE], double time_ns)
{
    if (!isfinite(time_ns))
        return unknown(to);
    if (time_ns < 999.5)
        three_digits(to, SY_FIGURE_SIZE, time_ns, " ns");
    else if (time_ns < 999.5e3)
        three_digits(to, SY_FIGURE_SIZE, time_ns / 1e3, " us");
    else if (time_ns < 999.5e6)
        three_digits(to, SY_FIGURE_SIZE, time_ns / 1e6, " ms");
    else if (time_ns < 1e14)
        three_digits(to, SY_FIGURE_SIZE, time_ns / 1e9, " s");
    else
        snprintf(to, SY_FIGURE_SIZE, "%.3g s", time_ns / 1e9);
    return to;
}

const char *sy_figure_value(char to[SY_FIGURE_SIZE], const sy_metric *metric, double value)
{
    if (metric->unit == NULL || sy_text_equal(metric->unit, "ns"))
        return sy_figure_time(to, value);
    if (!isfinite(value))
        return unknown(to);
    if (sy_text_equal(metric->unit, "bytes") && value >= 0 && value < 1e18)
        sy_format_bytes(to, SY_FIGURE_SIZE, (uint64_t)value);
    else
        snprintf(to, SY_FIGURE_SIZE, "%.5g", value);
    return to;
}

const char *sy_figure_ratio(char to[SY_FIGURE_SIZE], double ratio)
{
    if (isnan(ratio))
        return unknown(to);
    if (ratio == 0 || (fabs(ratio) >= 0.005 && fabs(ratio) < 1e5))
        three_digits(to, SY_FIGURE_SIZE, ratio, "");
    else
        snprintf(to, SY_FIGURE_SIZE, "%.1e", ratio);
    return to;
}
