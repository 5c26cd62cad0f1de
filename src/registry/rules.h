/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that the files of a registry are held against: one list a kind of file, each rule with the id that findings
 * carry and what it asks. docs/registry-rules.md is made from it. Ids never change their meaning. */
#ifndef STEELYARD_REGISTRY_RULES_H
#define STEELYARD_REGISTRY_RULES_H

/* Any file. */
#define SY_RULES_OF_FILES(X)                                                                            \
    X(FILE_MISSING, "file-missing", "a file that is named is there")                                    \
    X(FILE_UNREADABLE, "file-unreadable", "a file that is named is a regular file that can be read")    \
    X(FILE_OUTSIDE, "file-outside-root", "a path is relative and stays below the root, links included") \
    X(FILE_TOO_LARGE, "file-too-large", "a file has at most 256 MiB")                                   \
    X(JSON_SYNTAX, "json-syntax", "a JSON file is UTF-8 and follows RFC 8259")                          \
    X(JSON_DUPLICATE_KEY, "json-duplicate-key", "an object has each name once")                         \
    X(JSON_NON_FINITE, "json-non-finite", "a number is finite")                                         \
    X(JSON_UTF8, "json-utf8", "names and texts are UTF-8")                                              \
    X(TEXT_ENCODING, "text-encoding", "a text file is UTF-8 and holds no NUL character")                \
    X(FIELD_MISSING, "field-missing", "a field that must be there is there")                            \
    X(FIELD_TYPE, "field-type", "a field has the type that it must have: true is not 1, nor is 1.0")    \
    X(FIELD_BLANK, "field-blank", "a text that must say something does")

