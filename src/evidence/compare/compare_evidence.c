/* SPDX-License-Identifier: Apache-2.0 */
/* Which runs cannot be compared, and what of the others comes before any figure. */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "evidence/compare/compare_inside.h"
#include "evidence/session_faults.h"

static bool is_fake_cell(const char *cell)
{
    return sy_text_ends(cell, "::fake");
}

/* A run that failed before it took its device has shown nothing that could be wrong. */
static bool never_ran(const sy_run_row *row)
{
    return row->status == SY_RUN_FAILED && row->fence == 0;
}

sy_status sy_compare_refuse(const sy_run *run, sy_error *err)
{
    const sy_run_row *row = &run->row;
    if (row->kind == SY_RUN_KIND_IMPORT || row->status == SY_RUN_IMPORTED) {
        return sy_fail(err, SY_REFUSED, "%s is imported: it was not measured here, and is held against nothing",
                       row->id);
    }
    if (row->kind == SY_RUN_KIND_DECISION) {
        return sy_fail(err, SY_REFUSED, "%s is a recorded probe: it weighs two implementations, and is no session",
                       row->id);
    }
    if (row->status == SY_RUN_PLANNED || row->status == SY_RUN_RUNNING) {
        (void)sy_fail(err, SY_REFUSED, "%s is %s: it has not ended", row->id, sy_run_status_word(row->status));
        sy_error_hint(err, "steelyard run finish %s --status ok", row->id);
        return SY_REFUSED;
    }
    if (strcmp(row->tier, "diagnostic") == 0) {
        return sy_fail(err, SY_REFUSED, "%s is diagnostic: diagnostic runs are no baseline and are not judged",
                       row->id);
    }
    if (row->status == SY_RUN_REFUTED || row->status == SY_RUN_SUPERSEDED) {
        return sy_fail(err, SY_REFUSED, "%s is %s: what it says is not used any more", row->id,
                       sy_run_status_word(row->status));
    }
    if (never_ran(row)) {
        return sy_fail(err, SY_REFUSED, "%s never ran: %s", row->id, row->reason);
    }
    return SY_OK;
}

static void add(sy_text *to, bool applies, const char *text)
{
    if (applies) {
        sy_text_append(to, to->length > 0 ? "; " : "");
        sy_text_append(to, text);
    }
}

static void add_parity(const sy_run *run, sy_text *to)
{
    const sy_run_row *row = &run->row;
    size_t before = to->length;
    if (row->parity == SY_RUN_PARITY_PASSED) {
        return;
    }
    sy_session_parity_failure(run, to);
    if (to->length == before) {
        add(to, true, "parity is ");
        sy_text_append(to, row->parity == SY_RUN_PARITY_UNKNOWN ? "absent" : sy_run_parity_word(row->parity));
    }
}

static void add_provenance(const sy_run_row *row, sy_text *to)
{
    add(to, row->dirty < 0 || row->revision[0] == '\0', "provenance: nobody knows which sources were measured");
    add(to, row->dirty > 0 && !row->diff_is_kept, "provenance: its tree is dirty and the difference is not kept");
    add(to, row->synthetic && !is_fake_cell(row->cell), "its times are made up");
    add(to, row->gate[0] != '\0' && row->hardware == 0 && !is_fake_cell(row->cell), "software played the device");
    add(to, row->gate[0] != '\0' && row->hardware < 0, "nobody knows if its device is a physical one");
}

const char *sy_compare_evidence(const sy_run *run, sy_arena *arena)
{
    const sy_run_row *row = &run->row;
    sy_text text = SY_TEXT_INIT;
    if (row->status == SY_RUN_FAILED && row->parity != SY_RUN_PARITY_FAILED) {
        add(&text, true, row->reason[0] != '\0' ? row->reason : "the run failed");
    } else {
        add_parity(run, &text);
    }
    if (row->status == SY_RUN_OK) {
        add_provenance(row, &text);
        add(&text, !row->lease_whole, "ownership: it did not hold its device's lease throughout");
        sy_session_faults(run, &text);
    }
    const char *copy = text.failed ? NULL : sy_arena_copy_text(arena, sy_text_bytes(&text));
    sy_text_finish(&text);
    return copy;
}

bool sy_compare_row_counts(const sy_run_row *row)
{
    sy_text text = SY_TEXT_INIT;
    add_provenance(row, &text);
    bool is_clean = text.length == 0 && !text.failed;
    sy_text_finish(&text);
    return is_clean && row->kind == SY_RUN_KIND_SESSION && row->status == SY_RUN_OK && row->lease_whole &&
           row->parity == SY_RUN_PARITY_PASSED && strcmp(row->tier, "diagnostic") != 0;
}
