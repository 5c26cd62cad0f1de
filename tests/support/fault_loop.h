/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a scenario with the 1st, 2nd, 3rd ... allocation failing until it succeeds untouched, and checks that each
 * failure is clean: the right status, nothing left alive. For the unit tests; needs cmocka. */
#ifndef STEELYARD_TESTS_FAULT_LOOP_H
#define STEELYARD_TESTS_FAULT_LOOP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fault.h"
#include <steelyard/base.h>

/* One scenario: does its work, frees all that it got, returns what the code under test returned. */
typedef sy_status (*fault_scenario)(void *user);

/* Fails allocation 1, 2, ... (once: only that one; else that one and all after it). Every run must end in SY_NO_MEMORY
 * or, when the code can do without that memory, in SY_OK; the loop ends when a run made fewer allocations than the one
 * that was to fail. Returns how many runs saw their allocation fail, so that the caller can assert that the scenario
 * allocates at all. */
static inline uint64_t fault_loop_allocations(fault_scenario scenario, void *user, bool once)
{
    int64_t alive = sy_fault_live_allocations();
    for (uint64_t n = 1;; n++) {
        sy_fault_reset();
        sy_fault_fail_allocation(n, once);
        sy_status status = scenario(user);
        bool reached = sy_fault_allocations() >= n;
        sy_fault_reset();
        assert_int_equal(sy_fault_live_allocations(), alive);
        if (!reached) {
            assert_int_equal(status, SY_OK);
            return n - 1;
        }
        if (status != SY_OK) {
            assert_int_equal(status, SY_NO_MEMORY);
        }
    }
}

#endif
