/* SPDX-License-Identifier: Apache-2.0 */
/* The launcher: a small process that starts one program, waits for it and for everything that the program left behind,
 * and reports. Orphans become its children, so that it can see, count and end them. Asked by SIGTERM it ends them all.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/command.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/command/command_launch.h"
#include "base/clock.h"
#include "base/memory.h"

#define GRACE_NS UINT64_C(10000000)     /* processes of a pipeline do not end all at once */
#define KILL_STEP_NS UINT64_C(50000000) /* between two looks for who is left */
#define KILL_STEPS_MAX 60               /* who cannot be killed is left */

typedef struct launch {
    const sy_launch_plan *plan;
    const char *path;
    const char *directory;
    char **argv;
    char **environment;
    pid_t child;
    bool child_ended;
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t reaped_orphans;
    sigset_t signals; /* SIGCHLD and SIGTERM, blocked */
    sy_launch_report report;
} launch;

/* The texts behind the plan as pointers; false: the plan is not what it says. */
static bool read_plan(launch *l)
{
    struct stat info;
    if (fstat(SY_LAUNCH_PLAN_DESCRIPTOR, &info) != 0 || (size_t)info.st_size < sizeof(sy_launch_plan))
        return false;
    size_t size = (size_t)info.st_size;
    void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, SY_LAUNCH_PLAN_DESCRIPTOR, 0);
    if (map == MAP_FAILED)
        return false;
    const sy_launch_plan *plan = map;
    const char *text = (const char *)(plan + 1);
    if (plan->magic != SY_LAUNCH_MAGIC || plan->text_bytes != size - sizeof(*plan) || plan->text_bytes == 0 ||
        text[plan->text_bytes - 1] != '\0')
        return false;
    l->plan = plan;
    l->argv = sy_allocate((size_t)plan->argument_count + 1, sizeof(char *));
    l->environment = sy_allocate((size_t)plan->variable_count + 1, sizeof(char *));
    if (!l->argv || !l->environment)
        return false;
    const char *end = text + plan->text_bytes;
    size_t count = 2 + (size_t)plan->argument_count + plan->variable_count;
    for (size_t i = 0; i < count; i++) {
        if (text >= end)
            return false;
        if (i == 0)
            l->path = text;
        else if (i == 1)
            l->directory = text;
        else if (i < 2 + (size_t)plan->argument_count)
            l->argv[i - 2] = (char *)(uintptr_t)text;
        else
            l->environment[i - 2 - plan->argument_count] = (char *)(uintptr_t)text;
        text += strlen(text) + 1;
    }
    return true;
}

/* What the child says before exec, and again if exec fails. */
typedef struct word {
    uint32_t stage;
    int32_t error;
    uint64_t now_ns;
} word;

static void say(int pipe, sy_launch_stage stage, int error)
{
    word w = {(uint32_t)stage, error, sy_clock_now(&sy_clock_system)};
    ssize_t written = write(pipe, &w, sizeof(w));
    (void)written;
}

/* The program begins with the system's dispositions, whatever the binary that serves as launcher has set. */
static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (int number = 1; number < NSIG; number++)
        sigaction(number, &action, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* A session of its own: no terminal but the one that is given, so that a program which asks for one fails instead of
 * being stopped. */
static _Noreturn void run_child(const launch *l, int pipe)
{
    if (setsid() < 0 || (l->plan->terminal && ioctl(STDOUT_FILENO, TIOCSCTTY, 0) != 0) ||
        prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        say(pipe, SY_LAUNCH_SESSION, errno);
        _exit(127);
    }
    if (l->directory[0] && chdir(l->directory) != 0) {
        say(pipe, SY_LAUNCH_DIRECTORY, errno);
        _exit(127);
    }
    reset_signals();
    say(pipe, SY_LAUNCH_STARTED, 0);
    execve(l->path, l->argv, l->environment);
    say(pipe, SY_LAUNCH_EXEC, errno);
    _exit(127);
}

/* Reads what the child says until exec closes the pipe. */
static void listen_to_child(launch *l, int pipe)
{
    word w;
    ssize_t got;
    l->report.stage = SY_LAUNCH_EXEC;
    l->report.error = EPIPE; /* it was killed before it said anything */
    while ((got = read(pipe, &w, sizeof(w))) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got != (ssize_t)sizeof(w))
            break;
        l->report.stage = w.stage;
        l->report.error = w.error;
        if (w.stage == SY_LAUNCH_STARTED)
            l->start_ns = w.now_ns;
    }
}

static void start_child(launch *l)
{
    int ends[2];
    l->report.stage = SY_LAUNCH_FORK;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        l->report.error = errno;
        return;
    }
    l->child = fork();
    if (l->child == 0)
        run_child(l, ends[1]);
    l->report.error = errno;
    close(ends[1]);
    if (l->child > 0)
        listen_to_child(l, ends[0]);
    close(ends[0]);
}

static uint64_t ns_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_usec * 1000;
}

