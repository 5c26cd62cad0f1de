/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a session, as accepting and judging it both ask for them. */
#include "evidence/session_faults.h"

#include <string.h>

#define PARTED "; "

static void begin_fault(sy_text *to)
{
    sy_text_append(to, to->length > 0 ? PARTED : "");
}

/* An outcome without a case, or without an implementation, speaks of all of them. */
static bool parity_speaks_of(const sy_run_parity_event *parity, const sy_run_series *series)
{
    bool of_case = parity->case_name[0] == '\0' || strcmp(parity->case_name, series->case_name) == 0;
    bool of_implementation = parity->implementation[0] == '\0' ||
                             strcmp(parity->implementation, series->implementation) == 0;
    return parity->outcome == SY_RUN_PARITY_PASSED && of_case && of_implementation;
}

static bool has_parity(const sy_run *run, const sy_run_series *series)
{
    for (size_t i = 0; i < run->parity_count; i++) {
        if (parity_speaks_of(&run->parities[i], series)) {
            return true;
        }
    }
    return false;
}

/* That something passed says nothing of the rest: each series of samples is owed its own parity. */
static void add_series_faults(const sy_run *run, sy_text *to)
{
    for (size_t i = 0; i < run->series_count; i++) {
        const sy_run_series *series = &run->series[i];
        if (series->role != SY_SERIES_SAMPLE) {
            continue;
        }
        if (run->row.parity == SY_RUN_PARITY_PASSED && !has_parity(run, series)) {
            begin_fault(to);
            sy_text_append_format(to, "nothing says that the parity of '%.60s'%s%.60s%s%.60s passed", series->name,
                                  series->case_name[0] != '\0' ? " in " : "", series->case_name,
                                  series->implementation[0] != '\0' ? " of " : "", series->implementation);
        }
    }
}

/* A session is the work of one process, and what ran under no lease that anybody saw is nobody's. */
static void add_process_faults(const sy_run *run, sy_text *to)
{
    size_t measured = 0;
    for (size_t i = 0; i < run->command_count; i++) {
        measured += strcmp(run->commands[i].phase, "measure") == 0;
    }
    if (measured > 1) {
        begin_fault(to);
        sy_text_append(to, "more than one command measured: a session is the work of one");
    }
    if (measured == 0 && run->row.lease_whole) {
        begin_fault(to);
        sy_text_append(to, "no command measured under its lease");
    }
}

bool sy_session_has_usable_samples(const sy_run *run)
{
    for (size_t i = 0; i < run->series_count; i++) {
        if (run->series[i].role == SY_SERIES_SAMPLE && run->series[i].usable_count > 0) {
            return true;
        }
    }
    return false;
}

void sy_session_faults(const sy_run *run, sy_text *to)
{
    add_process_faults(run, to);
    add_series_faults(run, to);
}

void sy_session_parity_failure(const sy_run *run, sy_text *to)
{
    for (size_t i = 0; i < run->parity_count; i++) {
        const sy_run_parity_event *parity = &run->parities[i];
        if (parity->outcome == SY_RUN_PARITY_PASSED) {
            continue;
        }
        begin_fault(to);
        sy_text_append_format(to, "parity %s%s%.60s%s%.60s", sy_run_parity_word(parity->outcome),
                              parity->case_name[0] != '\0' ? " in " : "", parity->case_name,
                              parity->reason[0] != '\0' ? ": " : "", parity->reason);
        return;
    }
}
