/* SPDX-License-Identifier: Apache-2.0 */
/* What collectors share: texts that are kept once, command lines, events by their kind. */
#include "evidence/dashboard/collecting.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/shell_words.h"
#include "ledger/envelope.h"

sy_status sy_collecting_no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for a dashboard");
}

const char *sy_collecting_text(sy_collecting *c, const char *text)
{
    char *kept = sy_id_table_get(c->texts, text);
    void *earlier = NULL;
    if (kept != NULL) {
        return kept;
    }
    kept = sy_arena_copy_text(c->arena, text);
    return kept != NULL && sy_id_table_put(c->texts, kept, kept, &earlier) ? kept : NULL;
}

const char *sy_collecting_command(sy_collecting *c, const char *const *words)
{
    return sy_shell_join(c->arena, words);
}

const char *sy_collecting_session_command(sy_collecting *c, const char *gate)
{
    if (sy_id_table_get(c->gates, gate) == NULL) {
        return "";
    }
    return sy_collecting_command(c, (const char *const[]){"steelyard", "run", "exec", "--gate", gate, "--judge", NULL});
}

/* ---- events ---- */

typedef struct each_body {
    sy_event_kind kind;
    sy_body_visit_fn visit;
    void *user;
} each_body;

static sy_status check_bytes(const sy_ledger_event *event, sy_error *err)
{
    sy_digest digest;
    char text[SY_DIGEST_TEXT];
    sy_digest_of(event->bytes, event->size, &digest);
    sy_digest_format(&digest, text);
    return strcmp(text, event->digest) == 0 ? SY_OK : sy_fail(err, SY_CORRUPT, "its bytes were changed");
}

static sy_status visit_body(void *user, const sy_ledger_event *event, sy_error *err)
{
    const each_body *each = user;
    sy_envelope envelope = {0};
    if (event->kind != each->kind) {
        return SY_OK;
    }
    sy_status status = check_bytes(event, err);
    if (status == SY_OK) {
        status = sy_envelope_read(event->bytes, event->size, &envelope, err);
    }
    if (status == SY_OK) {
        status = each->visit(each->user, event, envelope.json, envelope.body, err);
    }
    sy_envelope_finish(&envelope);
    if (status == SY_CORRUPT) {
        sy_error_prefix(err, "event %" PRIu64, event->number);
        sy_error_hint(err, "`steelyard ledger verify` shows all that is not as it was written");
    }
    return status;
}

sy_status sy_collecting_each(sy_collecting *c, const char *run, uint64_t from, sy_event_kind kind,
                             sy_body_visit_fn visit, void *user, sy_error *err)
{
    each_body each = {kind, visit, user};
    return sy_ledger_each(c->ledger, from, run, visit_body, &each, err);
}
