/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the command line of a bisection, once git has said that both commits are there and one leads to the other. */
#include "evidence/history/bisect.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/shell_words.h"

#define DEADLINE_NS UINT64_C(60000000000)

enum { ANSWER_LIMIT_BYTES = 1 << 16, SHORT_DIGITS = 12 };

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for a command that finds a commit");
}

/* An answer's first line in the arena; NULL: no memory. */
static const char *first_line(sy_arena *arena, const sy_git_answer *answer)
{
    const char *text = sy_text_bytes(&answer->text);
    return sy_arena_copy_bytes(arena, text, strcspn(text, "\n"));
}

/* ---- the repository ---- */

/* Why no way can be followed; NULL in *ret_refusal: it can. */
static sy_status repository_refusal(sy_arena *arena, const sy_git_answer *answer, const char **ret_refusal,
                                    sy_error *err)
{
    const char *text = sy_text_bytes(&answer->text);
    const char *message = sy_text_bytes(&answer->message);
    const char *refusal = NULL;
    if (answer->end == SY_GIT_ABSENT) {
        refusal = "the program git is not here";
    } else if (answer->end == SY_GIT_TOO_SLOW) {
        refusal = "git did not answer in time";
    } else if (answer->end == SY_GIT_SAID_NO && strstr(message, "not a git repository") == NULL) {
        refusal = sy_arena_format(arena, "git: %.*s", (int)strcspn(message, "\n"), message);
    } else if (answer->end != SY_GIT_ANSWERED || !sy_text_begins(text, "true\n")) {
        refusal = "the project is in no working tree of git";
    } else if (strstr(text, "\ntrue\n") != NULL) {
        refusal =
            "the history is shallow here, and ends before it can be followed: git fetch --unshallow, then ask again";
    } else {
        *ret_refusal = NULL;
        return SY_OK;
    }
    *ret_refusal = refusal;
    return refusal != NULL ? SY_OK : no_memory(err);
}

static sy_status read_prefix(sy_bisect *bisect, sy_error *err)
{
    static const char *const words[] = {"rev-parse", "--show-prefix", NULL};
    sy_git_answer answer = {0};
    sy_status status = sy_git_ask(&bisect->git, NULL, words, ANSWER_LIMIT_BYTES, &answer, err);
    if (status == SY_OK && answer.end == SY_GIT_ANSWERED) {
        bisect->prefix = first_line(bisect->arena, &answer);
        status = bisect->prefix != NULL ? SY_OK : no_memory(err);
    }
    sy_git_answer_finish(&answer);
    return status;
}

static sy_status look_at_repository(sy_bisect *bisect, sy_error *err)
{
    static const char *const words[] = {"rev-parse", "--is-inside-work-tree", "--is-shallow-repository", NULL};
    sy_git_answer answer = {0};
    sy_status status = sy_git_ask(&bisect->git, NULL, words, ANSWER_LIMIT_BYTES, &answer, err);
    if (status == SY_OK) {
        status = repository_refusal(bisect->arena, &answer, &bisect->refusal, err);
    }
    sy_git_answer_finish(&answer);
    return status == SY_OK && bisect->refusal == NULL ? read_prefix(bisect, err) : status;
}

sy_status sy_bisect_init(sy_bisect *bisect, const char *program, const char *folder, const sy_clock *clock,
                         sy_arena *arena, sy_error *err)
{
    sy_bisect made = {.arena = arena, .prefix = ""};
    sy_status status = sy_git_init(&made.git, program, folder, clock, DEADLINE_NS, err);
    if (status != SY_OK) {
        return status;
    }
    status = look_at_repository(&made, err);
    if (status != SY_OK) {
        sy_bisect_finish(&made);
        return status;
    }
    *bisect = made;
    return SY_OK;
}

void sy_bisect_finish(sy_bisect *bisect)
{
    sy_git_finish(&bisect->git);
}

/* ---- two commits ---- */

static bool is_commit_id(const char *revision)
{
    size_t digits = strspn(revision, "0123456789abcdef");
    return revision[digits] == '\0' && (digits == 40 || digits == 64);
}

