/* SPDX-License-Identifier: Apache-2.0 */
/* The last word of a command into the ledger: once more where somebody else writes, and what finds no place there into
 * a file, for a measurement may have taken hours. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "evidence/exec/exec_inside.h"

static void write_samples(const sy_ledger_entry *entry, sy_text *to)
{
    sy_text_append(to, ",\"samples\":[");
    for (size_t i = 0; i < entry->sample_count; i++) {
        sy_text_append(to, i == 0 ? "" : ",");
        if (isfinite(entry->samples[i]))
            sy_text_append_double(to, entry->samples[i]);
        else
            sy_text_append(to, "null");
    }
    sy_text_append(to, "]");
}

static void write_events(const sy_event_list *events, sy_text *to)
{
    for (size_t i = 0; i < events->count; i++) {
        const sy_ledger_entry *entry = &events->entries[i];
        sy_text_append(to, "{\"body\":");
        sy_text_append_bytes(to, entry->body, entry->body_size);
        sy_text_append_format(to, ",\"kind\":\"%s\",\"run\":\"%s\"", sy_event_kind_word(entry->kind), entry->run);
        if (entry->samples != NULL)
            write_samples(entry, to);
        sy_text_append(to, "}\n");
    }
}

/* The folder for passing files of whoever called. */
static const char *temporary_folder(const sy_exec *exec)
{
    static const char name[] = "TMPDIR=";
    const char *const *environment = exec->options->environment;
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
        if (strncmp(environment[i], name, strlen(name)) == 0 && environment[i][strlen(name)] != '\0')
            return environment[i] + strlen(name);
    }
    return "/tmp";
}

/* The fence is this call's alone: an earlier file of the same run stays. */
static sy_status write_file(const sy_exec *exec, const char *folder, const sy_text *text, const char **ret_path,
                            sy_error *err)
{
    sy_file_write_options options = SY_FILE_WRITE_OPTIONS_INIT;
    options.make_parents = false;
    options.refuse_existing = true;
    const char *path = sy_arena_format(exec->arena, "%s/lost-%s-%" PRIu64 ".jsonl", folder, exec->run,
                                       exec->result->fence);
    if (path == NULL)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the name of a file");
    sy_status status = sy_file_write(path, sy_text_bytes(text), text->length, &options, err);
    if (status == SY_OK)
        *ret_path = path;
    return status;
}

/* Says in err, which holds why the ledger did not take the events, where they are. */
static void save_events(sy_exec *exec, sy_error *err)
{
    sy_error problem = SY_ERROR_INIT;
    sy_text text = SY_TEXT_INIT;
    const char *path = NULL;
    /* What the ledger refused may be refused because of something private. */
    sy_status status = sy_event_list_clean(&exec->events, &problem);
    if (status == SY_OK)
        write_events(&exec->events, &text);
    if (text.failed)
        status = sy_fail(&problem, SY_NO_MEMORY, "no memory for them");
    if (status == SY_OK)
        status = write_file(exec, sy_project_evidence(exec->project), &text, &path, &problem);
    if (status == SY_IO || status == SY_REFUSED)
        status = write_file(exec, temporary_folder(exec), &text, &path, &problem);
    if (status == SY_OK)
        sy_error_hint(err, "what the command said is no part of the run, and stands in '%s'", path);
    else
        sy_error_hint(err, "what the command said is lost: %s", problem.what);
    sy_text_finish(&text);
}

sy_status sy_exec_append_said(sy_exec *exec, sy_error *err)
{
    sy_status status = sy_event_list_append(&exec->events, exec->ledger, &exec->result->head, err);
    if (status == SY_BUSY)
        status = sy_event_list_append(&exec->events, exec->ledger, &exec->result->head, err);
    if (status != SY_OK)
        save_events(exec, err);
    return status;
}
