/* SPDX-License-Identifier: Apache-2.0 */
/* What stands beside the events and follows from them: samples and files by their digests, the list of runs, which is
 * folded anew and compared, and the database's own structure. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "ledger/lists/listed.h"
#include "ledger/lists/run_figures.h"
#include "ledger/proof/verifier.h"

/* ---- samples ---- */

static sy_status visit_series(void *user, const sy_stored_series *series, sy_error *err)
{
    sy_verifier *v = user;
    sy_digest hashed;
    const char *wrong = NULL;
    sy_named_digest *named = sy_digest_table_find(&v->series, &series->digest);
    sy_digest_of(series->bytes, series->size, &hashed);
    if (named == NULL) {
        wrong = "are named by no event";
    } else if (!sy_digest_equal(&hashed, &series->digest)) {
        wrong = "do not have their digest";
    } else if (series->count != named->count || series->size != series->count * sizeof(double)) {
        wrong = "are not as many as they should be";
    } else if (series->event != named->event) {
        wrong = "are kept for another event than the first that names them";
    }
    uint64_t number = named != NULL ? named->event : series->event;
    if (named != NULL) {
        named->seen = true;
    }
    sy_status status = wrong == NULL ? SY_OK
                                     : sy_verifier_fault(v, number, "samples", err,
                                                         "the samples of event %" PRIu64 " %s", number, wrong);
    return status == SY_OK ? sy_verifier_step(v, v->total, err) : status;
}

static sy_status verify_series(sy_verifier *v, sy_error *err)
{
    sy_ledger *ledger = v->ledger;
    bool damaged;
    sy_status status = ledger->storage->each_series(ledger->state, visit_series, v, err);
    status = sy_verifier_damage(v, status, 0, "the samples cannot be read on", &damaged, err);
    for (size_t i = 0; i < v->series.slot_count && status == SY_OK && !damaged; i++) {
        const sy_named_digest *named = &v->series.slots[i];
        if (named->event != 0 && named->count > 0 && !named->seen) {
            status = sy_verifier_fault(v, named->event, "samples", err, "the samples of event %" PRIu64 " are missing",
                                       named->event);
        }
    }
    return status;
}

/* ---- files ---- */

/* Counts it, and names it if it is among the first. */
static sy_status add_missing(sy_verifier *v, const sy_named_digest *named, const char *digest, sy_error *err)
{
    sy_ledger_verdict *verdict = v->verdict;
    size_t at = verdict->missing_count;
    verdict->unverified_count++;
    while (at > 0 && v->missing[at - 1].number > named->event) {
        at--;
    }
    if (at == SY_VERIFIER_MISSING) {
        return SY_OK;
    }
    const char *copy = sy_arena_copy_text(v->arena, digest);
    if (copy == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for what was found");
    }
    verdict->missing_count += verdict->missing_count < SY_VERIFIER_MISSING;
    memmove(&v->missing[at + 1], &v->missing[at], (verdict->missing_count - 1 - at) * sizeof v->missing[0]);
    v->missing[at] = (sy_ledger_missing){named->event, copy};
    return SY_OK;
}

static sy_status verify_file(sy_verifier *v, const sy_named_digest *named, sy_error *err)
{
    char digest[SY_DIGEST_TEXT];
    sy_error problem = SY_ERROR_INIT;
    sy_digest_format(&named->digest, digest);
    sy_status status = sy_ledger_kept_check(v->ledger, digest, &problem);
    switch (status) {
    case SY_OK:
        return SY_OK;
    case SY_NOT_FOUND:
        return add_missing(v, named, digest, err);
    case SY_CORRUPT:
        return sy_verifier_fault(v, named->event, "artifact", err, "event %" PRIu64 ": %s", named->event, problem.what);
    case SY_IO:
        status = add_missing(v, named, digest, err);
        return status == SY_OK ? sy_verifier_note(v, err, "event %" PRIu64 ": %s", named->event, problem.what) : status;
    default:
        return sy_fail(err, status, "%s", problem.what);
    }
}

static sy_status verify_files(sy_verifier *v, sy_error *err)
{
    sy_status status = SY_OK;
    v->verdict->artifact_count = v->files.count;
    for (size_t i = 0; i < v->files.slot_count && status == SY_OK; i++) {
        if (v->files.slots[i].event != 0) {
            status = verify_file(v, &v->files.slots[i], err);
        }
        if (status == SY_OK) {
            status = sy_verifier_step(v, v->total, err);
        }
    }
    return status;
}

