/* SPDX-License-Identifier: Apache-2.0 */
/* Results of nvbench: states and their axes, values as texts, samples in files beside, names that lead elsewhere. */
#include "importers/import/import_test_support.h"

#include <sys/stat.h>

#include "base/text.h"
#include "import_files.h"
#include "temporary_folder.h"

#define HEAD                                                                                             \
    "{\"meta\": {\"argv\": [\"bin/axes\"], \"version\": {\"json\": {\"string\": \"1.0.0\"}, "            \
    "\"nvbench\": {\"string\": \"0.1.0\"}}},\n"                                                          \
    "\"devices\": [{\"id\": 0, \"name\": \"Quadro GV100\"}, {\"id\": 1, \"name\": \"Quadro GP100\"}],\n" \
    "\"benchmarks\": [{\"name\": \"copy\", \"states\": [\n"
#define TAIL "]}]}\n"
#define SUMMARY(tag, hint, value)                                                                             \
    "{\"tag\": \"" tag "\", \"hint\": \"" hint "\", \"data\": [{\"name\": \"value\", \"type\": \"float64\", " \
    "\"value\": \"" value "\"}]}"
#define FILE_SUMMARY(tag, name, size)                                                                 \
    "{\"tag\": \"" tag                                                                                \
    "\", \"hint\": \"file/sample_times\", \"data\": [{\"name\": \"filename\", \"type\": \"string\", " \
    "\"value\": \"" name "\"}, {\"name\": \"size\", \"type\": \"int64\", \"value\": \"" size "\"}]}"
#define TIMES(name, size)                               \
    SUMMARY("nv/cold/time/gpu/mean", "duration", "2.0") \
    ", " FILE_SUMMARY("nv/json/bin:nv/cold/sample_times", name, size)

static void a_state_is_a_row_with_axes_device_and_times_in_seconds(void **state)
{
    sy_imported *imported = import_file(STEELYARD_SOURCE_DIR, "tests/data/import/nvbench.json");
    const sy_imported_row *row = &imported->rows[0];
    const sy_run_series *gpu = series_of(row, "nv/cold/time/gpu");

    (void)state;
    assert_int_equal(imported->format, SY_IMPORT_NVBENCH);
    assert_string_equal(imported->tool, "nvbench 0.1.0");
    assert_int_equal(imported->reject_count, 0);
    assert_int_equal(imported->row_count, 2);
    assert_string_equal(imported->rows[1].reason, "skipped: too large");
    assert_string_equal(parameter_of(&imported->rows[1], "T"), "F64");
    assert_string_equal(row->name, "copy");
    assert_string_equal(parameter_of(row, "T"), "I32");
    assert_string_equal(parameter_of(row, "N"), "16");
    assert_string_equal(parameter_of(row, "Device"), "1");
    assert_string_equal(value_of(row->facts, row->fact_count, "device"), "Quadro GP100");
    assert_string_equal(value_of(row->facts, row->fact_count, "nv/element_count/Items"), "1024");
    assert_string_equal(value_of(row->facts, row->fact_count, "nv/batch/sample_size"), "524");
    assert_int_equal(row->position.line, 11);
    assert_int_equal(gpu->count, 0);
    assert_string_equal(gpu->unit, "s");
    assert_string_equal(gpu->note, "summary only");
    assert_true(figure_of(gpu, "mean") == 0.0010034715849794225);
    assert_true(figure_of(gpu, "stdev/relative") == 0.0005782350585973689);
    assert_true(figure_of(gpu, "sample_size") == 499 && figure_of(gpu, "walltime") == 0.51435071);
    assert_true(isnan(figure_of(gpu, "median")));
    assert_true(figure_of(series_of(row, "nv/cold/time/cpu"), "mean") == 0.0010094458717434867);
    expect_samples(series_of(row, "nv/cold/bw/global/bytes_per_second"), 1, (double[]){8e11});
    assert_true(series_of(row, "nv/cold/bw/global/bytes_per_second")->higher_is_better);
    assert_string_equal(series_of(row, "nv/cold/bw/global/bytes_per_second")->unit, "bytes/s");
    sy_imported_destroy(imported);
}

