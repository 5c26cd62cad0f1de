/* SPDX-License-Identifier: Apache-2.0 */
/* Makes of git's answers what is known of the sources: first whether there is a repository that answers, then the state
 * of its working tree and of those of its submodules, however deep, then the difference to the commit. */
#include "evidence/source/source.h"

#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/system.h"
#include "evidence/source/source_tree.h"

static const char *const state_reasons[] = {
#define STATE_REASON(name, reason) [SY_SOURCE_##name] = (reason),
    SY_SOURCE_STATE_LIST(STATE_REASON)
#undef STATE_REASON
};

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for the state of the sources");
}

static void give_up(sy_source_reading *r, sy_source_state state)
{
    r->to->state = state;
    r->to->reason = state_reasons[state];
}

/* What an answer that is none says of the repository; only the first such counts. */
void sy_source_judge(sy_source_reading *r, const sy_git_answer *answer)
{
    const char *message = sy_text_bytes(&answer->message);
    struct stat facts;
    const char *own = sy_arena_format(r->arena, "%s/.git", r->options->folder);
    if (r->to->state != SY_SOURCE_KNOWN || answer->end == SY_GIT_ANSWERED) {
        return;
    }
    if (answer->end == SY_GIT_ABSENT) {
        give_up(r, SY_SOURCE_NO_PROGRAM);
    } else if (answer->end == SY_GIT_TOO_SLOW) {
        give_up(r, SY_SOURCE_TOO_SLOW);
    } else if (strstr(message, "dubious ownership") != NULL) {
        give_up(r, SY_SOURCE_UNTRUSTED);
    } else if (strstr(message, "not a git repository") != NULL && own != NULL && sy_system_lstat(own, &facts) != 0) {
        give_up(r, SY_SOURCE_NO_REPOSITORY);
    } else {
        give_up(r, SY_SOURCE_DAMAGED);
    }
}

/* The answer's first line in the arena, as UTF-8: any other byte becomes U+FFFD. */
const char *sy_source_keep_text(sy_source_reading *r, const char *bytes, size_t length)
{
    sy_text clean = SY_TEXT_INIT;
    for (size_t at = 0; at < length;) {
        size_t step = sy_text_character_length(bytes + at, length - at);
        if (step == 0) {
            sy_text_append(&clean, "\xef\xbf\xbd");
            at++;
        } else {
            sy_text_append_bytes(&clean, bytes + at, step);
            at += step;
        }
    }
    const char *kept = clean.failed ? NULL : sy_arena_copy_bytes(r->arena, sy_text_bytes(&clean), clean.length);
    sy_text_finish(&clean);
    return kept;
}

static const char *keep_line(sy_source_reading *r, const sy_text *text)
{
    return sy_source_keep_text(r, sy_text_bytes(text), strcspn(sy_text_bytes(text), "\n"));
}

sy_status sy_source_ask(sy_source_reading *r, const char *folder, const char *const *words, sy_git_answer *ret_answer)
{
    return sy_git_ask(&r->git, folder, words, SY_SOURCE_ANSWER_LIMIT_BYTES, ret_answer, r->err);
}

/* ---- the repository ---- */

static sy_status look_at_repository(sy_source_reading *r)
{
    static const char *const words[] = {"rev-parse", "--is-bare-repository", "--is-inside-work-tree",
                                        "--is-shallow-repository", NULL};
    sy_git_answer answer = {0};
    sy_status status = sy_source_ask(r, NULL, words, &answer);
    if (status == SY_OK) {
        const char *text = sy_text_bytes(&answer.text);
        sy_source_judge(r, &answer);
        if (r->to->state == SY_SOURCE_KNOWN || r->to->state == SY_SOURCE_UNTRUSTED ||
            r->to->state == SY_SOURCE_DAMAGED || r->to->state == SY_SOURCE_TOO_SLOW) {
            r->to->run.control = "git";
        }
        if (r->to->state == SY_SOURCE_KNOWN) {
            r->to->run.shallow = sy_text_ends(text, "true\n");
            if (sy_text_begins(text, "true\n") || !sy_text_begins(text, "false\ntrue\n")) {
                give_up(r, SY_SOURCE_BARE);
            }
        }
    }
    sy_git_answer_finish(&answer);
    return status;
}

