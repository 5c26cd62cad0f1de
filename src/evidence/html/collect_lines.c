/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the ledger's runs once: sessions in the order in which they began, and to which line each belongs, so that one
 * chart shows what differs in its revision alone. */
#include <assert.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "evidence/compare/baseline.h"
#include "evidence/compare/session_rules.h"
#include "evidence/html/collecting_html.h"
#include "ledger/run_life.h"
#include "record/comparison_key.h"

enum { PAGE_ROWS = 4096, DECISIONS_MOST = 100000 };

/* What is read at work; the newest first, as the ledger tells them. */
typedef struct reading {
    sy_html_collecting *c;
    size_t capacity; /* of the sessions and their places */
    const char **decisions;
    size_t decision_count;
    size_t decision_capacity;
    sy_id_table *line_of_key; /* digest of a key -> digest of its line */
    sy_id_table *lines;       /* what a line is known by -> sy_html_line */
} reading;

/* ---- lines ---- */

/* A gate that the registry does not have, or not any more, names no metrics. */
static sy_status read_primary(sy_html_collecting *c, sy_html_line *line, sy_error *err)
{
    const sy_gate *gate = NULL;
    sy_session_rules rules = SY_SESSION_RULES_INIT;
    if (sy_gate_look_up(c->registry, line->gate, &gate, NULL) != SY_OK) {
        return SY_OK;
    }
    sy_status status = sy_session_rules_read(c->registry, gate, c->owner->arena, &rules, err);
    line->primary = rules.primary;
    line->primary_count = rules.primary_count;
    return status;
}

/* Sessions of keys with an unknown field equal nothing; they are drawn together where cell, gate, device and host are
 * the same, and nothing is judged of them. */
static const char *digest_of_facts(sy_html_collecting *c, const sy_run_row *row)
{
    const char *facts[] = {row->cell, row->gate, row->device, row->host, row->origin};
    sy_digest_state state;
    sy_digest digest;
    char text[SY_DIGEST_TEXT];
    sy_digest_start(&state);
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        sy_digest_add(&state, facts[i], strlen(facts[i]) + 1);
    }
    sy_digest_finish(&state, &digest);
    sy_digest_format(&digest, text);
    return sy_html_text(c, text);
}

static const char *line_digest(reading *r, const sy_run_row *row)
{
    const char *digest = row->key_digest[0] != '\0' ? sy_id_table_get(r->line_of_key, row->key_digest) : NULL;
    return digest != NULL ? digest : digest_of_facts(r->c, row);
}

static sy_status find_line(reading *r, const sy_run_row *row, sy_html_line **ret_line, sy_error *err)
{
    sy_html_collecting *c = r->c;
    const char *digest = line_digest(r, row);
    void *earlier = NULL;
    if (digest == NULL) {
        return sy_html_no_memory(err);
    }
    sy_html_line *line = sy_id_table_get(r->lines, digest);
    if (line != NULL) {
        *ret_line = line;
        return SY_OK;
    }
    line = sy_arena_allocate(c->owner->arena, 1, sizeof *line);
    if (line == NULL || !sy_id_table_put(r->lines, digest, line, &earlier)) {
        return sy_html_no_memory(err);
    }
    line->digest = digest;
    line->cell = sy_html_text(c, row->cell);
    line->gate = sy_html_text(c, row->gate);
    line->device = sy_html_text(c, row->device);
    if (line->cell == NULL || line->gate == NULL || line->device == NULL) {
        return sy_html_no_memory(err);
    }
    *ret_line = line;
    return line->gate[0] != '\0' ? read_primary(c, line, err) : SY_OK;
}

static sy_status read_keys(reading *r, sy_error *err)
{
    sy_html_collecting *c = r->c;
    const char *field = sy_revision_field(c->registry);
    sy_key_list *keys = NULL;
    sy_status status = sy_ledger_keys(c->ledger, NULL, false, &keys, err);
    for (size_t i = 0; status == SY_OK && i < keys->row_count; i++) {
        char line[65];
        void *earlier = NULL;
        const char *key = sy_html_text(c, keys->rows[i].key_digest);
        status = sy_comparison_key_line(&keys->rows[i].key, field, line, err);
        const char *digest = status == SY_OK ? sy_html_text(c, line) : NULL;
        if (status == SY_OK && (key == NULL || digest == NULL ||
                                !sy_id_table_put(r->line_of_key, key, (void *)(uintptr_t)digest, &earlier))) {
            status = sy_html_no_memory(err);
        }
    }
    sy_key_list_destroy(keys);
    return status;
}

/* ---- sessions ---- */

static bool grow(void **items, size_t *capacity, size_t size)
{
    size_t wanted = *capacity == 0 ? 256 : *capacity * 2;
    void *grown = sy_reallocate(*items, wanted, size);
    if (grown == NULL) {
        return false;
    }
    *items = grown;
    *capacity = wanted;
    return true;
}

static bool make_room(reading *r)
{
    size_t capacity = r->capacity;
    sy_html_collecting *c = r->c;
    if (c->session_count < r->capacity) {
        return true;
    }
    if (!grow((void **)&c->owner->sessions, &capacity, sizeof *c->sessions)) {
        return false;
    }
    c->sessions = c->owner->sessions;
    sy_html_place *places = sy_reallocate(c->places, capacity, sizeof *places);
    if (places == NULL) {
        return false;
    }
    c->places = places;
    r->capacity = capacity;
    return true;
}

