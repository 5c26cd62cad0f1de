/* SPDX-License-Identifier: Apache-2.0 */
/* Writing profiles as other tuners' files: what the writers of the formats share. Private to this folder. */
#ifndef STEELYARD_IMPORTERS_TUNING_WRITE_H
#define STEELYARD_IMPORTERS_TUNING_WRITE_H

#include "base/json.h"
#include "importers/tuning/tuning_inside.h"

typedef struct sy_tuning_writing {
    sy_tuning_draft draft; /* whose arena owns the result; keys that were written are read again into it */
    sy_text text;
    sy_text line; /* the key of the profile at hand */
    const sy_profile *const *profiles;
    size_t count;
    sy_tuning_unwritten *unwritten;
    size_t unwritten_count;
    size_t written;
    size_t left_out; /* alternatives */
} sy_tuning_writing;

/* Keeps that a profile cannot be written. why: a literal. */
void sy_tuning_unwritable(sy_tuning_writing *writing, const sy_profile *profile, const char *why);
/* Why no format takes a profile, whatever it holds: "an override is no result of a tuner"; NULL. */
const char *sy_tuning_never_written(const sy_profile *profile);
/* The winner's time in milliseconds; NaN = not known. One that was read in ms is given back to the bit. */
double sy_tuning_milliseconds(const sy_profile *profile);
/* A measurement's value; NaN = there is none of that name. */
double sy_tuning_measured(const sy_profile *profile, const char *name);
/* Whether a key that was read is that of a profile, but for backend and version. */
bool sy_tuning_same_problem(const sy_profile_key *key, const sy_tuning_gemm *read);

/* Each appends to text. SY_NO_MEMORY. */
sy_status sy_tuning_write_tunable_op(sy_tuning_writing *writing, sy_error *err) SY_NODISCARD;
sy_status sy_tuning_write_miopen(sy_tuning_writing *writing, bool first_version, sy_error *err) SY_NODISCARD;
sy_status sy_tuning_write_search(sy_tuning_writing *writing, bool t4, sy_error *err) SY_NODISCARD;

#endif
