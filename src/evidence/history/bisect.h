/* SPDX-License-Identifier: Apache-2.0 */
/* Which command finds the commit that brought a change: git is asked whether there is a way from the revision before it
 * to the one after it. Nothing is run but questions. */
#ifndef STEELYARD_EVIDENCE_BISECT_H
#define STEELYARD_EVIDENCE_BISECT_H

#include "base/arena.h"
#include "evidence/source/git.h"

typedef struct sy_bisect {
    sy_git git;
    sy_arena *arena;
    const char *prefix;  /* of the project's folder in its working tree, with a '/' behind it; "" = its top */
    const char *refusal; /* why there is none at all; NULL */
} sy_bisect;

/* Looks at the repository around a folder. Whatever git says is an answer: SY_NO_MEMORY alone. sy_bisect_finish. */
sy_status sy_bisect_init(sy_bisect *bisect, const char *program, const char *folder, const sy_clock *clock,
                         sy_arena *arena, sy_error *err) SY_NODISCARD;
void sy_bisect_finish(sy_bisect *bisect);

/* What is asked of one change. */
typedef struct sy_bisect_question {
    const char *before; /* revision of the last session before it, as sy_run_row has it; "" = unknown */
    const char *after;  /* of the first one after it */
    bool worse;         /* else the commits are called before and after, for the new ones are no bad ones */
    const char *step;   /* a shell's text: 0 = as before, 1 = as after, 125 = cannot be told; NULL = nobody knows it */
} sy_bisect_question;

/* A command line for the top of the working tree, or "" and why. With one commit between both: what shows it. Texts
 * live in the arena. SY_NO_MEMORY. */
sy_status sy_bisect_ask(const sy_bisect *bisect, const sy_bisect_question *question, const char **ret_line,
                        const char **ret_note, sy_error *err) SY_NODISCARD;

#endif
