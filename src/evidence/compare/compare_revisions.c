/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline of a comparison of revisions: keys of one line, of which the one that was named, else the nearest older
 * one with a baseline, else all older ones together. */
#include <assert.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "evidence/compare/ancestry.h"
#include "evidence/compare/compare_inside.h"
#include "record/comparison_key.h"

#define GIT_DEADLINE_NS UINT64_C(60000000000)
#define SHALLOW "history is shallow, deepen it or name the baseline"

enum { REVISION_DIGITS_LEAST = 7 };

/* Another revision of the run's line. */
typedef struct candidate {
    const sy_key_row *key;
    const char *revision;
    sy_ancestry ancestry;
    uint64_t distance;
} candidate;

typedef struct revisions {
    sy_comparing *c;
    const char *revision; /* of the run */
    char line[65];
    candidate items[SY_COMPARE_REVISIONS_MAX];
    size_t count;
} revisions;

sy_status sy_compare_read_keys(sy_comparing *c, sy_error *err)
{
    return c->keys != NULL ? SY_OK : sy_ledger_keys(c->ledger, NULL, false, &c->keys, err);
}

/* ---- keys that differ ---- */

static bool is_known_revision(const char *text)
{
    return strlen(text) >= REVISION_DIGITS_LEAST;
}

/* Says every field in which they differ. Returns SY_REFUSED, or SY_NO_MEMORY. */
static sy_status refuse_difference(sy_comparing *c, const sy_comparison_key *other, const char *other_run,
                                   sy_error *err)
{
    sy_key_difference_list *list = NULL;
    sy_text text = SY_TEXT_INIT;
    sy_status status = sy_comparison_key_diff(&c->run->begin.key, other, &list, err);
    if (status != SY_OK) {
        return status;
    }
    bool only_revision = true;
    for (size_t i = 0; i < list->field_count; i++) {
        const sy_key_difference *field = &list->fields[i];
        if (!field->agrees) {
            only_revision = only_revision && strcmp(field->name, c->revision_field) == 0;
            sy_text_append_format(&text, "%s%s '%.40s' and '%.40s'", text.length > 0 ? "; " : "", field->name,
                                  field->a != NULL ? field->a : "unknown", field->b != NULL ? field->b : "unknown");
        }
    }
    (void)sy_fail(err, SY_REFUSED, "their keys differ: %s", sy_text_bytes(&text));
    if (only_revision) {
        sy_error_hint(err, "steelyard compare %s --revision-comparison --against %s", c->run->row.id, other_run);
    } else {
        sy_error_hint(err, "steelyard key diff %s %s", c->run->row.id, other_run);
    }
    sy_text_finish(&text);
    sy_key_difference_list_destroy(list);
    return SY_REFUSED;
}

sy_status sy_compare_check_against(sy_comparing *c, sy_error *err)
{
    sy_run *other = NULL;
    if (c->options->against == NULL) {
        return SY_OK;
    }
    sy_status status = sy_ledger_run(c->ledger, c->options->against, &other, err);
    if (status == SY_NOT_FOUND) {
        sy_error_hint(err, "a revision is named in a comparison of revisions: --revision-comparison");
    }
    const char *own = c->run->row.key_digest;
    if (status == SY_OK && (own[0] == '\0' || strcmp(own, other->row.key_digest) != 0)) {
        status = refuse_difference(c, &other->begin.key, other->row.id, err);
    }
    sy_run_destroy(other);
    return status;
}

/* ---- revisions of the line ---- */

static sy_status find_candidates(revisions *r, sy_error *err)
{
    sy_comparing *c = r->c;
    sy_status status = sy_compare_read_keys(c, err);
    for (size_t i = 0; status == SY_OK && i < c->keys->row_count && r->count < SY_COMPARE_REVISIONS_MAX; i++) {
        const sy_key_row *row = &c->keys->rows[i];
        const char *revision = sy_comparison_key_value(&row->key, c->revision_field);
        char line[65];
        if (row->accepted_count == 0 || revision == NULL || strcmp(revision, r->revision) == 0) {
            continue;
        }
        status = sy_comparison_key_line(&row->key, c->revision_field, line, err);
        if (status == SY_OK && line[0] != '\0' && strcmp(line, r->line) == 0) {
            r->items[r->count++] = (candidate){row, revision, SY_ANCESTRY_UNKNOWN, 0};
        }
    }
    return status;
}

