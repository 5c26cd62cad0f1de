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
    X(FIELD_MISSING, "field-missing", "a field that must be there is there")                            \
    X(FIELD_TYPE, "field-type", "a field has the type that it must have: true is not 1, nor is 1.0")    \
    X(FIELD_BLANK, "field-blank", "a text that must say something does")

/* steelyard.json, profile matrix, parity matrix, protocol description. */
#define SY_RULES_OF_MATRIX(X) X(SCHEMA_VERSION, "schema-version", "schema_version is the whole number 1")

/* Manifests and the index of runs. */
#define SY_RULES_OF_EXPERIMENTS(X) X(PRIVATE_PATH, "private-path", "no value or key names a path in somebody's home")

/* The benchmark registry and what it imports. */
#define SY_RULES_OF_GATES(X) X(GATE_ID_UNIQUE, "gate-id-unique", "no two gates have one id")

/* Notes of the join. */
#define SY_RULES_OF_JOIN(X) X(READY_WITH_OPEN_GATES, "ready-with-open-gates", "a cell called ready has no open gate")

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
