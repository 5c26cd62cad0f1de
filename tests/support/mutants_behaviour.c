/* SPDX-License-Identifier: Apache-2.0 */
/* Mutants that compute rightly and harm the process they run in, and two honest twins of OpenBLAS. */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "mutants.h"

enum { CRASHING_RUN = 12 };

static void multiply(const mutant *m)
{
    mutant_multiply(m, mutant_a(m), mutant_b(m), mutant_c(m));
}

sy_status mutant_run_segfault(void *state, sy_error *err)
{
    (void)state;
    (void)err;
    /* The kernel's own signal, as a wild pointer gives it; raise would only imitate it. */
    volatile const char *volatile nowhere = NULL;
    return *nowhere != 0 ? SY_OK : SY_DIED;
}

sy_status mutant_run_abort(void *state, sy_error *err)
{
    (void)state;
    (void)err;
    abort();
}

sy_status mutant_run_hang(void *state, sy_error *err)
{
    (void)state;
    (void)err;
    while (true) {
        pause();
    }
}

sy_status mutant_run_exit(void *state, sy_error *err)
{
    (void)state;
    (void)err;
    _exit(3);
}

/* Only into a socket: in a process that is no worker descriptor 3 is somebody else's. */
sy_status mutant_run_garbage(void *state, sy_error *err)
{
    (void)err;
    static const unsigned char garbage[64] = {0xa5, 0xff, 0x00, 0x5a, 0xff, 0xff, 0xff, 0x7f, 0x80, 0x01};
    struct stat status;
    multiply(state);
    if (fstat(3, &status) == 0 && S_ISSOCK(status.st_mode)) {
        ssize_t written = write(3, garbage, sizeof garbage);
        (void)written;
    }
    return SY_OK;
}

/* Flush-to-zero and denormals-are-zero, as a library built with fast-math switches them on when it is loaded. */
sy_status mutant_run_ftz(void *state, sy_error *err)
{
    (void)err;
    multiply(state);
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
    return SY_OK;
}

sy_status mutant_run_crash_later(void *state, sy_error *err)
{
    (void)err;
    mutant *m = state;
    multiply(m);
    if (++m->runs == CRASHING_RUN) {
        (void)raise(SIGSEGV);
    }
    return SY_OK;
}

sy_status mutant_run_twin(void *state, sy_error *err)
{
    mutant *m = state;
    return sy_cpu_matmul_run_cblas(m->matmul, err);
}

sy_status mutant_run_slow_twin(void *state, sy_error *err)
{
    mutant *m = state;
    uint64_t start = sy_clock_now(&sy_clock_system);
    sy_status status = sy_cpu_matmul_run_cblas(m->matmul, err);
    uint64_t now = sy_clock_now(&sy_clock_system);
    uint64_t end = now + (now - start) / 4;
    while (sy_clock_now(&sy_clock_system) < end) {
    }
    return status;
}
