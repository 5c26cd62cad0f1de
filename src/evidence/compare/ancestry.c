/* SPDX-License-Identifier: Apache-2.0 */
/* Asks git whether one commit is an ancestor of another. */
#include "evidence/compare/ancestry.h"

#include <string.h>

#include "base/error.h"

enum { COMMIT_SIZE = 72, ANSWER_LIMIT_BYTES = 4096 };

/* The commit of a revision, without what was changed after it. False: it is too long to be one, or an option of git. */
static bool commit_of(const char *revision, char to[COMMIT_SIZE])
{
    size_t length = strcspn(revision, "+");
    if (length == 0 || length >= COMMIT_SIZE || revision[0] == '-') {
        return false;
    }
    memcpy(to, revision, length);
    to[length] = '\0';
    return true;
}

static bool is_dirty(const char *revision)
{
    return strchr(revision, '+') != NULL;
}

/* A commit that is cut off by the depth of a clone has no parents that git could find. */
static sy_status is_shallow(const sy_git *git, bool *ret_shallow, sy_error *err)
{
    sy_git_answer answer;
    const char *const words[] = {"rev-parse", "--is-shallow-repository", NULL};
    sy_status status = sy_git_ask(git, NULL, words, ANSWER_LIMIT_BYTES, &answer, err);
    if (status == SY_OK) {
        *ret_shallow = answer.end != SY_GIT_ANSWERED || !sy_text_begins(sy_text_bytes(&answer.text), "false");
        sy_git_answer_finish(&answer);
    }
    return status;
}

static sy_status ask_git(const sy_git *git, const char *a, const char *b, sy_ancestry *ret_ancestry, sy_error *err)
{
    sy_git_answer answer;
    const char *const words[] = {"merge-base", "--is-ancestor", a, b, NULL};
    sy_status status = sy_git_ask(git, NULL, words, ANSWER_LIMIT_BYTES, &answer, err);
    if (status != SY_OK) {
        return status;
    }
    bool shallow = true;
    bool denies = answer.end == SY_GIT_SAID_NO && answer.code == 1;
    *ret_ancestry = answer.end == SY_GIT_ANSWERED ? SY_ANCESTRY_OLDER : SY_ANCESTRY_UNKNOWN;
    sy_git_answer_finish(&answer);
    if (denies) {
        status = is_shallow(git, &shallow, err);
    }
    if (status == SY_OK && denies && !shallow) {
        *ret_ancestry = SY_ANCESTRY_NOT_OLDER;
    }
    return status;
}

/* How many commits of b are not a's. */
static sy_status ask_distance(const sy_git *git, const char *a, const char *b, uint64_t *ret_distance, sy_error *err)
{
    char range[2 * COMMIT_SIZE + 4];
    sy_git_answer answer;
    const char *const words[] = {"rev-list", "--count", range, NULL};
    size_t length = strlen(a);
    memcpy(range, a, length);
    memcpy(range + length, "..", 2);
    memcpy(range + length + 2, b, strlen(b) + 1);
    sy_status status = sy_git_ask(git, NULL, words, ANSWER_LIMIT_BYTES, &answer, err);
    if (status != SY_OK) {
        return status;
    }
    char *text = answer.text.bytes;
    if (answer.end == SY_GIT_ANSWERED && text != NULL) {
        text[strcspn(text, "\r\n")] = '\0';
        (void)!sy_parse_u64(text, ret_distance, NULL);
    }
    sy_git_answer_finish(&answer);
    return SY_OK;
}

static void ask_ordinals(const sy_revision *a, const sy_revision *b, sy_ancestry *ret_ancestry, uint64_t *ret_distance)
{
    if (a->ordinal < 0 || b->ordinal < 0) {
        return;
    }
    *ret_ancestry = a->ordinal < b->ordinal ? SY_ANCESTRY_OLDER : SY_ANCESTRY_NOT_OLDER;
    *ret_distance = a->ordinal < b->ordinal ? (uint64_t)(b->ordinal - a->ordinal) : 0;
}

sy_status sy_ancestry_find(const sy_git *git, const sy_revision *a, const sy_revision *b, sy_ancestry *ret_ancestry,
                           uint64_t *ret_distance, sy_error *err)
{
    char commit_a[COMMIT_SIZE], commit_b[COMMIT_SIZE];
    sy_ancestry ancestry = SY_ANCESTRY_UNKNOWN;
    uint64_t distance = 0;
    sy_status status = SY_OK;
    if (commit_of(a->text, commit_a) && commit_of(b->text, commit_b)) {
        if (strcmp(commit_a, commit_b) == 0) {
            *ret_ancestry = !is_dirty(a->text) && is_dirty(b->text) ? SY_ANCESTRY_OLDER : SY_ANCESTRY_NOT_OLDER;
            *ret_distance = 0;
            return SY_OK;
        }
        status = ask_git(git, commit_a, commit_b, &ancestry, err);
        if (status == SY_OK && ancestry == SY_ANCESTRY_OLDER) {
            status = ask_distance(git, commit_a, commit_b, &distance, err);
        }
    }
    if (status == SY_OK && ancestry == SY_ANCESTRY_UNKNOWN) {
        ask_ordinals(a, b, &ancestry, &distance);
    }
    if (status == SY_OK) {
        *ret_ancestry = ancestry;
        *ret_distance = distance;
    }
    return status;
}
