/* SPDX-License-Identifier: Apache-2.0 */
/* Recordings of other tools: what is read, what is noted, what is refused and where. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "fault_loop.h"
#include "importers/timings/timings_test_support.h"

#define KT_HEAD "{\"device_name\": \"A4000\", \"kernel_name\": \"k\", \"cache\": {\n"
#define KT_ROW(name, times) "\"" name "\": {\"time\": 1.5, \"times\": [" times "]}"

static void a_tuners_cache_gives_each_configuration_its_times(void **state)
{
    sy_timings *timings = read_text(KT_HEAD KT_ROW("16,1", "1.5, 2, 2.5") ",\n" KT_ROW(
        "32,1", "3") ",\n"
                     "\"64,1\": {\"time\": \"RuntimeFailedConfig\"},\n"
                     "\"96,1\": {\"time\": 4.5}}}");

    (void)state;
    assert_int_equal(timings->format, SY_TIMINGS_KERNEL_TUNER);
    assert_string_equal(timings->device, "A4000");
    assert_true(timings->unit_ns == 1e6);
    assert_int_equal(timings->count, 4);
    expect_timing(timings, 0, "16,1", "", 3, (const double[]){1.5, 2, 2.5});
    expect_timing(timings, 1, "32,1", "", 1, (const double[]){3});
    expect_timing(timings, 2, "64,1", "RuntimeFailedConfig", 0, NULL);
    expect_timing(timings, 3, "96,1", "no times", 0, NULL);
    assert_int_equal(timings->note_count, 0);
    assert_null(timings->final);
    sy_timings_destroy(timings);
}

/* Field case R-5: the cache of a session that was not closed, cut behind the twelfth of fifteen entries. */
static void r_5_a_cache_left_open_is_read_up_to_its_last_entry(void **state)
{
    static const char *const ends[] = {"},", "},\n", "}", "}}", "}\n}\n", "},   \r\n\n"};

    (void)state;
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
        sy_text text = SY_TEXT_INIT;
        sy_timings *timings;

        sy_text_append(&text, "{\"device_name\": \"\", \"kernel_name\": \"vector_add\",\n\"cache\": {\n");
        for (int i = 0; i < 12; i++)
            sy_text_append_format(&text, "%s\"%d\": {\"block_size_x\": %d, \"times\": [0.%d, 0.2]", i > 0 ? "},\n" : "",
                                  128 + 64 * i, 128 + 64 * i, 100 + i);
        sy_text_append(&text, ends[e]);
        timings = read_text(text.bytes);
        assert_int_equal(timings->count, 12);
        assert_string_equal(timings->list[11].name, "832");
        assert_int_equal(timings->list[11].count, 2);
        assert_string_equal(timings->device, "");
        assert_true(has_note(timings, "session not closed"));
        assert_true(has_note(timings, "the device is unknown"));
        sy_timings_destroy(timings);
        sy_text_finish(&text);
    }
}

static void a_cache_cut_inside_of_an_entry_is_refused_where_it_ends(void **state)
{
    sy_error err = SY_ERROR_INIT;

    (void)state;
    expect_refused(KT_HEAD KT_ROW("16,1", "1.5") ",\n\"32,1\": {\"time", SY_CORRUPT, &err);
    assert_int_equal(err.position.line, 3);
    assert_non_null(strstr(err.hint, "inside of an entry"));
    expect_refused("{\"cache\": [1, 2]}", SY_CORRUPT, &err);
    assert_string_equal(err.what, "/cache: expected an object, found array");
    expect_refused("{\"cache\": {\"a\": 3}}", SY_CORRUPT, &err);
    assert_string_equal(err.what, "/cache/a: expected a configuration, found number");
    expect_refused("{\"cache\": {\n\"a\": {\"times\": [1, \"x\"]}}}", SY_CORRUPT, &err);
    assert_string_equal(err.what, "/cache/a/times/1: expected a time, found text");
    assert_int_equal(err.position.line, 2);
    assert_int_equal(err.position.column, 20);
    /* only a cache may be left open */
    expect_refused("{\"results\": [{\"configuration\": {\"a\": 1}}]", SY_CORRUPT, &err);
    assert_non_null(strstr(err.what, "found the end"));
}

static void a_configuration_that_stands_twice_is_read_once(void **state)
{
    sy_timings *timings = read_text(
        KT_HEAD KT_ROW("a", "1") "," KT_ROW("b", "2") "," KT_ROW("a", "3") "," KT_ROW("c", "4") "}}");

    (void)state;
    assert_int_equal(timings->count, 3);
    expect_timing(timings, 0, "a", "", 1, (const double[]){1});
    expect_timing(timings, 2, "c", "", 1, (const double[]){4});
    assert_true(has_note(timings, "1 configurations stand in the file again"));
    sy_timings_destroy(timings);
}

