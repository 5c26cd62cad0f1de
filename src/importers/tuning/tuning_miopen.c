/* SPDX-License-Identifier: Apache-2.0 */
/* MIOpen's find-db as text: a line a problem, "KEY=ID:VALUES;ID:VALUES". Version 2 has the solver as ID, and time,
 * workspace, algorithm as values; version 1 the algorithm, and solver, time, workspace and two more. They are told
 * apart by where the time stands. The fastest believable time wins: times of 0.0 occur, and nothing ran in no time. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "importers/tuning/tuning_readers.h"

#define SOLVERS_MAX 256

typedef struct reading {
    sy_tuning_draft *draft;
    const char *text;
    sy_tuning_time times[SOLVERS_MAX]; /* of the line at hand */
    double workspaces[SOLVERS_MAX];
    size_t count;
    sy_tuning_format first; /* version of the first record; AUTO = none yet */
    bool mixed;             /* told already */
} reading;

/* The key has no '=' and at least one '-'; behind it stand an ID and a colon. */
static bool split_line(sy_tuning_span all, sy_tuning_span *ret_key, sy_tuning_span *ret_rest)
{
    sy_tuning_span rest = all;
    sy_tuning_span key = sy_tuning_cut(&rest, '=');

    *ret_key = key;
    *ret_rest = rest;
    return sy_tuning_is_text(key) && memchr(key.at, '-', key.length) != NULL && rest.length > 0 &&
           memchr(rest.at, ':', rest.length) != NULL;
}

bool sy_tuning_knows_miopen(const char *text, size_t size)
{
    sy_tuning_cursor cursor = {text, text + size, 0, text};
    sy_tuning_span line;
    sy_tuning_span key;

    while (sy_tuning_next_line(&cursor, &line)) {
        if (line.length > 0)
            return split_line(line, &key, &line);
    }
    return false;
}

static void read_lines(reading *r, size_t size)
{
    sy_tuning_cursor cursor = {r->text, r->text + size, 0, r->text};
    sy_tuning_span all;

    while (sy_tuning_next_line(&cursor, &all) && !r->draft->failed) {
        sy_tuning_line line = {.number = cursor.number, .start = cursor.start};

        if (all.length == 0)
            continue;
        if (split_line(all, &line.key, &line.rest)) {
            sy_tuning_line_add(r->draft, line);
            continue;
        }
        r->draft->entries++;
        r->draft->passed_over++;
        sy_tuning_find(r->draft, SY_TUNING_RULE_ENTRY, sy_tuning_place(r->text, &line, all.at), NULL,
                       "expected PROBLEM=SOLVER:VALUES;SOLVER:VALUES");
    }
}

/* Of which version a record is, and what it says. false: of none. */
static bool split_record(sy_tuning_span record, sy_tuning_format *ret_version, sy_tuning_span *ret_solver,
                         sy_tuning_span *ret_time, sy_tuning_span *ret_workspace)
{
    sy_tuning_span rest = record;
    sy_tuning_span id = sy_tuning_cut(&rest, ':');
    sy_tuning_span value = sy_tuning_cut(&rest, ',');
    double time;

    if (!sy_tuning_is_text(id))
        return false;
    *ret_version = SY_TUNING_MIOPEN;
    *ret_solver = id;
    *ret_time = value;
    *ret_workspace = sy_tuning_cut(&rest, ',');
    if (sy_tuning_number(value, &time))
        return true;
    *ret_version = SY_TUNING_MIOPEN_1;
    *ret_solver = value;
    *ret_time = *ret_workspace;
    *ret_workspace = sy_tuning_cut(&rest, ',');
    return sy_tuning_is_text(value) && sy_tuning_number(*ret_time, &time);
}

static void note_version(reading *r, sy_tuning_format version, sy_position position)
{
    if (r->first == SY_TUNING_AUTO)
        r->first = version;
    if (r->first == version || r->mixed)
        return;
    r->mixed = true;
    sy_tuning_find(r->draft, SY_TUNING_RULE_VALIDATORS, position, NULL,
                   "records of find-db 1 and 2 stand in one file: this is the first of the other version");
}

static void read_record(reading *r, const sy_tuning_line *line, sy_tuning_span record)
{
    sy_tuning_draft *draft = r->draft;
    sy_position position = sy_tuning_place(r->text, line, record.at);
    sy_tuning_format version;
    sy_tuning_span name;
    sy_tuning_span time_text;
    sy_tuning_span workspace;
    sy_tuning_time time = {.reason = ""};
    const char *why;

    draft->entries++;
    if (r->count == SOLVERS_MAX || !split_record(record, &version, &name, &time_text, &workspace)) {
        draft->passed_over++;
        sy_tuning_find(draft, SY_TUNING_RULE_ENTRY, position,
                       sy_tuning_copy(draft, record.at, record.length < 128 ? record.length : 128),
                       r->count == SOLVERS_MAX ? "more than 256 solvers of one problem"
                                               : "expected SOLVER:MILLISECONDS,WORKSPACE,ALGORITHM, or as version 1 "
                                                 "has it ALGORITHM:SOLVER,MILLISECONDS,WORKSPACE,...");
        return;
    }
    note_version(r, version, position);
    (void)sy_tuning_number(time_text, &time.time);
    why = sy_tuning_unbelievable(time.time);
    if (why != NULL) {
        sy_tuning_find(draft, SY_TUNING_RULE_TIME, sy_tuning_place(r->text, line, time_text.at),
                       sy_tuning_copy(draft, time_text.at, time_text.length < 64 ? time_text.length : 64),
                       "a time that is %s is not believed: the solver does not win by it", why);
        time.time = NAN;
        time.reason = why;
    }
    time.name = sy_tuning_copy(draft, name.at, name.length);
    if (workspace.length == 0 || !sy_tuning_number(workspace, &r->workspaces[r->count]) ||
        !(r->workspaces[r->count] >= 0) || isinf(r->workspaces[r->count]))
        r->workspaces[r->count] = NAN;
    r->times[r->count++] = time;
}

