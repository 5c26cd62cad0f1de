/* SPDX-License-Identifier: Apache-2.0 */
/* The mutants themselves: each is wrong in its one way at every shape, and right in all others; or kills its process.
 * Their products run on threads that a pool makes with pthread_create. */
#include "cmocka_headers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "matmul_job.h"
#include "operations/suite.h"

static uint32_t variant_of(const char *name)
{
    sy_device *device = NULL;
    uint32_t variant = 0;
    assert_int_equal(sy_device_open("cpu", NULL, &device, NULL), SY_OK);
    assert_int_equal(sy_suite_find_implementation(device->backend->suite_at(device, 0), name, &variant, NULL), SY_OK);
    sy_device_close(device);
    return variant;
}

/* What an honest checker sees of it, in the order of parity's stages. */
typedef struct sight {
    bool exact_wrong;
    bool real_wrong;
    bool second_run_wrong; /* the same inputs once more */
    bool inputs_changed;
    bool canary_broken;
    bool runs_differ;
} sight;

static sight look_at(const char *name, const int64_t shape[4])
{
    matmul_job job;
    sight seen = {0};
    char reason[160];
    bool intact = true;
    assert_true(start_job(&job, shape, variant_of(name)));
    float *first = sy_allocate(job.count, sizeof(float));
    assert_non_null(first);
    fill_job(&job, SY_FILL_REAL);
    run_job(&job);
    memcpy(first, job.found, job.count * sizeof(float));
    seen.real_wrong = wrong_outputs(&job, SY_FILL_REAL) > 0;
    run_job(&job);
    seen.second_run_wrong = wrong_outputs(&job, SY_FILL_REAL) > 0;
    seen.runs_differ = memcmp(first, job.found, job.count * sizeof(float)) != 0;
    seen.inputs_changed = !inputs_are_untouched(&job);
    assert_int_equal(sy_graph_canaries(job.graph, &intact, reason, sizeof reason, NULL), SY_OK);
    seen.canary_broken = !intact;
    for (sy_fill fill = SY_FILL_EXACT_LEFT; fill <= SY_FILL_EXACT_RIGHT; fill++) {
        fill_job(&job, fill);
        run_job(&job);
        seen.exact_wrong = seen.exact_wrong || wrong_outputs(&job, fill) > 0;
    }
    sy_free(first);
    finish_job(&job);
    return seen;
}

static void outputs_that_are_wrong_are_wrong_at_every_shape(void **state)
{
    (void)state;
    static const char *const names[] = {
        "mutant-tf32",         "mutant-bf16",     "mutant-k-tail",           "mutant-shifted-row", "mutant-transposed",
        "mutant-half-written", "mutant-nan-last", "mutant-f16-accumulation", "mutant-zeros"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (size_t s = 0; s < AWKWARD_SHAPE_COUNT; s++) {
            sight seen = look_at(names[i], awkward_shapes[s]);
            if (!seen.real_wrong || !seen.exact_wrong) {
                fail_msg("%s: real %d, exact %d at shape %zu", names[i], seen.real_wrong, seen.exact_wrong, s);
            }
            assert_false(seen.inputs_changed || seen.canary_broken);
        }
    }
}

static void stale_and_memoised_outputs_are_right_once(void **state)
{
    (void)state;
    for (size_t s = 0; s < AWKWARD_SHAPE_COUNT; s++) {
        sight stale = look_at("mutant-stale", awkward_shapes[s]);
        sight memoised = look_at("mutant-memoised", awkward_shapes[s]);
        assert_true(!stale.real_wrong && stale.second_run_wrong && stale.exact_wrong);
        assert_true(!memoised.real_wrong && !memoised.second_run_wrong && memoised.exact_wrong);
    }
}

static void a_changed_input_shows_in_the_input_alone(void **state)
{
    (void)state;
    for (size_t s = 0; s < AWKWARD_SHAPE_COUNT; s++) {
        sight seen = look_at("mutant-input-changed", awkward_shapes[s]);
        assert_true(seen.inputs_changed && !seen.real_wrong && !seen.second_run_wrong);
    }
}

