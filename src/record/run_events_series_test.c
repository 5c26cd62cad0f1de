/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of a series' body: its digest is of the packed samples, its figures are of nearest rank. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"
#include "record/run_events.h"

/* The SHA-256 digests below are those of Python's hashlib over struct.pack('<d', ...). */
#define DIGEST_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define DIGEST_ONE_AND_NAN "b60535a407b309203bf04892c59e8483f636fc70f4685d5ca6815c0e2ed693b9"

static void samples_are_packed_as_little_endian_doubles_with_one_nan(void **state)
{
    (void)state;
    const uint64_t odd_bits = UINT64_C(0xfff0000000000001); /* another NaN */
    double samples[2] = {1.0, 0};
    memcpy(&samples[1], &odd_bits, sizeof odd_bits);
    uint8_t packed[16];
    sy_samples_pack(samples, 2, packed);
    assert_memory_equal(packed, "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\xf8\x7f", 16);
    double back[2];
    sy_samples_unpack(packed, 2, back);
    assert_true(back[0] == 1.0 && isnan(back[1]));
    char digest[65];
    sy_samples_digest(samples, 2, digest);
    assert_string_equal(digest, DIGEST_ONE_AND_NAN);
    sy_samples_digest(NULL, 0, digest);
    assert_string_equal(digest, DIGEST_NOTHING);
}

static void a_long_series_is_hashed_as_in_one_piece(void **state)
{
    (void)state;
    static double samples[1500];
    for (size_t i = 0; i < 1500; i++) {
        samples[i] = (double)i * 0.1;
    }
    char digest[65];
    sy_samples_digest(samples, 1500, digest);
    assert_string_equal(digest, "326b684ff7e184a1f0e6dce0d352b8294ca5133628257e03c951b1fb275c2df0");
}

static void write_series(sy_run_series *series, sy_text *text)
{
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_run_series_write(series, text, &err), SY_OK);
}

/* 20, 19 ... 1 and two that are unusable: of 20, the 10th and the 19th. */
static void figures_are_of_nearest_rank_over_the_usable_samples(void **state)
{
    (void)state;
    double samples[22];
    for (size_t i = 0; i < 20; i++) {
        samples[i] = (double)(20 - i);
    }
    samples[20] = samples[21] = NAN;
    sy_run_series series = {.name = "wall", .unit = "s", .samples = samples, .count = 22};
    sy_text text = SY_TEXT_INIT;
    write_series(&series, &text);
    assert_int_equal(series.usable_count, 20);
    assert_true(series.minimum == 1 && series.p50 == 10 && series.p95 == 19 && series.maximum == 20);
    series.count = 1;
    write_series(&series, &text);
    assert_true(series.minimum == 20 && series.p50 == 20 && series.p95 == 20 && series.maximum == 20);
    series.count = 3; /* 20, 19, 18: ceil(1.5) = the 2nd, ceil(2.85) = the 3rd */
    write_series(&series, &text);
    assert_true(series.p50 == 19 && series.p95 == 20);
    sy_text_finish(&text);
}

/* Of 1 to 100 in any order: the 50th and the 95th. */
static void a_hundred_samples_have_their_ranks_for_figures(void **state)
{
    (void)state;
    double samples[100];
    for (size_t i = 0; i < 100; i++) {
        samples[i] = (double)(i * 37 % 100 + 1);
    }
    sy_run_series series = {.name = "wall", .samples = samples, .count = 100};
    sy_text text = SY_TEXT_INIT;
    write_series(&series, &text);
    assert_true(series.minimum == 1 && series.p50 == 50 && series.p95 == 95 && series.maximum == 100);
    sy_text_finish(&text);
}

static void a_series_without_usable_samples_has_no_figures(void **state)
{
    (void)state;
    const double samples[] = {NAN};
    sy_run_series series = {.name = "wall", .samples = samples, .count = 1, .note = "void"};
    sy_text text = SY_TEXT_INIT;
    write_series(&series, &text);
    assert_int_equal(series.usable_count, 0);
    assert_true(isnan(series.p50));
    assert_non_null(strstr(text.bytes, "\"p50\":null"));
    sy_text_clear(&text);
    series.count = 0;
    series.samples = NULL;
    write_series(&series, &text);
    assert_string_equal(series.digest, DIGEST_NOTHING);
    sy_text_finish(&text);
}