/* A head that names a commit which is not there is damage; one that names nothing yet is a beginning. */
static sy_status judge_head(sy_source_reading *r)
{
    static const char *const words[] = {"rev-parse", "--verify", "--quiet", "HEAD", NULL};
    sy_git_answer answer = {0};
    sy_status status = sy_source_ask(r, NULL, words, &answer);
    if (status == SY_OK && answer.end == SY_GIT_SAID_NO && answer.code == 1) {
        r->has_no_commit = true;
    } else if (status == SY_OK) {
        give_up(r, SY_SOURCE_DAMAGED);
    }
    sy_git_answer_finish(&answer);
    return status;
}

static sy_status read_revision(sy_source_reading *r)
{
    static const char *const words[] = {"rev-parse", "--verify", "--quiet", "HEAD^{commit}", NULL};
    sy_git_answer answer = {0};
    sy_status status = sy_source_ask(r, NULL, words, &answer);
    if (status == SY_OK && answer.end == SY_GIT_ANSWERED) {
        const char *revision = keep_line(r, &answer.text);
        r->to->run.revision = revision != NULL ? revision : "";
        status = revision != NULL ? SY_OK : no_memory(r->err);
    } else if (status == SY_OK) {
        status = judge_head(r);
    }
    sy_git_answer_finish(&answer);
    return status;
}

/* A detached head has no branch: git says so by the code 1. */
static sy_status read_branch(sy_source_reading *r)
{
    static const char *const words[] = {"symbolic-ref", "--quiet", "--short", "HEAD", NULL};
    sy_git_answer answer = {0};
    sy_status status = sy_source_ask(r, NULL, words, &answer);
    if (status == SY_OK && answer.end == SY_GIT_ANSWERED) {
        const char *branch = keep_line(r, &answer.text);
        r->to->run.branch = branch != NULL ? branch : "";
        status = branch != NULL ? SY_OK : no_memory(r->err);
    } else if (status == SY_OK && answer.code != 1) {
        sy_source_judge(r, &answer);
    }
    sy_git_answer_finish(&answer);
    return status;
}

/* In a shallow clone commits are missing, and a number would order nothing. */
static sy_status read_ordinal(sy_source_reading *r)
{
    static const char *const words[] = {"rev-list", "--count", "HEAD", NULL};
    if (r->to->run.shallow != 0 || r->has_no_commit) {
        return SY_OK;
    }
    sy_git_answer answer = {0};
    sy_status status = sy_source_ask(r, NULL, words, &answer);
    if (status == SY_OK && answer.end == SY_GIT_ANSWERED) {
        const char *line = keep_line(r, &answer.text);
        if (line == NULL) {
            status = no_memory(r->err);
        } else if (sy_parse_i64(line, &r->to->run.ordinal, NULL) != SY_OK) {
            r->to->run.ordinal = -1;
        }
    }
    sy_git_answer_finish(&answer);
    return status;
}

/* The top of the working tree: status tells paths from there wherever it is asked, and ls-files only below. */
static sy_status find_top(sy_source_reading *r, const char **ret_top)
{
    static const char *const words[] = {"rev-parse", "--show-toplevel", NULL};
    sy_git_answer answer = {0};
    sy_status status = sy_source_ask(r, NULL, words, &answer);
    if (status == SY_OK && answer.end == SY_GIT_ANSWERED) {
        size_t length = answer.text.length;
        length -= length > 0 && answer.text.bytes[length - 1] == '\n';
        *ret_top = sy_arena_copy_bytes(r->arena, sy_text_bytes(&answer.text), length);
        status = *ret_top != NULL ? SY_OK : no_memory(r->err);
    } else if (status == SY_OK) {
        sy_source_judge(r, &answer);
    }
    sy_git_answer_finish(&answer);
    return status;
}

/* ---- the whole ---- */

static sy_status keep_submodules(sy_source_reading *r)
{
    size_t count = r->to->run.dirty_submodule_count;
    const char **paths = sy_arena_allocate(r->arena, count, sizeof *paths);
    if (paths == NULL) {
        return no_memory(r->err);
    }
    for (const sy_dirty_submodule *each = r->last; each != NULL; each = each->earlier) {
        paths[--count] = each->path;
    }
    r->to->run.dirty_submodules = paths;
    return SY_OK;
}