static sy_status order_candidate(const revisions *r, const sy_git *git, candidate *item, sy_error *err)
{
    sy_run *newest = NULL;
    sy_status status = sy_ledger_run(r->c->ledger, item->key->newest, &newest, err);
    if (status == SY_OK) {
        const sy_revision other = {item->revision, newest->begin.source.ordinal};
        const sy_revision own = {r->revision, r->c->run->begin.source.ordinal};
        status = sy_ancestry_find(git, &other, &own, &item->ancestry, &item->distance, err);
    }
    sy_run_destroy(newest);
    return status;
}

/* All of them, or none: one whose place nobody knows could be the nearest. */
static sy_status order_candidates(revisions *r, sy_error *err)
{
    sy_git git;
    const char *unknown = NULL;
    sy_status status = sy_git_init(&git, "git", sy_project_root(r->c->project), sy_project_clock(r->c->project),
                                   GIT_DEADLINE_NS, err);
    if (status != SY_OK) {
        return status;
    }
    for (size_t i = 0; status == SY_OK && i < r->count; i++) {
        status = order_candidate(r, &git, &r->items[i], err);
        if (status == SY_OK && r->items[i].ancestry == SY_ANCESTRY_UNKNOWN && unknown == NULL) {
            unknown = r->items[i].revision;
        }
    }
    sy_git_finish(&git);
    if (status == SY_OK && unknown != NULL) {
        status = sy_fail(err, SY_REFUSED, "no baseline: " SHALLOW ": nobody knows if %.12s is older than %.12s",
                         unknown, r->revision);
        sy_error_hint(err, "git fetch --unshallow, or --against %.12s", unknown);
    }
    return status;
}

/* The accepted sessions of one key, since its last accepted change. */
static sy_status read_baseline(sy_comparing *c, const char *key_digest, sy_baseline *ret_baseline, sy_error *err)
{
    sy_session_set *set = &c->others[c->other_count];
    sy_status status = sy_session_set_read(c->ledger, key_digest, c->arena, set, err);
    if (status == SY_OK) {
        c->other_count++;
        status = sy_baseline_find(set, 0, c->arena, ret_baseline, err);
    }
    return status;
}

static void take_one(sy_comparing *c, const candidate *item, const sy_baseline *baseline)
{
    c->mode = SY_COMPARISON_REVISION;
    c->baseline_key = item->key->key_digest;
    c->baseline_revision = item->revision;
    c->baseline = baseline->sessions;
    c->baseline_count = baseline->count;
}

static candidate *nearest(revisions *r)
{
    candidate *best = NULL;
    for (size_t i = 0; i < r->count; i++) {
        candidate *item = &r->items[i];
        if (item->ancestry == SY_ANCESTRY_OLDER && (best == NULL || item->distance < best->distance)) {
            best = item;
        }
    }
    return best;
}

static int by_begin(const sy_session *a, const sy_session *b)
{
    return a->row->number < b->row->number ? -1 : a->row->number > b->row->number;
}

/* Puts a session where it belongs by the order of begin events. */
static void insert(const sy_session **sessions, size_t count, const sy_session *session)
{
    size_t at = count;
    assert(sessions != NULL);
    for (; at > 0 && by_begin(session, sessions[at - 1]) < 0; at--) {
        sessions[at] = sessions[at - 1];
    }
    sessions[at] = session;
}

/* The nearest older revision with a baseline of its own, else all older ones together. */
static sy_status take_older(revisions *r, sy_error *err)
{
    sy_comparing *c = r->c;
    const sy_session **pooled = NULL;
    size_t pooled_count = 0;
    sy_status status = SY_OK;
    for (candidate *item = nearest(r); status == SY_OK && item != NULL; item = nearest(r)) {
        sy_baseline baseline;
        item->ancestry = SY_ANCESTRY_NOT_OLDER; /* looked at */
        status = read_baseline(c, item->key->key_digest, &baseline, err);
        if (status == SY_OK && baseline.count >= SY_BASELINE_SESSIONS) {
            take_one(c, item, &baseline);
            return SY_OK;
        }
        const sy_session **more = status == SY_OK
                                      ? sy_arena_allocate(c->arena, pooled_count + baseline.count + 1, sizeof *more)
                                      : NULL;
        if (status == SY_OK && more == NULL) {
            status = sy_compare_no_memory(err);
        }
        for (size_t i = 0; status == SY_OK && i < pooled_count; i++) {
            more[i] = pooled[i];
        }
        for (size_t i = 0; status == SY_OK && i < baseline.count; i++) {
            insert(more, pooled_count++, baseline.sessions[i]);
        }
        pooled = more;
    }
    c->mode = SY_COMPARISON_REVISIONS;
    c->baseline = pooled;
    c->baseline_count = pooled_count;
    return status;
}

