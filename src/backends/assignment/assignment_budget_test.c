/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of memory budgets: the values, their bytes, and what is refused. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <string.h>

#include "assignment_tables.h"
#include "base/random.h"
#include "base/text.h"
#include "comma_locale.h"
#include "fault_loop.h"

#define GIB (UINT64_C(1) << 30)

static sy_memory_budgets *parse(const char *text)
{
    sy_memory_budgets *budgets = NULL;
    sy_error error = SY_ERROR_INIT;
    if (sy_memory_budgets_parse(&machine, text, &budgets, &error))
        fail_msg("%s: %s (%s)", text, error.what, error.hint);
    return budgets;
}

static void a_number_above_zero_is_a_cap_zero_is_off_and_below_zero_is_free_memory_less_so_much(void **state)
{
    (void)state;
    sy_memory_budgets *budgets = parse("all=8, VAE = 1.5 ,te=-0.5,clip-vision=0");
    assert_int_equal(budgets->fallback.kind, SY_BUDGET_CAP);
    assert_int_equal(budgets->fallback.bytes, 8 * GIB);
    assert_int_equal(budgets->module_count, MODULES);
    assert_int_equal(budgets->modules[VAE].kind, SY_BUDGET_CAP);
    assert_int_equal(budgets->modules[VAE].bytes, GIB + GIB / 2);
    assert_int_equal(budgets->modules[VAE].position.offset, 7);
    assert_int_equal(budgets->modules[TEXT].kind, SY_BUDGET_FREE_MINUS);
    assert_int_equal(budgets->modules[TEXT].bytes, GIB / 2);
    assert_int_equal(budgets->modules[VISION].kind, SY_BUDGET_OFF);
    assert_true(budgets->modules[VISION].stated);
    assert_false(budgets->modules[DIFFUSION].stated);
    assert_int_equal(budgets->modules[DIFFUSION].bytes, 8 * GIB);
    assert_string_equal(budgets->modules[DIFFUSION].module, "diffusion");
    sy_memory_budgets_destroy(budgets);
    budgets = parse("");
    assert_int_equal(budgets->fallback.kind, SY_BUDGET_OFF);
    assert_false(budgets->fallback.stated);
    sy_memory_budgets_destroy(budgets);
    budgets = parse(" , 3,te=1e-3");
    assert_int_equal(budgets->fallback.bytes, 3 * GIB);
    assert_int_equal(budgets->modules[TEXT].bytes, 1073742); /* 1073741.824 */
    sy_memory_budgets_destroy(budgets);
}

static void the_later_of_two_budgets_counts_and_the_other_is_told(void **state)
{
    (void)state;
    sy_memory_budgets *budgets = parse("4,te=1,all=2,T-E=3");
    assert_int_equal(budgets->fallback.bytes, 2 * GIB);
    assert_int_equal(budgets->modules[TEXT].bytes, 3 * GIB);
    assert_int_equal(budgets->overruled_count, 2);
    assert_string_equal(budgets->overruled[0].part, "4");
    assert_string_equal(budgets->overruled[0].by, "all=2");
    assert_string_equal(budgets->overruled[1].part, "te=1");
    sy_memory_budgets_destroy(budgets);
}

static void what_a_budget_allows_is_never_more_than_is_free(void **state)
{
    (void)state;
    const sy_memory_budget off = {.kind = SY_BUDGET_OFF}, cap = {.kind = SY_BUDGET_CAP, .bytes = 100},
                           less = {.kind = SY_BUDGET_FREE_MINUS, .bytes = 100};
    assert_true(sy_memory_budget_bytes(&off, 50) == UINT64_MAX);
    assert_int_equal(sy_memory_budget_bytes(&cap, 150), 100);
    assert_int_equal(sy_memory_budget_bytes(&cap, 50), 50);
    assert_int_equal(sy_memory_budget_bytes(&less, 150), 50);
    assert_int_equal(sy_memory_budget_bytes(&less, 100), 0);
    assert_int_equal(sy_memory_budget_bytes(&less, 50), 0);
}

