/* SPDX-License-Identifier: Apache-2.0 */
/* Results as text for people and as JSON for programs. */
#ifndef STEELYARD_REPORT_H
#define STEELYARD_REPORT_H

#include <steelyard/backend.h>
#include <steelyard/compare.h>
#include <steelyard/doctor.h>
#include <steelyard/evidence.h>
#include <steelyard/finding.h>
#include <steelyard/html.h>
#include <steelyard/judge.h>
#include <steelyard/ledger.h>
#include <steelyard/measure.h>
#include <steelyard/promotion.h>
#include <steelyard/record.h>
#include <steelyard/registry.h>
#include <steelyard/replay.h>
#include <steelyard/select.h>
#include <steelyard/store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sy_report_style {
    uint32_t columns; /* width to fit, >= 40 */
    bool color;       /* ANSI colours; meaning never rests on colour alone */
    bool utf8;        /* else plain ASCII */
    bool all;         /* also every case of every candidate */
} sy_report_style;

#define SY_REPORT_STYLE_INIT    \
    {                           \
        80, false, false, false \
    }

/* A probe's answer. The caller frees *ret_text with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_report_probe(const sy_probe_result *result, const sy_report_style *style, char **ret_text,
                                 sy_error *err) SY_NODISCARD;

/* Several probes, which differ by their first case: a row each, with decision, gain and medians. results count 1 or
 * more. Freed as above. SY_NO_MEMORY. */
SY_API sy_status sy_report_probes(const sy_probe_result *const *results, size_t count, const sy_report_style *style,
                                  char **ret_text, sy_error *err) SY_NODISCARD;

/* A measurement: what each series says, how its runs lie, its quantiles. The caller frees *ret_text with sy_text_free.
 * SY_INVALID_ARGUMENT (columns below 40), SY_NO_MEMORY. */
SY_API sy_status sy_report_measure(const sy_measure_result *result, const sy_report_style *style, char **ret_text,
                                   sy_error *err) SY_NODISCARD;
/* The object of docs/formats.md "steelyard.measure/1", indented, with a newline at the end. The caller frees *ret_json
 * with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_report_measure_json(const sy_measure_result *result, char **ret_json, sy_error *err) SY_NODISCARD;
/* One line a run under a line of names: docs/formats.md, "runs as CSV". Freed as above. SY_NO_MEMORY. */
SY_API sy_status sy_report_measure_csv(const sy_measure_result *result, char **ret_csv, sy_error *err) SY_NODISCARD;
/* A table, one row a case, and the findings, for a comment or a README. Freed as above. SY_NO_MEMORY. */
SY_API sy_status sy_report_measure_markdown(const sy_measure_result *result, char **ret_markdown,
                                            sy_error *err) SY_NODISCARD;

/* What sy_backends_list gave: every backend with its devices and implementations; what cannot run has its reason. The
 * caller frees *ret_text with sy_text_free. SY_INVALID_ARGUMENT (columns below 40), SY_NO_MEMORY. */
SY_API sy_status sy_report_backends(const sy_backend_info *list, size_t count, const sy_report_style *style,
                                    char **ret_text, sy_error *err) SY_NODISCARD;

/* The object of docs/formats.md "steelyard.backends/1", indented, with a newline at the end. The caller frees *ret_json
 * with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_report_backends_json(const sy_backend_info *list, size_t count, char **ret_json,
                                         sy_error *err) SY_NODISCARD;

/* An answer of sy_select; one without an implementation says why there is none. The caller frees *ret_text with
 * sy_text_free. SY_INVALID_ARGUMENT (columns below 40), SY_NO_MEMORY. */
SY_API sy_status sy_report_selection(const sy_selection *selection, const sy_report_style *style, char **ret_text,
                                     sy_error *err) SY_NODISCARD;