/* steelyard.json, profile matrix, parity matrix, protocol description. */
#define SY_RULES_OF_MATRIX(X)                                                                                        \
    X(SCHEMA_VERSION, "schema-version", "schema_version is the whole number 1")                                      \
    X(LIST_EMPTY, "list-empty", "a list that must name something is not empty")                                      \
    X(LIST_DOUBLED, "list-doubled", "a list names nothing twice")                                                    \
    X(SETTINGS_UNKNOWN, "settings-unknown-member", "note: steelyard.json has only members that mean something")      \
    X(PROTOCOL_UNKNOWN, "protocol-unknown",                                                                          \
      "protocol_version has a description: a shipped one or one of the project's")                                   \
    X(PROTOCOL_DOUBLED, "protocol-doubled", "a protocol_version has one description")                                \
    X(PARITY_PATH, "matrix-parity-path", "parity_matrix names the canonical parity matrix")                          \
    X(TIER_MISSING, "matrix-tier-missing", "every tier of the protocol is described")                                \
    X(TIER_UNKNOWN, "matrix-tier-unknown", "no tier is described that the protocol does not have")                   \
    X(PLATFORM_MISSING, "matrix-platform-missing", "every backend of the parity matrix has its platform")            \
    X(PLATFORM_UNKNOWN, "matrix-platform-unknown", "every platform is a backend of the parity matrix")               \
    X(CAPABILITY_MISSING, "matrix-capability-missing",                                                               \
      "every capability of the parity matrix has its required metrics")                                              \
    X(CAPABILITY_UNKNOWN, "matrix-capability-unknown", "every capability is one of the parity matrix")               \
    X(KEY_FIELD_MISSING, "matrix-key-field-missing", "the comparison key has every field that the protocol owes")    \
    X(KEY_FIELD_UNKNOWN, "matrix-key-field-unknown",                                                                 \
      "the comparison key has no field that the protocol does not know")                                             \
    X(KEY_FIELD_ADVISED, "matrix-key-field-advised",                                                                 \
      "note: the comparison key has the fields that the protocol advises")                                           \
    X(CONTRACT_VALUE, "matrix-contract-value",                                                                       \
      "the contract forbids comparisons across keys, blocks on parity, reports only")                                \
    X(MINIMUM_SESSIONS, "matrix-minimum-sessions",                                                                   \
      "no hard threshold before the protocol's number of accepted sessions")                                         \
    X(STATISTIC_MISSING, "matrix-statistic-missing", "every statistic of the protocol is required")                  \
    X(RUN_FIELD_MISSING, "matrix-run-field-missing", "every field that the protocol owes a run is required")         \
    X(CELL_ID, "matrix-cell-id", "a cell's id is capability::backend")                                               \
    X(CELL_DOUBLED, "matrix-cell-doubled", "no two cells are for one pair")                                          \
    X(CELL_MISSING, "matrix-cell-missing", "every pair of the parity matrix has its cell")                           \
    X(CELL_UNKNOWN, "matrix-cell-unknown", "every cell is for a pair of the parity matrix")                          \
    X(CELL_LEVEL, "matrix-cell-level", "a cell's support level is the parity matrix's")                              \
    X(CELL_STATE, "matrix-cell-state", "a cell's state is ready, evidence-gap or unsupported")                       \
    X(CELL_SCHEDULE, "matrix-cell-schedule", "a cell's schedule is one of the protocol's")                           \
    X(CELL_UNIMPLEMENTED, "matrix-cell-unimplemented",                                                               \
      "a pair that is not implemented is unsupported and promises nothing")                                          \
    X(CELL_IMPLEMENTED, "matrix-cell-implemented", "a pair that is implemented is not called unsupported")           \
    X(CELL_RUNNER, "matrix-cell-runner", "a cell's runner is its platform's")                                        \
    X(PARITY_BACKEND_MISSING, "parity-backend-missing", "every backend that capabilities cover is listed")           \
    X(PARITY_BACKEND_UNKNOWN, "parity-backend-unknown", "capabilities cover listed backends only, and each of them") \
    X(PARITY_COVERAGE_MISSING, "parity-coverage-missing", "every capability says what it owes each backend")         \
    X(PARITY_CAPABILITY_DOUBLED, "parity-capability-doubled", "no two capabilities have one id")                     \
    X(PARITY_CONTRACT, "parity-contract", "the contract of the parity matrix says what the protocol owes")           \
    X(PARITY_GATE_ABSENT, "parity-gate-absent",                                                                      \
      "note, if steelyard.json asks: files that are named as gates are there")                                       \
    X(PLATFORM_UNDECLARED, "platform-undeclared", "steelyard.json describes platforms of the matrix only")           \
    X(PLATFORM_DISAGREES, "platform-disagrees", "steelyard.json and the matrix say the same of a platform")          \
    X(RUNNER_NOT_READY, "runner-not-ready", "a runner with scheduled cells has all four fields of readiness")        \
    X(MEMORY_FIGURE, "memory-figure", "a memory figure has positive bytes, a known basis and a known scope")         \
    X(MEMORY_BASIS, "memory-basis", "a minimum-memory gate is physical or constrained")

/* Manifests and the index of runs. */
#define SY_RULES_OF_EXPERIMENTS(X)                                                                                     \
    X(PRIVATE_PATH, "private-path", "no value or key names a path in somebody's home")                                 \
    X(RUN_MANIFEST_MISSING, "run-manifest-missing", "note: a folder of experiments has its manifest.json")             \
    X(RUN_ID, "run-id", "a manifest's experiment_id is the name of its folder, its manifest_path its own")             \
    X(RUN_STATUS, "run-status",                                                                                        \
      "a run is planned, running, completed (in the index: ok), failed, refuted or superseded")                        \
    X(RUN_REVISION, "run-revision", "a revision is 40 lower-case hexadecimal digits")                                  \
    X(RUN_DIFF, "run-diff", "a dirty tree has the 64-digit digest of its diff, a clean one none")                      \
    X(RUN_INPUT_DIGEST, "run-input-digest", "each input has a digest of 64 lower-case hexadecimal digits")             \
    X(RUN_OUTPUT_DIGEST, "run-output-digest", "each output of a run that has ended has such a digest")                 \
    X(RUN_OUTPUT_MISSING, "run-output-missing", "a run that has ended has at least one output")                        \
    X(RUN_TIME, "run-time", "a time is ISO 8601 with an offset and exists; only a run that has ended has finished")    \
    X(RUN_TIME_MISSING, "run-time-missing", "a run has the times created, started and finished as far as it has come") \
    X(RUN_TIME_ORDER, "run-time-order", "created is not after started, nor started after finished")                    \
    X(RUN_INDEX_TABLE, "run-index-table", "the index has one whole table of the columns id to artifact")               \
    X(RUN_INDEX_CELLS, "run-index-cells", "a row of the index has as many cells as its header")                        \
    X(RUN_INDEX_LINK, "run-index-link", "a row that links to a manifest links to its own")                             \
    X(RUN_INDEX_TWICE, "run-index-twice", "a run has one row in the index")                                            \
    X(RUN_INDEX_NO_ROW, "run-index-no-row", "each manifest has its row in the index")                                  \
    X(RUN_INDEX_NO_MANIFEST, "run-index-no-manifest", "each row of the index has its manifest")                        \
    X(RUN_INDEX_STATUS, "run-index-status", "index and manifest say the same status")                                  \
    X(RUN_DATASET, "run-dataset", "note: one dataset has one digest in all manifests")                                 \
    X(RUN_ARTIFACT, "run-artifact", "note: a file of an output that is there has the digest that its manifest says")

