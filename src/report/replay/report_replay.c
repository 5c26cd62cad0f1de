/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded timings and what rules say of them, as text: what each file is, then how often each rule is right. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/error.h"
#include "report/page/figures.h"
#include "report/page/text_table.h"

enum { R_NAME, R_PLAYED, R_NONE, R_AT, R_PLUS_2, R_PLUS_5, R_PAIRS, R_COUNT };

/* Titles of the gains are made for the X that was asked for. */
static const sy_column columns[R_COUNT] = {
    [R_NAME] = {.title = "", .least = 10},
    [R_PLAYED] = {.title = "Played", .right = true, .drop = 2},
    [R_NONE] = {.title = "none", .right = true},
    [R_AT] = {.right = true},
    [R_PLUS_2] = {.right = true},
    [R_PLUS_5] = {.right = true, .drop = 1},
    [R_PAIRS] = {.right = true, .drop = 3},
};

static const char *const rule_names[SY_REPLAY_RULES] = {
    [SY_REPLAY_STEELYARD] = "steelyard",
    [SY_REPLAY_MEDIANS_ALTERNATED] = "medians, alternated",
    [SY_REPLAY_MEDIANS_BLOCKS] = "medians, blocks",
    [SY_REPLAY_MEAN_OF_N] = "mean of n",
};

/* Small shares are what this is about: two digits behind the point below 1 %. */
static const char *share_text(char to[SY_FIGURE_SIZE], double share)
{
    if (isnan(share))
        return sy_figure_share(to, share);
    snprintf(to, SY_FIGURE_SIZE, share > 0 && share < .01 ? "%.2f %%" : "%.1f %%", 100 * share);
    return to;
}

static void put_row(sy_text_table *table, const char *name, const sy_replay_result *result, sy_replay_rule rule,
                    sy_tone tone)
{
    char figures[SY_REPLAY_GAINS][SY_FIGURE_SIZE];
    char pairs[SY_FIGURE_SIZE];
    char played[SY_FIGURE_SIZE];
    double mean = sy_replay_mean_pairs(result, rule);

    snprintf(pairs, sizeof pairs, isnan(mean) ? "-" : "%.1f", mean);
    snprintf(played, sizeof played, "%" PRIu64, result->configurations);
    for (uint32_t g = 0; g < SY_REPLAY_GAINS; g++)
        (void)share_text(figures[g], sy_replay_share(result, rule, g));
    sy_text_table_row(table, tone,
                      (const char *const[R_COUNT]){[R_NAME] = name,
                                                   [R_PLAYED] = played,
                                                   [R_NONE] = figures[0],
                                                   [R_AT] = figures[1],
                                                   [R_PLUS_2] = figures[2],
                                                   [R_PLUS_5] = figures[3],
                                                   [R_PAIRS] = pairs});
}

typedef struct table_titles {
    char gains[3][SY_FIGURE_SIZE];
    char pairs[2 * SY_FIGURE_SIZE];
} table_titles;

/* The columns with the gains' own titles, which titles holds. */
static sy_text_table *start_table(sy_page *page, const char *title, const sy_replay_result *result,
                                  table_titles *titles)
{
    static const double points[] = {0, .02, .05};
    sy_column named[R_COUNT];

    memcpy(named, columns, sizeof named);
    named[R_NAME].title = title;
    for (int i = 0; i < 3; i++) {
        (void)sy_figure_setting(titles->gains[i], result->min_improvement + points[i]);
        named[R_AT + i].title = titles->gains[i];
    }
    snprintf(titles->pairs, sizeof titles->pairs, "Pairs at %s", titles->gains[1]);
    named[R_PAIRS].title = titles->pairs;
    return sy_text_table_create(page, named, R_COUNT);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static void put_files(sy_page *page, const sy_report_replayed *files, size_t count, const sy_replay_result *total)
{
    table_titles titles;
    sy_text_table *table = start_table(page, "File", total, &titles);

    for (size_t i = 0; table != NULL && i < count; i++)
        put_row(table, base_name(files[i].path), files[i].result, SY_REPLAY_STEELYARD, SY_TONE_PLAIN);
    if (table != NULL) {
        put_row(table, "all", total, SY_REPLAY_STEELYARD, SY_TONE_STRONG);
        sy_page_blank(page);
        sy_page_paragraph(page, 0, 0, SY_TONE_PLAIN, "The rule of steelyard by file, called faster in:");
        sy_text_table_print(table);
    }
    sy_text_table_destroy(table);
}

static void put_rules(sy_page *page, const sy_replay_result *total)
{
    table_titles titles;
    char setting[SY_FIGURE_SIZE];
    sy_text text = SY_TEXT_INIT;
    sy_text_table *table = start_table(page, "Rule", total, &titles);

    sy_text_append_format(&text,
                          "Called faster by at least %s where the true gain is ... (at most %" PRIu32
                          " pairs, alpha %g, beta %g, seed %" PRIu64 ")",
                          sy_figure_setting(setting, total->min_improvement), total->pairs, total->alpha, total->beta,
                          total->seed);
    sy_page_blank(page);
    sy_page_paragraph(page, 0, 0, SY_TONE_PLAIN, sy_text_bytes(&text));
    for (int rule = 0; table != NULL && rule < SY_REPLAY_RULES; rule++)
        put_row(table, rule_names[rule], total, (sy_replay_rule)rule,
                rule == SY_REPLAY_STEELYARD ? SY_TONE_STRONG : SY_TONE_PLAIN);
    if (table != NULL)
        sy_text_table_print(table);
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
    sy_text_table_destroy(table);
}

/* ---- what a file is ---- */

static void put_formatted(sy_page *page, const char *label, const sy_text *text)
{
    page->text.failed = page->text.failed || text->failed;
    sy_page_field(page, label, sy_text_bytes(text));
}

static void put_not_played(sy_page *page, const sy_replay_result *result)
{
    const struct {
        uint64_t count;
        const char *why;
    } parts[] = {{result->without_times, "without times"},
                 {result->too_short, "with too few"},
                 {result->unusable, "with a time that is not above 0"}};
    sy_text text = SY_TEXT_INIT;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].count > 0)
            sy_text_append_format(&text, "%s%" PRIu64 " %s", text.length > 0 ? ", " : "", parts[i].count, parts[i].why);
    }
    if (result->configurations == 0 && result->most_times > 0)
        sy_text_append_format(&text, "; %" PRIu32 " pairs need %" PRIu32 " times, the longest has %" PRIu64,
                              result->pairs, 2 * result->pairs, result->most_times);
    put_formatted(page, "not played", &text);
    sy_text_finish(&text);
}