static void what_is_no_finite_decimal_number_is_refused_at_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sy_status status;
        uint64_t offset;
        const char *what;
        const char *hint;
    } refusals[] = {
        {"te=nan", SY_INVALID_ARGUMENT, 3, "part 'te=nan': 'nan' is no decimal number of GiB", "1.5"},
        {"te=-inf", SY_INVALID_ARGUMENT, 3, "part 'te=-inf': '-inf' is no decimal number of GiB", ""},
        {"te=infinity", SY_INVALID_ARGUMENT, 3, "part 'te=infinity': 'infinity' is no decimal number of GiB", ""},
        {"te=0x10", SY_INVALID_ARGUMENT, 3, "part 'te=0x10': '0x10' is no decimal number of GiB", ""},
        {"te=+1", SY_INVALID_ARGUMENT, 3, "part 'te=+1': '+1' is no decimal number of GiB", ""},
        {"te=- 1", SY_INVALID_ARGUMENT, 3, "part 'te=- 1': '- 1' is no decimal number of GiB", ""},
        {"te=8GiB", SY_INVALID_ARGUMENT, 3, "part 'te=8GiB': '8GiB' is no decimal number of GiB", ""},
        {"te=1e", SY_INVALID_ARGUMENT, 3, "part 'te=1e': '1e' is no decimal number of GiB", ""},
        {"te=.", SY_INVALID_ARGUMENT, 3, "part 'te=.': '.' is no decimal number of GiB", ""},
        {"te=1e999", SY_INVALID_ARGUMENT, 3, "part 'te=1e999': '1e999' is more than any memory", "8589934592"},
        {"te=8589934593", SY_INVALID_ARGUMENT, 3, "part 'te=8589934593': '8589934593' is more than any memory", ""},
        {"te=-1e300", SY_INVALID_ARGUMENT, 3, "part 'te=-1e300': '-1e300' is more than any memory", ""},
        {"te=1e-300", SY_INVALID_ARGUMENT, 3, "part 'te=1e-300': '1e-300' is less than a byte", "0 means no limit"},
        {"vae=1,5", SY_INVALID_ARGUMENT, 6, "part '5': '5' has no module, behind another part", "decimal sign is '.'"},
        {"1,5", SY_INVALID_ARGUMENT, 2, "part '5': '5' has no module, behind another part", "all=..."},
        {"te=1&2", SY_INVALID_ARGUMENT, 3, "part 'te=1&2': '1&2' is no decimal number of GiB", ""},
        {"vea=1", SY_NOT_FOUND, 0, "part 'vea=1': no module 'vea'", "did you mean 'vae'?"},
        {"te=", SY_INVALID_ARGUMENT, 2, "part 'te=': nothing behind the '='", ""},
        {"te=nan,te=1", SY_INVALID_ARGUMENT, 3, "part 'te=nan': 'nan' is no decimal number of GiB", ""},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        sy_memory_budgets *budgets = NULL;
        sy_error error = SY_ERROR_INIT;
        sy_status status = sy_memory_budgets_parse(&machine, refusals[i].text, &budgets, &error);
        if (status != refusals[i].status || budgets || strcmp(error.what, refusals[i].what) != 0 ||
            !strstr(error.hint, refusals[i].hint) || error.position.offset != refusals[i].offset)
            fail_msg("'%s': %s: '%s' (%s) at %u", refusals[i].text, sy_status_word(status), error.what, error.hint,
                     error.position.column);
    }
}