/* The benchmark registry and what it imports. */
#define SY_RULES_OF_GATES(X)                                                                                           \
    X(GATE_PROTOCOL, "gate-protocol", "a description's member registry names fields, computers and columns that fit")  \
    X(GATE_ID_FORM, "gate-id-form", "a gate's id has no space around it and no control characters")                    \
    X(GATE_ID_UNIQUE, "gate-id-unique", "no two gates have one id")                                                    \
    X(STATE_UNKNOWN, "state-unknown",                                                                                  \
      "a state is measured, partial, pending, blocked, refuted, unsupported or superseded")                            \
    X(COMPUTER_UNKNOWN, "computer-unknown", "a computer is one of the protocol's, the registry's or the matrix's")     \
    X(DIMENSION, "dimension", "a dimension is a positive whole number or null")                                        \
    X(QUOTIENT, "dimension-quotient", "a dimension that follows from two others is their quotient, rounded down")      \
    X(GATE_CONFIGURATION, "gate-configuration-unknown", "a gate's configuration is one of the registry's")             \
    X(GATE_RUNBOOK, "gate-runbook-unknown", "a gate's runbook is one of the registry's")                               \
    X(GATE_PRIORITY, "gate-priority", "a priority is a whole number from 1 to 5")                                      \
    X(GATE_NEXT_STEP, "gate-next-step", "a gate that is open says its next step")                                      \
    X(GATE_EVIDENCE_MISSING, "gate-evidence-missing", "a gate that is measured names at least one measurement")        \
    X(GATE_EVIDENCE_UNKNOWN, "gate-evidence-unknown", "a measurement that a gate names is known")                      \
    X(GATE_EVIDENCE_STATE, "gate-evidence-state", "a gate that is measured rests on measured rows only")               \
    X(GATE_EVIDENCE_UNSUPPORTED, "gate-evidence-unsupported",                                                          \
      "a gate that is unsupported rests on no measurement and has no times")                                           \
    X(GATE_EVIDENCE_TWICE, "gate-evidence-twice", "note: a gate names each measurement once")                          \
    X(GATE_EVIDENCE_ELSEWHERE, "gate-evidence-elsewhere",                                                              \
      "note: a gate rests on measurements of its own computer and platform")                                           \
    X(GATE_REASON, "gate-reason", "a gate that is unsupported says its reason")                                        \
    X(GATE_METRIC, "gate-metric", "a primary metric is a text that says something")                                    \
    X(GATE_THRESHOLD, "gate-threshold", "delta is a number above 0, alpha one between 0 and 1")                        \
    X(RUNBOOK_COMMAND, "runbook-command", "a runbook's commands stay on one line")                                     \
    X(RUNBOOK_LIST, "runbook-list", "a runbook's lists hold texts that say something")                                 \
    X(RUNBOOK_CHECK, "runbook-check",                                                                                  \
      "a runbook's checks are known ones, each with what it needs, in a unit that it has")                             \
    X(RUNBOOK_TIER, "runbook-tier-unknown", "a runbook's tier is one that the protocol knows")                         \
    X(RUNBOOK_FIELD, "runbook-field-unfilled", "note: each field of a command has a value in some gate that uses it")  \
    X(MEASUREMENT_ID_UNIQUE, "measurement-id-unique", "no two measurements have one id, as gates name them")           \
    X(MEASUREMENT_INCOMPLETE, "measurement-incomplete",                                                                \
      "a measured row says when, where and on what it was measured, and how it compares")                              \
    X(MEASUREMENT_TIMES, "measurement-times", "p50 is not above p95, nor p95 above the largest")                       \
    X(MEASUREMENT_SAMPLES, "measurement-samples", "the number of samples is a positive whole number")                  \
    X(MEASUREMENT_FIGURE, "measurement-figure", "seconds and bytes are not below zero unless they are a difference")   \
    X(MEASUREMENT_PARITY, "measurement-parity", "the parity of a measured row did not fail and is complete")           \
    X(MEASUREMENT_DATE, "measurement-date", "a date is YYYY-MM-DD and exists")                                         \
    X(PARITY_UNKNOWN, "parity-unknown",                                                                                \
      "note: the parity of a measured row says passed, failed, incomplete or not performed")                           \
    X(PARITY_SHOWN, "parity-shown-otherwise", "note: the coverage document calls the parity of a measured row passed") \
    X(REVISION_FORM, "revision-form", "a revision is 40 lower-case hexadecimal digits")                                \
    X(DIGEST_FORM, "digest-form", "a digest is 64 lower-case hexadecimal digits")                                      \
    X(FIXTURE_DIGEST, "fixture-digest", "one fixture has one digest wherever it is named")                             \
    X(FIXTURE_ID, "fixture-id", "one digest has one fixture")                                                          \
    X(FIXTURE_UNDECLARED, "fixture-undeclared", "a fixture that an index's rows name is declared in it")               \
    X(FIXTURE_ALIAS, "fixture-alias", "note: an index declares one digest under one id")                               \
    X(EVIDENCE_TIMES, "evidence-times", "an imported measurement has all three times, or a single one")                \
    X(EVIDENCE_ARTIFACT, "evidence-artifact",                                                                          \
      "artifacts of an index have ids of their own, measurements name one of them")                                    \
    X(EVIDENCE_DISPOSITION, "evidence-disposition",                                                                    \
      "a disposition is accepted, refuted or pending; what is measured is accepted")                                   \
    X(EVIDENCE_UNVERIFIED, "evidence-unverified", "note: the evidence that a row names is here")                       \
    X(OVERRIDE_UNKNOWN, "override-unknown", "an override is for a measurement that the index holds")                   \
    X(COVERAGE_STALE, "coverage-stale", "the coverage document is what the registry renders to")

