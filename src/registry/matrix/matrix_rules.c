/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of one cell: its level, its state, its schedule, what an unimplemented pair may promise, and whose runner it
 * has. */
#include <string.h>

#include "registry/matrix/matrix_cells.h"

static bool equal(const char *text, const char *other)
{
    return text != NULL && strcmp(text, other) == 0;
}

/* ---- words ---- */

static const char state_ready[] = "ready";
static const char state_gap[] = "evidence-gap";
static const char state_unsupported[] = "unsupported";
static const char gate_unsupported[] = "unsupported-contract";
static const char schedule_none[] = "none";

/* A word that is none of those that are known; NULL known: nothing is known to hold it against. */
static void check_word(const sy_document *document, const sy_cell_draft *cell, const char *name, const char *word,
                       const char *const *known, size_t count, sy_rule_id rule)
{
    sy_text list = SY_TEXT_INIT;
    bool found = word == NULL;
    for (size_t i = 0; i < count && !found; i++) {
        found = strcmp(word, known[i]) == 0;
        sy_text_append_format(&list, "%s%s", i > 0 ? ", " : "", known[i]);
    }
    if (!found) {
        sy_complain(document, sy_json_member(cell->value, name), rule, "'%s' must be one of: %s", name,
                    sy_text_bytes(&list));
    }
    sy_text_finish(&list);
}

static void check_words(const struct sy_matrix_part *matrix, const sy_cell_draft *cell)
{
    static const char *const states[] = {state_ready, state_gap, state_unsupported};
    check_word(matrix->document, cell, "state", cell->state, states, sizeof states / sizeof states[0],
               SY_RULE_CELL_STATE);
    if (matrix->protocol != NULL) {
        check_word(matrix->document, cell, "scheduled_profile", cell->scheduled_profile,
                   matrix->protocol->schedules.words, matrix->protocol->schedules.count, SY_RULE_CELL_SCHEDULE);
    }
}

/* ---- implemented or not ---- */

static bool is_known_state(const char *state)
{
    return equal(state, state_ready) || equal(state, state_gap) || equal(state, state_unsupported);
}

/* One promise of a cell that its level does not allow. */
typedef struct breach {
    const char *name;
    sy_rule_id rule;
    const char *message;
} breach;

enum { BREACH_MAX = 4 };

static size_t breaches_of_unimplemented(const sy_cell_draft *cell, breach to[BREACH_MAX])
{
    size_t count = 0;
    if (is_known_state(cell->state) && !equal(cell->state, state_unsupported)) {
        to[count++] = (breach){"state", SY_RULE_CELL_UNIMPLEMENTED,
                               "a pair that is not implemented has the state unsupported"};
    }
    if (cell->scheduled_profile != NULL && !equal(cell->scheduled_profile, schedule_none)) {
        to[count++] = (breach){"scheduled_profile", SY_RULE_CELL_UNIMPLEMENTED,
                               "a pair that is not implemented has the schedule none"};
    }
    if (cell->has_signoff && cell->release_signoff) {
        to[count++] = (breach){"release_signoff", SY_RULE_CELL_UNIMPLEMENTED,
                               "a pair that is not implemented is never signed off: false"};
    }
    if (cell->pr_gate != NULL && !equal(cell->pr_gate, gate_unsupported)) {
        to[count++] = (breach){"pr_gate", SY_RULE_CELL_UNIMPLEMENTED,
                               "a pair that is not implemented has the gate unsupported-contract"};
    }
    return count;
}

static size_t breaches_of_implemented(const sy_cell_draft *cell, breach to[BREACH_MAX])
{
    size_t count = 0;
    if (equal(cell->state, state_unsupported)) {
        to[count++] = (breach){"state", SY_RULE_CELL_IMPLEMENTED,
                               "a pair that is implemented is ready or an evidence-gap, never unsupported"};
    }
    if (equal(cell->pr_gate, gate_unsupported)) {
        to[count++] = (breach){"pr_gate", SY_RULE_CELL_IMPLEMENTED,
                               "a pair that is implemented has a gate that tests it, not unsupported-contract"};
    }
    return count;
}

/* Where the matrix and the parity matrix disagree on the level, the disagreement is told, and the cell is held against
 * the level that it follows more: what follows from one wrong word is not told four times. */
