/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a matrix: signs, legend, reasons, every width, filters, JSON, a lack of memory. */
#include <steelyard/report.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cmocka_headers.h"
#include "fault_loop.h"
#include "text_width.h"

static const char *const capabilities[] = {"io.decode-bin-provenance", "matmul"};
static const char *const backends[] = {"cpu-reference", "cuda", "webgpu"};

static const sy_matrix_cell cells[] = {
    {"io.decode-bin-provenance::cpu-reference", "io.decode-bin-provenance", "cpu-reference", "reference",
     "portable-parity", "weekly", true, "portable-cpu", "ready", "", 2, 0, 2, ""},
    {"io.decode-bin-provenance::cuda", "io.decode-bin-provenance", "cuda", "required", "source-contract", "weekly",
     true, "physical-cuda", "ready", "", 8, 3, 5, "io.cuda.cold"},
    {"io.decode-bin-provenance::webgpu", "io.decode-bin-provenance", "webgpu", "partial", "source-contract", "none",
     false, "browser", "evidence-gap", "no hardware adapter yet", 2, 2, 0, "io.webgpu.cold"},
    {"matmul::cpu-reference", "matmul", "cpu-reference", "reference", "portable-parity", "none", false, "portable-cpu",
     "ready", "", 0, 0, 0, ""},
    {"matmul::cuda", "matmul", "cuda", "not-implemented", "unsupported-contract", "none", false, "physical-cuda",
     "unsupported", "never written", 0, 0, 0, ""},
};

static const sy_matrix matrix = {"own/v1", capabilities, 2, backends, 3, cells, 5};
static const sy_registry_coverage coverage = {
    .ready_with_open_gates = 1, .gates_that_cannot_measure = 2, .schedules_without_runner = 3};

static sy_report_matrix_view view_of(const char *capability, const char *backend)
{
    return (sy_report_matrix_view){&matrix, &coverage, capability, backend};
}

static char *text_of(const sy_report_matrix_view *view, uint32_t columns, bool color, bool utf8)
{
    const sy_report_style style = {.columns = columns, .color = color, .utf8 = utf8};
    char *text = NULL;

    assert_int_equal(sy_report_matrix(view, &style, &text, NULL), SY_OK);
    return text;
}

static void a_picture_in_ascii(void **state)
{
    sy_report_matrix_view view = view_of(NULL, NULL);
    char *text = text_of(&view, 80, false, false);

    (void)state;
    assert_string_equal(text, "own/v1: 2 capabilities on 3 backends, 5 open gates\n"
                              "\n"
                              "Capability                cpu-reference  cuda  webgpu\n"
                              "-----------------------------------------------------\n"
                              "io.decode-bin-provenance  +              ~ 3   o 2\n"
                              "matmul                    o              -     ?\n"
                              "\n"
                              "+ measured        1  evidence, no gate open\n"
                              "~ partial         1  evidence, so many gates open\n"
                              "o gap             2  no evidence, so many gates open\n"
                              "- unsupported     1  not there, and says so\n"
                              "? missing         1  no cell of the matrix\n"
                              "\n"
                              "o io.decode-bin-provenance::webgpu: evidence-gap, 2 of 2 gates open, 0 measured\n"
                              "    next: io.webgpu.cold\n"
                              "    no hardware adapter yet\n"
                              "o matmul::cpu-reference: ready, no gate is assigned to it\n"
                              "\n"
                              "~ io.decode-bin-provenance::cuda: ready, 3 of 8 gates open, 5 measured\n"
                              "    next: io.cuda.cold\n"
                              "\n"
                              "- matmul::cuda: unsupported\n"
                              "    never written\n"
                              "\n"
                              "Of the whole matrix: 1 cells called ready with gates open; 3 cells scheduled\n"
                              "  without a ready runner; 2 open gates whose runbook cannot measure them.\n"
                              "  steelyard matrix validate lists them.\n");
    sy_text_free(text);
}

static void a_narrow_picture_numbers_its_backends_and_breaks_names(void **state)
{
    sy_report_matrix_view view = view_of(NULL, NULL);
    char *text = text_of(&view, 40, false, true);

    (void)state;
    assert_non_null(strstr(text, "1=cpu-reference, 2=cuda, 3=webgpu\n"));
    assert_non_null(strstr(text, "\nCapability                1  2    3\n"));
    assert_non_null(strstr(text, "\nio.decode-bin-provenance  \xe2\x9c\x93  \xe2\x97\x90 3  \xe2\x97\x8b 2\n"));
    sy_text_free(text);
}

static void no_line_is_longer_than_the_terminal(void **state)
{
    sy_report_matrix_view view = view_of(NULL, NULL);

    (void)state;
    for (uint32_t columns = 40; columns <= 200; columns++) {
        for (int utf8 = 0; utf8 < 2; utf8++) {
            char *text = text_of(&view, columns, false, utf8 == 1);

            expect_narrow(text, columns);
            sy_text_free(text);
        }
    }
}

/* Thirty backends of long names and a capability that has no place to break. */
static void more_backends_than_fit_make_several_pictures(void **state)
{
    enum { MANY = 30 };
    const char *long_capability[] = {"a-capability-with-a-name-that-is-longer-than-any-screen-is-wide-and-then-some"};
    const char *many[MANY];
    sy_matrix wide = {"own/v1", long_capability, 1, many, MANY, NULL, 0};
    sy_report_matrix_view view = {&wide, NULL, NULL, NULL};

    (void)state;
    for (size_t i = 0; i < MANY; i++)
        many[i] = "the-backend-of-somebody";
    for (uint32_t columns = 40; columns <= 160; columns += 3) {
        char *text = text_of(&view, columns, false, false);
        size_t pictures = 0;

        expect_narrow(text, columns);
        for (const char *at = text; (at = strstr(at, "Capability ")) != NULL; at++)
            pictures++;
        assert_true(columns > 140 ? pictures == 1 : pictures >= 1);
        assert_true(columns > 60 || pictures > 1);
        assert_non_null(strstr(text, "? missing        30"));
        sy_text_free(text);
    }
}