static void what_is_no_number_is_kept_as_no_time(void **state)
{
    sy_timings *timings = read_text(KT_HEAD KT_ROW("a", "1, NaN, -Infinity, null, 1e999, 2") "}}");

    (void)state;
    expect_timing(timings, 0, "a", "", 6, (const double[]){1, NAN, NAN, NAN, NAN, 2});
    sy_timings_destroy(timings);
}

static void t4_results_are_named_by_the_values_of_their_configuration(void **state)
{
    sy_timings *timings = read_text(
        "{\"metadata\": {\"timeunit\": \"miliseconds\"}, \"results\": ["
        "{\"configuration\": {\"x\": 16, \"y\": \"row\", \"z\": true}, \"times\": {\"runtimes\": [1, 2]}},"
        "{\"configuration\": {\"x\": 32}, \"times\": {\"compilation\": 3}, \"invalidity\": \"runtime\"},"
        "{\"configuration\": {\"x\": 64}, \"times\": {\"runtimes\": []}}]}");
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(timings->format, SY_TIMINGS_T4);
    assert_true(timings->unit_ns == 1e6);
    assert_int_equal(timings->count, 3);
    expect_timing(timings, 0, "16,row,true or false", "", 2, (const double[]){1, 2});
    expect_timing(timings, 1, "32", "runtime", 0, NULL);
    expect_timing(timings, 2, "64", "no runtimes", 0, NULL);
    sy_timings_destroy(timings);
    expect_refused("{\"results\": [{\"configuration\": 3}]}", SY_CORRUPT, &err);
    assert_string_equal(err.what, "/results/0/configuration: expected a result with an object 'configuration'");
}

static void hyperfine_rows_are_told_apart_by_their_parameters(void **state)
{
    sy_timings *timings = read_text(
        "{\"results\":[{\"command\":\"my_prog\",\"times\":[0.011,0.012],\"parameters\":{\"seed\":\"1\"}},"
        "{\"command\":\"my_prog\",\"times\":[0.022],\"parameters\":{\"seed\":\"2\",\"n\":\"8\"}},"
        "{\"command\":\"whoami\",\"mean\":0.1}]}");

    (void)state;
    assert_int_equal(timings->format, SY_TIMINGS_HYPERFINE);
    assert_true(timings->unit_ns == 1e9);
    expect_timing(timings, 0, "my_prog{seed=1}", "", 2, (const double[]){0.011, 0.012});
    expect_timing(timings, 1, "my_prog{seed=2,n=8}", "", 1, (const double[]){0.022});
    expect_timing(timings, 2, "whoami", "no times", 0, NULL);
    sy_timings_destroy(timings);
}

static void each_series_of_a_measurement_is_a_configuration(void **state)
{
    sy_timings *timings = read_text("{\"schema\": \"steelyard.measure/1\", \"device\": \"Xeon\", \"series\": ["
                                    "{\"case\": \"a\", \"unit\": \"ns\", \"runs\": [{\"value\": 5}, {\"value\": null},"
                                    "{\"value\": 7, \"unusable\": \"void\"}, {\"value\": 6.5, \"unusable\": null}]},"
                                    "{\"case\": \"b\", \"unit\": \"ns\", \"runs\": []}]}");
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(timings->format, SY_TIMINGS_MEASURE);
    assert_string_equal(timings->device, "Xeon");
    assert_true(timings->unit_ns == 1);
    expect_timing(timings, 0, "a", "", 4, (const double[]){5, NAN, NAN, 6.5});
    expect_timing(timings, 1, "b", "not timed", 0, NULL);
    sy_timings_destroy(timings);
    expect_refused("{\"schema\": \"steelyard.measure/1\"}", SY_CORRUPT, &err);
    assert_non_null(strstr(err.what, "a measurement has a list 'series'"));
    expect_refused("{\"schema\": \"steelyard.measure/1\", \"series\": [{\"case\": \"a\"}]}", SY_CORRUPT, &err);
    assert_string_equal(err.what, "/series/0: a series has a list 'runs'");
    expect_refused("{\"schema\": \"steelyard.measure/1\", \"series\": [{\"case\": \"a\", \"runs\": [{}]}]}", SY_CORRUPT,
                   &err);
}

