/* SPDX-License-Identifier: Apache-2.0 */
/* llama-bench's JSON, whole and by lines: names, units, parameters and settings, what is cut or stands between. */
#include "importers/import/import_test_support.h"

#define BUILD                                                                                      \
    "\"build_commit\":\"8cf4\",\"build_number\":51,\"cpu_info\":\"A processor\",\"gpu_info\":\"A " \
    "card\",\"backends\":\"CUDA\","
#define MODEL "\"model_filename\":\"m.gguf\",\"model_type\":\"m 7B Q4\",\"n_batch\":2048,\"flash_attn\":false,"
#define PROMPT                                                                                                         \
    "{" BUILD MODEL "\"n_prompt\":512,\"n_gen\":0,\"n_depth\":0,\"test_time\":\"2025-04-24T11:58:50Z\",\"avg_ns\":75," \
    "\"stddev_ns\":5,\"avg_ts\":7100.5,\"stddev_ts\":140.25,\"samples_ns\":[ 70, 80 ],\"samples_ts\":[ 7314, 6400.5 "  \
    "]}"
#define GENERATE                                                                                            \
    "{" BUILD MODEL "\"n_prompt\":0,\"n_gen\":128,\"n_depth\":2048,\"test_time\":\"2025-04-24T11:58:51Z\"," \
    "\"avg_ns\":1000,\"stddev_ns\":0,\"avg_ts\":128,\"stddev_ts\":0,\"samples_ns\":[ 1000 ],\"samples_ts\":[ 128 ]}"

static void expect_two_results(const sy_imported *imported)
{
    const sy_imported_row *prompt = &imported->rows[0];
    const sy_imported_row *generate = &imported->rows[1];

    assert_int_equal(imported->format, SY_IMPORT_LLAMA_BENCH);
    assert_int_equal(imported->row_count, 2);
    assert_string_equal(prompt->name, "pp512");
    assert_string_equal(generate->name, "tg128 @ d2048");
    expect_samples(series_of(prompt, "wall"), 2, (const double[]){70 / 1e9, 80 / 1e9});
    assert_string_equal(series_of(prompt, "wall")->unit, "s");
    assert_true(figure_of(series_of(prompt, "wall"), "mean") == 75 / 1e9);
    expect_samples(series_of(prompt, "tokens_per_second"), 2, (const double[]){7314, 6400.5});
    assert_string_equal(series_of(prompt, "tokens_per_second")->unit, "1/s");
    assert_true(series_of(prompt, "tokens_per_second")->higher_is_better);
    assert_true(figure_of(series_of(prompt, "tokens_per_second"), "stddev") == 140.25);
    /* the spread of one sample is not 0 */
    assert_true(isnan(figure_of(series_of(generate, "wall"), "stddev")));
    assert_true(figure_of(series_of(generate, "wall"), "mean") == 1000 / 1e9);
    assert_string_equal(parameter_of(prompt, "n_batch"), "2048");
    assert_string_equal(parameter_of(prompt, "flash_attn"), "false");
    assert_string_equal(parameter_of(generate, "n_depth"), "2048");
    assert_null(parameter_of(prompt, "build_number"));
    assert_string_equal(value_of(prompt->facts, prompt->fact_count, "source_revision"), "8cf4");
    assert_null(value_of(prompt->facts, prompt->fact_count, "device_id"));
    assert_string_equal(prompt->time, "2025-04-24T11:58:50Z");
    assert_string_equal(generate->time, "2025-04-24T11:58:51Z");
    assert_true(prompt->zone_known && generate->zone_known);
    assert_string_equal(imported->revision, "8cf4");
    assert_string_equal(imported->device, "A card");
    assert_string_equal(value_of(imported->settings, imported->setting_count, "build_number"), "51");
    assert_string_equal(value_of(imported->settings, imported->setting_count, "backends"), "CUDA");
}

