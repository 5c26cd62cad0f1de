/* SPDX-License-Identifier: Apache-2.0 */
/* The fault seams: fail the n-th allocation, fail or kill at the n-th system call, count what lives.
 * They exist in steelyard_testing only; in the released library the checks compile to nothing. */
#ifndef STEELYARD_BASE_FAULT_H
#define STEELYARD_BASE_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef STEELYARD_TESTING

/* Counts from now on. The n-th (from 1) allocation returns NULL; 0 = never. once false: every one from the n-th on. */
void sy_fault_fail_allocation(uint64_t n, bool once);
/* The n-th (from 1) system call that passes base/system.h fails with error_number; 0 = never. */
void sy_fault_fail_system_call(uint64_t n, int error_number, bool once);
/* The process is killed by SIGKILL instead of making the n-th system call. */
void sy_fault_kill_at_system_call(uint64_t n);
/* The n-th write through base/system.h writes half of its bytes (rounded down, at least one). */
void sy_fault_short_write(uint64_t n);
/* The n-th write through base/system.h puts a wrong byte into the file and says that all is well. */
void sy_fault_spoil_write(uint64_t n);
/* Every rename onto that path fails with error_number, as onto a mount point; NULL: none does. The text is borrowed. */
void sy_fault_refuse_rename(const char *to, int error_number);
/* From now on each system call that passes base/system.h appends its name and a blank to text, of size bytes; what does
 * not fit is dropped. NULL ends it. For one thread. */
void sy_fault_trace_system_calls(char *text, size_t size);
/* All seams off, counters 0. Live counts are kept. */
void sy_fault_reset(void);
uint64_t sy_fault_allocations(void);     /* allocations tried since the last reset */
uint64_t sy_fault_system_calls(void);    /* system calls tried since the last reset */
int64_t sy_fault_live_allocations(void); /* blocks allocated and not freed, over the whole process */

bool sy_fault_allocation_fails(void);           /* asked by base/memory.c */
int sy_fault_system_call_fails(void);           /* asked by base/system.c: 0 or an errno; may not return */
int sy_fault_rename_is_refused(const char *to); /* 0 or an errno */
bool sy_fault_write_is_short(void);
bool sy_fault_write_is_spoiled(void);
void sy_fault_note_system_call(const char *name);
void sy_fault_allocation_lives(int64_t change);

#else
#define sy_fault_allocation_fails() false
#define sy_fault_system_call_fails() 0
#define sy_fault_rename_is_refused(to) 0
#define sy_fault_write_is_short() false
#define sy_fault_write_is_spoiled() false
#define sy_fault_note_system_call(name) ((void)0)
#define sy_fault_allocation_lives(change) ((void)0)
#endif
#endif
