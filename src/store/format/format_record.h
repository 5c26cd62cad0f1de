/* SPDX-License-Identifier: Apache-2.0 */
/* One record of a profile file, field by field, into a sy_profile whose texts still lie in the file's bytes. */
#ifndef STEELYARD_STORE_FORMAT_RECORD_H
#define STEELYARD_STORE_FORMAT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <steelyard/store.h>

#include "store/format/quoted.h"
#include "store/format/store_findings.h"

/* The record that is being read. Its lists keep their memory from record to record. */
typedef struct sy_record {
    sy_profile profile;
    bool portable;   /* as declared */
    bool kind_known; /* the declaration was right: fields of the other kind can be told */
    bool broken;     /* a finding was added: what is missing need not be told */
    uint32_t given;  /* a bit for each single field that was read */
    sy_property *structure;
    size_t structure_capacity;
    sy_measurement *measurements;
    size_t measurement_capacity;
    sy_alternative *alternatives;
    size_t alternative_capacity;
    sy_profile_earlier earlier[SY_EARLIER_MAX];
    size_t next_field; /* where the search for the next keyword begins */
    const char *check; /* 16 digits that the lines before the check line give; NULL = not computed */
    uint32_t format;
    sy_store_findings *findings;
    bool no_memory;
} sy_record;

/* A quoted text without a 0 byte. */
bool sy_record_text(sy_record *record, sy_cursor *cursor, const char **ret_text);

void sy_record_finish(sy_record *record);
/* Empties it, and reads what stands behind the word `profile`. */
void sy_record_declare(sy_record *record, uint32_t line, sy_cursor rest);
/* Reads one field line, from its first word on. */
void sy_record_field(sy_record *record, uint32_t line, sy_cursor cursor);
/* Whether it is whole; else the finding is added at line, that of its `end`. */
bool sy_record_complete(sy_record *record, uint32_t line);

#endif
