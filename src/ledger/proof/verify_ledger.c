/* SPDX-License-Identifier: Apache-2.0 */
/* Proving a ledger: the walk as a whole, and its verdict. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "ledger/proof/verifier.h"

#define SHOWN_FAULTS 1000
#define KEPT_FAULTS 10000 /* before they are sorted and cut */
#define KEPT_NOTES 100
#define ANCHORS_LIMIT (UINT64_C(64) << 20)

/* ---- what is found ---- */

/* Room for one more item of an array on the heap; false: no memory. */
static bool reserve(void **items, size_t count, size_t *capacity, size_t item_size)
{
    if (count < *capacity) {
        return true;
    }
    size_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    void *grown = sy_reallocate(*items, wanted, item_size);
    if (grown == NULL) {
        return false;
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

static const char *format_message(sy_arena *arena, const char *format, va_list arguments) SY_PRINTF(2, 0);

static const char *format_message(sy_arena *arena, const char *format, va_list arguments)
{
    char message[512];
    sy_format_list(message, sizeof message, format, arguments);
    return sy_arena_copy_text(arena, message);
}

sy_status sy_verifier_fault(sy_verifier *verifier, uint64_t number, const char *what, sy_error *err, const char *format,
                            ...)
{
    va_list arguments;
    verifier->verdict->fault_total++;
    if (verifier->fault_count == KEPT_FAULTS) {
        return SY_OK;
    }
    va_start(arguments, format);
    const char *message = format_message(verifier->arena, format, arguments);
    va_end(arguments);
    void *faults = verifier->faults;
    if (message == NULL ||
        !reserve(&faults, verifier->fault_count, &verifier->fault_capacity, sizeof *verifier->faults)) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for what was found");
    }
    verifier->faults = faults;
    verifier->faults[verifier->fault_count++] = (sy_ledger_fault){number, what, message};
    return SY_OK;
}

sy_status sy_verifier_note(sy_verifier *verifier, sy_error *err, const char *format, ...)
{
    va_list arguments;
    if (verifier->note_count > KEPT_NOTES) {
        return SY_OK;
    }
    va_start(arguments, format);
    const char *note = verifier->note_count == KEPT_NOTES ? "there are more notes than these"
                                                          : format_message(verifier->arena, format, arguments);
    va_end(arguments);
    void *notes = (void *)verifier->notes;
    if (note == NULL || !reserve(&notes, verifier->note_count, &verifier->note_capacity, sizeof *verifier->notes)) {
        return sy_fail(err, SY_NO_MEMORY, "no memory for what was found");
    }
    verifier->notes = notes;
    verifier->notes[verifier->note_count++] = note;
    return SY_OK;
}

sy_status sy_verifier_step(const sy_verifier *verifier, uint64_t done, sy_error *err)
{
    const sy_ledger_verify_options *options = verifier->options;
    if (options->progress != NULL) {
        options->progress(options->user, done < verifier->total ? done : verifier->total, verifier->total);
    }
    return options->cancelled != NULL && options->cancelled(options->user)
               ? sy_fail(err, SY_INTERRUPTED, "stopped after %" PRIu64 " of %" PRIu64 " events", done, verifier->total)
               : SY_OK;
}

sy_status sy_verifier_damage(sy_verifier *verifier, sy_status status, uint64_t number, const char *where,
                             bool *ret_damaged, sy_error *err)
{
    *ret_damaged = status == SY_CORRUPT;
    if (status != SY_CORRUPT) {
        return status;
    }
    char what[sizeof err->what];
    (void)sy_text_copy(what, sizeof what, err->what);
    return sy_verifier_fault(verifier, number, "damaged", err, "%s: %s", where, what);
}

/* ---- anchors ---- */

static int by_number(const void *a, const void *b)
{
    const sy_anchor *left = a;
    const sy_anchor *right = b;
    return (left->number > right->number) - (left->number < right->number);
}

/* The anchors of this ledger, in order; a note on those of others. */
static sy_status take_anchors(sy_verifier *verifier, const sy_anchor_list *list, sy_error *err)
{
    size_t others = 0;
    verifier->anchors = list->anchors;
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->anchors[i].ledger, verifier->id) == 0) {
            verifier->anchors[verifier->anchor_count++] = list->anchors[i];
        } else {
            others++;
        }
    }
    qsort(verifier->anchors, verifier->anchor_count, sizeof *verifier->anchors, by_number);
    verifier->verdict->anchor_count = verifier->anchor_count;
    return others == 0
               ? SY_OK
               : sy_verifier_note(verifier, err, "%zu anchors are of other ledgers than %s", others, verifier->id);
}

static sy_status read_anchors(sy_verifier *verifier, sy_error *err)
{
    char *text = NULL;
    size_t size;
    sy_anchor_list list;
    if (verifier->options->anchors == NULL) {
        return SY_OK;
    }
    sy_status status = sy_file_read(verifier->options->anchors, ANCHORS_LIMIT, &text, &size, err);
    if (status != SY_OK) {
        return status;
    }
    status = sy_anchors_parse(text, size, verifier->arena, &list, err);
    sy_free(text);
    if (status != SY_OK) {
        sy_error_prefix(err, "%s", verifier->options->anchors);
        return status;
    }
    return take_anchors(verifier, &list, err);
}

/* ---- the whole ---- */

