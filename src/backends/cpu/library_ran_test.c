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

#include "backends/backend.h"
#include "backends/graph.h"
#include "operations/fill.h"
#include "operations/suite.h"

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

/* What is weighed under which name, and what the file is called that must do the work, so that a library that runs
 * under another's name is seen. The sums of the case are most of its work. */
typedef struct weighed {
    const char *operation;
    const char *name;
    const char *case_name;
    const char *file;
} weighed;

static const weighed all[] = {
    {"matmul", "openblas", "square-256", "/libopenblas"},
    {"matmul", "blis", "square-256", "/libblis"},
    {"matmul", "onednn", "square-256", "/libdnnl"},
    {"matmul", "blocked", "square-256", "/library_ran_test"},
    {"attention", "plain", "sd15-self-1024", "/libopenblas"},
    {"attention", "flash", "sd15-self-1024", "/library_ran_test"},
    {"convolution", "im2col", "resnet50-3x3-256-14", "/libopenblas"},
    {"convolution", "direct", "resnet50-3x3-256-14", "/library_ran_test"},
    {"convolution", "onednn", "resnet50-3x3-256-14", "/libdnnl"},
    {"convolution", "onednn:jit:avx2", "resnet50-3x3-256-14", "/libdnnl"},
};
enum { WEIGHED_COUNT = sizeof all / sizeof all[0] };

/* Builds, allocates and fills one on one thread. NULL, with the reason: it is not available. */
static sy_graph *start(const weighed *w, sy_device **ret_device, char own[PATH_MAX], char reason[256])
{
    sy_device_options options = SY_DEVICE_OPTIONS_INIT;
    sy_implementation_info info;
    const sy_suite *suite = NULL;
    sy_graph *graph = NULL;
    uint32_t variant = 0;
    size_t chosen[64];
    size_t count = 0;
    bool is_available = false;
    const char *why = "not listed on this machine";
    options.threads = 1;
    options.only = w->name;
    assert_int_equal(sy_device_open("cpu", &options, ret_device, NULL), SY_OK);
    assert_int_equal(sy_device_suite(*ret_device, w->operation, &suite, NULL), SY_OK);
    assert_true(suite->case_count <= 64);
    assert_int_equal(sy_suite_select_cases(suite, &w->case_name, 1, chosen, &count, NULL), SY_OK);
    if (sy_suite_find_implementation(suite, w->name, &variant, NULL) == SY_OK) {
        assert_int_equal(sy_graph_create(*ret_device, 1 << 20, &graph, NULL), SY_OK);
        assert_int_equal(suite->build(suite->user, &suite->cases[chosen[0]], variant, graph, NULL), SY_OK);
        assert_int_equal(sy_graph_check(graph, &is_available, &why, NULL), SY_OK);
    }
    if (!is_available) {
        snprintf(reason, 256, "%s", why);
        sy_graph_destroy(graph);
        return NULL;
    }
    assert_int_equal(suite->describe(suite->user, variant, *ret_device, &info, NULL), SY_OK);
    assert_non_null(realpath(info.path[0] != '\0' ? info.path : "/proc/self/exe", own));
    assert_non_null(strstr(own, w->file));
    assert_int_equal(sy_graph_allocate(graph, NULL), SY_OK);
    for (uint32_t i = 0; i < sy_graph_input_count(graph); i++) {
        sy_tensor *input = sy_graph_input_at(graph, i);
        assert_int_equal(sy_fill_input(SY_FILL_REAL, 99, i, &suite->cases[chosen[0]], sy_tensor_description(input),
                                       sy_tensor_address(input), NULL),
                         SY_OK);
    }
    return graph;
}

/* The child: runs one implementation until enough samples are there. Exit code 0: the samples say so. */
static int run_and_sample(const weighed *w)
{
    sy_device *device = NULL;
    char own[PATH_MAX] = "";
    char reason[256] = "";
    unsigned in_own = 0;
    unsigned in_generated = 0;
    unsigned in_others = 0;
    sy_graph *graph = start(w, &device, own, reason);
    if (graph == NULL) {
        printf("skipped: %s %s: %s\n", w->operation, w->name, reason);
        sy_device_close(device);
        return UNAVAILABLE;
    }
    assert_int_equal(sy_graph_run(graph, NULL), SY_OK);
    sample_every_millisecond(true);
    for (int i = 0; i < RUNS_MAX && atomic_load(&sample_count) < WANTED; i++) {
        assert_int_equal(sy_graph_run(graph, NULL), SY_OK);
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
    bool generates = strncmp(w->name, "onednn", 6) == 0;
    in_own += generates ? in_generated : 0;
    in_others += generates ? 0 : in_generated;
    printf("%s %s: %u of %u samples in %s, %u in other implementations\n", w->operation, w->name, in_own, count, own,
           in_others);
    sy_graph_destroy(graph);
    sy_device_close(device);
    /* The rest is in what surrounds a product: softmax, copies, and under a sanitizer much slower than the product. */
    return count >= WANTED && in_own * 4 > count && in_others == 0 ? 0 : 1;
}

/* A process of its own for each, because a library that was loaded before would stay. */
static int in_fresh_process(const char *self, size_t which)
{
    char number[16];
    snprintf(number, sizeof number, "%zu", which);
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
    for (size_t which = 0; which < WEIGHED_COUNT; which++) {
        int code = in_fresh_process("/proc/self/exe", which);
        if (code != UNAVAILABLE) {
            assert_int_equal(code, 0);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_library_runs_its_own_code_and_no_other)};
    if (argc > 1) {
        return run_and_sample(&all[strtoul(argv[1], NULL, 10) % WEIGHED_COUNT]);
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