/* ---- the list ---- */

static sy_status visit_row(void *user, const sy_run_row *row, const char *key, sy_error *err)
{
    sy_verifier *v = user;
    sy_run_entry *entry = sy_run_table_find(&v->runs, row->id);
    if (entry == NULL) {
        return sy_verifier_fault(v, row->number, "list", err, "the list has a run '%.60s' that no event began",
                                 row->id);
    }
    const char *member = sy_run_row_difference(&entry->row, row);
    if (member == NULL && strcmp(entry->key, key == NULL ? "" : key) != 0) {
        member = "comparison key";
    }
    if (member == NULL && entry->listed) {
        member = "place, which is its second";
    }
    entry->listed = true;
    return member == NULL
               ? SY_OK
               : sy_verifier_fault(v, entry->row.number, "list", err,
                                   "the list's %s of the run '%.60s' is not what its events say", member, row->id);
}

static sy_status verify_list(sy_verifier *v, sy_error *err)
{
    sy_ledger *ledger = v->ledger;
    bool damaged;
    sy_status status = ledger->storage->each_row(ledger->state, visit_row, v, err);
    status = sy_verifier_damage(v, status, 0, "the list of runs cannot be read on", &damaged, err);
    for (size_t i = 0; i < v->runs.count && status == SY_OK && !damaged; i++) {
        const sy_run_entry *entry = v->runs.entries[i];
        if (!entry->listed) {
            status = sy_verifier_fault(v, entry->row.number, "list", err, "the list lacks the run '%.60s'",
                                       entry->row.id);
        }
    }
    return status;
}

/* ---- figures ---- */

static sy_expected_figure *find_expected(const sy_verifier *v, uint64_t event)
{
    size_t low = 0;
    size_t high = v->figure_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v->figures[middle].event < event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < v->figure_count && v->figures[low].event == event ? &v->figures[low] : NULL;
}

static sy_status visit_figure(void *user, uint64_t event, const sy_figure_row *figure, sy_error *err)
{
    sy_verifier *v = user;
    const char *wrong = NULL;
    sy_expected_figure *expected = find_expected(v, event);
    if (expected == NULL) {
        wrong = "are said by no event";
    } else if (expected->seen) {
        wrong = "stand there twice";
    } else if (expected->sound && expected->hash != sy_figure_hash(event, figure)) {
        wrong = "are not what the event says";
    }
    if (expected != NULL) {
        expected->seen = true;
    }
    return wrong == NULL
               ? SY_OK
               : sy_verifier_fault(v, event, "list", err, "the list's figures of event %" PRIu64 " %s", event, wrong);
}

static sy_status verify_figures(sy_verifier *v, sy_error *err)
{
    sy_ledger *ledger = v->ledger;
    bool damaged;
    sy_status status = ledger->storage->each_figure(ledger->state, visit_figure, v, err);
    status = sy_verifier_damage(v, status, 0, "the list of figures cannot be read on", &damaged, err);
    for (size_t i = 0; i < v->figure_count && status == SY_OK && !damaged; i++) {
        if (!v->figures[i].seen && v->figures[i].sound) {
            status = sy_verifier_fault(v, v->figures[i].event, "list", err,
                                       "the list lacks the figures of event %" PRIu64, v->figures[i].event);
        }
    }
    return status;
}

/* ---- the database ---- */

static sy_status visit_complaint(void *user, const char *complaint, sy_error *err)
{
    return sy_verifier_fault(user, 0, "damaged", err, "the database: %.300s", complaint);
}

sy_status sy_verify_kept(sy_verifier *verifier, sy_error *err)
{
    sy_ledger *ledger = verifier->ledger;
    bool damaged;
    sy_status status = verify_series(verifier, err);
    if (status == SY_OK) {
        status = verify_files(verifier, err);
    }
    if (status == SY_OK) {
        status = verify_list(verifier, err);
    }
    if (status == SY_OK) {
        status = verify_figures(verifier, err);
    }
    if (status == SY_OK) {
        status = ledger->storage->check(ledger->state, visit_complaint, verifier, err);
        status = sy_verifier_damage(verifier, status, 0, "the database cannot be checked", &damaged, err);
    }
    return status == SY_OK ? sy_verifier_step(verifier, verifier->total, err) : status;
}
