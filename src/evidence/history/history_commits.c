/* SPDX-License-Identifier: Apache-2.0 */
/* What finds the commit of each change: sessions of the same gate at the commits between, in a ledger of their own,
 * each told to one of the two levels. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shell_words.h"
#include "evidence/history/bisect.h"
#include "evidence/history/history_reading.h"

enum { LINE_DIGITS = 16, WORDS_MAX = 24 };

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for a command that finds a commit");
}

/* The project's folder and one for the sessions of a bisection, as seen from the top of the working tree, where git
 * runs commands. */
typedef struct places {
    const char *root; /* "" = the top itself */
    const char *evidence;
} places;

static sy_status find_places(const sy_history_reading *r, const char *prefix, places *ret_places, sy_error *err)
{
    char absolute[PATH_MAX];
    const char *root = sy_project_root(r->project);
    const char *evidence = realpath(sy_project_evidence(r->project), absolute) != NULL
                               ? absolute
                               : sy_project_evidence(r->project);
    size_t length = strlen(root);
    bool is_inside = strncmp(evidence, root, length) == 0 && evidence[length] == '/';
    places found = {.root = sy_arena_copy_bytes(r->arena, prefix, strlen(prefix) > 0 ? strlen(prefix) - 1 : 0)};
    found.evidence = is_inside ? sy_arena_format(r->arena, "%s%s/bisect", prefix, evidence + length + 1)
                               : sy_arena_format(r->arena, "%s/bisect", evidence);
    *ret_places = found;
    return found.root != NULL && found.evidence != NULL ? SY_OK : no_memory(err);
}

static size_t put_places(const char **words, size_t count, const places *at)
{
    if (at->root[0] != '\0') {
        words[count++] = "--root";
        words[count++] = at->root;
    }
    words[count++] = "--evidence";
    words[count++] = at->evidence;
    return count;
}

static size_t put_metric(const char **words, size_t count, const sy_judged_metric *metric)
{
    const struct {
        const char *option;
        const char *value;
    } parts[] = {{"--series", metric->series},
                 {"--case", metric->case_name},
                 {"--implementation", metric->implementation},
                 {"--statistic", metric->statistic != SY_STATISTIC_P50 ? sy_statistic_word(metric->statistic) : ""}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].value[0] != '\0') {
            words[count++] = parts[i].option;
            words[count++] = parts[i].value;
        }
    }
    return count;
}

/* A session of the gate, then which level it has: 0 or 1; whatever else happens tells nothing of the commit. */
static sy_status make_step(const sy_history_reading *r, const sy_history_change *change, const char *line,
                           const places *at, const char **ret_step, sy_error *err)
{
    const char *measure[WORDS_MAX] = {"steelyard", "run", "exec", "--gate", r->gate, "--question", "bisect"};
    const char *ask[WORDS_MAX] = {"steelyard", "history"};
    const char *levels = sy_arena_format(r->arena, "%.6g,%.6g", change->before, change->after);
    const char *digits = sy_arena_format(r->arena, "%.*s", LINE_DIGITS, line);
    size_t count = put_places(measure, 7, at);
    if (levels == NULL || digits == NULL) {
        return no_memory(err);
    }
    measure[count] = NULL;
    ask[2] = digits;
    count = put_places(ask, 3, at);
    count = put_metric(ask, count, &r->to->metric);
    ask[count++] = "--levels";
    ask[count++] = levels;
    ask[count] = NULL;
    const char *first = sy_shell_join(r->arena, measure);
    const char *second = sy_shell_join(r->arena, ask);
    *ret_step = first != NULL && second != NULL
                    ? sy_arena_format(r->arena, "%s || exit 125; %s; code=$?; [ $code -le 1 ] || exit 125; exit $code",
                                      first, second)
                    : NULL;
    return *ret_step != NULL ? SY_OK : no_memory(err);
}

static sy_status ask_each(sy_history_reading *r, const sy_bisect *bisect, const char **lines, const char **notes,
                          sy_error *err)
{
    places at;
    sy_status status = find_places(r, bisect->prefix, &at, err);
    for (size_t i = 0; status == SY_OK && i < r->to->bisect_count; i++) {
        const sy_history_change *change = &r->to->history->changes[i];
        const sy_key_point *before = &r->to->points[r->to->place_of[change->index - 1]];
        const sy_key_point *after = &r->to->points[r->to->place_of[change->index]];
        sy_bisect_question question = {before->revision, after->revision, change->worse, NULL};
        /* Sessions at other commits have other keys: only over revisions is there a line that all of them share. */
        if (r->gate[0] != '\0' && !r->options->same_revision) {
            status = make_step(r, change, r->to->line, &at, &question.step, err);
        }
        if (status == SY_OK) {
            status = sy_bisect_ask(bisect, &question, &lines[i], &notes[i], err);
        }
    }
    return status;
}

sy_status sy_history_find_commits(sy_history_reading *r, sy_error *err)
{
    size_t count = r->to->history->change_count;
    const char **lines = sy_arena_allocate(r->arena, count + 1, sizeof *lines);
    const char **notes = sy_arena_allocate(r->arena, count + 1, sizeof *notes);
    sy_bisect bisect;
    if (lines == NULL || notes == NULL) {
        return no_memory(err);
    }
    r->to->bisect = lines;
    r->to->bisect_notes = notes;
    r->to->bisect_count = count;
    if (count == 0) {
        return SY_OK;
    }
    sy_status status = sy_bisect_init(&bisect, "git", sy_project_root(r->project), &sy_clock_system, r->arena, err);
    if (status == SY_OK) {
        status = ask_each(r, &bisect, lines, notes, err);
        sy_bisect_finish(&bisect);
    }
    return status;
}
