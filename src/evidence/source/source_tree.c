/* SPDX-License-Identifier: Apache-2.0 */
/* Working trees: what git says of their files, of their submodules however deep, and their differences to their
 * commits. */
#include "evidence/source/source_tree.h"

#include <dirent.h>
#include <string.h>

#include "base/error.h"
#include "base/system.h"

enum { DEPTH_MAX = 16 };

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the state of the sources");
}

static sy_status look_at_tree(sy_source_reading *r, const char *folder, const char *path, unsigned depth);

static sy_status note_submodule(sy_source_reading *r, const char *path)
{
    for (const sy_dirty_submodule *each = r->last; each != NULL; each = each->earlier) {
        if (strcmp(each->path, path) == 0) {
            return SY_OK;
        }
    }
    sy_dirty_submodule *item = sy_arena_allocate(r->arena, 1, sizeof *item);
    const char *name = sy_source_keep_text(r, path, strlen(path));
    if (item == NULL || name == NULL) {
        return no_memory(r->err);
    }
    *item = (sy_dirty_submodule){r->last, name};
    r->last = item;
    r->to->run.dirty_submodule_count++;
    return SY_OK;
}

static const char *join(sy_source_reading *r, const char *above, const char *name)
{
    return above[0] != '\0' ? sy_arena_format(r->arena, "%s/%s", above, name) : name;
}

/* What stands behind the n-th blank of a record; "" when there are fewer. */
static const char *behind_blanks(const char *record, size_t n)
{
    for (; n > 0 && record != NULL; n--) {
        record = strchr(record, ' ');
        record = record != NULL ? record + 1 : NULL;
    }
    return record != NULL ? record : "";
}

/* One record of status --porcelain=v2: "1 XY sub mH mI mW hH hI path", "u XY sub m1 m2 m3 mW h1 h2 h3 path", "? path".
 * Of a submodule (sub "S<c><m><u>") files that are only unknown to git change nothing, as everywhere. */
static sy_status take_record(sy_source_reading *r, const char *record, const char *path, bool *changed)
{
    bool is_entry = record[0] == '1' || record[0] == 'u' || record[0] == '2';
    if (record[0] == '?') {
        r->to->run.untracked_count++;
    }
    if (!is_entry || record[1] != ' ') {
        return SY_OK;
    }
    const char *sub = behind_blanks(record, 2);
    bool is_submodule = sub[0] == 'S';
    bool index_differs = record[2] != '.';
    if (is_submodule && sub[1] != 'C' && sub[2] != 'M' && !index_differs) {
        return SY_OK;
    }
    *changed = true;
    r->is_changed = true;
    if (!is_submodule) {
        return SY_OK;
    }
    const char *whole = join(r, path, behind_blanks(record, record[0] == 'u' ? 10 : 8));
    return whole != NULL ? note_submodule(r, whole) : no_memory(r->err);
}

static sy_status read_status(sy_source_reading *r, const char *folder, const char *path, bool *ret_changed)
{
    static const char *const words[] = {"status",
                                        "--porcelain=v2",
                                        "-z",
                                        "--no-renames",
                                        "--untracked-files=all",
                                        "--ignore-submodules=none",
                                        "--ignored=no",
                                        NULL};
    sy_git_answer answer = {0};
    sy_status status = sy_source_ask(r, folder, words, &answer);
    if (status == SY_OK && answer.end != SY_GIT_ANSWERED) {
        sy_source_judge(r, &answer);
    } else if (status == SY_OK) {
        const char *at = sy_text_bytes(&answer.text);
        const char *end = at + answer.text.length;
        for (; at < end && status == SY_OK; at += strlen(at) + 1) {
            status = take_record(r, at, path, ret_changed);
        }
    }
    sy_git_answer_finish(&answer);
    return status;
}

/* Whether git looks at that file at all: the tag is a small letter where it was told to take it for unchanged, and S
 * where it was told that the file is not here, which is no matter as long as that is so. False: no memory. */
static bool note_hidden(sy_source_reading *r, const char *folder, char tag, const char *file)
{
    struct stat facts;
    if (tag != 'S') {
        r->is_hidden = r->is_hidden || (tag >= 'a' && tag <= 'z');
        return true;
    }
    const char *whole = sy_arena_format(r->arena, "%s/%s", folder, file);
    r->is_hidden = r->is_hidden || (whole != NULL && sy_system_lstat(whole, &facts) == 0);
    return whole != NULL;
}

/* Whether anything is in the folder; one that is not there, or cannot be read into, holds nothing that is built. */
static bool holds_something(const char *folder)
{
    DIR *files = opendir(folder);
    size_t count = 0;
    while (files != NULL && count <= 2 && readdir(files) != NULL) {
        count++;
    }
    if (files != NULL) {
        (void)closedir(files);
    }
    return count > 2; /* besides itself and what is above */
}