/* Why no commit can be named for that revision; NULL. */
static sy_status revision_refusal(const sy_bisect *bisect, const char *revision, const char *which,
                                  const char **ret_refusal, sy_error *err)
{
    const char *refusal = NULL;
    if (is_commit_id(revision)) {
        *ret_refusal = NULL;
        return SY_OK;
    }
    if (revision[0] == '\0') {
        refusal = sy_arena_format(bisect->arena, "nobody knows the revision of the session %s it", which);
    } else if (strchr(revision, '+') != NULL) {
        refusal = sy_arena_format(
            bisect->arena, "the session %s it was measured with changes that no commit holds: %.80s", which, revision);
    } else {
        refusal = sy_arena_format(bisect->arena, "the revision of the session %s it is no commit of git: %.80s", which,
                                  revision);
    }
    *ret_refusal = refusal;
    return refusal != NULL ? SY_OK : no_memory(err);
}

/* Asks, and gives the code that git ended with, -1 when it did not end by itself; ret_text may be NULL. */
static sy_status ask(const sy_bisect *bisect, const char *const *words, int *ret_code, const char **ret_text,
                     sy_error *err)
{
    sy_git_answer answer = {0};
    sy_status status = sy_git_ask(&bisect->git, NULL, words, ANSWER_LIMIT_BYTES, &answer, err);
    const char *text = "";
    if (status == SY_OK) {
        text = first_line(bisect->arena, &answer);
        status = text != NULL ? SY_OK : no_memory(err);
    }
    if (status == SY_OK) {
        bool ended = answer.end == SY_GIT_ANSWERED || answer.end == SY_GIT_SAID_NO;
        *ret_code = ended ? answer.code : -1;
        if (ret_text != NULL) {
            *ret_text = text;
        }
    }
    sy_git_answer_finish(&answer);
    return status;
}

static sy_status shorten(const sy_bisect *bisect, const char *revision, int *ret_code, const char **ret_short,
                         sy_error *err)
{
    const char *commit = sy_arena_format(bisect->arena, "%s^{commit}", revision);
    const char *const words[] = {"rev-parse", "--verify", "--quiet", "--short=12", commit, NULL};
    return commit != NULL ? ask(bisect, words, ret_code, ret_short, err) : no_memory(err);
}

/* Two commits, and what git says of the way between them. */
typedef struct way {
    const char *before; /* shortened, and of one commit alone */
    const char *after;
    uint64_t commits; /* behind the one before, up to the one after */
    const char *refusal;
} way;

static sy_status find_commits(const sy_bisect *bisect, const sy_bisect_question *question, way *ret_way, sy_error *err)
{
    const char *const revisions[] = {question->before, question->after};
    const char *missing = NULL;
    for (size_t i = 0; i < 2; i++) {
        int code = 0;
        sy_status status = shorten(bisect, revisions[i], &code, i == 0 ? &ret_way->before : &ret_way->after, err);
        if (status != SY_OK) {
            return status;
        }
        missing = code == 0 ? missing : revisions[i];
    }
    if (missing != NULL) {
        ret_way->refusal = sy_arena_format(bisect->arena, "the commit %.12s is not in this repository: fetch it first",
                                           missing);
        return ret_way->refusal != NULL ? SY_OK : no_memory(err);
    }
    return SY_OK;
}

static sy_status count_commits(const sy_bisect *bisect, way *w, sy_error *err)
{
    const char *range = sy_arena_format(bisect->arena, "%s..%s", w->before, w->after);
    const char *const words[] = {"rev-list", "--count", range, NULL};
    const char *text = "";
    int code = 0;
    sy_status status = range != NULL ? ask(bisect, words, &code, &text, err) : no_memory(err);
    if (status == SY_OK && (code != 0 || sy_parse_u64(text, &w->commits, NULL) != SY_OK || w->commits == 0)) {
        w->refusal = "git cannot count the commits between both";
    }
    return status;
}

