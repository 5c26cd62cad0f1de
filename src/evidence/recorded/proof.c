/* SPDX-License-Identifier: Apache-2.0 */
/* From a stored decision to the run that proves it, and back. */
#include <string.h>

#include "base/error.h"
#include "evidence/event_list.h"
#include "evidence/recorded/recording.h"
#include "record/private_text.h"

sy_status sy_project_link_profile(sy_project *project, const char *run, const sy_run_profile *profile, sy_error *err)
{
    sy_arena *arena = sy_arena_create(0);
    sy_event_list events = {.arena = arena, .run = run};
    sy_status status = SY_OK;
    if (arena == NULL) {
        return sy_fail(err, SY_NO_MEMORY, "no memory to link a profile to its run");
    }
    const sy_run_profile clean = {sy_private_clean(arena, profile->store), sy_private_clean(arena, profile->key),
                                  sy_private_clean(arena, profile->implementation)};
    if (clean.store == NULL || clean.key == NULL || clean.implementation == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to link a profile to its run");
    }
    if (status == SY_OK) {
        status = sy_event_list_profile(&events, &clean, err);
    }
    if (status == SY_OK) {
        status = sy_event_list_append(&events, sy_project_ledger(project), NULL, err);
    }
    sy_arena_destroy(arena);
    return status;
}

typedef struct proof_search {
    const char *digest;
    bool has_run;
    bool has_digest;
} proof_search;

static sy_status look_at(void *user, const sy_ledger_event *event, sy_error *err)
{
    proof_search *search = user;
    (void)err;
    search->has_run = true;
    search->has_digest |= strcmp(event->digest, search->digest) == 0;
    return SY_OK;
}

sy_status sy_project_prove(sy_project *project, const sy_recorded *recorded, sy_proof_state *ret_state, sy_error *err)
{
    proof_search search = {recorded->digest, false, false};
    sy_status status = sy_ledger_each(sy_project_ledger(project), 0, recorded->run, look_at, &search, err);
    if (status != SY_OK && status != SY_NOT_FOUND) {
        return status;
    }
    *ret_state = search.has_digest ? SY_PROOF_HOLDS : search.has_run ? SY_PROOF_DIFFERS : SY_PROOF_ABSENT;
    return SY_OK;
}