/* The object of docs/formats.md "steelyard.selection/1", indented, with a newline at the end. The caller frees
 * *ret_json with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_report_selection_json(const sy_selection *selection, char **ret_json, sy_error *err) SY_NODISCARD;

/* What sy_doctor found: one row a check, what it is fit for, and what to mend first. The caller frees *ret_text with
 * sy_text_free. SY_INVALID_ARGUMENT (columns below 40), SY_NO_MEMORY. */
SY_API sy_status sy_report_doctor(const sy_doctor_result *result, const sy_report_style *style, char **ret_text,
                                  sy_error *err) SY_NODISCARD;
/* The object of docs/formats.md "steelyard.doctor/1", indented, with a newline at the end. The caller frees *ret_json
 * with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_report_doctor_json(const sy_doctor_result *result, char **ret_json, sy_error *err) SY_NODISCARD;

/* ---- replays ---- */

/* One file that was replayed; all is borrowed. */
typedef struct sy_report_replayed {
    const char *path;
    const sy_timings *timings;
    const sy_replay_result *result; /* of all files with the same options and seed */
    const sy_recording_traits *traits;
    const sy_replay_judgement *judgement; /* of the recorded final; NULL where there is none */
} sy_report_replayed;

/* What each file is, then how often each rule is right, over all files. The caller frees *ret_text with sy_text_free.
 * SY_INVALID_ARGUMENT (columns below 40), SY_NO_MEMORY. */
SY_API sy_status sy_report_replay(const sy_report_replayed *files, size_t count, const sy_report_style *style,
                                  char **ret_text, sy_error *err) SY_NODISCARD;
/* The object of docs/formats.md "steelyard.replay/1", indented, with a newline at the end. The caller frees *ret_json
 * with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_report_replay_json(const sy_report_replayed *files, size_t count, char **ret_json,
                                       sy_error *err) SY_NODISCARD;

/* ---- stored profiles ---- */

/* The store that a report speaks of; all is borrowed. */
typedef struct sy_report_store {
    const sy_layer_info *layers; /* in their order, 0 = the writable one */
    size_t layer_count;
    int64_t now_utc_s; /* what has expired by then is marked */
    /* NULL, or says whether the run that a profile names as its evidence is in a ledger; false: there is none to look
     * into. */
    bool (*prove)(void *user, const sy_profile *profile, sy_proof_state *ret_state);
    void *user;
    sy_store *store; /* NULL, or where measurements are looked up that contradict an override */
} sy_report_store;

typedef struct sy_report_profile {
    const sy_profile *profile;
    uint32_t layer;
} sy_report_profile;

/* The functions below return a text that ends with a newline, which the caller frees with sy_text_free. Texts for
 * people keep to the width of the style (NULL = SY_REPORT_STYLE_INIT). Each can fail with SY_NO_MEMORY, those with a
 * style with SY_INVALID_ARGUMENT (columns below 40) too. */

/* One line a profile, numbered from 1. */
SY_API sy_status sy_report_profile_list(const sy_report_store *store, const sy_report_profile *list, size_t count,
                                        const sy_report_style *style, char **ret_text, sy_error *err) SY_NODISCARD;
