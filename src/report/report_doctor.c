/* SPDX-License-Identifier: Apache-2.0 */
/* What the doctor found, as a page and as JSON. */
#include <math.h>
#include <steelyard/report.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "report/page/figures.h"
#include "report/page/text_table.h"

/* Below it a check is a heading and a paragraph, not a row. */
enum { TABLE_COLUMNS = 64 };

enum { D_CHECK, D_VERDICT, D_FOUND, D_COUNT };

static const sy_column columns[D_COUNT] = {
    [D_CHECK] = {.title = "Check"},
    [D_VERDICT] = {.title = "Verdict"},
    [D_FOUND] = {.title = "What was found, and what it means", .wraps = true, .least = 20},
};

static sy_tone tone_of(sy_doctor_verdict verdict)
{
    static const sy_tone tones[] = {SY_TONE_PLAIN, SY_TONE_DOUBT, SY_TONE_BAD, SY_TONE_FAINT};

    return (unsigned)verdict < sizeof(tones) / sizeof(tones[0]) ? tones[verdict] : SY_TONE_FAINT;
}

/* "load average 0.02. Nothing else is at work. To do: ..." */
static void say_check(sy_text *text, const sy_doctor_check *check)
{
    sy_text_clear(text);
    if (check->value[0] != '\0')
        sy_text_append_format(text, "%s. ", check->value);
    sy_text_append(text, check->sentence);
    if (check->remedy[0] != '\0')
        sy_text_append_format(text, " To do: %s.", check->remedy);
}

static void put_rows(sy_page *page, const sy_doctor_result *result)
{
    sy_text_table *table = sy_text_table_create(page, columns, D_COUNT);
    sy_text text = SY_TEXT_INIT;

    for (size_t i = 0; table != NULL && i < result->check_count; i++) {
        const sy_doctor_check *check = &result->checks[i];

        say_check(&text, check);
        sy_text_table_row(table, tone_of(check->verdict),
                          (const char *const[D_COUNT]){[D_CHECK] = check->name,
                                                       [D_VERDICT] = sy_doctor_verdict_word(check->verdict),
                                                       [D_FOUND] = sy_text_bytes(&text)});
    }
    if (table != NULL)
        sy_text_table_print(table);
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
    sy_text_table_destroy(table);
}

