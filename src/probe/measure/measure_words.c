/* SPDX-License-Identifier: Apache-2.0 */
/* What a series says of itself, in words: a headline that never hides what stands in its way, and the findings behind
 * it, the most important first. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "probe/measure/measuring.h"

enum { FINDINGS_MAX = 16, FEW_RUNS = 10 };

/* Below these a finding would say nothing that the runs feel; as for the pairs of a probe. */
static const double clock_change_worth_a_word = 0.05;
static const double steal_worth_a_word = 0.005;
static const double pressure_worth_a_word = 0.1;
static const double preempted_worth_a_word = 0.1;

typedef struct sayer {
    sy_arena *arena;
    const sy_measure_series *series;
    const sy_measure_doubts *doubts;
    sy_run_finding *findings;
    size_t count;
    bool failed; /* memory */
} sayer;

static void say(sayer *s, const char *word, double figure, const char *format, ...) SY_PRINTF(4, 5);

static void say(sayer *s, const char *word, double figure, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    (void)sy_format_list(text, sizeof(text), format, arguments);
    va_end(arguments);
    const char *kept = sy_arena_copy_text(s->arena, text);
    s->failed |= !kept || s->count == FINDINGS_MAX;
    if (!s->failed)
        s->findings[s->count++] = (sy_run_finding){word, figure, kept};
}

/* snprintf in the C locale. */
static void put(char *to, size_t size, const char *format, ...) SY_PRINTF(3, 4);

static void put(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)sy_format_list(to, size, format, arguments);
    va_end(arguments);
}

/* Three digits, counted after rounding: 9.996 is "10.0". */
static void three_digits(char *to, size_t size, double value, const char *unit)
{
    int decimals = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
    put(to, size, "%.*f%s", decimals, value, unit);
}

const char *sy_measure_value(char to[SY_MEASURE_VALUE_SIZE], double value, const char *unit)
{
    static const struct {
        const char *word;
        double ns;
    } times[] = {{" ns", 1}, {" us", 1e3}, {" ms", 1e6}, {" s", 1e9}};
    if (!isfinite(value)) {
        put(to, SY_MEASURE_VALUE_SIZE, "-");
    } else if (sy_text_equal(unit, "ns")) {
        size_t i = 0;
        while (i < 3 && fabs(value) / times[i].ns >= 999.5)
            i++;
        three_digits(to, SY_MEASURE_VALUE_SIZE, value / times[i].ns, times[i].word);
    } else if (sy_text_equal(unit, "bytes") && value >= 0 && value < 1.8e19) {
        sy_format_bytes(to, SY_MEASURE_VALUE_SIZE, (uint64_t)value);
    } else if (fabs(value) >= 0.005 && fabs(value) < 1e6) {
        char with_space[16] = "";
        if (unit[0])
            put(with_space, sizeof(with_space), " %.13s", unit);
        three_digits(to, SY_MEASURE_VALUE_SIZE, value, with_space);
    } else {
        put(to, SY_MEASURE_VALUE_SIZE, "%.3g%s%.13s", value, unit[0] ? " " : "", unit);
    }
    return to;
}

static void say_failed(sayer *s)
{
    static const struct {
        const char *word;
        const char *what;
    } kinds[] = {{"crashed", "failed"},
                 {"timer", "were shorter than the timer's step"},
                 {"void", "are void: their times do not count"}};
    const sy_measure_series *series = s->series;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        size_t count = 0;
        for (size_t i = 0; i < series->run_count; i++)
            count += series->runs[i].unusable && sy_text_equal(series->runs[i].unusable, kinds[k].word);
        if (count > 0)
            say(s, "failed", (double)count, "%zu of %zu runs %s", count, series->run_count, kinds[k].what);
    }
}

static void say_step(sayer *s)
{
    char step[SY_MEASURE_VALUE_SIZE];
    const sy_measure_series *series = s->series;
    say(s, "timer-step", series->timer_step, "timer step %s: the %s take %zu different values",
        sy_measure_value(step, series->timer_step, series->metric.unit),
        sy_text_equal(series->metric.unit, "ns") ? "times" : "values", series->distinct_count);
}

static void say_modes(sayer *s)
{
    char lower[SY_MEASURE_VALUE_SIZE];
    char upper[SY_MEASURE_VALUE_SIZE];
    const sy_measure_series *series = s->series;
    const sy_run_mode *modes = series->modes;
    if (series->mode_count < 2)
        return;
    say(s, "two-modes", modes[1].value / modes[0].value,
        "two modes: %s in %zu of %zu runs, %s in %zu, changed %zu times; no one figure stands for both",
        sy_measure_value(lower, modes[0].value, series->metric.unit), modes[0].count, series->steady_count,
        sy_measure_value(upper, modes[1].value, series->metric.unit), modes[1].count, series->mode_changes);
}

