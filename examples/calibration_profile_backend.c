/* SPDX-License-Identifier: Apache-2.0 */
/* A backend that calibrates itself and opens no file: it serializes and validates its own policy, the store does the
 * rest. The first run measures; every later one looks up. Usage: calibration_profile_backend [STORE] */
#include <stdio.h>
#include <stdlib.h>
#include <steelyard/store.h>
#include <string.h>
#include <time.h>

enum { SIDE = 192 };

/* The backend's policy: how it cuts a matrix into tiles. Only the backend knows what the bytes mean. */
typedef struct tiling {
    unsigned int rows;
    unsigned int columns;
    char text[32];
} tiling;

static float from[SIDE * SIDE], to[SIDE * SIDE];

static void transpose(const tiling *t)
{
    for (unsigned int i = 0; i < SIDE; i += t->rows)
        for (unsigned int j = 0; j < SIDE; j += t->columns)
            for (unsigned int k = i; k < i + t->rows; k++)
                for (unsigned int l = j; l < j + t->columns; l++)
                    to[l * SIDE + k] = from[k * SIDE + l];
}

static sy_status serialize(void *user, const char **ret_policy, size_t *ret_size, sy_error *err)
{
    tiling *t = user;
    (void)err;
    *ret_size = (size_t)snprintf(t->text, sizeof(t->text), "tile %ux%u", t->rows, t->columns);
    *ret_policy = t->text;
    return SY_OK;
}

/* What is stored may be of another version, or typed by hand: it is used only if this backend can run it. */
static sy_status validate(void *user, const char *policy, size_t size, sy_error *err)
{
    tiling *t = user;
    char text[sizeof(t->text)];
    char *end = text;
    unsigned long rows = 0;
    unsigned long columns = 0;
    snprintf(text, sizeof(text), "%.*s", (int)size, policy);
    if (strncmp(text, "tile ", 5) == 0)
        rows = strtoul(text + 5, &end, 10);
    if (*end == 'x')
        columns = strtoul(end + 1, &end, 10);
    if (strlen(text) != size || *end != '\0' || rows == 0 || columns == 0 || SIDE % rows || SIDE % columns) {
        if (err != NULL)
            snprintf(err->what, sizeof(err->what), "'%s' is no tiling of %d x %d", text, SIDE, SIDE);
        return SY_POLICY_REJECTED;
    }
    t->rows = (unsigned int)rows; /* the text stays: it may be what is being stored */
    t->columns = (unsigned int)columns;
    return SY_OK;
}

static double seconds(const tiling *t)
{
    double best = 1e9;
    for (int run = 0; run < 20; run++) {
        struct timespec begin, end;
        timespec_get(&begin, TIME_UTC);
        transpose(t);
        timespec_get(&end, TIME_UTC);
        double took = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
        best = took < best ? took : best;
    }
    return best;
}

/* Measures each tiling and stores the fastest. A store that cannot write keeps it for this process: no reason to stop.
 */
static tiling calibrate(sy_store *store, const sy_profile_key *key)
{
    static const tiling candidates[] = {{192, 192, ""}, {64, 64, ""}, {16, 16, ""}, {8, 32, ""}};
    tiling best = candidates[0];
    sy_measurement measured = {"time", seconds(&best), "s"};
    sy_profile_draft draft = SY_PROFILE_DRAFT_INIT;
    sy_error err = SY_ERROR_INIT;
    for (size_t i = 1; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
        double time = seconds(&candidates[i]);
        if (time < measured.value) {
            measured.value = time;
            best = candidates[i];
        }
    }
    draft.key = *key;
    draft.measurements = &measured;
    draft.measurement_count = 1;
    if (sy_store_put(store, &draft, serialize, validate, &best, NULL, &err) != SY_OK)
        printf("not on disk: %s\n", err.what);
    return best;
}

int main(int argc, char **argv)
{
    static const sy_property structure[] = {{"dtype", "f32"}, {"side", "192"}};
    sy_store_options options = SY_STORE_OPTIONS_INIT;
    sy_lookup lookup = SY_LOOKUP_INIT;
    sy_store *store = NULL;
    sy_profile_view found;
    tiling t = {0};
    sy_error err = SY_ERROR_INIT;

    options.path = argc > 1 ? argv[1] : NULL; /* NULL: the user's own */
    if (sy_store_open(&options, &store, &err) != SY_OK) {
        printf("no store: %s\n", err.what);
        return 1;
    }
    lookup.key.backend = "example";
    lookup.key.operator_name = "transpose";
    lookup.key.implementation_version = "1";
    lookup.key.structure = structure;
    lookup.key.structure_count = 2;
    if (sy_store_lookup(store, &lookup, validate, &t, &found, &err) == SY_OK) {
        printf("found: tile %ux%u, %s, measured %g s\n", t.rows, t.columns, sy_profile_rank_word(found.rank),
               found.profile->measurement_count > 0 ? found.profile->measurements[0].value : 0);
    } else {
        printf("%s\n", err.what);
        t = calibrate(store, &lookup.key);
        printf("calibrated: tile %ux%u\n", t.rows, t.columns);
    }
    transpose(&t);
    sy_store_close(store);
    return 0;
}