static void put_paragraphs(sy_page *page, const sy_doctor_result *result)
{
    sy_text text = SY_TEXT_INIT;

    for (size_t i = 0; i < result->check_count; i++) {
        const sy_doctor_check *check = &result->checks[i];

        sy_text_clear(&text);
        sy_text_append_format(&text, "%s: %s", check->name, sy_doctor_verdict_word(check->verdict));
        sy_page_paragraph(page, 0, 2, tone_of(check->verdict), sy_text_bytes(&text));
        say_check(&text, check);
        sy_page_paragraph(page, 2, 2, SY_TONE_PLAIN, sy_text_bytes(&text));
    }
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

static void put_head(sy_page *page, const sy_doctor_result *result)
{
    char found[SY_FIGURE_SIZE];
    char asked[SY_FIGURE_SIZE];
    sy_text text = SY_TEXT_INIT;

    if (isfinite(result->resolvable_gain)) {
        sy_text_append_format(
            &text, "This machine shows a gain of %s or more now: ", sy_figure_share_up(found, result->resolvable_gain));
        sy_text_append_format(&text, "4 times in 5, with %u pairs, where at least %s is asked for.", result->max_pairs,
                              sy_figure_setting(asked, result->min_improvement));
        sy_page_paragraph(page, 0, 0, result->resolvable_gain <= result->target_gain ? SY_TONE_GOOD : SY_TONE_BAD,
                          sy_text_bytes(&text));
    } else {
        sy_page_paragraph(page, 0, 0, SY_TONE_DOUBT,
                          "What gain this machine can show is not known: nothing was measured.");
    }
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

static void put_advice(sy_page *page, const sy_doctor_result *result)
{
    sy_text text = SY_TEXT_INIT;

    if (result->first >= result->check_count) {
        sy_page_paragraph(page, 0, 0, SY_TONE_GOOD, "Nothing is to be mended.");
        return;
    }
    sy_text_append_format(&text, "%s: %s.",
                          result->checks[result->first].verdict == SY_DOCTOR_BAD ? "Mend first" : "Could be mended",
                          result->advice);
    sy_page_paragraph(page, 0, 2, tone_of(result->checks[result->first].verdict), sy_text_bytes(&text));
    page->text.failed = page->text.failed || text.failed;
    sy_text_finish(&text);
}

sy_status sy_report_doctor(const sy_doctor_result *result, const sy_report_style *style, char **ret_text, sy_error *err)
{
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    put_head(&page, result);
    sy_page_blank(&page);
    if (page.style.columns >= TABLE_COLUMNS)
        put_rows(&page, result);
    else
        put_paragraphs(&page, result);
    sy_page_blank(&page);
    put_advice(&page, result);
    return sy_page_take(&page, ret_text, err);
}

/* ---- JSON ---- */

static void member_known(sy_json_writer *writer, const char *name, const char *text)
{
    sy_json_member_text(writer, name, text[0] != '\0' ? text : NULL);
}

static void write_check(sy_json_writer *writer, const sy_doctor_check *check)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "name", check->name);
    sy_json_member_text(writer, "verdict", sy_doctor_verdict_word(check->verdict));
    member_known(writer, "value", check->value);
    sy_json_member_double(writer, "figure", check->figure);
    member_known(writer, "unit", check->unit);
    sy_json_member_text(writer, "sentence", check->sentence);
    member_known(writer, "remedy", check->remedy);
    sy_json_end_object(writer);
}

static void write_result(sy_json_writer *writer, const sy_doctor_result *result)
{
    sy_json_begin_object(writer);
    sy_json_member_text(writer, "schema", "steelyard.doctor/1");
    sy_json_member_text(writer, "tool", sy_version());
    sy_json_member_text(writer, "verdict", sy_doctor_verdict_word(result->verdict));
    sy_json_member_text(writer, "first",
                        result->first < result->check_count ? result->checks[result->first].name : NULL);
    sy_json_member_text(writer, "advice", result->advice);
    sy_json_member_double(writer, "timer_step_ns", result->timer_step_ns);
    sy_json_member_double(writer, "timer_look_ns", result->timer_look_ns);
    sy_json_member_double(writer, "noise", result->noise);
    sy_json_member_double(writer, "resolvable_gain", result->resolvable_gain);
    sy_json_member_double(writer, "target_gain", result->target_gain);
    sy_json_member_u64(writer, "max_pairs", result->max_pairs);
    sy_json_member_double(writer, "min_improvement", result->min_improvement);
    sy_json_member_double(writer, "alpha", result->alpha);
    sy_json_member_double(writer, "beta", result->beta);
    sy_json_member_double(writer, "observed_ns", result->observed_ns);
    sy_json_name(writer, "checks");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < result->check_count; i++)
        write_check(writer, &result->checks[i]);
    sy_json_end_array(writer);
    sy_json_end_object(writer);
}

sy_status sy_report_doctor_json(const sy_doctor_result *result, char **ret_json, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_json_writer *writer = sy_json_writer_create(&text, SY_JSON_INDENTED);
    char *json;
    sy_status status;

    if (writer != NULL)
        write_result(writer, result);
    status = sy_json_writer_finish(writer, err);
    sy_text_append(&text, "\n");
    json = status == SY_OK ? sy_text_take(&text) : NULL;
    sy_text_finish(&text);
    if (status == SY_OK && json == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the JSON form of the doctor's findings");
    if (status == SY_OK)
        *ret_json = json;
    return status;
}
