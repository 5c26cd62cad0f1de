/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of a ledger's events: no bytes crash a reader, and what one accepts is written and read again as the same
 * bytes. What is private in them is taken out whole, and is gone then. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "record/private_text.h"
#include "record/run_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(int right)
{
    if (!right) {
        abort();
    }
}

typedef sy_status (*again_fn)(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_text *to);

/* Reads one kind of body, and writes what was read. */
#define AGAIN(name, type, read, write)                                                                  \
    static sy_status name(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_text *to) \
    {                                                                                                   \
        type event;                                                                                     \
        sy_status status = read(json, body, arena, &event, NULL);                                       \
        if (status == SY_OK) {                                                                          \
            need(write(&event, to, NULL) == SY_OK);                                                     \
        }                                                                                               \
        return status;                                                                                  \
    }

AGAIN(begin, sy_run_begin, sy_run_begin_read, sy_run_begin_write)
AGAIN(lease, sy_run_lease, sy_run_lease_read, sy_run_lease_write)
AGAIN(check, sy_run_check, sy_run_check_read, sy_run_check_write)
AGAIN(command, sy_run_command, sy_run_command_read, sy_run_command_write)
AGAIN(parity, sy_run_parity_event, sy_run_parity_read_body, sy_run_parity_write)
AGAIN(memory, sy_run_memory, sy_run_memory_read, sy_run_memory_write)
AGAIN(artifact, sy_run_artifact, sy_run_artifact_read, sy_run_artifact_write)
AGAIN(digest, sy_run_digest, sy_run_digest_read, sy_run_digest_write)
AGAIN(decision, sy_run_decision, sy_run_decision_read, sy_run_decision_write)
AGAIN(profile, sy_run_profile, sy_run_profile_read, sy_run_profile_write)
AGAIN(end, sy_run_end, sy_run_end_read, sy_run_end_write)
AGAIN(accept, sy_run_accept, sy_run_accept_read, sy_run_accept_write)
AGAIN(verdict, sy_run_verdict, sy_run_verdict_read, sy_run_verdict_write)
AGAIN(change, sy_run_change, sy_run_change_read, sy_run_change_write)
AGAIN(signoff, sy_run_signoff, sy_run_signoff_read, sy_run_signoff_write)
AGAIN(promotion, sy_run_promotion, sy_run_promotion_read, sy_run_promotion_write)
AGAIN(selftest, sy_gate_selftest, sy_gate_selftest_read, sy_gate_selftest_write)

static sy_status note(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_text *to)
{
    const char *text;
    sy_status status = sy_run_note_read(json, body, arena, &text, NULL);
    if (status == SY_OK) {
        need(sy_run_note_write(text, to, NULL) == SY_OK);
    }
    return status;
}

/* Its writer computes from samples, of which the body has none. */
static sy_status series(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_text *to)
{
    sy_run_series event;
    sy_status status = sy_run_series_read(json, body, arena, &event, NULL);
    if (status == SY_OK) {
        need(event.samples == NULL && event.usable_count <= event.count && strlen(event.digest) == 64);
        event.count = 0;
        need(sy_run_series_write(&event, to, NULL) == SY_OK);
    }
    return status;
}

static sy_status key(const sy_json *json, const sy_json_value *body, sy_arena *arena, sy_text *to)
{
    sy_comparison_key whole;
    char hex[65];
    sy_status status = sy_comparison_key_read(json, body, arena, &whole, NULL);
    if (status == SY_OK) {
        need(sy_comparison_key_write(&whole, to, NULL) == SY_OK);
        need(sy_comparison_key_digest(&whole, hex, NULL) == SY_OK);
        need((hex[0] != '\0') == sy_comparison_key_is_complete(&whole));
    }
    return status;
}

static const again_fn kinds[] = {begin,  lease,    check,   command, parity,    memory,  artifact,
                                 digest, decision, profile, end,     accept,    note,    series,
                                 key,    verdict,  change,  signoff, promotion, selftest};

static void use(const sy_json *json, const sy_json_value *body, again_fn again)
{
    sy_text once = SY_TEXT_INIT;
    sy_text twice = SY_TEXT_INIT;
    sy_json *second = NULL;
    sy_arena *arena = sy_arena_create(0);
    if (again(json, body, arena, &once) == SY_OK) {
        need(sy_json_parse(once.bytes, once.length, NULL, &second, NULL) == SY_OK);
        need(again(second, sy_json_root(second), arena, &twice) == SY_OK);
        need(strcmp(once.bytes, twice.bytes) == 0);
    }
    sy_arena_destroy(arena);
    sy_json_destroy(second);
    sy_text_finish(&once);
    sy_text_finish(&twice);
}

static void clean(const uint8_t *data, size_t size)
{
    sy_arena *arena = sy_arena_create(0);
    const char *text = sy_arena_copy_bytes(arena, data, size);
    const char *left = sy_private_clean(arena, text);
    need(sy_private_find(left, strlen(left), NULL) == SY_PRIVATE_NONE);
    need(sy_private_clean(arena, left) == left);
    (void)sy_private_find((const char *)data, size, NULL);
    sy_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sy_json *json = NULL;
    bool in_name;
    sy_private_kind kind;
    clean(data, size);
    if (sy_json_parse(data, size, NULL, &json, NULL) != SY_OK) {
        return 0;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        use(json, sy_json_root(json), kinds[i]);
    }
    (void)sy_private_in_json(json, sy_json_root(json), &in_name, &kind);
    sy_json_destroy(json);
    return 0;
}