/* Files that git does not look at, and submodules: each is looked at by itself, whatever .gitmodules lets a status pass
 * over. A record: "H 160000 <object> 0\t<path>". */
static sy_status read_files(sy_source_reading *r, const char *folder, const char *path, unsigned depth)
{
    static const char *const words[] = {"ls-files", "-v", "--stage", "-z", NULL};
    sy_git_answer answer = {0};
    sy_status status = sy_source_ask(r, folder, words, &answer);
    if (status == SY_OK && answer.end != SY_GIT_ANSWERED) {
        sy_source_judge(r, &answer);
    }
    const char *at = sy_text_bytes(&answer.text);
    const char *end = at + answer.text.length;
    for (; status == SY_OK && answer.end == SY_GIT_ANSWERED && at < end; at += strlen(at) + 1) {
        const char *tab = strchr(at, '\t');
        if (tab != NULL && !note_hidden(r, folder, at[0], tab + 1)) {
            status = no_memory(r->err);
        }
        if (status != SY_OK || tab == NULL || !sy_text_begins(at + 1, " 160000 ") || depth == 0) {
            continue;
        }
        struct stat facts;
        const char *inner = sy_arena_format(r->arena, "%s/%s", folder, tab + 1);
        const char *own = inner != NULL ? sy_arena_format(r->arena, "%s/.git", inner) : NULL;
        const char *whole = join(r, path, tab + 1);
        if (own == NULL || whole == NULL) {
            status = no_memory(r->err);
        } else if (sy_system_lstat(own, &facts) == 0) {
            status = look_at_tree(r, inner, whole, depth - 1);
        } else {
            r->is_cut_off = r->is_cut_off || holds_something(inner);
        }
    }
    sy_git_answer_finish(&answer);
    return status;
}

/* Adds the difference of one working tree to its commit. */
static sy_status read_diff(sy_source_reading *r, const char *folder, const char *path)
{
    const char *slash = path[0] != '\0' ? "/" : "";
    const char *from = sy_arena_format(r->arena, "--src-prefix=a/%s%s", path, slash);
    const char *to = sy_arena_format(r->arena, "--dst-prefix=b/%s%s", path, slash);
    if (from == NULL || to == NULL) {
        return no_memory(r->err);
    }
    const char *const words[] = {"diff",
                                 "-O/dev/null",
                                 "--binary",
                                 "--full-index",
                                 "--no-ext-diff",
                                 "--no-textconv",
                                 "--no-color",
                                 "--no-renames",
                                 "--submodule=short",
                                 "--ignore-submodules=none",
                                 "--diff-algorithm=myers",
                                 "--no-indent-heuristic",
                                 "--unified=3",
                                 "--inter-hunk-context=0",
                                 from,
                                 to,
                                 "HEAD",
                                 NULL};
    size_t left = r->options->diff_limit_bytes - r->diff.length;
    sy_git_answer answer = {0};
    sy_status status = sy_git_ask(&r->git, folder, words, left, &answer, r->err);
    if (status == SY_OK && answer.end == SY_GIT_ANSWERED) {
        sy_text_append_bytes(&r->diff, sy_text_bytes(&answer.text), answer.text.length);
        status = r->diff.failed ? no_memory(r->err) : SY_OK;
    } else if (status == SY_OK) {
        r->diff_is_too_long = r->diff_is_too_long || answer.end == SY_GIT_TOO_LONG;
        r->diff_is_missing = r->diff_is_missing || answer.end != SY_GIT_TOO_LONG;
    }
    sy_git_answer_finish(&answer);
    return status;
}

/* A working tree and all below it. path: from the outermost one's top; "" = that one. */
static sy_status look_at_tree(sy_source_reading *r, const char *folder, const char *path, unsigned depth)
{
    bool changed = false;
    sy_status status = read_status(r, folder, path, &changed);
    if (status == SY_OK && changed && path[0] != '\0') {
        status = note_submodule(r, path);
    }
    bool may_differ = changed && !r->has_no_commit && !r->diff_is_too_long && r->to->state == SY_SOURCE_KNOWN;
    if (status == SY_OK && may_differ) {
        status = read_diff(r, folder, path);
    }
    return status == SY_OK && r->to->state == SY_SOURCE_KNOWN ? read_files(r, folder, path, depth) : status;
}

sy_status sy_source_look_at_tree(sy_source_reading *r, const char *folder)
{
    return look_at_tree(r, folder, "", DEPTH_MAX);
}
