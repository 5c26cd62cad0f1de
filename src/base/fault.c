/* SPDX-License-Identifier: Apache-2.0 */
/* The fault seams' counters and triggers, for the testing library only. Safe to reach from several threads; a test
 * sets the triggers while no other thread is inside the library. */
#include "base/fault.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* One thing that is counted, and the count at which it happens; 0 = never. */
typedef struct trigger {
    atomic_uint_least64_t at;
    atomic_uint_least64_t count;
    atomic_bool once;
} trigger;

static trigger allocation;
static trigger system_call;
static atomic_int system_call_error;
static trigger kill_call;
static trigger short_write;
static trigger spoiled_write;
static const char *refused_name;
static int refused_error;
static char *trace;
static size_t trace_left;
static atomic_int_least64_t live_allocations;

static void arm(trigger *t, uint64_t n, bool once)
{
    atomic_store(&t->at, n);
    atomic_store(&t->once, once);
    atomic_store(&t->count, 0);
}

static bool fires(trigger *t)
{
    uint64_t count = atomic_fetch_add(&t->count, 1) + 1;
    uint64_t at = atomic_load(&t->at);
    return at != 0 && (atomic_load(&t->once) ? count == at : count >= at);
}

void sy_fault_fail_allocation(uint64_t n, bool once)
{
    arm(&allocation, n, once);
}

void sy_fault_fail_system_call(uint64_t n, int error_number, bool once)
{
    atomic_store(&system_call_error, error_number);
    arm(&system_call, n, once);
}

void sy_fault_kill_at_system_call(uint64_t n)
{
    arm(&kill_call, n, true);
}

void sy_fault_short_write(uint64_t n)
{
    arm(&short_write, n, true);
}

void sy_fault_spoil_write(uint64_t n)
{
    arm(&spoiled_write, n, true);
}

void sy_fault_refuse_rename(const char *to, int error_number)
{
    refused_name = to;
    refused_error = error_number;
}

void sy_fault_trace_system_calls(char *text, size_t size)
{
    trace = text;
    trace_left = size;
    if (text != NULL && size > 0) {
        text[0] = '\0';
    }
}

void sy_fault_note_system_call(const char *name)
{
    size_t length = strlen(name);
    if (trace != NULL && length + 2 <= trace_left) {
        memcpy(trace, name, length);
        memcpy(trace + length, " ", 2);
        trace += length + 1;
        trace_left -= length + 1;
    }
}

void sy_fault_reset(void)
{
    arm(&allocation, 0, false);
    arm(&system_call, 0, false);
    arm(&kill_call, 0, false);
    arm(&short_write, 0, false);
    arm(&spoiled_write, 0, false);
    sy_fault_refuse_rename(NULL, 0);
    sy_fault_trace_system_calls(NULL, 0);
}

uint64_t sy_fault_allocations(void)
{
    return atomic_load(&allocation.count);
}

uint64_t sy_fault_system_calls(void)
{
    return atomic_load(&system_call.count);
}

int64_t sy_fault_live_allocations(void)
{
    return atomic_load(&live_allocations);
}

bool sy_fault_allocation_fails(void)
{
    return fires(&allocation);
}

int sy_fault_system_call_fails(void)
{
    if (fires(&kill_call)) {
        kill(getpid(), SIGKILL);
        for (;;) {
            pause();
        }
    }
    return fires(&system_call) ? atomic_load(&system_call_error) : 0;
}

int sy_fault_rename_is_refused(const char *to)
{
    return refused_name != NULL && strcmp(to, refused_name) == 0 ? refused_error : 0;
}

bool sy_fault_write_is_short(void)
{
    return fires(&short_write);
}

bool sy_fault_write_is_spoiled(void)
{
    return fires(&spoiled_write);
}

void sy_fault_allocation_lives(int64_t change)
{
    atomic_fetch_add(&live_allocations, change);
}