static void what_is_no_recording_is_named(void **state)
{
    sy_error err = SY_ERROR_INIT;
    sy_timings_options options = SY_TIMINGS_OPTIONS_INIT;
    sy_timings *timings = NULL;

    (void)state;
    expect_refused("", SY_CORRUPT, &err);
    assert_string_equal(err.what, "the file is empty");
    expect_refused(" \n\t\n", SY_CORRUPT, &err);
    expect_refused("{\"a\": 1}", SY_CORRUPT, &err);
    assert_non_null(strstr(err.what, "no format that is known"));
    expect_refused("[[1, 2]]", SY_CORRUPT, &err);
    expect_refused("{\"schema\": \"steelyard.weighings/1\", \"weighings\": []}", SY_CORRUPT, &err);
    assert_non_null(strstr(err.what, "records of 'steelyard.weighings/1' hold no timings"));
    assert_string_equal(err.hint, "each of its `weighings` is a record that can be read");
    expect_refused("{\"schema\": \"steelyard.probe/2\"}", SY_VERSION_UNSUPPORTED, &err);
    assert_string_equal(err.what, "the schema is 'steelyard.probe/2'; this version reads steelyard.probe/1");
    expect_refused("{\"cache\": {\"a\": {\"times\": "
                   "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}}}",
                   SY_LIMIT_EXCEEDED, &err);
    options.format = SY_TIMINGS_T4; /* asked for by name, so its own error */
    assert_int_equal(sy_timings_parse("{\"cache\": {}}", 13, &options, &timings, &err), SY_CORRUPT);
    assert_non_null(strstr(err.what, "there is no member 'results'"));
    options.format = SY_TIMINGS_AUTO;
    options.limit_bytes = 12;
    assert_int_equal(sy_timings_parse("{\"cache\": {}}", 13, &options, &timings, &err), SY_LIMIT_EXCEEDED);
    assert_null(timings);
}

static void a_file_is_read_by_its_path(void **state)
{
    char path[] = "/tmp/timings_test_XXXXXX";
    static const char text[] = KT_HEAD KT_ROW("a", "1, 2") "}}";
    sy_timings *timings = NULL;
    int fd = mkstemp(path);
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    assert_int_equal(sy_timings_read(path, NULL, &timings, &err), SY_OK);
    expect_timing(timings, 0, "a", "", 2, (const double[]){1, 2});
    sy_timings_destroy(timings);
    unlink(path);
    timings = NULL;
    assert_int_equal(sy_timings_read(path, NULL, &timings, &err), SY_NOT_FOUND);
    assert_null(timings);
}

static void every_format_has_its_word(void **state)
{
    (void)state;
    assert_string_equal(sy_timings_format_word(SY_TIMINGS_KERNEL_TUNER), "kernel-tuner");
    assert_string_equal(sy_timings_format_word(SY_TIMINGS_CSV), "csv");
    assert_string_equal(sy_timings_format_word((sy_timings_format)99), "unknown");
}

static sy_status read_all_kinds(void *user)
{
    static const char *const texts[] = {
        KT_HEAD KT_ROW("a", "1, 2") "," KT_ROW("a", "3") ",",
        "{\"results\": [{\"configuration\": {\"x\": 16}, \"times\": {\"runtimes\": [1, 2]}}]}",
        "{\"results\": [{\"command\": \"c\", \"times\": [1, 2], \"parameters\": {\"a\": \"b\"}}]}",
        "name,time_ms\na,1\nb,2\na,3\n",
        "a,b\n1,2\n",
    };
    sy_status status = SY_OK;

    (void)user;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && status == SY_OK; i++) {
        sy_timings *timings = NULL;

        status = sy_timings_parse(texts[i], strlen(texts[i]), NULL, &timings, NULL);
        sy_timings_destroy(timings);
    }
    return status;
}

static void memory_that_fails_anywhere_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(read_all_kinds, NULL, false) > 20);
    assert_true(fault_loop_allocations(read_all_kinds, NULL, true) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tuners_cache_gives_each_configuration_its_times),
        cmocka_unit_test(r_5_a_cache_left_open_is_read_up_to_its_last_entry),
        cmocka_unit_test(a_cache_cut_inside_of_an_entry_is_refused_where_it_ends),
        cmocka_unit_test(a_configuration_that_stands_twice_is_read_once),
        cmocka_unit_test(what_is_no_number_is_kept_as_no_time),
        cmocka_unit_test(t4_results_are_named_by_the_values_of_their_configuration),
        cmocka_unit_test(hyperfine_rows_are_told_apart_by_their_parameters),
        cmocka_unit_test(each_series_of_a_measurement_is_a_configuration),
        cmocka_unit_test(what_is_no_recording_is_named),
        cmocka_unit_test(a_file_is_read_by_its_path),
        cmocka_unit_test(every_format_has_its_word),
        cmocka_unit_test(memory_that_fails_anywhere_is_reported_and_nothing_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
