/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a child: fork, the child's way to exec with nothing but async-signal-safe calls, and exec's failure brought
 * back to the parent. What follows the start is process.c. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/process/process_inside.h"

/* Where the child failed, sent through the pipe that exec would have closed. */
typedef enum stage { STAGE_DESCRIPTORS, STAGE_GROUP, STAGE_LIMITS, STAGE_DIRECTORY, STAGE_EXEC } stage;

typedef struct failure {
    stage stage;
    int error;
} failure;

/* All that the child needs, made before the fork: the child may not allocate. */
typedef struct plan {
    const sy_process_options *options;
    char **candidates; /* paths to try in turn, NULL-terminated */
    int *sources;      /* descriptors of the parent for 0, 1, 2, 3, ... and the status pipe behind them */
    int source_count;
    int null_device;
    pid_t parent;
} plan;

/* argv[0] itself, or argv[0] in each folder of PATH. */
static char **find_candidates(sy_arena *arena, const char *program)
{
    const char *path = strchr(program, '/') != NULL ? NULL : getenv("PATH");
    if (path == NULL && strchr(program, '/') == NULL) {
        path = "/usr/local/bin:/usr/bin:/bin";
    }
    size_t count = 1;
    for (const char *c = path; c != NULL && *c != '\0'; c++) {
        count += *c == ':';
    }
    char **candidates = sy_arena_allocate(arena, count + 1, sizeof *candidates);
    if (candidates == NULL) {
        return NULL;
    }
    if (path == NULL) {
        candidates[0] = sy_arena_copy_text(arena, program);
        return candidates[0] == NULL ? NULL : candidates;
    }
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(path, ":");
        /* An empty entry means the folder that the program runs in. */
        candidates[i] = length == 0 ? sy_arena_format(arena, "./%s", program)
                                    : sy_arena_format(arena, "%.*s/%s", (int)length, path, program);
        if (candidates[i] == NULL) {
            return NULL;
        }
        path += length + (path[length] == ':');
    }
    return candidates;
}

/* Sources become 0, 1, 2, ...; the last one, the status pipe, stays close-on-exec; everything else is closed. All are
 * moved out of the way first, for a source may have another's target number. */
static bool arrange_descriptors(const plan *p)
{
    int first_free = p->source_count;
    for (int i = 0; i < p->source_count; i++) {
        int moved = fcntl(p->sources[i], F_DUPFD_CLOEXEC, first_free);
        if (moved < 0) {
            return false;
        }
        p->sources[i] = moved;
    }
    int status = p->source_count - 1;
    for (int i = 0; i < status; i++) {
        if (dup2(p->sources[i], i) < 0) {
            return false;
        }
    }
    if (dup3(p->sources[status], status, O_CLOEXEC) < 0) {
        return false;
    }
    closefrom(p->source_count);
    return true;
}

static bool limit_resource(int resource, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) {
        return false;
    }
    if (most < limit.rlim_max) {
        limit.rlim_max = most;
    }
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit) == 0;
}

static bool set_limits(const sy_process_options *options)
{
    return (options->core_dumps || limit_resource(RLIMIT_CORE, 0)) &&
           (options->memory_limit_bytes == 0 || limit_resource(RLIMIT_DATA, options->memory_limit_bytes));
}

/* The parent's handlers and mask are not the child's business. */
static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, &action, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static stage prepare_and_exec(const plan *p)
{
    const sy_process_options *options = p->options;
    if (!arrange_descriptors(p)) {
        return STAGE_DESCRIPTORS;
    }
    if ((options->own_group && setpgid(0, 0) != 0) ||
        (options->dies_with_parent && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)) {
        return STAGE_GROUP;
    }
    if (options->dies_with_parent && getppid() != p->parent) {
        _exit(127); /* it ended before the request stood: nobody reads the pipe */
    }
    if (!set_limits(options)) {
        return STAGE_LIMITS;
    }
    if (options->directory != NULL && chdir(options->directory) != 0) {
        return STAGE_DIRECTORY;
    }
    reset_signals();
    char **environment = options->environment == NULL ? environ : (char **)options->environment;
    int error = ENOENT;
    for (char **candidate = p->candidates; *candidate != NULL; candidate++) {
        execve(*candidate, (char **)options->argv, environment);
        /* Like execvp: a file that may not be run is the better answer than one that is not there. */
        if (errno != ENOENT && errno != ENOTDIR) {
            error = errno;
            if (errno != EACCES) {
                break;
            }
        }
    }
    errno = error;
    return STAGE_EXEC;
}

static _Noreturn void run_child(const plan *p)
{
    failure failed = {.stage = prepare_and_exec(p)};
    failed.error = errno;
    /* Before the descriptors are arranged the pipe has the last source's number, then the last target's. */
    int pipe = failed.stage == STAGE_DESCRIPTORS ? p->sources[p->source_count - 1] : p->source_count - 1;
    ssize_t written = write(pipe, &failed, sizeof failed);
    (void)written;
    _exit(127);
}

