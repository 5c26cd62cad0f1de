/* SPDX-License-Identifier: Apache-2.0 */
/* Begins a run: nothing is started under a block, and whatever is found before the work is on the disk before it. */
#include "evidence/start.h"
#include "evidence/clean_json.h"

#include <string.h>

#include <steelyard/identity.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "evidence/blocks.h"
#include "record/private_text.h"
#include "registry/files/look.h"

enum { BEGINNING_LEAST = 4 }; /* characters of an id that name a run */

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the beginning of a run");
}

/* ---- blocks ---- */

/* A run may be named by its beginning, as everywhere. */
static bool names(const char *said, const char *run)
{
    return strlen(said) >= BEGINNING_LEAST && sy_text_begins(run, said);
}

static bool is_named(const sy_run_start_options *options, const char *run)
{
    for (size_t i = 0; i < options->despite_count; i++) {
        if (names(options->despite[i], run)) {
            return true;
        }
    }
    return false;
}

/* Whoever names a run that blocks nothing means another one. */
static sy_status refuse_idle_despite(const sy_run_start_options *options, const sy_block *blocks, size_t count,
                                     sy_error *err)
{
    for (size_t i = 0; i < options->despite_count; i++) {
        bool blocks_something = false;
        for (size_t k = 0; k < count; k++) {
            blocks_something = blocks_something || names(options->despite[i], blocks[k].run);
        }
        if (!blocks_something) {
            return sy_fail(err, SY_INVALID_ARGUMENT, "the run '%.100s' blocks nothing here", options->despite[i]);
        }
    }
    return SY_OK;
}

static sy_status require_reason(const sy_run_start_options *options, sy_error *err)
{
    const char *reason = options->despite_reason != NULL ? options->despite_reason : "";
    if (options->despite_count > 0 && sy_is_blank(reason)) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a run that starts despite a block says why");
    }
    return SY_OK;
}

sy_status sy_start_refuse_under_block(sy_start *start, sy_error *err)
{
    const sy_block *blocks = NULL;
    size_t count = 0;
    const sy_run_place *place = &start->begin.place;
    sy_status status = require_reason(start->options, err);
    if (status != SY_OK || strcmp(start->plan.tier, "diagnostic") == 0) {
        return status;
    }
    status = sy_blocks_find(sy_project_ledger(start->project), place->host, place->device, start->plan.id, start->arena,
                            &blocks, &count, err);
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        if (is_named(start->options, blocks[i].run)) {
            continue;
        }
        char gate[64];
        char reason[100];
        (void)sy_text_shorten(gate, sizeof gate, blocks[i].gate);
        (void)sy_text_shorten(reason, sizeof reason, blocks[i].reason); /* the run has all of it */
        status = sy_fail(err, SY_REFUSED, "%.30s is blocked by the run %.30s of the gate '%s': %s", place->device,
                         blocks[i].run, gate, reason);
        sy_error_hint(err,
                      "steelyard run show %.30s says all of it; mend it, and run that gate again; or start all "
                      "the same: --despite %.30s --reason '...'",
                      blocks[i].run, blocks[i].run);
    }
    return status == SY_OK ? refuse_idle_despite(start->options, blocks, count, err) : status;
}

/* ---- events ---- */

static sy_status add_artifacts(sy_start *start, sy_error *err)
{
    sy_ledger *ledger = sy_project_ledger(start->project);
    sy_run_artifact manifest = {SY_ARTIFACT_MANIFEST, "manifest.json", start->manifest_digest, start->manifest_size};
    char digest[65];
    sy_status status = sy_event_list_artifact(&start->events, &manifest, err);
    if (status == SY_OK && start->source.diff != NULL) {
        sy_run_artifact diff = {SY_ARTIFACT_DIFF, "source.diff", start->begin.source.diff_digest,
                                start->source.diff_size};
        status = sy_ledger_keep(ledger, start->source.diff, start->source.diff_size, digest, err);
        if (status == SY_OK) {
            status = sy_event_list_artifact(&start->events, &diff, err);
        }
    }
    return status;
}

static sy_status gather_notes(sy_start *start, sy_error *err)
{
    const sy_run_start_options *options = start->options;
    const char **notes = sy_arena_allocate(start->arena, options->note_count + options->despite_count + 1,
                                           sizeof *notes);
    size_t count = 0;
    if (notes == NULL) {
        return no_memory(err);
    }
    for (size_t i = 0; i < options->note_count; i++) {
        notes[count++] = options->notes[i];
    }
    for (size_t i = 0; i < options->despite_count; i++) {
        notes[count] = sy_arena_format(start->arena, "started despite %s: %s", options->despite[i],
                                       options->despite_reason);
        if (notes[count++] == NULL) {
            return no_memory(err);
        }
    }
    if (start->source.reason[0] != '\0') {
        notes[count] = sy_arena_format(start->arena, "sources: %s", start->source.reason);
        if (notes[count++] == NULL) {
            return no_memory(err);
        }
    }
    start->begin.notes = notes;
    start->begin.note_count = count;
    return SY_OK;
}