static void check_promises(const struct sy_matrix_part *matrix, sy_cell_draft *cell)
{
    const char *owed = cell->pair != NULL ? cell->pair->level : NULL;
    const char *own = cell->support_level != NULL ? cell->support_level : owed;
    if (own == NULL) {
        cell->is_unimplemented = equal(cell->state, state_unsupported);
        return;
    }
    breach as_implemented[BREACH_MAX], as_unimplemented[BREACH_MAX];
    size_t implemented = breaches_of_implemented(cell, as_implemented);
    size_t unimplemented = breaches_of_unimplemented(cell, as_unimplemented);
    cell->is_unimplemented = equal(own, SY_LEVEL_NOT_IMPLEMENTED);
    if (owed != NULL && equal(owed, SY_LEVEL_NOT_IMPLEMENTED) != cell->is_unimplemented) {
        cell->is_unimplemented = unimplemented < implemented;
    }
    const breach *told = cell->is_unimplemented ? as_unimplemented : as_implemented;
    size_t count = cell->is_unimplemented ? unimplemented : implemented;
    for (size_t i = 0; i < count; i++) {
        sy_complain(matrix->document, sy_json_member(cell->value, told[i].name), told[i].rule, "%s", told[i].message);
    }
}

static void check_level(const struct sy_matrix_part *matrix, const sy_cell_draft *cell)
{
    const sy_parity_pair *pair = cell->pair;
    if (pair == NULL || pair->level == NULL || cell->support_level == NULL ||
        strcmp(pair->level, cell->support_level) == 0) {
        return;
    }
    const sy_document *parity = matrix->parity.document;
    if (sy_json_is_cut(parity->json, pair->level_at)) {
        return;
    }
    sy_position at = sy_json_position(parity->json, pair->level_at->offset);
    sy_complain(matrix->document, sy_json_member(cell->value, "support_level"), SY_RULE_CELL_LEVEL,
                "the parity matrix says '%s' of this pair, at %s:%u:%u", pair->level, parity->path, (unsigned)at.line,
                (unsigned)at.column);
}

void sy_cell_check(const struct sy_matrix_part *matrix, sy_cell_draft *cell)
{
    check_words(matrix, cell);
    check_level(matrix, cell);
    check_promises(matrix, cell);
}

/* ---- runners ---- */

/* What the implemented cells of a platform say of its runner. */
typedef struct vote {
    size_t for_platform;
    size_t against;
    const char *other; /* the one that all who are against it name; NULL: they name several */
} vote;

static bool is_portable(const struct sy_matrix_part *matrix, const char *runner)
{
    return matrix->protocol == NULL || sy_words_list_has(&matrix->protocol->portable_runners, runner);
}

/* Whether this cell's runner can be held against its platform's. */
static bool can_be_held(const sy_cell_draft *cell)
{
    return cell->runner != NULL && cell->platform != NULL && cell->platform->runner != NULL;
}

static void count_vote(vote *of, const sy_cell_draft *cell)
{
    if (strcmp(cell->runner, cell->platform->runner) == 0) {
        of->for_platform++;
        return;
    }
    if (of->against == 0) {
        of->other = cell->runner;
    } else if (of->other != NULL && strcmp(of->other, cell->runner) != 0) {
        of->other = NULL;
    }
    of->against++;
}

/* All cells agree, and not with their platform: then it is the platform that is told. */
static bool blames_platform(const vote *of)
{
    return of->for_platform == 0 && of->against > 1 && of->other != NULL;
}

static void tell_runner(const struct sy_matrix_part *matrix, const sy_cell_draft *cell)
{
    const sy_json_value *at = sy_json_member(cell->value, "runner");
    const sy_matrix_platform *owner = sy_id_table_get(matrix->runner_ids, cell->runner);
    if (owner != NULL) {
        sy_complain(matrix->document, at, SY_RULE_CELL_RUNNER,
                    "this is the runner of '%s'; the platform '%s' is run by '%s'", owner->name, cell->platform->name,
                    cell->platform->runner);
    } else {
        sy_complain(matrix->document, at, SY_RULE_CELL_RUNNER,
                    "no platform has this runner; the platform '%s' is run by '%s'", cell->platform->name,
                    cell->platform->runner);
    }
}

bool sy_cells_check_runners(sy_registry *registry, const struct sy_matrix_part *matrix, const sy_cell_draft *cells,
                            size_t count)
{
    vote *votes = sy_arena_allocate(registry->arena, matrix->platform_count, sizeof *votes);
    if (votes == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (can_be_held(&cells[i]) && !cells[i].is_unimplemented) {
            count_vote(&votes[cells[i].platform - matrix->platforms], &cells[i]);
        }
    }
    for (size_t i = 0; i < matrix->platform_count; i++) {
        if (blames_platform(&votes[i])) {
            sy_complain(matrix->document, sy_json_member(matrix->platforms[i].value, "runner"), SY_RULE_CELL_RUNNER,
                        "all %zu cells of '%s' that are implemented are run by '%s'", votes[i].against,
                        matrix->platforms[i].name, votes[i].other);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const sy_cell_draft *cell = &cells[i];
        bool fits = !can_be_held(cell) || strcmp(cell->runner, cell->platform->runner) == 0 ||
                    (cell->is_unimplemented ? is_portable(matrix, cell->runner)
                                            : blames_platform(&votes[cell->platform - matrix->platforms]));
        if (!fits) {
            tell_runner(matrix, cell);
        }
    }
    return true;
}
