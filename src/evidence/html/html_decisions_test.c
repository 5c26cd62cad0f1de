/* SPDX-License-Identifier: Apache-2.0 */
/* Decision runs on a page: what their probe found is read back from the kept file, or the page says why it is not. */
#include "recording_support.h"

#include <steelyard/html.h>

/* A probe on the scripted device, recorded. */
static sy_recorded record_probe(const place_of_runs *p, sy_probe_result **ret_result)
{
    sy_recorded recorded = {"", ""};
    sy_error err = SY_ERROR_INIT;
    sy_recording_options options = recording_of(p);
    sy_probe_options probe = seeded(1);
    sy_recording *recording = begun(p, SY_RUN_KIND_DECISION, &options);
    assert_int_equal(sy_probe(p->device, p->suite, &probe, ret_result, &err), SY_OK);
    if (sy_recording_keep_probe(recording, *ret_result, &recorded, &err) != SY_OK)
        fail_msg("%s (%s)", err.what, err.hint);
    sy_recording_close(recording);
    return recorded;
}

static sy_html_content *collect_page(const place_of_runs *p)
{
    sy_html_content *content = NULL;
    sy_error err = SY_ERROR_INIT;
    if (sy_project_html(p->project, NULL, &content, &err) != SY_OK)
        fail_msg("%s", err.what);
    return content;
}

static void a_decision_run_has_what_its_probe_found(void **state)
{
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_probe_result *result = NULL;
    const sy_recorded recorded = record_probe(&p, &result);
    sy_html_content *content = collect_page(&p);
    assert_int_equal(content->run_count, 1);
    assert_int_equal(content->session_count, 0); /* no dots, a page */
    const sy_html_run *run = &content->runs[0];
    assert_string_equal(run->run->row.id, recorded.run);
    assert_string_equal(run->probe_missing, "");
    assert_non_null(run->probe);
    assert_int_equal(run->probe->decision, SY_DECISION_WIN);
    assert_int_equal(run->probe->pairs, result->pairs);
    assert_int_equal(run->probe->sample_count, result->sample_count);
    assert_non_null(run->strips);
    sy_html_content_destroy(content);
    sy_probe_result_destroy(result);
    leave_runs(&p);
}

static void a_kept_file_that_was_changed_or_is_gone_is_said_to_be_so(void **state)
{
    (void)state;
    place_of_runs p = runs_with(EXACT_SCRIPT);
    sy_probe_result *result = NULL;
    char path[1024];
    (void)record_probe(&p, &result);
    sy_html_content *content = collect_page(&p);
    const char *digest = content->runs[0].run->artifacts[0].digest;
    snprintf(path, sizeof path, "%s/.steelyard/artifacts/%.2s/%s", (const char *)p.folder, digest, digest);
    sy_html_content_destroy(content);
    assert_int_equal(chmod(path, 0600), 0);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs("{}", file) >= 0);
    assert_int_equal(fclose(file), 0);
    content = collect_page(&p);
    assert_null(content->runs[0].probe);
    assert_true(content->runs[0].probe_missing[0] != '\0');
    assert_non_null(content->runs[0].run->decision); /* the event tells the decision still */
    sy_html_content_destroy(content);
    assert_int_equal(unlink(path), 0);
    content = collect_page(&p);
    assert_null(content->runs[0].probe);
    assert_true(content->runs[0].probe_missing[0] != '\0');
    sy_html_content_destroy(content);
    sy_probe_result_destroy(result);
    leave_runs(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decision_run_has_what_its_probe_found),
        cmocka_unit_test(a_kept_file_that_was_changed_or_is_gone_is_said_to_be_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