/* Each profile with all that is stored of it. */
SY_API sy_status sy_report_profile_details(const sy_report_store *store, const sy_report_profile *list, size_t count,
                                           const sy_report_style *style, char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.profile-list/1": all that is stored of each. */
SY_API sy_status sy_report_profile_list_json(const sy_report_store *store, const sy_report_profile *list, size_t count,
                                             char **ret_json, sy_error *err) SY_NODISCARD;

/* A question to a store and all that it answered, from one picture of it; all is borrowed. */
typedef struct sy_report_enquiry {
    sy_report_store store;
    const sy_lookup *lookup;
    const sy_verdict_list *verdicts; /* of sy_store_others */
    sy_status status;                /* SY_OK, SY_NOT_FOUND, or why a layer could not be asked */
} sy_report_enquiry;

/* The answer alone: the policy in the first line, then where it comes from. */
SY_API sy_status sy_report_profile_answer(const sy_report_enquiry *enquiry, const sy_report_style *style,
                                          char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.profile-lookup/1". */
SY_API sy_status sy_report_profile_answer_json(const sy_report_enquiry *enquiry, char **ret_json,
                                               sy_error *err) SY_NODISCARD;
/* Why that is the answer: the walk through the ranks, a verdict for each profile, the nearest miss. */
SY_API sy_status sy_report_profile_explanation(const sy_report_enquiry *enquiry, const sy_report_style *style,
                                               char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.profile-explanation/1": the members of a lookup, walk and nearest miss. */
SY_API sy_status sy_report_profile_explanation_json(const sy_report_enquiry *enquiry, char **ret_json,
                                                    sy_error *err) SY_NODISCARD;

/* Two profiles of one key and kind with different policies, when files are merged. */
typedef struct sy_report_conflict {
    const sy_profile *kept;
    const sy_profile *dropped;
    const char *kept_from; /* file */
    const char *dropped_from;
    const char *why; /* "newer", "has evidence" */
} sy_report_conflict;

/* What a command changed; all is borrowed. */
typedef struct sy_report_change {
    const char *action; /* "put", "override", "clear-override", "remove", "convert", "merge" */
    const char *path;   /* of the file */
    size_t added;       /* profiles of a key and kind that was not there */
    size_t replaced;
    size_t unchanged;
    size_t removed;
    size_t converted;
    uint32_t format;      /* of the file, 0 = unknown */
    const char *not_kept; /* what its format cannot hold: "evidence, reason"; "" = nothing */
    const sy_report_conflict *conflicts;
    size_t conflict_count;
    bool refused; /* nothing was changed, because of the conflicts */
} sy_report_change;

SY_API sy_status sy_report_profile_change(const sy_report_change *change, const sy_report_style *style, char **ret_text,
                                          sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.profile-change/1". */
SY_API sy_status sy_report_profile_change_json(const sy_report_change *change, char **ret_json,
                                               sy_error *err) SY_NODISCARD;

/* What sy_store_check_file found. path: of the file. */
SY_API sy_status sy_report_profile_check(const char *path, const sy_store_report *report, const sy_report_style *style,
                                         char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.profile-check/1". */
SY_API sy_status sy_report_profile_check_json(const char *path, const sy_store_report *report, char **ret_json,
                                              sy_error *err) SY_NODISCARD;
/* What sy_store_repair did. */
SY_API sy_status sy_report_profile_repair(const char *path, const sy_repair_result *result,
                                          const sy_report_style *style, char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.profile-repair/1". */
SY_API sy_status sy_report_profile_repair_json(const char *path, const sy_repair_result *result, char **ret_json,
                                               sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.profile-digest/1". lookup: NULL when it is of the whole store. */
SY_API sy_status sy_report_profile_digest_json(const sy_report_store *store, const sy_lookup *lookup,
                                               const uint8_t digest[32], char **ret_json, sy_error *err) SY_NODISCARD;

/* ---- registries: texts as those of profiles ---- */

/* What a validation found, a line each, as compilers write them: "FILE:LINE:COLUMN: RULE: MESSAGE (found ..., expected
 * ...)", 0:0 where the file as a whole is meant; then the notes; then how many of each. Lines are never broken. */
SY_API sy_status sy_report_findings(const sy_finding_list *list, const sy_report_style *style, char **ret_text,
                                    sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.findings/1". root: the project's folder. */
SY_API sy_status sy_report_findings_json(const sy_finding_list *list, const char *root, char **ret_json,
                                         sy_error *err) SY_NODISCARD;

/* What of a matrix is shown; all is borrowed. */
typedef struct sy_report_matrix_view {
    const sy_matrix *matrix;
    const sy_registry_coverage *coverage; /* NULL: nothing was joined */
    const char *capability;               /* NULL = all; else the whole name, letters of either case */
    const char *backend;                  /* likewise */
} sy_report_matrix_view;

/* Capabilities against backends, a sign a cell: measured, partly measured, gap, unsupported, and how many of its gates
 * are open; a legend; below it why each cell is no more than that. SY_NOT_FOUND: no capability or backend of that name,
 * the hint has a near one. */
SY_API sy_status sy_report_matrix(const sy_report_matrix_view *view, const sy_report_style *style, char **ret_text,
                                  sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.matrix/1". Errors as above. */
SY_API sy_status sy_report_matrix_json(const sy_report_matrix_view *view, char **ret_json, sy_error *err) SY_NODISCARD;

/* Gates as a table that fits the width, in the order given. total: how many there are with those left out. */
SY_API sy_status sy_report_gates(const sy_gate_row *rows, size_t count, size_t total, const sy_report_style *style,
                                 char **ret_text, sy_error *err) SY_NODISCARD;
/* One line a gate, for programs: id, label, platform, computer and runbook between tabs, as the published tool has
 * them. Tabs and line ends inside of a field become spaces. */
SY_API sy_status sy_report_gates_tsv(const sy_gate_row *rows, size_t count, char **ret_text,
                                     sy_error *err) SY_NODISCARD;
/* Lines of a text that came out of files, made fit for a terminal: control characters as \x1b, what the style's
 * characters cannot show as \u25d0. Lines are not broken. */
SY_API sy_status sy_report_lines(const char *text, const sy_report_style *style, char **ret_text,
                                 sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.gates/1". */
SY_API sy_status sy_report_gates_json(const sy_gate_row *rows, size_t count, size_t total, char **ret_json,
                                      sy_error *err) SY_NODISCARD;

/* ---- the life of a run ---- */

/* What a start has found, each as text and as JSON: docs/formats.md "steelyard.run-started/1" and so on. */
SY_API sy_status sy_report_run_started(const sy_run_started *started, const sy_report_style *style, char **ret_text,
                                       sy_error *err) SY_NODISCARD;
SY_API sy_status sy_report_run_started_json(const sy_run_started *started, char **ret_json, sy_error *err) SY_NODISCARD;
SY_API sy_status sy_report_run_finished(const sy_run_finished *finished, const sy_report_style *style, char **ret_text,
                                        sy_error *err) SY_NODISCARD;
SY_API sy_status sy_report_run_finished_json(const sy_run_finished *finished, char **ret_json,
                                             sy_error *err) SY_NODISCARD;
SY_API sy_status sy_report_run_acceptance(const sy_run_acceptance *acceptance, const sy_report_style *style,
                                          char **ret_text, sy_error *err) SY_NODISCARD;
SY_API sy_status sy_report_run_acceptance_json(const sy_run_acceptance *acceptance, char **ret_json,
                                               sy_error *err) SY_NODISCARD;
/* dry_run: nothing was closed. */
SY_API sy_status sy_report_sweep(const sy_sweep *sweep, bool dry_run, const sy_report_style *style, char **ret_text,
                                 sy_error *err) SY_NODISCARD;
SY_API sy_status sy_report_sweep_json(const sy_sweep *sweep, bool dry_run, char **ret_json, sy_error *err) SY_NODISCARD;
SY_API sy_status sy_report_attached(const char *run, const sy_run_artifact *artifact, const sy_report_style *style,
                                    char **ret_text, sy_error *err) SY_NODISCARD;
SY_API sy_status sy_report_attached_json(const char *run, const sy_run_artifact *artifact, char **ret_json,
                                         sy_error *err) SY_NODISCARD;

/* Who vouches for a run, or why nobody can. */
SY_API sy_status sy_report_signed_off(const sy_signed_off *signed_off, const sy_report_style *style, char **ret_text,
                                      sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.run-signoff/1". */
SY_API sy_status sy_report_signed_off_json(const sy_signed_off *signed_off, char **ret_json,
                                           sy_error *err) SY_NODISCARD;
/* All that a promotion owes, what pays it, and what to run for the rest. dry_run: nothing was to be written. */
SY_API sy_status sy_report_promoted(const sy_promoted *promoted, bool dry_run, const sy_report_style *style,
                                    char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.run-promotion/1". */
SY_API sy_status sy_report_promoted_json(const sy_promoted *promoted, bool dry_run, char **ret_json,
                                         sy_error *err) SY_NODISCARD;

/* ---- the ledger as a whole: texts as those of profiles ---- */

/* What sy_ledger_verify found; anchors: the file that it was held against, NULL = none. */
SY_API sy_status sy_report_ledger_verdict(const sy_ledger_verdict *verdict, const char *anchors,
                                          const sy_report_style *style, char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.ledger-verdict/1". */
SY_API sy_status sy_report_ledger_verdict_json(const sy_ledger_verdict *verdict, const char *anchors, char **ret_json,
                                               sy_error *err) SY_NODISCARD;
/* The head that sy_ledger_anchor wrote to the file at path. */
SY_API sy_status sy_report_ledger_anchor(const sy_ledger_head *head, const char *path, const sy_report_style *style,
                                         char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.ledger-anchor/1". */
SY_API sy_status sy_report_ledger_anchor_json(const sy_ledger_head *head, const char *path, char **ret_json,
                                              sy_error *err) SY_NODISCARD;
/* What sy_ledger_export_file wrote; docs/formats.md "steelyard.ledger-export/1". */
SY_API sy_status sy_report_ledger_export_json(const sy_ledger_exported *exported, const char *path, char **ret_json,
                                              sy_error *err) SY_NODISCARD;
/* The head after sy_ledger_import, which added so many events. */
SY_API sy_status sy_report_ledger_import(const sy_ledger_head *head, uint64_t added, const sy_report_style *style,
                                         char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.ledger-import/1". */
SY_API sy_status sy_report_ledger_import_json(const sy_ledger_head *head, uint64_t added, char **ret_json,
                                              sy_error *err) SY_NODISCARD;

/* ---- comparison keys ---- */

/* The key of a run, field by field; what is unknown is marked, and then the key has no digest. */
SY_API sy_status sy_report_key(const sy_run *run, const sy_report_style *style, char **ret_text,
                               sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.key/1". */
SY_API sy_status sy_report_key_json(const sy_run *run, char **ret_json, sy_error *err) SY_NODISCARD;
/* What differs between two. list: of sy_comparison_key_diff. */
SY_API sy_status sy_report_key_difference(const sy_run *a, const sy_run *b, const sy_key_difference_list *list,
                                          const sy_report_style *style, char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.key-difference/1". */
SY_API sy_status sy_report_key_difference_json(const sy_run *a, const sy_run *b, const sy_key_difference_list *list,
                                               char **ret_json, sy_error *err) SY_NODISCARD;
/* Keys of a ledger with their sessions, and how many of those are missing to a baseline. */
SY_API sy_status sy_report_keys(const sy_key_list *list, const sy_report_style *style, char **ret_text,
                                sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.keys/1". */
SY_API sy_status sy_report_keys_json(const sy_key_list *list, char **ret_json, sy_error *err) SY_NODISCARD;

/* ---- runs: texts as those of profiles ---- */

/* A run of a list; all is borrowed. */
typedef struct sy_report_run_line {
    const sy_run_row *row;
    const sy_run *run; /* NULL: what its series or its decision say is left out */
} sy_report_run_line;

/* One line a run, in the order given, which is that of the ledger: times are those of the process's zone, with their
 * offset, and order nothing. total: how many there are with those left out. */
SY_API sy_status sy_report_runs(const sy_report_run_line *lines, size_t count, uint64_t total,
                                const sy_report_style *style, char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.runs/1". */
SY_API sy_status sy_report_runs_json(const sy_report_run_line *lines, size_t count, uint64_t total, char **ret_json,
                                     sy_error *err) SY_NODISCARD;

/* One run; all is borrowed. */
typedef struct sy_report_run_view {
    const sy_run *run;
    const double *const *samples; /* of each series, in its order; NULL, or NULL for one = they were not read */
    const sy_promotion_standing *standing; /* of a promoted run; NULL = it was not asked */
} sy_report_run_view;

/* All that is known of it: question, setup, key with what is unknown, checks, commands, series with n, p50, p95 and max
 * beside each other, memory, parity, files, how it ended. */
SY_API sy_status sy_report_run(const sy_report_run_view *view, const sy_report_style *style, char **ret_text,
                               sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.run/1". */
SY_API sy_status sy_report_run_json(const sy_report_run_view *view, char **ret_json, sy_error *err) SY_NODISCARD;
/* Its dated summary as Markdown: question, setup, numbers, conclusion. */
SY_API sy_status sy_report_run_markdown(const sy_report_run_view *view, char **ret_markdown,
                                        sy_error *err) SY_NODISCARD;

/* ---- files of other tools ---- */

/* One file and what became of it; all is borrowed. */
typedef struct sy_report_import {
    const char *path;                 /* as it was given */
    const sy_imported *imported;      /* NULL = it could not be read: error says why */
    const sy_import_account *account; /* NULL = nothing of it was recorded: likewise */
    const sy_error *error;            /* NULL = none */
} sy_report_import;

/* What was recorded of each file, what failed in it, the first 20 things that were not understood with their places,
 * notes. A file with an error is left out: that is no result. */
SY_API sy_status sy_report_imports(const sy_report_import *files, size_t count, bool dry_run,
                                   const sy_report_style *style, char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.import/1": all of it. */
SY_API sy_status sy_report_imports_json(const sy_report_import *files, size_t count, bool dry_run, char **ret_json,
                                        sy_error *err) SY_NODISCARD;

/* ---- commands of runs, leases of devices: texts as those of profiles ---- */

/* What became of a run's commands; all is borrowed. */
typedef struct sy_report_executed_view {
    const sy_run_executed *executed;
    const sy_run *run;            /* as the ledger has it now; for Markdown alone */
    const char *finished;         /* the status that it was given at once; "" = it is to be finished */
    const char *judgement;        /* "no-baseline"; "" = it was not asked */
    const char *judgement_reason; /* the first one; "" */
    const sy_compared *compared;  /* NULL = it was not judged */
} sy_report_executed_view;

SY_API sy_status sy_report_executed(const sy_report_executed_view *view, const sy_report_style *style, char **ret_text,
                                    sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.run-executed/1". */
SY_API sy_status sy_report_executed_json(const sy_report_executed_view *view, char **ret_json,
                                         sy_error *err) SY_NODISCARD;
/* For a comment or a page of a CI service: how it ended, its series with n, p50, p95 and max, parity, memory. */
SY_API sy_status sy_report_executed_markdown(const sy_report_executed_view *view, char **ret_markdown,
                                             sy_error *err) SY_NODISCARD;
SY_API sy_status sy_report_device_leases(const sy_device_lease_list *list, const sy_report_style *style,
                                         char **ret_text, sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.device-leases/1". */
SY_API sy_status sy_report_device_leases_json(const sy_device_lease_list *list, char **ret_json,
                                              sy_error *err) SY_NODISCARD;
/* ---- the dashboard: texts as those of profiles ---- */

/* First whether anything is wrong and what to run next; then promoted rows, what stands open, the matrix, gates, keys
 * without a baseline, alarm rates, changes, self-tests, findings: the first ones of each and how many more there are,
 * unless style->all. Times are UTC. */
SY_API sy_status sy_report_dashboard(const sy_dashboard *dashboard, const sy_report_style *style, char **ret_text,
                                     sy_error *err) SY_NODISCARD;
/* docs/formats.md "steelyard.dashboard/1": all of it. */
SY_API sy_status sy_report_dashboard_json(const sy_dashboard *dashboard, char **ret_json, sy_error *err) SY_NODISCARD;
/* For a comment on a change: the verdict of dashboard->judged first, at most 30 lines. */
SY_API sy_status sy_report_dashboard_markdown(const sy_dashboard *dashboard, char **ret_markdown,
                                              sy_error *err) SY_NODISCARD;

/* ---- the page for browsers ---- */

/* The stored profiles of a page; all is borrowed. */
typedef struct sy_report_profiles {
    const sy_report_store *store;
    const sy_report_profile *list;
    size_t count;
} sy_report_profiles;

/* One self-contained page: no network, a strict Content-Security-Policy, every text of content data and never markup.
 * Its first screen says whether anything is wrong and what to run next, without a script, too. profiles: NULL = no
 * store was looked into. The caller frees *ret_html with sy_text_free; *ret_size: its bytes. SY_LIMIT_EXCEEDED: it
 * would have 256 MiB or more; nothing is left out to make it fit. SY_NO_MEMORY. */
SY_API sy_status sy_report_html(const sy_html_content *content, const sy_report_profiles *profiles, char **ret_html,
                                size_t *ret_size, sy_error *err) SY_NODISCARD;

/* Writes a report to a file in place of what was there. SY_IO, SY_NO_MEMORY. */
SY_API sy_status sy_report_save(const char *text, const char *path, sy_error *err) SY_NODISCARD;

/* The changes of a history with a picture of its course; values: those that it was made of. Freed by sy_text_free.
 * SY_INVALID_ARGUMENT (columns below 40), SY_NO_MEMORY. */
SY_API sy_status sy_report_history(const sy_history *history, const double *values, const sy_report_style *style,
                                   char **ret_text, sy_error *err) SY_NODISCARD;
/* The object of docs/formats.md "steelyard.history/1". Freed as above. SY_NO_MEMORY. */
SY_API sy_status sy_report_history_json(const sy_history *history, char **ret_json, sy_error *err) SY_NODISCARD;

/* A verdict: its word first, each metric with its figures, the reasons, what must run next as commands to be copied,
 * and how often the key has alarmed beside what is promised. Freed by sy_text_free. SY_INVALID_ARGUMENT (columns below
 * 40), SY_NO_MEMORY. */
SY_API sy_status sy_report_compared(const sy_compared *compared, const sy_report_style *style, char **ret_text,
                                    sy_error *err) SY_NODISCARD;
/* The object of docs/formats.md "steelyard.compared/1". Freed as above. SY_NO_MEMORY. */
SY_API sy_status sy_report_compared_json(const sy_compared *compared, char **ret_json, sy_error *err) SY_NODISCARD;
/* For a comment or a page of a CI service: the verdict first. Freed as above. SY_NO_MEMORY. */
SY_API sy_status sy_report_compared_markdown(const sy_compared *compared, char **ret_markdown,
                                             sy_error *err) SY_NODISCARD;

/* The self-test of a gate: of each metric how often planted slowdowns raise an alarm and make it fail, beside what is
 * promised of none. Freed by sy_text_free. SY_INVALID_ARGUMENT (columns below 40), SY_NO_MEMORY. */
SY_API sy_status sy_report_selftest(const sy_selftested *tested, const sy_report_style *style, char **ret_text,
                                    sy_error *err) SY_NODISCARD;
/* The object of docs/formats.md "steelyard.gate-selftest/1". Freed as above. SY_NO_MEMORY. */
SY_API sy_status sy_report_selftest_json(const sy_selftested *tested, char **ret_json, sy_error *err) SY_NODISCARD;

/* The history of a key's sessions: its course, each change with what became of it and the command that finds its
 * commit, and what was reported earlier. Freed as above. SY_INVALID_ARGUMENT (columns below 40), SY_NO_MEMORY. */
SY_API sy_status sy_report_key_history(const sy_key_history *history, const sy_report_style *style, char **ret_text,
                                       sy_error *err) SY_NODISCARD;
/* The object of docs/formats.md "steelyard.history/1", with what is known of a key. Freed as above. SY_NO_MEMORY. */
SY_API sy_status sy_report_key_history_json(const sy_key_history *history, char **ret_json, sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