static void a_write_past_the_end_shows_in_the_canary_alone(void **state)
{
    (void)state;
    sight seen = look_at("mutant-writes-past", awkward_shapes[3]);
    assert_true(seen.canary_broken && !seen.real_wrong && !seen.exact_wrong && !seen.inputs_changed);
}

static void nondeterministic_runs_differ_and_are_right(void **state)
{
    (void)state;
    sight seen = look_at("mutant-nondeterministic", awkward_shapes[5]);
    assert_true(seen.runs_differ && !seen.real_wrong && !seen.second_run_wrong && !seen.exact_wrong);
}

static void twins_are_right_and_repeat_themselves(void **state)
{
    (void)state;
    static const char *const names[] = {"twin", "slow-twin"};
    for (size_t i = 0; i < 2; i++) {
        matmul_job job;
        bool is_available = start_job(&job, awkward_shapes[0], variant_of(names[i]));
        if (!is_available) {
            print_message("skipped: %s\n", job.reason);
        }
        finish_job(&job);
        for (size_t s = 0; is_available && s < AWKWARD_SHAPE_COUNT; s++) {
            sight seen = look_at(names[i], awkward_shapes[s]);
            assert_false(seen.real_wrong || seen.exact_wrong || seen.inputs_changed || seen.runs_differ);
        }
    }
}

/* How a process ends that runs the mutant `runs` times. */
static int end_of(const char *name, int runs)
{
    (void)fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        matmul_job job;
        if (!freopen("/dev/null", "w", stderr) || !start_job(&job, awkward_shapes[3], variant_of(name))) {
            _exit(99);
        }
        fill_job(&job, SY_FILL_REAL);
        (void)signal(SIGSEGV, SIG_DFL); /* cmocka catches both */
        (void)signal(SIGABRT, SIG_DFL);
        (void)alarm(strcmp(name, "mutant-hang") == 0 ? 1 : 60); /* for the one that never comes back */
        for (int i = 0; i < runs; i++) {
            run_job(&job);
        }
        _exit(wrong_outputs(&job, SY_FILL_REAL) == 0 ? 0 : 98);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Sanitizers turn a signal into an exit with a code of their own. */
static bool died(int status)
{
    return WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) != 0 && WEXITSTATUS(status) < 98);
}

static void harmful_ones_end_their_process(void **state)
{
    (void)state;
    assert_true(died(end_of("mutant-segfault", 1)));
    assert_true(died(end_of("mutant-abort", 1)));
    assert_int_equal(end_of("mutant-exit", 1), 3 << 8);
    assert_int_equal(end_of("mutant-crash-later", 11), 0);
    assert_true(died(end_of("mutant-crash-later", 12)));
    assert_int_equal(end_of("mutant-hang", 1), SIGALRM);
}

static void garbage_is_written_into_sockets_only(void **state)
{
    (void)state;
    assert_int_equal(end_of("mutant-garbage", 1), 0);
}

static void denormals_are_off_after_a_run(void **state)
{
    (void)state;
#if defined(__x86_64__)
    unsigned before = __builtin_ia32_stmxcsr();
    matmul_job job;
    assert_true(start_job(&job, awkward_shapes[3], variant_of("mutant-ftz")));
    fill_job(&job, SY_FILL_REAL);
    run_job(&job);
    unsigned after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before);
    assert_int_equal(before & 0x8040, 0);
    assert_int_equal(after & 0x8040, 0x8040);
    assert_int_equal(wrong_outputs(&job, SY_FILL_REAL), 0);
    finish_job(&job);
#else
    print_message("skipped: no MXCSR on this processor\n");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmful_ones_end_their_process), /* first: they fork, and no library's threads run yet */
        cmocka_unit_test(garbage_is_written_into_sockets_only),
        cmocka_unit_test(outputs_that_are_wrong_are_wrong_at_every_shape),
        cmocka_unit_test(stale_and_memoised_outputs_are_right_once),
        cmocka_unit_test(a_changed_input_shows_in_the_input_alone),
        cmocka_unit_test(a_write_past_the_end_shows_in_the_canary_alone),
        cmocka_unit_test(nondeterministic_runs_differ_and_are_right),
        cmocka_unit_test(twins_are_right_and_repeat_themselves),
        cmocka_unit_test(denormals_are_off_after_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