static void a_series_comes_back_without_its_samples(void **state)
{
    (void)state;
    const double samples[] = {1.0, NAN};
    const sy_named_number figures[] = {{"stddev", "s", 0.5}, {"rounds", "", NAN}};
    sy_run_series series = {.name = "wall",
                            .unit = "s",
                            .higher_is_better = true,
                            .role = SY_SERIES_WARM_UP,
                            .case_name = "big",
                            .implementation = "blis",
                            .samples = samples,
                            .count = 2,
                            .figures = figures,
                            .figure_count = 2};
    const char *expected = "{\"case\":\"big\",\"count\":2,\"figures\":[[\"stddev\",0.5,\"s\"],[\"rounds\",null,\"\"]],"
                           "\"higher_is_better\":true,\"implementation\":\"blis\",\"maximum\":1,\"minimum\":1,"
                           "\"name\":\"wall\",\"p50\":1,\"p95\":1,\"role\":\"warm-up\","
                           "\"samples\":\"" DIGEST_ONE_AND_NAN "\",\"unit\":\"s\",\"usable_count\":1}";
    sy_text text = SY_TEXT_INIT;
    write_series(&series, &text);
    assert_string_equal(text.bytes, expected);
    sy_json *json = NULL;
    sy_arena *arena = sy_arena_create(0);
    sy_run_series back;
    assert_int_equal(sy_json_parse(text.bytes, text.length, NULL, &json, NULL), SY_OK);
    assert_int_equal(sy_run_series_read(json, sy_json_root(json), arena, &back, NULL), SY_OK);
    assert_null(back.samples);
    assert_int_equal(back.count, 2);
    assert_string_equal(back.digest, DIGEST_ONE_AND_NAN);
    assert_int_equal(back.role, SY_SERIES_WARM_UP);
    assert_string_equal(back.figures[0].unit, "s");
    assert_true(isnan(back.figures[1].value));
    sy_json_destroy(json);
    sy_arena_destroy(arena);
    sy_text_finish(&text);
}

static void an_infinite_sample_is_refused_by_its_number(void **state)
{
    (void)state;
    const double samples[] = {1.0, INFINITY};
    sy_run_series series = {.name = "wall", .samples = samples, .count = 2};
    sy_text text = SY_TEXT_INIT;
    sy_error err = SY_ERROR_INIT;
    assert_int_equal(sy_run_series_write(&series, &text, &err), SY_INVALID_ARGUMENT);
    assert_string_equal(err.what, "samples: 1: is infinite");
    sy_text_finish(&text);
}

static void expect_corrupt(const char *text, const char *what)
{
    sy_json *json = NULL;
    sy_arena *arena = sy_arena_create(0);
    sy_error err = SY_ERROR_INIT;
    sy_run_series back;
    assert_int_equal(sy_json_parse(text, strlen(text), NULL, &json, NULL), SY_OK);
    assert_int_equal(sy_run_series_read(json, sy_json_root(json), arena, &back, &err), SY_CORRUPT);
    assert_string_equal(err.what, what);
    sy_json_destroy(json);
    sy_arena_destroy(arena);
}

#define HEAD "{\"name\":\"x\",\"role\":\"sample\",\"samples\":\"" DIGEST_NOTHING "\","

static void figures_that_cannot_be_are_refused(void **state)
{
    (void)state;
    expect_corrupt(HEAD "\"count\":1,\"usable_count\":2}", "the whole: 2 of 1 samples are usable");
    expect_corrupt(HEAD "\"count\":1,\"usable_count\":1}",
                   "the whole: minimum, p50, p95 and maximum are missing or not in this order");
    expect_corrupt(HEAD "\"count\":1,\"usable_count\":1,\"minimum\":1,\"p50\":3,\"p95\":2,\"maximum\":4}",
                   "the whole: minimum, p50, p95 and maximum are missing or not in this order");
    expect_corrupt(HEAD "\"usable_count\":1}", "the whole: 'count' is missing");
    expect_corrupt("{\"name\":\"x\",\"role\":\"sample\",\"count\":0,\"usable_count\":0}",
                   "the whole: 'samples' is missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_packed_as_little_endian_doubles_with_one_nan),
        cmocka_unit_test(a_long_series_is_hashed_as_in_one_piece),
        cmocka_unit_test(figures_are_of_nearest_rank_over_the_usable_samples),
        cmocka_unit_test(a_hundred_samples_have_their_ranks_for_figures),
        cmocka_unit_test(a_series_without_usable_samples_has_no_figures),
        cmocka_unit_test(a_series_comes_back_without_its_samples),
        cmocka_unit_test(an_infinite_sample_is_refused_by_its_number),
        cmocka_unit_test(figures_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
