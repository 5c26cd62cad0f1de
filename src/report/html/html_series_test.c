/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the columns of courses: what is read back is what was given; names, numbers, sizes; no memory. */
#include <time.h>

#include "base/json.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "report/html/html_parts.h"
#include "report/html/html_series.h"
#include "report/html/html_test_data.h"

/* The members of the courses as a document; *ret_text holds the JSON, if wanted. */
static sy_json *written(const sy_html_content *content, size_t *ret_length)
{
    sy_text text = SY_TEXT_INIT;
    sy_html_data data = {content, NULL, sy_json_writer_create(&text, SY_JSON_COMPACT)};
    sy_json_limits limits = SY_JSON_LIMITS_INIT;
    sy_error err = SY_ERROR_INIT;
    sy_json *json = NULL;

    sy_json_begin_object(data.json);
    assert_int_equal(sy_html_put_series(&data, &err), SY_OK);
    sy_json_end_object(data.json);
    assert_int_equal(sy_json_writer_finish(data.json, &err), SY_OK);
    assert_int_equal(sy_json_parse(text.bytes, text.length, &limits, &json, &err), SY_OK);
    if (ret_length != NULL)
        *ret_length = text.length;
    sy_text_finish(&text);
    return json;
}

static const sy_json_value *column(const sy_json *json, const char *part, const char *name)
{
    const sy_json_value *value = sy_json_member(sy_json_member(sy_json_root(json), part), name);

    assert_non_null(value);
    return value;
}

static double number_at(const sy_json_value *array, size_t index)
{
    return sy_json_element(array, index)->number;
}

/* The text that a column of numbers of names has at a place. */
static const char *name_at(const sy_json *json, const char *name, size_t index)
{
    size_t number = (size_t)number_at(column(json, "series", name), index);

    return sy_json_element(column(json, "series", "names"), number)->text;
}

static void what_is_read_back_is_what_was_given(void **state)
{
    html_test_data d;
    double session = 0;
    double event = 0;

    (void)state;
    html_test_start(&d, 3, 7);
    sy_json *json = written(&d.content, NULL);
    for (size_t k = 0; k < 7; k++) {
        session += number_at(sy_json_element(column(json, "series", "sessions"), 2), k);
        assert_int_equal((size_t)session, d.series[2].sessions[k]);
        double value = number_at(sy_json_element(column(json, "series", "values"), 2), k);
        assert_true(fabs(value / d.series[2].values[k] - 1) < 1e-8);
    }
    for (size_t i = 0; i < d.content.session_count; i++) {
        event += number_at(column(json, "sessions", "number"), i);
        assert_int_equal((uint64_t)event, d.sessions[i].number);
        assert_string_equal(sy_json_element(column(json, "sessions", "run"), i)->text, d.sessions[i].run);
        size_t revision = (size_t)number_at(column(json, "sessions", "revision"), i);
        assert_string_equal(sy_json_element(column(json, "sessions", "revisions"), revision)->text,
                            d.sessions[i].revision);
        bool is_accepted = ((unsigned)number_at(column(json, "sessions", "flags"), i) & 1) != 0;
        assert_int_equal(is_accepted, d.sessions[i].accepted);
    }
    assert_string_equal(name_at(json, "label", 0), "wall p50");
    assert_string_equal(name_at(json, "unit", 0), "s");
    sy_json_destroy(json);
    html_test_finish(&d);
}

static void a_change_names_its_series_and_says_its_effect(void **state)
{
    html_test_data d;

    (void)state;
    html_test_start(&d, 2, 30);
    html_test_step(&d);
    sy_json *json = written(&d.content, NULL);
    const sy_json_value *pair = sy_json_element(column(json, "series", "changes"), 0);
    assert_int_equal((int)number_at(pair, 0), 0);
    const sy_json_value *change = sy_json_element(sy_json_member(sy_json_root(json), "changes"),
                                                  (size_t)number_at(pair, 1));
    assert_string_equal(sy_json_member(change, "effect")->text, "+4.4 % (+3.9 % to +5.0 %)");
    assert_string_equal(sy_json_member(change, "state")->text, "confirmed");
    const sy_json_value *judged = sy_json_element(column(json, "series", "judged"), 0);
    assert_true(sy_json_member(judged, "threshold")->number == 0.0132);
    sy_json_destroy(json);
    html_test_finish(&d);
}

static void hostile_names_come_back_as_they_were(void **state)
{
    const char *const names[] = {"</script><img src=x onerror=alert(1)>",
                                 "<!--",
                                 "a\"b'c&d",
                                 "__proto__",
                                 "",
                                 "\xe2\x80\xae",
                                 "\xf0\x9f\x98\x80"};
    html_test_data d;

    (void)state;
    html_test_start(&d, 8, 1);
    for (size_t i = 0; i < 7; i++)
        d.series[i].metric.case_name = names[i];
    d.series[7].metric.case_name = d.long_name;
    sy_json *json = written(&d.content, NULL);
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(name_at(json, "case", i), names[i]);
    assert_string_equal(name_at(json, "case", 7), d.long_name);
    sy_json_destroy(json);
    html_test_finish(&d);
}

