/* SPDX-License-Identifier: Apache-2.0 */
/* Adding to what is counted of profiles: use, cost, attempts. */
#include "base/error.h"
#include "base/memory.h"
#include "store/state.h"

static sy_status check_tally(const sy_profile_tally *tally, sy_error *err)
{
    bool portable;
    sy_status status = sy_profile_key_check(&tally->key, &portable, err);
    if (status == SY_OK && (unsigned)tally->kind > SY_PROFILE_IMPORTED) {
        status = sy_fail(err, SY_INVALID_ARGUMENT, "the profile's kind %d is unknown", (int)tally->kind);
    }
    return status == SY_OK ? sy_profile_check_counts(&tally->cost, &tally->use, err) : status;
}

sy_status sy_store_tally(sy_store *store, const sy_profile_tally *tallies, size_t count, size_t *ret_placed,
                         sy_error *err)
{
    sy_change_result result = {0};
    uint32_t format;
    sy_status status = SY_OK;
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        status = check_tally(&tallies[i], err);
    }
    if (status != SY_OK || count == 0) {
        return status;
    }
    sy_change *changes = sy_allocate(count, sizeof *changes);
    sy_profile_tally *timed = sy_allocate(count, sizeof *timed);
    if (changes == NULL || timed == NULL) {
        status = sy_fail(err, SY_NO_MEMORY, "no memory to add to %zu profiles", count);
    } else {
        int64_t now = sy_store_now(store);
        for (size_t i = 0; i < count; i++) {
            timed[i] = tallies[i];
            if (timed[i].use.calls > 0 && timed[i].use.last_utc_s == 0) {
                timed[i].use.last_utc_s = now;
            }
            changes[i] = (sy_change){.kind = SY_CHANGE_TALLY, .tally = &timed[i]};
        }
        pthread_mutex_lock(&store->mutex);
        status = sy_store_commit(store, changes, count, 0, &result, &format, err);
        pthread_mutex_unlock(&store->mutex);
    }
    sy_free(changes);
    sy_free(timed);
    if (status == SY_OK && ret_placed != NULL) {
        *ret_placed = result.tallied;
    }
    return status;
}
