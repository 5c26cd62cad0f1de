/* SPDX-License-Identifier: Apache-2.0 */
/* Whether another run may stand as a proof beside the one that is promoted: only what is of the same cell, device and
 * sources, and as good. */
#include <string.h>

#include "base/text.h"
#include "evidence/promotion/debts.h"

typedef struct reasons {
    sy_text text;
    size_t count;
} reasons;

static void add(reasons *to, bool applies, const char *format, const char *what)
{
    if (applies) {
        sy_text_append(&to->text, to->count > 0 ? ", " : "");
        sy_text_append_format(&to->text, format, what);
        to->count++;
    }
}

static const char *shown(const char *text)
{
    return text[0] != '\0' ? text : "unknown";
}

static void ask_place(const sy_debt_work *work, const sy_run_row *row, bool same_computer, reasons *to)
{
    const sy_run_row *promoted = &work->run->row;
    bool same_host = strcmp(row->host, promoted->host) == 0;
    add(to, strcmp(row->cell, promoted->cell) != 0, "of the cell %s", shown(row->cell));
    add(to, row->revision[0] == '\0' || strcmp(row->revision, promoted->revision) != 0, "of the revision %s",
        shown(row->revision));
    add(to, same_computer && !same_host, "on the host %s", shown(row->host));
    add(to, same_computer && strcmp(row->device, promoted->device) != 0, "on the device %s", shown(row->device));
}

static void ask_verdict(const sy_debt_work *work, const sy_run_row *row, reasons *to)
{
    bool stands = !row->judged || row->verdict == SY_JUDGEMENT_PASS || row->verdict == SY_JUDGEMENT_NO_BASELINE;
    add(to, !stands, "its verdict is %s", sy_judgement_word_text(row->verdict));
    const sy_blocking_verdict *later = sy_blocking_verdict_of(&work->blocking, row->id, row->key_digest, row->number);
    add(to, stands && later != NULL, "blocked by %s", later != NULL ? later->run : "");
}

const char *sy_proof_shortcoming(sy_debt_work *work, const sy_run_row *row, bool is_smoke, bool same_computer,
                                 size_t *ret_count, bool *ret_accept_alone)
{
    reasons found = {SY_TEXT_INIT, 0};
    bool unaccepted = !is_smoke && !row->accepted;
    add(&found, row->kind != SY_RUN_KIND_SESSION, "no session but a %s", sy_run_kind_word(row->kind));
    add(&found, row->status != SY_RUN_OK, "%s", sy_run_status_word(row->status));
    add(&found, row->parity != SY_RUN_PARITY_PASSED, "its parity is %s", sy_run_parity_word(row->parity));
    ask_place(work, row, same_computer, &found);
    ask_verdict(work, row, &found);
    *ret_accept_alone = unaccepted && found.count == 0;
    add(&found, unaccepted, "%s", "not accepted");
    *ret_count = found.count;
    const char *text = found.text.failed ? NULL : sy_arena_copy_text(work->arena, sy_text_bytes(&found.text));
    sy_text_finish(&found.text);
    work->failed = work->failed || text == NULL;
    return text;
}