static void a_series_has_the_same_id_on_every_page_and_shares_it_with_none(void **state)
{
    html_test_data d;
    char ids[4][SY_HTML_SERIES_ID];

    (void)state;
    html_test_start(&d, 4, 1);
    d.series[0].metric.case_name = "Big";
    d.series[1].metric.case_name = "big";
    d.series[2].metric.case_name = "";
    d.series[2].metric.implementation = "big"; /* the same letters, in another place */
    d.series[3].metric.case_name = "big";
    for (size_t i = 0; i < 4; i++) {
        d.series[i].line = DATA_KEY;
        sy_html_series_id(&d.series[i], ids[i]);
    }
    assert_string_not_equal(ids[0], ids[1]);
    assert_string_not_equal(ids[1], ids[2]);
    assert_string_equal(ids[1], ids[3]);
    /* sha256sum of the line, "wall", "Big", "" and "p50", each ended by a NUL */
    assert_string_equal(ids[0], "72de1d4f95369fc1");
    html_test_finish(&d);
}

static void values_are_rounded_to_nine_digits_and_whole_numbers_are_kept(void **state)
{
    (void)state;
    assert_true(sy_html_series_rounded(0.0123456789012345) == 0.0123456789);
    assert_true(sy_html_series_rounded(-1.00000000049) == -1);
    assert_true(sy_html_series_rounded(9007199254740991) == 9007199254740991);
    assert_true(sy_html_series_rounded(0) == 0);
    assert_true(sy_html_series_rounded(1e-300) == 1e-300);
    assert_true(sy_html_series_rounded(1.5e300) == 1.5e300);
    assert_true(isnan(sy_html_series_rounded(NAN)));
    assert_true(isinf(sy_html_series_rounded(INFINITY)));
}

static void a_value_that_is_no_number_is_null(void **state)
{
    html_test_data d;

    (void)state;
    html_test_start(&d, 1, 2);
    *html_test_value(&d, 0, 1) = NAN;
    sy_json *json = written(&d.content, NULL);
    const sy_json_value *values = sy_json_element(column(json, "series", "values"), 0);
    assert_int_equal(sy_json_element(values, 1)->kind, SY_JSON_NULL);
    sy_json_destroy(json);
    html_test_finish(&d);
}

static void nothing_measured_is_empty_columns(void **state)
{
    const sy_html_content content = {.title = "", .tool = ""};

    (void)state;
    sy_json *json = written(&content, NULL);
    assert_int_equal(column(json, "sessions", "run")->count, 0);
    assert_int_equal(column(json, "series", "id")->count, 0);
    sy_json_destroy(json);
}

static double seconds_to_write(const sy_html_content *content, size_t *ret_length)
{
    struct timespec from;
    struct timespec to;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    sy_json_destroy(written(content, ret_length));
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    return (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
}

/* 80 letters, as long names are; each in a page of its own size. */
static void fill_names(html_test_data *d, char (*names)[128])
{
    for (size_t i = 0; i < d->content.series_count; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "%074zu%06zu", i * 2654435761u, i);
        d->series[i].metric.case_name = names[i];
    }
}

static void ten_thousand_courses_stay_small(void **state)
{
    html_test_data small;
    html_test_data large;
    size_t lengths[2];
    char(*names)[128] = sy_allocate(10000, sizeof(*names));

    (void)state;
    html_test_start(&small, 1000, 60);
    fill_names(&small, names);
    double before = seconds_to_write(&small.content, &lengths[0]);
    html_test_finish(&small);
    html_test_start(&large, 10000, 60);
    fill_names(&large, names);
    double after = seconds_to_write(&large.content, &lengths[1]);
    html_test_finish(&large);
    print_message("60,000 points: %zu bytes, %.3f s; 600,000: %zu bytes, %.3f s\n", lengths[0], before, lengths[1],
                  after);
    /* Every point has a session of its own here: its run's id, number, time and flags, and a value. */
    assert_true(lengths[1] < 600000u * 80);
    assert_true(lengths[1] < lengths[0] * 11);
    sy_free(names);
}

typedef struct fault_data {
    html_test_data d;
    size_t length; /* of the whole text; 0 = not written yet */
} fault_data;

static sy_status put_courses(void *user)
{
    fault_data *f = user;
    sy_text text = SY_TEXT_INIT;
    sy_html_data data = {&f->d.content, NULL, sy_json_writer_create(&text, SY_JSON_COMPACT)};
    sy_status status;
    sy_status ended;

    sy_json_begin_object(data.json);
    status = sy_html_put_series(&data, NULL);
    sy_json_end_object(data.json);
    ended = sy_json_writer_finish(data.json, NULL);
    status = status != SY_OK ? status : ended;
    f->length = f->length == 0 ? text.length : f->length;
    if (status == SY_OK && text.length != f->length)
        status = SY_CORRUPT; /* a part is missing, and nobody says so */
    sy_text_finish(&text);
    return status;
}

static void no_memory_is_told_and_nothing_leaks(void **state)
{
    fault_data f = {.length = 0};

    (void)state;
    html_test_start(&f.d, 3, 12);
    html_test_step(&f.d);
    assert_int_equal(put_courses(&f), SY_OK);
    assert_true(fault_loop_allocations(put_courses, &f, true) > 10);
    assert_true(fault_loop_allocations(put_courses, &f, false) > 10);
    html_test_finish(&f.d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_back_is_what_was_given),
        cmocka_unit_test(a_change_names_its_series_and_says_its_effect),
        cmocka_unit_test(hostile_names_come_back_as_they_were),
        cmocka_unit_test(a_series_has_the_same_id_on_every_page_and_shares_it_with_none),
        cmocka_unit_test(values_are_rounded_to_nine_digits_and_whole_numbers_are_kept),
        cmocka_unit_test(a_value_that_is_no_number_is_null),
        cmocka_unit_test(nothing_measured_is_empty_columns),
        cmocka_unit_test(ten_thousand_courses_stay_small),
        cmocka_unit_test(no_memory_is_told_and_nothing_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