static void a_list_of_results_and_a_result_a_line_are_the_same(void **state)
{
    static const char *const texts[] = {
        "[\n" PROMPT ",\n" GENERATE "\n]\n",  PROMPT "\n" GENERATE "\n", PROMPT "\r\n\r\n" GENERATE, PROMPT GENERATE,
        "  " PROMPT "\n\n\n" GENERATE "\n\n",
    };
    static const uint32_t lines[][2] = {{2, 3}, {1, 2}, {1, 3}, {1, 1}, {1, 4}};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sy_imported *imported = import_text(texts[i]);

        expect_two_results(imported);
        assert_int_equal(imported->reject_count, 0);
        assert_int_equal(imported->rows[0].position.line, lines[i][0]);
        assert_int_equal(imported->rows[1].position.line, lines[i][1]);
        if (i != 3) /* behind the other on one line a comma had to be put between them */
            assert_int_equal(imported->rows[1].position.column, 1);
        assert_int_equal(texts[i][imported->rows[1].position.offset], '{');
        assert_int_equal(imported->rows[1].position.offset, strstr(texts[i], GENERATE) - texts[i]);
        sy_imported_destroy(imported);
    }
}

static void lines_before_between_and_behind_the_results_are_told(void **state)
{
    sy_imported *imported = import_text("ggml_init: found 1 device:\n  Device 0: A card\n[\n" PROMPT
                                        ",\nnoise [1] here\n" GENERATE "\n]\nggml_exit {\n");

    (void)state;
    expect_two_results(imported);
    expect_reject(imported, "", "2 lines before the JSON", 1, 1);
    expect_reject(imported, "/1", "no JSON", 5, 1);
    expect_reject(imported, "", "expected", 8, 1);
    assert_int_equal(imported->reject_count, 3);
    sy_imported_destroy(imported);
    imported = import_text("noise\n" PROMPT "\nmore, {noise}\n" GENERATE "\nnoise");
    expect_two_results(imported);
    expect_reject(imported, "", "1 lines before the JSON", 1, 1);
    expect_reject(imported, "", "none of the JSON", 3, 1);
    expect_reject(imported, "", "none of the JSON", 5, 1);
    assert_int_equal(imported->reject_count, 3);
    assert_int_equal(imported->rows[1].position.line, 4);
    sy_imported_destroy(imported);
}

/* Every length of a file of two results: those that are whole are read, and the rest is told; no length is a fault. */
static void a_file_cut_anywhere_gives_its_whole_results(void **state)
{
    static const char *const texts[] = {"[\n" PROMPT ",\n" GENERATE "\n]\n", PROMPT "\n" GENERATE "\n"};

    (void)state;
    for (size_t t = 0; t < 2; t++) {
        size_t first = (size_t)(strstr(texts[t], GENERATE) - texts[t]);
        size_t second = first + strlen(GENERATE);
        size_t whole = strlen(texts[t]);

        for (size_t size = first; size < second; size++) {
            sy_imported *imported = NULL;
            sy_error err = SY_ERROR_INIT;
            sy_status status = sy_import_parse(texts[t], size, NULL, &imported, &err);

            assert_int_equal(status, SY_OK);
            assert_int_equal(imported->row_count, 1);
            assert_string_equal(imported->rows[0].name, "pp512");
            if (t == 0 || size > first)
                assert_int_equal(imported->reject_count, 1);
            if (t == 1 && size > first) {
                assert_string_equal(imported->rejects[0].pointer[0] == '/' ? "/" : "", "/");
                assert_int_equal(imported->rejects[0].position.line, 2);
                assert_true(imported->rejects[0].position.offset >= first);
                assert_true(imported->rejects[0].position.offset <= size);
            }
            sy_imported_destroy(imported);
        }
        for (size_t size = second; size <= whole; size++) {
            sy_imported *imported = import_bytes(texts[t], size);

            assert_int_equal(imported->row_count, 2);
            sy_imported_destroy(imported);
        }
    }
}

