/* SPDX-License-Identifier: Apache-2.0 */
/* A run of which everything was said, for the tests of reports. */
#ifndef STEELYARD_REPORT_RUN_TEST_DATA_H
#define STEELYARD_REPORT_RUN_TEST_DATA_H

#include <math.h>
#include <steelyard/report.h>

#define DIGEST_1 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define DIGEST_2 "ef9b5994c92ca503b34823dcda006b63f4f79cac26a3cd8d6577c8c737348673"

static const sy_named_text whole_key[] = {{"cell_id", "matmul::cpu"}, {"device_id", "cpu"}};
static const sy_named_text torn_key[] = {
    {"cell_id", "matmul::cpu"}, {"mask_signature", NULL}, {"precision", "unknown"}};
static const sy_named_text inputs[] = {{"scan", DIGEST_1}, {"mask", NULL}};
static const sy_named_text parameters[] = {{"chunk", "12"}, {"mode", NULL}};
static const char *const planned[] = {"profile.json"};
static const char *const notes[] = {"seen on a quiet machine"};
static const char *const submodules[] = {"external/ggml"};
static const char *const argv_smoke[] = {"tool", "--smoke", "a b"};
static const char *const argv_measure[] = {"tool", "--token", "[secret]"};
static const sy_run_check checks[] = {
    {"exclusive-device", 1, true, "cpu is ours", ""},
    {"free-memory", 0, true, "3 GiB", "4 GiB or more"},
    {"governor", -1, false, "", "performance"},
};
static const sy_run_command commands[] = {
    {.phase = "smoke",
     .argv = argv_smoke,
     .argc = 3,
     .exit_code = 0,
     .wall_ns = 1500000,
     .fence = 7,
     .lease_held = true},
    {.phase = "measure",
     .argv = argv_measure,
     .argc = 3,
     .exit_code = -1,
     .signal = 9,
     .wall_ns = 2000000000,
     .peak_memory_bytes = 1572864,
     .fence = 8,
     .line_count = 12,
     .rejected_count = 2},
};
static const double wall_samples[] = {0.024, 0.002, 0.0021, 0.0022, 0.0019, 0.002, 0.0021, 0.002, NAN};
static const sy_named_number figures[] = {{"stddev", "s", 0.0001}};
static const sy_run_series series[] = {
    {.name = "load",
     .unit = "s",
     .role = SY_SERIES_WARM_UP,
     .case_name = "",
     .implementation = "",
     .count = 1,
     .digest = DIGEST_1,
     .usable_count = 1,
     .minimum = 1.5,
     .p50 = 1.5,
     .p95 = 1.5,
     .maximum = 1.5,
     .note = ""},
    {.name = "wall",
     .unit = "s",
     .case_name = "square",
     .implementation = "blis",
     .count = 9,
     .digest = DIGEST_2,
     .usable_count = 8,
     .minimum = 0.0019,
     .p50 = 0.002,
     .p95 = 0.024,
     .maximum = 0.024,
     .figures = figures,
     .figure_count = 1,
     .note = "nine rounds"},
    {.name = "rate",
     .unit = "1/s",
     .higher_is_better = true,
     .case_name = "",
     .implementation = "",
     .count = 1,
     .digest = DIGEST_1,
     .usable_count = 0,
     .minimum = NAN,
     .p50 = NAN,
     .p95 = NAN,
     .maximum = NAN,
     .note = ""},
};
static const double *const samples[] = {NULL, wall_samples, NULL};
static const sy_run_parity_event parities[] = {
    {SY_RUN_PARITY_PASSED, "square", "blis", "", 0.25},
    {SY_RUN_PARITY_INCOMPLETE, "", "", "no reference for tall", NAN},
};
static const sy_run_memory memories[] = {
    {"peak", 1048576, SY_MEMORY_CONSTRAINED, SY_MEMORY_PROCESS_TREE, "cgroup", 4096, 0.125, true},
    {"payload", 2048, SY_MEMORY_CALCULATED, SY_MEMORY_DEVICE_ALLOCATED, "", NAN, NAN, false},
};
static const sy_run_artifact artifacts[] = {{SY_ARTIFACT_DIFF, "source.diff", DIGEST_2, 2048}};
static const sy_run_digest digests[] = {{"output", DIGEST_1}};
static const sy_run_decision decision = {SY_DECISION_WIN, "",   "matmul", "naive", "blis", 0.051,
                                         0.032,           0.07, 40,       38,      0.05};
