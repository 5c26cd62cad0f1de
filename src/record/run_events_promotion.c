/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of what people and machines vouch for: sign-offs, promotions, the self-tests of gates. */
#include <inttypes.h>
#include <stddef.h>

#include "base/error.h"
#include "record/event_members.h"
#include "record/run_events.h"

#define AT(type, member) .offset = offsetof(type, member)
#define LIST_AT(type, member, count) .offset = offsetof(type, member), .count_offset = offsetof(type, count)
#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static const sy_member signoff_members[] = {
    {.name = "by", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_signoff, by)},
    {.name = "statement", .kind = SY_MEMBER_TEXT, .required = true, AT(sy_run_signoff, statement)},
    {.name = "verdict", .kind = SY_MEMBER_U64, AT(sy_run_signoff, verdict)},
};
const sy_member_table sy_run_signoff_table = {signoff_members, COUNT_OF(signoff_members), sizeof(sy_run_signoff)};

static const sy_member proof_members[] = {
    {.name = "name", .kind = SY_MEMBER_NAME, .required = true, AT(sy_promotion_proof, name)},
    {.name = "run", .kind = SY_MEMBER_RUN, AT(sy_promotion_proof, run)},
    {.name = "detail", .kind = SY_MEMBER_TEXT, AT(sy_promotion_proof, detail)},
};
static const sy_member_table proof_table = {proof_members, COUNT_OF(proof_members), sizeof(sy_promotion_proof)};

static const sy_member promotion_members[] = {
    {.name = "by", .kind = SY_MEMBER_NAME, .required = true, AT(sy_run_promotion, by)},
    {.name = "claim", .kind = SY_MEMBER_TEXT, AT(sy_run_promotion, claim)},
    {.name = "cell", .kind = SY_MEMBER_NAME, AT(sy_run_promotion, cell)},
    {.name = "gate", .kind = SY_MEMBER_NAME, AT(sy_run_promotion, gate)},
    {.name = "tier", .kind = SY_MEMBER_NAME, AT(sy_run_promotion, tier)},
    {.name = "key_digest", .kind = SY_MEMBER_DIGEST, AT(sy_run_promotion, key_digest)},
    {.name = "revision", .kind = SY_MEMBER_NAME, AT(sy_run_promotion, revision)},
    {.name = "host", .kind = SY_MEMBER_NAME, AT(sy_run_promotion, host)},
    {.name = "device", .kind = SY_MEMBER_NAME, AT(sy_run_promotion, device)},
    {.name = "word", .kind = SY_MEMBER_WORD, .words = &sy_judgement_words, AT(sy_run_promotion, word)},
    {.name = "verdict", .kind = SY_MEMBER_U64, AT(sy_run_promotion, verdict)},
    {.name = "signoff", .kind = SY_MEMBER_U64, AT(sy_run_promotion, signoff)},
    {.name = "proofs",
     .kind = SY_MEMBER_OBJECTS,
     .table = &proof_table,
     LIST_AT(sy_run_promotion, proofs, proof_count)},
    {.name = "figures", .kind = SY_MEMBER_NAMED_NUMBERS, LIST_AT(sy_run_promotion, figures, figure_count)},
    {.name = "synthetic", .kind = SY_MEMBER_TRUE, AT(sy_run_promotion, synthetic)},
};
const sy_member_table sy_run_promotion_table = {promotion_members, COUNT_OF(promotion_members),
                                                sizeof(sy_run_promotion)};

static const sy_member effect_members[] = {
    {.name = "ratio", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_selftest_effect, ratio)},
    {.name = "trial_count", .kind = SY_MEMBER_U64, AT(sy_selftest_effect, trial_count)},
    {.name = "alarm_count", .kind = SY_MEMBER_U64, AT(sy_selftest_effect, alarm_count)},
    {.name = "block_count", .kind = SY_MEMBER_U64, AT(sy_selftest_effect, block_count)},
};
static const sy_member_table effect_table = {effect_members, COUNT_OF(effect_members), sizeof(sy_selftest_effect)};

