/* SPDX-License-Identifier: Apache-2.0 */
/* One question to git: a child without a shell, with a deadline, and with nothing in its surroundings that points it to
 * another repository. */
#ifndef STEELYARD_EVIDENCE_GIT_H
#define STEELYARD_EVIDENCE_GIT_H

#include <steelyard/base.h>

#include "base/clock.h"
#include "base/text.h"

typedef struct sy_git {
    const char *program;
    const char *folder;
    const char **environment; /* the caller's without GIT_ variables, NULL behind the last */
    const sy_clock *clock;
    uint64_t deadline_ns; /* for each question */
} sy_git;

typedef enum sy_git_end {
    SY_GIT_ANSWERED, /* it ended with 0 */
    SY_GIT_SAID_NO,  /* with another code, see code and message */
    SY_GIT_ABSENT,   /* it could not be started */
    SY_GIT_TOO_SLOW,
    SY_GIT_TOO_LONG /* it ended with 0, and its answer passed the limit */
} sy_git_end;

typedef struct sy_git_answer {
    sy_git_end end;
    int code;
    sy_text text;
    sy_text message; /* what it wrote to standard error */
} sy_git_answer;

/* environment is made from this process's. SY_NO_MEMORY; sy_git_finish frees it. */
sy_status sy_git_init(sy_git *git, const char *program, const char *folder, const sy_clock *clock, uint64_t deadline_ns,
                      sy_error *err) SY_NODISCARD;
void sy_git_finish(sy_git *git);
/* Asks in a folder (NULL = git's own). words: NULL behind the last. However git ends is an answer; SY_NO_MEMORY. The
 * caller finishes the answer, after a failure too. */
sy_status sy_git_ask(const sy_git *git, const char *folder, const char *const *words, size_t limit_bytes,
                     sy_git_answer *ret_answer, sy_error *err) SY_NODISCARD;
void sy_git_answer_finish(sy_git_answer *answer);

#endif
