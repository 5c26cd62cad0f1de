/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions, courses and changes of a page as columns. Differences instead of numbers that grow, numbers instead of
 * texts that repeat: what is left packs well. */
#include "report/html/html_series.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/dashboard/dashboard_words.h"
#include "report/html/html_names.h"
#include "report/html/html_parts.h"
#include "report/ledger/ledger_words.h"

enum { LINE_DIGITS = 16, DRAWN_DIGITS = 9, EXACT_POWERS = 22 };

/* ---- numbers ---- */

double sy_html_series_rounded(double value)
{
    double magnitude = fabs(value);

    if (!isfinite(value) || magnitude == 0 || (magnitude < 0x1p53 && magnitude == floor(magnitude)))
        return value;
    int power = DRAWN_DIGITS - 1 - (int)floor(log10(magnitude));
    /* Powers up to 10^22 are exact, so that the quotient is the double next to the decimal. */
    if (power > EXACT_POWERS || power < 0)
        return value;
    double scale = pow(10, power);
    return round(value * scale) / scale;
}

void sy_html_series_id(const sy_html_series *series, char to[SY_HTML_SERIES_ID])
{
    const sy_judged_metric *metric = &series->metric;
    const char *const parts[] = {series->line, metric->series, metric->case_name, metric->implementation,
                                 sy_statistic_word(metric->statistic)};
    char digits[SY_DIGEST_TEXT];
    sy_digest_state state;
    sy_digest digest;

    sy_digest_start(&state);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        sy_digest_add(&state, parts[i], strlen(parts[i]) + 1); /* the terminator parts what follows each other */
    sy_digest_finish(&state, &digest);
    sy_digest_format(&digest, digits);
    memcpy(to, digits, SY_HTML_SERIES_DIGITS);
    to[SY_HTML_SERIES_DIGITS] = '\0';
}

/* ---- sessions ---- */

/* Those that are listed: a page that only counts them has none to draw. */
static size_t session_count_of(const sy_html_content *content)
{
    return content->sessions != NULL ? content->session_count : 0;
}

enum { FLAG_ACCEPTED = 1, FLAG_BEGINS = 2, FLAG_RAISED = 4, FLAG_IMPORTED = 8, FLAG_INCOMPLETE = 16 };

static unsigned flags_of(const sy_html_session *session)
{
    return (session->accepted ? FLAG_ACCEPTED : 0u) | (session->begins_baseline ? FLAG_BEGINS : 0u) |
           (session->raised ? FLAG_RAISED : 0u) | (session->imported ? FLAG_IMPORTED : 0u) |
           (session->key_digest[0] == '\0' ? FLAG_INCOMPLETE : 0u);
}

static void write_verdict_words(sy_json_writer *writer)
{
    sy_json_name(writer, "verdict_words");
    sy_json_begin_array(writer);
    for (unsigned word = SY_JUDGEMENT_PASS; word <= SY_JUDGEMENT_BLOCK; word++)
        sy_json_text(writer, sy_judgement_word_text((sy_judgement_word)word));
    sy_json_end_array(writer);
}

static void write_session_numbers(sy_json_writer *writer, const sy_html_content *content)
{
    uint64_t number = 0;
    int64_t began = 0;

    sy_json_name(writer, "number");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < session_count_of(content); i++) {
        sy_json_i64(writer, (int64_t)(content->sessions[i].number - number));
        number = content->sessions[i].number;
    }
    sy_json_end_array(writer);
    sy_json_name(writer, "began");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < session_count_of(content); i++) {
        sy_json_i64(writer, content->sessions[i].began_utc_s - began);
        began = content->sessions[i].began_utc_s;
    }
    sy_json_end_array(writer);
    sy_json_name(writer, "flags");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < session_count_of(content); i++)
        sy_json_u64(writer, flags_of(&content->sessions[i]));
    sy_json_end_array(writer);
    sy_json_name(writer, "verdict");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < session_count_of(content); i++)
        sy_json_u64(writer, content->sessions[i].judged ? (unsigned)content->sessions[i].verdict + 1 : 0);
    sy_json_end_array(writer);
}

static sy_status put_sessions(sy_json_writer *writer, const sy_html_content *content, sy_error *err)
{
    sy_html_names revisions = {0};
    bool failed;

    sy_json_begin_object(writer);
    sy_json_name(writer, "run");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < session_count_of(content); i++)
        sy_json_text(writer, content->sessions[i].run);
    sy_json_end_array(writer);
    write_session_numbers(writer, content);
    sy_json_name(writer, "revision");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < session_count_of(content); i++)
        sy_json_u64(writer, sy_html_names_number(&revisions, content->sessions[i].revision));
    sy_json_end_array(writer);
    sy_json_name(writer, "revisions");
    sy_html_names_write(&revisions, writer);
    write_verdict_words(writer);
    sy_json_end_object(writer);
    failed = revisions.failed;
    sy_html_names_finish(&revisions);
    return failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the courses of a page") : SY_OK;
}