static sy_status take_decision(reading *r, const sy_run_row *row, sy_error *err)
{
    if (r->decision_count >= r->c->options->run_limit || r->decision_count == DECISIONS_MOST) {
        return SY_OK;
    }
    if (r->decision_count == r->decision_capacity &&
        !grow((void **)&r->decisions, &r->decision_capacity, sizeof *r->decisions)) {
        return sy_html_no_memory(err);
    }
    const char *id = sy_arena_copy_text(r->c->owner->arena, row->id);
    r->decisions[r->decision_count] = id;
    r->decision_count += id != NULL;
    return id != NULL ? SY_OK : sy_html_no_memory(err);
}

static sy_status take_row(reading *r, const sy_run_row *row, sy_error *err)
{
    sy_html_collecting *c = r->c;
    c->owner->content.run_total++;
    if (row->kind == SY_RUN_KIND_DECISION) {
        return take_decision(r, row, err);
    }
    sy_html_line *line = NULL;
    sy_status status = make_room(r) ? find_line(r, row, &line, err) : sy_html_no_memory(err);
    if (status != SY_OK) {
        return status;
    }
    assert(line != NULL);
    line->judged = line->judged || sy_run_life_was_judged(row);
    line->verdict_number = row->verdict_number > line->verdict_number ? row->verdict_number : line->verdict_number;
    const char *run = sy_arena_copy_text(c->owner->arena, row->id);
    const char *revision = sy_html_text(c, row->revision);
    const char *key = sy_html_text(c, row->key_digest);
    if (run == NULL || revision == NULL || key == NULL) {
        return sy_html_no_memory(err);
    }
    c->places[c->session_count] = (sy_html_place){line, SY_HTML_NO_SESSION};
    c->sessions[c->session_count++] = (sy_html_session){.run = run,
                                                        .number = row->number,
                                                        .began_utc_s = row->began_utc_s,
                                                        .revision = revision,
                                                        .key_digest = key,
                                                        .imported = row->origin[0] != '\0',
                                                        .accepted = row->accepted,
                                                        .begins_baseline = row->begins_baseline,
                                                        .judged = row->judged,
                                                        .raised = row->raised,
                                                        .verdict = row->verdict};
    return SY_OK;
}

static sy_status read_rows(reading *r, sy_error *err)
{
    sy_run_filter filter = SY_RUN_FILTER_INIT;
    bool more = true;
    sy_status status = SY_OK;
    filter.limit = PAGE_ROWS;
    while (status == SY_OK && more) {
        sy_run_list *page = NULL;
        status = sy_ledger_runs(r->c->ledger, &filter, &page, err);
        for (size_t i = 0; status == SY_OK && i < page->row_count; i++) {
            status = take_row(r, &page->rows[i], err);
        }
        more = status == SY_OK && page->row_count == PAGE_ROWS;
        filter.before_number = more ? page->rows[page->row_count - 1].number : 0;
        sy_run_list_destroy(page);
    }
    return status;
}

/* ---- the oldest first ---- */

/* Each session is told the newest accepted one of its key before it. */
static sy_status link_accepted(sy_html_collecting *c, sy_error *err)
{
    sy_id_table *newest = sy_id_table_create(c->owner->arena, 256);
    for (size_t i = 0; newest != NULL && i < c->session_count; i++) {
        const char *key = c->sessions[i].key_digest;
        void *earlier = NULL;
        if (key[0] == '\0') {
            continue;
        }
        uint32_t *at = sy_id_table_get(newest, key);
        if (at == NULL) {
            at = sy_arena_allocate(c->owner->arena, 1, sizeof *at);
            if (at == NULL || !sy_id_table_put(newest, key, at, &earlier)) {
                return sy_html_no_memory(err);
            }
            *at = SY_HTML_NO_SESSION;
        }
        c->places[i].accepted_before = *at;
        *at = c->sessions[i].accepted ? (uint32_t)i : *at;
    }
    return newest != NULL ? SY_OK : sy_html_no_memory(err);
}

static sy_status turn_round(reading *r, sy_error *err)
{
    sy_html_collecting *c = r->c;
    const char **decisions = sy_arena_allocate(c->owner->arena, r->decision_count + 1, sizeof *decisions);
    if (c->session_count >= SY_HTML_NO_SESSION) {
        return sy_fail(err, SY_LIMIT_EXCEEDED, "%zu sessions are too many for one page", c->session_count);
    }
    if (decisions == NULL) {
        return sy_html_no_memory(err);
    }
    for (size_t i = 0, k = c->session_count; i + 1 < k; i++) {
        k--;
        const sy_html_session session = c->sessions[i];
        const sy_html_place place = c->places[i];
        c->sessions[i] = c->sessions[k];
        c->sessions[k] = session;
        c->places[i] = c->places[k];
        c->places[k] = place;
    }
    for (size_t i = 0; i < r->decision_count; i++) {
        decisions[i] = r->decisions[i];
    }
    c->decisions = decisions;
    c->decision_count = r->decision_count;
    c->owner->content.sessions = c->sessions;
    c->owner->content.session_count = c->session_count;
    return link_accepted(c, err);
}

sy_status sy_html_collect_sessions(sy_html_collecting *c, sy_error *err)
{
    reading r = {.c = c,
                 .line_of_key = sy_id_table_create(c->owner->arena, 256),
                 .lines = sy_id_table_create(c->owner->arena, 256)};
    sy_status status = r.line_of_key != NULL && r.lines != NULL ? read_keys(&r, err) : sy_html_no_memory(err);
    if (status == SY_OK) {
        status = read_rows(&r, err);
    }
    if (status == SY_OK) {
        status = turn_round(&r, err);
    }
    sy_free((void *)r.decisions);
    return status;
}
