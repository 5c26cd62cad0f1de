/* SPDX-License-Identifier: Apache-2.0 */
/* Asking git about the sources: what is known so far, and the working trees with all that is below them. Private to
 * source.c and source_tree.c. */
#ifndef STEELYARD_EVIDENCE_SOURCE_TREE_H
#define STEELYARD_EVIDENCE_SOURCE_TREE_H

#include "base/text.h"
#include "evidence/source/git.h"
#include "evidence/source/source.h"

enum { SY_SOURCE_ANSWER_LIMIT_BYTES = 256 << 20 };

/* A submodule that is not as its commit has it. */
typedef struct sy_dirty_submodule sy_dirty_submodule;
struct sy_dirty_submodule {
    sy_dirty_submodule *earlier;
    const char *path; /* from the top of the outermost working tree */
};

typedef struct sy_source_reading {
    const sy_source_options *options;
    sy_git git;
    sy_arena *arena;
    sy_source *to;
    sy_text diff;
    sy_dirty_submodule *last;
    bool has_no_commit;
    bool is_changed;       /* a file that git knows is not as the commit has it */
    bool is_hidden;        /* git was told not to look at some file */
    bool is_cut_off;       /* a submodule's files are here, and its repository is not */
    bool diff_is_too_long; /* and not kept */
    bool diff_is_missing;  /* git did not give it */
    sy_error *err;
} sy_source_reading;

/* Takes an answer that is none for what it says of the repository; only the first such counts. */
void sy_source_judge(sy_source_reading *r, const sy_git_answer *answer);
/* Bytes in the arena as UTF-8: any other byte becomes U+FFFD. NULL: no memory. */
const char *sy_source_keep_text(sy_source_reading *r, const char *bytes, size_t length);
/* Asks; SY_NO_MEMORY. */
sy_status sy_source_ask(sy_source_reading *r, const char *folder, const char *const *words,
                        sy_git_answer *ret_answer) SY_NODISCARD;
/* Looks at the working tree whose top is folder and at its submodules: what is changed, hidden, unknown; adds the
 * differences. SY_NO_MEMORY. */
sy_status sy_source_look_at_tree(sy_source_reading *r, const char *folder) SY_NODISCARD;

#endif