static void a_skipped_state_is_a_failed_row_with_its_reason(void **state)
{
    sy_imported *imported = import_text(HEAD "{\"device\": 0, \"is_skipped\": true, \"skip_reason\": \"too large\", "
                                             "\"summaries\": null},\n"
                                             "{\"device\": 7, \"is_skipped\": true},\n"
                                             "{\"device\": null, \"summaries\": [{\"data\": []}, 5]}" TAIL);

    (void)state;
    assert_int_equal(imported->row_count, 3);
    assert_string_equal(imported->rows[0].reason, "skipped: too large");
    assert_string_equal(imported->rows[1].reason, "skipped: no reason is given");
    assert_string_equal(parameter_of(&imported->rows[1], "Device"), "7");
    assert_string_equal(imported->rows[2].reason, "no figures");
    expect_reject(imported, "/benchmarks/0/states/2/summaries/0", "a summary without a tag", 6, 0);
    sy_imported_destroy(imported);
}

static void texts_that_are_no_numbers_are_rejected_in_their_places(void **state)
{
    sy_imported *imported = import_file(STEELYARD_SOURCE_DIR, "tests/data/import/nvbench-wrong.json");

    (void)state;
    assert_int_equal(imported->row_count, 2);
    assert_string_equal(imported->rows[0].reason, "no time of it is a number");
    expect_reject(imported, "/benchmarks/0/states/0/summaries/1/data/0/value", "expected a number as text", 3, 0);
    expect_reject(imported, "/benchmarks/0/states/0/summaries/2/data/0/value", "out of range", 4, 0);
    expect_reject(imported, "/benchmarks/0/states/0/summaries/3/data/0/value", "another text", 5, 0);
    expect_reject(imported, "/benchmarks/0/states/0/summaries/5/data/0/value", "found array", 7, 0);
    expect_reject(imported, "/benchmarks/0/states/1", "expected a result", 8, 1);
    expect_reject(imported, "/benchmarks/0/states/2/axis_values/0", "without a name or a value", 9, 0);
    expect_reject(imported, "/benchmarks/0/states/2/summaries/0", "a summary without a tag", 9, 0);
    expect_reject(imported, "/benchmarks/0/states/2/summaries/1", "a summary without a tag", 9, 0);
    assert_int_equal(imported->reject_count, 8);
    sy_imported_destroy(imported);
}

/* ---- files of samples ---- */

static void lists_that_are_none_are_told(void **state)
{
    sy_imported *imported = import_text(
        "{\"meta\":{\"version\":{\"nvbench\":{\"string\":\"1\"}}},\"benchmarks\":[\n{\"name\":\"a\"},\n"
        "{\"name\":\"b\",\"states\":{}},\n{\"name\":\"c\",\"states\":[{\"axis_values\":1,\"summaries\":\"x\"},"
        "{\"is_skipped\":true,\"axis_values\":null,\"summaries\":null}]}]}");

    (void)state;
    assert_int_equal(imported->row_count, 2);
    expect_reject(imported, "/benchmarks/0", "without a list of its states", 2, 1);
    expect_reject(imported, "/benchmarks/1", "without a list of its states", 3, 1);
    expect_reject(imported, "/benchmarks/2/states/0/axis_values", "found number", 4, 0);
    expect_reject(imported, "/benchmarks/2/states/0/summaries", "found text", 4, 0);
    assert_int_equal(imported->reject_count, 4);
    assert_true(imported->rows[0].failed && imported->rows[1].failed);
    sy_imported_destroy(imported);
}

static void write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[1024];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *folder, const char *name)
{
    char path[1024];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

/* Three floats, as IEEE 754 has them, the lowest byte first: 1, 2.5, and one that is no number. */
static const unsigned char floats[] = {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0x40, 0, 0, 0xc0, 0x7f};

static sy_imported *read_below(const char *folder, const char *text, const char *samples_folder)
{
    sy_import_options options = SY_IMPORT_OPTIONS_INIT;
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;
    char path[1024];

    options.samples_folder = samples_folder;
    write_file(folder, "run.json", text, strlen(text));
    (void)snprintf(path, sizeof path, "%s/run.json", folder);
    if (sy_import_read(path, &options, &imported, &err) != SY_OK)
        fail_msg("refused: %s", err.what);
    return imported;
}

static void samples_are_found_beside_the_file_wherever_it_was_written(void **state)
{
    static const char *const texts[] = {
        HEAD "{\"summaries\": [" TIMES("run.json-bin/0.bin", "3") "]}" TAIL,
        HEAD "{\"summaries\": [" TIMES("/somewhere/else/run.json-bin/0.bin", "3") "]}" TAIL,
        HEAD "{\"summaries\": [" TIMES("C:\\\\out\\\\run.json-bin\\\\0.bin", "3") "]}" TAIL,
    };
    const double expected[] = {1, 2.5, NAN};
    const char *folder = *state;

    make_folder(folder, "run.json-bin");
    write_file(folder, "run.json-bin/0.bin", floats, sizeof floats);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sy_imported *imported = read_below(folder, texts[i], NULL);
        const sy_run_series *gpu = series_of(&imported->rows[0], "nv/cold/time/gpu");

        expect_samples(gpu, 3, expected);
        assert_string_equal(gpu->note, "");
        assert_true(figure_of(gpu, "mean") == 2);
        assert_int_equal(imported->reject_count, 0);
        sy_imported_destroy(imported);
    }
}

