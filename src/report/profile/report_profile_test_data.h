/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles, layers and verdicts made by hand, for the tests of the reports on them. */
#ifndef STEELYARD_REPORT_REPORT_PROFILE_TEST_DATA_H
#define STEELYARD_REPORT_REPORT_PROFILE_TEST_DATA_H

#include <math.h>
#include <steelyard/report.h>

#define HERE \
    "cpu.cache.l2=1 MiB x 2 (0, 1 apart);cpu.family=6;cpu.isa=avx2,avx512f,sse2;cpu.limit=4;env.OMP_NUM_THREADS=4"
#define THERE "cpu.cache.l2=2 MiB x 4 (0-1, 2 apart);cpu.family=6;cpu.isa=avx2,sse2;cpu.limit=2"
#define NOW INT64_C(1796045059)

static const sy_property asked_structure[] = {{"dtype", "f32"}, {"head_dim", "64"}};
static const sy_property other_structure[] = {{"causal", "yes"}, {"dtype", "f32"}};
static const sy_measurement measurements[] = {{"time", 1.8, "ms"}, {"speedup", 1.25, ""}};
static const sy_alternative alternatives[] = {{"plain", "slower", 1.31}, {"tiled", "parity", NAN}};

/* An exact one with all that can be stored. */
static const sy_profile exact_profile = {
    .kind = SY_PROFILE_CALIBRATED,
    .key = {"cpu", "attention", "3", "d1", THERE, 4, NULL, 0},
    .policy = "flash",
    .policy_size = 5,
    .measurements = measurements,
    .measurement_count = 2,
    .alternatives = alternatives,
    .alternative_count = 2,
    .has_trial = true,
    .trial = {SY_DECISION_WIN, "capped", 60, 24, 22, 41.5, 1},
    .has_gain = true,
    .gain = {.234, .201, .260, 24},
    .has_parity = true,
    .parity = {SY_PARITY_PASSED, .4},
    .evidence_run = "run-7",
    .evidence_digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    .reason = "",
    .tool = "steelyard 0.1.0",
    .created_utc_s = NOW - 86400,
    .expires_utc_s = 0,
};

/* Undecided, and it ended a second before NOW. */
static const sy_profile expired_profile = {
    .kind = SY_PROFILE_CALIBRATED,
    .portable = true,
    .key = {"cpu", "attention", "3", "", "", 0, asked_structure, 2},
    .policy = "plain",
    .policy_size = 5,
    .has_trial = true,
    .trial = {SY_DECISION_INCONCLUSIVE, "capped", 60, 60, 31, NAN, 2},
    .evidence_run = "",
    .evidence_digest = "",
    .reason = "",
    .tool = "steelyard 0.1.0",
    .expires_utc_s = NOW - 1,
};

/* A policy of bytes, an escape sequence and a 0 byte among them. */
static const sy_profile hostile_profile = {
    .kind = SY_PROFILE_OVERRIDE,
    .portable = true,
    .key = {"cpu", "attention", "3", "", "", 0, other_structure, 2},
    .policy = "a\033[2J\0\xff",
    .policy_size = 7,
    .evidence_run = "",
    .evidence_digest = "",
    .reason = "flash is wrong on odd lengths",
    .tool = "",
    .expires_utc_s = NOW + 86400,
};

static const sy_profile imported_profile = {
    .kind = SY_PROFILE_IMPORTED,
    .portable = true,
    .key = {"cpu", "attention", "3", "", "", 0, asked_structure, 2},
    .policy = "tuned",
    .policy_size = 5,
    .evidence_run = "",
    .evidence_digest = "",
    .reason = "",
    .tool = "",
};

static const sy_report_profile listed[] = {
    {&exact_profile, 0}, {&expired_profile, 0}, {&hostile_profile, 1}, {&imported_profile, 1}};

static const sy_layer_info layers[] = {
    {.path = "/var/cache/profiles", .writable = true, .status = SY_OK, .format = 2, .profile_count = 2},
    {.path = "/usr/share/steelyard/profiles", .status = SY_OK, .format = 2, .profile_count = 2}};

static const sy_report_store the_store = {.layers = layers, .layer_count = 2, .now_utc_s = NOW};

/* Asked with both keys; nothing fits. */
static const sy_lookup question = {{"cpu", "attention", "3", "d1", HERE, 4, asked_structure, 2}, false, false, false};

static const sy_verdict verdict_items[] = {
    {.profile = &exact_profile,
     .layer = 0,
     .rank = SY_PROFILE_RANK_CALIBRATED_EXACT,
     .verdict = SY_VERDICT_REJECTED,
     .reason = SY_REASON_DIFFERENT_PROCESSOR,
     .field = "processor",
     .wanted = HERE,
     .found = THERE,
     .detail = "",
     .matching_fields = 5},
    {.profile = &expired_profile,
     .layer = 0,
     .rank = SY_PROFILE_RANK_CALIBRATED_PORTABLE,
     .verdict = SY_VERDICT_REJECTED,
     .reason = SY_REASON_EXPIRED,
     .field = "",
     .wanted = "",
     .found = "",
     .detail = "2026-11-30T13:24:18Z",
     .evidence_missing = true,
     .matching_fields = 5},
    {.profile = &hostile_profile,
     .layer = 1,
     .rank = SY_PROFILE_RANK_OVERRIDE_PORTABLE,
     .verdict = SY_VERDICT_REJECTED,
     .reason = SY_REASON_DIFFERENT_STRUCTURE,
     .field = "structure.causal",
     .wanted = "",
     .found = "yes",
     .detail = "",
     .matching_fields = 4},
};

static const sy_verdict_list rejected_list = {verdict_items, 3, NULL};
static const sy_report_enquiry unanswered = {
    {.layers = layers, .layer_count = 2, .now_utc_s = NOW}, &question, &rejected_list, SY_NOT_FOUND};

#endif
