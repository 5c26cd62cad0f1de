/* SPDX-License-Identifier: Apache-2.0 */
/* One event folded into a row, and a row to fold it into, for the tests of a run's life. Needs cmocka. */
#ifndef STEELYARD_TESTS_LEDGER_LIFE_H
#define STEELYARD_TESTS_LEDGER_LIFE_H

#include "ledger/run_life.h"
#include "ledger_fixture.h"

#define ID "20261129-233000-abcdef"

/* One event folded into a row; the row's texts live in the arena. */
static inline sy_status fold(const sy_run_row *before, batch *b, bool follows_begin, sy_arena *arena,
                             sy_run_row *ret_row, sy_error *err)
{
    sy_json *json = NULL;
    const sy_ledger_entry *entry = &b->entries[0];
    assert_int_equal(b->count, 1);
    assert_int_equal(sy_json_parse(entry->body, entry->body_size, &(sy_json_limits)SY_JSON_LIMITS_INIT, &json, NULL),
                     SY_OK);
    sy_life_event event = {
        entry->kind,       before == NULL ? 5 : before->number + 1, 1795959859, entry->run, follows_begin, json,
        sy_json_root(json)};
    sy_status status = sy_run_life_fold(before, &event, arena, ret_row, err);
    sy_json_destroy(json);
    batch_clear(b);
    return status;
}

/* A row of a session in that status, as good as can be. */
static inline sy_run_row row_of(sy_run_status status)
{
    return (sy_run_row){
        .id = ID,
        .number = 5,
        .kind = status == SY_RUN_IMPORTED ? SY_RUN_KIND_IMPORT : SY_RUN_KIND_SESSION,
        .status = status,
        .reason = "",
        .question = "",
        .conclusion = "",
        .gate = "gate",
        .cell = "matmul::cpu",
        .tier = "scheduled-profile",
        .protocol = "",
        .revision = "0123456789abcdef",
        .host = "h",
        .device = "cpu",
        .origin = "",
        .key_digest = "",
        .began_utc_s = 1795959859,
        .parity = SY_RUN_PARITY_PASSED,
        .hardware = 1,
        .lease_whole = true,
        .fence = 3,
        .series_count = 1,
        .sample_count = 3,
    };
}

#endif
