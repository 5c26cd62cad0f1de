/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of acceptance: each fault alone keeps a session out, all of them are told at once. */
#include "cmocka_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger_life.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void spoil_status(sy_run_row *row)
{
    row->status = SY_RUN_FAILED;
}
static void spoil_kind(sy_run_row *row)
{
    row->kind = SY_RUN_KIND_DECISION;
}
static void spoil_import(sy_run_row *row)
{
    row->kind = SY_RUN_KIND_IMPORT;
    row->status = SY_RUN_IMPORTED;
}
static void spoil_parity(sy_run_row *row)
{
    row->parity = SY_RUN_PARITY_INCOMPLETE;
}
static void spoil_tree(sy_run_row *row)
{
    row->dirty = 1;
}
static void hide_tree(sy_run_row *row)
{
    row->dirty = -1;
}
static void spoil_lease(sy_run_row *row)
{
    row->lease_whole = false;
}
static void spoil_samples(sy_run_row *row)
{
    row->sample_count = 0;
}
static void spoil_tier(sy_run_row *row)
{
    row->tier = "diagnostic";
}
static void smoke_tier(sy_run_row *row)
{
    row->tier = "pr-smoke";
}
static void spoil_device(sy_run_row *row)
{
    row->hardware = 0;
}
static void hide_device(sy_run_row *row)
{
    row->hardware = -1;
}
static void spoil_times(sy_run_row *row)
{
    row->synthetic = true;
}
static void accept_already(sy_run_row *row)
{
    row->accepted = true;
}

static const struct {
    void (*spoil)(sy_run_row *row);
    const char *reason;
} spoilers[] = {
    {spoil_status, "its status is failed"},
    {spoil_kind, "it is a decision, no session"},
    {spoil_import, "it is imported"},
    {spoil_parity, "its parity is incomplete"},
    {spoil_tree, "its tree is dirty and the difference not kept"},
    {hide_tree, "nobody knows if its tree was clean"},
    {spoil_lease, "it had no lease throughout"},
    {spoil_samples, "it has no samples"},
    {spoil_tier, "its tier is diagnostic"},
    {smoke_tier, "its tier is pr-smoke"},
    {spoil_device, "software played the device"},
    {hide_device, "nobody knows if its device is a physical one"},
    {spoil_times, "its times are made up"},
    {accept_already, "it is accepted already"},
};

static void each_fault_alone_keeps_a_session_from_being_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(spoilers); i++) {
        batch b = {.count = 0};
        sy_error err = SY_ERROR_INIT;
        sy_run_row row = row_of(SY_RUN_OK);
        sy_run_row after;
        char expected[128];
        sy_arena *arena = sy_arena_create(0);
        spoilers[i].spoil(&row);
        batch_accept(&b, ID);
        assert_int_equal(fold(&row, &b, false, arena, &after, &err), SY_REFUSED);
        snprintf(expected, sizeof expected, "not accepted: %s", spoilers[i].reason);
        assert_string_equal(err.what, expected);
        sy_arena_destroy(arena);
    }
}

static void a_good_session_is_accepted_and_these_excuses_hold(void **state)
{
    batch b = {.count = 0};
    sy_run_row good = row_of(SY_RUN_OK);
    sy_run_row after;
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    batch_accept(&b, ID);
    assert_int_equal(fold(&good, &b, false, arena, &after, NULL), SY_OK);
    assert_true(after.accepted);

    sy_run_row row = good; /* a dirty tree whose difference is kept */
    row.dirty = 1;
    row.diff_is_kept = true;
    batch_accept(&b, ID);
    assert_int_equal(fold(&row, &b, false, arena, &after, NULL), SY_OK);

    row = good; /* made-up times of the backend that makes them up */
    row.synthetic = true;
    row.cell = "matmul::fake";
    batch_accept(&b, ID);
    assert_int_equal(fold(&row, &b, false, arena, &after, NULL), SY_OK);
    row.hardware = 0; /* which is software, whatever gate it has */
    batch_accept(&b, ID);
    assert_int_equal(fold(&row, &b, false, arena, &after, NULL), SY_OK);

    row = good; /* software as the device, where no gate asks for hardware */
    row.hardware = 0;
    row.gate = "";
    batch_accept(&b, ID);
    assert_int_equal(fold(&row, &b, false, arena, &after, NULL), SY_OK);
    row.hardware = -1;
    batch_accept(&b, ID);
    assert_int_equal(fold(&row, &b, false, arena, &after, NULL), SY_OK);

    row = good;
    row.tier = "release-signoff";
    batch_accept(&b, ID);
    assert_int_equal(fold(&row, &b, false, arena, &after, NULL), SY_OK);
    sy_arena_destroy(arena);
}

static void every_reason_is_listed_at_once(void **state)
{
    sy_text reasons = SY_TEXT_INIT;
    sy_run_row row = row_of(SY_RUN_FAILED);
    (void)state;
    row.parity = SY_RUN_PARITY_FAILED;
    row.dirty = 1;
    row.lease_whole = false;
    row.tier = "diagnostic";
    sy_run_life_refusals(&row, &reasons);
    assert_string_equal(reasons.bytes, "its status is failed; its parity is failed; its tree is dirty and the "
                                       "difference not kept; it had no lease throughout; its tier is diagnostic");
    sy_text_finish(&reasons);
    row = row_of(SY_RUN_OK);
    sy_run_life_refusals(&row, &reasons);
    assert_int_equal(reasons.length, 0);
}

static void a_superseded_session_leaves_the_baseline(void **state)
{
    batch b = {.count = 0};
    sy_run_row row = row_of(SY_RUN_OK);
    sy_arena *arena = sy_arena_create(0);
    (void)state;
    row.accepted = true;
    row.ended_utc_s = 17;
    row.conclusion = "as before";
    batch_end(&b, ID, SY_RUN_SUPERSEDED);
    assert_int_equal(fold(&row, &b, false, arena, &row, NULL), SY_OK);
    assert_false(row.accepted);
    assert_int_equal(row.ended_utc_s, 17);
    assert_string_equal(row.conclusion, "as before");
    sy_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_alone_keeps_a_session_from_being_accepted),
        cmocka_unit_test(a_good_session_is_accepted_and_these_excuses_hold),
        cmocka_unit_test(every_reason_is_listed_at_once),
        cmocka_unit_test(a_superseded_session_leaves_the_baseline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