static void colour_comes_with_signs_that_say_the_same(void **state)
{
    sy_report_matrix_view view = view_of(NULL, NULL);
    char *plain = text_of(&view, 80, false, true);
    char *colored = text_of(&view, 80, true, true);
    char *to = colored;

    (void)state;
    assert_non_null(strstr(colored, "\033[1;32m\xe2\x9c\x93\033[0m"));
    for (const char *at = colored; *at != '\0';) {
        if (*at == '\033') {
            at += strcspn(at, "m") + 1;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
    assert_string_equal(colored, plain);
    sy_text_free(plain);
    sy_text_free(colored);
}

static void a_filter_takes_one_capability_and_one_backend(void **state)
{
    sy_report_matrix_view view = view_of("IO.decode-bin-provenance", "CUDA");
    char *text = text_of(&view, 80, false, false);

    (void)state;
    assert_non_null(strstr(text, "own/v1: 1 capability on 1 backend, 3 open gates\n"));
    assert_null(strstr(text, "webgpu"));
    assert_null(strstr(text, "matmul"));
    assert_non_null(strstr(text, "next: io.cuda.cold"));
    sy_text_free(text);
}

static void a_name_that_the_matrix_lacks_is_refused_with_those_it_has(void **state)
{
    sy_report_matrix_view view = view_of(NULL, "cud");
    char *text = NULL;
    sy_error err = SY_ERROR_INIT;

    (void)state;
    assert_int_equal(sy_report_matrix(&view, NULL, &text, &err), SY_NOT_FOUND);
    assert_string_equal(err.what, "the matrix has no backend 'cud'");
    assert_string_equal(err.hint, "it has: cpu-reference, cuda, webgpu");
    view = view_of("mat", NULL);
    assert_int_equal(sy_report_matrix_json(&view, &text, &err), SY_NOT_FOUND);
    assert_string_equal(err.what, "the matrix has no capability 'mat'");
    assert_null(text);
}

static void what_is_measured_and_called_a_gap_is_partial(void **state)
{
    sy_matrix_cell cell = cells[0];
    const char *const one[] = {cell.capability};
    const char *const backend[] = {cell.backend};
    const sy_matrix small = {"own/v1", one, 1, backend, 1, &cell, 1};
    sy_report_matrix_view view = {&small, NULL, NULL, NULL};
    char *text;

    (void)state;
    cell.state = "evidence-gap";
    text = text_of(&view, 100, false, false);
    assert_non_null(strstr(text, "~ partial         1"));
    assert_non_null(strstr(text, "cpu-reference: evidence-gap, 0 of 2 gates open, 2 measured\n"
                                 "    each of its gates is closed, and the matrix calls it a gap\n"));
    sy_text_free(text);
    cell.measured_gates = 0;
    text = text_of(&view, 100, false, false);
    assert_non_null(strstr(text, "o gap             1"));
    assert_null(strstr(text, "closed"));
    sy_text_free(text);
}

static void an_empty_matrix_is_said_to_be_empty(void **state)
{
    const sy_matrix none = {NULL, NULL, 0, NULL, 0, NULL, 0};
    sy_report_matrix_view view = {&none, NULL, NULL, NULL};
    char *text = text_of(&view, 80, false, false);

    (void)state;
    assert_string_equal(text, "matrix: 0 capabilities on 0 backends, 0 open gates\n\n");
    sy_text_free(text);
}

static void the_json_form_is_the_example_of_the_format(void **state)
{
    sy_report_matrix_view view = view_of(NULL, NULL);
    char *expected = NULL;
    size_t size = 0;
    char *json = NULL;

    (void)state;
    assert_int_equal(sy_file_read(STEELYARD_SOURCE_DIR "/tests/data/registry/matrix.json", 0, &expected, &size, NULL),
                     SY_OK);
    assert_int_equal(sy_report_matrix_json(&view, &json, NULL), SY_OK);
    assert_string_equal(json, expected);
    sy_text_free(json);
    sy_free(expected);
}

static sy_status scenario(void *user)
{
    sy_report_matrix_view view = view_of(NULL, NULL);
    const sy_report_style style = {.columns = 44};
    char *text = NULL;
    char *json = NULL;
    sy_status status = sy_report_matrix(&view, &style, &text, NULL);

    (void)user;
    if (status == SY_OK)
        status = sy_report_matrix_json(&view, &json, NULL);
    sy_text_free(text);
    sy_text_free(json);
    return status;
}

static void a_lack_of_memory_is_said(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(scenario, NULL, true) > 5);
    assert_true(fault_loop_allocations(scenario, NULL, false) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_in_ascii),
        cmocka_unit_test(a_narrow_picture_numbers_its_backends_and_breaks_names),
        cmocka_unit_test(no_line_is_longer_than_the_terminal),
        cmocka_unit_test(more_backends_than_fit_make_several_pictures),
        cmocka_unit_test(colour_comes_with_signs_that_say_the_same),
        cmocka_unit_test(a_filter_takes_one_capability_and_one_backend),
        cmocka_unit_test(a_name_that_the_matrix_lacks_is_refused_with_those_it_has),
        cmocka_unit_test(what_is_measured_and_called_a_gap_is_partial),
        cmocka_unit_test(an_empty_matrix_is_said_to_be_empty),
        cmocka_unit_test(the_json_form_is_the_example_of_the_format),
        cmocka_unit_test(a_lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