static void a_damaged_line_costs_its_own_result(void **state)
{
    sy_imported *imported = import_text("{" BUILD "\"n_prompt\":x,\"n_gen\":3}\n" PROMPT "\n{\"n_gen\":1,}\n" GENERATE
                                        "\n7\n");

    (void)state;
    expect_two_results(imported);
    expect_reject(imported, "/0", "'x'", 1, 1 + strlen("{" BUILD "\"n_prompt\":"));
    expect_reject(imported, "/2", "'}'", 3, 12);
    expect_reject(imported, "", "none of the JSON", 5, 1);
    assert_int_equal(imported->reject_count, 3);
    sy_imported_destroy(imported);
}

static void fields_that_nobody_knows_are_settings_or_parameters(void **state)
{
    sy_imported *imported = import_text(
        "[{\"build_commit\":\"a\",\"n_prompt\":8,\"n_gen\":0,\"avg_ns\":5,\"moe_cache\":\"on\",\"new\":{\"a\":[1,2]},"
        "\"same\":1.50},"
        "{\"build_commit\":\"b\",\"n_prompt\":8,\"n_gen\":4,\"avg_ns\":6,\"moe_cache\":\"off\",\"new\":{\"a\":[1,2]},"
        "\"same\":1.50},"
        "{\"build_commit\":\"unknown\",\"n_prompt\":8,\"n_gen\":4,\"avg_ns\":NaN,\"same\":1.50}]");

    (void)state;
    assert_int_equal(imported->row_count, 3);
    assert_int_equal(imported->reject_count, 0);
    assert_string_equal(parameter_of(&imported->rows[0], "moe_cache"), "on");
    assert_string_equal(parameter_of(&imported->rows[1], "moe_cache"), "off");
    assert_null(parameter_of(&imported->rows[2], "moe_cache"));
    assert_string_equal(parameter_of(&imported->rows[0], "new.a.1"), "2");
    assert_string_equal(value_of(imported->settings, imported->setting_count, "same"), "1.50");
    assert_null(value_of(imported->settings, imported->setting_count, "moe_cache"));
    assert_string_equal(imported->rows[1].name, "pp8+tg4");
    assert_string_equal(series_of(&imported->rows[0], "wall")->note, "summary only, no repetitions");
    assert_false(imported->rows[1].failed);
    assert_true(imported->rows[2].failed);
    assert_string_equal(imported->rows[2].reason, "no figure of it is a number");
    assert_string_equal(imported->revision, "");
    assert_string_equal(value_of(imported->rows[1].facts, imported->rows[1].fact_count, "source_revision"), "b");
    assert_int_equal(imported->rows[2].fact_count, 0);
    sy_imported_destroy(imported);
}

static void what_is_no_result_is_rejected(void **state)
{
    sy_imported *imported = import_text(
        "[" PROMPT
        ",\n{\"build_commit\":\"a\"},\n[1],\n{\"n_gen\":-1,\"samples_ns\":[-1,\"a\",1e999],\"samples_ts\":3}]");

    (void)state;
    assert_int_equal(imported->row_count, 2);
    expect_reject(imported, "/1", "without n_prompt and n_gen", 2, 1);
    expect_reject(imported, "/2", "expected a result, found array", 3, 1);
    expect_reject(imported, "/3/samples_ns/1", "found text", 4, 30);
    expect_reject(imported, "/3/samples_ts", "found number", 4, 0);
    expect_samples(series_of(&imported->rows[1], "wall"), 2, (const double[]){NAN, NAN});
    assert_string_equal(imported->rows[1].reason, "no figure of it is a number");
    sy_imported_destroy(imported);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_results_and_a_result_a_line_are_the_same),
        cmocka_unit_test(lines_before_between_and_behind_the_results_are_told),
        cmocka_unit_test(a_file_cut_anywhere_gives_its_whole_results),
        cmocka_unit_test(a_damaged_line_costs_its_own_result),
        cmocka_unit_test(fields_that_nobody_knows_are_settings_or_parameters),
        cmocka_unit_test(what_is_no_result_is_rejected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
