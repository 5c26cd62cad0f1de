/* SPDX-License-Identifier: Apache-2.0 */
/* Which state of which sources is measured, as git tells: revision, branch, what differs from it, and the difference
 * itself. git runs as a child without a shell, without its caller's GIT_ variables, and writes nothing. */
#ifndef STEELYARD_EVIDENCE_SOURCE_H
#define STEELYARD_EVIDENCE_SOURCE_H

#include <steelyard/run.h>

#include "base/arena.h"
#include "base/clock.h"

/* value: word, for people */
#define SY_SOURCE_STATE_LIST(X)                                                                 \
    X(KNOWN, "")                                                                                \
    X(NO_PROGRAM, "the program git is not here")                                                \
    X(NO_REPOSITORY, "the folder is under no git")                                              \
    X(BARE, "the repository has no working tree")                                               \
    X(NO_COMMIT, "the repository has no commit yet")                                            \
    X(UNTRUSTED, "git does not trust the folder: it belongs to somebody else (safe.directory)") \
    X(DAMAGED, "git cannot read the repository")                                                \
    X(TOO_SLOW, "git did not answer in time")

typedef enum sy_source_state {
#define SY_SOURCE_ENUM(name, reason) SY_SOURCE_##name,
    SY_SOURCE_STATE_LIST(SY_SOURCE_ENUM)
#undef SY_SOURCE_ENUM
} sy_source_state;

typedef struct sy_source_options {
    const char *folder;        /* in the working tree */
    const char *program;       /* "git" */
    const sy_clock *clock;     /* of the deadline */
    uint64_t deadline_ns;      /* for each question to git */
    uint64_t diff_limit_bytes; /* a longer difference is not kept */
} sy_source_options;

#define SY_SOURCE_OPTIONS_INIT                                                                            \
    {                                                                                                     \
        .folder = ".", .program = "git", .clock = &sy_clock_system, .deadline_ns = UINT64_C(60000000000), \
        .diff_limit_bytes = (uint64_t)64 << 20                                                            \
    }

/* What lives in the arena it was read into, the difference apart. */
typedef struct sy_source {
    sy_source_state state;
    const char *reason; /* why less is known than could be, for people: of a state but KNOWN, of a difference that is
                           not kept; "" = all is known */
    sy_run_source run;  /* revision "" and flags -1 where nothing is known; dirty submodules by their paths */
    char *diff;         /* of a dirty tree, its dirty submodules' behind its own; NULL = none, or not kept */
    size_t diff_size;
} sy_source;

/* Asks git. Whatever git says is a state, never an error: SY_NO_MEMORY alone. sy_source_finish frees the difference. */
sy_status sy_source_describe(const sy_source_options *options, sy_arena *arena, sy_source *ret_source,
                             sy_error *err) SY_NODISCARD;
void sy_source_finish(sy_source *source);

#endif