static void the_process_s_locale_changes_nothing(void **state)
{
    (void)state;
    if (!enter_a_comma_locale(STEELYARD_BINARY_DIR, "comma_locale_budgets")) {
        print_message("skipped: no locale with a decimal comma can be made here (localedef, de_DE)\n");
        skip();
    }
    char proof[16];
    (void)snprintf(proof, sizeof proof, "%.1f", 0.5);
    assert_string_equal(proof, "0,5");
    char *text = NULL;
    sy_memory_budgets *budgets = parse("vae=1.5,te=0.12345678901234567890");
    assert_int_equal(budgets->modules[VAE].bytes, GIB + GIB / 2);
    assert_int_equal(sy_memory_budgets_text(budgets, &text, NULL), SY_OK);
    (void)setlocale(LC_ALL, "C");
    assert_non_null(strstr(text, "vae=1.5"));
    sy_text_free(text);
    sy_memory_budgets_destroy(budgets);
}

static void the_largest_budget_fits(void **state)
{
    (void)state;
    sy_memory_budgets *budgets = parse("te=8589934592,vae=-8589934592");
    assert_true(budgets->modules[TEXT].bytes == UINT64_C(1) << 63);
    assert_int_equal(sy_memory_budget_bytes(&budgets->modules[VAE], 5), 0);
    sy_memory_budgets_destroy(budgets);
}

static void expect_alike(const char *text, const sy_memory_budget *a, const sy_memory_budget *b)
{
    if (a->kind != b->kind || a->bytes != b->bytes || a->stated != b->stated)
        fail_msg("'%s': %s %llu became %llu", text, a->module, (unsigned long long)a->bytes,
                 (unsigned long long)b->bytes);
}

static void what_is_written_means_what_was_read(void **state)
{
    (void)state;
    sy_random random;
    sy_random_start(&random, 7, "budgets");
    for (int round = 0; round < 5000; round++) {
        sy_text text = SY_TEXT_INIT;
        char *written = NULL;
        const double scale = (double)(UINT64_C(1) << sy_random_below(&random, 60)) / (double)(1 << 28);
        sy_text_append_format(&text, "%s", sy_random_coin(&random) ? "all=" : "te=1,vae=-");
        sy_text_append_double(&text, (1e-9 + sy_random_unit(&random)) * scale);
        sy_memory_budgets *first = NULL, *second = NULL;
        if (sy_memory_budgets_parse(&machine, text.bytes, &first, NULL) == SY_OK) {
            assert_int_equal(sy_memory_budgets_text(first, &written, NULL), SY_OK);
            second = parse(written);
            expect_alike(text.bytes, &first->fallback, &second->fallback);
            for (size_t m = 0; m < MODULES; m++)
                expect_alike(text.bytes, &first->modules[m], &second->modules[m]);
        }
        sy_text_free(written);
        sy_memory_budgets_destroy(first);
        sy_memory_budgets_destroy(second);
        sy_text_finish(&text);
    }
}

static sy_status scenario(void *user)
{
    (void)user;
    sy_memory_budgets *budgets = NULL;
    char *text = NULL;
    sy_error error = SY_ERROR_INIT;
    sy_status status = sy_memory_budgets_parse(&machine, "vae=1,te=2,vae=3", &budgets, &error);
    if (!status)
        status = sy_memory_budgets_text(budgets, &text, &error);
    sy_text_free(text);
    sy_memory_budgets_destroy(budgets);
    return status;
}

static void every_failed_allocation_is_an_error_and_leaves_nothing(void **state)
{
    (void)state;
    assert_true(fault_loop_allocations(scenario, NULL, true) >= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_above_zero_is_a_cap_zero_is_off_and_below_zero_is_free_memory_less_so_much),
        cmocka_unit_test(the_later_of_two_budgets_counts_and_the_other_is_told),
        cmocka_unit_test(what_a_budget_allows_is_never_more_than_is_free),
        cmocka_unit_test(what_is_no_finite_decimal_number_is_refused_at_its_place),
        cmocka_unit_test(the_process_s_locale_changes_nothing),
        cmocka_unit_test(the_largest_budget_fits),
        cmocka_unit_test(what_is_written_means_what_was_read),
        cmocka_unit_test(every_failed_allocation_is_an_error_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
