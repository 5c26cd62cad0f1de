/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the page as a whole: what it allows, and that no text of it is markup. */
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/report.h>
#include <string.h>

#include "cmocka_headers.h"
#include "report/dashboard/dashboard_test_data.h"

static void a_page_has_all_its_parts(void **state)
{
    static dashboard_data d;
    sy_html_content content = {
        .title = "demo", .tool = "steelyard 0.1.0", .written_utc_s = DATA_BEGAN, .dashboard = &d.dashboard};
    sy_error err = SY_ERROR_INIT;
    char *html = NULL;
    size_t size = 0;

    (void)state;
    fill_dashboard(&d);
    assert_int_equal(sy_report_html(&content, NULL, &html, &size, &err), SY_OK);
    assert_int_equal(strlen(html), size);
    assert_non_null(strstr(html, "steelyard.page/1"));
    if (getenv("STEELYARD_PAGE") != NULL)
        assert_int_equal(sy_report_save(html, getenv("STEELYARD_PAGE"), &err), SY_OK);
    sy_text_free(html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_page_has_all_its_parts)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
