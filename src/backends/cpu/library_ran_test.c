/* SPDX-License-Identifier: Apache-2.0 */
/* Each library really runs where its name is weighed: in a fresh process for each, a profiling signal samples where the
 * processor is, and the samples lie in the file that was recorded, none in another implementation's. */
#include "cmocka_headers.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "matmul_job.h"

enum { WANTED = 60, RUNS_MAX = 200000, UNAVAILABLE = 77 };

static _Atomic uintptr_t samples[4096];
static atomic_uint sample_count;

static void take_sample(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    const ucontext_t *interrupted = context;
    unsigned at = atomic_fetch_add(&sample_count, 1);
    if (at < sizeof samples / sizeof samples[0]) {
#if defined(__x86_64__)
        samples[at] = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
        samples[at] = (uintptr_t)interrupted->uc_mcontext.pc;
#else
        (void)interrupted;
#endif
    }
}

/* On a stack of its own: oneDNN 2.6's generated code keeps data below the stack pointer, further than the 128 bytes
 * that a signal leaves alone, and a handler on the normal stack corrupts its heap. */
static void sample_every_millisecond(bool on)
{
    static char stack[1 << 18];
    const stack_t own_stack = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = take_sample, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    assert_int_equal(sigaltstack(&own_stack, NULL), 0);
    struct itimerval timer = {{0, on ? 1000 : 0}, {0, on ? 1000 : 0}};
    assert_int_equal(sigaction(SIGPROF, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_PROF, &timer, NULL), 0);
}

/* The file that is mapped at an address as the kernel names it, "" for memory of no file, which a library filled with
 * code of its own making. False: nothing is mapped there. */
static bool file_at(uintptr_t address, char *to)
{
    bool found = false;
    char line[PATH_MAX + 128];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (!found && fgets(line, sizeof line, maps) != NULL) {
        unsigned long long start = 0;
        unsigned long long end = 0;
        int path_at = 0;
        found = sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &start, &end, &path_at) >= 2 && address >= start &&
                address < end;
        line[strcspn(line, "\n")] = '\0';
        snprintf(to, PATH_MAX, "%s", found && path_at > 0 ? line + path_at : "");
    }
    assert_int_equal(fclose(maps), 0);
    return found;
}

static bool is_a_library_of_ours(const char *file)
{
    return strstr(file, "openblas") != NULL || strstr(file, "libblis") != NULL || strstr(file, "libdnnl") != NULL;
}

/* What the file of each is called, so that a library that runs under another's name is seen. */
static const char *const files[] = {"/libopenblas", "/libblis", "/libdnnl", "/library_ran_test"};

/* The child: runs one implementation on one thread until enough samples are there. Exit code 0: the samples say so. */
static int run_and_sample(uint32_t variant)
{
    static const int64_t shape[4] = {200, 300, 250, 1};
    matmul_job job;
    sy_implementation_info info;
    char own[PATH_MAX];
    unsigned in_own = 0;
    unsigned in_generated = 0;
    unsigned in_others = 0;
    if (!start_job_on(&job, shape, variant, 1)) {
        printf("skipped: %s: %s\n", job.name, job.reason);
        return UNAVAILABLE;
    }
    assert_int_equal(sy_cpu_matmul_operation.suite->describe(NULL, variant, job.device, &info, NULL), SY_OK);
    assert_non_null(realpath(info.path[0] != '\0' ? info.path : "/proc/self/exe", own));
    assert_non_null(strstr(own, files[variant]));
    fill_job(&job, SY_FILL_REAL);
    run_job(&job);
    sample_every_millisecond(true);
    for (int i = 0; i < RUNS_MAX && atomic_load(&sample_count) < WANTED; i++) {
        assert_int_equal(sy_graph_run(job.graph, NULL), SY_OK);
    }
    sample_every_millisecond(false);
    unsigned count = atomic_load(&sample_count);
    for (unsigned i = 0; i < count; i++) {
        char file[PATH_MAX];
        if (file_at(samples[i], file)) {
            in_own += strcmp(file, own) == 0;
            in_generated += file[0] == '\0';
            in_others += strcmp(file, own) != 0 && is_a_library_of_ours(file);
        }
    }
    /* oneDNN alone writes its kernels when it runs. */
    in_own += strcmp(job.name, "onednn") == 0 ? in_generated : 0;
    in_others += strcmp(job.name, "onednn") == 0 ? 0 : in_generated;
    printf("%s: %u of %u samples in %s, %u in other implementations\n", job.name, in_own, count, own, in_others);
    finish_job(&job);
    return count >= WANTED && in_own * 2 > count && in_others == 0 ? 0 : 1;
}

/* A process of its own for each, because a library that was loaded before would stay. */
static int in_fresh_process(const char *self, uint32_t variant)
{
    char number[16];
    snprintf(number, sizeof number, "%u", variant);
    (void)fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(self, self, number, (char *)NULL);
        _exit(126);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void each_library_runs_its_own_code_and_no_other(void **state)
{
    (void)state;
    for (uint32_t variant = 0; variant < 4; variant++) { /* the three libraries and our own code */
        int code = in_fresh_process("/proc/self/exe", variant);
        if (code != UNAVAILABLE) {
            assert_int_equal(code, 0);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_library_runs_its_own_code_and_no_other)};
    if (argc > 1) {
        return run_and_sample((uint32_t)strtoul(argv[1], NULL, 10));
    }
#if !defined(__x86_64__) && !defined(__aarch64__)
    print_message("skipped: no known place of the instruction pointer on this processor\n");
    return UNAVAILABLE;
#elif defined(__SANITIZE_THREAD__)
    print_message("skipped: ThreadSanitizer hands signals over late, away from where they struck\n");
    return UNAVAILABLE;
#endif
    return cmocka_run_group_tests(tests, NULL, NULL);
}
