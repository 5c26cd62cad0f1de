/* SPDX-License-Identifier: Apache-2.0 */
/* One table says in which state a run takes which events; one function a kind says what it makes of the run. */
#include "ledger/run_life.h"

#include <string.h>

#include "base/error.h"
#include "ledger/run_life_judged.h"

#define BIT(status) (1U << (status))
#define OPEN_ENDED (BIT(SY_RUN_PLANNED) | BIT(SY_RUN_RUNNING))
#define MEASURING (BIT(SY_RUN_RUNNING))
#define ENDED (BIT(SY_RUN_OK) | BIT(SY_RUN_FAILED) | BIT(SY_RUN_REFUTED))
#define ANY (~0U)
#define REVISION_DIGITS 12

/* How bad an outcome is. That nothing is known of one case leaves what is known of the others incomplete; what another
 * tool does not say is no statement. */
static int badness(sy_run_parity outcome)
{
    static const int order[] = {
        [SY_RUN_PARITY_UNKNOWN] = 0,    [SY_RUN_PARITY_PASSED] = 1,        [SY_RUN_PARITY_FAILED] = 4,
        [SY_RUN_PARITY_INCOMPLETE] = 2, [SY_RUN_PARITY_NOT_PERFORMED] = 3,
    };
    return order[outcome];
}

static const char *copy(sy_arena *arena, const char *text, bool *failed)
{
    if (text == NULL || *text == '\0') {
        return "";
    }
    const char *copied = sy_arena_copy_text(arena, text);
    *failed = *failed || copied == NULL;
    return copied;
}

/* "rev", "rev+<digits of the difference>" of a dirty tree. */
static const char *shown_revision(sy_arena *arena, const sy_run_source *source, bool *failed)
{
    if (source->dirty != 1 || *source->revision == '\0') {
        return copy(arena, source->revision, failed);
    }
    const char *shown = *source->diff_digest == '\0'
                            ? sy_arena_format(arena, "%s+unknown", source->revision)
                            : sy_arena_format(arena, "%s+%.*s", source->revision, REVISION_DIGITS, source->diff_digest);
    *failed = *failed || shown == NULL;
    return shown;
}

static sy_status check_begin(const sy_life_event *event, const sy_run_begin *begin, sy_error *err)
{
    if (strcmp(begin->id, event->run) != 0) {
        return sy_fail(err, SY_REFUSED, "the event begins the run '%.60s', not '%.60s'", event->run, begin->id);
    }
    bool imported = begin->status == SY_RUN_IMPORTED;
    if (!imported && begin->status != SY_RUN_PLANNED) {
        return sy_fail(err, SY_REFUSED, "a run begins planned or imported, not %s", sy_run_status_word(begin->status));
    }
    if (imported != (begin->kind == SY_RUN_KIND_IMPORT)) {
        return sy_fail(err, SY_REFUSED, "a run of kind %s does not begin %s", sy_run_kind_word(begin->kind),
                       sy_run_status_word(begin->status));
    }
    return SY_OK;
}

static sy_status fold_begin(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_begin begin;
    char key_digest[65];
    bool failed = false;
    sy_status status = sy_run_begin_read(event->json, event->body, arena, &begin, err);
    if (status != SY_OK || (status = check_begin(event, &begin, err)) != SY_OK ||
        (status = sy_comparison_key_digest(&begin.key, key_digest, err)) != SY_OK) {
        return status;
    }
    *row = (sy_run_row){
        .id = copy(arena, begin.id, &failed),
        .number = event->number,
        .kind = begin.kind,
        .status = begin.status,
        .reason = "",
        .question = copy(arena, begin.question, &failed),
        .conclusion = "",
        .gate = copy(arena, begin.gate, &failed),
        .cell = copy(arena, begin.cell, &failed),
        .tier = copy(arena, begin.tier, &failed),
        .protocol = copy(arena, begin.protocol, &failed),
        .revision = shown_revision(arena, &begin.source, &failed),
        .host = copy(arena, begin.place.host, &failed),
        .device = copy(arena, begin.place.device, &failed),
        .origin = copy(arena, begin.origin, &failed),
        .key_digest = copy(arena, key_digest, &failed),
        .began_utc_s = event->at_utc_s,
        .parity = SY_RUN_PARITY_UNKNOWN,
        .dirty = begin.source.dirty,
        .hardware = begin.place.hardware,
        .synthetic = begin.place.synthetic,
    };
    return failed ? sy_fail(err, SY_NO_MEMORY, "no memory for a run") : SY_OK;
}

static sy_status fold_lease(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_lease lease;
    sy_status status = sy_run_lease_read(event->json, event->body, arena, &lease, err);
    if (status != SY_OK) {
        return status;
    }
    if (lease.fence == 0) {
        return sy_fail(err, SY_REFUSED, "the lease of '%.60s' has no fencing number", event->run);
    }
    if (lease.fence < row->fence) {
        return sy_fail(err, SY_REFUSED, "the lease of '%.60s' has an older fencing number than its last one",
                       event->run);
    }
    /* Whole until a command proves otherwise: a later lease mends nothing that ran before it. */
    row->lease_whole = row->status == SY_RUN_PLANNED || row->lease_whole;
    row->status = SY_RUN_RUNNING;
    row->fence = lease.fence;
    row->lease_until_utc_s = lease.until_utc_s;
    return SY_OK;
}

