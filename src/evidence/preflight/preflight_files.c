/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what is measured on: fixtures and files by their digests, and commands that must succeed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/system.h"
#include "base/text.h"
#include "evidence/preflight/preflight.h"

enum { PIECE_BYTES = 1 << 20, OUTPUT_LIMIT_BYTES = 64 << 10 };
#define COMMAND_DEADLINE_NS UINT64_C(60000000000)

/* ---- digests ---- */

/* SHA-256 of a regular file, read in pieces. */
static sy_status digest_file(const char *path, char ret_digest[SY_DIGEST_TEXT], sy_error *err)
{
    sy_digest_state state;
    sy_digest digest;
    struct stat facts;
    sy_status status = SY_OK;
    ssize_t got = 1;
    char *piece = NULL;
    int fd = sy_system_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    if (fd < 0 || sy_system_fstat(fd, &facts) != 0) {
        status = sy_fail_errno(err, sy_status_of_errno(errno), errno, "%s", path);
        goto out;
    }
    if (!S_ISREG(facts.st_mode)) {
        status = sy_fail(err, SY_IO, "%s is no regular file", path);
        goto out;
    }
    piece = sy_allocate(PIECE_BYTES, 1);
    if (piece == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to read %s", path);
        goto out;
    }
    sy_digest_start(&state);
    while ((got = sy_system_read(fd, piece, PIECE_BYTES)) > 0) {
        sy_digest_add(&state, piece, (size_t)got);
    }
    if (got < 0) {
        status = sy_fail_errno(err, SY_IO, errno, "cannot read %s", path);
        goto out;
    }
    sy_digest_finish(&state, &digest);
    sy_digest_format(&digest, ret_digest);
out:
    if (fd >= 0) {
        (void)sy_system_close(fd);
    }
    sy_free(piece);
    return status;
}

/* Adds the check of one file; wanted: its digest, "" = any. Returns the digest in the arena, NULL: there is none. */
static const char *check_digest(sy_preflight *preflight, const char *name, const char *path, const char *shown,
                                const char *wanted, bool required)
{
    char digest[SY_DIGEST_TEXT];
    sy_error error = SY_ERROR_INIT;
    const char *expected = wanted[0] != '\0' ? sy_arena_format(preflight->arena, "%s: sha256 %s", shown, wanted)
                                             : sy_arena_format(preflight->arena, "%s: it is there", shown);
    sy_status status = digest_file(path, digest, &error);
    if (status == SY_NO_MEMORY) {
        preflight->no_memory = true;
        return NULL;
    }
    if (status != SY_OK) {
        sy_preflight_add(preflight, name, status == SY_NOT_FOUND ? 0 : -1, required, expected, "%s", error.what);
        return NULL;
    }
    bool agrees = wanted[0] == '\0' || strcmp(wanted, digest) == 0;
    sy_preflight_add(preflight, name, agrees, required, expected, "sha256 %s", digest);
    const char *kept = sy_arena_copy_text(preflight->arena, digest);
    preflight->no_memory = preflight->no_memory || kept == NULL;
    return kept;
}

void sy_preflight_file(sy_preflight *preflight, const sy_preflight_subject *subject, const sy_gate_check *check)
{
    const char *path = sy_arena_format(preflight->arena, "%s/%s", subject->root, check->text);
    if (path == NULL) {
        preflight->no_memory = true;
        return;
    }
    (void)check_digest(preflight, "file", path, check->text, check->sha256, check->required);
}

/* ---- fixtures ---- */

static const sy_run_input *find_input(const sy_preflight_subject *subject, const char *name)
{
    for (size_t i = 0; i < subject->input_count; i++) {
        if (strcmp(subject->inputs[i].name, name) == 0) {
            return &subject->inputs[i];
        }
    }
    return NULL;
}