static int by_event(const void *a, const void *b)
{
    const sy_ledger_fault *left = a;
    const sy_ledger_fault *right = b;
    if (left->number != right->number) {
        return left->number < right->number ? -1 : 1;
    }
    int order = strcmp(left->what, right->what);
    return order != 0 ? order : strcmp(left->message, right->message);
}

/* What was found moves into the verdict's arena. */
static sy_status conclude(sy_verifier *verifier, sy_error *err)
{
    sy_ledger_verdict *verdict = verifier->verdict;
    if (verifier->fault_count > 0) {
        qsort(verifier->faults, verifier->fault_count, sizeof *verifier->faults, by_event);
    }
    verdict->fault_count = verifier->fault_count < SHOWN_FAULTS ? verifier->fault_count : SHOWN_FAULTS;
    verdict->note_count = verifier->note_count;
    verdict->faults = (const sy_ledger_fault *)(const void *)sy_arena_copy_bytes(
        verifier->arena, verifier->faults, verdict->fault_count * sizeof *verifier->faults);
    verdict->notes = (const char *const *)(const void *)sy_arena_copy_bytes(
        verifier->arena, (const void *)verifier->notes, verdict->note_count * sizeof *verifier->notes);
    verdict->missing = (const sy_ledger_missing *)(const void *)sy_arena_copy_bytes(
        verifier->arena, verifier->missing, verdict->missing_count * sizeof verifier->missing[0]);
    return verdict->faults == NULL || verdict->notes == NULL || verdict->missing == NULL
               ? sy_fail(err, SY_NO_MEMORY, "no memory for what was found")
               : SY_OK;
}

static sy_status read_head(sy_verifier *verifier, sy_error *err)
{
    sy_digest digest = {{0}};
    bool damaged;
    sy_ledger *ledger = verifier->ledger;
    sy_status status = ledger->storage->head(ledger->state, &verifier->total, &digest, err);
    status = sy_verifier_damage(verifier, status, 0, "the last event cannot be read", &damaged, err);
    if (status == SY_OK) {
        status = ledger->storage->get_id(ledger->state, verifier->id, err);
    }
    status = sy_verifier_damage(verifier, status, 0, "the ledger's id cannot be read", &damaged, err);
    if (status == SY_OK) {
        (void)sy_text_copy(verifier->verdict->head.ledger, sizeof verifier->verdict->head.ledger, verifier->id);
        verifier->verdict->head.number = verifier->total;
        sy_digest_format(&digest, verifier->verdict->head.digest);
    }
    return status;
}

/* All of it within one snapshot. */
static sy_status verify_all(sy_verifier *verifier, sy_error *err)
{
    sy_ledger *ledger = verifier->ledger;
    sy_status status = ledger->storage->begin(ledger->state, false, err);
    if (status != SY_OK) {
        return status;
    }
    status = read_head(verifier, err);
    if (status == SY_OK) {
        status = read_anchors(verifier, err);
    }
    if (status == SY_OK) {
        status = sy_verify_events(verifier, err);
    }
    if (status == SY_OK) {
        status = sy_verify_kept(verifier, err);
    }
    ledger->storage->rollback(ledger->state);
    return status == SY_OK ? conclude(verifier, err) : status;
}

static sy_status check_options(const sy_ledger_verify_options *options, sy_error *err)
{
    return options->struct_size == sizeof *options
               ? SY_OK
               : sy_fail(err, SY_INVALID_ARGUMENT, "the options' struct_size is %zu, not %zu", options->struct_size,
                         sizeof *options);
}

sy_status sy_ledger_verify(sy_ledger *ledger, const sy_ledger_verify_options *options, sy_ledger_verdict **ret_verdict,
                           sy_error *err)
{
    static const sy_ledger_verify_options defaults = SY_LEDGER_VERIFY_OPTIONS_INIT;
    sy_error ignored;
    sy_verifier verifier = {.ledger = ledger, .options = options == NULL ? &defaults : options};
    sy_status status = check_options(verifier.options, err);
    if (status != SY_OK) {
        return status;
    }
    err = err == NULL ? &ignored : err; /* walks that fail tell why in their faults */
    verifier.arena = sy_arena_create(0);
    verifier.verdict = verifier.arena == NULL ? NULL : sy_arena_allocate(verifier.arena, 1, sizeof *verifier.verdict);
    if (verifier.verdict == NULL) {
        sy_arena_destroy(verifier.arena);
        return sy_fail(err, SY_NO_MEMORY, "no memory to verify a ledger");
    }
    verifier.verdict->owner = verifier.arena;
    status = sy_run_table_start(&verifier.runs, err);
    if (status == SY_OK) {
        status = verify_all(&verifier, err);
    }
    sy_run_table_finish(&verifier.runs);
    sy_free(verifier.figures);
    sy_digest_table_finish(&verifier.series);
    sy_digest_table_finish(&verifier.files);
    sy_free(verifier.faults);
    sy_free((void *)verifier.notes);
    if (status != SY_OK) {
        sy_arena_destroy(verifier.arena);
        return status;
    }
    *ret_verdict = verifier.verdict;
    return SY_OK;
}

void sy_ledger_verdict_destroy(sy_ledger_verdict *verdict)
{
    if (verdict != NULL) {
        sy_arena_destroy(verdict->owner);
    }
}