static const sy_run_profile profiles[] = {{"profiles", "exact matmul", "blis"}};
static const sy_run_end ends[] = {{SY_RUN_OK, "blis is faster", "", ""}};
static const sy_run_accept accepted = {"Ada", "quiet", false};
static const sy_run_lease leases[] = {{"cpu", 8, "scale", "b0-0t", 4711, 1764459000}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const sy_run whole_run = {
    .row = {.id = "20251102-053100-0a1b2c",
            .number = 12,
            .kind = SY_RUN_KIND_SESSION,
            .status = SY_RUN_OK,
            .reason = "",
            .question = "Is blis faster than naive?",
            .conclusion = "blis is faster",
            .gate = "matmul.cpu.square.session",
            .cell = "matmul::cpu",
            .tier = "release-signoff",
            .protocol = "steelyard-profile/v1",
            .revision = "0123456789ab",
            .host = "scale",
            .device = "cpu",
            .origin = "",
            .key_digest = DIGEST_2,
            .began_utc_s = 1762061460, /* 2025-11-02T05:31:00Z */
            .ended_utc_s = 1762061472,
            .parity = SY_RUN_PARITY_INCOMPLETE,
            .dirty = 1,
            .diff_is_kept = true,
            .hardware = 1,
            .accepted = true,
            .lease_whole = false,
            .fence = 8,
            .series_count = 3,
            .sample_count = 11},
    .begin =
        {.id = "20251102-053100-0a1b2c",
         .kind = SY_RUN_KIND_SESSION,
         .status = SY_RUN_PLANNED,
         .question = "Is blis faster than naive?",
         .gate = "matmul.cpu.square.session",
         .cell = "matmul::cpu",
         .tier = "release-signoff",
         .protocol = "steelyard-profile/v1",
         .cache_state = "hot",
         .timing_boundary = "one product",
         .key = {whole_key, COUNT(whole_key)},
         .source = {.control = "git",
                    .revision = "0123456789abcdef0123456789abcdef01234567",
                    .branch = "main",
                    .shallow = 0,
                    .dirty = 1,
                    .ordinal = 1234,
                    .untracked_count = 1,
                    .dirty_submodules = submodules,
                    .dirty_submodule_count = COUNT(submodules),
                    .diff_digest = DIGEST_2},
         .place = {.host = "scale", .backend = "cpu", .device = "cpu", .description = "Xeon, 2 cores", .hardware = 1},
         .inputs = inputs,
         .input_count = COUNT(inputs),
         .parameters = parameters,
         .parameter_count = COUNT(parameters),
         .planned_outputs = planned,
         .planned_output_count = COUNT(planned),
         .origin = "",
         .origin_digest = "",
         .origin_time = ""},
    .leases = leases,
    .lease_count = COUNT(leases),
    .checks = checks,
    .check_count = COUNT(checks),
    .commands = commands,
    .command_count = COUNT(commands),
    .series = series,
    .series_count = COUNT(series),
    .parities = parities,
    .parity_count = COUNT(parities),
    .memories = memories,
    .memory_count = COUNT(memories),
    .artifacts = artifacts,
    .artifact_count = COUNT(artifacts),
    .digests = digests,
    .digest_count = COUNT(digests),
    .decision = &decision,
    .profiles = profiles,
    .profile_count = COUNT(profiles),
    .notes = notes,
    .note_count = COUNT(notes),
    .ends = ends,
    .end_count = COUNT(ends),
    .accept = &accepted,
    .event_count = 18,
    .digest = DIGEST_1,
};

#endif