static const sy_member selftest_members[] = {
    {.name = "gate", .kind = SY_MEMBER_NAME, .required = true, AT(sy_gate_selftest, gate)},
    {.name = "key_digest", .kind = SY_MEMBER_DIGEST, AT(sy_gate_selftest, key_digest)},
    {.name = "metric",
     .kind = SY_MEMBER_OBJECT,
     .required = true,
     .table = &sy_judged_metric_table,
     AT(sy_gate_selftest, metric)},
    {.name = "session_count", .kind = SY_MEMBER_U64, AT(sy_gate_selftest, session_count)},
    {.name = "seed", .kind = SY_MEMBER_SEED, AT(sy_gate_selftest, seed)},
    {.name = "alpha", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_gate_selftest, alpha)},
    {.name = "delta", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_gate_selftest, delta)},
    {.name = "visible_effect", .kind = SY_MEMBER_KNOWN_DOUBLE, AT(sy_gate_selftest, visible_effect)},
    {.name = "effects",
     .kind = SY_MEMBER_OBJECTS,
     .table = &effect_table,
     LIST_AT(sy_gate_selftest, effects, effect_count)},
    {.name = "can_fail", .kind = SY_MEMBER_BOOL, AT(sy_gate_selftest, can_fail)},
    {.name = "reason", .kind = SY_MEMBER_TEXT, AT(sy_gate_selftest, reason)},
};
const sy_member_table sy_gate_selftest_table = {selftest_members, COUNT_OF(selftest_members), sizeof(sy_gate_selftest)};

#define EVENT_WRITE(function, type, name)                                 \
    sy_status function(const type *name, sy_text *body, sy_error *err)    \
    {                                                                     \
        return sy_members_write(&sy_run_##name##_table, name, body, err); \
    }
#define EVENT_READ(function, type, name)                                                                  \
    sy_status function(const sy_json *json, const sy_json_value *body, sy_arena *arena, type *ret_##name, \
                       sy_error *err)                                                                     \
    {                                                                                                     \
        return sy_members_read(&sy_run_##name##_table, json, body, arena, ret_##name, err);               \
    }

EVENT_WRITE(sy_run_signoff_write, sy_run_signoff, signoff)
EVENT_READ(sy_run_signoff_read, sy_run_signoff, signoff)
EVENT_WRITE(sy_run_promotion_write, sy_run_promotion, promotion)
EVENT_READ(sy_run_promotion_read, sy_run_promotion, promotion)

/* The first planted slowdown of which more was found than was tried; NULL = none. */
static const sy_selftest_effect *wrong_effect(const sy_gate_selftest *selftest)
{
    for (size_t i = 0; i < selftest->effect_count; i++) {
        const sy_selftest_effect *effect = &selftest->effects[i];
        if (effect->alarm_count > effect->trial_count || effect->block_count > effect->trial_count) {
            return effect;
        }
    }
    return NULL;
}

sy_status sy_gate_selftest_write(const sy_gate_selftest *selftest, sy_text *body, sy_error *err)
{
    const sy_selftest_effect *wrong = wrong_effect(selftest);
    if (wrong != NULL) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "effects: %zu: more was found than the %" PRIu64 " trials",
                       (size_t)(wrong - selftest->effects), wrong->trial_count);
    }
    return sy_members_write(&sy_gate_selftest_table, selftest, body, err);
}

sy_status sy_gate_selftest_read(const sy_json *json, const sy_json_value *body, sy_arena *arena,
                                sy_gate_selftest *ret_selftest, sy_error *err)
{
    sy_gate_selftest selftest;
    sy_status status = sy_members_read(&sy_gate_selftest_table, json, body, arena, &selftest, err);
    const sy_selftest_effect *wrong = status == SY_OK ? wrong_effect(&selftest) : NULL;
    if (wrong != NULL) {
        status = sy_json_fail(json, sy_json_member(body, "effects"), err,
                              "of effect %zu more was found than the %" PRIu64 " trials",
                              (size_t)(wrong - selftest.effects), wrong->trial_count);
    }
    if (status == SY_OK) {
        *ret_selftest = selftest;
    }
    return status;
}