static sy_status keep_diff(sy_source_reading *r)
{
    char size[32];
    sy_format_bytes(size, sizeof size, r->options->diff_limit_bytes);
    if (r->diff_is_too_long) {
        r->to->reason = sy_arena_format(r->arena, "a difference of more than %s is not kept", size);
        return r->to->reason != NULL ? SY_OK : no_memory(r->err);
    }
    if (r->diff_is_missing) {
        r->to->reason = "git did not give the difference";
        return SY_OK;
    }
    /* A filter may make files equal again that differ, and two trees would be one. */
    if (r->diff.length == 0) {
        r->to->reason = "git tells of changes, and shows no difference";
        return SY_OK;
    }
    sy_digest digest;
    char *text = sy_arena_allocate(r->arena, SY_DIGEST_TEXT, 1);
    if (text == NULL) {
        return no_memory(r->err);
    }
    r->to->diff_size = r->diff.length;
    sy_digest_of(sy_text_bytes(&r->diff), r->diff.length, &digest);
    sy_digest_format(&digest, text);
    r->to->diff = sy_text_take(&r->diff);
    r->to->run.diff_digest = text;
    return r->to->diff != NULL ? SY_OK : no_memory(r->err);
}

static sy_status conclude(sy_source_reading *r)
{
    sy_source *to = r->to;
    if (to->state != SY_SOURCE_KNOWN) {
        return SY_OK;
    }
    bool is_all_seen = !r->is_hidden && !r->is_cut_off;
    to->run.dirty = r->is_changed ? 1 : is_all_seen ? 0 : -1;
    if (r->is_cut_off) {
        to->reason = "a submodule's files are here without its repository: what they hold is unknown";
    }
    if (r->is_hidden) {
        to->reason =
            "git was told not to look at some files (assume-unchanged, skip-worktree): what they hold is unknown";
    }
    sy_status status = keep_submodules(r);
    if (status == SY_OK && r->has_no_commit) {
        give_up(r, SY_SOURCE_NO_COMMIT);
    } else if (status == SY_OK && r->is_changed && is_all_seen) {
        /* What git did not look at is not in its difference either. */
        status = keep_diff(r);
    }
    return status;
}

static sy_status describe(sy_source_reading *r)
{
    const char *top = NULL;
    sy_status status = look_at_repository(r);
    if (status == SY_OK && r->to->state == SY_SOURCE_KNOWN) {
        status = read_revision(r);
    }
    if (status == SY_OK && r->to->state == SY_SOURCE_KNOWN) {
        status = read_branch(r);
    }
    if (status == SY_OK && r->to->state == SY_SOURCE_KNOWN) {
        status = read_ordinal(r);
    }
    if (status == SY_OK && r->to->state == SY_SOURCE_KNOWN) {
        status = find_top(r, &top);
    }
    if (status == SY_OK && r->to->state == SY_SOURCE_KNOWN) {
        status = sy_source_look_at_tree(r, top);
    }
    return status == SY_OK ? conclude(r) : status;
}

sy_status sy_source_describe(const sy_source_options *options, sy_arena *arena, sy_source *ret_source, sy_error *err)
{
    sy_source source = {
        .reason = "",
        .run = {
            .control = "", .revision = "", .branch = "", .shallow = -1, .dirty = -1, .ordinal = -1, .diff_digest = ""}};
    sy_source_reading reading = {.options = options, .arena = arena, .to = &source, .diff = SY_TEXT_INIT, .err = err};
    sy_status status = sy_git_init(&reading.git, options->program, options->folder, options->clock,
                                   options->deadline_ns, err);
    if (status != SY_OK) {
        return status;
    }
    status = describe(&reading);
    sy_git_finish(&reading.git);
    sy_text_finish(&reading.diff);
    if (status != SY_OK) {
        sy_source_finish(&source);
        return status;
    }
    *ret_source = source;
    return SY_OK;
}

void sy_source_finish(sy_source *source)
{
    sy_free(source->diff);
    source->diff = NULL;
    source->diff_size = 0;
}