/* "2.3 %" of a change of -.023 */
static const char *share(char to[SY_MEASURE_VALUE_SIZE], double of)
{
    put(to, SY_MEASURE_VALUE_SIZE, "%.*f %%", fabs(of) < 0.0995 ? 1 : 0, 100 * fabs(of));
    return to;
}

/* "faster" of times; "lower" of anything else. */
static const char *direction(const sy_measure_series *series, bool less)
{
    bool is_time = sy_text_equal(series->metric.unit, "ns");
    return less ? (is_time ? "faster" : "lower") : (is_time ? "slower" : "higher");
}

static void say_course(sayer *s)
{
    char change[SY_MEASURE_VALUE_SIZE];
    const sy_measure_series *series = s->series;
    if (series->course == SY_COURSE_LEVEL)
        return;
    bool falling = series->course == SY_COURSE_FALLING;
    bool improving = falling != series->metric.higher_is_better;
    say(s, improving ? "warming-up" : "slowing-down", series->change,
        "%s: the last third is %s %s than the first (Mann-Kendall, p = %.1g)",
        improving ? "still warming up" : "slowing down", share(change, series->change), direction(series, falling),
        falling ? series->p_falling : series->p_rising);
}

static void say_beginning(sayer *s)
{
    char change[SY_MEASURE_VALUE_SIZE];
    char how[64];
    const sy_measure_series *series = s->series;
    double ratio = series->warm_up_ratio;
    if (series->steady_from == 0) {
        if (s->doubts->first_stands_out)
            say(s, "first-run", s->doubts->first_ratio, "the first run took %.3g times the median",
                s->doubts->first_ratio);
        return;
    }
    if (!sy_text_equal(series->metric.unit, "ns"))
        put(how, sizeof(how), "gave %.3g times the rest", ratio);
    else if (ratio >= 1.5)
        put(how, sizeof(how), "took %.3g times as long as the rest", ratio);
    else
        put(how, sizeof(how), "took %s longer than the rest", share(change, ratio - 1));
    if (series->steady_from == 1)
        say(s, "warm-up", 1, "warm-up: the first of %zu runs %s; no figure counts it", series->usable_count, how);
    else
        say(s, "warm-up", (double)series->steady_from, "warm-up: the first %zu of %zu runs %s; no figure counts them",
            series->steady_from, series->usable_count, how);
}

static void say_machine(sayer *s)
{
    const sy_measure_series *series = s->series;
    size_t preempted = 0;
    for (size_t i = 0; i < series->run_count; i++)
        preempted += series->runs[i].switches > 0 && series->runs[i].switches != SY_SWITCHES_UNKNOWN;
    if (series->after.throttled == 1)
        say(s, "throttle", 1, "throttle: the device says that it throttled during the runs");
    if (fabs(series->after.clock_hz / series->before.clock_hz - 1) > clock_change_worth_a_word)
        say(s, "clock", series->after.clock_hz, "clock: the device went from %.3g to %.3g GHz during the runs",
            series->before.clock_hz * 1e-9, series->after.clock_hz * 1e-9);
    if (series->steal_share >= steal_worth_a_word)
        say(s, "steal", series->steal_share, "steal: a hypervisor took %.1f %% of the processor time during the runs",
            100 * series->steal_share);
    if (series->pressure_share >= pressure_worth_a_word)
        say(s, "pressure", series->pressure_share,
            "pressure: some task waited for a processor in %.0f %% of the time of the runs",
            100 * series->pressure_share);
    if (preempted > 0 && (double)preempted >= preempted_worth_a_word * (double)series->run_count)
        say(s, "preempted", (double)preempted, "preempted: %zu of %zu runs were switched away", preempted,
            series->run_count);
}

static void say_outliers(sayer *s)
{
    char extreme[SY_MEASURE_VALUE_SIZE];
    const sy_measure_series *series = s->series;
    if (series->slow_outliers > 0)
        say(s, "outliers", (double)series->slow_outliers,
            "outliers: %zu of %zu runs are far %s than the others, up to %s", series->slow_outliers,
            series->steady_count, direction(series, false),
            sy_measure_value(extreme, series->maximum, series->metric.unit));
    if (series->fast_outliers > 0)
        say(s, "outliers", (double)series->fast_outliers,
            "outliers: %zu of %zu runs are far %s than the others, down to %s", series->fast_outliers,
            series->steady_count, direction(series, true),
            sy_measure_value(extreme, series->minimum, series->metric.unit));
}

static void say_all(sayer *s)
{
    const sy_measure_series *series = s->series;
    bool has_step = series->timer_step >= 2;
    say_failed(s);
    if (series->usable_count == 0) {
        say_machine(s);
        return;
    }
    if (has_step && s->doubts->coarse)
        say_step(s);
    say_modes(s);
    say_course(s);
    say_beginning(s);
    if (s->doubts->correlated)
        say(s, "correlated", series->lag1,
            "correlated: a run resembles the one before (%.2f of 1): the intervals are narrower than they should be",
            series->lag1);
    say_machine(s);
    if (series->steady_count < FEW_RUNS)
        say(s, "few-runs", (double)series->steady_count, "few: modes or a warm-up do not show in %zu %s",
            series->steady_count, series->steady_count == 1 ? "run" : "runs");
    if (has_step && !s->doubts->coarse)
        say_step(s);
    say_outliers(s);
}