static void account(launch *l, pid_t who, int status, const struct rusage *usage, uint64_t now_ns)
{
    uint64_t peak = (uint64_t)usage->ru_maxrss * 1024;
    l->report.user_ns += ns_of(usage->ru_utime);
    l->report.system_ns += ns_of(usage->ru_stime);
    l->report.involuntary_switches += (uint64_t)usage->ru_nivcsw;
    l->report.major_faults += (uint64_t)usage->ru_majflt;
    if (peak > l->report.peak_memory_bytes)
        l->report.peak_memory_bytes = peak;
    l->end_ns = now_ns;
    if (who != l->child) {
        l->reaped_orphans++;
        return;
    }
    l->child_ended = true;
    l->report.wait_status = status;
}

/* Takes all that have ended; returns whether any child is left. */
static bool reap(launch *l, uint64_t now_ns)
{
    for (;;) {
        int status;
        struct rusage usage;
        pid_t who = wait4(-1, &status, WNOHANG, &usage);
        if (who > 0)
            account(l, who, status, &usage, now_ns);
        else if (who == 0 || errno != EINTR)
            return who == 0;
    }
}

/* Waits for a child's end or the caller's word, ns at most (0: for ever). Returns whether the caller wants the end. */
static bool wait_for_news(const launch *l, uint64_t ns, uint64_t *ret_now_ns)
{
    struct timespec time = {(time_t)(ns / UINT64_C(1000000000)), (long)(ns % UINT64_C(1000000000))};
    int signal = ns ? sigtimedwait(&l->signals, NULL, &time) : sigwaitinfo(&l->signals, NULL);
    *ret_now_ns = sy_clock_now(&sy_clock_system);
    return signal == SIGTERM;
}

/* The parent of a process by its /proc/N/stat; 0 = unknown. The name in it may hold anything, so the last ')' counts.
 */
static pid_t parent_of(const char *number)
{
    char path[64];
    char line[512];
    (void)snprintf(path, sizeof(path), "/proc/%.20s/stat", number);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t got = read(file, line, sizeof(line) - 1);
    close(file);
    line[got > 0 ? got : 0] = '\0';
    const char *after = strrchr(line, ')');
    return after && strlen(after) > 4 ? (pid_t)strtol(after + 4, NULL, 10) : 0;
}

static void kill_children(const launch *l)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    pid_t self = getpid();
    if (l->child > 0)
        kill(-l->child, SIGKILL); /* its session's first group; what is there without /proc */
    while (folder && (entry = readdir(folder)) != NULL) {
        if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == self)
            kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
    }
    if (folder)
        closedir(folder);
}

/* Ends all that is left; the orphans of those who are killed come to us, until none is left. */
static void end_all(launch *l)
{
    uint64_t now_ns = sy_clock_now(&sy_clock_system);
    for (int step = 0; step < KILL_STEPS_MAX && reap(l, now_ns); step++) {
        kill_children(l);
        (void)wait_for_news(l, KILL_STEP_NS, &now_ns);
    }
}

/* Until the program has ended, and what it left behind for a moment, too. Who stays longer outlived it. */
static void wait_for_child(launch *l)
{
    bool ends = false;
    bool some = true;
    uint64_t now_ns;
    while (!l->child_ended && !ends) {
        ends = wait_for_news(l, 0, &now_ns);
        some = reap(l, now_ns);
    }
    uint64_t child_end_ns = l->end_ns;
    for (uint64_t waited = 0; some && !ends && waited < GRACE_NS; waited = now_ns - child_end_ns) {
        ends = wait_for_news(l, GRACE_NS - waited, &now_ns);
        some = reap(l, now_ns);
    }
    l->report.was_ended = ends && !l->child_ended;
    if (some) {
        uint32_t before = l->reaped_orphans;
        bool had_ended = l->child_ended;
        end_all(l);
        l->report.outlived = had_ended ? l->reaped_orphans - before : 0;
        if (had_ended && l->report.outlived == 0)
            l->report.outlived = 1; /* it would not die: it is there all the same */
        l->end_ns = had_ended ? child_end_ns : l->end_ns;
    }
    l->report.wall_ns = l->end_ns > l->start_ns ? l->end_ns - l->start_ns : 0;
}

int sy_launcher_main(int argc, char **argv)
{
    launch l = {.report = {.magic = SY_LAUNCH_MAGIC, .stage = SY_LAUNCH_PLAN}};
    (void)argc;
    (void)argv;
    if (fcntl(SY_LAUNCH_REPORT_DESCRIPTOR, F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(SY_LAUNCH_PLAN_DESCRIPTOR, F_SETFD, FD_CLOEXEC) != 0)
        return 2; /* started by hand */
    sigemptyset(&l.signals);
    sigaddset(&l.signals, SIGCHLD);
    sigaddset(&l.signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &l.signals, NULL);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM); /* a caller that dies ends the program, too */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (read_plan(&l)) {
        start_child(&l);
        if (l.report.stage == SY_LAUNCH_STARTED)
            wait_for_child(&l);
        else if (l.child > 0)
            while (waitpid(l.child, NULL, 0) < 0 && errno == EINTR) {
            }
    }
    ssize_t written = write(SY_LAUNCH_REPORT_DESCRIPTOR, &l.report, sizeof(l.report));
    sy_free(l.argv);
    sy_free(l.environment);
    return written == (ssize_t)sizeof(l.report) ? 0 : 1;
}