static bool is_checked_file(const sy_gate_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->check_count; i++) {
        if (plan->checks[i].kind == SY_GATE_CHECK_FILE && strcmp(plan->checks[i].text, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_planned(const sy_gate_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->input_count; i++) {
        if (strcmp(plan->inputs[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* One that the gate names. A file that a check of its own looks at is not looked at twice. */
static const char *check_planned(sy_preflight *preflight, const sy_preflight_subject *subject,
                                 const sy_named_text *planned)
{
    const sy_run_input *given = find_input(subject, planned->name);
    if (given != NULL) {
        return check_digest(preflight, "fixture", given->path, planned->name,
                            planned->value != NULL ? planned->value : "", true);
    }
    if (is_checked_file(subject->plan, planned->name)) {
        return planned->value;
    }
    sy_preflight_add(preflight, "fixture", -1, true, planned->name, "no file was named for it");
    return planned->value;
}

void sy_preflight_inputs(sy_preflight *preflight, const sy_preflight_subject *subject, sy_named_text *inputs,
                         size_t *ret_count)
{
    const sy_gate_plan *plan = subject->plan;
    size_t count = 0;
    for (size_t i = 0; i < plan->input_count; i++) {
        inputs[count++] = (sy_named_text){plan->inputs[i].name, check_planned(preflight, subject, &plan->inputs[i])};
    }
    for (size_t i = 0; i < subject->input_count; i++) {
        const sy_run_input *given = &subject->inputs[i];
        if (!is_planned(plan, given->name)) {
            inputs[count++] = (sy_named_text){given->name,
                                              check_digest(preflight, "input", given->path, given->name, "", true)};
        }
    }
    *ret_count = count;
}

/* ---- commands ---- */

/* The first line that says something. */
static void append_first_line(sy_text *to, const sy_text *said)
{
    const char *at = sy_text_bytes(said);
    at += strspn(at, " \t\r\n");
    size_t length = strcspn(at, "\r\n");
    if (length > 0) {
        sy_text_append(to, ": ");
        sy_text_append_bytes(to, at, length < 200 ? length : 200);
    }
}

void sy_preflight_command(sy_preflight *preflight, const sy_preflight_subject *subject, const sy_gate_check *check)
{
    sy_process_options options = SY_PROCESS_OPTIONS_INIT;
    sy_text out = SY_TEXT_INIT, said = SY_TEXT_INIT, found = SY_TEXT_INIT, words = SY_TEXT_INIT;
    sy_process_report report = {0};
    sy_error error = SY_ERROR_INIT;
    char end[80];
    options.argv = check->argv;
    options.environment = subject->environment;
    options.directory = subject->root;
    for (size_t i = 0; i < check->argc; i++) {
        sy_text_append_format(&words, "%s%s", i > 0 ? " " : "", check->argv[i]);
    }
    uint64_t limit = subject->command_deadline_ns > 0 ? subject->command_deadline_ns : COMMAND_DEADLINE_NS;
    uint64_t deadline = sy_clock_now(subject->clock) + limit;
    sy_status status = sy_process_run(&options, subject->clock, deadline, OUTPUT_LIMIT_BYTES, &out, &said, &report,
                                      &error);
    bool good = status == SY_OK && report.end == SY_PROCESS_EXITED && report.code == 0;
    if (status == SY_OK) {
        sy_process_describe_end(&report, end, sizeof end);
        sy_text_append(&found, end);
        append_first_line(&found, said.length > 0 ? &said : &out);
    } else {
        sy_text_append(&found, error.what);
    }
    const char *expected = sy_arena_format(preflight->arena, "%s: ends with 0", sy_text_bytes(&words));
    preflight->no_memory = preflight->no_memory || status == SY_NO_MEMORY || words.failed || found.failed;
    sy_preflight_add(preflight, "command",
                     good              ? 1
                     : status == SY_OK ? 0
                                       : -1,
                     check->required, expected, "%s", sy_text_bytes(&found));
    sy_text_finish(&out);
    sy_text_finish(&said);
    sy_text_finish(&found);
    sy_text_finish(&words);
}