/* ---- series ---- */

/* The words of a series in lists, each text kept until all columns are written. */
typedef struct series_words {
    char **labels; /* "wall p50 of big by blis" */
    size_t count;
} series_words;

static void words_finish(series_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        sy_free(words->labels[i]);
    sy_free(words->labels);
}

static bool words_start(series_words *words, const sy_html_content *content)
{
    sy_text text = SY_TEXT_INIT;

    words->count = 0;
    words->labels = sy_allocate(content->series_count, sizeof(*words->labels));
    while (words->labels != NULL && words->count < content->series_count && !text.failed) {
        sy_ledger_words_metric(&text, &content->series[words->count].metric);
        char *label = text.failed ? NULL : sy_duplicate_text(sy_text_bytes(&text));
        if (label == NULL)
            break;
        words->labels[words->count++] = label;
        sy_text_clear(&text);
    }
    sy_text_finish(&text);
    return words->labels != NULL && words->count == content->series_count;
}

/* One column of texts by number. */
static void write_texts(sy_json_writer *writer, const char *name, sy_html_names *names, const sy_html_content *content,
                        const char *(*text_of)(const sy_html_series *series))
{
    sy_json_name(writer, name);
    sy_json_begin_array(writer);
    for (size_t i = 0; i < content->series_count; i++)
        sy_json_u64(writer, sy_html_names_number(names, text_of(&content->series[i])));
    sy_json_end_array(writer);
}

static const char *cell_of(const sy_html_series *series)
{
    return series->cell;
}

static const char *gate_of(const sy_html_series *series)
{
    return series->gate;
}

static const char *device_of(const sy_html_series *series)
{
    return series->device;
}

static const char *unit_of(const sy_html_series *series)
{
    return series->metric.unit;
}

static const char *series_of(const sy_html_series *series)
{
    return series->metric.series;
}

static const char *case_of(const sy_html_series *series)
{
    return series->metric.case_name;
}

static const char *implementation_of(const sy_html_series *series)
{
    return series->metric.implementation;
}

static const char *statistic_of(const sy_html_series *series)
{
    return sy_statistic_word(series->metric.statistic);
}

static void write_series_names(sy_json_writer *writer, const sy_html_content *content, sy_html_names *names)
{
    write_texts(writer, "cell", names, content, cell_of);
    write_texts(writer, "gate", names, content, gate_of);
    write_texts(writer, "device", names, content, device_of);
    write_texts(writer, "unit", names, content, unit_of);
    write_texts(writer, "name", names, content, series_of);
    write_texts(writer, "case", names, content, case_of);
    write_texts(writer, "implementation", names, content, implementation_of);
    write_texts(writer, "statistic", names, content, statistic_of);
}

static void write_series_flags(sy_json_writer *writer, const sy_html_content *content)
{
    sy_json_name(writer, "primary");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < content->series_count; i++)
        sy_json_u64(writer, content->series[i].primary);
    sy_json_end_array(writer);
    sy_json_name(writer, "higher_is_better");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < content->series_count; i++)
        sy_json_u64(writer, content->series[i].metric.higher_is_better);
    sy_json_end_array(writer);
}

static void write_points(sy_json_writer *writer, const sy_html_content *content)
{
    sy_json_name(writer, "sessions");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < content->series_count; i++) {
        const sy_html_series *series = &content->series[i];
        uint32_t before = 0;

        sy_json_begin_array(writer);
        for (size_t k = 0; k < series->point_count; k++) {
            sy_json_i64(writer, (int64_t)series->sessions[k] - before);
            before = series->sessions[k];
        }
        sy_json_end_array(writer);
    }
    sy_json_end_array(writer);
    sy_json_name(writer, "values");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < content->series_count; i++) {
        sy_json_begin_array(writer);
        for (size_t k = 0; k < content->series[i].point_count; k++)
            sy_json_double(writer, sy_html_series_rounded(content->series[i].values[k]));
        sy_json_end_array(writer);
    }
    sy_json_end_array(writer);
}

/* What the last verdict says of a series: few have one, so each is an object. */
static void write_judged(sy_json_writer *writer, size_t index, const sy_metric_verdict *judged)
{
    const sy_judgement *judgement = &judged->judgement;

    sy_json_begin_object(writer);
    sy_json_member_u64(writer, "series", index);
    sy_json_member_text(writer, "word", sy_judgement_word_text(judgement->word));
    sy_json_member_text(writer, "why", sy_judgement_reason_text(judgement->reason));
    sy_json_member_text(writer, "reason", judged->reason);
    sy_json_member_double(writer, "value", sy_html_series_rounded(judgement->value));
    sy_json_member_double(writer, "median", sy_html_series_rounded(judgement->median));
    sy_json_member_double(writer, "threshold", sy_html_series_rounded(judgement->threshold));
    sy_json_end_object(writer);
}