static void samples_are_found_in_a_folder_that_is_named(void **state)
{
    const char *folder = *state;
    char elsewhere[512];
    sy_imported *imported;

    make_folder(folder, "elsewhere");
    write_file(folder, "elsewhere/0.bin", floats, sizeof floats);
    (void)snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    imported = read_below(folder,
                          HEAD "{\"summaries\": [" TIMES("run.json-bin/0.bin", "3") ", " FILE_SUMMARY(
                              "nv/json/freqs-bin:nv/cold/sample_freqs", "run.json-freqs-bin/0.bin", "3") "]}" TAIL,
                          elsewhere);
    assert_int_equal(series_of(&imported->rows[0], "nv/cold/time/gpu")->count, 3);
    assert_int_equal(series_of(&imported->rows[0], "nv/cold/sample_freqs")->count, 3);
    sy_imported_destroy(imported);
}

static void samples_that_are_absent_leave_the_summary_and_that_is_said(void **state)
{
    sy_imported *imported = read_below(*state, HEAD "{\"summaries\": [" TIMES("run.json-bin/0.bin", "3") "]}" TAIL,
                                       NULL);
    const sy_run_series *gpu = series_of(&imported->rows[0], "nv/cold/time/gpu");

    assert_int_equal(gpu->count, 0);
    assert_true(sy_text_begins(gpu->note, "summary only: "));
    assert_non_null(strstr(gpu->note, "run.json-bin/0.bin"));
    assert_false(imported->rows[0].failed);
    assert_int_equal(imported->reject_count, 0);
    sy_imported_destroy(imported);
    /* bytes from memory lie beside nothing */
    imported = import_text(HEAD "{\"summaries\": [" TIMES("run.json-bin/0.bin", "3") "]}" TAIL);
    gpu = series_of(&imported->rows[0], "nv/cold/time/gpu");
    assert_non_null(strstr(gpu->note, "where the JSON came from is not known"));
    sy_imported_destroy(imported);
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
    static const char *const names[] = {"..",       ".",          "",        "../..",    "a/..",
                                        "../0.bin", "x/../0.bin", "./0.bin", "a//0.bin", "a\\\\..\\\\0.bin",
                                        "/",        "//0.bin"};
    const char *folder = *state;
    char inner[512];

    make_folder(folder, "inner");
    (void)snprintf(inner, sizeof inner, "%s/inner", folder);
    write_file(folder, "0.bin", floats, sizeof floats);
    write_file(inner, "0.bin", floats, sizeof floats);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sy_text text = SY_TEXT_INIT;
        sy_imported *imported;

        sy_text_append_format(&text,
                              HEAD "{\"summaries\": [" SUMMARY(
                                  "nv/cold/time/gpu/mean", "duration",
                                  "2.0") ", {\"tag\": "
                                         "\"nv/json/bin:nv/cold/sample_times\", \"data\": [{\"name\": \"filename\", "
                                         "\"value\": \"%s\"}]}]}" TAIL,
                              names[i]);
        imported = read_below(inner, text.bytes, NULL);
        assert_int_equal(imported->row_count, 1);
        if (series_of(&imported->rows[0], "nv/cold/time/gpu")->count != 0)
            fail_msg("'%s' was read", names[i]);
        expect_reject(imported, "/benchmarks/0/states/0/summaries/1/data/0/value", "leads out of its folder", 0, 0);
        sy_imported_destroy(imported);
        sy_text_finish(&text);
    }
}

