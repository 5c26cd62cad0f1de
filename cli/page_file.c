/* SPDX-License-Identifier: Apache-2.0 */
/* A page for browsers as a file, and the program that shows it. */
#include "page_file.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"

/* How long a program may take to say that it failed: xdg-open ends at once, a browser stays. */
enum { SLICE_MS = 20, SLICES = 150 };

/* The folder is asked now: what is found out after a long measurement is found out too late. */
static sy_status check_folder(const char *path, sy_error *err)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == path ? 1 : slash != NULL ? (size_t)(slash - path) : 0;
    char folder[4096] = ".";
    struct stat found;

    if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
        return cli_fail(err, SY_INVALID_ARGUMENT, "--html '%.200s': it is a folder", path);
    if (length >= sizeof(folder))
        return cli_fail(err, SY_INVALID_ARGUMENT, "--html: the path is too long");
    if (slash != NULL)
        (void)snprintf(folder, sizeof(folder), "%.*s", (int)length, path);
    if (access(folder, W_OK | X_OK) == 0)
        return SY_OK;
    return cli_fail(err, SY_IO, "--html '%.200s': nothing can be written in '%.200s': %s", path, folder,
                    strerror(errno));
}

sy_status cli_page_check(const char *path, sy_error *err)
{
    if (strcmp(path, "-") != 0 && path[0] != '\0')
        return check_folder(path, err);
    (void)cli_fail(err, SY_INVALID_ARGUMENT, "--html '%s': a browser reads a file, so the page is not printed", path);
    cli_hint(err, "name one: --html report.html");
    return SY_INVALID_ARGUMENT;
}

/* "212 KiB", "1.4 MiB". */
static void size_text(char to[32], size_t size)
{
    if (size < (size_t)1 << 20)
        snprintf(to, 32, "%zu KiB", (size + 1023) >> 10);
    else
        snprintf(to, 32, "%zu.%zu MiB", size >> 20, (size & 0xfffff) * 10 >> 20);
}

void cli_page_tell(const char *path, size_t size, const sy_html_content *content)
{
    char length[32];
    char runs[160] = "";
    char text[512];

    size_text(length, size);
    if (content->run_count < content->run_total)
        snprintf(runs, sizeof(runs), ", %zu of %" PRIu64 " runs have a page of their own (all of them: --runs all)",
                 content->run_count, content->run_total);
    else if (content->run_total > 0)
        snprintf(runs, sizeof(runs), ", every run has a page of its own");
    snprintf(text, sizeof(text), "%.200s: %s%s", path, length, runs);
    cli_remark(text);
}

/* Waits a moment for the program's own word. 0: it runs on, or it succeeded; else its exit code, 128 for a signal. */
static int early_end(pid_t id)
{
    for (int i = 0; i < SLICES; i++) {
        int state = 0;
        const pid_t ended = waitpid(id, &state, WNOHANG);

        if (ended == id)
            return WIFEXITED(state) ? WEXITSTATUS(state) : 128;
        if (ended < 0 && errno != EINTR)
            return 0;
        (void)poll(NULL, 0, SLICE_MS);
    }
    return 0;
}

sy_status cli_page_open(const char *path, sy_error *err)
{
    const char *browser = getenv("BROWSER");
    const char *program = browser != NULL && browser[0] != '\0' ? browser : "xdg-open";
    char *whole = realpath(path, NULL);
    char *words[] = {(char *)(uintptr_t)program, whole, NULL};
    pid_t id = 0;
    int failed;
    int code = 0;

    if (whole == NULL)
        return cli_fail(err, SY_IO, "'%.100s': %s", path, strerror(errno));
    failed = posix_spawnp(&id, program, NULL, NULL, words, environ);
    free(whole);
    if (failed == 0)
        code = early_end(id);
    if (failed == 0 && code == 0)
        return SY_OK;
    if (failed != 0)
        (void)cli_fail(err, SY_UNAVAILABLE, "--open: '%.60s': %s", program, strerror(failed));
    else
        (void)cli_fail(err, SY_UNAVAILABLE, "--open: '%.60s' ended with exit code %d", program, code);
    cli_hint(err, "the page is written: open %.150s in a browser, or name one with BROWSER=firefox", path);
    return SY_UNAVAILABLE;
}