static void put_traits(sy_page *page, const sy_report_replayed *file)
{
    const sy_recording_traits *traits = file->traits;
    const sy_timing *list = file->timings->list;
    char figure[SY_FIGURE_SIZE];
    sy_text text = SY_TEXT_INIT;

    if (traits->looked_at == 0)
        return;
    if (traits->first_stands_out > 0)
        sy_text_append_format(&text,
                              "in %" PRIu64 " of %" PRIu64 " configurations it takes %.3g times the median or more: "
                              "means follow it",
                              traits->first_stands_out, traits->looked_at, traits->first_ratio);
    put_formatted(page, "first run", &text);
    sy_text_clear(&text);
    if (traits->warming_up)
        sy_text_append_format(&text,
                              "%" PRIu64 " of %" PRIu64 " get faster from their first half to their second, by "
                              "%s in the middle",
                              traits->falling, traits->looked_at, sy_figure_share(figure, traits->fall));
    put_formatted(page, "warming up", &text);
    sy_text_clear(&text);
    if (traits->step_ns > 0)
        sy_text_append_format(&text, "%s: all %" PRIu64 " times are multiples, %" PRIu64 " different ones",
                              sy_figure_time(figure, traits->step_ns), traits->times, traits->distinct);
    put_formatted(page, "timer step", &text);
    sy_text_clear(&text);
    if (traits->looked_at > 1 && traits->tied > 1)
        sy_text_append_format(&text, "none: %" PRIu64 " of %" PRIu64 " tie; '%s' leads by median", traits->tied,
                              traits->looked_at, list[traits->leader].name);
    else if (traits->looked_at > 1)
        sy_text_append_format(&text, "'%s', by median", list[traits->leader].name);
    if (traits->looked_at > 1 && traits->leader != traits->mean_leader)
        sy_text_append_format(&text, ", '%s' by mean", list[traits->mean_leader].name);
    put_formatted(page, "fastest", &text);
    sy_text_finish(&text);
}

static void put_judgement(sy_page *page, const sy_report_replayed *file)
{
    const sy_recorded_final *final = file->timings->final;
    const sy_replay_judgement *again = file->judgement;
    sy_text text = SY_TEXT_INIT;

    if (again == NULL)
        return;
    sy_text_append_format(&text, "%s%s%s%s, %" PRIu32 " of %" PRIu32 " pairs won: ", sy_decision_word(final->decision),
                          final->reason[0] != '\0' ? " (" : "", final->reason, final->reason[0] != '\0' ? ")" : "",
                          final->wins, final->pairs);
    if (again->differs[0] == '\0')
        sy_text_append(&text, "judged again, the same");
    else
        sy_text_append_format(&text, "judged again %s%s%s%s, %" PRIu32 " of %" PRIu32 "; not as recorded: %s",
                              sy_decision_word(again->decision), again->reason[0] != '\0' ? " (" : "", again->reason,
                              again->reason[0] != '\0' ? ")" : "", again->wins, again->pairs, again->differs);
    put_formatted(page, "decided", &text);
    sy_text_finish(&text);
}

static void put_file(sy_page *page, const sy_report_replayed *file)
{
    sy_text text = SY_TEXT_INIT;

    sy_text_append_format(&text, "%s (%s): %" PRIu64 " of %zu configurations played", file->path,
                          sy_timings_format_word(file->timings->format), file->result->configurations,
                          file->timings->count);
    page->text.failed = page->text.failed || text.failed;
    sy_page_paragraph(page, 0, 2, SY_TONE_STRONG, sy_text_bytes(&text));
    sy_text_finish(&text);
    sy_page_field(page, "device", file->timings->device);
    put_not_played(page, file->result);
    for (size_t i = 0; i < file->timings->note_count; i++)
        sy_page_field(page, "note", file->timings->notes[i]);
    put_traits(page, file);
    put_judgement(page, file);
}

sy_status sy_report_replay(const sy_report_replayed *files, size_t count, const sy_report_style *style, char **ret_text,
                           sy_error *err)
{
    sy_replay_result total = {0};
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            sy_page_blank(&page);
        put_file(&page, &files[i]);
        sy_replay_add(&total, files[i].result);
    }
    if (total.configurations > 0 && count > 1)
        put_files(&page, files, count, &total);
    if (total.configurations > 0)
        put_rules(&page, &total);
    return sy_page_take(&page, ret_text, err);
}