/* A unit for values of about this size, and how many decimals show three digits of it. */
typedef struct scale {
    double divisor;
    const char *word;
    int decimals;
} scale;

static scale scale_of(double value, const char *unit)
{
    static const struct {
        const char *unit;
        double step;
        const char *words[5]; /* up to NULL */
    } scales[] = {{"ns", 1e3, {"ns", "us", "ms", "s", NULL}}, {"bytes", 1024, {"B", "KiB", "MiB", "GiB", "TiB"}}};
    scale s = {1, unit, 0};
    for (size_t k = 0; k < sizeof(scales) / sizeof(scales[0]); k++) {
        size_t i = 0;
        if (!sy_text_equal(unit, scales[k].unit))
            continue;
        while (i < 4 && scales[k].words[i + 1] && fabs(value) / s.divisor >= scales[k].step - 0.5) {
            s.divisor *= scales[k].step;
            i++;
        }
        s.word = scales[k].words[i];
    }
    value = fabs(value) / s.divisor;
    s.decimals = value < 0.995 ? 3 : value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return s;
}

/* "median 16.2 ms (97 %: 16.1..16.4)": as many digits as the interval needs to have two ends. The level is rounded
 * down: a promise. */
static void append_median(sy_text *to, const sy_measure_series *series)
{
    const sy_run_quantile *median = &series->quantiles[series->median_at];
    scale s = scale_of(median->value, series->metric.unit);
    double width = (median->high - median->low) / s.divisor;
    bool has_interval = !isnan(width);
    if (has_interval && width > 0)
        s.decimals = (int)fmin(fmax(s.decimals, floor(1 - log10(width))), s.decimals + 2);
    sy_text_append_format(to, "median %.*f%s%s", s.decimals, median->value / s.divisor, s.word[0] ? " " : "", s.word);
    if (has_interval)
        sy_text_append_format(to, " (%.0f %%: %.*f..%.*f)", floor(100 * median->level + 1e-9), s.decimals,
                              median->low / s.divisor, s.decimals, median->high / s.divisor);
    sy_text_append_format(to, ", n = %zu", series->steady_count);
}

/* The first finding that keeps the median from being the answer stands before it. */
static const char *headline_of(const sayer *s)
{
    static const char *const grave[] = {"timer-step", "two-modes", "warming-up", "slowing-down"};
    const sy_measure_series *series = s->series;
    sy_text text = SY_TEXT_INIT;
    const char *kept = NULL;
    size_t clause;
    for (size_t i = 0; i < s->count && text.length == 0; i++) {
        const sy_run_finding *finding = &s->findings[i];
        for (size_t g = 0; g < sizeof(grave) / sizeof(grave[0]); g++) {
            bool is_grave = sy_text_equal(finding->word, grave[g]) && (g > 0 || s->doubts->coarse);
            if (!is_grave || text.length > 0)
                continue;
            clause = strcspn(finding->text, "(;");
            while (clause > 0 && finding->text[clause - 1] == ' ')
                clause--;
            sy_text_append_bytes(&text, finding->text, clause);
        }
    }
    bool two = series->usable_count > 0 && series->mode_count == 2;
    if (series->usable_count == 0)
        sy_text_append(&text, series->run_count == 0 ? "nothing was measured" : "no run gave a time");
    else if (!two) {
        sy_text_append(&text, text.length > 0 ? "; " : "");
        append_median(&text, series);
    }
    if (series->usable_count > 0 && series->steady_from > 0)
        sy_text_append_format(&text, " after a warm-up of %zu", series->steady_from);
    if (!text.failed)
        kept = sy_arena_copy_text(s->arena, sy_text_bytes(&text));
    sy_text_finish(&text);
    return kept;
}

sy_status sy_measure_put_into_words(sy_arena *arena, sy_measure_series *series, const sy_measure_doubts *doubts,
                                    sy_error *err)
{
    sayer s = {.arena = arena, .series = series, .doubts = doubts};
    s.findings = sy_arena_allocate(arena, FINDINGS_MAX, sizeof(*s.findings));
    if (s.findings)
        say_all(&s);
    series->headline = s.findings && !s.failed ? headline_of(&s) : NULL;
    series->findings = s.findings;
    series->finding_count = s.count;
    return series->headline ? SY_OK : sy_fail(err, SY_NO_MEMORY, "no memory for the words of a result");
}

const char *sy_run_course_word(sy_run_course course)
{
    static const char *const words[] = {"level", "falling", "rising"};
    return (size_t)course < sizeof(words) / sizeof(words[0]) ? words[course] : "unknown";
}