static sy_status find_way(const sy_bisect *bisect, way *w, sy_error *err)
{
    const char *const words[] = {"merge-base", "--is-ancestor", w->before, w->after, NULL};
    int code = 0;
    sy_status status = ask(bisect, words, &code, NULL, err);
    if (status == SY_OK && code == 0) {
        return count_commits(bisect, w, err);
    }
    if (status == SY_OK) {
        w->refusal = code == 1
                         ? sy_arena_format(bisect->arena, "%s is no ancestor of %s: no way leads from one to the other",
                                           w->before, w->after)
                         : "git cannot tell whether one commit is an ancestor of the other";
        status = w->refusal != NULL ? SY_OK : no_memory(err);
    }
    return status;
}

/* ---- the line ---- */

/* How many commits are to be tried: the binary logarithm, rounded up. */
static unsigned steps(uint64_t commits)
{
    unsigned count = 0;
    while (count < 63 && (UINT64_C(1) << count) < commits) {
        count++;
    }
    return count;
}

static sy_status make_line(const sy_bisect *bisect, const sy_bisect_question *question, const way *w,
                           const char **ret_line, const char **ret_note, sy_error *err)
{
    const char *const words[] = {"sh", "-c", question->step, NULL};
    const char *terms = question->worse ? "" : " --term-new=after --term-old=before";
    const char *line = NULL;
    const char *note = NULL;
    if (w->commits == 1) {
        line = sy_arena_format(bisect->arena, "git show %s", w->after);
        note = "the only commit between both";
    } else if (question->step == NULL) {
        line = sy_arena_format(bisect->arena, "git bisect start%s %s %s", terms, w->after, w->before);
        note = "no gate says how a session is measured: give git bisect run a command that ends with 0 as before, 1 as "
               "after, 125 for neither";
    } else {
        const char *run = sy_shell_join(bisect->arena, words);
        line = run == NULL ? NULL
                           : sy_arena_format(bisect->arena, "git bisect start%s %s %s && git bisect run %s", terms,
                                             w->after, w->before, run);
        note = sy_arena_format(bisect->arena,
                               "%" PRIu64
                               " commits, about %u sessions, kept apart from the ledger; what has to be built first "
                               "belongs in front of steelyard run exec; afterwards git bisect reset",
                               w->commits, steps(w->commits));
    }
    *ret_line = line;
    *ret_note = note;
    return line != NULL && note != NULL ? SY_OK : no_memory(err);
}

/* Why there is no line, before git is asked about commits; NULL. */
static sy_status early_refusal(const sy_bisect *bisect, const sy_bisect_question *question, const char **ret_refusal,
                               sy_error *err)
{
    const char *refusal = NULL;
    sy_status status = revision_refusal(bisect, question->before, "before", &refusal, err);
    if (status == SY_OK && refusal == NULL) {
        status = revision_refusal(bisect, question->after, "behind", &refusal, err);
    }
    if (status == SY_OK && refusal == NULL && strcmp(question->before, question->after) == 0) {
        refusal = sy_arena_format(
            bisect->arena, "both sides were measured at %.12s: what changed is not in the sources", question->before);
        status = refusal != NULL ? SY_OK : no_memory(err);
    }
    *ret_refusal = refusal != NULL ? refusal : bisect->refusal;
    return status;
}

sy_status sy_bisect_ask(const sy_bisect *bisect, const sy_bisect_question *question, const char **ret_line,
                        const char **ret_note, sy_error *err)
{
    way found = {.refusal = NULL};
    sy_status status = early_refusal(bisect, question, &found.refusal, err);
    if (status == SY_OK && found.refusal == NULL) {
        status = find_commits(bisect, question, &found, err);
    }
    if (status == SY_OK && found.refusal == NULL) {
        status = find_way(bisect, &found, err);
    }
    if (status == SY_OK && found.refusal == NULL) {
        return make_line(bisect, question, &found, ret_line, ret_note, err);
    }
    if (status == SY_OK) {
        *ret_line = "";
        *ret_note = found.refusal;
    }
    return status;
}