/* Notes of the join. */
#define SY_RULES_OF_JOIN(X)                                                                                           \
    X(READY_WITH_OPEN_GATES, "ready-with-open-gates", "note: a cell called ready has no open gate")                   \
    X(GATE_CANNOT_MEASURE, "gate-cannot-measure", "note: an open gate's runbook can measure it")                      \
    X(EVIDENCE_WITHOUT_CELL, "evidence-without-cell", "note: a measurement is named by a gate of some cell")          \
    X(SCHEDULE_WITHOUT_RUNNER, "schedule-without-runner", "note: a scheduled cell has a runner that is ready for it") \
    X(GATE_WITHOUT_CELL, "gate-without-cell", "note: a gate belongs to a cell of the matrix")                         \
    X(CELL_WITHOUT_GATE, "cell-without-gate", "note: a cell that is not unsupported has a gate")                      \
    X(RUN_WITHOUT_MEASUREMENT, "run-without-measurement", "note: a completed run is the evidence of a measurement")

#define SY_RULE_LIST(X)        \
    SY_RULES_OF_FILES(X)       \
    SY_RULES_OF_MATRIX(X)      \
    SY_RULES_OF_EXPERIMENTS(X) \
    SY_RULES_OF_GATES(X)       \
    SY_RULES_OF_JOIN(X)

typedef enum sy_rule_id {
#define SY_RULE_ENUM(name, id, summary) SY_RULE_##name,
    SY_RULE_LIST(SY_RULE_ENUM)
#undef SY_RULE_ENUM
} sy_rule_id;

const char *sy_rule_word(sy_rule_id rule); /* "file-missing" */

#endif