static sy_status describe_failure(const plan *p, failure failed, sy_error *err)
{
    const char *program = p->options->argv[0];
    switch (failed.stage) {
    case STAGE_DIRECTORY:
        return sy_fail_errno(err, failed.error == ENOENT ? SY_NOT_FOUND : SY_IO, failed.error,
                             "cannot start '%s' in '%s'", program, p->options->directory);
    case STAGE_EXEC:
        sy_fail_errno(err, failed.error == ENOENT ? SY_NOT_FOUND : SY_IO, failed.error, "cannot start '%s'", program);
        if (failed.error == ENOENT && access(p->candidates[0], F_OK) == 0) {
            sy_error_hint(err, "the file is there: the interpreter or loader that it names is not");
        } else if (failed.error == ENOEXEC) {
            sy_error_hint(err, "a script needs a first line such as #!/bin/sh");
        }
        return failed.error == ENOENT ? SY_NOT_FOUND : SY_IO;
    case STAGE_DESCRIPTORS:
        return sy_fail_errno(err, SY_IO, failed.error, "cannot hand descriptors to '%s'", program);
    case STAGE_GROUP:
        return sy_fail_errno(err, SY_IO, failed.error, "cannot make a process group for '%s'", program);
    case STAGE_LIMITS:
        return sy_fail_errno(err, SY_IO, failed.error, "cannot limit the memory of '%s'", program);
    }
    return sy_fail(err, SY_IO, "cannot start '%s'", program);
}

/* Forks with all signals blocked, so that no handler of the parent runs in the child. */
static pid_t fork_child(const plan *p)
{
    sigset_t all;
    sigset_t former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    pid_t id = fork();
    if (id == 0) {
        run_child(p);
    }
    int saved_errno = errno;
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    errno = saved_errno;
    return id;
}

static sy_status fork_and_watch(const plan *p, const int status_pipe[2], sy_process *process, sy_error *err)
{
    pid_t id = fork_child(p);
    int saved_errno = errno;
    close(status_pipe[1]);
    if (id < 0) {
        return sy_fail_errno(err, SY_IO, saved_errno, "cannot fork to start '%s'", p->options->argv[0]);
    }
    if (p->options->own_group) {
        setpgid(id, id); /* the child does it, too: whoever comes first */
    }
    failure failed;
    ssize_t got;
    do {
        got = read(status_pipe[0], &failed, sizeof failed);
    } while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof failed) {
        while (waitpid(id, NULL, 0) < 0 && errno == EINTR) {
        }
        return describe_failure(p, failed, err);
    }
    process->id = id;
    process->own_group = p->options->own_group;
    process->handle = (int)syscall(SYS_pidfd_open, id, 0);
    return SY_OK;
}

/* The descriptors for the child in the order of their numbers there; false: no memory or no /dev/null. */
static bool gather_sources(plan *p, sy_arena *arena, int status_write_end)
{
    const sy_process_options *options = p->options;
    p->source_count = 3 + (int)options->inherited_count + 1;
    p->sources = sy_arena_allocate(arena, (size_t)p->source_count, sizeof *p->sources);
    p->null_device = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (p->sources == NULL || p->null_device < 0) {
        return false;
    }
    const int standard[3] = {options->standard_input, options->standard_output, options->standard_error};
    for (int i = 0; i < 3; i++) {
        p->sources[i] = standard[i] < 0 ? p->null_device : standard[i];
    }
    for (size_t i = 0; i < options->inherited_count; i++) {
        p->sources[3 + i] = options->inherited[i];
    }
    p->sources[p->source_count - 1] = status_write_end;
    return true;
}

sy_status sy_process_start(const sy_process_options *options, sy_process **ret_process, sy_error *err)
{
    if (options->argv == NULL || options->argv[0] == NULL || options->argv[0][0] == '\0') {
        return sy_fail(err, SY_INVALID_ARGUMENT, "no program to start");
    }
    if (options->inherited_count > 1000) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "%zu descriptors to inherit, above 1000", options->inherited_count);
    }
    plan p = {.options = options, .null_device = -1, .parent = getpid()};
    int status_pipe[2] = {-1, -1};
    sy_status status;
    sy_process *process = sy_allocate(1, sizeof *process);
    sy_arena *arena = sy_arena_create(0);
    if (process == NULL || arena == NULL || (p.candidates = find_candidates(arena, options->argv[0])) == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to start '%s'", options->argv[0]);
        goto out;
    }
    if (pipe2(status_pipe, O_CLOEXEC) != 0) {
        status = sy_fail_errno(err, SY_IO, errno, "cannot make a pipe to start '%s'", options->argv[0]);
        goto out;
    }
    if (!gather_sources(&p, arena, status_pipe[1])) {
        status = p.sources == NULL ? sy_fail(err, SY_NO_MEMORY, "no memory to start '%s'", options->argv[0])
                                   : sy_fail_errno(err, SY_IO, errno, "cannot open /dev/null");
        close(status_pipe[1]);
        goto out;
    }
    status = fork_and_watch(&p, status_pipe, process, err);
    if (status == SY_OK) {
        *ret_process = process;
        process = NULL;
    }
out:
    if (status_pipe[0] >= 0) {
        close(status_pipe[0]);
    }
    if (p.null_device >= 0) {
        close(p.null_device);
    }
    sy_arena_destroy(arena);
    sy_free(process);
    return status;
}