/* ---- the one that was named ---- */

static sy_status take_named_run(revisions *r, sy_error *err)
{
    sy_comparing *c = r->c;
    sy_run *other = NULL;
    char line[65];
    sy_baseline baseline;
    sy_status status = sy_ledger_run(c->ledger, c->options->against, &other, err);
    if (status == SY_OK) {
        status = sy_comparison_key_line(&other->begin.key, c->revision_field, line, err);
    }
    if (status == SY_OK && (other->row.key_digest[0] == '\0' || strcmp(line, r->line) != 0)) {
        status = refuse_difference(c, &other->begin.key, other->row.id, err);
    }
    if (status == SY_OK && strcmp(other->row.key_digest, c->run->row.key_digest) == 0) {
        status = sy_fail(err, SY_REFUSED, "%s is of the same revision: compare them without --revision-comparison",
                         other->row.id);
        sy_error_hint(err, "steelyard compare %s", c->run->row.id);
    }
    if (status == SY_OK) {
        status = read_baseline(c, other->row.key_digest, &baseline, err);
    }
    if (status == SY_OK) {
        const char *key = sy_arena_copy_text(c->arena, other->row.key_digest);
        const char *revision = sy_comparison_key_value(&other->begin.key, c->revision_field);
        revision = revision != NULL ? sy_arena_copy_text(c->arena, revision) : NULL;
        const sy_key_row row = {.key_digest = key};
        const candidate item = {&row, revision, SY_ANCESTRY_UNKNOWN, 0};
        status = key != NULL && revision != NULL ? SY_OK : sy_compare_no_memory(err);
        take_one(c, &item, &baseline);
    }
    sy_run_destroy(other);
    return status;
}

/* A key of another line that has such a revision: why it is not comparable is said, where a run would not be found. */
static const sy_key_row *find_elsewhere(const sy_comparing *c)
{
    for (size_t i = 0; i < c->keys->row_count; i++) {
        const char *revision = sy_comparison_key_value(&c->keys->rows[i].key, c->revision_field);
        if (revision != NULL && sy_text_begins(revision, c->options->against)) {
            return &c->keys->rows[i];
        }
    }
    return NULL;
}

static sy_status take_named(revisions *r, sy_error *err)
{
    sy_comparing *c = r->c;
    const char *against = c->options->against;
    const candidate *found = NULL;
    for (size_t i = 0; is_known_revision(against) && i < r->count; i++) {
        if (strcmp(r->items[i].revision, against) == 0) {
            found = &r->items[i];
            break;
        }
        if (sy_text_begins(r->items[i].revision, against)) {
            if (found != NULL) {
                return sy_fail(err, SY_INVALID_ARGUMENT, "'%.60s' begins the revisions %.50s and %.50s", against,
                               found->revision, r->items[i].revision);
            }
            found = &r->items[i];
        }
    }
    if (found != NULL) {
        sy_baseline baseline;
        sy_status status = read_baseline(c, found->key->key_digest, &baseline, err);
        if (status == SY_OK) {
            take_one(c, found, &baseline);
        }
        return status;
    }
    sy_error error = SY_ERROR_INIT;
    sy_status status = take_named_run(r, &error);
    const sy_key_row *elsewhere = status == SY_NOT_FOUND && is_known_revision(against) ? find_elsewhere(c) : NULL;
    if (elsewhere != NULL) {
        return refuse_difference(c, &elsewhere->key, elsewhere->newest, err);
    }
    if (status == SY_NOT_FOUND) {
        return sy_fail(err, SY_NOT_FOUND, "no accepted session has the revision, and no run the id '%.60s'", against);
    }
    if (status != SY_OK && err != NULL) {
        *err = error;
    }
    return status;
}

sy_status sy_compare_find_revision(sy_comparing *c, sy_error *err)
{
    revisions r = {.c = c, .revision = sy_comparison_key_value(&c->run->begin.key, c->revision_field)};
    sy_status status = sy_comparison_key_line(&c->run->begin.key, c->revision_field, r.line, err);
    if (status != SY_OK) {
        return status;
    }
    if (r.revision == NULL || r.line[0] == '\0') {
        return sy_fail(err, SY_REFUSED, "a field of its comparison key is unknown, which equals nothing");
    }
    status = find_candidates(&r, err);
    if (status == SY_OK && c->options->against != NULL) {
        return take_named(&r, err);
    }
    c->mode = SY_COMPARISON_REVISIONS;
    if (status == SY_OK && r.count > 0) {
        status = order_candidates(&r, err);
    }
    return status == SY_OK ? take_older(&r, err) : status;
}