static void write_verdicts(sy_json_writer *writer, const sy_html_content *content)
{
    sy_json_name(writer, "judged");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < content->series_count; i++) {
        if (content->series[i].judged != NULL)
            write_judged(writer, i, content->series[i].judged);
    }
    sy_json_end_array(writer);
    sy_json_name(writer, "changes");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < content->series_count; i++) {
        for (size_t k = 0; k < content->series[i].change_count; k++) {
            sy_json_begin_array(writer);
            sy_json_u64(writer, i);
            sy_json_u64(writer, content->series[i].changes[k]);
            sy_json_end_array(writer);
        }
    }
    sy_json_end_array(writer);
}

/* Lines by number; their first digits are enough for a command that names one. */
static void write_lines(sy_json_writer *writer, const sy_html_content *content, sy_html_names *lines)
{
    sy_json_name(writer, "line");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < content->series_count; i++)
        sy_json_u64(writer, sy_html_names_number(lines, content->series[i].line));
    sy_json_end_array(writer);
    sy_json_name(writer, "lines");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < lines->count; i++) {
        size_t length = strlen(lines->texts[i]);

        sy_json_text_sized(writer, lines->texts[i], length < LINE_DIGITS ? length : LINE_DIGITS);
    }
    sy_json_end_array(writer);
}

static sy_status put_courses(sy_json_writer *writer, const sy_html_content *content, sy_error *err)
{
    series_words words;
    sy_html_names names = {0};
    sy_html_names lines = {0};
    bool failed = !words_start(&words, content);

    sy_json_begin_object(writer);
    sy_json_member_u64(writer, "point_count", content->point_count);
    sy_json_name(writer, "id");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < content->series_count; i++) {
        char id[SY_HTML_SERIES_ID];

        sy_html_series_id(&content->series[i], id);
        sy_json_text(writer, id);
    }
    sy_json_end_array(writer);
    sy_json_name(writer, "label");
    sy_json_begin_array(writer);
    for (size_t i = 0; i < words.count; i++)
        sy_json_u64(writer, sy_html_names_number(&names, words.labels[i]));
    sy_json_end_array(writer);
    write_series_names(writer, content, &names);
    write_lines(writer, content, &lines);
    write_series_flags(writer, content);
    write_points(writer, content);
    write_verdicts(writer, content);
    sy_json_name(writer, "names");
    sy_html_names_write(&names, writer);
    sy_json_end_object(writer);
    failed = failed || names.failed || lines.failed;
    sy_html_names_finish(&names);
    sy_html_names_finish(&lines);
    words_finish(&words);
    return failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the courses of a page") : SY_OK;
}

/* ---- changes ---- */

/* Whether its words had memory; they are empty afterwards. */
static bool write_change(sy_json_writer *writer, const sy_dashboard_change *change, sy_text *words)
{
    const sy_run_change *event = &change->row.change;
    bool failed;

    sy_json_begin_object(writer);
    sy_json_member_text(writer, "run", change->row.run);
    sy_json_member_text(writer, "before", event->before);
    sy_json_member_text(writer, "revision", event->revision);
    sy_json_member_text(writer, "revision_before", event->revision_before);
    sy_dashboard_words_effect(words, event->effect, event->effect_low, event->effect_high);
    sy_json_member_text(writer, "effect", sy_text_bytes(words));
    failed = words->failed;
    sy_text_clear(words);
    sy_dashboard_words_change(words, change);
    sy_json_member_text(writer, "words", sy_text_bytes(words));
    failed = failed || words->failed;
    sy_text_clear(words);
    sy_json_member_text(writer, "state", sy_change_state_word(event->state));
    sy_json_member_bool(writer, "stands", event->state == SY_CHANGE_REPORTED || event->state == SY_CHANGE_CONFIRMED);
    sy_json_member_bool(writer, "worse", event->worse);
    sy_json_member_text(writer, "command", change->command);
    sy_json_end_object(writer);
    return !failed;
}

static sy_status put_changes(sy_json_writer *writer, const sy_html_content *content, sy_error *err)
{
    size_t count = content->dashboard != NULL ? content->dashboard->change_count : 0;
    sy_text words = SY_TEXT_INIT;
    bool failed = false;

    sy_json_begin_array(writer);
    for (size_t i = 0; i < count; i++) {
        if (!write_change(writer, &content->dashboard->changes[i], &words))
            failed = true;
    }
    sy_json_end_array(writer);
    sy_text_finish(&words);
    return failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the courses of a page") : SY_OK;
}

sy_status sy_html_put_series(const sy_html_data *data, sy_error *err)
{
    sy_status status;

    sy_json_name(data->json, "sessions");
    status = put_sessions(data->json, data->content, err);
    if (status != SY_OK)
        return status;
    sy_json_name(data->json, "series");
    status = put_courses(data->json, data->content, err);
    if (status != SY_OK)
        return status;
    sy_json_name(data->json, "changes");
    return put_changes(data->json, data->content, err);
}