static void a_file_of_another_size_is_no_file_of_these_samples(void **state)
{
    static const char *const texts[] = {
        HEAD "{\"summaries\": [" TIMES("0.bin", "2") "]}" TAIL,
        HEAD "{\"summaries\": [" TIMES("0.bin", "99999999999999999999") "]}" TAIL,
        HEAD "{\"summaries\": [" TIMES("0.bin", "-3") "]}" TAIL,
        HEAD "{\"summaries\": [" TIMES("folder.bin", "3") "]}" TAIL,
    };
    const char *folder = *state;

    write_file(folder, "0.bin", floats, sizeof floats);
    make_folder(folder, "folder.bin");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sy_imported *imported = read_below(folder, texts[i], NULL);

        assert_int_equal(series_of(&imported->rows[0], "nv/cold/time/gpu")->count, 0);
        assert_int_equal(imported->reject_count, 1);
        sy_imported_destroy(imported);
    }
}

static void files_of_samples_together_have_a_limit(void **state)
{
    sy_import_options options = SY_IMPORT_OPTIONS_INIT;
    sy_imported *imported = NULL;
    sy_error err = SY_ERROR_INIT;
    sy_text text = SY_TEXT_INIT;
    char path[1024];
    const char *folder = *state;
    const size_t states = 40;
    size_t read = 0;

    sy_text_append(&text, HEAD);
    for (size_t i = 0; i < states; i++)
        sy_text_append_format(&text, "%s{\"summaries\": [" TIMES("0.bin", "1024") "]}", i > 0 ? ",\n" : "");
    sy_text_append(&text, TAIL);
    write_file(folder, "run.json", text.bytes, text.length);
    (void)snprintf(path, sizeof path, "%s/0.bin", folder);
    write_file(folder, "0.bin", (const char[4096]){0}, 4096);
    options.limit_bytes = text.length > 32768 ? text.length : 32768;
    (void)snprintf(path, sizeof path, "%s/run.json", folder);
    assert_int_equal(sy_import_read(path, &options, &imported, &err), SY_OK);
    for (size_t i = 0; i < imported->row_count; i++)
        read += series_of(&imported->rows[i], "nv/cold/time/gpu")->count / 1024;
    assert_int_equal(imported->row_count, states);
    assert_int_equal(read, options.limit_bytes / 4096);
    expect_reject(imported, "/benchmarks/0/states/39/summaries/1/data/0/value", "pass the limit", 0, 0);
    sy_imported_destroy(imported);
    sy_text_finish(&text);
}

static void a_real_file_is_read_whole(void **state)
{
    sy_imported *imported = import_foreign(STEELYARD_SOURCE_DIR, "nvbench/ref.json");
    const sy_imported_row *row;

    size_t skipped = 0;

    (void)state;
    if (imported == NULL)
        skip();
    row = &imported->rows[0];
    assert_int_equal(imported->row_count, 126);
    assert_int_equal(imported->reject_count, 0);
    assert_string_equal(row->name, "simple");
    assert_string_equal(parameter_of(row, "Device"), "0");
    assert_true(figure_of(series_of(row, "nv/cold/time/gpu"), "mean") == 0.0010034715849794225);
    assert_true(figure_of(series_of(row, "nv/batch/time/gpu"), "walltime") == 0.524782268);
    for (size_t i = 0; i < imported->row_count; i++) {
        skipped += imported->rows[i].failed;
        if (imported->rows[i].failed)
            assert_true(sy_text_begins(imported->rows[i].reason, "skipped: N"));
    }
    assert_int_equal(skipped, 38);
    sy_imported_destroy(imported);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_temporary_folder, remove_temporary_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_a_row_with_axes_device_and_times_in_seconds),
        cmocka_unit_test(a_skipped_state_is_a_failed_row_with_its_reason),
        cmocka_unit_test(texts_that_are_no_numbers_are_rejected_in_their_places),
        cmocka_unit_test(lists_that_are_none_are_told),
        IN_FOLDER(samples_are_found_beside_the_file_wherever_it_was_written),
        IN_FOLDER(samples_are_found_in_a_folder_that_is_named),
        IN_FOLDER(samples_that_are_absent_leave_the_summary_and_that_is_said),
        IN_FOLDER(names_that_lead_elsewhere_are_refused),
        IN_FOLDER(a_file_of_another_size_is_no_file_of_these_samples),
        IN_FOLDER(files_of_samples_together_have_a_limit),
        cmocka_unit_test(a_real_file_is_read_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