static sy_status fold_check(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_check check;
    (void)row;
    return sy_run_check_read(event->json, event->body, arena, &check, err);
}

static sy_status fold_command(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_command command;
    sy_status status = sy_run_command_read(event->json, event->body, arena, &command, err);
    if (status != SY_OK) {
        return status;
    }
    bool under_lease = command.lease_held && command.fence != 0 && command.fence == row->fence;
    if (strcmp(command.phase, "measure") == 0 && !under_lease) {
        row->lease_whole = false;
    }
    return SY_OK;
}

static sy_status fold_series(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_series series;
    sy_status status = sy_run_series_read(event->json, event->body, arena, &series, err);
    /* What a control measured is no sample of this session. */
    if (status == SY_OK && series.role != SY_SERIES_CONTROL) {
        row->series_count++;
        row->sample_count += series.count;
    }
    return status;
}

static sy_status fold_parity(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_parity_event parity;
    sy_status status = sy_run_parity_read_body(event->json, event->body, arena, &parity, err);
    if (status != SY_OK) {
        return status;
    }
    bool unknown = parity.outcome == SY_RUN_PARITY_UNKNOWN && row->status != SY_RUN_IMPORTED;
    sy_run_parity outcome = unknown ? SY_RUN_PARITY_INCOMPLETE : parity.outcome;
    if (badness(outcome) > badness(row->parity)) {
        row->parity = outcome;
    }
    return SY_OK;
}

static sy_status fold_memory(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_memory memory;
    (void)row;
    return sy_run_memory_read(event->json, event->body, arena, &memory, err);
}

static sy_status fold_artifact(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_artifact artifact;
    sy_status status = sy_run_artifact_read(event->json, event->body, arena, &artifact, err);
    if (status != SY_OK || artifact.role != SY_ARTIFACT_DIFF) {
        return status;
    }
    const char *plus = strrchr(row->revision, '+');
    bool is_the_difference = plus != NULL && strncmp(plus + 1, artifact.digest, REVISION_DIGITS) == 0;
    row->diff_is_kept = row->diff_is_kept || is_the_difference;
    return SY_OK;
}

static sy_status fold_digest(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_digest digest;
    (void)row;
    return sy_run_digest_read(event->json, event->body, arena, &digest, err);
}

static sy_status fold_note(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    const char *note;
    (void)row;
    return sy_run_note_read(event->json, event->body, arena, &note, err);
}

static sy_status fold_decision(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_decision decision;
    if (row->kind == SY_RUN_KIND_SESSION) {
        return sy_fail(err, SY_REFUSED, "'%.60s' is a session: it measures one implementation and decides nothing",
                       event->run);
    }
    return sy_run_decision_read(event->json, event->body, arena, &decision, err);
}

static sy_status fold_profile(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_profile profile;
    if (row->kind != SY_RUN_KIND_DECISION) {
        return sy_fail(err, SY_REFUSED, "'%.60s' is no recorded probe: no profile comes from it", event->run);
    }
    return sy_run_profile_read(event->json, event->body, arena, &profile, err);
}

/* Which ends a run of that status may come to. */
static unsigned ends_of(sy_run_status status)
{
    switch (status) {
    case SY_RUN_PLANNED:
        return BIT(SY_RUN_FAILED);
    case SY_RUN_RUNNING:
        return BIT(SY_RUN_OK) | BIT(SY_RUN_FAILED) | BIT(SY_RUN_REFUTED) | BIT(SY_RUN_SUPERSEDED);
    case SY_RUN_OK:
        return BIT(SY_RUN_SUPERSEDED);
    default:
        return 0;
    }
}

static sy_status check_end(const sy_life_event *event, const sy_run_row *row, const sy_run_end *end, sy_error *err)
{
    if ((ends_of(row->status) & BIT(end->status)) == 0) {
        return sy_fail(err, SY_REFUSED, "'%.60s' is %s: it cannot become %s", event->run,
                       sy_run_status_word(row->status), sy_run_status_word(end->status));
    }
    if (end->status == SY_RUN_REFUTED && *end->conclusion == '\0') {
        return sy_fail(err, SY_REFUSED, "'%.60s' cannot be refuted without a conclusion", event->run);
    }
    if (*end->superseded_by != '\0' && end->status != SY_RUN_SUPERSEDED) {
        return sy_fail(err, SY_REFUSED, "'%.60s' is not superseded, and names a run in its place", event->run);
    }
    if (strcmp(end->superseded_by, event->run) == 0) {
        return sy_fail(err, SY_REFUSED, "'%.60s' cannot be superseded by itself", event->run);
    }
    return SY_OK;
}

