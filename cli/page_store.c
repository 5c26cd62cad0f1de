/* SPDX-License-Identifier: Apache-2.0 */
/* The stored profiles that a page shows. */
#include "page_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "message.h"

static bool prove(void *user, const sy_profile *profile, sy_proof_state *ret_state)
{
    sy_project *project = user;
    sy_recorded recorded;

    if (snprintf(recorded.run, sizeof(recorded.run), "%s", profile->evidence_run) >= (int)sizeof(recorded.run) ||
        snprintf(recorded.digest, sizeof(recorded.digest), "%s", profile->evidence_digest) >=
            (int)sizeof(recorded.digest))
        return false;
    return sy_project_prove(project, &recorded, ret_state, NULL) == SY_OK;
}

static sy_status gather(void *user, const sy_profile *profile, uint32_t layer, sy_error *err)
{
    cli_page_store *to = user;

    if (to->profiles.count == to->capacity) {
        const size_t capacity = to->capacity == 0 ? 64 : to->capacity * 2;
        sy_report_profile *list = reallocarray(to->list, capacity, sizeof(list[0]));

        if (list == NULL)
            return cli_fail(err, SY_NO_MEMORY, "no memory for %zu profiles", capacity);
        to->list = list;
        to->capacity = capacity;
    }
    to->list[to->profiles.count++] = (sy_report_profile){profile, layer};
    return SY_OK;
}

static sy_status note_layers(cli_page_store *to, sy_error *err)
{
    const size_t count = sy_store_layer_count(to->store);
    sy_status status = SY_OK;

    to->layers = calloc(count > 0 ? count : 1, sizeof(to->layers[0]));
    if (to->layers == NULL)
        return cli_fail(err, SY_NO_MEMORY, "no memory for the layers of the store");
    for (size_t i = 0; status == SY_OK && i < count; i++) {
        status = sy_store_layer(to->store, i, &to->layers[i], err);
        if (status == SY_OK && to->layers[i].status != SY_OK && to->layers[i].status != SY_NOT_FOUND)
            cli_remark(to->layers[i].message);
    }
    to->report.layers = to->layers;
    to->report.layer_count = count;
    return status;
}

sy_status cli_page_store_start(cli_page_store *to, const char *path, sy_project *project, sy_error *err)
{
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    sy_status status;

    *to = (cli_page_store){.report = {.now_utc_s = (int64_t)time(NULL)}};
    if (project != NULL) {
        to->report.prove = prove;
        to->report.user = project;
    }
    options.path = path;
    options.environment_layers = true;
    status = sy_store_open(&options, &to->store, err);
    if (status == SY_OK)
        status = note_layers(to, err);
    if (status == SY_OK)
        status = sy_store_iterate(to->store, gather, to, err);
    to->profiles.store = &to->report;
    to->profiles.list = to->list;
    return status;
}

void cli_page_store_finish(cli_page_store *store)
{
    sy_store_close(store->store);
    free(store->layers);
    free(store->list);
}