/* Everything in one transaction: a run is never half begun. */
static sy_status write_events(sy_start *start, const char *reason, sy_ledger_head *ret_head, sy_error *err)
{
    start->events = (sy_event_list){.arena = start->arena, .run = start->id};
    sy_status status = sy_event_list_begin(&start->events, &start->begin, err);
    if (status == SY_OK) {
        status = add_artifacts(start, err);
    }
    for (size_t i = 0; status == SY_OK && i < start->preflight.count; i++) {
        status = sy_event_list_check(&start->events, &start->preflight.checks[i], err);
    }
    if (status == SY_OK && reason[0] != '\0') {
        sy_run_end end = {SY_RUN_FAILED, "", reason, ""};
        status = sy_event_list_end(&start->events, &end, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_clean(&start->events, err);
    }
    return status == SY_OK ? sy_event_list_append(&start->events, sy_project_ledger(start->project), ret_head, err)
                           : status;
}

/* ---- the result ---- */

static const char *clean(sy_arena *arena, const char *text, bool *failed)
{
    const char *kept = sy_clean_text(arena, text != NULL ? text : "");
    kept = kept != NULL ? sy_arena_copy_text(arena, kept) : NULL;
    *failed = *failed || kept == NULL;
    return kept;
}

/* Texts that do not live in the arena are copied: they go with registry and identity. */
static sy_status make_result(sy_start *start, const char *reason, const sy_ledger_head *head,
                             sy_run_started **ret_started, sy_error *err)
{
    sy_arena *arena = start->arena;
    bool failed = false;
    sy_run_row row;
    sy_run_started *started = sy_arena_allocate(arena, 1, sizeof *started);
    sy_status status = sy_ledger_row(sy_project_ledger(start->project), arena, start->id, &row, err);
    if (started == NULL || status != SY_OK) {
        return status != SY_OK ? status : no_memory(err);
    }
    for (size_t i = 0; i < start->preflight.count; i++) {
        sy_run_check *check = &start->preflight.checks[i];
        check->name = clean(arena, check->name, &failed);
        check->found = clean(arena, check->found, &failed);
        check->expected = clean(arena, check->expected, &failed);
    }
    *started = (sy_run_started){.run = row.id,
                                .gate = row.gate,
                                .tier = row.tier,
                                .device = row.device,
                                .revision = row.revision,
                                .source_remark = clean(arena, start->source.reason, &failed),
                                .planned = reason[0] == '\0',
                                .reason = reason,
                                .checks = start->preflight.checks,
                                .check_count = start->preflight.count,
                                .unknown_fields = start->unknown_fields,
                                .command = clean(arena, start->plan.command, &failed),
                                .smoke = clean(arena, start->plan.smoke, &failed),
                                .head = *head,
                                .owner = arena};
    if (failed) {
        return no_memory(err);
    }
    *ret_started = started;
    return SY_OK;
}

static sy_status record(sy_start *start, sy_run_started **ret_started, sy_error *err)
{
    sy_ledger_head head;
    const char *reason = sy_preflight_reason(&start->preflight);
    sy_status status = reason != NULL ? gather_notes(start, err) : no_memory(err);
    if (status == SY_OK) {
        status = sy_start_keep_manifest(start, err);
    }
    if (status == SY_OK) {
        status = write_events(start, reason, &head, err);
    }
    return status == SY_OK ? make_result(start, reason, &head, ret_started, err) : status;
}

sy_status sy_project_start(sy_project *project, const sy_run_start_options *options, sy_run_started **ret_started,
                           sy_error *err)
{
    if (options->struct_size != sizeof *options || options->gate == NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%s",
                       options->gate == NULL ? "a run starts under a gate" : "struct_size of the options of a start");
    }
    sy_start start = {.project = project, .options = options, .arena = sy_arena_create(0)};
    sy_status status = start.arena != NULL ? SY_OK : no_memory(err);
    if (status == SY_OK) {
        status = sy_start_gather(&start, err);
    }
    if (status == SY_OK) {
        status = record(&start, ret_started, err);
    }
    sy_source_finish(&start.source);
    sy_identity_destroy(start.identity);
    if (status != SY_OK) {
        sy_arena_destroy(start.arena);
    }
    return status;
}

void sy_run_started_destroy(sy_run_started *started)
{
    if (started != NULL) {
        sy_arena_destroy(started->owner);
    }
}