static sy_status fold_end(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    sy_run_end end;
    bool failed = false;
    sy_status status = sy_run_end_read(event->json, event->body, arena, &end, err);
    if (status != SY_OK || (status = check_end(event, row, &end, err)) != SY_OK) {
        return status;
    }
    row->status = end.status;
    if (*end.reason != '\0') {
        row->reason = copy(arena, end.reason, &failed);
    }
    if (*end.conclusion != '\0') {
        row->conclusion = copy(arena, end.conclusion, &failed);
    }
    if (row->ended_utc_s == 0) {
        row->ended_utc_s = event->at_utc_s;
    }
    /* A session that another one replaces leaves the baseline; that it was accepted stays in its events. */
    row->accepted = row->accepted && end.status == SY_RUN_OK;
    return failed ? sy_fail(err, SY_NO_MEMORY, "no memory for a run") : SY_OK;
}

/* In which status a run takes an event of that kind; imported ones besides, where said, behind their begin alone. */
static const struct {
    sy_event_kind kind;
    unsigned statuses;
    bool of_import; /* right behind an import's begin */
    sy_life_fold_fn fold;
} rules[] = {
    {SY_EVENT_LEASE, OPEN_ENDED, false, fold_lease},
    {SY_EVENT_CHECK, OPEN_ENDED, true, fold_check},
    {SY_EVENT_COMMAND, MEASURING, true, fold_command},
    {SY_EVENT_SERIES, MEASURING, true, fold_series},
    {SY_EVENT_PARITY, MEASURING, true, fold_parity},
    {SY_EVENT_MEMORY, MEASURING, true, fold_memory},
    {SY_EVENT_DIGEST, MEASURING, true, fold_digest},
    {SY_EVENT_DECISION, MEASURING, true, fold_decision},
    {SY_EVENT_PROFILE, MEASURING | BIT(SY_RUN_OK), false, fold_profile},
    {SY_EVENT_ARTIFACT, ANY, true, fold_artifact},
    {SY_EVENT_NOTE, ANY, true, fold_note},
    {SY_EVENT_END, ANY, false, fold_end},
    {SY_EVENT_ACCEPT, ANY, false, sy_life_fold_accept},
    {SY_EVENT_VERDICT, ENDED, false, sy_life_fold_verdict},
    {SY_EVENT_CHANGE, BIT(SY_RUN_OK), false, sy_life_fold_change},
    {SY_EVENT_SIGNOFF, BIT(SY_RUN_OK), false, sy_life_fold_signoff},
    {SY_EVENT_PROMOTE, BIT(SY_RUN_OK), false, sy_life_fold_promotion},
};

static sy_status fold_later(const sy_life_event *event, sy_arena *arena, sy_run_row *row, sy_error *err)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].kind != event->kind) {
            continue;
        }
        bool imported = row->status == SY_RUN_IMPORTED && event->follows_begin && rules[i].of_import;
        if ((rules[i].statuses & BIT(row->status)) == 0 && !imported) {
            return sy_fail(err, SY_REFUSED, "'%.60s' is %s: it takes no %s any more or yet", event->run,
                           sy_run_status_word(row->status), sy_event_kind_word(event->kind));
        }
        return rules[i].fold(event, arena, row, err);
    }
    return event->kind == SY_EVENT_UNKNOWN
               ? SY_OK
               : sy_fail(err, SY_REFUSED, "an event of kind %s names no run", sy_event_kind_word(event->kind));
}

sy_status sy_run_life_fold(const sy_run_row *before, const sy_life_event *event, sy_arena *arena, sy_run_row *ret_row,
                           sy_error *err)
{
    sy_run_row row;
    sy_status status;
    if (event->kind == SY_EVENT_BEGIN) {
        status = before != NULL ? sy_fail(err, SY_REFUSED, "the run '%.60s' has begun already", event->run)
                                : fold_begin(event, arena, &row, err);
    } else if (before == NULL) {
        status = sy_fail(err, SY_NOT_FOUND, "there is no run '%.60s'", event->run);
    } else {
        row = *before;
        status = fold_later(event, arena, &row, err);
    }
    if (status == SY_OK) {
        *ret_row = row;
    }
    return status;
}

bool sy_run_life_needs_no_run(sy_event_kind kind)
{
    return kind == SY_EVENT_OPEN || kind == SY_EVENT_IMPORT || kind == SY_EVENT_NOTE || kind == SY_EVENT_SELFTEST ||
           kind == SY_EVENT_UNKNOWN;
}

sy_status sy_run_life_check_alone(const sy_life_event *event, sy_arena *arena, sy_error *err)
{
    sy_gate_selftest selftest;
    if (!sy_run_life_needs_no_run(event->kind)) {
        return sy_fail(err, SY_REFUSED, "an event of kind %s names no run", sy_event_kind_word(event->kind));
    }
    return event->kind == SY_EVENT_SELFTEST ? sy_gate_selftest_read(event->json, event->body, arena, &selftest, err)
                                            : SY_OK;
}