/* SOLVERS_MAX: none has a time. */
static size_t fastest(const reading *r)
{
    size_t best = SOLVERS_MAX;

    for (size_t i = 0; i < r->count; i++) {
        if (!isnan(r->times[i].time) && (best == SOLVERS_MAX || r->times[i].time < r->times[best].time))
            best = i;
    }
    return best;
}

static void read_solvers(reading *r, const sy_tuning_line *line)
{
    sy_tuning_span rest = line->rest;

    r->count = 0;
    while (rest.length > 0) {
        sy_tuning_span record = sy_tuning_cut(&rest, ';');

        if (record.length > 0)
            read_record(r, line, record);
    }
}

/* A line whose problem an earlier one has. Its winner is looked at in the profile of that one, by its place. */
static void pass_over(reading *r, const sy_tuning_line *line, size_t winner)
{
    const sy_tuning_line *first = &r->draft->lines[line->first];
    sy_position position = sy_tuning_place(r->text, line, line->key.at);
    const char *won = NULL;

    r->draft->passed_over += r->count;
    for (size_t low = 0, high = r->draft->count; low < high && won == NULL;) {
        size_t middle = low + (high - low) / 2;
        const sy_tuned *tuned = &r->draft->list[middle];

        if (tuned->position.line == first->number)
            won = tuned->profile.policy;
        else if (tuned->position.line < first->number)
            low = middle + 1;
        else
            high = middle;
    }
    if (won != NULL && winner < SOLVERS_MAX && strcmp(won, r->times[winner].name) != 0)
        sy_tuning_find(r->draft, SY_TUNING_RULE_DUPLICATE, position, r->times[winner].name,
                       "line %u has this problem with another winner: the first counts", (unsigned)first->number);
    else
        sy_tuning_note(r->draft, SY_TUNING_RULE_DUPLICATE, position, "the same problem and winner as in line %u",
                       (unsigned)first->number);
}

static void read_entry(reading *r, size_t index)
{
    sy_tuning_draft *draft = r->draft;
    bool counts = sy_tuning_line_counts(draft, index);
    const sy_tuning_line *line = &draft->lines[index];
    sy_position position = sy_tuning_place(r->text, line, line->key.at);
    const char *backend = draft->options->backend != NULL ? draft->options->backend : "miopen";
    const char *version = draft->options->implementation_version;
    sy_measurement measured[2];
    sy_tuning_gemm key;
    sy_tuned *tuned;
    size_t winner;

    read_solvers(r, line);
    winner = fastest(r);
    if (!counts) {
        pass_over(r, line, winner);
        return;
    }
    if (winner == SOLVERS_MAX) {
        draft->lines[line->first].unread = true;
        draft->passed_over += r->count;
        sy_tuning_find(draft, SY_TUNING_RULE_WINNER, position, NULL,
                       "no solver has a time that can be true: none wins");
        return;
    }
    sy_tuning_problem_key(draft, line->key, &key);
    tuned = sy_tuning_add(draft, backend, key.operator_name, version != NULL ? version : "unknown", &key.structure,
                          r->times[winner].name, position);
    if (tuned == NULL)
        return;
    measured[0] = (sy_measurement){"time", r->times[winner].time, "ms"};
    measured[1] = (sy_measurement){"workspace", r->workspaces[winner], "bytes"};
    sy_tuning_measurements(draft, &tuned->profile, measured, isnan(r->workspaces[winner]) ? 1 : 2);
    sy_tuning_alternatives(draft, &tuned->profile, r->times, r->count, winner);
}

sy_status sy_tuning_read_miopen(const char *text, size_t size, sy_tuning_draft *draft, sy_error *err)
{
    reading r = {.draft = draft, .text = text};
    sy_status status;

    draft->format = SY_TUNING_MIOPEN;
    read_lines(&r, size);
    if (draft->line_count == 0 && !draft->failed)
        return sy_fail(err, SY_CORRUPT, "there is no line of a find-db in it");
    status = sy_tuning_lines_match(draft, err);
    for (size_t i = 0; i < draft->line_count && status == SY_OK && !draft->failed; i++)
        read_entry(&r, i);
    draft->format = r.first != SY_TUNING_AUTO ? r.first : SY_TUNING_MIOPEN;
    return status;
}
