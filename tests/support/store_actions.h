/* SPDX-License-Identifier: Apache-2.0 */
/* Every way of changing a store's file, for the tests that let each of them fail or die on the way. Needs cmocka. */
#ifndef STEELYARD_TESTS_STORE_ACTIONS_H
#define STEELYARD_TESTS_STORE_ACTIONS_H

#include "store_files.h"

/* What is done to a store that holds three profiles of format 2. */
typedef struct action {
    const char *name;
    /* path: of the file, for what works on it without an open store. */
    sy_status (*act)(sy_store *store, const char *path, sy_error *err);
    bool damaged_before; /* the file is damaged, and the action repairs it */
} action;

static inline sy_profile profile_from_elsewhere(const char *processor, uint32_t threads)
{
    return (sy_profile){
        .kind = SY_PROFILE_CALIBRATED,
        .key = exact_key(processor, threads),
        .policy = "theirs",
        .policy_size = 6,
        .evidence_run = "",
        .evidence_digest = "",
        .trial = {.rule = ""},
        .reason = "",
        .tool = "another tool",
        .created_utc_s = test_now + 1,
    };
}

static sy_status act_put(sy_store *store, const char *path, sy_error *err)
{
    (void)path;
    return try_put(store, exact_key("new", 1), "new", test_now + 1000000, err);
}

static sy_status act_put_many(sy_store *store, const char *path, sy_error *err)
{
    policy_text policy = {"many", 4, 0};
    sy_profile_put puts[3];
    (void)path;
    for (uint32_t i = 0; i < 3; i++) {
        puts[i] = (sy_profile_put){SY_PROFILE_DRAFT_INIT, serialize_text, NULL, &policy};
        puts[i].draft.key = exact_key(i == 0 ? "p" : "new", i + 1);
    }
    return sy_store_put_many(store, puts, 3, NULL, err);
}

static sy_status act_override(sy_store *store, const char *path, sy_error *err)
{
    policy_text policy = {"mine", 4, 0};
    sy_override_draft draft = {exact_key("p", 1), "because", 0};
    (void)path;
    return sy_store_install_override(store, &draft, serialize_text, NULL, &policy, NULL, err);
}

static sy_status act_remove(sy_store *store, const char *path, sy_error *err)
{
    const sy_profile_key key = exact_key("p", 2);
    (void)path;
    return sy_store_remove(store, &key, SY_PROFILE_CALIBRATED, err);
}

static sy_status act_invalidate(sy_store *store, const char *path, sy_error *err)
{
    const sy_invalidation what = {"be", NULL, true};
    (void)path;
    return sy_store_invalidate(store, &what, NULL, err);
}

static sy_status act_convert(sy_store *store, const char *path, sy_error *err)
{
    (void)path;
    return sy_store_convert(store, 1, NULL, err);
}

static sy_status act_repair(sy_store *store, const char *path, sy_error *err)
{
    sy_repair_result result;
    sy_store_options options = memory_options();
    (void)store;
    return sy_store_repair(path, &options, &result, err);
}

/* Two finished profiles, one of them newer than what the store has. */
static sy_status act_merge(sy_store *store, const char *path, sy_error *err)
{
    static const sy_adoption newest_wins = {false, true};
    sy_profile from[2] = {profile_from_elsewhere("p", 2), profile_from_elsewhere("elsewhere", 1)};
    const sy_profile *const list[2] = {&from[0], &from[1]};
    (void)path;
    return sy_store_adopt(store, list, 2, &newest_wins, NULL, err);
}

static const action actions[] = {
    {"put", act_put, false},           {"put_many", act_put_many, false}, {"merge", act_merge, false},
    {"override", act_override, false}, {"remove", act_remove, false},     {"invalidate", act_invalidate, false},
    {"convert", act_convert, false},   {"repair", act_repair, true},
};
#define ACTION_COUNT (sizeof actions / sizeof actions[0])

#endif
